"""The check of `guiagent doctor --screen`: clicks targets on every monitor, and measures the error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gui_agent.cli.doctor import Finding
from gui_agent.core.errors import ComputerLost, ConfigError, GuiAgentError
from gui_agent.core.observation import Box, Point, Size

if TYPE_CHECKING:
    from PIL.Image import Image


ALLOWED = 1.0
"""Maximum error of a click in pixels."""


def examine_screen(kind: str) -> Iterator[Finding]:
    """Draw targets on each monitor of a desktop, click them as seen in the picture, and measure the error."""
    from gui_agent.settings import wayland

    try:
        if kind == "virtual":
            yield from _on_virtual()
        elif sys.platform in ("win32", "darwin"):
            yield from _in_front()
        elif wayland():
            yield from _in_session()
        else:
            yield from _on_display("")
    except ImportError:
        fix = "pip install 'guiagent[desktop]'"
        yield Finding("screen", "missing", "the extra desktop is not installed", fix)
    except GuiAgentError as error:
        yield Finding("screen", "missing", str(error), "guiagent doctor --screen --on virtual")


def _on_virtual() -> Iterator[Finding]:
    from gui_agent.computers.virtual.private import PrivateDisplay

    with PrivateDisplay(Size(1280, 800), home="fresh") as private:
        yield from _on_display(private.running.display, wait=True)


def _on_display(display: str, *, wait: bool = False) -> Iterator[Finding]:
    from gui_agent.computers.x11.device import X11Device
    from gui_agent.computers.x11.programs import LocalLauncher

    device = X11Device(display, LocalLauncher())
    try:
        if wait:
            device.wait_for_manager(10.0)
        yield from _monitors(device, lambda monitor: X11Target(display, monitor))
        manager = device.manager
        detail = manager or "none is running; clicks do not focus windows"
        fix = "" if manager else "start one, such as openbox"
        yield Finding("window manager", "ok" if manager else "missing", detail, fix)
    finally:
        device.close()


def _in_front() -> Iterator[Finding]:
    """On Windows and macOS: the computer's assumptions about the platform, and the monitors."""
    from gui_agent.computers.current_platform import LocalComputer

    computer: Any = LocalComputer()
    with computer:
        device = computer.device
        trouble = getattr(computer, "trouble", "")
        if trouble:
            yield Finding("UI Automation", "optional", f"{trouble}; elements come from window messages")
        for what, holds, fix in computer.assumptions():
            detail = "it holds" if holds else "it does not hold"
            yield Finding(what, "ok" if holds else "missing", detail, "" if holds else fix)
        try:
            yield from _monitors(device, lambda monitor: TkTarget(monitor, device.corner, device.scale))
        except ConfigError as error:
            yield Finding("monitors", "optional", str(error))


def _in_session() -> Iterator[Finding]:
    """In a Wayland session, no window can cover a monitor: report the monitors that the portal shares."""
    from gui_agent.settings import load
    from gui_agent.wiring import make_computer

    computer: Any = make_computer(load(assignments=["computer.kind=desktop"]))
    with computer:
        for number, monitor in enumerate(computer.device.monitors, 1):
            shape = f"{monitor.width} x {monitor.height} at ({monitor.left}, {monitor.top})"
            yield Finding(f"monitor {number}", "ok", f"{shape}, shared by the portal")


def _monitors(device: Any, cover: Callable[[Box], Target]) -> Iterator[Finding]:
    for number, monitor in enumerate(device.monitors, 1):
        shape = f"{monitor.width} x {monitor.height} at ({monitor.left}, {monitor.top})"
        before = device.pointer
        target = cover(monitor)
        try:
            hits = list(_hits(device, target, monitor))
        finally:
            target.close()
            device.move(before)
        yield finding_of(f"monitor {number}", shape, hits)


def _hits(device: Any, target: Target, monitor: Box) -> Iterator[TargetHit]:
    for place in places(monitor):
        target.draw(place)
        seen = find(device.grab())
        arrived = None
        if seen is not None:
            device.move(seen)
            time.sleep(0.05)
            device.press_button("left")
            device.release_button("left")
            arrived = target.arrival()
        yield TargetHit(place, seen, arrived)


def finding_of(what: str, shape: str, hits: list[TargetHit]) -> Finding:
    """The result of one monitor's targets."""
    lost = [hit for hit in hits if hit.error is None]
    if lost:
        why = "is not in the picture" if lost[0].seen is None else "was clicked, but no click arrived"
        fix = "look for a magnifier, a Wayland session or a remote-control program"
        return Finding(what, "missing", f"{shape}: {lost[0].drawn} {why}", fix)
    worst = max(hits, key=lambda hit: hit.error or 0.0)
    detail = f"{shape}: {len(hits)} targets clicked, error at most {worst.error:g} pixels"
    if (worst.error or 0.0) > ALLOWED:
        fix = "set the scaling of this monitor to 100 %"
        return Finding(what, "missing", f"{detail}, at {worst.drawn}", fix)
    return Finding(what, "ok", detail)


