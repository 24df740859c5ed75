"""Running one episode: open it, let the agent work, ask the benchmark, make a record of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from gui_agent.core.errors import BenchmarkError
from gui_agent.core.sentences import describe
from gui_agent.core.trajectory import Trajectory
from gui_agent.eval.benchmark import Benchmark, Case, Episode, Grade
from gui_agent.eval.records import Record, Verdict


class Solver(Protocol):
    """Works on one episode; returns what it did and the folder of the trace, if it kept one."""

    def __call__(self, episode: Episode, case: Case) -> tuple[Trajectory, str]: ...


Setup = Callable[[], tuple[Benchmark, Solver]]
"""Builds what a worker needs; must be picklable, because workers are processes."""


def run_episode(benchmark: Benchmark, solver: Solver, case: Case, attempt: int = 1) -> Record:
    """Run one episode from start to grade.

    Raises:
        BenchmarkError: the benchmark's own machinery failed; the episode does not count.
    """
    started = time.perf_counter()
    with benchmark.episode(case) as episode:
        trajectory, trace = solver(episode, case)
        if trajectory.ending is not None and trajectory.ending.kind == "lost":
            raise BenchmarkError(f"{case}: {trajectory.ending.reason}")
        grade = episode.grade()
    ending = trajectory.ending
    return Record(
        task=case.task,
        seed=case.seed,
        verdict=verdict(trajectory, grade),
        instruction=trajectory.task.text,
        lenient=grade.lenient,
        reward=grade.reward,
        raw=grade.raw,
        ending=ending.kind if ending else "",
        reason=(ending.reason if ending else "") or grade.reason,
        steps=len(trajectory.steps),
        decisions=len(trajectory.turns),
        model_calls=sum(turn.decision.calls for turn in trajectory.turns),
        seconds=round(time.perf_counter() - started, 4),
        attempt=attempt,
        trace=trace,
        actions=tuple(describe(step.planned.action, step.found) for step in trajectory.steps),
    )


def verdict(trajectory: Trajectory, grade: Grade) -> Verdict:
    """The class of an ending. The benchmark alone says what a success is, whatever the agent said."""
    if grade.success:
        return "success"
    kind = trajectory.ending.kind if trajectory.ending else "crashed"
    if kind == "done" or (grade.finished and kind != "refused"):
        # The page counted an ending that was not right: the agent did something wrong, said so or not.
        return "wrong"
    if kind == "limit":
        return "limit"
    return "refused" if kind == "refused" else "unknown"


def failed(case: Case, error: str, attempt: int, seconds: float = 0.0) -> Record:
    """The record of an episode that the machinery spoiled."""
    return Record(case.task, case.seed, "infrastructure", reason=error, attempt=attempt, seconds=seconds)
