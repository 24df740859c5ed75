"""Looking ahead on real pages: what the judge is shown, what forks leave behind, and the figures' script."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.miniwob import miniwob
from guiagent_eval.miniwob import MiniWob, MiniWobEpisode

from gui_agent.computers.environment import for_children
from gui_agent.core.errors import ConfigError

BENCH = Path(__file__).parents[3] / "eval/bench"
CASES = [Case(task, seed) for task in ("login-user", "click-checkboxes") for seed in (1, 2, 3)]
SECRET = "the-reward-is-0.73"


class Telling(MiniWob):
    """Pages whose ending says the reward, and which count how often they are graded."""

    graded = 0

    @contextmanager
    def episode(self, case: Case) -> Iterator[MiniWobEpisode]:
        with super().episode(case) as episode:
            ended, grade = episode.end_reason, episode.grade

            def counted() -> Any:
                Telling.graded += 1
                return grade()

            episode.end_reason = lambda: ended() and SECRET  # type: ignore[method-assign]
            episode.grade = counted  # type: ignore[method-assign]
            yield episode


class Changing(MiniWob):
    """Pages whose forks are of another instance."""

    def fork(self, case: Case) -> AbstractContextManager[MiniWobEpisode]:
        return super().fork(Case(case.task, case.seed + 100))


@pytest.fixture
def chances(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    import bench_chances

    bench_chances.Judge.asked.clear()
    return bench_chances


AHEAD = {"look_ahead": 3, "judge": "bench_chances:Judge"}


def test_the_best_decision_of_each_screen_is_done_and_no_judge_is_told_the_reward(chances: Any) -> None:
    Telling.graded = 0
    records = chances.measure(AHEAD, 0.6, 1.0, CASES, f"{__name__}:Telling")
    assert all(one.success and SECRET in one.reason for one in records)
    assert Telling.graded == len(CASES)
    details = [one.details for one in records]
    assert sum(one["forks"] for one in details) > len(CASES) and not any(
        one["failed_forks"] for one in details
    )
    # Each decision takes three calls, and one of the judge where they differ.
    asked = chances.Judge.asked
    assert sum(one.model_calls for one in records) == 3 * sum(one.decisions for one in records) + len(asked)
    ended = [text for text in asked if "lick button" in text]
    assert ended and all("No run is finished" in text for text in asked)
    told = "\n".join(asked).casefold()
    assert SECRET not in told and "reward" not in told and "the benchmark" not in told


def test_where_no_fork_shows_the_screen_the_first_decision_is_done(chances: Any) -> None:
    records = chances.measure(AHEAD, 0.6, 1.0, CASES, f"{__name__}:Changing")
    details = [one.details for one in records]
    assert sum(one["failed_forks"] for one in details) == sum(one["forks"] for one in details) > 0
    assert not chances.Judge.asked
    assert all(one.model_calls == 3 * one.decisions for one in records)


def test_own_pages_are_not_forked(tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("<p>Mine</p>")
    model = ["--planner", "model", "--model", "a:B", "--judge", "a:B"]
    given = ["--pages", str(tmp_path), *model, "--look-ahead", "2"]
    done = CliRunner().invoke(miniwob, [*given, "--out", str(tmp_path / "out"), "--quiet"])
    assert isinstance(done.exception, ConfigError) and "--look-ahead 2: it is not known" in str(
        done.exception
    )


def test_the_script_of_the_figures_prints_a_row_for_each_way() -> None:
    given = ["--episodes", "1", "--tasks", "login-user", "--chances", "1", "--json"]
    done = subprocess.run(
        [sys.executable, str(BENCH / "bench_chances.py"), *given],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=for_children(),
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["calls"] for row in rows] == [3, 9, 10, 9] and {row["forks"] for row in rows} == {0}
    assert all(row["solved"]["value"] == 1 for row in rows)
