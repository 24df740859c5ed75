"""The device of an X display: picture, XTEST input, windows, clipboard, and starting programs."""

from __future__ import annotations

import contextlib
import select
import struct
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from Xlib import X, Xatom
from Xlib.ext import xtest

from gui_agent.computers.desktop.monitor import ScreenCapture
from gui_agent.computers.desktop.parts import HeldInput, Unwatched, Window, notches
from gui_agent.computers.x11.keyboard import Keyboard
from gui_agent.computers.x11.programs import Launcher, Launches
from gui_agent.computers.x11.windows import Connection, Pings, Windows
from gui_agent.core import deadline
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Box, Point, Size

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.desktop.person_watch import PersonWatch

ANSWERING = 2.0
"""Maximum seconds for the owner of the clipboard to hand over its content."""


class Clipboard:
    """The X clipboard, for reading: the agent types its texts, and copies by the keys of programs."""

    def __init__(self, name: str) -> None:
        self._name = name

    def get(self) -> str:
        """The text on the clipboard; empty if there is none."""
        connection = Connection(self._name)
        try:
            with connection.use():
                return self._ask_owner(connection)
        finally:
            connection.close()

    def _ask_owner(self, connection: Connection) -> str:
        display, clipboard = connection.display, connection.atom("CLIPBOARD")
        if display.get_selection_owner(clipboard) == X.NONE:
            return ""
        window = connection.root.create_window(
            0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
        )
        place = connection.atom("GUIAGENT_CLIPBOARD")
        for target in ("UTF8_STRING", "STRING"):
            window.convert_selection(clipboard, connection.atom(target), place, X.CurrentTime)
            told = self._next(connection, X.SelectionNotify)
            if told.property != X.NONE:
                return self._receive(connection, window, place)
        return ""

    def _receive(self, connection: Connection, window: Any, place: int) -> str:
        answer = window.get_full_property(place, X.AnyPropertyType)
        if answer is None:
            return ""
        if answer.property_type != connection.atom("INCR"):
            return _decode(answer)
        # A long text arrives in portions; deleting one requests the next.
        whole = b""
        window.delete_property(place)
        while True:
            while True:
                told = self._next(connection, X.PropertyNotify)
                if told.atom == place and told.state == X.PropertyNewValue:
                    break
            answer = window.get_full_property(place, X.AnyPropertyType)
            window.delete_property(place)
            if answer is None or not len(answer.value):
                return whole.decode("utf-8", "replace")
            whole += bytes(answer.value)

    def _next(self, connection: Connection, kind: int) -> Any:
        until = time.monotonic() + ANSWERING
        display = connection.display
        while True:
            while display.pending_events():
                told = display.next_event()
                if told.type == kind:
                    return told
            left = until - time.monotonic()
            if left <= 0:
                raise ActionFailed("the program that owns the clipboard does not answer; copy again")
            display.flush()
            select.select([display.fileno()], [], [], left)


def _decode(answer: Any) -> str:
    data = answer.value if isinstance(answer.value, bytes) else bytes(answer.value)
    return data.decode("latin-1" if answer.property_type == Xatom.STRING else "utf-8", "replace")


BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3}
UP, DOWN, LEFT, RIGHT = 4, 5, 6, 7
"""Buttons that represent the wheel."""
BETWEEN_NOTCHES = 0.004
"""Seconds; programs with smooth scrolling add up notches that arrive at a person's pace."""


