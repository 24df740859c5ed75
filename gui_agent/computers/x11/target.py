"""Targets drawn on a display, and where clicks on them really arrive: the test of `doctor --screen`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from Xlib import X

from gui_agent.computers.x11.connection import Connection
from gui_agent.core.errors import ComputerLost
from gui_agent.core.geometry import Box, Point

if TYPE_CHECKING:
    from PIL.Image import Image

COLOR = (0xE0, 0x10, 0xC8)
"""Of the targets; hardly anything on a screen looks like it."""
SIDE = 21
INSET = 40
"""Pixels from the edges of a monitor."""
ARRIVING = 2.0
DRAWING = 0.3


@dataclass(frozen=True, slots=True)
class Hit:
    """One target that was clicked."""

    drawn: Point
    """Where the program that drew it believes it to be, in pixels of the display."""
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


class Target:
    """A window over one monitor that shows targets one by one and hears where it is clicked."""

    def __init__(self, display: str, monitor: Box) -> None:
        """Cover a monitor; the window is gone after `close`."""
        self._connection = Connection(display)
        self._monitor = monitor
        with self._connection.use():
            screen = self._connection.display.screen()
            self._window: Any = self._connection.root.create_window(
                *(monitor.left, monitor.top, monitor.width, monitor.height, 0, screen.root_depth),
                override_redirect=True,
                background_pixel=screen.white_pixel,
                event_mask=X.ButtonPressMask | X.ExposureMask,
            )
            self._window.map()
            self._window.configure(stack_mode=X.Above)
            self._connection.display.sync()
            red, green, blue = COLOR
            self._brush = self._window.create_gc(foreground=red << 16 | green << 8 | blue)

    def places(self) -> Iterator[Point]:
        """Where targets are drawn: near the corners, in the middle; in pixels of the display."""
        box = self._monitor
        for x in (INSET, box.width - INSET):
            for y in (INSET, box.height - INSET):
                yield Point(box.left + x, box.top + y)
        yield box.center

    def draw(self, place: Point) -> None:
        """Show one target, and no other."""
        with self._connection.use():
            self._window.clear_area(0, 0, 0, 0)
            left, top = place.x - self._monitor.left - SIDE // 2, place.y - self._monitor.top - SIDE // 2
            self._window.fill_rectangle(self._brush, left, top, SIDE, SIDE)
            self._connection.display.sync()
        time.sleep(DRAWING)

    def arrived(self) -> Point | None:
        """Where the window was clicked, in pixels of the display; None when no click comes."""
        deadline = time.monotonic() + ARRIVING
        while time.monotonic() < deadline:
            with self._connection.use():
                while self._connection.display.pending_events():
                    told = self._connection.display.next_event()
                    if told.type == X.ButtonPress:
                        return Point(self._monitor.left + told.event_x, self._monitor.top + told.event_y)
            time.sleep(0.01)
        return None

    def close(self) -> None:
        """Take the window away; safe to call twice."""
        try:
            with self._connection.use():
                self._window.destroy()
        except ComputerLost:
            return
        self._connection.close()


def find(picture: Image) -> Point | None:
    """The middle of the target in a picture; None when none is in it."""
    import numpy as np

    pixels = np.asarray(picture).astype(int)
    rows, columns = np.nonzero((abs(pixels - np.array(COLOR)) <= 12).all(axis=2))
    if rows.size < SIDE * SIDE // 4:
        return None
    return Point(int((columns.min() + columns.max()) // 2), int((rows.min() + rows.max()) // 2))