class X11Target:
    """A window over one monitor that shows targets one by one and reports clicks on it."""

    def __init__(self, display: str, monitor: Box) -> None:
        from Xlib import X

        from gui_agent.computers.x11.windows import Connection

        self._pressed = X.ButtonPress
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
        with self._connection.use():
            self._window.clear_area(0, 0, 0, 0)
            left, top = place.x - self._monitor.left - SIDE // 2, place.y - self._monitor.top - SIDE // 2
            self._window.fill_rectangle(self._brush, left, top, SIDE, SIDE)
            self._connection.display.sync()
        time.sleep(DRAWING)

    def arrival(self) -> Point | None:
        deadline = time.monotonic() + ARRIVING
        while time.monotonic() < deadline:
            with self._connection.use():
                while self._connection.display.pending_events():
                    told = self._connection.display.next_event()
                    if told.type == self._pressed:
                        return Point(self._monitor.left + told.event_x, self._monitor.top + told.event_y)
            time.sleep(0.01)
        return None

    def close(self) -> None:
        try:
            with self._connection.use():
                self._window.destroy()
        except ComputerLost:
            return
        self._connection.close()


COLOR = (0xE0, 0x10, 0xC8)
"""Colour of the targets; hardly anything else on a screen has it."""
SIDE = 21
INSET = 40
"""Pixels from the edges of a monitor."""
ARRIVING = 15.0
"""Maximum seconds for a click to arrive."""
DRAWING = 0.3
"""Seconds for a screen to show a drawing."""


@dataclass(frozen=True, slots=True)
class TargetHit:
    """One clicked target."""

    drawn: Point
    """The position according to the program that drew it, in pixels of the picture."""
    seen: Point | None
    """The position in the picture of the screen; None if it is not visible."""
    arrived: Point | None
    """Where the click arrived; None if it did not."""

    @property
    def error(self) -> float | None:
        """Pixels between the target and the click's arrival; None if either is missing."""
        if self.seen is None or self.arrived is None:
            return None
        return float(max(abs(self.arrived.x - self.drawn.x), abs(self.arrived.y - self.drawn.y)))


class Target(Protocol):
    """A window over one monitor that shows targets one by one and reports clicks on it."""

    def draw(self, place: Point) -> None:
        """Show only one target, at a point in pixels of the picture, like all points here."""

    def arrival(self) -> Point | None:
        """Where the window was clicked; None if no click arrives."""

    def close(self) -> None: ...


def places(monitor: Box) -> Iterator[Point]:
    """Target positions on a monitor: near its corners and in the centre."""
    for x in (INSET, monitor.width - INSET):
        for y in (INSET, monitor.height - INSET):
            yield Point(monitor.left + x, monitor.top + y)
    yield monitor.center


def find(picture: Image) -> Point | None:
    """The centre of the target in a picture; None if there is none."""
    import numpy as np

    pixels = np.asarray(picture).astype(int)
    rows, columns = np.nonzero((abs(pixels - np.array(COLOR)) <= 12).all(axis=2))
    if rows.size < SIDE * SIDE // 4:
        return None
    return Point(int((columns.min() + columns.max()) // 2), int((rows.min() + rows.max()) // 2))


class TkTarget:
    """A target window by Python's own toolkit; for Windows and macOS."""

    def __init__(self, monitor: Box, corner: tuple[int, int], scale: float = 1.0) -> None:
        """Cover a monitor.

        Args:
            corner: the picture's origin in the platform's coordinates.
            scale: pixels of the picture per unit of those coordinates; 2 on a Retina screen.
        """
        try:
            import tkinter
        except ImportError as error:
            raise ConfigError("this Python has no tkinter, which is needed to draw targets") from error
        self._monitor, self._scale = monitor, scale
        self._clicks: list[Point] = []
        self._root = tkinter.Tk()
        self._root.overrideredirect(True)
        self._root.attributes("-topmost", True)
        left, top, width, height = (round(side / scale) for side in monitor.measures)
        self._root.geometry(f"{width}x{height}{left + corner[0]:+d}{top + corner[1]:+d}")
        self._canvas = tkinter.Canvas(self._root, background="white", highlightthickness=0)
        self._canvas.pack(fill="both", expand=True)
        self._canvas.bind("<Button-1>", self._note_click)

    def draw(self, place: Point) -> None:
        ways = place.x - self._monitor.left, place.y - self._monitor.top
        left, top = (round(way / self._scale) - SIDE // 2 for way in ways)
        color = "#{:02x}{:02x}{:02x}".format(*COLOR)
        self._clicks.clear()  # a late click belongs to the previous target
        self._canvas.delete("all")
        self._canvas.create_rectangle(left, top, left + SIDE, top + SIDE, fill=color, width=0)
        self._wait(DRAWING)

    def arrival(self) -> Point | None:
        deadline = time.monotonic() + ARRIVING
        while not self._clicks and time.monotonic() < deadline:
            self._wait(0.02)
        return self._clicks.pop() if self._clicks else None

    def close(self) -> None:
        self._root.destroy()

    def _note_click(self, event: Any) -> None:
        right, down = round(event.x * self._scale), round(event.y * self._scale)
        self._clicks.append(Point(self._monitor.left + right, self._monitor.top + down))

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._root.update()
            time.sleep(0.005)
