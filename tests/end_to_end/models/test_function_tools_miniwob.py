"""A model behind a real HTTP server does tasks of real MiniWoB++ pages through function tools, on each wire.

What it "knows" are plain commands: the server answers with what these mean on the screen of the moment.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.miniwob import MiniWob

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.codec import plain
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, End, Planned
from gui_agent.models import open_model
from gui_agent.planners.commands import PlainPlanner
from gui_agent.planners.llm import ModelPlanner
from tests.contract.models.conftest import Service, images
from tests.contract.models.items import CHECKS

pytestmark = pytest.mark.nightly

WIRES = ("chat", "responses", "messages")
NUMBERS = itertools.count()


def as_it_stands(utterance: str) -> str:
    return utterance


def login(utterance: str) -> str:
    name, word = re.findall(r'"(.*?)"', utterance)
    return f'type "{name}" into Username, type "{word}" into Password, click Login'


def password(utterance: str) -> str:
    word = re.findall(r'"(.*?)"', utterance)[0]
    return f'type "{word}" into "Password", type "{word}" into "Verify password", click Submit'


PAGES: dict[str, Callable[[str], str]] = {
    "click-test": as_it_stands,
    "click-test-2": as_it_stands,
    "click-button": as_it_stands,
    "click-link": as_it_stands,
    "click-tab": as_it_stands,
    "click-option": as_it_stands,
    "click-checkboxes": as_it_stands,
    "choose-list": as_it_stands,
    "enter-text": as_it_stands,
    "enter-date": as_it_stands,
    "enter-time": as_it_stands,
    "unicode-test": as_it_stands,
    "login-user": login,
    "enter-password": password,
}


class Oracle:
    """Knows what is to be done next: the plain planner, shown the run as if it had decided all of it."""

    def __init__(self, planner: ModelPlanner) -> None:
        self.name = "watched"
        self.command = ""
        self._planner = planner
        self._known: list[Decision] = []

    def decide(self, situation: Situation) -> Decision:
        """Work out the answer, then let the model planner ask for it over the wire."""
        task = replace(situation.task, text=self.command)
        turns = tuple(
            replace(turn, decision=known) for turn, known in zip(situation.turns, self._known, strict=True)
        )
        self._known.append(PlainPlanner().decide(replace(situation, task=task, turns=turns)))
        return self._planner.decide(situation)

    def answer(self) -> dict[str, Any]:
        """The arguments of the tool for the moment."""
        known = self._known[-1]
        return {
            "thought": known.thought,
            "actions": [plain(planned, Planned) for planned in known.planned],
            "end": plain(known.end, End) if known.end else None,
        }


def wrapped(wire: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A call of the tool as the service of this wire says it."""
    identity = f"call_{next(NUMBERS)}"
    if wire == "chat":
        function = {"name": "decide", "arguments": json.dumps(arguments)}
        call = {"id": identity, "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        usage = {"prompt_tokens": 900, "completion_tokens": 20}
        return {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}], "usage": usage}
    usage = {"input_tokens": 900, "output_tokens": 20}
    if wire == "responses":
        call = {"type": "function_call", "id": f"fc_{identity}", "call_id": identity, "name": "decide"}
        call |= {"arguments": json.dumps(arguments), "status": "completed"}
        return {"id": "resp_1", "status": "completed", "output": [call], "usage": usage}
    block = {"type": "tool_use", "id": identity, "name": "decide", "input": arguments}
    return {"id": "msg_1", "role": "assistant", "content": [block], "stop_reason": "tool_use", "usage": usage}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("page", PAGES)
def test_a_task_is_done_through_function_tools(
    pages: MiniWob, service: Service, page: str, wire: Any
) -> None:
    address = f"{service.url}{'' if wire == 'messages' else '/v1'}#some-model"
    model = open_model(address, wire=wire, key=lambda variable: "")
    planner = Oracle(ModelPlanner(model, native=False))
    service.script = [lambda body: wrapped(wire, planner.answer())]
    with pages.episode(Case(page, 11)) as episode:
        planner.command = PAGES[page](episode.task.text)
        agent = Agent(episode.computer, planner, guard=PolicyGuard.default(yes=True))
        trajectory = agent.run(episode.task.text)
        grade = episode.grade()
    model.close()
    assert grade.success, (episode.task.text, trajectory.ending, [step.outcome for step in trajectory.steps])
    assert all(turn.decision.calls == 1 for turn in trajectory.turns)
    assert len(service.asked) == trajectory.model_calls == len(trajectory.turns)
    for asked in service.asked:
        CHECKS[wire](asked.body)
        assert images(asked.body)
