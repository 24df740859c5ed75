"""Captures a screen, and presents one monitor of several as the whole screen (`--monitor N`)."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

from gui_agent.computers.desktop.parts import Device, Node, ScreenReading, Source, Window
from gui_agent.core.errors import ComputerLost, ConfigError, MissingExtra
from gui_agent.core.observation import Box, Point, Size

if TYPE_CHECKING:
    from PIL.Image import Image


_SIDES = itemgetter("left", "top", "width", "height")
"""The box of a monitor, out of the library's more detailed description."""


class ScreenCapture:
    """All monitors of one display as one picture; may be used from any thread.

    The picture's first pixel is the top left corner of the union of all monitors, which on Windows and macOS
    may lie at negative coordinates (`left`, `top`).
    """

    def __init__(self, display: str = "") -> None:
        self._display = display
        self._lock = threading.RLock()
        self._mss: Any = None
        self._closed = False
        with self._translate_errors():
            self._open()
        assert self.monitors

    @property
    def monitors(self) -> tuple[Box, ...]:
        """The monitors, in pixels of the picture."""
        with self._translate_errors():
            whole, *single = self._mss.monitors
            left, top = self.corner
            return tuple(Box(*_SIDES(one)).shift(-left, -top) for one in single or [whole])

    @property
    def corner(self) -> tuple[int, int]:
        """The picture's origin in the platform's coordinates."""
        with self._translate_errors():
            left, top, _, _ = _SIDES(self._mss.monitors[0])
            return left, top

    @property
    def size(self) -> Size:
        with self._translate_errors():
            _, _, width, height = _SIDES(self._mss.monitors[0])
            return Size(width, height)

    def grab(self, box: Box | None = None) -> Image:
        from PIL import Image

        with self._translate_errors():
            shot = self._mss.grab(self._area(box))
            return Image.frombuffer("RGB", (shot.width, shot.height), shot.raw, "raw", "BGRX", 0, 1)

    def pixels(self) -> bytearray:
        """The screen as four bytes per pixel (blue, green, red, unused), row by row."""
        with self._translate_errors():
            raw: bytearray = self._mss.grab(self._area(None)).raw
            return raw

    def note_change(self) -> None:
        """Note that the size of the screen may have changed."""
        with self._translate_errors():
            self._mss.close()
            self._open()

    def close(self) -> None:
        with self._lock, contextlib.suppress(Exception):
            self._closed = True
            if self._mss is not None:
                self._mss.close()

    def _open(self) -> None:
        try:
            import mss
        except ImportError as error:
            raise MissingExtra("desktop", "a picture of the screen") from error
        self._mss = mss.MSS(display=self._display) if self._display else mss.MSS()

    def _area(self, box: Box | None) -> dict[str, int]:
        whole: dict[str, int] = self._mss.monitors[0]
        if box is None:
            return whole
        return asdict(box.shift(whole["left"], whole["top"]))

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise ComputerLost("the screen is closed; open a new one")
            try:
                yield
            except MissingExtra:
                raise
            except Exception as error:
                name = f"the screen {self._display}".rstrip()
                raise ComputerLost(f"{name} gives no picture: {error}".partition("\n")[0]) from error


def on_monitor(device: Device, source: Source, number: int) -> tuple[Device, Source]:
    """Device and source in pixels of one monitor, counted from 1; 0 for all monitors together."""
    if not number:
        return device, source
    try:
        monitor = _Monitor(device, number)
    except BaseException:
        source.close()
        device.close()
        raise
    # Members without coordinates are those of the device itself.
    return cast(Device, monitor), _MonitorSource(source, monitor)


class _Monitor:
    def __init__(self, device: Any, number: int) -> None:
        self._device, self._number = device, number
        self._known: tuple[Size, Box] | None = None
        assert self.place

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    @property
    def place(self) -> Box:
        """The monitor's box in the whole screen; the user may rearrange monitors at any time."""
        whole: Size = self._device.size
        if self._known is None or self._known[0] != whole:
            monitors: Sequence[Box] = self._device.monitors
            if not 0 < self._number <= len(monitors):
                every = enumerate(monitors, 1)
                told = ("{0} ({3} x {4} at {1}, {2})".format(i, *one.measures) for i, one in every)
                raise ConfigError(f"there is no monitor {self._number}; give one of: {', '.join(told)}")
            self._known = whole, monitors[self._number - 1]
        return self._known[1]

    @property
    def size(self) -> Size:
        return Size(self.place.width, self.place.height)

    @property
    def monitors(self) -> tuple[Box, ...]:
        return (self.size.box,)

    @property
    def pointer(self) -> Point:
        (left, top), at = self.place.corner, self._device.pointer
        return Point(at.x - left, at.y - top)

    def move(self, point: Point) -> None:
        self._device.move(self.outwards(point))

    def grab(self, box: Box | None = None) -> Image:
        return cast("Image", self._device.grab((box or self.size.box).shift(*self.place.corner)))

    def pixels(self) -> bytes:
        whole, row = memoryview(self._device.pixels()), 4 * self._device.size.width
        left, width = 4 * self.place.corner[0], 4 * self.place.width
        starts = (row * y + left for y in self.place.rows)
        return b"".join(whole[start : start + width] for start in starts)

    def windows(self) -> Sequence[Window]:
        there = (one for one in self._device.windows() if one.whole.intersect(self.place))
        left, top = self.place.corner
        return [shift_window(one, -left, -top) for one in there]

    def outwards(self, point: Point) -> Point:
        left, top = self.place.corner
        return Point(point.x + left, point.y + top)


class _MonitorSource:
    """A source in pixels of the whole screen, presented in pixels of one monitor."""

    def __init__(self, source: Source, monitor: _Monitor) -> None:
        self._source, self._monitor = source, monitor

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        from PIL import Image as Pictures

        place, whole = self._monitor.place, self._monitor._device.size
        # Vision compares with earlier looks by position: it sees other monitors as black.
        canvas = Pictures.new("RGB", (whole.width, whole.height))
        canvas.paste(picture, place.corner)
        told = self._source.read(self._outwards(windows), canvas, seconds)
        return replace(told, nodes=tuple(self._inwards(node) for node in told.nodes))

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        found = self._source.node_at(self._monitor.outwards(point), self._outwards(windows))
        return None if found is None else self._inwards(found)

    def close(self) -> None:
        self._source.close()

    def _outwards(self, windows: Sequence[Window]) -> list[Window]:
        return [shift_window(one, *self._monitor.place.corner) for one in windows]

    def _inwards(self, node: Node) -> Node:
        left, top = self._monitor.place.corner
        return replace(node, box=node.box.shift(-left, -top))


def shift_window(window: Window, right: int, down: int) -> Window:
    outer = window.outer and window.outer.shift(right, down)
    return replace(window, box=window.box.shift(right, down), outer=outer)
