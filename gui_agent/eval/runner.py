"""Many episodes on several processes, with a watchdog; whatever is killed, nothing finished is lost."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from gui_agent.core.errors import BenchmarkError, GuiAgentError
from gui_agent.eval.benchmark import Benchmark, Case
from gui_agent.eval.episodes import Setup, Solver, failed, run_episode
from gui_agent.eval.records import Record

POLL = 0.5
"""Seconds between two looks of the watchdog."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run is spread and guarded."""

    workers: int = 1
    episode_seconds: float = 120.0
    """Wall clock of one episode, after which its worker is killed."""
    attempts: int = 3
    """Tries at an episode that the machinery spoils."""
    start_seconds: float = 60.0
    """Time a worker may take to start its browser or machine."""


class Queue:
    """Cases waiting to be run. A worker gets more of the task it has loaded before another one."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._waiting: dict[str, deque[tuple[Case, int]]] = {}
        for case in cases:
            self.put(case, 1)

    def put(self, case: Case, attempt: int) -> None:
        """Add a case for its so-manieth attempt."""
        self._waiting.setdefault(case.task, deque()).append((case, attempt))

    def take(self, last_task: str) -> tuple[Case, int] | None:
        """The next case for a worker that has just worked on `last_task`; None when there is none."""
        if not self._waiting:
            return None
        task = (
            last_task
            if last_task in self._waiting
            else max(self._waiting, key=lambda t: len(self._waiting[t]))
        )
        case = self._waiting[task].popleft()
        if not self._waiting[task]:
            del self._waiting[task]
        return case


class _Worker:
    """A worker process as its parent sees it."""

    def __init__(self, setup: Setup, pace: Pace) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=work, args=(theirs, setup), daemon=False)
        self.process.start()
        theirs.close()
        self._pace = pace
        self.task = ""
        self.busy: tuple[Case, int] | None = None
        self.deadline = time.monotonic() + pace.start_seconds

    def give(self, work_: tuple[Case, int]) -> None:
        """Send a case to the worker."""
        self.busy, self.task = work_, work_[0].task
        extra = self._pace.start_seconds if self.deadline else 0.0
        self.deadline = time.monotonic() + self._pace.episode_seconds + extra
        self.pipe.send(work_)

    def end(self) -> None:
        """Ask the worker to leave, or kill it with all it has started."""
        if self.process.is_alive():
            with contextlib.suppress(OSError):
                self.pipe.send(None)
            self.process.join(5)
        self.kill()

    def kill(self) -> None:
        """Kill the worker and its browser: they share a process group."""
        if self.process.pid is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self.process.kill()
        self.process.join(5)
        self.pipe.close()


def run_all(cases: Sequence[Case], setup: Setup, pace: Pace, keep: Callable[[Record], None]) -> None:
    """Run all cases on this machine and hand every record to `keep`, in the order they finish.

    Workers that hang or die are replaced; a case that the machinery spoils is tried again and at last
    kept as an infrastructure failure. Ctrl+C leaves no process behind.
    """
    queue, workers = Queue(cases), [_Worker(setup, pace) for _ in range(min(pace.workers, len(cases)))]
    left = len(cases)
    try:
        while left:
            for worker in workers:
                if worker.busy is None and (next_case := queue.take(worker.task)) is not None:
                    worker.give(next_case)
            ready = wait([worker.pipe for worker in workers if worker.busy], timeout=POLL)
            for place, worker in enumerate(workers):
                if worker.busy is None:
                    continue
                record, alive = _result(worker, worker.pipe in ready)
                if not alive:
                    worker.kill()
                    workers[place] = _Worker(setup, pace)
                if record is None:
                    continue
                if record.counted or record.attempt >= pace.attempts:
                    keep(record)
                    left -= 1
                else:
                    queue.put(record.case, record.attempt + 1)
    finally:
        for worker in workers:
            worker.end()


def _result(worker: _Worker, ready: bool) -> tuple[Record | None, bool]:
    """What came of the case a worker has, if anything yet, and whether the worker can go on."""
    assert worker.busy is not None
    case, attempt = worker.busy
    if ready:
        worker.busy = None
        try:
            record = worker.pipe.recv()
            worker.deadline = 0.0
            assert isinstance(record, Record)
            return record, True
        except (EOFError, OSError):
            return failed(case, "the worker process died", attempt), False
    if not worker.process.is_alive():
        worker.busy = None
        return failed(case, "the worker process died", attempt), False
    if time.monotonic() > worker.deadline:
        worker.busy = None
        return failed(case, "the episode hung and its worker was killed", attempt), False
    return None, True


def work(pipe: Connection, setup: Setup) -> None:
    """The life of a worker process: episodes until the parent says stop, or is gone."""
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    benchmark, solver = setup()
    try:
        benchmark.setup()
        while True:
            try:
                message = pipe.recv()
            except (EOFError, OSError):
                return
            if message is None:
                return
            case, attempt = message
            pipe.send(_guarded(benchmark, solver, case, attempt))
    finally:
        benchmark.teardown()


def _guarded(benchmark: Benchmark, solver: Solver, case: Case, attempt: int) -> Record:
    """One episode; when the machinery fails, it is started anew for the next one."""
    started = time.perf_counter()
    try:
        return run_episode(benchmark, solver, case, attempt)
    except (BenchmarkError, GuiAgentError) as error:
        benchmark.teardown()
        benchmark.setup()
        return failed(case, str(error), attempt, time.perf_counter() - started)
