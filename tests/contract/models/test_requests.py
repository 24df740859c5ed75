"""What is sent: items fit the SDK's own types without unknown keys; what came is replayed as it came."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gui_agent.core.actions import Click
from gui_agent.core.dialogue import Asked, Call, Reply, Request, Results, Tool, ToolResult
from gui_agent.models import RemoteModel, describe_model, open_model
from gui_agent.models.chat import Chat
from gui_agent.models.codec import ModelView
from gui_agent.models.responses import Responses
from tests.contract.models.conftest import (
    MODELS,
    WIRES,
    Answer,
    Service,
    asking,
    chat,
    computer_call,
    member,
    messages,
    responses,
    screenshot,
    single,
    text_answer,
)
from tests.contract.models.items import CHECKS, check_messages, check_responses

Opened = Callable[..., RemoteModel]
TOOL = Tool("click", "Click a place.", {"type": "object", "properties": {"at": {"type": "object"}}})
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b64=="}
THINKING = {"type": "thinking", "thinking": "There it is.", "signature": "s1g"}
CHECK = {"id": "sc_1", "code": "malicious_instructions", "message": "Is it safe?"}


NATIVE = {
    "responses": responses(
        REASONING,
        computer_call(
            {"type": "click", "x": 5, "y": 6, "button": "left"},
            {"type": "type", "text": "hi"},
            pending_safety_checks=[CHECK],
        ),
    ),
    "chat": chat(
        'Click.\n<tool_call>{"arguments": {"action": "left_click", "coordinate": [5, 6]}}</tool_call>',
        reasoning_details=[{"type": "reasoning.text", "text": "hm", "signature": "q"}],
    ),
    "messages": messages(
        THINKING, member("left_click", coordinate=[5, 6]), member("type", "tu_2", text="hi")
    ),
}


def _function_answer(wire: str) -> dict[str, Any]:
    given = {"at": {"x": 5, "y": 6}}
    if wire == "chat":
        function = {"name": "click", "arguments": json.dumps(given)}
        return chat(None, "tool_calls", tool_calls=[{"id": "c1", "type": "function", "function": function}])
    if wire == "messages":
        return messages(THINKING, {"type": "tool_use", "id": "c1", "name": "click", "input": given})
    call = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "click", "status": "completed"}
    return responses(REASONING, {**call, "arguments": json.dumps(given)})


def _second(model: RemoteModel, first: Request, failed: bool = False, approve: bool = True) -> Request:
    """The request after one whole round: the reply, what came of its calls, one more question."""
    reply = model.complete(first)
    results = tuple(
        ToolResult(
            call.id,
            ("It went well." if not failed else "Covered.", screenshot()),
            failed,
            call.checks if approve else (),
        )
        for call in reply.calls
    )
    return replace(first, turns=(*first.turns, reply, Results(results), Asked(("Go on.",), cache=True)))


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("own", [False, True])
def test_a_whole_round_fits_the_types_of_the_sdk(
    opened: Opened, service: Service, wire: str, failed: bool, own: bool
) -> None:
    name = "Qwen3-VL-8B" if wire == "chat" and own else MODELS[wire]
    model = opened(name, wire)
    service.script = [
        Answer(NATIVE[wire] if own else _function_answer(wire)),
        Answer(text_answer(wire, "done")),
    ]
    first = asking(system="Be careful.", tools=() if own else (TOOL,), computer=own, must_call=not own)
    assert model.complete(_second(model, first, failed)).text or own
    for asked in service.asked:
        CHECKS[wire](asked.body)


@pytest.mark.parametrize("wire", WIRES)
def test_items_of_the_provider_are_replayed_word_by_word(opened: Opened, service: Service, wire: str) -> None:
    model = opened("Qwen3-VL-8B" if wire == "chat" else MODELS[wire], wire)
    service.script = [Answer(NATIVE[wire]), Answer(text_answer(wire, "done"))]
    model.complete(_second(model, asking(computer=True)))
    body = service.asked[1].body
    if wire == "responses":
        assert [item for item in body["input"] if item["type"] in ("reasoning", "computer_call")] == NATIVE[
            wire
        ]["output"]
    elif wire == "messages":
        assert body["messages"][1]["content"] == NATIVE[wire]["content"]
    else:
        assert body["messages"][2] == NATIVE[wire]["choices"][0]["message"]


def test_every_call_is_answered_once_and_in_order(opened: Opened, service: Service) -> None:
    model = opened("claude-sonnet-5-5", "messages")
    service.script = [Answer(NATIVE["messages"]), Answer(text_answer("messages", "done"))]
    first = asking(computer=True)
    reply = model.complete(first)
    only_last = Results((ToolResult("tu_2", ("Typed.",)),))
    model.complete(Request("plan", (*first.turns, reply, only_last), computer=True))
    blocks = service.asked[1].body["messages"][2]["content"]
    assert [(block["tool_use_id"], block.get("is_error", False)) for block in blocks] == [
        ("tu_1", True),
        ("tu_2", False),
    ]
    assert all(block["toolset_name"] == "computer" for block in blocks)


def test_an_action_that_forgets_the_name_of_its_toolset_is_still_one(
    opened: Opened, service: Service
) -> None:
    bare = member("left_click", coordinate=[5, 6])
    del bare["toolset_name"]
    service.script = [Answer(messages(bare))]
    (call,) = opened("claude-sonnet-5-5", "messages").complete(asking(computer=True)).calls
    assert not call.error and isinstance(call.proposals[0], Click)


def test_a_failed_result_is_text_and_its_picture_comes_after_it(opened: Opened, service: Service) -> None:
    model = opened("claude-sonnet-5-5", "messages")
    service.script = [Answer(NATIVE["messages"]), Answer(text_answer("messages", "done"))]
    model.complete(_second(model, asking(computer=True), failed=True))
    kinds = [block["type"] for block in service.asked[1].body["messages"][2]["content"]]
    assert kinds == ["tool_result", "tool_result", "image", "image", "text"]


@pytest.mark.parametrize("approve", [True, False])
def test_safety_checks_are_acknowledged_only_when_a_person_approved(
    opened: Opened, service: Service, approve: bool
) -> None:
    model = opened("gpt-5.4", "responses")
    service.script = [Answer(NATIVE["responses"]), Answer(text_answer("responses", "done"))]
    request = _second(model, asking(computer=True), approve=approve)
    model.complete(request)
    (output,) = [item for item in service.asked[1].body["input"] if item["type"] == "computer_call_output"]
    assert output.get("acknowledged_safety_checks", []) == ([CHECK] if approve else [])


def test_a_computer_call_is_answered_with_a_picture_even_when_none_was_given(
    opened: Opened, service: Service
) -> None:
    model = opened("gpt-5.4", "responses")
    service.script = [Answer(NATIVE["responses"]), Answer(text_answer("responses", "done"))]
    first = asking(computer=True)
    model.complete(Request("plan", (*first.turns, model.complete(first)), computer=True))
    (output,) = [item for item in service.asked[1].body["input"] if item["type"] == "computer_call_output"]
    assert output["output"]["image_url"].startswith("data:image/png;base64,")
    check_responses(service.asked[1].body)


@pytest.mark.parametrize("wire", WIRES)
def test_a_turn_that_we_wrote_is_shown_in_any_format(opened: Opened, service: Service, wire: str) -> None:
    service.script = [Answer(text_answer(wire, "done"))]
    exemplar = Reply(
        "I click Save.", calls=(Call("e1", "click", {"at": {"x": 960, "y": 540}}),), wire="other"
    )
    results = Results((ToolResult("e1", ("Saved.",)),))
    question = asking()
    turns = (Asked(("Save the file.",)), exemplar, results, *question.turns)
    model = opened("gemini-3-pro" if wire == "chat" else MODELS[wire], wire)
    model.complete(Request("plan", turns, tools=(TOOL,)))
    (asked,) = service.asked
    CHECKS[wire](asked.body)
    written = json.dumps(asked.body).replace('\\"', '"')
    expected = {"responses": '"x": 960, "y": 540', "chat": '"x": 500, "y": 500', "messages": '"y": '}[wire]
    assert expected in written and "Saved." in written


@pytest.mark.parametrize("wire", ["responses", "chat"])
def test_a_providers_own_service_is_told_which_requests_begin_alike(wire: str) -> None:
    spec, family = describe_model("openai/gpt-5.4")
    view = ModelView(spec.model, family, "responses" if wire == "responses" else "chat", spec.home)
    request = asking(tools=(TOOL,), cache_key="run-1")
    codec = {"responses": Responses, "chat": Chat}[wire]()
    assert codec.body(request, view.for_request(request))["prompt_cache_key"] == "run-1"
    foreign = replace(view, home=False)
    assert "prompt_cache_key" not in codec.body(request, foreign.for_request(request))


@pytest.mark.parametrize("version", ["claude-haiku-4-5"])
def test_the_older_computer_tool_goes_round(opened: Opened, service: Service, version: str) -> None:
    model = opened(version, "messages")
    service.script = [
        Answer(messages(single("left_click", coordinate=[5, 6], text="ctrl"))),
        Answer(messages(single("key", text="ctrl+s"))),
    ]
    request = _second(model, asking(computer=True))
    assert model.complete(request).calls[0].proposals[0].keys == ("ctrl", "s")  # type: ignore[union-attr]
    for asked in service.asked:
        check_messages(asked.body)


@pytest.mark.parametrize(
    ("wire", "sent"),
    [
        ("responses", {"reasoning": {"effort": "low"}}),
        ("chat", {"reasoning_effort": "low"}),
        ("messages", {"output_config": {"effort": "low"}}),
    ],
)
def test_the_effort_is_sent_as_the_field_of_each_format(
    opened: Opened, service: Service, wire: str, sent: dict[str, Any]
) -> None:
    service.script = [Answer(text_answer(wire, "hello"))]
    opened(MODELS[wire], wire, effort="low").complete(asking())
    opened(MODELS[wire], wire).complete(asking())
    opened(MODELS[wire], wire, effort="low", extra=dict.fromkeys(sent, "mine")).complete(asking())
    with_effort, without, with_both = (asked.body for asked in service.asked)
    assert sent.items() <= with_effort.items() and not sent.keys() & without.keys()
    assert all(with_both[name] == "mine" for name in sent), "extra keys of the person win"


def test_a_deployment_of_azure_is_asked_at_the_address_of_its_resource(service: Service) -> None:
    variables = {"AZURE_OPENAI_ENDPOINT": f"{service.url}/", "AZURE_OPENAI_API_KEY": "azure-secret"}
    service.script = [Answer(text_answer("chat", "hello"))]
    model = open_model("azure/my-deployment", key=variables.__getitem__)
    try:
        assert model.complete(asking()).text == "hello"
    finally:
        model.close()
    (asked,) = service.asked
    assert (asked.path, asked.body["model"]) == ("/openai/v1/chat/completions", "my-deployment")
    assert "azure-secret" in asked.headers["authorization"]


def test_several_pictures_of_a_result_keep_their_captions(opened: Opened, service: Service) -> None:
    looks = Reply(calls=(Call("a", TOOL.name, {}),))
    seen = ToolResult("a", ("That part, enlarged:", screenshot(), "And the whole screen:", screenshot()))
    service.script = [Answer(text_answer("chat", "hello"))]
    opened("some-model").complete(Request("plan", (Asked(("Go",)), looks, Results((seen,))), tools=(TOOL,)))
    tool, last = service.asked[0].body["messages"][-2:]
    assert (tool["role"], tool["content"]) == ("tool", "The pictures follow.")
    told = [part.get("text", "picture") for part in last["content"]]
    assert told == ["That part, enlarged:", "picture", "And the whole screen:", "picture"]


def test_texts_without_a_picture_are_one_text_as_in_exports(opened: Opened, service: Service) -> None:
    service.script = [Answer(text_answer("chat", "done"))] * 2
    model = opened("Qwen3-VL-8B", "chat")
    for parts in (("Task: x", "The screen"), ("Task: x", "The screen", screenshot())):
        model.complete(Request("plan", (Asked(parts),)))
    sent = [asked.body["messages"][0]["content"] for asked in service.asked]
    assert sent[0] == [{"type": "text", "text": "Task: x\n\nThe screen"}]
    assert [part["type"] for part in sent[1]] == ["text", "text", "image_url"]
