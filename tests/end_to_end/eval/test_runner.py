"""The runner with real worker processes that die, hang and fail on purpose."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from guiagent_eval.benchmark import Benchmark, Case, Episode, Grade
from guiagent_eval.episodes import Setup, Solver
from guiagent_eval.records import EvalFolder, Record, open_cases
from guiagent_eval.runner import run_all
from guiagent_eval.schedule import Queue, RunLimits

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.errors import BenchmarkError, BudgetSpent, ConfigError
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    give_up,
    screen,
    text,
    when,
)

PACE = RunLimits(workers=2, episode_seconds=20, attempts=2, start_seconds=120)


@dataclass
class ToyEpisode:
    computer: Computer
    task: Task
    fake: FakeComputer

    def end_reason(self) -> str:
        return ""

    def grade(self) -> Grade:
        won = self.fake.world.current == "won"
        return Grade(success=won, lenient=won, reward=float(won), raw=float(won), finished=won)


class ToyBenchmark:
    """Seeds decide the fate: even ones can be won; some tasks disturb the machinery once or always."""

    name = "toy"

    def __init__(self, marks: str) -> None:
        self.marks = Path(marks)

    def tasks(self, suite: str) -> Sequence[str]:
        return ("plain",)

    def setup(self) -> None: ...

    def teardown(self) -> None: ...

    @contextmanager
    def episode(self, case: Case) -> Iterator[ToyEpisode]:
        self._disturb(case)
        screens = {"start": screen(button("Win")), "won": screen(text("Well done"))}
        fake = FakeComputer(screens, [when("click", "Win", go="won")])
        yield ToyEpisode(fake, Task(f"win {case.seed}"), fake)

    def _disturb(self, case: Case) -> None:
        mark = self.marks / f"{case.task}-{case.seed}"
        first = not mark.exists()
        with mark.open("a") as file:
            file.write("x")
        if case.task == "dies-once" and first:
            os.kill(os.getpid(), signal.SIGKILL)
        if case.task == "hangs-once" and first:
            time.sleep(600)
        if case.task == "always-fails":
            raise BenchmarkError("the machine is on fire")


class ToySolver:
    """Wins the even seeds and gives up the odd ones; one task brings it down."""

    def prepare(self, case: Case) -> None: ...

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        if case.task == "is-a-bug":
            raise ZeroDivisionError("a bug in the planner")
        lines = (
            [do(Click(Words("Win"))), done()] if case.seed % 2 == 0 else [give_up("odd seeds are unknown")]
        )
        agent = Agent(episode.computer, ScriptedPlanner(lines), grounder=ExactGrounder(), guard=OpenGuard())
        return agent.run(episode.task).trajectory

    def file_record(self, record: Record) -> Record:
        return replace(record, cost=0.25)


def setup(marks: str) -> tuple[Benchmark, Solver]:
    return ToyBenchmark(marks), ToySolver()


def setup_that_fails(marks: str, fix: bool) -> tuple[Benchmark, Solver]:
    if fix:
        raise ConfigError("the planner has no option called x")
    raise BenchmarkError("the machine does not start")


def setup_that_dies(marks: str) -> tuple[Benchmark, Solver]:
    raise ZeroDivisionError("a bug while starting")


def ran(tmp_path: Path, cases: Sequence[Case], pace: RunLimits = PACE) -> list[Record]:
    records: list[Record] = []
    run_all(cases, functools.partial(setup, str(tmp_path)), pace, records.append)
    return sorted(records, key=lambda record: (record.task, record.seed))


def test_every_case_is_run_once_and_judged_by_the_benchmark(tmp_path: Path) -> None:
    records = ran(tmp_path, [Case("plain", seed) for seed in range(6)])
    assert [record.verdict for record in records] == ["success", "unknown"] * 3
    assert records[1].reason == "odd seeds are unknown"
    assert records[0].actions
    assert all((tmp_path / f"plain-{seed}").read_text() == "x" for seed in range(6))


@pytest.mark.nightly
def test_a_worker_that_dies_is_replaced_and_its_case_tried_again(tmp_path: Path) -> None:
    records = ran(tmp_path, [Case("dies-once", 2), Case("plain", 4)])
    assert [record.verdict for record in records] == ["success", "success"]
    assert records[0].attempt == 2


@pytest.mark.nightly
def test_a_worker_that_hangs_is_killed_and_its_case_tried_again(tmp_path: Path) -> None:
    pace = RunLimits(workers=1, episode_seconds=3, attempts=2, start_seconds=60)
    records = ran(tmp_path, [Case("hangs-once", 2)], pace)
    assert [(record.verdict, record.attempt) for record in records] == [("success", 2)]


def test_what_the_machinery_spoils_again_and_again_is_kept_apart(tmp_path: Path) -> None:
    records = ran(tmp_path, [Case("always-fails", 2), Case("plain", 2)])
    assert [record.verdict for record in records] == ["infrastructure", "success"]
    assert records[0].reason == "the machine is on fire"
    assert not records[0].is_counted


def test_a_run_whose_money_is_spent_begins_nothing_more_and_loses_nothing(tmp_path: Path) -> None:
    records: list[Record] = []
    cases = [Case("plain", seed) for seed in range(9)]
    pace = RunLimits(workers=2, episode_seconds=100, start_seconds=120, max_cost=1.0)
    with pytest.raises(BudgetSpent, match=r"cost \$1\.(00|25) and [45] are left; go on with .*--max-cost"):
        run_all(cases, functools.partial(setup, str(tmp_path)), pace, records.append)
    begun = sorted(int(path.name.removeprefix("plain-")) for path in tmp_path.iterdir())
    assert sorted(record.seed for record in records) == begun
    assert len(records) in (4, 5)


@pytest.mark.nightly
def test_an_agent_that_crashes_is_a_failure_that_counts(tmp_path: Path) -> None:
    records: list[Record] = []
    pace = RunLimits(workers=1, episode_seconds=20, attempts=2, start_seconds=30)
    cases = [Case("is-a-bug", 2), Case("plain", 2)]
    run_all(cases, functools.partial(setup, str(tmp_path)), pace, records.append, logs=tmp_path / "logs")
    crashed, fine = sorted(records, key=lambda record: record.task)
    assert (crashed.verdict, crashed.is_counted, crashed.attempt) == ("crashed", True, 2)
    assert crashed.reason == "a fault: ZeroDivisionError: a bug in the planner"
    assert fine.success


def test_a_setting_that_a_person_must_correct_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no option called x"):
        run_all([Case("plain", 2)], functools.partial(setup_that_fails, "", True), PACE, print)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (functools.partial(setup_that_fails, "", False), "the machine does not start"),
        (functools.partial(setup_that_dies, ""), "ZeroDivisionError: a bug while starting"),
    ],
)
def test_workers_that_cannot_start_end_the_run(tmp_path: Path, broken: Setup, why: str) -> None:
    pace = RunLimits(workers=1, start_seconds=30)
    with pytest.raises(BenchmarkError, match=f"no worker can start.*{why}"):
        run_all([Case("plain", 2)], broken, pace, print, logs=tmp_path / "logs")


def test_two_processes_cannot_write_the_same_run(tmp_path: Path) -> None:
    one = EvalFolder.create(tmp_path / "run", {})
    one.lock()
    with pytest.raises(ConfigError, match="written by another process"):
        EvalFolder(tmp_path / "run").lock()
    one.close()
    EvalFolder(tmp_path / "run").lock()


def test_a_killed_runner_is_resumed_without_repeating_or_losing_anything(tmp_path: Path) -> None:
    marks, folder = tmp_path / "marks", tmp_path / "run"
    marks.mkdir()
    cases = [Case("plain", seed) for seed in range(40)]
    script = (
        "import functools, sys; from pathlib import Path; sys.path.insert(0, sys.argv[3])\n"
        "from test_runner import *\n"
        "if __name__ == '__main__':\n"
        "    run = EvalFolder.create(Path(sys.argv[2]), {})\n"
        "    cases = [Case('plain', seed) for seed in range(40)]\n"
        "    run_all(cases, functools.partial(setup, sys.argv[1]), PACE, run.append)\n"
    )
    program = tmp_path / "program.py"
    program.write_text(script)
    here = str(Path(__file__).parent)
    process = subprocess.Popen([sys.executable, str(program), str(marks), str(folder), here])
    deadline = time.monotonic() + 200
    run = EvalFolder(folder)
    while len(run.records()) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait()
    with (folder / "episodes.jsonl").open("ab") as file:
        file.write(b'{"task": "plain", "se')  # what a kill in the middle of a write leaves
    before = run.records()
    assert 3 <= len(before) <= 40
    left = open_cases(cases, before)
    run_all(left, functools.partial(setup, str(marks)), PACE, run.append)
    after = EvalFolder(folder).records()
    assert sorted(record.seed for record in after) == list(range(40))
    assert after[: len(before)] == before
    repeated = [seed for seed in range(40) if len((marks / f"plain-{seed}").read_text()) > 1]
    assert not {record.seed for record in before} & set(repeated)


def test_a_worker_stays_with_its_task_while_there_is_more_of_it() -> None:
    queue = Queue([Case(task, seed) for task in ("a", "b") for seed in range(3)])
    first = queue.take("")
    assert first is not None
    order = [first.case.task]
    while (taken := queue.take(order[-1])) is not None:
        order.append(taken.case.task)
    assert order in (["a"] * 3 + ["b"] * 3, ["b"] * 3 + ["a"] * 3)
