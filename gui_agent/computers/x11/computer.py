"""The display in front of the user as a computer: `--on desktop`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from Xlib import XK, X, error

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.elements import Observe, with_source
from gui_agent.computers.desktop.monitor import on_monitor
from gui_agent.computers.desktop.parts import Device, Source
from gui_agent.computers.desktop.person_watch import PersonWatch, keys_taken, no_panic_key, panic_keys
from gui_agent.computers.x11.keyboard import X_NAMES
from gui_agent.computers.x11.windows import Connection
from gui_agent.core.errors import MissingExtra
from gui_agent.core.observation import Point, Size

MASKS = {"ctrl": X.ControlMask, "alt": X.Mod1Mask, "shift": X.ShiftMask, "meta": X.Mod4Mask}
LOCKS = (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask)
"""Caps Lock and Num Lock states with which the panic key is grabbed too."""


class PanicKeyListener:
    """Listens for the panic key by grabbing it, whatever program is in front, and reads the pointer."""

    def __init__(self, display: str, panic: str) -> None:
        self._connection = Connection(display)
        try:
            if panic:
                self._grab(panic)
        except BaseException:
            self._connection.close()
            raise

    @property
    def was_pressed(self) -> bool:
        with self._connection.use():
            display = self._connection.display
            while display.pending_events():
                if display.next_event().type == X.KeyPress:
                    return True
        return False

    @property
    def pointer(self) -> Point:
        with self._connection.use():
            found = self._connection.root.query_pointer()
        return Point(found.root_x, found.root_y)

    @property
    def corners(self) -> Sequence[tuple[int, int]]:
        with self._connection.use():
            whole = self._connection.root.get_geometry()
        return Size(whole.width, whole.height).box.corners

    def close(self) -> None:
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
            raise keys_taken(panic)


class X11Computer(DesktopComputer):
    """A running X display with its programs and windows."""

    def __init__(
        self,
        *,
        display: str = "",
        session: str = "",
        panic_key: str = "ctrl+alt+q",
        corner_stop: bool = True,
        monitor: int = 0,
        observe: Observe = "auto",
        yields: float = 20.0,
        **shared: Any,
    ) -> None:
        """Connect to a display.

        Args:
            display: such as `:1`; empty for the environment's.
            session: address of the D-Bus session of its programs; empty for the environment's.
            panic_key: keys that stop the agent at once, whatever program is in front; empty for none.
            corner_stop: stop the agent when the user moves the mouse into a corner of the screen.
            monitor: number of the monitor, from 1; 0 for all together.
            observe: tree, vision, both, or auto: vision only where a window's tree reports nothing.
            yields: maximum seconds to wait while the user moves the mouse; 0 to override the user.
            shared: see `DesktopComputer`.
        """
        device, source = _parts(display, session, observe, panic_key, corner_stop)
        device, source = on_monitor(device, source, monitor)
        super().__init__(device, source, yields=yields, **shared)


def _parts(
    display: str, session: str, observe: Observe, panic_key: str, corner_stop: bool
) -> tuple[Device, Source]:
    try:
        from gui_agent.computers.atspi.source import AtspiSource
        from gui_agent.computers.x11.device import X11Device
        from gui_agent.computers.x11.programs import LocalLauncher
    except ImportError as error:
        raise MissingExtra("desktop", "a desktop") from error
    watched = panic_key or corner_stop
    person = PersonWatch(lambda: PanicKeyListener(display, panic_key), corner_stop) if watched else None
    return with_source(
        X11Device(display, LocalLauncher(), person=person), observe, lambda: AtspiSource(session)
    )