class X11Device(HeldInput, Launches):
    """One X display. Points are its pixels; used from any thread, one at a time."""

    platform = "x11"

    def __init__(
        self, display: str, launcher: Launcher, *, wait: float = 0.0, person: PersonWatch | None = None
    ) -> None:
        """Connect to a display.

        Args:
            display: such as `:1`; empty for the environment's.
            wait: seconds within which the display and its window manager may still be starting.
            person: watches for the user in front of the display, if there is one.
        """
        super().__init__()
        self._connection = Connection(display, wait)
        try:
            with self._connection.use():
                if not self._connection.display.has_extension("XTEST"):
                    raise ConfigError(f"the display {display} accepts no simulated input: it has no XTEST")
            self._screen = ScreenCapture(display)
        except BaseException:
            self._connection.close()
            raise
        self._pings = Pings(display)
        self._keyboard = Keyboard(self._connection, self._pings)
        self._windows = Windows(self._connection)
        self._clipboard = Clipboard(display)
        self._launcher = launcher
        self._person = person or Unwatched()

    @property
    def display(self) -> str:
        """The name of the display; empty for the environment's."""
        return self._connection.name

    @property
    def size(self) -> Size:
        with self._connection.use():
            whole = self._connection.root.get_geometry()
        size = Size(whole.width, whole.height)
        if size != self._screen.size:
            self._screen.note_change()
        return size

    @property
    def monitors(self) -> tuple[Box, ...]:
        """The monitors, in pixels of the screen; users can rearrange them without changing the total size."""
        self._screen.note_change()
        return self._screen.monitors

    @property
    def manager(self) -> str:
        """The name of the window manager; empty if none runs."""
        return self._windows.manager

    def wait_for_manager(self, seconds: float) -> None:
        """Wait until the window manager has started; without one, clicks do not focus windows."""
        looks = deadline.turns(seconds, 0.01, least=1)
        if not any(self.manager and self._windows.is_manager_ready() for _ in looks):
            raise ComputerLost("no window manager runs on the display; start one, such as openbox")

    @property
    def pointer(self) -> Point:
        with self._connection.use():
            found = self._connection.root.query_pointer()
            return Point(found.root_x, found.root_y)

    def grab(self, box: Box | None = None) -> Image:
        return self._screen.grab(box)

    def pointer_picture(self) -> tuple[Image, tuple[int, int]] | None:
        """The current pointer's picture and its position; None if the display does not report it."""
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
        return self._screen.pixels()

    def move(self, point: Point) -> None:
        self._person.note_sent(point)
        with self._connection.use():
            xtest.fake_input(self._connection.display, X.MotionNotify, x=point.x, y=point.y)

    def press_button(self, button: Button) -> None:
        self._person.check_pointer(lambda: self.pointer)
        super().press_button(button)

    def wheel(self, down: int, right: int) -> None:
        self._person.check()
        for turns, forward, back in ((notches(down), DOWN, UP), (notches(right), RIGHT, LEFT)):
            for _ in range(abs(turns)):
                self._button(forward if turns > 0 else back, True)
                self._button(forward if turns > 0 else back, False)
                time.sleep(BETWEEN_NOTCHES)

    def press_key(self, key: str) -> None:
        self._person.check()
        self._keyboard.press(key)

    def release_key(self, key: str) -> None:
        self._keyboard.release(key)

    def type_text(self, text: str) -> None:
        self._person.check()
        self._keyboard.type_text(text)

    def windows(self) -> Sequence[Window]:
        return self._windows.list()

    def minimised_windows(self) -> Sequence[Window]:
        return self._windows.list(minimised=True)

    def activate(self, window: Window) -> None:
        self._windows.activate(window)

    def close_window(self, window: Window) -> None:
        self._windows.close_window(window)

    def maximise(self, window: Window, on: bool = True) -> None:
        """Let a window fill the screen, or restore its former size."""
        self._windows.maximise(window, on)

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """Whether a program has processed all input so far; None if it cannot be asked."""
        return self._pings.has_answered(window.id, seconds)

    @property
    def clipboard(self) -> str:
        return self._clipboard.get()

    def close(self) -> None:
        """Release keys, buttons and the display; may be called twice and from any thread."""
        with contextlib.suppress(ComputerLost):
            self._keyboard.release_all()
            self.let_go()
        self._person.close()
        self._pings.close()
        self._screen.close()
        self._connection.close()

    def _send_button(self, button: Button, *, down: bool) -> None:
        self._button(BUTTONS[button], down)

    def _button(self, number: int, pressed: bool) -> None:
        with self._connection.use():
            kind = X.ButtonPress if pressed else X.ButtonRelease
            xtest.fake_input(self._connection.display, kind, number)
