"""What a run and its live view share: the state of the run as a file, and the requests of the view.

The file serves a view in the same process as well as one that was opened in another, before or during the
run. Requests go straight to the run or through a socket beside the file: what a person types stays off disks.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gui_agent.agent.limits import RunControl
from gui_agent.core.actions import (
    Action,
    Back,
    Button,
    Click,
    Drag,
    LongPress,
    Press,
    Scroll,
    Swipe,
    TypeText,
)
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Point, Size
from gui_agent.core.os_errors import replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import PERSON, Trajectory
from gui_agent.trace.events import Event, Events

STATE, SOCKET = "run.json", "requests"
SHOWN = 200
"""Steps that the view shows at most; the report has all."""
LARGEST = 1 << 14
"""Bytes of a request."""
WHEEL = 5_000
"""Pixels that one request may scroll."""
FINISHING = "finishing what is under way"
_HERE: dict[Path, queue.SimpleQueue[Any]] = {}
"""Requests to the runs of this process."""


class Feed(Events):
    """An Observer that writes down what happens, and steers the run as the person asks in the view."""

    def __init__(
        self,
        folder: Path,
        *,
        attended: bool = False,
        recorded: bool = False,
        phone: bool = False,
        replies: Callable[[str, str], None] | None = None,
    ) -> None:
        """
        Args:
            folder: private to this user; what an earlier run left there is removed.
            attended: whether somebody looks at the view, so that the run may wait for them.
            recorded: whether what they do there becomes a demonstration, which the page then says.
            phone: whether the screen is one for fingers, with a button to go back.
            replies: takes the person's answer to a question of the run, by the question's id.
        """
        super().__init__(self.happened)
        self._folder, self.attended, self._replies = folder, attended, replies
        self._state: dict[str, Any] = {"task": "", "steps": [], "next": "", "state": "waiting", "ending": ""}
        self._state |= {"said": "", "recorded": recorded, "phone": phone}
        self._asked = _HERE[folder.resolve()] = queue.SimpleQueue()
        self._socket = _listening(folder)
        self._write()

    def steer(self, control: RunControl) -> None:
        """This is the run that the view steers."""
        control.listen(self._obey)

    def ended(self, trajectory: Trajectory) -> None:
        """The run is over, and nobody listens any more."""
        super().ended(trajectory)
        self.close()

    def close(self) -> None:
        """Listen no more; safe to call twice."""
        _HERE.pop(self._folder.resolve(), None)
        if self._socket is not None:
            self._socket.close()
            (self._folder / SOCKET).unlink(missing_ok=True)

    def happened(self, event: Event) -> None:
        """Put an event into the state that the page shows."""
        state, said = self._state, shorten(event.text, 200)
        match event.kind:
            case "started":
                state |= {"task": shorten(event.text, 400), "steps": [], "state": "running"}
            case "decision":
                state["next"] = "; ".join(event.data["planned"])
                if event.data["planner"] == PERSON and event.data["thought"]:
                    state["said"] = f"you said: {said}"
            case "step":
                state["steps"] = [*state["steps"], event.as_dict()][-SHOWN:]
                state["next"] = ""
            case "said":
                state["said"] = said
            case "question":
                state["question"] = {"id": event.data.get("id", ""), "text": event.text, **event.data}
            case "answered":
                state["question"] = None
            case "ended":
                state |= {"state": "ended", "ending": shorten(event.text, 400), "next": "", "said": ""}
        self._write()

    def _obey(self, control: RunControl) -> None:
        for asked in self._requests():
            match asked.get("do"):
                case "pause":
                    control.pause()
                case "take":
                    control.take_over()
                case "go":
                    control.resume()
                case "stop":
                    control.stop()
                case "answer" if self._replies is not None:
                    with contextlib.suppress(ConfigError):
                        self._replies(str(asked.get("question")), str(asked.get("answer")))
                case "say" if isinstance(asked.get("text"), str):
                    control.tell(asked["text"])
                case _ if (action := action_of(asked, control.size)) is not None:
                    control.act(action)
        state = control.granted or "running"
        if self._state["state"] not in (state, "ended"):
            self._state["state"] = state
            self._write()
        elif control.held and not control.granted and self._state["said"] != FINISHING:
            self.told(FINISHING)

    def _requests(self) -> Iterator[Mapping[str, Any]]:
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._asked.get_nowait()
        with contextlib.suppress(OSError):
            while self._socket is not None:
                with contextlib.suppress(ValueError):
                    asked = parse_json(self._socket.recv(LARGEST))
                    if isinstance(asked, dict):
                        yield asked

    def _write(self) -> None:
        replace_file(self._folder / STATE, json.dumps(self._state, ensure_ascii=False).encode())


def state(folder: Path) -> dict[str, Any]:
    """What the run in a folder told last; empty when there was none."""
    with contextlib.suppress(OSError, ValueError):
        told: dict[str, Any] = parse_json((folder / STATE).read_text(encoding="utf-8"))
        return told
    return {}


def ask(folder: Path, request: Mapping[str, Any]) -> bool:
    """Ask the run in a folder for something; False when none listens there.

    Args:
        request: `do` is pause, go, stop, take, say (`text`), or an act of the person: click, drag, scroll
            (`x`, `y` as shares of the picture), type (`text`), press (`keys`).
    """
    here = _HERE.get(folder.resolve())
    if here is not None:
        here.put(dict(request))
        return True
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, _address(folder) as address:
            sender.sendto(json.dumps(request).encode(), address)
    except (OSError, AttributeError):
        return False
    return True


def action_of(asked: Mapping[str, Any], size: Size) -> Action | None:
    """An act of the person as an action; None when it is none."""

    def point(across: str = "x", down: str = "y") -> Point:
        x, y = float(asked[across]), float(asked[down])
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise ValueError(across)
        return Point(min(int(x * size.width), size.width - 1), min(int(y * size.height), size.height - 1))

    def pixels(name: str) -> int:
        number = float(asked.get(name, 0))
        return max(-WHEEL, min(WHEEL, round(number))) if math.isfinite(number) else 0

    buttons: dict[object, Button] = {"left": "left", "middle": "middle", "right": "right"}
    try:
        match asked["do"]:
            case "click":
                return Click(point(), buttons[asked.get("button", "left")], 2 if asked.get("twice") else 1)
            case "hold":
                return LongPress(point())
            case "swipe":
                return Swipe(point(), point("to_x", "to_y"))
            case "back":
                return Back()
            case "drag":
                return Drag(point(), point("to_x", "to_y"))
            case "scroll":
                return Scroll(point(), pixels("down"), pixels("right"))
            case "type" if isinstance(asked["text"], str) and asked["text"]:
                return TypeText(asked["text"])
            case "press" if asked["keys"] and all(isinstance(key, str) for key in asked["keys"]):
                return Press(tuple(asked["keys"]))
    except (KeyError, TypeError, ValueError):
        pass
    return None


@contextlib.contextmanager
def _address(folder: Path) -> Iterator[str]:
    """The address of a folder's socket; a long path is gone round, as addresses are short."""
    path = folder / SOCKET
    if len(os.fsencode(path)) < 100:
        yield str(path)
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{handle}/{SOCKET}"
    finally:
        os.close(handle)


def _listening(folder: Path) -> socket.socket | None:
    """A socket for the requests of other processes, where the system has such."""
    try:
        (folder / SOCKET).unlink(missing_ok=True)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    except (OSError, AttributeError):
        return None
    try:
        made.setblocking(False)
        with _address(folder) as address:
            made.bind(address)
        (folder / SOCKET).chmod(0o600)
    except OSError:
        made.close()
        return None
    return made
