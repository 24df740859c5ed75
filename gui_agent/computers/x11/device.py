"""The device of an X display: picture, XTEST input, windows, clipboard, and programs started on it."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from Xlib import X
from Xlib.ext import xtest

from gui_agent.computers.desktop.parts import Window
from gui_agent.computers.desktop.screen import ScreenCapture
from gui_agent.computers.x11.clipboard import Clipboard
from gui_agent.computers.x11.connection import Connection
from gui_agent.computers.x11.keyboard import Keyboard
from gui_agent.computers.x11.programs import Launcher
from gui_agent.computers.x11.windows import Pings, Windows
from gui_agent.core.actions import Button
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.geometry import Box, Point, Size
from gui_agent.core.opening import Opening

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.desktop.person_watch import PersonWatch

BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3}
UP, DOWN, LEFT, RIGHT = 4, 5, 6, 7
"""Buttons that stand for the wheel."""
NOTCH = 50
"""Pixels that programs scroll by one notch of the wheel, about."""
BETWEEN_NOTCHES = 0.004
"""Seconds; programs that scroll smoothly add up notches that come like from a hand."""


class X11Device:
    """One X display. Points are its pixels; used from any thread, by one at a time."""

    platform = "x11"

    def __init__(
        self, display: str, launcher: Launcher, *, wait: float = 0.0, person: PersonWatch | None = None
    ) -> None:
        """Connect to a display.

        Args:
            display: such as `:1`; empty for the one that the environment names.
            wait: seconds within which the display and its window manager may still be starting.
            person: watches for the person in front of the display, where there is one.

        Raises:
            ComputerLost: there is no such display.
            ConfigError: it takes no simulated input.
            MissingExtra: a library is not installed.
        """
        self._connection = Connection(display, wait)
        try:
            with self._connection.use():
                if not self._connection.display.has_extension("XTEST"):
                    raise ConfigError(f"the display {display} takes no simulated input: it has no XTEST")
            self._screen = ScreenCapture(display)
        except BaseException:
            self._connection.close()
            raise
        self._keyboard = Keyboard(self._connection)
        self._pings = Pings(display)
        self._windows = Windows(self._connection)
        self._clipboard = Clipboard(display)
        self._launcher = launcher
        self._person = person
        self._pressed: set[Button] = set()

    @property
    def display(self) -> str:
        """The name of the display; empty for the one that the environment names."""
        return self._connection.name

    @property
    def size(self) -> Size:
        with self._connection.use():
            whole = self._connection.root.get_geometry()
        size = Size(whole.width, whole.height)
        if size != self._screen.size:
            self._screen.changed()
        return size

    @property
    def monitors(self) -> tuple[Box, ...]:
        """The monitors, in pixels of the screen; they can be arranged anew without another size of all."""
        self._screen.changed()
        return self._screen.monitors

    @property
    def manager(self) -> str:
        """The name of the window manager, empty when none runs."""
        return self._windows.manager

    def wait_for_manager(self, seconds: float) -> None:
        """Wait until the window manager has started; without one clicks give no window the keyboard.

        Raises:
            ComputerLost: there is none after so many seconds.
        """
        deadline = time.monotonic() + seconds
        while not (self.manager and self._windows.is_manager_ready()):
            if time.monotonic() >= deadline:
                raise ComputerLost("no window manager runs on the display; start one, such as openbox")
            time.sleep(0.01)

    @property
    def pointer(self) -> Point:
        with self._connection.use():
            found = self._connection.root.query_pointer()
            return Point(found.root_x, found.root_y)

    def grab(self, box: Box | None = None) -> Image:
        """The screen, or a part of it, as an RGB picture."""
        return self._screen.grab(box)

    def pointer_picture(self) -> tuple[Image, tuple[int, int]] | None:
        """The pointer as it looks now, and where its picture lies; None where the display does not tell."""
        from PIL import Image

        with self._connection.use():
            if not self._connection.display.has_extension("XFIXES"):
                return None
            self._connection.display.xfixes_query_version()
            seen = self._connection.display.xfixes_get_cursor_image(self._connection.root)
        raw = struct.pack(f"<{len(seen.cursor_image)}I", *seen.cursor_image)
        size = seen.width, seen.height
        return Image.frombytes("RGBA", size, raw, "raw", "BGRA"), (seen.x - seen.xhot, seen.y - seen.yhot)

    def pixels(self) -> bytes | bytearray:
        """The screen as four bytes per pixel, row by row."""
        return self._screen.pixels()

    def move(self, point: Point) -> None:
        """Move the pointer there."""
        if self._person is not None:
            self._person.sent(point)
        with self._connection.use():
            xtest.fake_input(self._connection.display, X.MotionNotify, x=point.x, y=point.y)

    def press_button(self, button: Button) -> None:
        """Press a button of the mouse where the pointer is."""
        if self._person is not None:
            self._person.check_pointer(lambda: self.pointer)
        self._pressed.add(button)
        self._button(BUTTONS[button], True)

    def release_button(self, button: Button) -> None:
        """Let go of a button; one that is not pressed is left alone."""
        if button in self._pressed:
            self._pressed.discard(button)
            self._button(BUTTONS[button], False)

    def wheel(self, down: int, right: int) -> None:
        """Turn the wheel by about so many pixels, at least one notch where it is not 0."""
        self._check()
        for pixels, forward, back in ((down, DOWN, UP), (right, RIGHT, LEFT)):
            notches = max(1, round(abs(pixels) / NOTCH)) if pixels else 0
            for _ in range(notches):
                self._button(forward if pixels > 0 else back, True)
                self._button(forward if pixels > 0 else back, False)
                time.sleep(BETWEEN_NOTCHES)

    def press_key(self, key: str) -> None:
        """Hold a key down."""
        self._check()
        self._keyboard.press(key)

    def release_key(self, key: str) -> None:
        """Let go of a key."""
        self._keyboard.release(key)

    def type_text(self, text: str) -> None:
        """Type any unicode text where the focus is."""
        self._check()
        self._keyboard.type_text(text)

    def windows(self) -> Sequence[Window]:
        """The windows on the screen, lowest first."""
        return self._windows.list()

    def minimised(self) -> Sequence[Window]:
        """The windows that are minimised."""
        return self._windows.list(minimised=True)

    def activate(self, window: Window) -> None:
        """Bring a window to the front."""
        self._windows.activate(window)

    def close_window(self, window: Window) -> None:
        """Ask a window to close, as its close button does."""
        self._windows.close_window(window)

    def maximise(self, window: Window, on: bool = True) -> None:
        """Let a window fill the screen, or take its former size."""
        self._windows.maximise(window, on)

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """Whether a program has taken all input so far; None where it cannot be asked."""
        return self._pings.answered(window.id, seconds)

    def opening(self, name: str) -> Opening:
        """What `launch` would start.

        Raises:
            ActionFailed: there is no such program or file.
        """
        return self._launcher.opening(name)

    def launch(self, name: str) -> None:
        """Start a program by name or command, or open a file or address.

        Raises:
            ActionFailed: there is no such program or file, or it ended at once with an error.
        """
        self._launcher.launch(name)

    def crashed(self, pid: int) -> bool:
        """Whether a program that was launched here is known to have crashed or to have been killed."""
        return self._launcher.crashed(pid)

    def failure(self) -> str:
        """Why the program launched last ended by itself, empty while it runs or when it ended well."""
        return self._launcher.failure()

    @property
    def clipboard(self) -> str:
        return self._clipboard.get()

    @clipboard.setter
    def clipboard(self, text: str) -> None:
        self._clipboard.set(text)

    def close(self) -> None:
        """Let go of keys, buttons and the display; safe to call twice and from another thread."""
        with contextlib.suppress(ComputerLost):
            self._keyboard.release_all()
            for button in list(self._pressed):
                self.release_button(button)
        if self._person is not None:
            self._person.close()
        self._pings.close()
        self._clipboard.close()
        self._screen.close()
        self._connection.close()

    def _check(self) -> None:
        if self._person is not None:
            self._person.check()

    def _button(self, number: int, pressed: bool) -> None:
        with self._connection.use():
            kind = X.ButtonPress if pressed else X.ButtonRelease
            xtest.fake_input(self._connection.display, kind, number)
