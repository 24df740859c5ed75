"""Planners in a row: who decides, what the next one is told, and what is not handed on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.errors import ConfigError, ModelUnavailable
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.cascade import CascadePlanner
from gui_agent.planners.commands import PlainPlanner
from gui_agent.testing import (
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    field,
    give_up,
    screen,
    text,
    when,
)

TASK = 'type "Ada" into "Name", click "Next"'


def computer() -> FakeComputer:
    form = screen(field("Name"), button("Continue"))
    return FakeComputer(
        {"form": form, "next": screen(text("Step two"))}, [when("click", "Continue", go="next")]
    )


def run(planner: Planner, task: str = TASK, *, forbidden: Sequence[str] = ()) -> Trajectory:
    limits = Limits(patience=0.0)
    return (
        Agent(computer(), planner, guard=OpenGuard(forbidden), limits=limits, picture=False)
        .run(task)
        .trajectory
    )


def ended(trajectory: Trajectory) -> str:
    assert trajectory.ending is not None
    return trajectory.ending.kind


def test_the_next_planner_takes_over_where_the_first_gives_up() -> None:
    second = ScriptedPlanner([do(Click(Words("Continue"))), done("Step two")])
    trajectory = run(CascadePlanner([PlainPlanner(waits=(0.0,)), second]))
    assert ended(trajectory) == "done"
    deciders = [turn.decision.planner for turn in trajectory.turns if turn.steps or turn.decision.end]
    assert list(dict.fromkeys(deciders)) == ["plain", "scripted"]
    assert len(second.situations) == 2
    for situation in second.situations:
        assert situation.advice[0].startswith("The plain planner gave up: ")
        assert '"Next"' in situation.advice[0]


def test_a_planner_that_manages_is_left_alone() -> None:
    second = ScriptedPlanner([])
    assert (
        ended(run(CascadePlanner([PlainPlanner(), second]), 'type "Ada" into "Name", click "Continue"'))
        == "done"
    )
    assert second.situations == []


def test_the_last_reason_is_the_reason_of_the_run() -> None:
    trajectory = run(CascadePlanner([ScriptedPlanner([]), ScriptedPlanner([give_up("beyond me")])]))
    assert ended(trajectory) == "not_done"
    assert trajectory.ending is not None
    assert trajectory.ending.reason == "beyond me"


def test_a_refusal_is_not_handed_on() -> None:
    def refused(situation: Situation) -> object:
        return give_up("it was refused")

    first = ScriptedPlanner([do(Click(Words("Continue"))), refused])  # type: ignore[list-item]
    second = ScriptedPlanner([do(Click(Words("Continue"))), done()])
    trajectory = run(CascadePlanner([first, second]), forbidden=["Continue"])
    assert ended(trajectory) == "refused"
    assert second.situations == []


def test_what_the_first_still_meant_to_do_is_told() -> None:
    class Careful(ScriptedPlanner):
        name = "careful"

        def remaining(self, situation: Situation) -> list[str]:
            return ["Click Next.", "Read the total."]

    second = ScriptedPlanner([done()])
    run(CascadePlanner([Careful([give_up("no Next")]), second]))
    assert second.situations[0].advice == (
        "The careful planner gave up: no Next",
        "Its remaining steps: 1. Click Next. 2. Read the total.",
    )


def test_each_planner_gets_its_own_bookmarks_back() -> None:
    class Counting:
        name = "counting"

        def __init__(self) -> None:
            self.read: list[str] = []

        def decide(self, situation: Situation) -> object:
            from dataclasses import replace

            self.read.append(situation.turns[-1].decision.bookmark if situation.turns else "")
            if len(self.read) == 3:
                return done()
            return replace(do(TypeText("x", Words("Name"))), bookmark=f"mark {len(self.read)}")

    inner = Counting()
    run(CascadePlanner([CascadePlanner([inner]), ScriptedPlanner([])]))  # type: ignore[list-item]
    assert inner.read == ["", "mark 1", "mark 2"]


def test_three_in_a_row_collect_their_reasons() -> None:
    last = ScriptedPlanner([done()])
    run(CascadePlanner([ScriptedPlanner([give_up("one")]), ScriptedPlanner([give_up("two")]), last]))
    assert [line.rpartition(": ")[2] for line in last.situations[0].advice] == ["one", "two"]


def test_a_service_that_is_down_ends_the_run_as_such() -> None:
    down = ScriptedPlanner([ModelUnavailable("the service does not answer")])
    assert ended(run(CascadePlanner([ScriptedPlanner([]), down]))) == "lost"


def test_a_cascade_needs_a_planner() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        CascadePlanner([])


def test_the_next_planner_is_told_which_commands_are_left() -> None:
    second = ScriptedPlanner([done()])
    run(CascadePlanner([PlainPlanner(waits=(0.0,)), second]))
    assert 'Its remaining steps: 1. click "Next".' in " ".join(second.situations[0].advice)


def test_a_task_cannot_be_done_only_when_all_planners_say_so() -> None:
    assert CascadePlanner([PlainPlanner(), PlainPlanner()]).cannot_do(Task("think of something"))
    assert not CascadePlanner([PlainPlanner(), PlainPlanner()]).cannot_do(Task(TASK))
    assert not CascadePlanner([PlainPlanner(), ScriptedPlanner([])]).cannot_do(Task("think of something"))
