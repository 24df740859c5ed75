"""The stateless wire format of OpenAI's Responses API, with function tools or the `computer` tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from gui_agent.core.actions import Back, Click, Drag, Move, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.dialogue import Asked, Call, Part, Reply, Request, Results, Stop, ToolResult
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point, Screenshot
from gui_agent.core.texts import shorten
from gui_agent.models import _fields as fields
from gui_agent.models import function_tools as functions
from gui_agent.models.codec import (
    CUT,
    FILTERED,
    ModelView,
    complete,
    last_picture,
    make_reply,
    openai_usage,
    own_calls,
    shots,
    words,
)
from gui_agent.models.function_tools import Shape, check, openai_usage_shape
from gui_agent.models.pictures import Space
from gui_agent.models.spec import Wire
from gui_agent.models.transport import ServiceFault

_OUTPUT_ONLY = ("created_by", "parsed_arguments")
_PART: Shape = {"text": str, "refusal": str}
_SHAPE: Shape = {
    "output": [{"call_id": str, "summary": [_PART], "content": [_PART], "pending_safety_checks": [{}]}],
    "incomplete_details": {"reason": str},
    "usage": openai_usage_shape("input", "output"),
}
Item = dict[str, Any]


class Responses:
    """Codec of `POST /responses`."""

    wire: Wire = "responses"
    path = "/responses"

    def body(self, request: Request, view: ModelView) -> dict[str, Any]:
        tools: list[Item] = [
            {"type": "function", **functions.signature(tool), "strict": False} for tool in request.tools
        ]
        if request.computer:
            tools.append({"type": view.family.tool})
        body: dict[str, Any] = {
            "model": view.model,
            "input": list(_items(request, view)),
            "max_output_tokens": request.max_tokens,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            **view.family.extra,
        }
        if request.system:
            body["instructions"] = request.system
        if tools:
            body["tools"] = tools
            # Forced only on the first turn: later, the model must be able to report the end.
            body["tool_choice"] = (
                "required"
                if request.must_call and not any(isinstance(turn, Results) for turn in request.turns)
                else "auto"
            )
        if request.schema is not None:
            form = {"type": "json_schema", "name": "decision", "schema": dict(request.schema)}
            body["text"] = {"format": form}
        if request.cache_key and view.home:
            body["prompt_cache_key"] = request.cache_key
        return body

    def parse(self, answer: Mapping[str, Any], request: Request, view: ModelView) -> Reply:
        check(answer, _SHAPE)
        output, status = answer.get("output"), answer.get("status")
        if output is None or status in ("failed", "cancelled"):
            raise ServiceFault(f"the answer has no output (status {status})", 500)
        cut = status == "incomplete"
        calls = [_call(item, request, view, cut) for item in output if _is_call(item)]
        stop: Stop = "length" if cut else "calls" if calls else "end"
        return make_reply(
            answer,
            view,
            text=_text_of(output, "output_text", final=True),
            thought=f"{_reasoning(output)}\n{_text_of(output, 'output_text', final=False)}".strip(),
            calls=calls,
            stop=stop,
            refusal=_text_of(output, "refusal") or (FILTERED if cut and _is_filtered(answer) else ""),
            raw=output,
            usage=openai_usage(answer, "input", "output"),
        )


def _is_filtered(answer: Mapping[str, Any]) -> bool:
    details = answer.get("incomplete_details") or {}
    return "filter" in (details.get("reason") or "")


def _reasoning(output: Sequence[Mapping[str, Any]]) -> str:
    """The service's summary of the model's reasoning."""
    thoughts = [item.get("summary") or [] for item in output if item.get("type") == "reasoning"]
    return "\n".join(part.get("text") or "" for part in chain.from_iterable(thoughts))


def _items(request: Request, view: ModelView) -> Iterator[Item]:
    kinds: dict[str, str] = {}
    turns = list(complete(request.turns))
    for number, turn in enumerate(turns):
        match turn:
            case Asked():
                yield _message(turn.parts, view)
            case Reply():
                items = list(_replay(turn, request, view))
                kinds = {str(item.get("call_id")): item["type"] for item in items if _is_call(item)}
                yield from items
            case Results():
                shown = last_picture(turns[: number + 1]) or last_picture(turns[number:])
                yield from _results(turn, kinds, shown, view)


def _replay(reply: Reply, request: Request, view: ModelView) -> Iterator[Item]:
    """A reply as this API gave it; another API's reply as its text and function calls."""
    if reply.wire == "responses" and reply.raw:
        for item in reply.raw:
            yield {key: value for key, value in item.items() if key not in _OUTPUT_ONLY}
        return
    if reply.text or not reply.calls:
        yield {"type": "message", "role": "assistant", "content": reply.text or "(nothing)"}
    for call, arguments in own_calls(reply, request, view):
        given = json.dumps(arguments)
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": given}


def _results(
    turn: Results, kinds: Mapping[str, str], shown: Screenshot | None, view: ModelView
) -> Iterator[Item]:
    """The results of the calls that the service knows, then a message with all that these cannot hold."""
    rest: list[Part] = []
    for result in turn.results:
        if kind := kinds.get(result.call):
            yield _result(result, kind, shown, view)
        rest += _separate_parts(result, kinds)
    if rest:
        yield _message(rest, view)


def _message(parts: Sequence[Part], view: ModelView) -> Item:
    return {"type": "message", "role": "user", "content": _content(parts, view)}


