"""Watches for the person whose screen the agent works on: a panic key, the mouse in a corner, moved mice."""

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
"""Seconds between two looks at the pointer."""
CORNER = 2
"""Pixels around a corner of the screen that count as the corner."""
FAR = 20
"""Pixels: an agent that was sent nearer than that to a corner may be there itself."""
SLACK = 2
"""Pixels by which programs and drivers may shift the pointer."""
ARRIVING = 0.2
"""Seconds within which a system tells where the pointer was put."""
CONNECTING = 10.0
"""Seconds within which the watch must have begun."""


def interrupt() -> None:
    """End what this process does as Ctrl+C does."""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)  # os.kill would end the process there
    else:
        os.kill(os.getpid(), signal.SIGINT)


class Ears(Protocol):
    """What a platform tells of the person; used by one thread alone, which also made it."""

    @property
    def was_pressed(self) -> bool:
        """Whether the panic key was pressed since the last time."""

    @property
    def pointer(self) -> Point: ...

    @property
    def corners(self) -> Sequence[tuple[int, int]]:
        """The corners of the screen as it is now."""

    def close(self) -> None: ...


class PersonWatch:
    """Stops the agent when the person says so; each check is for the moment before an input."""

    def __init__(
        self, listen: Callable[[], Ears], corner: bool, stop: Callable[[], None] = interrupt
    ) -> None:
        self._listen = listen
        self._corner = corner
        self._stop = stop
        self._sent: Point | None = None
        """Where the agent put the pointer last."""
        self._sent_at = 0.0
        self._away = False
        """Whether the pointer has been outside the corners: a mouse that was parked in one is no sign."""
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
        """The agent is about to put the pointer there."""
        self.check()
        self._sent, self._sent_at = point, time.monotonic()
        self._away = self._away or not any(_near(point.x, point.y, x, y, FAR) for x, y in self._corners)

    def check(self) -> None:
        if self._why:
            raise ComputerLost(f"the person stopped the agent: {self._why}")

    def check_pointer(self, pointer: Callable[[], Point]) -> None:
        """Let a press of a button pass when the pointer is where the agent put it, or soon comes there."""
        self.check()
        sent = self._sent
        looks = (pointer() for _ in turns(ARRIVING, POLL / 4, least=1))
        if sent is not None and not any(_near(now.x, now.y, sent.x, sent.y, SLACK) for now in looks):
            raise ActionFailed("somebody moved the mouse just before the click; it was not done, look again")

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
    """What is said of keys that cannot stop the agent."""
    return ConfigError(f"panic_key {panic}: name one key besides ctrl, alt and shift, such as ctrl+alt+q")


def keys_taken(panic: str) -> ConfigError:
    """What is said of keys that another program has."""
    return ConfigError(f"panic_key {panic} is taken by another program; set another one, or none")


def _near(x: int, y: int, there_x: int, there_y: int, pixels: int) -> bool:
    return abs(x - there_x) <= pixels and abs(y - there_y) <= pixels
