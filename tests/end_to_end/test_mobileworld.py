"""MobileWorld's interface: one action per call, questions to its person, its tools, and how episodes end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.mobileworld import MobileWorldAgent, MobileWorldComputer
from guiagent_eval.phone import SimulatedPhone

from gui_agent.core.actions import Click, Drag, Open
from gui_agent.core.observation import Point
from tests.contract.models.conftest import Service, chat

pytestmark = pytest.mark.nightly


@dataclass
class StandIn:
    """The fields of the benchmark's action, where its package is not installed."""

    action_type: str
    x: int | None = None
    y: int | None = None
    text: str | None = None
    app_name: str | None = None
    start_x: int | None = None
    start_y: int | None = None
    end_x: int | None = None
    end_y: int | None = None
    clear_text: bool | None = None
    action_name: str | None = None
    action_json: dict[str, Any] | None = None


try:
    from mobile_world.runtime.utils.models import JSONAction as MakeAction
except ImportError:
    MakeAction = StandIn


def episode(agent: MobileWorldAgent, goal: str, phone: SimulatedPhone, most: int = 10) -> list[Any]:
    """An episode as the runner goes through it; its actions."""
    seen: dict[str, Any] = {"screenshot": phone.frame().convert("RGB")}
    agent.initialize(goal)
    acted: list[Any] = []
    while len(acted) < most:
        _, action = agent.predict({"tool_call": None, "ask_user_response": None, **seen})
        acted.append(action)
        if action.action_type in ("finished", "unknown", "answer"):
            break
        seen = _done(phone, action) | {"screenshot": phone.frame().convert("RGB")}
    agent.done()
    return acted


def _done(phone: SimulatedPhone, action: Any) -> dict[str, Any]:
    if action.action_type == "click":
        phone.tap(Point(action.x, action.y))
    elif action.action_type == "open_app":
        phone.launch(next(one.package for one in phone.apps.values() if one.label == action.app_name))
    elif action.action_type == "ask_user":
        return {"ask_user_response": "the dark one"}
    elif action.action_type == "mcp":
        return {"tool_call": {"temperature": 21}}
    return {}


def test_each_call_gives_one_action_and_questions_go_to_the_person_of_the_benchmark() -> None:
    phone = SimulatedPhone()

    def work(goal: str, computer: MobileWorldComputer) -> str | None:
        assert goal == "Choose a theme" and computer.observe().size == phone.size
        computer.perform(Open("Settings"))
        assert phone.front.label == "Settings"
        computer.perform(Drag(Point(1, 2), Point(3, 4)))
        assert computer.call("weather", {"city": "Oslo"}) == {"temperature": 21}
        return computer.ask("Which theme?")

    acted = episode(MobileWorldAgent(make_action=MakeAction, work=work), "Choose a theme", phone)
    assert [one.action_type for one in acted] == ["open_app", "drag", "mcp", "ask_user", "answer"]
    assert (acted[2].action_name, acted[2].action_json) == ("weather", {"city": "Oslo"})
    assert acted[-1].text == "the dark one"


@pytest.mark.parametrize(("gives", "ends"), [("", "finished"), (None, "unknown")])
def test_what_was_not_done_is_never_told_as_done(gives: str | None, ends: str) -> None:
    agent = MobileWorldAgent([{"name": "weather"}], make_action=MakeAction, work=lambda *_: gives)
    assert [one.action_type for one in episode(agent, "Do it", SimulatedPhone())] == [ends]
    agent.reset_tools([])
    assert agent.tools == [] and agent.instruction is None


def test_an_episode_that_the_runner_cuts_off_leaves_nothing_that_waits(caplog: Any) -> None:
    def work(_: str, computer: MobileWorldComputer) -> str | None:
        while True:
            computer.perform(Click(Point(1, 1)))

    agent = MobileWorldAgent(make_action=MakeAction, work=work)
    assert len(episode(agent, "Do it", SimulatedPhone(), most=3)) == 3
    assert [one.action_type for one in episode(agent, "Do it again", SimulatedPhone(), most=2)] == [
        "click",
        "click",
    ]


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


def test_a_model_in_the_dialect_of_phones_does_an_episode(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    def said(**given: Any) -> Mapping[str, Any]:
        call = json.dumps({"name": "mobile_use", "arguments": given})
        return chat(f"I do it.\n<tool_call>\n{call}\n</tool_call>")

    service.script = [
        lambda _: said(action="open", text="Settings"),
        lambda _: said(action="interact", text="Which theme?"),
        lambda body: (
            said(action="answer", text="dark") if "the dark one" in json.dumps(body) else said(action="wait")
        ),
        lambda _: chat("DONE"),
    ]
    settings = {"model": {"name": f"{service.url}/v1#GUI-Owl-1.5-8B"}, "trace": {"folder": ""}}
    agent = MobileWorldAgent(settings=settings, make_action=MakeAction)
    acted = episode(agent, "Choose a theme", SimulatedPhone())
    assert [one.action_type for one in acted] == ["open_app", "ask_user", "answer"]
    assert acted[-1].text == "dark"
