"""What a desktop is made of: windows, nodes, devices, sources; and hands that leave no key down."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from gui_agent.core import deadline
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import chord, modifiers
from gui_agent.core.observation import NOTHING, Box, Effects, Point, Size
from gui_agent.core.protocols import Opening

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True, slots=True)
class Window:
    """One top-level window, in screen pixels."""

    id: int
    title: str
    app: str
    """The program's class in lower case: `mousepad`, `libreoffice-calc`."""
    pid: int
    box: Box
    """The client area; the frame of the window manager is not in it."""
    active: bool = False
    popup: bool = False
    """A menu, hint or drop-down list: on top of all windows, and without a frame and often a title."""
    hint: bool = False
    """Whether this popup only says something about what the pointer is on."""
    outer: Box | None = None
    """The window with its frame and title bar; None where it has none."""

    @property
    def whole(self) -> Box:
        """All that it covers."""
        return self.outer or self.box


@dataclass(frozen=True, slots=True)
class Node:
    """One thing that a source saw."""

    key: Hashable
    """What it is called at the source; the same thing keeps its key while it lives."""
    role: str
    name: str
    box: Box
    """Where it is, in screen pixels; may stick out of the screen."""
    value: str = ""
    states: frozenset[str] = frozenset()
    description: str = ""
    path: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    window: int = 0
    """The id of the window it is in; 0 when that is not known."""
    source: str = "atspi"
    does: Effects = field(default=NOTHING, compare=False)


@dataclass(frozen=True, slots=True)
class ScreenReading:
    """What a source saw of the screen at one moment."""

    nodes: tuple[Node, ...] = ()
    silent: tuple[int, ...] = ()
    """Windows that it cannot say anything about: the program exposes nothing, or lies."""
    late: tuple[str, ...] = ()
    """Programs that did not answer in time; what was known of them before is in `nodes`."""


class Source(Protocol):
    """Sees elements: an accessibility tree, or eyes on the picture."""

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """Look at these windows, the lowest first, for at most about `seconds`."""

    def at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """What is at a point right now; None where this source knows nothing."""

    def close(self) -> None: ...


class PixelDevice(Protocol):
    """What waiting for a screen to come to rest needs of a device."""

    @property
    def size(self) -> Size: ...

    def pixels(self) -> bytes | bytearray:
        """The screen as four bytes per pixel, row by row: for comparing, as quick as the device can."""

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """Whether a program has taken all input so far, waited for; None when it cannot be asked."""


class Device(PixelDevice, Protocol):
    """Picture, mouse, keys, windows and programs of one screen. Points are screen pixels."""

    @property
    def platform(self) -> str:
        """x11, windows, macos."""

    def grab(self, box: Box | None = None) -> Image:
        """The screen, or a part of it, as an RGB picture."""

    @property
    def pointer(self) -> Point: ...

    def move(self, point: Point) -> None: ...

    def press_button(self, button: Button) -> None: ...

    def release_button(self, button: Button) -> None:
        """Let go of a button; one that is not pressed is left alone."""

    def wheel(self, down: int, right: int) -> None:
        """Turn the wheel by about so many pixels where the pointer is."""

    def press_key(self, key: str) -> None:
        """Hold a key down, by its name in `core.keys`. Raises ActionFailed: there is no such key."""

    def release_key(self, key: str) -> None:
        """Let go of a key; one that is not held is left alone."""

    def type_text(self, text: str) -> None:
        """Type any unicode text where the focus is."""

    def windows(self) -> Sequence[Window]:
        """The windows on the screen, lowest first."""

    def minimised_windows(self) -> Sequence[Window]:
        """The windows that are minimised, which `activate` shows again; the one used last at the end."""

    def activate(self, window: Window) -> None: ...

    def close_window(self, window: Window) -> None: ...

    def opening(self, name: str) -> Opening:
        """What `launch` would start. Raises ActionFailed: there is no such program or file."""

    def launch(self, name: str) -> None:
        """Start a program by its name as people say it, by command, or open a file or an address.

        Raises ActionFailed: there is no such program or file; the message suggests near names.
        """

    def has_crashed(self, pid: int) -> bool:
        """Whether a program is known to have crashed or to have been killed."""

    def failure(self) -> str:
        """Why the program launched last ended by itself; empty while it runs, or when that is not known."""

    @property
    def clipboard(self) -> str: ...

    @clipboard.setter
    def clipboard(self, text: str) -> None: ...

    def close(self) -> None: ...


class UntoldDevice:
    """A device whose system does not tell how programs end, what they took in, and what is minimised."""

    def has_crashed(self, pid: int) -> bool:
        return False

    def failure(self) -> str:
        return ""

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        return None

    def minimised_windows(self) -> Sequence[Window]:
        return ()


def close_by_keys(device: Any) -> None:
    """Close the window in front as people do without a mouse."""
    for change in (device.press_key, device.release_key):
        for key in ("alt", "f4"):
            change(key)


class OneWindow(UntoldDevice):
    """What a device has in common with others that are told of no windows: the whole screen is one."""

    def windows(self: Any) -> Sequence[Window]:
        """The only one."""
        return [Window(1, self.title, self.platform, 0, self.size.box, active=True)]

    def activate(self, window: Window) -> None:
        """The only one is in front."""

    def close_window(self: Any, window: Window) -> None:
        """Close what is in front by the keys for that."""
        close_by_keys(self)

    def opening(self, name: str) -> Opening:
        """Nobody knows what would start there."""
        return Opening("unknown", url=name if "://" in name else "")

    def launch(self: Any, name: str) -> None:
        raise ActionFailed(
            f'{self.platform.upper()} starts no programs, so "{name}" cannot be opened by name; click it in a'
            " menu or on the desktop there"
        )


