"""The current state of each worker of a run, in one small file per worker, for a live view.

Beside it lies the worker's last picture, which is taken only while a page is open that shows it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.observation import Observation
from gui_agent.core.os_errors import replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.protocols import Computer
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Step, Turn
from gui_agent.elements.describe import describe_step
from guiagent_eval.records import EvalFolder, Record
from guiagent_eval.schedule import Assignment

if TYPE_CHECKING:
    from PIL.Image import Image

LIVE = "live"
"""Folder in a run's folder."""
WATCHED = "watched"
"""File in it whose time says when a page last asked for the pictures."""
WATCHING, BETWEEN = 10.0, 0.5
"""Seconds for which such a request counts, and between two pictures."""
WIDEST = 800
"""Longest side of a picture in pixels."""
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
        return self.pid > 0 and (Path(f"/proc/{self.pid}").exists() or not Path("/proc").exists())


class LiveFile:
    """A file written by a worker, an observer of its runs. Failed writes are ignored."""

    def __init__(self, folder: Path, name: str = "") -> None:
        """Args: name: of the worker, if another process writes for it."""
        self._path = folder / LIVE / f"{name or os.getpid()}.json"
        self.state = WorkerState(os.getpid())
        self._grab: Callable[[], Image] | None = None
        self._pictured = 0.0
        self._write()

    def begin(self, given: Assignment, doing: str = "setting up") -> None:
        """An episode begins."""
        self.state.task, self.state.attempt = str(given.case), given.attempt
        self.state.began, self.state.steps = time.time(), 0
        self._grab = None
        self._doing(doing)

    def look_at(self, computer: Computer) -> None:
        """Take the pictures of this episode from its computer, if that can be captured beside the agent."""
        from gui_agent.integrations.runs import grabber

        with contextlib.suppress(ConfigError):
            self._grab = grabber(computer)

    def decided(self, turn: Turn) -> None:
        """The planner has decided."""
        self._doing(turn.decision.thought or "looking")
        self._take(turn.observation)

    def stepped(self, step: Step) -> None:
        """A step was taken."""
        self.state.steps += 1
        self._doing(describe_step(step))
        self._take(step.after)

    def ended(self, told: object) -> None:
        """The agent has ended, and its work is graded."""
        self._doing("being graded")

    def finish(self, record: Record | None) -> None:
        """The episode is over."""
        self.state.task, self.state.episodes = "", self.state.episodes + 1
        self._doing(f"{record.case}: {record.verdict}" if record is not None else "broken")

    def close(self) -> None:
        """The worker leaves; its last state and picture stay, for a page of the finished run."""
        self.state.pid = 0
        self._write()

    def _doing(self, what: str) -> None:
        self.state.doing = shorten(what, LONGEST)
        self._write()

    def _take(self, seen: Observation) -> None:
        """Keep a picture while someone watches: the agent's own, else a capture beside it."""
        now = time.monotonic()
        with contextlib.suppress(OSError, GuiAgentError):
            asked = (self._path.parent / WATCHED).stat().st_mtime
            if now - self._pictured < BETWEEN or time.time() - asked > WATCHING:
                return
            if (picture := _picture_of(seen) or (self._grab() if self._grab else None)) is None:
                return
            self._pictured = now
            picture = picture.convert("RGB")  # A copy, because the computer may keep its own.
            picture.thumbnail((WIDEST, WIDEST))
            sink = io.BytesIO()
            picture.save(sink, "JPEG", quality=75)
            replace_file(self._path.with_suffix(".jpg"), sink.getvalue())

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(asdict(self.state)).encode())


def _picture_of(seen: Observation) -> Image | None:
    from PIL import Image

    return Image.open(io.BytesIO(seen.screenshot.data)) if seen.screenshot else None


def reports(run: EvalFolder) -> Iterator[tuple[str, WorkerState]]:
    """The last reports of all workers of a run, also of those that have left, by the worker's name."""
    for path in sorted((run.folder / LIVE).glob("*.json")):
        with contextlib.suppress(OSError, ValueError, TypeError):
            told: dict[str, Any] = parse_json(path.read_text(encoding="utf-8"))
            yield path.stem, WorkerState(**told)


def workers(run: EvalFolder) -> Iterator[WorkerState]:
    """The reports of a run's live workers."""
    return (state for _, state in reports(run) if state.alive)


def under_way(run: EvalFolder) -> bool:
    """Whether a process currently adds episodes to a run."""
    try:
        run.lock()
    except ConfigError:
        return True
    run.close()
    return False
