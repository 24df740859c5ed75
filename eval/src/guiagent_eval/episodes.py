"""Runs one episode: opens it, lets the agent work, asks the benchmark for the grade, makes a record."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from gui_agent.core.actions import Action, Wait
from gui_agent.core.errors import BenchmarkError
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Closing, Settled
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.elements.describe import describe
from guiagent_eval.benchmark import Benchmark, Case, Episode, Grade
from guiagent_eval.records import Record, Verdict


class Solver(Protocol):
    """Works on episodes with an agent; a subclass needs `solve` only."""

    def prepare(self, case: Case) -> None:
        """Prepare for an episode that is about to begin; its time does not run yet."""
        return

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Work on one episode until the agent stops."""

    def file_record(self, record: Record) -> Record:
        """The record once the ending is known, with its trace if one is kept."""
        return record


@runtime_checkable
class HearsEnding(Protocol):
    """An episode whose grade depends on the agent's ending."""

    def ended(self, trajectory: Trajectory) -> None:
        """Receive the trajectory of the ended run."""


@runtime_checkable
class Phased(Protocol):
    """An episode of several parts, each of which is a task for the agent on the same screen."""

    def advance(self, trajectory: Trajectory) -> bool:
        """Start the next part; returns whether there is one.

        Raises:
            BenchmarkError: the part cannot be set up.
        """


class EpisodePerson(Protocol):
    """The person in an episode, who speaks, is asked, and answers the guard; an observer of the run."""

    asked: list[tuple[str, str]]
    """Questions with their answers."""

    def ask(self, question: str) -> str | None:
        """Answer a planner's question."""

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        """Answer the guard."""


@runtime_checkable
class Peopled(Protocol):
    """An episode with a person."""

    person: EpisodePerson | None
    policy: str
    """The guard's rules while the person is there."""


@runtime_checkable
class Watched(Protocol):
    """A solver whose runs can be watched."""

    observers: list[object]


@runtime_checkable
class RunsCases(Protocol):
    """A solver that runs the episodes of a case by itself, such as one that takes the best of several."""

    def run_case(self, benchmark: Benchmark, case: Case, attempt: int) -> Record:
        """The record of a case; raises like `run_episode`."""


Setup = Callable[[], tuple[Benchmark, Solver]]
"""Builds what a worker needs; must be picklable, because workers are processes."""


def run_episode(benchmark: Benchmark, solver: Solver, case: Case, attempt: int = 1) -> Record:
    """Run one episode from start to grade.

    Raises:
        BenchmarkError: the benchmark's own machinery failed; the episode does not count.
    """
    solver.prepare(case)
    started = time.perf_counter()
    with benchmark.episode(case) as episode:
        trajectory = solver.solve(episode, case)
        while isinstance(episode, Phased) and _going(trajectory) and episode.advance(trajectory):
            before, trajectory = trajectory, solver.solve(episode, case)
            trajectory = replace(trajectory, task=before.task, turns=(*before.turns, *trajectory.turns))
        if trajectory.ending is not None and trajectory.ending.kind == "lost":
            raise BenchmarkError(f"{case}: {trajectory.ending.reason}")
        if isinstance(episode, HearsEnding):
            episode.ended(trajectory)
        grade = episode.grade()
    ending = trajectory.ending
    return solver.file_record(
        Record(
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
            model_calls=trajectory.model_calls,
            seconds=round(time.perf_counter() - started, 4),
            attempt=attempt,
            split=split(trajectory),
            details=grade.details,
            asked=len(episode.person.asked) if isinstance(episode, Peopled) and episode.person else 0,
            actions=tuple(describe(step.planned.action, step.found) for step in trajectory.steps),
        )
    )


def _going(trajectory: Trajectory) -> bool:
    """Whether the agent ended by itself, after which a person may ask for more."""
    return trajectory.ending is not None and trajectory.ending.kind in ("done", "not_done", "limit")


def verdict(trajectory: Trajectory, grade: Grade) -> Verdict:
    """The class of an ending: the benchmark decides what is right, and an unverified run is no success."""
    ending = trajectory.ending
    if grade.success:
        return "success" if ending is None or ending.verified else "unverified"
    kind = ending.kind if ending else "crashed"
    if kind in ("refused", "crashed"):
        return kind
    if kind == "done":
        return "unsaved" if grade.unsaved and trajectory.steps else "wrong"
    if grade.timed_out or kind == "limit":
        return "limit"
    # The benchmark ended the episode without success: the agent did something wrong, said so or not.
    return "wrong" if grade.finished else "unknown"


PARTS = {"observe": "see", "act": "act", "settle": "wait"}
"""The classes of a step's parts; the others, such as grounding, are thinking."""


def split(trajectory: Trajectory) -> dict[str, float]:
    """Seconds of a run by class: see, think, act, wait."""
    found = dict.fromkeys(("see", "think", "act", "wait"), 0.0)
    for turn in trajectory.turns:
        found["think"] += turn.seconds
        for step in turn.steps:
            for part, seconds in step.seconds.items():
                waited = isinstance(step.planned.action, Wait)
                found["wait" if waited and part != "observe" else PARTS.get(part, "think")] += seconds
    return {part: round(seconds, 3) for part, seconds in found.items()}


def failure_record(case: Case, verdict: Verdict, error: str, attempt: int, seconds: float = 0.0) -> Record:
    """The record of an episode that did not reach its end."""
    return Record(case.task, case.seed, verdict, reason=error, attempt=attempt, seconds=round(seconds, 4))


TIMED_OUT = "timed out"
"""The reason that benchmarks give when they end an episode because its time is over."""


class WatchedComputer(Closing):
    """The computer of an episode, which stops the agent when the benchmark ends the episode.

    It asks once the screen has come to rest after an action, before the agent looks for effects that a
    finished page no longer shows.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._computer = episode.computer
        self.stop: Callable[[Ending], None] = lambda ending: None

    @property
    def platform(self) -> str:
        return self._computer.platform

    def observe(self, *, picture: bool = True) -> Observation:
        """Observe like the computer."""
        return self._computer.observe(picture=picture)

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Perform like the computer."""
        self._computer.perform(action, expected)

    def settle(self) -> Settled:
        """Settle like the computer; then ask the benchmark."""
        settled = self._computer.settle()
        end = self._episode.end_reason()
        if end:
            reason = f"the benchmark ended the episode: {end}"
            self.stop(Ending("limit" if end == TIMED_OUT else "stopped", reason))
        return settled

    def start(self, where: str) -> None:
        """Start like the computer."""
        self._computer.start(where)

    def __getattr__(self, name: str) -> Any:
        """Optional methods of the computer, such as holding the requests of pages."""
        return getattr(self._computer, name)

    def close(self) -> None:
        """Does nothing: the benchmark closes its computer."""
