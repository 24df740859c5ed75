"""The chat completions wire format: function tools, or the text dialect that a family was trained on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gui_agent.core.dialogue import Asked, Call, Part, Reply, Request, Results, Stop, ToolResult
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Screenshot
from gui_agent.core.texts import shorten
from gui_agent.models import function_tools as functions
from gui_agent.models.codec import (
    CUT,
    FILTERED,
    NOT_DONE,
    ModelView,
    complete,
    make_reply,
    openai_usage,
    own_calls,
    shots,
    words,
)
from gui_agent.models.dialects import PointerContext
from gui_agent.models.function_tools import Shape, check, openai_usage_shape
from gui_agent.models.spec import Wire
from gui_agent.models.transport import ServiceFault

SAID = "computer"
"""The id of the single call that a text answer in a dialect stands for."""
FOLLOW = "The pictures follow."
_STOPS: dict[str, Stop] = {"length": "length"}
_THOUGHTS = ("reasoning_content", "reasoning")
_EMPTY: tuple[Any, ...] = (None, [])
_SHAPE: Shape = {
    "choices": [{"message": {"tool_calls": [{"function": {}}], "reasoning_details": [{}]}}],
    "usage": openai_usage_shape("prompt", "completion"),
}
Message = dict[str, Any]


class Chat:
    """Codec of `POST /chat/completions`."""

    wire: Wire = "chat"
    path = "/chat/completions"

    def body(self, request: Request, view: ModelView) -> dict[str, Any]:
        length = "max_completion_tokens" if view.home else "max_tokens"
        body: dict[str, Any] = {
            "model": view.model,
            "messages": _messages(request, view),
            length: request.max_tokens,
            **view.family.extra,
        }
        if request.tools:
            body["tools"] = [
                {"type": "function", "function": functions.signature(tool)} for tool in request.tools
            ]
            body["tool_choice"] = "required" if request.must_call else "auto"
        if request.schema is not None:
            form = {"name": "decision", "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if request.cache_key and view.home:
            body["prompt_cache_key"] = request.cache_key
        return body

    def parse(self, answer: Mapping[str, Any], request: Request, view: ModelView) -> Reply:
        check(answer, _SHAPE)
        choice = (answer.get("choices") or [{}])[0]
        message = choice.get("message")
        if message is None:
            raise ServiceFault("the answer has no choices", 500)
        finish = str(choice.get("finish_reason"))
        refusal = message.get("refusal") or (FILTERED if finish == "content_filter" else "")
        read = _dialect if request.computer else _functions
        text, more, calls = read(_text(message.get("content")), message, finish, request, view)
        raw = {key: value for key, value in message.items() if value not in _EMPTY}
        return make_reply(
            answer,
            view,
            text=text,
            thought="\n".join(filter(None, (_thought_text(message), more))),
            calls=calls,
            stop=_STOPS.get(finish, "calls" if calls else "end"),
            refusal=str(refusal),
            raw=[{"role": "assistant", **raw}],
            usage=openai_usage(answer, "prompt", "completion"),
        )


_Read = tuple[str, str, tuple[Call, ...]]


def _functions(
    text: str, message: Mapping[str, Any], finish: str, request: Request, view: ModelView
) -> _Read:
    calls = []
    for number, made in enumerate(message.get("tool_calls") or []):
        function = made.get("function") or {}
        identity, name = str(made.get("id") or f"call_{number}"), str(function.get("name"))
        if finish == "length":
            calls.append(Call(identity, name, error=CUT))
        else:
            calls.append(functions.call(identity, name, function.get("arguments"), request, view.space))
    return text, "", tuple(calls)


def _dialect(text: str, message: Mapping[str, Any], finish: str, request: Request, view: ModelView) -> _Read:
    """Parse a text answer in the family's dialect; a server may have moved its tool calls out of the text."""
    dialect = view.family.dialect
    assert dialect is not None
    apart = [
        json.dumps({"name": made["function"].get("name"), "arguments": made["function"].get("arguments")})
        for made in message.get("tool_calls") or []
        if isinstance(made.get("function"), Mapping)
    ]
    whole = "\n".join([text, *(f"<tool_call>{made}</tool_call>" for made in apart)])
    if finish == "length":
        return text, "", (Call(SAID, "computer", error=CUT),)
    try:
        said = dialect.read(whole, PointerContext(view.coordinates(), view.cursor))
    except BadReply as error:
        return text, "", (Call(SAID, "computer", error=shorten(str(error), 300)),)
    call = Call(
        SAID,
        "computer",
        proposals=said.proposals,
        end=said.end,
        look=not said.proposals and said.end is None,
    )
    return text, said.thought, (call,)


def _messages(request: Request, view: ModelView) -> list[Message]:
    messages: list[Message] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    pending: list[str] = []
    for turn in complete(request.turns):
        match turn:
            case Reply():
                message = _replay(turn, request, view)
                pending = [str(made.get("id")) for made in message.get("tool_calls") or []]
                messages.append(message)
            case Asked():
                _add(messages, turn.parts, view)
            case Results():
                messages += _answers(turn.results, pending)
                _add(messages, _separate_parts(turn.results, pending), view)
                pending = []
    return messages


def _replay(reply: Reply, request: Request, view: ModelView) -> Message:
    if reply.wire == "chat" and reply.raw:
        return dict(reply.raw[0])
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(arguments)},
        }
        for call, arguments in own_calls(reply, request, view)
    ]
    message: Message = {"role": "assistant", "content": reply.text or ("" if calls else "(nothing)")}
    return {**message, "tool_calls": calls} if calls else message


def _answers(results: Sequence[ToolResult], pending: Sequence[str]) -> list[Message]:
    """One text message for each call known to the service; its pictures need a separate message."""
    told = {result.call: _answer_text(result) for result in results}
    whole = told.get(SAID, "Done.")
    return [
        {"role": "tool", "tool_call_id": identity, "content": told.get(identity, whole)}
        for identity in pending
    ]


def _answer_text(result: ToolResult) -> str:
    """The text of a result; the texts between several pictures stay with them, as their captions."""
    captioned = len(shots(result.parts)) > 1
    return FOLLOW if captioned else words(result.parts) or (NOT_DONE if result.failed else "Done.")


def _separate_parts(results: Sequence[ToolResult], pending: Sequence[str]) -> list[Part]:
    parts: list[Part] = []
    for result in results:
        pictures = shots(result.parts)
        if not pending:
            parts += [_answer_text(result)]
        parts += result.parts if len(pictures) > 1 else pictures
    return parts


def _add(messages: list[Message], parts: Sequence[Part], view: ModelView) -> None:
    if not parts:
        return
    # Servers join several texts each in their own way, and exports with an empty line.
    content = [_part(part, view) for part in (parts if shots(parts) else [words(parts)])]
    if messages and messages[-1]["role"] == "user":
        messages[-1]["content"].extend(content)
    else:
        messages.append({"role": "user", "content": content})


def _part(part: Part, view: ModelView) -> Message:
    if not isinstance(part, Screenshot):
        return {"type": "text", "text": part}
    image: Message = {"url": view.data_url(part)}
    if view.home:
        image["detail"] = "high"
    return {"type": "image_url", "image_url": image}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _thought_text(message: Mapping[str, Any]) -> str:
    for key in _THOUGHTS:
        if isinstance(message.get(key), str) and message[key]:
            return str(message[key])
    details = message.get("reasoning_details") or []
    return "\n".join(str(part.get("text") or part.get("summary") or "") for part in details).strip()
