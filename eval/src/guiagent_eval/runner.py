"""Runs many episodes on several processes with a watchdog, so that no kill loses a finished episode."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import shorten
from guiagent_eval.benchmark import Case
from guiagent_eval.episodes import Setup, failure_record
from guiagent_eval.records import Record
from guiagent_eval.schedule import POLL, Assignment, Ready, RunLimits, Schedule, WorkerFailure
from guiagent_eval.worker import LEAVING, kill_group, work


def run_all(
    cases: Sequence[Case],
    setup: Setup,
    pace: RunLimits,
    keep: Callable[[Record], None],
    *,
    logs: Path | None = None,
) -> None:
    """Run all cases on this machine and hand every record to `keep`, in the order they finish.

    Workers that hang or die are replaced; a case that the machinery spoils is tried again and finally
    kept as an infrastructure failure. Ctrl+C leaves no process behind.

    Args:
        logs: folder for the workers' standard error.

    Raises:
        ConfigError: a worker found a setting that a person must correct.
        BenchmarkError: no worker can be started.
        BudgetSpent: the budget of the episodes is spent; the running ones were finished.
    """
    schedule = Schedule(cases, pace, keep)
    crew = _Crew(setup, pace, logs)
    try:
        crew.hire(min(pace.workers, len(cases)))
        while schedule.going:
            crew.give_work(schedule)
            ready = wait([worker.pipe for worker in crew.workers], timeout=POLL)
            for worker in list(crew.workers):
                for answer in worker.answers(worker.pipe in ready):
                    _take(answer, worker, schedule)
                if worker.gone:
                    crew.replace(worker)
        schedule.finish()
    finally:
        crew.dismiss()


def _take(answer: Ready | Record | WorkerFailure, worker: _Worker, schedule: Schedule) -> None:
    """Handle a worker's answer.

    Raises:
        ConfigError, BenchmarkError: the run cannot continue.
    """
    match answer:
        case Ready():
            schedule.started()
        case WorkerFailure(reason, fix=True):
            raise ConfigError(reason)
        case WorkerFailure(reason):
            if worker.given is not None:
                schedule.back(worker.given)
            schedule.did_not_start(reason)
        case Record():
            schedule.came(answer)


class _Crew:
    """The workers of a run."""

    def __init__(self, setup: Setup, pace: RunLimits, logs: Path | None) -> None:
        self._setup, self._pace, self._logs = setup, pace, logs
        self._hired = 0
        self.workers: list[_Worker] = []

    def hire(self, count: int = 1) -> None:
        """Start workers."""
        for _ in range(count):
            self._hired += 1
            log = str(self._logs / f"worker-{os.getpid()}-{self._hired}.log") if self._logs else ""
            self.workers.append(_Worker(self._setup, self._pace, log))

    def give_work(self, schedule: Schedule) -> None:
        """Give every idle worker a case, if there is one."""
        for worker in self.workers:
            if worker.given is None and (given := schedule.take(worker.task)) is not None:
                worker.give(given)

    def replace(self, worker: _Worker) -> None:
        """Kill a worker and start another one."""
        worker.kill()
        self.workers.remove(worker)
        self.hire()

    def dismiss(self) -> None:
        """Ask all to leave, wait a moment, kill those that remain."""
        for worker in self.workers:
            worker.ask_to_leave()
        deadline = time.monotonic() + LEAVING
        for worker in self.workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            worker.kill()


class _Worker:
    """A worker process as its parent sees it."""

    def __init__(self, setup: Setup, pace: RunLimits, log: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=work, args=(theirs, setup, log), daemon=False)
        self.process.start()
        theirs.close()
        self._pace, self._log = pace, log
        self._ready = False
        self._deadline = time.monotonic() + pace.start_seconds
        self.task = ""
        self.given: Assignment | None = None
        self.gone = False

    def give(self, given: Assignment) -> None:
        """Send a case; a worker that is still starting begins with it when it is ready."""
        self.given, self.task = given, given.case.task
        if self._ready:
            self._deadline = time.monotonic() + self._pace.episode_seconds
        with contextlib.suppress(OSError):  # The worker has died; the next look notices it.
            self.pipe.send(given)

    def answers(self, ready: bool) -> Iterator[Ready | Record | WorkerFailure]:
        """The worker's messages, if any: an answer, or that it has died or hangs."""
        if ready:
            try:
                answer: Ready | Record | WorkerFailure = self.pipe.recv()
            except (EOFError, OSError):
                self.process.join(LEAVING)
                yield from self._ended("died")
                return
            if isinstance(answer, Ready):
                self._ready = True
                self._deadline = time.monotonic() + self._pace.episode_seconds
            else:
                self.gone = isinstance(answer, WorkerFailure)
            yield answer
            if isinstance(answer, Record):
                self.given = None
        elif not self.process.is_alive():
            yield from self._ended("died")
        elif time.monotonic() > self._deadline and (self.given is not None or not self._ready):
            yield from self._ended("hung")

    def _ended(self, how: str) -> Iterator[Record | WorkerFailure]:
        """The consequence of the worker's end for its case."""
        self.gone = True
        if not self._ready:
            why = f"a worker {how} while it was starting{self._last_words()}"
            yield WorkerFailure(why)
        elif self.given is not None:
            given, self.given = self.given, None
            if how == "hung":
                reason = (
                    f"the episode took longer than {self._pace.episode_seconds:g} s and its worker was killed"
                )
                yield failure_record(given.case, "infrastructure", reason, given.attempt)
            elif self.process.exitcode == 1:  # A bug in the program, not a signal from outside.
                yield failure_record(given.case, "crashed", f"a fault{self._last_words()}", given.attempt)
            else:
                reason = f"the worker process died (exit code {self.process.exitcode})"
                yield failure_record(given.case, "infrastructure", reason, given.attempt)

    def _last_words(self) -> str:
        """The last line that the worker wrote to its log."""
        if not self._log or not Path(self._log).exists():
            return ""
        lines = Path(self._log).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return f": {shorten(lines[-1], 200)}" if lines else ""

    def ask_to_leave(self) -> None:
        """Tell the worker that there is no more work."""
        with contextlib.suppress(OSError):
            self.pipe.send(None)

    def kill(self) -> None:
        """Kill the worker and everything it has started."""
        kill_group(self.process, self.pipe)
