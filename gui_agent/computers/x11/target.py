"""Targets on an X display, for the test of `doctor --screen`."""

from __future__ import annotations

import time
from typing import Any

from Xlib import X

from gui_agent.computers.desktop.target import ARRIVING, COLOR, DRAWING, SIDE
from gui_agent.computers.x11.connection import Connection
from gui_agent.core.errors import ComputerLost
from gui_agent.core.geometry import Box, Point


class X11Target:
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
                event_mask=X.ButtonPressMask,
            )
            self._window.map()
            self._window.configure(stack_mode=X.Above)
            self._connection.display.sync()
            red, green, blue = COLOR
            self._brush = self._window.create_gc(foreground=red << 16 | green << 8 | blue)

    def draw(self, place: Point) -> None:
        """Show one target, and no other."""
        with self._connection.use():
            self._window.clear_area(0, 0, 0, 0)
            left, top = place.x - self._monitor.left - SIDE // 2, place.y - self._monitor.top - SIDE // 2
            self._window.fill_rectangle(self._brush, left, top, SIDE, SIDE)
            self._connection.display.sync()
        time.sleep(DRAWING)

    def arrived(self) -> Point | None:
        """Where the window was clicked; None when no click comes."""
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
