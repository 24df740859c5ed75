"""Watches for the user of the shared screen: a panic key, the mouse in a corner, a moved mouse."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from gui_agent.core.deadline import turns
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.keys import MODIFIERS, chord
from gui_agent.core.observation import Point

POLL = 0.04
"""Seconds between two checks of the pointer."""
CORNER = 2
"""Pixels around a corner of the screen that count as the corner."""
FAR = 20
"""Minimum distance (px) of the agent's target from a corner for a corner to count as the user's sign."""
SLACK = 2
"""Pixels by which programs and drivers may shift the pointer."""
ARRIVING = 0.2
"""Maximum seconds for the system to report a new pointer position."""
CONNECTING = 10.0
"""Maximum seconds for the watch to start."""


def interrupt() -> None:
    """Interrupt this process as Ctrl+C does."""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)  # os.kill would end the process on Windows
    else:
        os.kill(os.getpid(), signal.SIGINT)


class Ears(Protocol):
    """What a platform reports about the user; created and used by a single thread."""

    @property
    def was_pressed(self) -> bool:
        """Whether the panic key was pressed since the last call."""

    @property
    def pointer(self) -> Point: ...

    @property
    def corners(self) -> Sequence[tuple[int, int]]:
        """The current corners of the screen."""

    def close(self) -> None: ...


class PersonWatch:
    """Stops the agent when the user asks for it; each check belongs just before an input."""

    def __init__(
        self, listen: Callable[[], Ears], corner: bool, stop: Callable[[], None] = interrupt
    ) -> None:
        self._listen = listen
        self._corner = corner
        self._stop = stop
        self._sent: Point | None = None
        """Where the agent last moved the pointer."""
        self._sent_at = 0.0
        self._away = False
        """Whether the pointer has left the corners: a mouse parked in one is not a sign."""
        self._why = ""
        self._corners: Sequence[tuple[int, int]] = ()
        self._failed: Exception | None = None
        self._ready, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="gui_agent.person", daemon=True)
        self._thread.start()
        self._ready.wait(CONNECTING)
        if self._failed is not None:
            raise self._failed

    def note_sent(self, point: Point) -> None:
        """Note that the agent is about to move the pointer there."""
        self.check()
        self._sent, self._sent_at = point, time.monotonic()
        self._away = self._away or not any(_near(point.x, point.y, x, y, FAR) for x, y in self._corners)

    def check(self) -> None:
        if self._why:
            raise ComputerLost(f"the user stopped the agent: {self._why}")

    def check_pointer(self, pointer: Callable[[], Point]) -> None:
        """Let a button press pass if the pointer is where the agent moved it, or arrives there soon."""
        self.check()
        sent = self._sent
        looks = (pointer() for _ in turns(ARRIVING, POLL / 4, least=1))
        if sent is not None and not any(_near(now.x, now.y, sent.x, sent.y, SLACK) for now in looks):
            raise ActionFailed("the mouse was moved just before the click, which was cancelled; look again")

    def close(self) -> None:
        self._closed.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(1)

    def _watch(self) -> None:
        try:
            ears = self._listen()
        except (ConfigError, ComputerLost) as error:
            self._failed = error
            self._ready.set()
            return
        try:
            self._in_corner(ears)
            self._ready.set()
            while not self._closed.wait(POLL):
                self._why = "the panic key was pressed" if ears.was_pressed else self._in_corner(ears)
                if self._why:
                    self._stop()
                    return
        except ComputerLost:
            return  # the run notices this by itself
        finally:
            self._ready.set()
            ears.close()

    def _in_corner(self, ears: Ears) -> str:
        if not self._corner:
            return ""
        self._corners = ears.corners
        found, sent = ears.pointer, self._sent
        near = [(x, y) for x, y in self._corners if _near(found.x, found.y, x, y, CORNER)]
        if not near:
            self._away = True
        elif time.monotonic() - self._sent_at < ARRIVING:
            return ""  # where it was before the agent moved it
        elif self._away and (sent is None or not _near(sent.x, sent.y, *near[0], FAR)):
            return "the mouse was moved into a corner of the screen"
        return ""


def panic_keys(panic: str) -> tuple[str, tuple[str, ...]]:
    names = chord((panic,))
    keys = [name for name in names if name not in MODIFIERS]
    if len(keys) != 1:
        raise no_panic_key(panic)
    return keys[0], tuple(name for name in names if name in MODIFIERS)


def no_panic_key(panic: str) -> ConfigError:
    """The error for keys that cannot stop the agent."""
    return ConfigError(f"panic_key {panic}: add one key to ctrl, alt and shift, such as ctrl+alt+q")


def keys_taken(panic: str) -> ConfigError:
    """The error for keys that another program has registered."""
    return ConfigError(f"panic_key {panic} is taken by another program; set another one, or none")


def _near(x: int, y: int, there_x: int, there_y: int, pixels: int) -> bool:
    return abs(x - there_x) <= pixels and abs(y - there_y) <= pixels
