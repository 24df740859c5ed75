"""What is said from outside counts as what a model says: its answers are counted, its word holds."""

from __future__ import annotations

import json
from typing import Any

from doors import Doors, mark_of
from guiagent_eval.benchmark import Case
from guiagent_eval.episodes import run_episode
from guiagent_eval.practice.records import Proposal
from guiagent_eval.practice.stepping import SteppedSolver
from guiagent_eval.task_list import ListedTask

from gui_agent.testing import FakeComputer, screen, text


class Outside:
    """Clicks on what changes nothing, once in words that cannot be read, and says that it is done."""

    def __init__(self) -> None:
        self._said = 0

    def ask(self, moment: dict[str, Any]) -> str:
        self._said += 1
        if self._said == 1:
            return "Click it!"
        if self._said == 2:
            listing = moment["observation"]["text"]
            return json.dumps({"actions": [{"kind": "click", "at": {"mark": mark_of(listing, "Idle")}}]})
        return json.dumps({"end": {"kind": "finish"}})


def test_each_answer_from_outside_is_counted_as_one_of_a_model() -> None:
    record = run_episode(Doors(idle=True), SteppedSolver(Outside(), steps=5), Case("open", 1))
    assert (record.ending, record.verdict) == ("done", "wrong"), record.reason
    assert record.model_calls == 3


def test_a_listed_task_whose_check_holds_has_earned_something() -> None:
    screen_ = FakeComputer(screen(text("Thank you")))
    grade = ListedTask.begin(screen_, Proposal("order", check='check "Thank you" is shown')).grade()
    assert grade.success and grade.lenient and grade.reward == grade.raw == 1.0