class Unwatched:
    """Stands in for the watch over a person where there is none: nothing stops the agent."""

    def note_sent(self, point: Point) -> None: ...

    def check(self) -> None: ...

    def check_pointer(self, pointer: Callable[[], Point]) -> None: ...

    def close(self) -> None: ...


class HeldInput:
    """A device that remembers which keys and buttons it holds down, and lets go of each once."""

    def __init__(self) -> None:
        self._pressed: dict[Button, None] = {}
        self._held: dict[str, Any] = {}
        """What was sent for each key, which its release needs."""

    def press_button(self, button: Button) -> None:
        self._pressed[button] = None
        self._send_button(button, down=True)

    def release_button(self, button: Button) -> None:
        if button in self._pressed:
            del self._pressed[button]
            self._send_button(button, down=False)

    def press_key(self, key: str) -> None:
        self._held[key] = made = self._key(key)
        self._send_key(made, down=True)

    def release_key(self, key: str) -> None:
        if key in self._held:
            self._send_key(self._held.pop(key), down=False)

    def let_go(self) -> None:
        """Release all that is held, the last key first."""
        for key in reversed(tuple(self._held)):
            self.release_key(key)
        for button in tuple(self._pressed):
            self.release_button(button)

    def _send_button(self, button: Button, *, down: bool) -> None:
        raise NotImplementedError

    def _key(self, key: str) -> Any:
        """What is sent for a key. Raises ActionFailed: there is no such key."""
        raise NotImplementedError

    def _send_key(self, made: Any, *, down: bool) -> None:
        raise NotImplementedError


def notches(pixels: int) -> int:
    """Notches of the wheel for about so many pixels, at least one where there are any; negative back."""
    return round(pixels / NOTCH) or (pixels > 0) - (pixels < 0)


NOTCH = 50
"""Pixels that programs on Linux scroll by one notch of the wheel, about."""
DRAG_STEPS = 16
DRAG_SECONDS = 0.16
"""Programs take up a drag only when the pointer moves for some time and distance."""
BETWEEN_CLICKS = 0.03
"""Seconds between the presses of a double click."""
BETWEEN_CHORDS = 0.01
AFTER_MOVE = 0.01
"""Seconds that a program gets to see the pointer before it is clicked with it."""


class Hands:
    """Gestures on a device."""

    def __init__(self, device: Device) -> None:
        self._device = device

    @contextlib.contextmanager
    def hold_keys(self, keys: Sequence[str]) -> Iterator[None]:
        """Keep keys down, given by canonical names; they are let go in any case."""
        down: list[str] = []
        try:
            for key in keys:
                down.append(key)
                self._device.press_key(key)
            yield
        finally:
            with contextlib.ExitStack() as stack:  # one that cannot be let go of keeps no other one down
                for key in down:
                    stack.callback(self._device.release_key, key)

    def press(self, keys: Sequence[str], times: int = 1) -> None:
        names = chord(keys)
        for turn in range(times):
            if turn:
                in_time("press the keys so often")
                time.sleep(BETWEEN_CHORDS)
            with self.hold_keys(names):
                pass

    def hold(self, keys: Sequence[str], seconds: float) -> None:
        with self.hold_keys(chord(keys)):
            deadline.sleep(seconds)

    def move(self, point: Point) -> None:
        self._device.move(point)

    def click(self, point: Point, button: Button = "left", clicks: int = 1, keys: Sequence[str] = ()) -> None:
        """Move there and click, with modifier keys held."""
        with self.hold_keys(modifiers(keys)):
            self._device.move(point)
            time.sleep(AFTER_MOVE)
            for turn in range(clicks):
                if turn:
                    time.sleep(BETWEEN_CLICKS)
                with self._hold_button(button):
                    pass

    def long_press(self, point: Point, seconds: float) -> None:
        self._device.move(point)
        with self._hold_button("left"):
            deadline.sleep(seconds)

    def drag(self, start: Point, end: Point, keys: Sequence[str] = (), seconds: float = DRAG_SECONDS) -> None:
        """Press at one place, move on to another by small steps, and release there."""
        with self.hold_keys(modifiers(keys)):
            self._device.move(start)
            time.sleep(AFTER_MOVE)
            with self._hold_button("left"):
                for step in range(1, DRAG_STEPS + 1):
                    deadline.sleep(seconds / DRAG_STEPS)
                    share = step / DRAG_STEPS
                    x = start.x + round((end.x - start.x) * share)
                    y = start.y + round((end.y - start.y) * share)
                    self._device.move(Point(x, y))
                time.sleep(AFTER_MOVE)

    def scroll(self, point: Point, down: int, right: int) -> None:
        self._device.move(point)
        time.sleep(AFTER_MOVE)
        self._device.wheel(down, right)

    @contextlib.contextmanager
    def _hold_button(self, button: Button) -> Iterator[None]:
        try:
            self._device.press_button(button)
            yield
        finally:
            self._device.release_button(button)


def in_time(what: str) -> None:
    """Go on only while the run has time left."""
    if deadline.is_over():
        raise ActionFailed(f"the time of the run was over before all was done: {what}")