def _content(parts: Sequence[Part], view: ModelView) -> list[Item]:
    content: list[Item] = []
    for part in parts:
        if isinstance(part, Screenshot):
            detail = "original" if view.native else "high"
            content.append({"type": "input_image", "image_url": view.data_url(part), "detail": detail})
        else:
            content.append({"type": "input_text", "text": part})
    return content


def _result(result: ToolResult, kind: str, shown: Screenshot | None, view: ModelView) -> Item:
    if kind == "function_call":
        output = _content(result.parts, view) or [{"type": "input_text", "text": "Done."}]
        return {"type": "function_call_output", "call_id": result.call, "output": output}
    shot = next(iter(shots(result.parts)), None) or shown
    if shot is None:
        raise BadReply("a computer call can only be answered with a screenshot; take one")
    screenshot = {"type": "computer_screenshot", "image_url": view.data_url(shot), "detail": "original"}
    item: Item = {"type": "computer_call_output", "call_id": result.call, "output": screenshot}
    if result.checks:
        item["acknowledged_safety_checks"] = [dict(check) for check in result.checks]
    return item


def _separate_parts(result: ToolResult, kinds: Mapping[str, str]) -> Sequence[Part]:
    """The parts of a result without a field in a computer call's output; all of them for an unknown call."""
    if result.call not in kinds:
        return result.parts
    text = words(result.parts)
    return [text] if kinds[result.call] != "function_call" and text else []


def _is_call(item: Mapping[str, Any]) -> bool:
    return item.get("type") in ("computer_call", "function_call")


def _call(item: Mapping[str, Any], request: Request, view: ModelView, cut: bool) -> Call:
    identity = str(item.get("call_id") or item.get("id") or "")
    if cut or item.get("status") not in (None, "completed"):
        return Call(identity, str(item.get("name", "computer")), error=CUT)
    if item["type"] == "function_call":
        return functions.call(identity, str(item.get("name")), item.get("arguments"), request, view.space)
    return call(identity, item, view)


def _text_of(output: Sequence[Mapping[str, Any]], kind: str, *, final: bool | None = None) -> str:
    texts = []
    for item in output:
        commentary = item.get("phase") == "commentary"
        if item.get("type") == "message" and (final is None or commentary is not final):
            parts = [part for part in item.get("content") or [] if part.get("type") == kind]
            texts += [part.get("text") or part.get("refusal") or "" for part in parts]
    return "\n".join(texts)


PAUSE = 2.0
"""Seconds of the tool's `wait`, which has no duration."""
_BUTTONS = {"left": "left", "right": "right", "wheel": "middle", "middle": "middle"}


def call(identity: str, item: Mapping[str, Any], view: ModelView) -> Call:
    """A `computer_call` with its batch of actions; faults are in its `error`."""
    checks = tuple(item.get("pending_safety_checks") or ())
    try:
        actions = _batch(item)
        proposals = tuple(
            _proposal(action, view.coordinates()) for action in actions if action.get("type") != "screenshot"
        )
    except BadReply as error:
        return Call(identity, "computer", checks=checks, error=shorten(str(error), 300))
    return Call(identity, "computer", proposals=proposals, look=not proposals, checks=checks)


def _batch(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    one, several = item.get("action"), item.get("actions")
    if (one is None) == (several is None):
        raise BadReply("a computer call has to have either one action or several")
    actions = [one] if several is None else several
    if not isinstance(actions, list) or not actions or not all(isinstance(each, Mapping) for each in actions):
        raise BadReply("a computer call has to have at least one action")
    return actions


def _proposal(action: Mapping[str, Any], space: Space) -> Proposal:
    match action.get("type"):
        case "click":
            return _click(action, space)
        case "double_click":
            return Click(_point_at(action, space), "left", 2, _held_keys(action))
        case "move":
            return Move(_point_at(action, space))
        case "drag":
            path = action.get("path")
            if not isinstance(path, list) or len(path) < 2:
                raise BadReply('"path" of a drag needs at least two points')
            first, last = (space.point(*fields.pair(spot, "path")) for spot in (path[0], path[-1]))
            return Drag(first, last, _held_keys(action))
        case "scroll":
            down, right = fields.number(action, "scroll_y", 0), fields.number(action, "scroll_x", 0)
            return Scroll(_point_at(action, space), round(down), round(right))
        case "keypress":
            return Press(fields.keys(action.get("keys")))
        case "type":
            return TypeText(fields.text(action, "text"))
        case "wait":
            return Wait(PAUSE)
        case other:
            raise BadReply(
                f'there is no action "{other}"; use click, double_click, drag, keypress, move, screenshot, '
                "scroll, type or wait"
            )


def _click(action: Mapping[str, Any], space: Space) -> Proposal:
    button = fields.text(action, "button", "left")
    if button == "back":
        return Back()
    if button == "forward":
        return Press(("alt", "right"))
    if button not in _BUTTONS:
        raise BadReply(f'there is no button "{button}"; use left, right or wheel')
    return Click(_point_at(action, space), _BUTTONS[button], 1, _held_keys(action))  # type: ignore[arg-type]


def _point_at(action: Mapping[str, Any], space: Space) -> Point:
    return space.point(fields.number(action, "x"), fields.number(action, "y"))


def _held_keys(action: Mapping[str, Any]) -> tuple[str, ...]:
    return fields.keys(action["keys"]) if action.get("keys") else ()
