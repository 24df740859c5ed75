"""The interface between a benchmark and the runner."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import STRICT, Observation
from gui_agent.core.protocols import Computer
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Task
from guiagent_eval.content import content


@dataclass(frozen=True, slots=True)
class Case:
    """One unit of measurement: a task of the benchmark with the seed of its instance."""

    task: str
    seed: int
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def __str__(self) -> str:
        return f"{self.task}/{self.seed}"


@dataclass(frozen=True, slots=True)
class Grade:
    """The benchmark's verdict on a finished episode."""

    success: bool
    """Whether the whole task was done, nothing else, and in time."""
    lenient: bool = False
    """Success as some published figures count it: any positive reward."""
    reward: float = 0.0
    """The benchmark's own reward, with its discounts."""
    raw: float = 0.0
    """The reward before any discount."""
    finished: bool = False
    """Whether the benchmark itself saw the end of the episode."""
    unsaved: bool = False
    """Whether the files that the benchmark checks did not change since the beginning."""
    timed_out: bool = False
    """Whether the benchmark ended the episode because the time was over."""
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's other results, such as checkpoints."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


class Episode(Protocol):
    """One instance of a task, ready to be worked on."""

    computer: Computer
    task: Task

    def end_reason(self) -> str:
        """Why the benchmark itself has ended the episode; empty while it continues. Asked after every step.

        Raises:
            BenchmarkError: the benchmark's own machinery failed.
        """

    def grade(self) -> Grade:
        """The benchmark's grade of the episode; called once, when the agent has stopped.

        Raises:
            BenchmarkError: the benchmark's own machinery failed.
        """


class Benchmark(Protocol):
    """A set of tasks with a way to start and grade them. One object per worker process."""

    name: str

    def tasks(self, suite: str) -> Sequence[str]:
        """The tasks of a suite.

        Raises:
            ConfigError: there is no such suite.
        """

    def setup(self) -> None:
        """Start the resources that all episodes share, such as a browser.

        Raises:
            BenchmarkError: it cannot be started.
        """

    def episode(self, case: Case) -> AbstractContextManager[Episode]:
        """Open one episode; it shows nothing of an earlier one.

        Raises:
            BenchmarkError: the episode cannot be started.
        """

    def teardown(self) -> None:
        """Release all resources; safe to call twice."""


@runtime_checkable
class Forks(Protocol):
    """A benchmark whose episodes are worlds of their own.

    A second episode of a case shows the same as the first, and what is done in it has no effect outside.
    """

    def fork(self, case: Case) -> AbstractContextManager[Episode]:
        """Open an episode from its beginning once more, beside the one that is open; it is never graded.

        Raises:
            BenchmarkError: it cannot be started.
        """


@dataclass(frozen=True, slots=True)
class Needs:
    """The resources of one worker on its machine."""

    cpus: float = 1.0
    memory: int = 0
    """Bytes; 0 if the memory is negligible."""
    guests: int = 0
    """Guests of its own; a machine's resource `guest` says how many it can run."""


ONE = Needs()


def needs_of(benchmark: object) -> Needs:
    """The needs of a benchmark's worker: its method `needs` gives them, else one processor."""
    ask = getattr(benchmark, "needs", Needs)
    told: Needs = ask()
    return told


@dataclass(frozen=True, slots=True)
class Suite:
    """A named list of tasks."""

    name: str
    description: str
    tasks: tuple[str, ...]


def suites(benchmark: str) -> tuple[Suite, ...]:
    """All suites of a benchmark, by name.

    Raises:
        ConfigError: this copy has none.
    """
    folder = content(benchmark)
    found = []
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found.append(Suite(path.stem, str(table.get("description", "")), tuple(table["tasks"])))
    return tuple(found)


def suite_tasks(benchmark: str, suite: str) -> tuple[str, ...]:
    """The tasks named in `eval/<benchmark>/<suite>.toml`.

    Raises:
        ConfigError: there is no such suite; the message names the existing ones.
    """
    known = {one.name: one.tasks for one in suites(benchmark)}
    if suite not in known:
        raise ConfigError(f"{benchmark} has no suite {suite!r}{suggestion(suite, known)}")
    return known[suite]


def check_benchmark(make: Callable[[], Benchmark], suite: str = "all", seed: int = 0) -> None:
    """Check that a benchmark lists its tasks, opens and grades each, and describes it the same for one seed.

    Raises:
        AssertionError: a promise is broken; the message says which.
    """
    benchmark = make()
    assert benchmark.name, "a benchmark has a name"
    tasks = list(benchmark.tasks(suite))
    assert tasks and len(set(tasks)) == len(tasks), f"the suite {suite} has no tasks, or one twice: {tasks}"
    try:
        benchmark.tasks("no-such-suite-anywhere")
    except ConfigError as error:
        assert "\n" not in str(error), "an error is one line"
    else:
        raise AssertionError("a suite that does not exist was accepted")
    benchmark.setup()
    try:
        for name in tasks[:3]:
            texts = []
            for _ in range(2):
                with benchmark.episode(Case(name, seed)) as episode:
                    texts.append(episode.task)
                    assert episode.task.text, f"{name} has no instruction"
                    assert isinstance(episode.computer.observe(picture=False), Observation)
                    assert episode.end_reason() == "", f"{name} was over before anything was done"
                    grade = episode.grade()
                    assert not grade.success, f"{name} counts as done although nothing was done"
            assert texts[0] == texts[1], f"{name} differs between two openings with the same seed"
    finally:
        benchmark.teardown()
        benchmark.teardown()
