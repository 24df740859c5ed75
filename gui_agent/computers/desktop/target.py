"""Targets drawn on a monitor, and where clicks on them really arrive: the test of `doctor --screen`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Box, Point

if TYPE_CHECKING:
    from PIL.Image import Image

COLOR = (0xE0, 0x10, 0xC8)
"""Of the targets; hardly anything on a screen looks like it."""
SIDE = 21
INSET = 40
"""Pixels from the edges of a monitor."""
ARRIVING = 2.0
"""Seconds within which a click must arrive."""
DRAWING = 0.3
"""Seconds that a screen gets to show what was drawn."""


@dataclass(frozen=True, slots=True)
class TargetHit:
    """One target that was clicked."""

    drawn: Point
    """Where the program that drew it believes it to be, in pixels of the picture."""
    seen: Point | None
    """Where the picture of the screen shows it; None when it does not."""
    arrived: Point | None
    """Where the click arrived; None when it did not."""

    @property
    def error(self) -> float | None:
        """Pixels between where the target is and where the click arrived; None when something was lost."""
        if self.seen is None or self.arrived is None:
            return None
        return float(max(abs(self.arrived.x - self.drawn.x), abs(self.arrived.y - self.drawn.y)))


class Target(Protocol):
    """A window over one monitor that shows targets one by one and hears where it is clicked."""

    def draw(self, place: Point) -> None:
        """Show one target, and no other; in pixels of the picture, like all places here."""

    def arrival(self) -> Point | None:
        """Where the window was clicked; None when no click comes."""

    def close(self) -> None: ...


def places(monitor: Box) -> Iterator[Point]:
    """Where targets are drawn on a monitor: near its corners and in the middle."""
    for x in (INSET, monitor.width - INSET):
        for y in (INSET, monitor.height - INSET):
            yield Point(monitor.left + x, monitor.top + y)
    yield monitor.center


def find(picture: Image) -> Point | None:
    """The middle of the target in a picture; None when none is in it."""
    import numpy as np

    pixels = np.asarray(picture).astype(int)
    rows, columns = np.nonzero((abs(pixels - np.array(COLOR)) <= 12).all(axis=2))
    if rows.size < SIDE * SIDE // 4:
        return None
    return Point(int((columns.min() + columns.max()) // 2), int((rows.min() + rows.max()) // 2))


class TkTarget:
    """A target drawn with what every Python brings; for Windows and macOS."""

    def __init__(self, monitor: Box, corner: tuple[int, int], scale: float = 1.0) -> None:
        """Cover a monitor.

        Args:
            corner: where the picture begins in the coordinates of the platform.
            scale: pixels of the picture per unit of those coordinates; 2 on a Retina screen.
        """
        try:
            import tkinter
        except ImportError as error:
            raise ConfigError("this Python has no tkinter, with which targets are drawn") from error
        self._monitor, self._scale = monitor, scale
        self._clicks: list[Point] = []
        self._root = tkinter.Tk()
        self._root.overrideredirect(True)
        self._root.attributes("-topmost", True)
        left, top, width, height = (
            round(side / scale) for side in (monitor.left, monitor.top, monitor.width, monitor.height)
        )
        self._root.geometry(f"{width}x{height}{left + corner[0]:+d}{top + corner[1]:+d}")
        self._canvas = tkinter.Canvas(self._root, background="white", highlightthickness=0)
        self._canvas.pack(fill="both", expand=True)
        self._canvas.bind("<Button-1>", self._note_click)

    def draw(self, place: Point) -> None:
        ways = place.x - self._monitor.left, place.y - self._monitor.top
        left, top = (round(way / self._scale) - SIDE // 2 for way in ways)
        color = "#{:02x}{:02x}{:02x}".format(*COLOR)
        self._clicks.clear()  # one that comes late belongs to the target before
        self._canvas.delete("all")
        self._canvas.create_rectangle(left, top, left + SIDE, top + SIDE, fill=color, width=0)
        self._wait(DRAWING)

    def arrival(self) -> Point | None:
        deadline = time.monotonic() + ARRIVING
        while not self._clicks and time.monotonic() < deadline:
            self._wait(0.02)
        return self._clicks.pop() if self._clicks else None

    def close(self) -> None:
        """Take the window away."""
        self._root.destroy()

    def _note_click(self, event: Any) -> None:
        right, down = round(event.x * self._scale), round(event.y * self._scale)
        self._clicks.append(Point(self._monitor.left + right, self._monitor.top + down))

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._root.update()
            time.sleep(0.005)
