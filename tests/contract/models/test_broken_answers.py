"""Answers that are JSON and not what their wire format says: asked for again, then told in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gui_agent.core.dialogue import Asked, Reply, Request
from gui_agent.core.errors import BadReply, ModelUnavailable
from gui_agent.models import RemoteModel
from gui_agent.planners.llm.decision_schema import decide_tool
from gui_agent.planners.llm.replies import decision
from tests.contract.models.conftest import (
    MODELS,
    SCREEN,
    WIRES,
    Answer,
    Service,
    asking,
    chat,
    computer_call,
    member,
    messages,
    responses,
    text_answer,
)

Opened = Callable[..., RemoteModel]
every_wire = pytest.mark.parametrize("wire", WIRES)
BODIES = {"chat": chat("hi"), "messages": messages(), "responses": responses()}
BROKEN: dict[str, tuple[str, Any]] = {
    "choices as text": ("chat", {"choices": "none"}),
    "choices of text": ("chat", {"choices": ["hello"]}),
    "choices of nothing": ("chat", {"choices": [None]}),
    "message as text": ("chat", {"choices": [{"message": "hello"}]}),
    "calls as text": ("chat", chat("", tool_calls="decide")),
    "calls of text": ("chat", chat("", tool_calls=["decide"])),
    "call as an object": ("chat", chat("", tool_calls={"function": {}})),
    "function as text": ("chat", chat("", tool_calls=[{"id": "a", "function": "decide"}])),
    "thoughts as text": ("chat", chat("", reasoning_details="hm")),
    "usage as text (chat)": ("chat", {**chat("hi"), "usage": "12 tokens"}),
    "tokens as text": ("chat", {**chat("hi"), "usage": {"prompt_tokens": "12"}}),
    "details as a number": ("chat", {**chat("hi"), "usage": {"prompt_tokens_details": 3}}),
    "output of text": ("responses", {**responses(), "output": ["hello"]}),
    "content as text": ("responses", responses({"type": "message", "content": "hello"})),
    "summary as text": ("responses", responses({"type": "reasoning", "summary": "hm"})),
    "id as a list": ("responses", responses(computer_call({"type": "wait"}, call_id=["a"]))),
    "usage as a list (responses)": ("responses", {**responses(), "usage": [1]}),
    "content of text": ("messages", {**messages(), "content": ["hello"]}),
    "id as an object": ("messages", messages({"type": "tool_use", "id": {}, "name": "decide"})),
    "usage as text (messages)": ("messages", {**messages(), "usage": {"input_tokens": "12"}}),
}


@pytest.mark.parametrize("shape", BROKEN)
def test_an_answer_in_another_shape_is_asked_for_again_and_then_told(
    opened: Opened, service: Service, shape: str
) -> None:
    wire, broken = BROKEN[shape]
    model = opened(MODELS[wire], wire)
    service.script = [Answer(broken), Answer(text_answer(wire, "hello"))]
    assert model.complete(asking(tools=(decide_tool(),))).text == "hello"
    service.script = [Answer(broken)]
    with pytest.raises(ModelUnavailable, match=r"answer.* try again later"):
        model.complete(asking(tools=(decide_tool(),)))


@every_wire
@pytest.mark.parametrize("levels", [150, 5_000])
def test_an_answer_that_is_nested_without_end_is_asked_for_again(
    opened: Opened, service: Service, wire: str, levels: int
) -> None:
    deep = json.dumps(BODIES[wire])[:-1].encode() + b', "more": ' + b"[" * levels + b"]" * levels + b"}"
    service.script = [Answer(deep), Answer(text_answer(wire, "hello"))]
    assert opened(MODELS[wire], wire).complete(asking()).text == "hello"


def _replied(opened: Opened, service: Service, wire: str, answer: Any) -> Reply:
    service.script = [Answer(answer)]
    return opened(MODELS[wire], wire).complete(asking(tools=(decide_tool(),)))


@pytest.mark.parametrize(
    "arguments",
    [
        '{"actions": ' + "[" * 5_000 + "]" * 5_000 + "}",
        json.dumps({"actions": "[" * 5_000}),
        json.dumps({"actions": [{"kind": ["click"], "at": {"mark": 1}}]}),
        json.dumps({"actions": [{"kind": {"click": 1}}]}),
        json.dumps({"actions": [{"kind": "click", "at": [10**400, float("nan")]}]}),
    ],
    ids=["deep", "deep text", "kind as a list", "kind as an object", "numbers without end"],
)
def test_arguments_that_mean_nothing_are_told_to_the_model(
    opened: Opened, service: Service, arguments: str
) -> None:
    called = [{"id": "a", "type": "function", "function": {"name": "decide", "arguments": arguments}}]
    reply = _replied(opened, service, "chat", chat("", tool_calls=called))
    with pytest.raises(BadReply):
        decision(reply, batch=5, name="model", screen=SCREEN)


@every_wire
def test_a_text_that_is_nested_without_end_is_told_to_the_model(
    opened: Opened, service: Service, wire: str
) -> None:
    text = '{"a":' * 5_000 + "1" + "}" * 5_000
    reply = _replied(opened, service, wire, text_answer(wire, text))
    with pytest.raises(BadReply, match="no JSON object"):
        decision(reply, batch=5, name="model", screen=SCREEN)


@pytest.mark.parametrize(
    ("wire", "answer"),
    [
        ("responses", responses(computer_call({"type": "click", "x": 1, "y": 1, "button": ["left"]}))),
        ("responses", responses(computer_call({"type": "click", "x": 10**400, "y": 1}))),
        ("messages", messages(member("scroll", coordinate=[1, 1], scroll_direction=["down"]))),
        ("messages", messages(member("left_click", coordinate=[10**400, 1]))),
    ],
    ids=["button", "number", "direction", "coordinate"],
)
def test_an_own_action_with_parts_of_the_wrong_kind_is_told(
    opened: Opened, service: Service, wire: str, answer: Any
) -> None:
    service.script = [Answer(answer)]
    (call,) = opened(MODELS[wire], wire).complete(asking(computer=True)).calls
    assert call.error and not call.proposals


@pytest.mark.parametrize(
    ("wire", "answer"),
    [
        ("responses", responses({"type": "function_call", "name": "decide", "arguments": "{}"})),
        ("messages", messages({"type": "tool_use", "name": "decide", "input": {}})),
    ],
)
def test_a_call_without_an_id_does_not_end_the_conversation(
    opened: Opened, service: Service, wire: str, answer: Any
) -> None:
    reply = _replied(opened, service, wire, answer)
    service.script = [Answer(text_answer(wire, "hello"))]
    again = Request("plan", (*asking().turns, reply, Asked(("Go on.",))), tools=(decide_tool(),))
    assert opened(MODELS[wire], wire).complete(again).text == "hello"
