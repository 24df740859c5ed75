"""Every post-condition of a run, decided on the screens after each step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn_one
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.procedures.runtime.verification import verify
from gui_agent.testing import (
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    field,
    screen,
    text,
    when,
)


def computer(answer: str = "Saved") -> FakeComputer:
    form = screen(field("Name"), button("Save"))
    return FakeComputer({"form": form, "saved": screen(text(answer))}, [when("click", "Save", go="saved")])


def agent(planner: object, answer: str = "Saved") -> Agent:
    limits = Limits(patience=0.0)
    return Agent(computer(answer), planner, guard=OpenGuard(), limits=limits, picture=False)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def program() -> Program:
    lines = [do(TypeText("Ada", Words("Name"), replace=True)), do(Click(Words("Save"))), done()]
    return learn_one([from_trajectory(agent(ScriptedPlanner(lines)).run("Save Ada").trajectory)])


def replay(program: Program, answer: str = "Saved") -> Trajectory:
    return agent(DemonstrationPlanner([program]), answer).run("Save Grace").trajectory


def test_all_that_was_shown_holds_again_with_new_values(program: Program) -> None:
    steps = verify([program], replay(program))
    assert [step.has_passed for step in steps] == [True, True]
    assert [one.text for one in steps[0].expectations] == ['textbox "Name" holds "Grace"']
    assert '"Saved" is shown' in [one.text for one in steps[1].expectations]
    assert steps[0].sentence.startswith('Type "Grace"')


def test_what_does_not_come_is_named(program: Program) -> None:
    steps = verify([program], replay(program, answer="The disk is full"))
    assert [step.has_passed for step in steps] == [True, False]
    assert [one.text for one in steps[1].expectations if one.held is False] == ['"Saved" is shown']


def test_a_step_that_failed_and_then_went_well_does_not_count(program: Program) -> None:
    whole = replay(program)
    turn = whole.turns[0]
    failed = replace(turn.steps[0], outcome=replace(turn.steps[0].outcome, kind="failed", summary="Stale"))
    tried = replace(whole, turns=(replace(turn, steps=(failed,)), *whole.turns))
    assert all(step.has_passed for step in verify([program], tried))
    given_up = replace(tried, ending=Ending("not_done", "Stale"))
    assert not verify([program], given_up)[0].has_passed
