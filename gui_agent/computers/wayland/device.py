"""The device of a Wayland session: pictures and input through the portals of its desktop."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui_agent.computers.desktop.input import in_time
from gui_agent.computers.desktop.parts import Window
from gui_agent.computers.wayland.frames import MonitorPictures
from gui_agent.computers.wayland.portal import PortalSession
from gui_agent.computers.wayland.windows import SessionWindows
from gui_agent.computers.x11.keyboard import X_NAMES, symbol_of
from gui_agent.computers.x11.programs import Launcher
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.geometry import Box, Point, Size
from gui_agent.core.keys import NAMED
from gui_agent.core.opening import Opening

if TYPE_CHECKING:
    from PIL.Image import Image

BUTTONS: dict[Button, int] = {"left": 0x110, "right": 0x111, "middle": 0x112}
"""The buttons by their codes in Linux."""
NOTCH = 50
"""Pixels that programs scroll by one notch of the wheel, about."""
SHOWING = 0.4
"""Seconds within which a window that is switched to comes to the front."""
CHUNK = 64


class WaylandDevice:
    """The monitors of a session as one screen. Points are pixels of the picture, in units of the desktop."""

    platform = "wayland"

    def __init__(
        self, portal: PortalSession, frames: MonitorPictures, windows: SessionWindows, launcher: Launcher
    ) -> None:
        """Args: portal: a session that the person has allowed; what is given is closed with the device."""
        self._portal, self._frames, self._windows, self._launcher = portal, frames, windows, launcher
        self._pressed: set[Button] = set()
        self._held: dict[str, int] = {}
        self._at = Point(frames.size.width // 2, frames.size.height // 2)
        windows.screen = frames.size

    @property
    def size(self) -> Size:
        return self._frames.size

    @property
    def monitors(self) -> tuple[Box, ...]:
        """The monitors, in pixels of the picture."""
        return self._frames.monitors

    @property
    def pointer(self) -> Point:
        """Where the agent put it last: no portal tells where the person moved it."""
        return self._at

    def grab(self, box: Box | None = None) -> Image:
        """The screen, or a part of it, as an RGB picture."""
        return self._frames.grab(box)

    def pixels(self) -> bytes | bytearray:
        """The screen as four bytes per pixel, row by row."""
        return self._frames.pixels()

    def move(self, point: Point) -> None:
        """Move the pointer there.

        Raises:
            ActionFailed: no monitor is there.
        """
        for stream, place in zip(self._frames.streams, self._frames.monitors, strict=True):
            if place.contains(point):
                x, y = float(point.x - place.left), float(point.y - place.top)
                self._portal.notify("NotifyPointerMotionAbsolute", "udd", stream.node, x, y)
                self._at = point
                return
        raise ActionFailed(f"no monitor shows the point ({point.x}, {point.y}); look again")

    def press_button(self, button: Button) -> None:
        """Press a button of the mouse where the pointer is."""
        self._pressed.add(button)
        self._portal.notify("NotifyPointerButton", "iu", BUTTONS[button], 1)

    def release_button(self, button: Button) -> None:
        """Let go of a button; one that is not pressed is left alone."""
        if button in self._pressed:
            self._pressed.discard(button)
            self._portal.notify("NotifyPointerButton", "iu", BUTTONS[button], 0)

    def wheel(self, down: int, right: int) -> None:
        """Turn the wheel by about so many pixels, at least one notch where it is not 0."""
        for axis, pixels in enumerate((down, right)):
            if pixels:
                notches = max(1, round(abs(pixels) / NOTCH))
                self._portal.notify(
                    "NotifyPointerAxisDiscrete", "ui", axis, notches if pixels > 0 else -notches
                )

    def press_key(self, key: str) -> None:
        """Hold a key down."""
        self._held[key] = _symbol(key)
        self._portal.notify("NotifyKeyboardKeysym", "iu", self._held[key], 1)

    def release_key(self, key: str) -> None:
        """Let go of a key; one that is not held is left alone."""
        if key in self._held:
            self._portal.notify("NotifyKeyboardKeysym", "iu", self._held.pop(key), 0)

    def type_text(self, text: str) -> None:
        """Type what is on every keyboard by keys; other texts are put in through the program.

        A portal takes symbols that no key of the layout has, and the desktop drops them in silence.

        Raises:
            ActionFailed: what has the keyboard does not take the text.
        """
        text = text.replace("\r\n", "\n")
        if any(not one.isprintable() and one not in "\n\t" for one in text):
            raise ActionFailed("control characters cannot be typed; leave them out")
        if not text.isascii():
            self._windows.insert(text)
            return
        for start in range(0, len(text), CHUNK):
            in_time("type the text")
            for symbol in map(symbol_of, text[start : start + CHUNK]):
                for state in (1, 0):
                    self._portal.notify("NotifyKeyboardKeysym", "iu", symbol, state)

    def windows(self) -> Sequence[Window]:
        """The windows of the programs that tell of themselves, lowest first."""
        return self._windows.shown()

    def minimised(self) -> Sequence[Window]:
        """None: programs do not tell which of their windows are."""
        return ()

    def activate(self, window: Window) -> None:
        """Go through the windows as a person does with alt+tab; no program may bring another to the front."""
        for times in range(1, len(self._windows.shown()) + 1):
            self.press_key("alt")
            try:
                for _ in range(times):
                    self.press_key("tab")
                    self.release_key("tab")
            finally:
                self.release_key("alt")
            until = time.monotonic() + SHOWING
            while time.monotonic() < until:
                if any(one.id == window.id and one.active for one in self._windows.shown()):
                    return
                time.sleep(0.02)

    def close_window(self, window: Window) -> None:
        """Close the window in front by the keys for that."""
        if not window.active:
            raise ActionFailed("only the window in front can be closed here; switch to it first")
        for change in (self.press_key, self.release_key):
            for key in ("alt", "f4"):
                change(key)

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """It is not asked here: the picture alone tells when the screen has come to rest."""
        return None

    def opening(self, name: str) -> Opening:
        """What `launch` would start."""
        return self._launcher.opening(name)

    def launch(self, name: str) -> None:
        """Start a program by name or command, or open a file or address."""
        self._launcher.launch(name)

    def crashed(self, pid: int) -> bool:
        """Whether a program that was launched here is known to have crashed or to have been killed."""
        return self._launcher.crashed(pid)

    def failure(self) -> str:
        """Why the program launched last ended by itself."""
        return self._launcher.failure()

    @property
    def clipboard(self) -> str:
        raise ActionFailed(
            "a Wayland session keeps its clipboard to the window in front; use ctrl+c and ctrl+v"
        )

    @clipboard.setter
    def clipboard(self, text: str) -> None:
        del text
        raise ActionFailed(
            "a Wayland session keeps its clipboard to the window in front; type the text instead"
        )

    def close(self) -> None:
        """Let go of keys and buttons, and end the session; safe to call twice."""
        with contextlib.suppress(ComputerLost):
            for key in reversed(list(self._held)):
                self.release_key(key)
            for button in list(self._pressed):
                self.release_button(button)
        self._windows.close()
        self._frames.close()
        self._portal.close()


def _symbol(key: str) -> int:
    from Xlib import XK

    return int(XK.string_to_keysym(X_NAMES[key])) if key in NAMED else symbol_of(key)
