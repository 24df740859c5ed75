"""The files that a run and its live view share: the state of the run, and the requests of the view.

Files serve a view in the same process as well as one that was opened in another, before or during the run.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any, Literal

from gui_agent.core.os_errors import private
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Step, Task, Trajectory, Turn
from gui_agent.elements.describe import describe, describe_step, printable

Wish = Literal["go", "pause", "stop"]
WISHES: tuple[Wish, ...] = ("go", "pause", "stop")
STATE, WISH = "run.json", "wish"
POLL = 0.1
SHOWN = 200
"""Steps that the view shows at most; the report has all."""


class Feed:
    """An Observer that writes down what happens, and holds or ends the run when the view asks for it."""

    def __init__(self, folder: Path) -> None:
        """Args: folder: private to this user; what an earlier run left there is removed."""
        self._folder = folder
        self._state: dict[str, Any] = {"task": "", "steps": [], "next": "", "state": "waiting", "ending": ""}
        (folder / WISH).unlink(missing_ok=True)
        self._write()

    def started(self, task: Task) -> None:
        """The run begins."""
        self._state |= {"task": shorten(printable(task.text), 400), "steps": [], "state": "running"}
        self._write()

    def decided(self, turn: Turn) -> None:
        """The next actions are known; here the run is held when it is asked for."""
        self._state["next"] = "; ".join(describe(planned.action) for planned in turn.decision.planned)
        self._write()
        self._obey()

    def stepped(self, step: Step) -> None:
        """A step was taken."""
        steps = self._state["steps"]
        steps.append(
            {
                "number": step.number,
                "text": describe_step(step),
                "how": step.outcome.kind,
                "what": shorten(printable(step.outcome.summary), 200),
            }
        )
        del steps[:-SHOWN]
        self._state["next"] = ""
        self._write()
        self._obey()

    def ended(self, trajectory: Trajectory) -> None:
        """The run is over."""
        ending = trajectory.ending
        told = f"{ending.kind}: {ending.reason}".rstrip(": ") if ending else ""
        self._state |= {"state": "ended", "ending": shorten(told, 400), "next": ""}
        self._write()

    def _obey(self) -> None:
        """Hold the run while the view wants it held.

        Raises:
            KeyboardInterrupt: the view wants it to end; it ends as by Ctrl+C.
        """
        held = False
        while (wish := wished(self._folder)) == "pause":
            if not held:
                held = True
                self._state["state"] = "paused"
                self._write()
            time.sleep(POLL)
        if wish == "stop":
            raise KeyboardInterrupt
        if held:
            self._state["state"] = "running"
            self._write()

    def _write(self) -> None:
        write(self._folder / STATE, json.dumps(self._state, ensure_ascii=False))


def state(folder: Path) -> dict[str, Any]:
    """What the run in a folder told last; empty when there was none."""
    with contextlib.suppress(OSError, ValueError):
        told: dict[str, Any] = json.loads((folder / STATE).read_text(encoding="utf-8"))
        return told
    return {}


def wish(folder: Path, what: Wish) -> None:
    """Ask the run in a folder to go on, to hold, or to end before its next action."""
    write(folder / WISH, what)


def wished(folder: Path) -> Wish:
    """What was asked last."""
    with contextlib.suppress(OSError):
        said = (folder / WISH).read_text(encoding="utf-8")
        return next((one for one in WISHES if one == said), "go")
    return "go"


def write(path: Path, text: str) -> None:
    """Replace a file at once, so that nobody reads half of it."""
    half = path.with_name(f"{path.name}.{os.getpid()}.new")
    with open(half, "w", encoding="utf-8", opener=private) as file:
        file.write(text)
    half.replace(path)
