"""Looking ahead: decisions that differ are tried in forks, and of equal ones none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import doors
import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe
from guiagent_eval.cli.solver import setup
from guiagent_eval.practice.look_ahead import LookAhead
from guiagent_eval.records import Record
from guiagent_eval.schedule import Assignment, WorkerFailure
from guiagent_eval.statistics import wilson
from guiagent_eval.worker import Bench

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.actions import Click
from gui_agent.core.dialogue import Reply, Request, Traits, Usage
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Planned, ToolUse
from gui_agent.settings import Settings, override

EPISODES = 24


def evaluated(
    folder: Path, benchmark: str = "doors:ForkedDoors", judge: str = "doors:Watchman", **how: Any
) -> list[Record | WorkerFailure]:
    doors.Coin.dice.seed(1)
    settings = override(Settings(), {"model": {"name": "doors:Coin"}, "guard": {"policy": "eval"}})
    sections = settings.model_dump(mode="json")
    recipe = Recipe(
        benchmark, str(folder), sections, judge=judge, **{"planner": "model", "look_ahead": 3, **how}
    )
    recipe.check()
    bench = Bench(setup(recipe, Knowledge(recipe)))
    opened = bench.open()
    if isinstance(opened, WorkerFailure):
        return [opened]
    told = [bench.run(Assignment(Case("open", seed))) for seed in range(EPISODES)]
    bench.close()
    return told


def records_of(folder: Path, **how: Any) -> list[Record]:
    return [one for one in evaluated(folder, **how) if isinstance(one, Record)]


def test_it_is_right_where_one_of_three_is_and_forks_only_what_differs(tmp_path: Path) -> None:
    records = records_of(tmp_path)
    assert len(records) == EPISODES
    found = wilson(sum(one.success for one in records), EPISODES)
    assert found.low < 1 - 0.5**3 < found.high
    # A coin has two sides: of three throws none is forked, or two are, and then the judge is asked once.
    costs = {(one.details["forks"], one.model_calls) for one in records}
    assert costs == {(0, 3), (2, 4)}
    assert all(one.success for one in records if one.details["forks"])
    assert {one.steps for one in records} == {1}  # what forks did is not in the run


def test_a_state_that_does_not_come_back_is_not_judged_and_the_first_decision_is_taken(
    tmp_path: Path,
) -> None:
    told = records_of(tmp_path, options={"elsewhere": True})
    doors.Coin.dice.seed(1)
    throws = [doors.Coin.dice.choice((True, False)) for _ in range(3 * EPISODES)]
    assert [one.success for one in told] == throws[::3]
    for place, one in enumerate(told):
        differ = len({*throws[3 * place : 3 * place + 3]}) > 1
        assert (one.details["forks"], one.details["failed_forks"], one.model_calls) == (differ, differ, 3)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"best_of": 3}, "--best-of"),
        ({"options": {"pages": "mine"}}, "--pages"),
        ({"planner": "plain"}, "asks no model"),
        ({"look_ahead": 1}, "--judge"),
        ({"judge": ""}, "--judge"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path: Path, how: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        evaluated(tmp_path, **how)


def test_a_benchmark_without_forks_is_refused(tmp_path: Path) -> None:
    (told,) = evaluated(tmp_path, "doors:Doors")
    assert isinstance(told, WorkerFailure) and told.fix and "doors has no forks" in told.reason


class Scripted:
    """Makes these decisions, and keeps the situations in which it was asked."""

    name = "scripted"

    def __init__(self, *decisions: Decision | BadReply) -> None:
        self._decisions, self.asked = list(decisions), list[Situation]()

    def decide(self, situation: Situation) -> Decision:
        self.asked.append(situation)
        decision = self._decisions.pop(0)
        if isinstance(decision, BadReply):
            raise decision
        return decision


class Keen:
    """A judge that likes the second run, and keeps what it was asked."""

    name = "keen"
    traits = Traits()
    asked: ClassVar[list[str]] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(doors.words_of(request))
        return Reply("Difference: the answer.\nBEST: 2", usage=Usage(read=10, wrote=2))


def ahead_of(planner: Scripted) -> tuple[LookAhead, Situation]:
    """A look-ahead with this planner, and the situation in front of the doors."""
    benchmark, case = doors.ForkedDoors(), Case("open", 1)
    with benchmark.episode(case) as episode:
        seen = Situation(episode.task, episode.computer.observe(), guard=PolicyGuard.default())
    fork, judge = partial(benchmark.fork, case), f"{__name__}:Keen"
    Keen.asked.clear()
    return LookAhead(planner, 3, fork, Settings(), ScreenGrounder(), judge), seen  # type: ignore[arg-type]


def looking(planner: Scripted) -> Decision:
    """The decision after looking ahead."""
    ahead, seen = ahead_of(planner)
    return ahead.decide(seen)


def test_what_tools_did_is_done_once() -> None:
    used = Decision(called=(ToolUse("write_file()", "Done."),), calls=1)
    planner = Scripted(used)
    assert looking(planner) == used and len(planner.asked) == 1
    # Further decisions are asked for without a guard, so that tools with an effect are refused.
    planner = Scripted(Decision(calls=1), used, BadReply("unreadable", calls=2))
    assert looking(planner) == Decision(calls=4)
    assert [one.guard is None for one in planner.asked] == [False, True, True]


def test_an_end_is_compared_without_a_fork_and_giving_up_comes_last() -> None:
    act = Decision(planned=(Planned(Click(Words("Ash"))),), calls=1)
    done = Decision(end=Finish("It is open."), calls=1)
    assert looking(Scripted(done, act, act)) == replace(act, calls=4)
    (told,) = Keen.asked
    assert "Its answer" in told and "It is open." in told and '1. Click button "Ash"' in told
    given_up = [Decision(end=GiveUp(reason), calls=1) for reason in ("No key.", "There is no key.")]
    assert looking(Scripted(*given_up, act)) == replace(act, calls=3) and not Keen.asked


def test_the_judge_and_the_forks_are_in_the_record() -> None:
    acts = [Decision(planned=(Planned(Click(Words(name))),)) for name in ("Ash", "Birch", "Cedar")]
    ahead, seen = ahead_of(Scripted(*acts))
    ahead.decide(seen)
    record = ahead.add_costs(Record("open", 1, "success", tokens=100, details={"mine": 1}))
    assert record.tokens == 112
    assert record.details == {"mine": 1, "look_ahead": 3, "forks": 3, "failed_forks": 0}
