"""What a service can do wrong, done by a real server: each ends in a recovery or in the right error."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from gui_agent.core import deadline
from gui_agent.core.errors import BadReply, ConfigError, MissingKey, ModelUnavailable
from gui_agent.models import RemoteModel, RetryPolicy, open_model
from gui_agent.models.remote import CODECS, PAUSES, SdkTransport, anthropic, describe_model, openai
from gui_agent.models.spec import Wire
from gui_agent.models.transport import fault_without_answer
from tests.contract.models.conftest import (
    MODELS,
    QUICK,
    WIRES,
    Answer,
    Service,
    asking,
    chat,
    computer_call,
    images,
    member,
    messages,
    responses,
    seen,
    text_answer,
)

Opened = Callable[..., RemoteModel]
every_wire = pytest.mark.parametrize("wire", WIRES)


def _error(status: int, message: str = "something broke", kind: str = "api_error", **headers: str) -> Answer:
    return Answer({"type": "error", "error": {"type": kind, "message": message}}, status, headers)


@every_wire
@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_again(opened: Opened, service: Service, wire: str, status: int) -> None:
    service.script = [_error(status), Answer(text_answer(wire, "hello"))]
    assert opened(MODELS[wire], wire).complete(asking()).text == "hello"
    assert len(service.asked) == 2


@every_wire
@pytest.mark.parametrize("header", [("retry-after", "0.3"), ("retry-after-ms", "300")])
def test_the_wait_that_the_service_asks_for_is_kept(
    opened: Opened, service: Service, wire: str, header: tuple[str, str]
) -> None:
    slept: list[float] = []
    service.script = [_error(429, **dict([header])), Answer(text_answer(wire, "hello"))]
    model = opened(MODELS[wire], wire)
    model._sleep = slept.append
    assert model.complete(asking()).text == "hello"
    assert slept == [pytest.approx(0.3)]


@every_wire
def test_a_longer_wait_than_the_deadline_ends_at_once(opened: Opened, service: Service, wire: str) -> None:
    service.script = [_error(429, "too many requests", **{"retry-after": "3600"})]
    model = opened(MODELS[wire], wire)
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"429.*too many requests.*try again later"):
        model.complete(asking())
    assert time.monotonic() - began < 60 and len(service.asked) == 1


@every_wire
def test_endless_failures_end_in_an_error_of_one_line(opened: Opened, service: Service, wire: str) -> None:
    service.script = [_error(500, "line one\nline two")]
    with pytest.raises(ModelUnavailable) as caught:
        opened(MODELS[wire], wire).complete(asking())
    assert "\n" not in str(caught.value) and len(service.asked) == 4


@every_wire
@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, MissingKey, "refused the key"),
        (403, ConfigError, "does not let"),
        (404, ConfigError, "does not know"),
        (400, ConfigError, "rejected the request"),
    ],
)
def test_a_lasting_failure_is_not_tried_again(
    opened: Opened, service: Service, wire: str, status: int, kind: type[Exception], words: str
) -> None:
    service.script = [_error(status, "no", "invalid_request_error")]
    with pytest.raises(kind, match=words):
        opened(MODELS[wire], wire).complete(asking())
    assert len(service.asked) == 1


def test_spent_credit_is_not_tried_again(opened: Opened, service: Service) -> None:
    service.script = [_error(429, "You exceeded your current quota", "insufficient_quota")]
    with pytest.raises(ModelUnavailable, match="quota"):
        opened("gpt-5.4", "responses").complete(asking())
    assert len(service.asked) == 1


@every_wire
def test_a_server_that_nobody_started_on_this_machine_is_told_at_the_first_attempt(wire: Wire) -> None:
    pauses: list[float] = []
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can get this port
        address = f"127.0.0.1:{kept.getsockname()[1]}"
        spec, family = describe_model(f"http://{address}#{MODELS[wire]}", wire=wire)
        vendor = anthropic if wire == "messages" else openai
        transport = SdkTransport(vendor, spec.url)
        model = RemoteModel(spec, family, CODECS[wire](), transport, patience=QUICK, sleep=pauses.append)
        with pytest.raises(ModelUnavailable, match=f"no server listens at {address}; start it"):
            model.complete(asking())
        model.close()
    assert pauses == []


@pytest.mark.parametrize(
    ("url", "passing"),
    [
        ("http://localhost:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("http://0.0.0.0:8000/v1", False),
        ("http://10.0.0.7:8000/v1", True),
        ("https://api.example.org/v1", True),
    ],
)
def test_a_refusal_from_another_machine_may_pass(url: str, passing: bool) -> None:
    error = RuntimeError("Connection error.")
    error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    fault = fault_without_answer(error, url)
    assert fault.passing is passing and "Connection refused" in str(fault)


def test_another_failure_of_the_network_may_pass_even_on_this_machine() -> None:
    assert fault_without_answer(TimeoutError("no answer"), "http://localhost:8000/v1").passing


@every_wire
@pytest.mark.parametrize(
    "spoilt", [Answer(b'{"id": "x", "outp'), Answer(b"<html>busy</html>"), Answer(b"[]")]
)
def test_an_answer_that_is_no_json_object_is_asked_for_again(
    opened: Opened, service: Service, wire: str, spoilt: Answer
) -> None:
    service.script = [spoilt, Answer(text_answer(wire, "hello"))]
    assert opened(MODELS[wire], wire).complete(asking()).text == "hello"


@every_wire
def test_a_connection_that_breaks_in_the_middle_is_tried_again(
    opened: Opened, service: Service, wire: str
) -> None:
    service.script = [Answer(text_answer(wire, "cut" * 500), cut=True), Answer(text_answer(wire, "hello"))]
    assert opened(MODELS[wire], wire).complete(asking()).text == "hello"


@every_wire
def test_a_server_that_drips_does_not_hold_the_run(opened: Opened, service: Service, wire: str) -> None:
    service.script = [Answer(text_answer(wire, "x" * 4000), drip=0.05)]
    model = opened(MODELS[wire], wire, patience=RetryPolicy(seconds=0.7, tries=1))
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match="no complete answer"):
        model.complete(asking())
    assert time.monotonic() - began < 60, "the whole answer would take 200 s or more"


@every_wire
@pytest.mark.parametrize("code", ["429", "rate_limit_exceeded"])
def test_an_error_inside_a_good_status_is_seen(
    opened: Opened, service: Service, wire: str, code: str
) -> None:
    wrong = {"error": {"code": code, "message": "slow down", "type": "rate_limit_exceeded"}}
    service.script = [Answer(wrong), Answer(text_answer(wire, "hello"))]
    assert opened(MODELS[wire], wire).complete(asking()).text == "hello"


def test_a_failed_response_with_a_good_status_is_seen(opened: Opened, service: Service) -> None:
    wrong = {"status": "failed", "output": [], "error": {"code": "server_error", "message": "sorry"}}
    service.script = [Answer(wrong), Answer(text_answer("responses", "hello"))]
    assert opened("gpt-5.4", "responses").complete(asking()).text == "hello"


@every_wire
@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 300000 tokens > 200000 maximum",
        "request (791 tokens) exceeds the available context size (512 tokens), try increasing it",
    ],
)
def test_a_request_longer_than_the_context_is_told_to_the_planner(
    opened: Opened, service: Service, wire: str, message: str
) -> None:
    service.script = [_error(400, message, "invalid_request_error")]
    with pytest.raises(BadReply, match="send less"):
        opened(MODELS[wire], wire).complete(asking())


@every_wire
def test_a_picture_that_is_too_large_is_sent_again_smaller(
    opened: Opened, service: Service, wire: str
) -> None:
    first = "image dimensions 1920x1080 exceed the maximum size; the largest that fits is 1024x576"
    service.script = [_error(400, first, "invalid_request_error"), Answer(text_answer(wire, "hello"))]
    model = opened(MODELS[wire], wire)
    assert model.complete(asking()).text == "hello"
    size = seen(service.asked[1].body)[1]
    assert 1000 <= size.width <= 1024 and 560 <= size.height <= 576
    service.script = [Answer(text_answer(wire, "again"))]
    model.complete(asking())
    assert seen(service.asked[-1].body)[1] == size, "the size stays for the run"


@every_wire
@pytest.mark.parametrize(
    ("status", "message"),
    [
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
        (400, "SmolLM2 is not a multimodal model"),
    ],
)
def test_a_model_that_takes_no_pictures_is_asked_at_once_with_the_texts_alone(
    opened: Opened, service: Service, wire: str, status: int, message: str
) -> None:
    service.script = [_error(status, message), Answer(text_answer(wire, "hello"))]
    model = opened(MODELS[wire], wire)
    model._sleep = lambda seconds: pytest.fail("nothing to wait for")
    assert model.complete(asking()).text == "hello"
    assert [len(images(one.body)) for one in service.asked] == [1, 0]
    assert model.traits.pictures == 0, "planners need not make any"
    model.complete(asking())
    assert images(service.asked[-1].body) == []


def test_a_server_is_asked_at_v1_once_whoever_adds_it(service: Service) -> None:
    service.script = [Answer(text_answer("messages", "hello"))]
    address = f"{service.url}/v1#mine"
    model = open_model(address, wire="messages", key=lambda name: "", patience=QUICK)
    assert model.complete(asking()).text == "hello"
    assert service.asked[0].path == "/v1/messages"


def test_the_limit_that_ended_a_question_is_named(opened: Opened, service: Service) -> None:
    service.script = [Answer(text_answer("chat", "x" * 4000), drip=0.05)]
    with deadline.ends_in(0.5), pytest.raises(ModelUnavailable, match="the run's limit of time"):
        opened("gpt-5.4", "chat").complete(asking())


def test_points_are_right_after_a_refit(opened: Opened, service: Service) -> None:
    def click(body: dict[str, Any]) -> Any:
        at, _ = seen(body)
        return messages(member("left_click", coordinate=[at.x, at.y]))

    service.script = [
        _error(400, "image exceeds the maximum: at most 800x450 fits", "invalid_request_error"),
        click,
    ]
    reply = opened("claude-sonnet-5-5", "messages").complete(asking(computer=True))
    (place,) = [proposal.at for proposal in reply.calls[0].proposals]
    assert abs(place.x - 1403) <= 3 and abs(place.y - 741) <= 3


REFUSALS = {
    "responses": responses(
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    ),
    "chat": chat(None, refusal="I cannot."),
    "messages": messages(stop="refusal", stop_details={"category": "cyber", "explanation": "I cannot."}),
}
CUTS = {
    "responses": responses(
        computer_call({"type": "click", "x": 1, "y": 1}, status="incomplete"),
        status="incomplete",
        incomplete_details={"reason": "max_output_tokens"},
    ),
    "chat": chat("<tool_call>{", "length"),
    "messages": messages(member("left_click", coordinate=[1, 1]), stop="max_tokens"),
}
UNKNOWN = {
    "responses": responses(computer_call({"type": "triple_tap", "x": 1, "y": 1})),
    "chat": chat('<tool_call>{"arguments": {"action": "triple_tap"}}</tool_call>'),
    "messages": messages(member("triple_tap", coordinate=[1, 1])),
}
OUTSIDE = {
    "responses": responses(computer_call({"type": "click", "x": 1920, "y": 1})),
    "chat": chat('<tool_call>{"arguments": {"action": "left_click", "coordinate": [1001, 1]}}</tool_call>'),
    "messages": messages(member("left_click", coordinate=[2500, 1])),
}
OWN = {**MODELS, "chat": "Qwen3-VL-8B"}


@every_wire
def test_a_refusal_is_a_reply(opened: Opened, service: Service, wire: str) -> None:
    service.script = [Answer(REFUSALS[wire])]
    reply = opened(OWN[wire], wire).complete(asking(computer=True))
    assert (reply.stop, reply.refusal, reply.calls) == ("refusal", "I cannot.", ())


@every_wire
def test_an_answer_cut_at_the_limit_is_not_acted_upon(opened: Opened, service: Service, wire: str) -> None:
    service.script = [Answer(CUTS[wire])]
    reply = opened(OWN[wire], wire).complete(asking(computer=True))
    assert reply.stop == "length"
    assert all("cut" in call.error and not call.proposals for call in reply.calls)


def test_a_paused_turn_is_sent_back_as_it_is_and_gone_on_with(opened: Opened, service: Service) -> None:
    begun = {"type": "text", "text": "I look it up."}
    ended = [{"type": "text", "text": "There."}, member("left_click", coordinate=[5, 6])]
    service.script = [Answer(messages(begun, stop="pause_turn")), Answer(messages(*ended))]
    reply = opened("claude-sonnet-5-5", "messages").complete(asking(computer=True))
    assert service.asked[1].body["messages"][1] == {"role": "assistant", "content": [begun]}
    assert (reply.stop, reply.text, len(reply.calls)) == ("calls", "I look it up.\nThere.", 1)
    assert reply.raw == (begun, *ended) and reply.usage.wrote == 80


def test_a_turn_that_is_paused_for_ever_ends_in_an_error(opened: Opened, service: Service) -> None:
    service.script = [Answer(messages({"type": "text", "text": "hm"}, stop="pause_turn"))]
    with pytest.raises(BadReply, match="paused"):
        opened("claude-sonnet-5-5", "messages").complete(asking())
    assert len(service.asked) == 1 + PAUSES


@every_wire
def test_an_unknown_action_is_told_and_never_becomes_another_one(
    opened: Opened, service: Service, wire: str
) -> None:
    service.script = [Answer(UNKNOWN[wire])]
    (call,) = opened(OWN[wire], wire).complete(asking(computer=True)).calls
    assert "triple_tap" in call.error and "\n" not in call.error and not call.proposals


@every_wire
def test_a_point_outside_the_picture_is_told_and_never_clamped(
    opened: Opened, service: Service, wire: str
) -> None:
    service.script = [Answer(OUTSIDE[wire])]
    (call,) = opened(OWN[wire], wire).complete(asking(computer=True)).calls
    assert "outside the picture" in call.error and not call.proposals


@every_wire
def test_a_request_for_a_place_without_an_answer_is_a_bad_reply(
    opened: Opened, service: Service, wire: str
) -> None:
    service.script = [Answer(text_answer(wire, "I do not see it."))]
    with pytest.raises(BadReply, match="named no point"):
        opened(OWN[wire], wire).complete(asking("the square", purpose="point"))
