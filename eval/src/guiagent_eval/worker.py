"""The life of a worker: its benchmark, episode after episode, and its error reports."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from gui_agent.core.errors import BenchmarkError, ConfigError, GuiAgentError
from guiagent_eval.benchmark import Benchmark
from guiagent_eval.episodes import RunsCases, Setup, Solver, Watched, failure_record, run_episode
from guiagent_eval.live import LiveFile
from guiagent_eval.records import Record
from guiagent_eval.schedule import Assignment, Ready, WorkerFailure

Answer = Ready | Record | WorkerFailure
LEAVING = 5.0
"""Seconds that workers get to close their resources."""


class Bench:
    """A benchmark with its solver, set up for many episodes."""

    def __init__(self, setup: Setup, live: LiveFile | None = None) -> None:
        """Args: live: the file in which the worker reports its activity."""
        self._setup, self._live = setup, live
        self._parts: tuple[Benchmark, Solver] | None = None

    def open(self) -> Ready | WorkerFailure:
        """Start everything."""
        try:
            benchmark, solver = self._setup()
            self._parts = benchmark, solver
            if self._live is not None and isinstance(solver, Watched):
                solver.observers.append(self._live)
            benchmark.setup()
        except GuiAgentError as error:
            return WorkerFailure(str(error), isinstance(error, ConfigError))
        return Ready()

    def run(self, given: Assignment) -> Record | WorkerFailure:
        """Run one episode, and report its activity for a live view."""
        if self._live is None:
            return self._run(given)
        self._live.begin(given)
        told = self._run(given)
        self._live.finish(told if isinstance(told, Record) else None)
        return told

    def _run(self, given: Assignment) -> Record | WorkerFailure:
        """Run one episode, and restart the machinery for the next one if it fails."""
        assert self._parts is not None
        benchmark, solver = self._parts
        started = time.perf_counter()
        try:
            if isinstance(solver, RunsCases):
                return solver.run_case(benchmark, given.case, given.attempt)
            return run_episode(benchmark, solver, given.case, given.attempt)
        except ConfigError as error:
            return WorkerFailure(str(error), fix=True)
        except GuiAgentError as error:
            seconds = time.perf_counter() - started
            record = failure_record(given.case, "infrastructure", str(error), given.attempt, seconds)
        benchmark.teardown()
        with contextlib.suppress(BenchmarkError):  # The next episode reports it, if it still fails.
            benchmark.setup()
        return record

    def close(self) -> None:
        """Close everything."""
        if self._live is not None:
            self._live.close()
        if self._parts is not None:
            self._parts[0].teardown()


def work(pipe: Connection, setup: Setup, log: str) -> None:
    """Serve episodes until the parent stops it or is gone; errors of the program go to the file `log`."""
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if log:
        _write_to(Path(log))
    bench = Bench(setup, LiveFile(Path(log).parent.parent) if log else None)
    try:
        state = bench.open()
        if _say(pipe, state) and isinstance(state, Ready):
            _serve(pipe, bench.run)
    finally:
        bench.close()


def _serve(pipe: Connection, run: Callable[[Assignment], Record | WorkerFailure]) -> None:
    while True:
        try:
            given = pipe.recv()
        except (EOFError, OSError):
            return
        if given is None or not _say(pipe, run(given)):
            return


def _say(pipe: Connection, answer: Answer) -> bool:
    try:
        pipe.send(answer)
    except OSError:  # The parent is gone.
        return False
    return True


def _write_to(log: Path) -> None:
    """Redirect standard error, also of drivers and libraries, to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    sys.stderr.flush()
    os.dup2(file, 2)
    os.close(file)


def kill_group(process: BaseProcess, pipe: Connection) -> None:
    """Kill a worker with everything it has started: they share a group, which may outlive it."""
    if process.pid is not None and process.exitcode != 0:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.join(LEAVING)
    pipe.close()
