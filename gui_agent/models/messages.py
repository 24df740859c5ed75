"""The wire format of Anthropic's Messages API, with function tools, the computer toolset or an older tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from gui_agent.core.actions import Click, Drag, Hold, Move, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.dialogue import Asked, Call, Part, Reply, Request, Results, Stop, ToolResult, Usage
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Box, Point, Screenshot
from gui_agent.core.texts import shorten
from gui_agent.models import _fields as fields
from gui_agent.models import function_tools as functions
from gui_agent.models.codec import CUT, NOT_DONE, ModelView, complete, make_reply, own_calls, shots, words
from gui_agent.models.function_tools import Shape, check
from gui_agent.models.pictures import NOTCH, Space
from gui_agent.models.spec import Wire
from gui_agent.models.transport import ServiceFault

TOOLSET = "computer_toolset"
MARKS = 3
"""Cache marks on turns; the service allows four in total, and the system prompt has one."""
CALL_A_TOOL = "Answer with a call of a tool."
_STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "paused",
    "refusal": "refusal",
    "tool_use": "calls",
}
_CACHE = {"type": "ephemeral"}
_SHAPE: Shape = {
    "content": [{"id": str}],
    "stop_details": {},
    "usage": {
        "input_tokens": int,
        "cache_read_input_tokens": int,
        "cache_creation_input_tokens": int,
        "output_tokens": int,
        "output_tokens_details": {"thinking_tokens": int},
    },
}
Block = dict[str, Any]


class Messages:
    """Codec of `POST /v1/messages`."""

    wire: Wire = "messages"
    path = "/v1/messages"

    def body(self, request: Request, view: ModelView) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": view.model,
            "max_tokens": request.max_tokens,
            "messages": _messages(request, view),
            **view.family.extra,
        }
        tools = _tools(request, view)
        told = request.system
        if tools:
            body["tools"] = tools
            forced = request.must_call and view.family.forced
            body["tool_choice"] = {"type": "any" if forced else "auto"}
            if request.must_call and not forced:
                told = f"{told}\n\n{CALL_A_TOOL}".strip()
        if told:
            body["system"] = [{"type": "text", "text": told, "cache_control": _CACHE}]
        return body

    def parse(self, answer: Mapping[str, Any], request: Request, view: ModelView) -> Reply:
        check(answer, _SHAPE)
        content = answer.get("content")
        if content is None:
            raise ServiceFault("the answer has no content", 500)
        stop = _STOPS.get(str(answer.get("stop_reason")), "end")
        details = answer.get("stop_details") or {}
        refusal = ""
        if stop == "refusal":
            refusal = str(details.get("explanation") or details.get("category") or "the model declined")
        return make_reply(
            answer,
            view,
            text=_texts(content, "text"),
            thought=_texts(content, "thinking"),
            calls=() if stop == "paused" else _calls(content, stop, request, view),
            stop=stop,
            refusal=refusal,
            raw=content,
            usage=_usage(answer.get("usage") or {}),
        )


def _tools(request: Request, view: ModelView) -> list[Block]:
    tools: list[Block] = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
        for tool in request.tools
    ]
    kind = view.family.tool
    if request.computer and kind.startswith(TOOLSET):
        off = {name: {"enabled": False} for name in OFF}
        tools.append({"type": kind, "configs": off})
    elif request.computer:
        space = view.coordinates()
        size = {"display_width_px": int(space.width), "display_height_px": int(space.height)}
        tools.append({"type": kind, "name": "computer", **size})
    return tools


def _messages(request: Request, view: ModelView) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    uses: dict[str, Mapping[str, Any]] = {}
    marks: list[Block] = []
    for turn in complete(request.turns):
        match turn:
            case Reply():
                role, blocks = "assistant", _replay(turn, request, view)
                uses = {str(block.get("id")): block for block in blocks if block.get("type") == "tool_use"}
            case Asked():
                role, blocks = "user", [_block(part, view) for part in turn.parts]
            case Results():
                role, blocks = "user", _results(turn.results, uses, view)
        if isinstance(turn, (Asked, Results)) and turn.cache and blocks:
            marks.append(blocks[-1])
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"].extend(blocks)
        else:
            messages.append({"role": role, "content": blocks})
    for block in marks[-MARKS:]:
        block["cache_control"] = _CACHE
    return messages


def _replay(reply: Reply, request: Request, view: ModelView) -> list[Block]:
    if reply.wire == "messages" and reply.raw:
        return [dict(block) for block in reply.raw]
    blocks: list[Block] = [{"type": "text", "text": reply.text or "(nothing)"}]
    for call, arguments in own_calls(reply, request, view):
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
    return blocks if reply.text or len(blocks) == 1 else blocks[1:]


def _block(part: Part, view: ModelView) -> Block:
    if not isinstance(part, Screenshot):
        return {"type": "text", "text": part}
    media, data = view.picture(part)
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": media, "data": data},
        # Otherwise, the service shrinks a large picture silently and every point is wrong.
        "transformations": {"oversized_image": "error"},
    }


def _results(
    results: Sequence[ToolResult], uses: Mapping[str, Mapping[str, Any]], view: ModelView
) -> list[Block]:
    blocks: list[Block] = []
    after: list[Part] = []
    for result in results:
        use = uses.get(result.call)
        if use is None:
            after.extend(result.parts)
            continue
        # An error may contain only text, and never be empty.
        parts: Sequence[Part] = result.parts
        if result.failed:
            parts = [words(result.parts) or NOT_DONE]
            after.extend(shots(result.parts))
        block: Block = {"type": "tool_result", "tool_use_id": result.call}
        if use.get("toolset_name"):
            block["toolset_name"] = use["toolset_name"]
        block["content"] = [_block(part, view) for part in parts or ["Done."]]
        if result.failed:
            block["is_error"] = True
        blocks.append(block)
    return [*blocks, *(_block(part, view) for part in after)]


def _calls(
    content: list[Mapping[str, Any]], stop: Stop, request: Request, view: ModelView
) -> tuple[Call, ...]:
    calls: list[Call] = []
    for block in content:
        if block.get("type") != "tool_use":
            continue
        identity, name = str(block.get("id")), str(block.get("name"))
        if stop != "calls":
            calls.append(Call(identity, name, error=CUT if stop == "length" else NOT_DONE))
        elif request.computer and block.get("name") not in {tool.name for tool in request.tools}:
            before = fields.last_point(chain.from_iterable(made.proposals for made in calls))
            calls.append(call(block, view, before or view.cursor))
        else:
            calls.append(functions.call(identity, name, block.get("input"), request, view.space))
    return tuple(calls)


def _texts(content: list[Mapping[str, Any]], kind: str) -> str:
    """The text of the blocks of a type; the text is under a key named like the type."""
    return "\n".join(str(block.get(kind) or "") for block in content if block.get("type") == kind).strip()


def _usage(usage: Mapping[str, Any]) -> Usage:
    cached = usage.get("cache_read_input_tokens") or 0
    written = usage.get("cache_creation_input_tokens") or 0
    details = usage.get("output_tokens_details") or {}
    return Usage(
        read=(usage.get("input_tokens") or 0) + cached + written,
        cached=cached,
        written=written,
        wrote=usage.get("output_tokens") or 0,
        reasoning=details.get("thinking_tokens") or 0,
    )


OFF = ("cursor_position", "left_mouse_down", "left_mouse_up")
"""Members without a counterpart among our actions; disabled if possible."""
LONGEST = 60.0
_CLICKS = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}


@dataclass(frozen=True, slots=True)
class Deed:
    """The content of one tool use: actions, or a look at the screen or a region of it."""

    proposals: tuple[Proposal, ...] = ()
    region: Box | None = None


def call(block: Mapping[str, Any], view: ModelView, cursor: Point | None) -> Call:
    """A `tool_use` block of the computer tool; faults are in its `error`."""
    given = block.get("input")
    identity = str(block.get("id"))
    if not isinstance(given, Mapping):
        return Call(identity, "computer", error="the input has to be an object")
    name = str(given.get("action") if block.get("name") == "computer" else block.get("name"))
    try:
        deed = _deed(name, given, view.coordinates(), cursor)
    except BadReply as error:
        return Call(identity, name, error=shorten(str(error), 300))
    return Call(identity, name, proposals=deed.proposals, look=not deed.proposals, region=deed.region)


def _deed(name: str, given: Mapping[str, Any], space: Space, cursor: Point | None) -> Deed:
    match name:
        case "screenshot":
            return Deed()
        case "zoom":
            return Deed(region=_region(given.get("region"), space))
        case "left_click_drag":
            start = fields.place(given, "start_coordinate", space, cursor)
            return _do(Drag(start, fields.place(given, "coordinate", space), _held_keys(given)))
        case "mouse_move":
            return _do(Move(fields.place(given, "coordinate", space)))
        case "scroll":
            return _do(_scroll(given, space, cursor))
        case "type" | "key" | "hold_key":
            return _typing_deed(name, given)
        case "wait":
            return _do(Wait(min(LONGEST, fields.number(given, "duration"))))
        case _ if name in _CLICKS:
            button, times = _CLICKS[name]
            at = fields.place(given, "coordinate", space, cursor)
            return _do(Click(at, button, times, _held_keys(given)))  # type: ignore[arg-type]
        case _ if name in OFF:
            raise BadReply(f"{name} is not available here; use left_click, left_click_drag or screenshot")
        case _:
            known = (*_CLICKS, "left_click_drag", "mouse_move", "scroll", "type", "key", "hold_key", "wait")
            raise BadReply(f'there is no action "{name}"; use one of: {", ".join(sorted(known))}, screenshot')


def _typing_deed(name: str, given: Mapping[str, Any]) -> Deed:
    if name == "type":
        return _do(TypeText(fields.text(given, "text")))
    if name == "hold_key":
        seconds = min(LONGEST, fields.number(given, "duration"))
        return _do(Hold(fields.keys(given.get("text")), seconds))
    times = max(1, min(100, int(fields.number(given, "repeat", 1))))
    chords = [" "] if given.get("text") == " " else fields.text(given, "text").split()
    if not chords:
        raise BadReply('"text" has to name a key')
    return Deed(tuple(Press(fields.keys(chord), times) for chord in chords))


def _do(proposal: Proposal) -> Deed:
    return Deed((proposal,))


def _held_keys(given: Mapping[str, Any]) -> tuple[str, ...]:
    chord = given.get("text") or given.get("key")
    return fields.keys(chord, "text") if chord else ()


def _scroll(given: Mapping[str, Any], space: Space, cursor: Point | None) -> Proposal:
    middle = space.screen.box.center
    down, right = fields.direction(given, "scroll_direction")
    pixels = round(fields.number(given, "scroll_amount") * NOTCH)
    return Scroll(fields.place(given, "coordinate", space, cursor or middle), down * pixels, right * pixels)


def _region(value: Any, space: Space) -> Box:
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        raise BadReply('"region" has to be [left, top, right, bottom]')
    numbered = dict(zip("abcd", value, strict=True))
    return space.box(*(fields.number(numbered, key) for key in "abcd"))
