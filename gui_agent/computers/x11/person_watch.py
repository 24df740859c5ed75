"""Watches for the person whose screen the agent works on: a panic key, the mouse in a corner, moved mice."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable

from Xlib import XK, X, error

from gui_agent.computers.x11.connection import Connection
from gui_agent.computers.x11.keyboard import X_NAMES
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.geometry import Point
from gui_agent.core.keys import chord

POLL = 0.04
"""Seconds between two looks at the pointer."""
CORNER = 2
"""Pixels around a corner of the screen that count as the corner."""
FAR = 20
"""Pixels: an agent that was sent nearer than that to a corner may be there itself."""
SLACK = 2
"""Pixels by which programs and drivers may shift the pointer."""
MASKS = {"ctrl": X.ControlMask, "alt": X.Mod1Mask, "shift": X.ShiftMask, "meta": X.Mod4Mask}
LOCKS = (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask)
"""Caps Lock and Num Lock make no difference to a panic key."""


def interrupt() -> None:
    """End what this process does as Ctrl+C does."""
    os.kill(os.getpid(), signal.SIGINT)


class PersonWatch:
    """Stops the agent when the person says so; each check is for the moment before an input."""

    def __init__(self, display: str, panic: str, corner: bool, stop: Callable[[], None] = interrupt) -> None:
        """Begin to watch.

        Args:
            panic: keys that stop the agent, such as `ctrl+alt+q`; empty for none.
            corner: whether the mouse moved into a corner of the screen by hand stops it.
            stop: called once, from the watching thread.

        Raises:
            ConfigError: another program has taken the panic key.
            ComputerLost: the display is gone.
        """
        self._connection = Connection(display)
        self._corner = corner
        self._stop = stop
        self._sent: Point | None = None
        """Where the agent put the pointer last."""
        self._away = False
        """Whether the pointer has been outside the corners: a mouse that was parked in one is no sign."""
        self._why = ""
        self._closed = threading.Event()
        if panic:
            self._grab(panic)
        whole = self._connection.root.get_geometry()
        self._corners = [(x, y) for x in (0, whole.width - 1) for y in (0, whole.height - 1)]
        with self._connection.use():
            self._in_corner()
        self._thread = threading.Thread(target=self._watch, name="gui_agent.person", daemon=True)
        self._thread.start()

    def sent(self, point: Point) -> None:
        """The agent is about to put the pointer there."""
        self.check()
        self._sent = point
        self._away = self._away or not any(_near(point.x, point.y, x, y, FAR) for x, y in self._corners)

    def check(self) -> None:
        """Let an input pass.

        Raises:
            ComputerLost: the person has stopped the agent.
        """
        if self._why:
            raise ComputerLost(f"the person stopped the agent: {self._why}")

    def check_pointer(self, pointer: Point) -> None:
        """Let a press of a button pass when the pointer is where the agent put it.

        Raises:
            ActionFailed: somebody moved the mouse meanwhile.
            ComputerLost: the person has stopped the agent.
        """
        self.check()
        sent = self._sent
        if sent and max(abs(pointer.x - sent.x), abs(pointer.y - sent.y)) > SLACK:
            raise ActionFailed("somebody moved the mouse just before the click; it was not done, look again")

    def close(self) -> None:
        """End watching; safe to call twice."""
        self._closed.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(1)
        self._connection.close()

    def _grab(self, panic: str) -> None:
        names = chord((panic,))
        mask = 0
        for name in names:
            mask |= MASKS.get(name, 0)
        key = next((name for name in names if name not in MASKS), "")
        symbol = XK.string_to_keysym(X_NAMES.get(key, key))
        code = self._connection.display.keysym_to_keycode(symbol) if key else 0
        if not code:
            raise ConfigError(
                f"panic_key {panic}: name one key besides ctrl, alt and shift, such as ctrl+alt+q"
            )
        taken = error.CatchError(error.BadAccess)
        with self._connection.use():
            for locks in LOCKS:
                self._connection.root.grab_key(
                    code, mask | locks, True, X.GrabModeAsync, X.GrabModeAsync, onerror=taken
                )
            self._connection.display.sync()
        if taken.get_error():
            self._connection.close()
            raise ConfigError(f"panic_key {panic} is taken by another program; set another one, or none")

    def _watch(self) -> None:
        with contextlib.suppress(ComputerLost):
            while not self._closed.wait(POLL):
                with self._connection.use():
                    why = self._pressed() or self._in_corner()
                if why:
                    self._why = why
                    self._stop()
                    return

    def _pressed(self) -> str:
        display = self._connection.display
        while display.pending_events():
            if display.next_event().type == X.KeyPress:
                return "the panic key was pressed"
        return ""

    def _in_corner(self) -> str:
        if not self._corner:
            return ""
        found, sent = self._connection.root.query_pointer(), self._sent
        near = [(x, y) for x, y in self._corners if _near(found.root_x, found.root_y, x, y, CORNER)]
        if not near:
            self._away = True
        elif self._away and (sent is None or not _near(sent.x, sent.y, *near[0], FAR)):
            return "the mouse was moved into a corner of the screen"
        return ""


def _near(x: int, y: int, there_x: int, there_y: int, pixels: int) -> bool:
    return abs(x - there_x) <= pixels and abs(y - there_y) <= pixels
