"""The parts of a desktop: windows, nodes, devices, sources, and gestures that leave no key down."""

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
    """The client area, without the window manager's frame."""
    active: bool = False
    popup: bool = False
    """A menu, hint or drop-down list: above all windows, without a frame and often without a title."""
    hint: bool = False
    """Whether this popup only explains the element under the pointer."""
    outer: Box | None = None
    """The window with its frame and title bar; None if it has none."""

    @property
    def whole(self) -> Box:
        """The complete area that it covers."""
        return self.outer or self.box


@dataclass(frozen=True, slots=True)
class Node:
    """One element that a source saw."""

    key: Hashable
    """The source's identifier of the element; it stays the same during the element's life."""
    role: str
    name: str
    box: Box
    """In screen pixels; may extend beyond the screen."""
    value: str = ""
    states: frozenset[str] = frozenset()
    description: str = ""
    path: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    window: int = 0
    """The id of its window; 0 if unknown."""
    source: str = "atspi"
    does: Effects = field(default=NOTHING, compare=False)


@dataclass(frozen=True, slots=True)
class ScreenReading:
    """The result of one reading of the screen by a source."""

    nodes: tuple[Node, ...] = ()
    silent: tuple[int, ...] = ()
    """Windows without usable information: the program exposes nothing, or false data."""
    late: tuple[str, ...] = ()
    """Programs that did not answer in time; their previous nodes are in `nodes`."""


def is_in_any(box: Box, others: Sequence[Box]) -> bool:
    """Whether the centre of a box is in any of the others."""
    return any(other.contains(box.center) for other in others)


class Source(Protocol):
    """Finds elements: through an accessibility tree, or by vision."""

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """Read these windows, ordered lowest first, within about `seconds`."""

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """The current node at a point; None if this source knows nothing there."""

    def close(self) -> None: ...


class PixelDevice(Protocol):
    """The part of a device that is needed to wait for a screen to come to rest."""

    @property
    def size(self) -> Size: ...

    def pixels(self) -> bytes | bytearray:
        """The screen as four bytes per pixel, row by row: for comparison, as fast as the device can."""

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """Wait until a program has processed all input; None if it cannot be asked."""


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
        """Release a button; do nothing if it is not pressed."""

    def wheel(self, down: int, right: int) -> None:
        """Scroll by about this many pixels at the pointer."""

    def press_key(self, key: str) -> None:
        """Hold a key down, by its name in `core.keys`. Raises ActionFailed if there is no such key."""

    def release_key(self, key: str) -> None:
        """Release a key; do nothing if it is not held."""

    def type_text(self, text: str) -> None:
        """Type any unicode text at the focus."""

    def windows(self) -> Sequence[Window]:
        """The windows on the screen, lowest first."""

    def minimised_windows(self) -> Sequence[Window]:
        """The minimised windows, which `activate` restores; the most recently used is last."""

    def activate(self, window: Window) -> None: ...

    def close_window(self, window: Window) -> None: ...

    def opening(self, name: str) -> Opening:
        """What `launch` would start. Raises ActionFailed if there is no such program or file."""

    def launch(self, name: str) -> None:
        """Start a program by its usual name or its command, or open a file or an address.

        Raises ActionFailed if there is no such program or file; the message suggests similar names.
        """

    def has_crashed(self, pid: int) -> bool:
        """Whether a program is known to have crashed or to have been killed."""

    def failure(self) -> str:
        """Why the last launched program ended by itself; empty while it runs, or if unknown."""

    @property
    def clipboard(self) -> str:
        """The text on the clipboard; empty if there is none. Raises ActionFailed if it cannot be read."""

    def close(self) -> None: ...


class UntoldDevice:
    """A device that does not report how programs end, whether they processed input, or minimised windows."""

    def has_crashed(self, pid: int) -> bool:
        return False

    def failure(self) -> str:
        return ""

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        return None

    def minimised_windows(self) -> Sequence[Window]:
        return ()


def close_by_keys(device: Any) -> None:
    """Close the front window by its keyboard shortcut."""
    for change in (device.press_key, device.release_key):
        for key in ("alt", "f4"):
            change(key)


class OneWindow(UntoldDevice):
    """The shared part of devices without window information: the whole screen is one window."""

    def windows(self: Any) -> Sequence[Window]:
        """The only window."""
        return [Window(1, self.title, self.platform, 0, self.size.box, active=True)]

    def activate(self, window: Window) -> None:
        """Do nothing, as the only window is in front."""

    def close_window(self: Any, window: Window) -> None:
        """Close the program in front by its keyboard shortcut."""
        close_by_keys(self)

    def opening(self, name: str) -> Opening:
        """Refuse, because the device cannot know what would start."""
        return Opening("unknown", url=name if "://" in name else "")

    def launch(self: Any, name: str) -> None:
        raise ActionFailed(
            f'{self.platform.upper()} starts no programs, so "{name}" cannot be opened by name; click it in a'
            " menu or on the desktop there"
        )


class Unwatched:
    """A placeholder for the person watch where there is none: nothing stops the agent."""

    def note_sent(self, point: Point) -> None: ...

    def check(self) -> None: ...

    def check_pointer(self, pointer: Callable[[], Point]) -> None: ...

    def close(self) -> None: ...


class HeldInput:
    """A device that keeps track of held keys and buttons, and releases each once."""

    def __init__(self) -> None:
        self._pressed: dict[Button, None] = {}
        self._held: dict[str, Any] = {}
        """The value sent for each key, which its release needs."""

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
        """Release all held keys, the last one first."""
        for key in reversed(tuple(self._held)):
            self.release_key(key)
        for button in tuple(self._pressed):
            self.release_button(button)

    def _send_button(self, button: Button, *, down: bool) -> None:
        raise NotImplementedError

    def _key(self, key: str) -> Any:
        """The value to send for a key. Raises ActionFailed if there is no such key."""
        raise NotImplementedError

    def _send_key(self, made: Any, *, down: bool) -> None:
        raise NotImplementedError


def notches(pixels: int) -> int:
    """Notches of the wheel for about this many pixels, at least one unless 0; negative backwards."""
    return round(pixels / NOTCH) or (pixels > 0) - (pixels < 0)


NOTCH = 50
"""Pixels that programs on Linux scroll by one notch of the wheel, approximately."""
DRAG_STEPS = 16
DRAG_SECONDS = 0.16
"""Minimum seconds of a drag: programs recognize one only after some time and distance."""
BETWEEN_CLICKS = 0.03
"""Seconds between the presses of a double click."""
BETWEEN_CHORDS = 0.01
AFTER_MOVE = 0.01
"""Seconds for a program to notice the pointer before a click."""


class Hands:
    """Gestures on a device."""

    def __init__(self, device: Device) -> None:
        self._device = device

    @contextlib.contextmanager
    def hold_keys(self, keys: Sequence[str]) -> Iterator[None]:
        """Hold keys down, given by canonical names, and always release them."""
        down: list[str] = []
        try:
            for key in keys:
                down.append(key)
                self._device.press_key(key)
            yield
        finally:
            with contextlib.ExitStack() as stack:  # a key that fails to release must not keep others down
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
        """Press at one point, move to another in small steps, and release there."""
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
    """Raise ActionFailed if the run's time is over."""
    if deadline.is_over():
        raise ActionFailed(f"the time of the run was over before all was done: {what}")
