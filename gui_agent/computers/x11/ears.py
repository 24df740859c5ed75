"""What an X display tells of the person in front of it, for the watch that stops the agent."""

from __future__ import annotations

from collections.abc import Sequence

from Xlib import XK, X, error

from gui_agent.computers.desktop.person_watch import no_panic_key, panic_keys, taken
from gui_agent.computers.x11.connection import Connection
from gui_agent.computers.x11.keyboard import X_NAMES
from gui_agent.core.geometry import Point

MASKS = {"ctrl": X.ControlMask, "alt": X.Mod1Mask, "shift": X.ShiftMask, "meta": X.Mod4Mask}
LOCKS = (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask)
"""Caps Lock and Num Lock make no difference to a panic key."""


class X11Ears:
    """Hears the panic key by grabbing it, whatever program is in front, and looks at the pointer."""

    def __init__(self, display: str, panic: str) -> None:
        """Args: panic: keys such as `ctrl+alt+q`; empty for none.

        Raises:
            ConfigError: they are no such keys, or another program has taken them.
            ComputerLost: the display is gone.
        """
        self._connection = Connection(display)
        try:
            if panic:
                self._grab(panic)
        except BaseException:
            self._connection.close()
            raise

    @property
    def pressed(self) -> bool:
        """Whether the panic key was pressed since the last time."""
        with self._connection.use():
            display = self._connection.display
            while display.pending_events():
                if display.next_event().type == X.KeyPress:
                    return True
        return False

    @property
    def pointer(self) -> Point:
        """Where the mouse is now."""
        with self._connection.use():
            found = self._connection.root.query_pointer()
        return Point(found.root_x, found.root_y)

    @property
    def corners(self) -> Sequence[tuple[int, int]]:
        """The corners of the screen as it is now."""
        with self._connection.use():
            whole = self._connection.root.get_geometry()
        return [(x, y) for x in (0, whole.width - 1) for y in (0, whole.height - 1)]

    def close(self) -> None:
        """Hang up; safe to call twice."""
        self._connection.close()

    def _grab(self, panic: str) -> None:
        key, held = panic_keys(panic)
        mask = sum(MASKS[name] for name in held)
        symbol = XK.string_to_keysym(X_NAMES.get(key, key))
        refused = error.CatchError(error.BadAccess)
        with self._connection.use():
            code = self._connection.display.keysym_to_keycode(symbol)
            if not code:
                raise no_panic_key(panic)
            for locks in LOCKS:
                self._connection.root.grab_key(
                    code, mask | locks, True, X.GrabModeAsync, X.GrabModeAsync, onerror=refused
                )
            self._connection.display.sync()
        if refused.get_error():
            raise taken(panic)
