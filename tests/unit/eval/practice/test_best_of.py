"""The best of several runs: how often it is right, what it costs, and that the grade plays no part."""

from __future__ import annotations

from pathlib import Path

import doors
import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe
from guiagent_eval.cli.solver import setup
from guiagent_eval.records import Record
from guiagent_eval.schedule import Assignment
from guiagent_eval.statistics import wilson
from guiagent_eval.worker import Bench

from gui_agent.core.errors import ConfigError
from gui_agent.settings import Settings, override

EPISODES = 40


def evaluated(folder: Path, episodes: int = EPISODES, **how: object) -> list[Record]:
    doors.Coin.dice.seed(1)
    settings = override(Settings(), {"model": {"name": "doors:Coin"}, "guard": {"policy": "eval"}})
    recipe = Recipe("doors:Doors", str(folder), settings.model_dump(mode="json"), planner="model", **how)  # type: ignore[arg-type]
    recipe.check()
    bench = Bench(setup(recipe, Knowledge(recipe)))
    bench.open()
    told = [bench.run(Assignment(Case("open", seed))) for seed in range(episodes)]
    bench.close()
    return [one for one in told if isinstance(one, Record)]


@pytest.mark.nightly
def test_the_best_of_three_by_a_judge_is_right_as_often_as_any_of_three(tmp_path: Path) -> None:
    single = evaluated(tmp_path)
    best = evaluated(tmp_path, best_of=3, judge="doors:Watchman")
    for records, expected in ((single, 0.5), (best, 1 - 0.5**3)):
        found = wilson(sum(one.success for one in records), len(records))
        assert found.low < expected < found.high
    # Each run asks once, and the judge compares all three in one more question.
    assert {one.model_calls for one in single} == {1} and {one.model_calls for one in best} == {4}
    assert sum(one.tokens for one in best) >= 3 * sum(one.tokens for one in single)


@pytest.mark.nightly
def test_without_a_judge_the_grade_does_not_choose(tmp_path: Path) -> None:
    records = evaluated(tmp_path, best_of=3)
    found = wilson(sum(one.success for one in records), len(records))
    assert found.low < 0.5 < found.high


def test_the_trace_of_a_record_is_that_of_the_chosen_run(tmp_path: Path) -> None:
    for one in evaluated(tmp_path, 4, best_of=3, judge="doors:Watchman", trace="all"):
        assert one.trace == f"traces/open/{one.seed}.{one.details['chosen']}"
        assert one.actions[0].split('"')[1] in (tmp_path / one.trace / "steps.jsonl").read_text()


def test_a_judge_needs_something_to_choose_from(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--best-of"):
        evaluated(tmp_path, judge="doors:Watchman")
