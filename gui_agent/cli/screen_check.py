"""The check of `guiagent doctor --screen`: targets on every monitor are found, clicked, and read back."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gui_agent.cli.doctor import Finding
from gui_agent.computers.desktop.target import ARRIVING, COLOR, DRAWING, SIDE
from gui_agent.core.errors import ComputerLost, ConfigError, GuiAgentError
from gui_agent.core.geometry import Box, Point

if TYPE_CHECKING:
    from gui_agent.computers.desktop.target import Target, TargetHit
    from gui_agent.core.geometry import Box


ALLOWED = 1.0
"""Pixels by which a click may miss."""


def examine_screen(kind: str) -> Iterator[Finding]:
    """Draw targets on each monitor of a desktop, click them where the picture shows them, read the error.

    Args:
        kind: `desktop` for the screen in front of the person, `virtual` for a private one.
    """
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
    from gui_agent.core.geometry import Size

    with PrivateDisplay(Size(1280, 800), home="fresh") as private:
        yield from _on_display(private.running.display, wait=True)


def _on_display(display: str, *, wait: bool = False) -> Iterator[Finding]:
    from gui_agent.cli.screen_check import X11Target
    from gui_agent.computers.x11.device import X11Device
    from gui_agent.computers.x11.programs import LocalLauncher

    device = X11Device(display, LocalLauncher())
    try:
        if wait:
            device.wait_for_manager(10.0)
        yield from _monitors(device, lambda monitor: X11Target(display, monitor))
        manager = device.manager
        detail = manager or "none runs; clicks give no window the keyboard"
        fix = "" if manager else "start one, such as openbox"
        yield Finding("window manager", "ok" if manager else "missing", detail, fix)
    finally:
        device.close()


def _in_front() -> Iterator[Finding]:
    """On Windows and macOS: the monitors, and then all that is taken for granted there."""
    from gui_agent.cli.trial import Trial
    from gui_agent.computers.current_platform import FrontComputer
    from gui_agent.computers.desktop.target import TkTarget

    computer: Any = FrontComputer()
    with computer:
        device = computer.device
        trouble = getattr(computer, "trouble", "")
        if trouble:
            yield Finding("UI Automation", "optional", f"{trouble}; elements are told by window messages")
        for what, holds, fix in computer.assumptions():
            detail = "it holds" if holds else "it does not hold"
            yield Finding(what, "ok" if holds else "missing", detail, "" if holds else fix)
        try:
            yield from _monitors(device, lambda monitor: TkTarget(monitor, device.corner, device.scale))
        except ConfigError as error:
            yield Finding("monitors", "optional", str(error))
        yield from Trial(computer).findings()


def _in_session() -> Iterator[Finding]:
    """In a Wayland session, where no window can be put over a monitor: what an editor shows of each input."""
    from gui_agent.cli.trial import Trial
    from gui_agent.settings import load
    from gui_agent.wiring import make_computer

    computer: Any = make_computer(load(assignments=["computer.kind=desktop"]))
    with computer:
        for number, monitor in enumerate(computer.device.monitors, 1):
            shape = f"{monitor.width} x {monitor.height} at ({monitor.left}, {monitor.top})"
            yield Finding(f"monitor {number}", "ok", f"{shape}, shared by the portal")
        yield from Trial(computer).findings()


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
        yield judged(f"monitor {number}", shape, hits)


def _hits(device: Any, target: Target, monitor: Box) -> Iterator[TargetHit]:
    from gui_agent.computers.desktop.target import TargetHit, find, places

    for place in places(monitor):
        target.draw(place)
        seen = find(device.grab())
        arrived = None
        if seen is not None:
            device.move(seen)
            time.sleep(0.05)
            device.press_button("left")
            device.release_button("left")
            arrived = target.arrived()
        yield TargetHit(place, seen, arrived)


def judged(what: str, shape: str, hits: list[TargetHit]) -> Finding:
    """What the targets of one monitor say about it."""
    lost = [hit for hit in hits if hit.error is None]
    if lost:
        why = "is not in the picture" if lost[0].seen is None else "was clicked, and no click arrived"
        fix = "look for a magnifier, a Wayland session or input that is taken over from afar"
        return Finding(what, "missing", f"{shape}: {lost[0].drawn} {why}", fix)
    worst = max(hits, key=lambda hit: hit.error or 0.0)
    detail = f"{shape}: {len(hits)} targets clicked, error at most {worst.error:g} pixels"
    if (worst.error or 0.0) > ALLOWED:
        fix = "set the scaling of this monitor to 100 %"
        return Finding(what, "missing", f"{detail}, at {worst.drawn}", fix)
    return Finding(what, "ok", detail)


class X11Target:
    """A window over one monitor that shows targets one by one and hears where it is clicked."""

    def __init__(self, display: str, monitor: Box) -> None:
        """Cover a monitor; the window is gone after `close`."""
        from Xlib import X

        from gui_agent.computers.x11.connection import Connection

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
                    if told.type == self._pressed:
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
