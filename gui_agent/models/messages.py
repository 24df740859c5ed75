"""The wire format of Anthropic's Messages API, with function tools, the computer toolset or an older tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gui_agent.core.dialogue import Asked, Call, Part, Reply, Request, Result, Results, Stop, Usage
from gui_agent.core.observation import Screenshot
from gui_agent.models import function_tools as functions
from gui_agent.models import messages_actions
from gui_agent.models import turns as history
from gui_agent.models.codec import CUT, View
from gui_agent.models.service_errors import Fault, in_body
from gui_agent.models.spec import Wire

TOOLSET = "computer_toolset"
MARKS = 3
"""Cache marks on turns; the service takes four in all and the system prompt has one."""
CALL_A_TOOL = "Answer with a call of a tool."
_STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "paused",
    "refusal": "refusal",
    "tool_use": "calls",
}
_CACHE = {"type": "ephemeral"}
Block = dict[str, Any]


class Messages:
    """Codec of `POST /v1/messages`."""

    wire: Wire = "messages"
    path = "/v1/messages"

    def body(self, request: Request, view: View) -> dict[str, Any]:
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

    def parse(self, answer: Mapping[str, Any], request: Request, view: View) -> Reply:
        fault = in_body(answer)
        if fault is not None:
            raise fault
        content = answer.get("content")
        if not isinstance(content, list):
            raise Fault("the answer has no content", 500)
        stop = _STOPS.get(str(answer.get("stop_reason")), "end")
        details = answer.get("stop_details") or {}
        refusal = ""
        if stop == "refusal":
            refusal = str(details.get("explanation") or details.get("category") or "the model declined")
        return Reply(
            text=_texts(content, "text", "text"),
            thought=_texts(content, "thinking", "thinking"),
            calls=() if refusal or stop == "paused" else _calls(content, stop, request, view),
            stop=stop,
            refusal=refusal,
            raw=() if refusal else tuple(content),
            wire=self.wire,
            usage=_usage(answer.get("usage") or {}),
            model=str(answer.get("model") or view.model),
            id=str(answer.get("id") or ""),
        )


def _tools(request: Request, view: View) -> list[Block]:
    tools: list[Block] = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
        for tool in request.tools
    ]
    kind = view.family.tool
    if request.computer and kind.startswith(TOOLSET):
        off = {name: {"enabled": False} for name in messages_actions.OFF}
        tools.append({"type": kind, "configs": off})
    elif request.computer:
        space = view.seen()
        size = {"display_width_px": int(space.width), "display_height_px": int(space.height)}
        tools.append({"type": kind, "name": "computer", **size})
    return tools


def _messages(request: Request, view: View) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    uses: dict[str, Mapping[str, Any]] = {}
    marks: list[Block] = []
    for turn in history.complete(request.turns):
        match turn:
            case Reply():
                role, blocks = "assistant", _replayed(turn, request, view)
                uses = {block["id"]: block for block in blocks if block.get("type") == "tool_use"}
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


def _replayed(reply: Reply, request: Request, view: View) -> list[Block]:
    if reply.wire == "messages" and reply.raw:
        return [dict(block) for block in reply.raw]
    known = {tool.name for tool in request.tools}
    blocks: list[Block] = [{"type": "text", "text": reply.text or "(nothing)"}]
    for call in reply.calls:
        if call.name in known:
            given = functions.in_units(call.arguments, view.space)
            blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": given})
    return blocks if reply.text or len(blocks) == 1 else blocks[1:]


def _block(part: Part, view: View) -> Block:
    if not isinstance(part, Screenshot):
        return {"type": "text", "text": part}
    media, data = view.picture(part)
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": media, "data": data},
        # Without this the service shrinks a large picture silently and every point is wrong.
        "transformations": {"oversized_image": "error"},
    }


def _results(results: Sequence[Result], uses: Mapping[str, Mapping[str, Any]], view: View) -> list[Block]:
    blocks: list[Block] = []
    after: list[Part] = []
    for result in results:
        use = uses.get(result.call)
        if use is None:
            after.extend(result.parts)
            continue
        # An error may hold text only, and never nothing.
        parts: Sequence[Part] = result.parts
        if result.failed:
            parts = [history.words(result.parts) or history.NOT_DONE]
            after.extend(history.shots(result.parts))
        block: Block = {"type": "tool_result", "tool_use_id": result.call}
        if use.get("toolset_name"):
            block["toolset_name"] = use["toolset_name"]
        block["content"] = [_block(part, view) for part in parts or ["Done."]]
        if result.failed:
            block["is_error"] = True
        blocks.append(block)
    return [*blocks, *(_block(part, view) for part in after)]


def _calls(content: list[Mapping[str, Any]], stop: Stop, request: Request, view: View) -> tuple[Call, ...]:
    calls: list[Call] = []
    for block in content:
        if block.get("type") != "tool_use":
            continue
        identity, name = str(block.get("id")), str(block.get("name"))
        if stop != "calls":
            calls.append(Call(identity, name, error=CUT if stop == "length" else history.NOT_DONE))
        elif _is_computer(block, request):
            calls.append(messages_actions.call(block, view, messages_actions.pointer(calls, view.cursor)))
        else:
            calls.append(functions.call(identity, name, block.get("input"), request, view.space))
    return tuple(calls)


def _is_computer(block: Mapping[str, Any], request: Request) -> bool:
    return request.computer and (block.get("toolset_name") == "computer" or block.get("name") == "computer")


def _texts(content: list[Mapping[str, Any]], kind: str, key: str) -> str:
    return "\n".join(str(block.get(key) or "") for block in content if block.get("type") == kind).strip()


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
