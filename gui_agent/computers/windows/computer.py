"""A Windows desktop as a computer: `--on desktop` there."""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Iterator, Sequence
from ctypes import wintypes

from gui_agent.computers.desktop.element_source import Observe, seeing
from gui_agent.computers.desktop.front_screen import SingleScreenComputer, WatchedDevice
from gui_agent.computers.desktop.parts import Source
from gui_agent.computers.desktop.person_watch import Ears, no_panic_key, panic_keys, taken
from gui_agent.computers.windows import events
from gui_agent.computers.windows.libraries import library
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Point

HELD = {"alt": 0x1, "ctrl": 0x2, "shift": 0x4, "meta": 0x8}
ONCE, HOT_KEY, TAKE_OUT = 0x4000, 0x312, 0x1
NUMBER = 1
"""What this thread calls its hot key."""
PROBE, HEARING = "ctrl+alt+f9", 1.0
"""Keys that are tried as a panic key, and seconds within which they must be heard."""


class WindowsComputer(SingleScreenComputer):
    """A Windows desktop, with the programs and windows that are on it; experimental."""

    EXPERIMENTAL = "experimental: run on Wine, not on a real Windows; guiagent doctor --screen checks it"

    @property
    def trouble(self) -> str:
        """Why there is no UI Automation and messages tell of elements; empty where there is."""
        return str(getattr(getattr(self._source, "tree", self._source), "trouble", ""))

    def assumptions(self) -> Iterator[tuple[str, bool, str]]:
        """What is taken for granted of Windows, apart from what is tried on monitors and on an editor."""
        guarded = bool(getattr(self._device, "guarded", False))
        yield "keys are let go when a run is killed", guarded, "allow this Python to start another one"
        heard = False
        with contextlib.suppress(ConfigError):  # the keys are taken
            ears = WindowsEars(PROBE)
            try:
                key, held = panic_keys(PROBE)
                for one in (*held, key):
                    self._device.press_key(one)
                for one in (key, *held):
                    self._device.release_key(one)
                until = time.monotonic() + HEARING
                while not (heard := ears.pressed) and time.monotonic() < until:
                    time.sleep(0.02)
            finally:
                ears.close()
        yield "a panic key is heard in any program", heard, f"end the program that uses {PROBE}, or report it"

    @staticmethod
    def _connect(observe: Observe) -> tuple[WatchedDevice, Source]:
        from gui_agent.computers.windows.device import WindowsDevice
        from gui_agent.computers.windows.source import WindowsSource

        device = WindowsDevice()
        try:
            return device, seeing(observe, lambda: WindowsSource(lambda: device.corner), device.grab)
        except BaseException:
            device.close()
            raise

    @staticmethod
    def _ears(panic: str) -> Ears:
        return WindowsEars(panic)


class WindowsEars:
    """Hears the panic key as a hot key, whatever program is in front, and looks at the pointer.

    A hot key belongs to the thread that registered it: all is to be called from the one that made this.
    """

    def __init__(self, panic: str) -> None:
        """Args: panic: keys such as `ctrl+alt+q`; empty for none.

        Raises:
            ConfigError: they are no such keys, or another program has taken them.
        """
        self._user = library("user32")
        self._registered = False
        if panic:
            key, held = panic_keys(panic)
            code = events.KEYS.get(key) or (ord(key.upper()) if key.isascii() and key.isalnum() else 0)
            if not code:
                raise no_panic_key(panic)
            mask = sum(HELD[name] for name in held) | ONCE
            # A thread gets its queue by its first look into it; Wine finds no hot key that was there before.
            self._user.PeekMessageW(ctypes.byref(wintypes.MSG()), None, HOT_KEY, HOT_KEY, 0)
            if not self._user.RegisterHotKey(None, NUMBER, mask, code):
                raise taken(panic)
            self._registered = True

    @property
    def pressed(self) -> bool:
        """Whether the panic key was pressed since the last time."""
        told, heard = wintypes.MSG(), False
        while self._user.PeekMessageW(ctypes.byref(told), None, HOT_KEY, HOT_KEY, TAKE_OUT):
            heard = True
        return heard

    @property
    def pointer(self) -> Point:
        at = wintypes.POINT()
        self._user.GetCursorPos(ctypes.byref(at))
        return Point(at.x, at.y)

    @property
    def corners(self) -> Sequence[tuple[int, int]]:
        """The corners of all monitors together as they are now."""
        left, top, width, height = (self._user.GetSystemMetrics(number) for number in (76, 77, 78, 79))
        return [(x, y) for x in (left, left + width - 1) for y in (top, top + height - 1)]

    def close(self) -> None:
        """Give the keys back; safe to call twice."""
        if self._registered:
            self._registered = False
            self._user.UnregisterHotKey(None, NUMBER)
