"""Chooses the next case, and retries spoiled ones, the same for every engine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gui_agent.core.errors import BenchmarkError, BudgetSpent
from guiagent_eval.benchmark import Case
from guiagent_eval.records import Record

FALSE_STARTS = 3
"""Number of workers in a row that may fail to start before the run ends."""
POLL = 0.5
"""Seconds between two looks of the watchdog."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The speed and the limits of a run."""

    workers: int = 1
    episode_seconds: float = 120.0
    """Maximum wall-clock seconds of one episode, after which its worker is killed."""
    attempts: int = 3
    """Number of tries at an episode that the machinery spoils."""
    start_seconds: float = 60.0
    """Maximum seconds of a worker's start, with its browser or machine."""
    max_cost: float = 0.0
    """Dollars after which no further episode begins; 0 sets no limit."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A case with the number of its attempt."""

    case: Case
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker has started its resources."""


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """A worker cannot continue: `fix` if a person must change a setting, else its machinery failed."""

    reason: str
    fix: bool = False


class Queue:
    """Cases waiting to run. A worker gets more of the task it has loaded before another one."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._waiting: dict[str, deque[Assignment]] = {}
        for case in cases:
            self.put(Assignment(case))

    def put(self, given: Assignment) -> None:
        """Add a case."""
        self._waiting.setdefault(given.case.task, deque()).append(given)

    def take(self, last_task: str) -> Assignment | None:
        """The next case for a worker that has just worked on `last_task`; None if there is none."""
        if not self._waiting:
            return None
        group = last_task.partition(".")[0]  # application.task: the application is running already
        near = [name for name in self._waiting if name.partition(".")[0] == group]
        most = max(near or self._waiting, key=lambda name: len(self._waiting[name]))
        task = last_task if last_task in self._waiting else most
        given = self._waiting[task].popleft()
        if not self._waiting[task]:
            del self._waiting[task]
        return given


class Schedule:
    """The cases of a run: waiting, tried again, or kept."""

    def __init__(self, cases: Iterable[Case], pace: RunLimits, keep: Callable[[Record], None]) -> None:
        cases = tuple(cases)
        self._queue = Queue(cases)
        self._pace = pace
        self._keep = keep
        self._false_starts = 0
        self._out = 0
        self._cost = 0.0
        self.remaining = len(cases)
        """Cases without a final record."""

    @property
    def going(self) -> bool:
        """Whether there is anything to wait for."""
        return self.remaining > 0 and (self._out > 0 or not self._is_spent)

    def take(self, last_task: str) -> Assignment | None:
        """The next case for a worker; None if there is nothing to do at the moment."""
        given = None if self._is_spent else self._queue.take(last_task)
        self._out += given is not None
        return given

    def back(self, given: Assignment) -> None:
        """Take back a case that was given out and not begun."""
        self._out -= 1
        self._queue.put(given)

    def finish(self) -> None:
        """Check that no work is left.

        Raises:
            BudgetSpent: cases are left because the money is spent.
        """
        if self.remaining:
            raise BudgetSpent(
                f"the episodes have cost ${self._cost:.2f} and {self.remaining} are left; "
                "go on with `guiagent eval resume` and a larger --max-cost"
            )

    def came(self, record: Record) -> None:
        """Keep a record, or try its case again if the machinery spoiled it or the agent crashed."""
        self._out -= 1
        self._cost += record.cost
        if record.verdict in ("infrastructure", "crashed") and record.attempt < self._pace.attempts:
            self._queue.put(Assignment(record.case, record.attempt + 1))
            return
        self._keep(record)
        self.remaining -= 1

    @property
    def _is_spent(self) -> bool:
        return 0 < self._pace.max_cost <= self._cost

    def started(self) -> None:
        """A worker has started."""
        self._false_starts = 0

    def did_not_start(self, reason: str) -> None:
        """A worker has failed before it could do anything.

        Raises:
            BenchmarkError: too many have, one after the other.
        """
        self._false_starts += 1
        if self._false_starts >= FALSE_STARTS:
            raise BenchmarkError(f"no worker can start: {reason}; fix it, then `guiagent eval resume`")
