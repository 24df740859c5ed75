"""The current state of each worker of a run, in one small file per worker, for a live view."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Step, Turn
from gui_agent.elements.describe import describe_step
from guiagent_eval.records import EvalFolder, Record
from guiagent_eval.schedule import Assignment

LIVE = "live"
"""Folder in a run's folder."""
LONGEST = 70
"""Maximum characters of a worker's current activity."""


@dataclass(slots=True)
class WorkerState:
    """A worker's report on itself."""

    pid: int
    task: str = ""
    """The task with its seed; empty between two episodes."""
    attempt: int = 1
    began: float = 0.0
    """The start of the episode, in seconds since 1970."""
    steps: int = 0
    doing: str = "starting"
    episodes: int = 0
    """Number of finished episodes."""

    @property
    def alive(self) -> bool:
        """Whether the process still exists."""
        return Path(f"/proc/{self.pid}").exists() or not Path("/proc").exists()


class LiveFile:
    """A file written by a worker, an observer of its runs. Failed writes are ignored."""

    def __init__(self, folder: Path, name: str = "") -> None:
        """Args: name: of the worker, if another process writes for it."""
        self._path = folder / LIVE / f"{name or os.getpid()}.json"
        self.state = WorkerState(os.getpid())
        self._write()

    def begin(self, given: Assignment, doing: str = "setting up") -> None:
        """An episode begins."""
        self.state.task, self.state.attempt = str(given.case), given.attempt
        self.state.began, self.state.steps = time.time(), 0
        self._doing(doing)

    def decided(self, turn: Turn) -> None:
        """The planner has decided."""
        self._doing(turn.decision.thought or "looking")

    def stepped(self, step: Step) -> None:
        """A step was taken."""
        self.state.steps += 1
        self._doing(describe_step(step))

    def ended(self, told: object) -> None:
        """The agent has ended, and its work is graded."""
        self._doing("being graded")

    def finish(self, record: Record | None) -> None:
        """The episode is over."""
        self.state.task, self.state.episodes = "", self.state.episodes + 1
        self._doing(f"{record.case}: {record.verdict}" if record is not None else "broken")

    def close(self) -> None:
        """The worker leaves."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def _doing(self, what: str) -> None:
        self.state.doing = shorten(what, LONGEST)
        self._write()

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(asdict(self.state)).encode())


def workers(run: EvalFolder) -> Iterator[WorkerState]:
    """The reports of a run's live workers."""
    for path in sorted((run.folder / LIVE).glob("*.json")):
        with contextlib.suppress(OSError, ValueError, TypeError):
            told: dict[str, Any] = parse_json(path.read_text(encoding="utf-8"))
            state = WorkerState(**told)
            if state.alive:
                yield state


def under_way(run: EvalFolder) -> bool:
    """Whether a process currently adds episodes to a run."""
    try:
        run.lock()
    except ConfigError:
        return True
    run.close()
    return False
