"""A run asks what a task means that no planner understands, and does nothing before the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from loop_runs import QUICK, contact

from gui_agent.agent.loop import Agent
from gui_agent.core.clarification import Clarification, Offer, resolutions
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.cascade import RewordedPlanner
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
from gui_agent.testing import FakeComputer, OpenGuard

WISH = "Ada ought to hear of it"
LEARNED, COMMAND = 'type "Ada" into "Name"', 'click "Send"'


class Known:
    """Knows one learned wording and one command."""

    hint = "or a model"

    def offers(self, task: Task, screen: Observation) -> Sequence[Offer]:
        return [Offer(LEARNED, is_learned=True), Offer(COMMAND, screen.controls[0].box)]

    def refusal(self, text: str) -> str:
        found = parse(text)
        return str(found) if isinstance(found, Unparsed) else ""

    def take_wording(self, planner: Any) -> Any:
        return RewordedPlanner(planner, lambda _: PlainPlanner(waits=()))


class Person:
    """Gives these answers, one a question."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = list(answers), list[Clarification]()

    def __call__(self, question: Clarification) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else None


def run(person: Person | None, wish: str = WISH) -> tuple[Trajectory, FakeComputer]:
    computer = contact()
    agent = Agent(computer, PlainPlanner(waits=()), guard=OpenGuard(), limits=QUICK, ask=person)
    agent.wordings = Known()
    return agent.run(wish).trajectory, computer


def test_the_choices_are_in_order_and_nothing_is_done() -> None:
    person = Person()
    trajectory, computer = run(person)
    (question,) = person.asked
    assert [one.text for one in question.choices][:2] == [f"{LEARNED} (learned)", COMMAND]
    assert question.choices[2].text.startswith("show") and question.choices[2].box is None
    assert question.splitlines()[-2] == "or a model"
    assert question.picture() is not None or question.choices[1].box is not None
    assert computer.performed == []
    assert trajectory.ending is not None and trajectory.ending.error == "NotUnderstood"
    reason = trajectory.ending.reason
    assert f"1 {LEARNED} (learned), 2 {COMMAND}, 3 show" in reason and reason.endswith("or a model")


def test_without_a_person_it_is_refused_with_the_same_choices() -> None:
    trajectory, computer = run(None)
    assert trajectory.ending is not None and computer.performed == []
    assert f"1 {LEARNED} (learned), 2 {COMMAND}, 3 show" in trajectory.ending.reason


@pytest.mark.parametrize(("answer", "kind"), [("1", "type"), ("2", "click"), (COMMAND, "click")])
def test_a_number_and_other_words_go_on(answer: str, kind: str) -> None:
    trajectory, computer = run(Person(answer, "yes"))
    assert [one.kind for one in computer.performed][:1] == [kind]
    (meant,) = [one for one in resolutions(trajectory.turns) if one.kind == "wording"]
    assert meant.step == WISH and meant.command in (LEARNED, COMMAND)
    assert trajectory.task.text == WISH


def test_what_is_no_answer_is_asked_again_and_then_no_more() -> None:
    person = Person("7", "hmm, I don't know", "")
    trajectory, computer = run(person)
    assert "There is no number 7." in person.asked[1]
    assert "is not understood either" in person.asked[2]
    assert len(person.asked) == 3 and computer.performed == []
    assert trajectory.ending is not None and trajectory.ending.kind == "not_done"


def test_what_was_not_recorded_counts_as_the_person_says() -> None:
    person = Person("show", "what?", "done")
    trajectory, _ = run(person)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done" and not trajectory.ending.verified
    assert trajectory.ending.reason.startswith("you say that it is done")
    assert [one.options[0] for one in person.asked] == ["a number", "done", "done"]


def test_stop_ends_it() -> None:
    for answers in (["stop"], ["show", "stop"]):
        trajectory, _ = run(Person(*answers))
        assert trajectory.ending is not None and trajectory.ending.kind == "not_done"


def test_a_step_may_be_shown() -> None:
    person = Person("show", "done")
    trajectory, _ = run(person, 'click "Sendd it off", click "Idle"')
    assert "show" in person.asked[0].options
    assert [one.kind for one in resolutions(trajectory.turns)][:1] == ["shown"]
