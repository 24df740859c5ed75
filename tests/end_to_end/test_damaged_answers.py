"""Damaged answers of models, texts of any kind as commands, and names of any kind before the guard.

`FUZZ=400` tries so many of each, as in `test_damaged_files`; none is a fault of the program, none takes long.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gui_agent.agent.guard.addresses import holds_secret, is_in_folders
from gui_agent.agent.guard.meaning import classify
from gui_agent.core.actions import Click, Navigate, Open, TypeText, Upload
from gui_agent.core.dialogue import Asked, Request
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Point
from gui_agent.core.trajectory import Found
from gui_agent.models import RemoteModel, RetryPolicy, open_model
from gui_agent.models.dialects import PointerContext
from gui_agent.models.families import FAMILIES
from gui_agent.models.pictures import Space
from gui_agent.planners.commands import Unparsed, parse, say
from gui_agent.planners.llm.decision_schema import decide_tool
from gui_agent.planners.llm.replies import decision
from gui_agent.testing import button, screen, widget
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
    no_key,
    responses,
    text_answer,
)
from tests.end_to_end.test_damaged_files import COUNT, HORRORS, SLOW, changed, mutated

TYPED = {"kind": "type", "text": "x", "at": {"text": "Name"}, "expect": [{"kind": "text_shown", "text": "a"}]}
DECIDED = {
    "thought": "x",
    "notes": {"a": "1"},
    "criteria": [{"kind": "text_shown", "text": "a"}],
    "actions": [{"kind": "click", "at": {"mark": 3}}, TYPED, {"action": {"kind": "press", "keys": ["a"]}}],
    "end": {"kind": "finish", "answer": "x"},
}
CALLED = {"name": "decide", "arguments": json.dumps(DECIDED)}
FUNCTIONS: dict[str, Any] = {
    "chat": chat("", tool_calls=[{"id": "a", "type": "function", "function": CALLED}]),
    "responses": responses({"type": "function_call", "call_id": "1", **CALLED}),
    "messages": messages({"type": "tool_use", "id": "1", "name": "decide", "input": DECIDED}),
}
QWEN = '<tool_call>{"arguments": {"action": "left_click", "coordinate": [100, 1]}}</tool_call>'
OWN: dict[str, Any] = {
    "chat": chat(QWEN),
    "responses": responses(
        computer_call({"type": "click", "x": 1, "y": 1}, {"type": "keypress", "keys": ["a"]})
    ),
    "messages": messages(member("left_click", coordinate=[1, 1]), member("key", "tu_2", text="a")),
}
SAID = (
    QWEN,
    "Thought: there\nAction: click(start_box='(10,20)')\ntype(content='a\\n')",
    "<function=click><parameter=point><point>1 2</point></parameter></function>",
    "```python\npyautogui.click(x=10, y=20)\npyautogui.write('a')\n```",
    "[[1,2,3,4]] (5, 6)",
    '{"x": 1, "y": 2}',
    json.dumps(DECIDED),
)
WORDS = (
    'click type set drag open fill "a" \' \\" , . ; \n and then in to with from the row of Name Save > '
    ": 1. please is should be \0 \u202e \ud800 ~ / ../ C:\\ ${secret:X} 日本 100000000000000000000000"
)


@contextlib.contextmanager
def no_fault(what: str) -> Iterator[None]:
    """What is done inside ends well or in one clear line, and in time."""
    began = time.process_time()
    try:
        yield
    except GuiAgentError as error:
        assert str(error) and len(str(error)) < 2_000, what
    except Exception as fault:  # noqa: BLE001 - any fault is the finding
        pytest.fail(f"{what}: {type(fault).__name__}: {fault}"[:300])
    assert time.process_time() - began < SLOW, what


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Service, Callable[[str, str], RemoteModel]]]:
    service = Service()
    models: dict[tuple[str, str], RemoteModel] = {}

    def opened(name: str, wire: str) -> RemoteModel:
        if (name, wire) not in models:
            address = f"{service.url}{'' if wire == 'messages' else '/v1'}#{name}"
            patience = RetryPolicy(seconds=100, tries=1)
            models[name, wire] = open_model(address, wire=wire, key=no_key, patience=patience)  # type: ignore[arg-type]
        return models[name, wire]

    yield service, opened
    for model in models.values():
        model.close()
    service.close()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(300 + COUNT * 10)
@pytest.mark.parametrize("own", [False, True], ids=["functions", "own actions"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_damaged_answer_of_a_model_is_one_clear_line(wire: str, own: bool, served: Any) -> None:
    service, opened = served
    model = opened("Qwen3-VL-8B" if own and wire == "chat" else MODELS[wire], wire)
    request = asking(computer=True) if own else asking(tools=(decide_tool(),))
    whole = (OWN if own else FUNCTIONS)[wire]
    for number in range(COUNT):
        chance = random.Random(f"{wire} {own} {number}")
        body: Any = mutated(json.dumps(whole).encode(), chance)
        if number % 3 == 1:
            body = changed(changed(whole, chance), chance)
        elif number % 3 == 2:
            body = text_answer(wire, mutated(chance.choice(SAID).encode(), chance).decode("utf-8", "replace"))
        service.asked.clear()
        service.script = [Answer(body)]
        with no_fault(f"{wire}, answer {number}"):
            reply = model.complete(request)
            decision(reply, batch=5, name="model", screen=SCREEN, native=own)
            service.script = [Answer(text_answer(wire, "x"))]
            again = Request("plan", (*request.turns, reply, Asked(("?",))), tools=request.tools, computer=own)
            model.complete(again)


@pytest.mark.timeout(300 + COUNT)
@pytest.mark.parametrize("name", [family.name for family in FAMILIES if family.dialect is not None])
def test_a_damaged_answer_in_a_familys_own_form_is_one_clear_line(name: str) -> None:
    dialect = next(family.dialect for family in FAMILIES if family.name == name)
    assert dialect is not None
    where = PointerContext(Space(SCREEN, 1000, 1000, grid=True))
    for number in range(COUNT):
        chance = random.Random(f"{name} {number}")
        text = mutated(chance.choice(SAID).encode(), chance).decode("utf-8", "replace")
        with no_fault(f"{name}, text {number}"):
            dialect.read(text[:100_000], where)


def _text(chance: random.Random) -> str:
    if chance.random() < 0.1:
        return chance.choice(HORRORS)[:20_000].decode("utf-8", "replace")
    piece = chance.choices(WORDS.split(" "), k=chance.choice((3, 10, 40)))
    return chance.choice((" ", "")).join(piece * chance.choice((1, 1, 10, 200)))[:20_000]


@pytest.mark.timeout(300 + COUNT * 10)
def test_any_text_is_read_as_commands_or_told_not_to_be_some() -> None:
    for number in range(COUNT):
        text = _text(random.Random(f"text {number}"))
        with no_fault(f"text {number}"):
            read = parse(text)
            assert isinstance(read, Unparsed) or all(map(say, read))


@pytest.mark.timeout(300 + COUNT * 10)
def test_any_name_and_address_is_judged() -> None:
    for number in range(COUNT):
        chance = random.Random(f"name {number}")
        text = chance.choice(("", "~", "file://", "/", "javascript:", "http://")) + _text(chance)
        seen = screen(button(text), widget("link", text, attributes={"href": text}))
        found = {"at": Found(Point(1, 1), seen.elements[number % 2])}
        actions = (Click(Point(1, 1)), TypeText(text, Point(1, 1)), Upload(Point(1, 1), (text,)))
        with no_fault(f"name {number}"):
            for action in (*actions, Navigate(text), Open(text)):
                assert classify(action, found, seen)
            assert is_in_folders(text, ["/nowhere"]) in (True, False)
            assert holds_secret(text) in (True, False)
