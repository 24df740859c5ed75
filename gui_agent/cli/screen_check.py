"""The check of `guiagent doctor --screen`: targets on every monitor are found, clicked, and read back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gui_agent.cli.checks import Finding
from gui_agent.core.errors import GuiAgentError

if TYPE_CHECKING:
    from gui_agent.computers.x11.device import X11Device
    from gui_agent.core.geometry import Box

ALLOWED = 1.0
"""Pixels by which a click may miss."""
KINDS = ("desktop", "virtual")


def examine_screen(kind: str) -> Iterator[Finding]:
    """Draw targets on each monitor of a desktop, click them where the picture shows them, read the error."""
    try:
        yield from _on_virtual() if kind == "virtual" else _on_display("")
    except ImportError:
        fix = "pip install 'guiagent[desktop]'"
        yield Finding("screen", "missing", "the extra desktop is not installed", fix)
    except GuiAgentError as error:
        yield Finding(
            "screen", "missing", str(error), "guiagent doctor --screen --on virtual tries a private one"
        )


def _on_virtual() -> Iterator[Finding]:
    from gui_agent.computers.virtual.private import PrivateDisplay
    from gui_agent.core.geometry import Size

    with PrivateDisplay(Size(1280, 800), home="fresh") as private:
        yield from _on_display(private.running.display)


def _on_display(display: str) -> Iterator[Finding]:
    from gui_agent.computers.x11.device import X11Device
    from gui_agent.computers.x11.programs import LocalLauncher

    device = X11Device(display, LocalLauncher())
    try:
        for number, monitor in enumerate(device.monitors, 1):
            yield _monitor(device, display, number, monitor)
        yield _manager(device)
    finally:
        device.close()


def _monitor(device: X11Device, display: str, number: int, monitor: Box) -> Finding:
    from gui_agent.computers.x11.target import Hit, Target, find

    what = f"monitor {number}"
    shape = f"{monitor.width} x {monitor.height} at ({monitor.left}, {monitor.top})"
    before, hits = device.pointer, []
    target = Target(display, monitor)
    try:
        for place in target.places():
            target.draw(place)
            seen = find(device.grab())
            arrived = None
            if seen is not None:
                device.move(seen)
                time.sleep(0.05)
                device.press_button("left")
                device.release_button("left")
                arrived = target.arrived()
            hits.append(Hit(place, seen, arrived))
    finally:
        target.close()
        device.move(before)
    lost = [hit for hit in hits if hit.error is None]
    if lost:
        why = "is not in the picture" if lost[0].seen is None else "was clicked, and no click arrived"
        fix = "look for a magnifier, a Wayland session or input that is taken over from afar"
        return Finding(what, "missing", f"{shape}: {lost[0].drawn} {why}", fix)
    worst = max(hits, key=lambda hit: hit.error or 0.0)
    detail = f"{shape}: {len(hits)} targets clicked, error at most {worst.error:g} pixels"
    if (worst.error or 0.0) > ALLOWED:
        return Finding(
            what, "missing", f"{detail}, at {worst.drawn}", "set the scaling of this monitor to 100 %"
        )
    return Finding(what, "ok", detail)


def _manager(device: X11Device) -> Finding:
    name = device.manager
    if name:
        return Finding("window manager", "ok", name)
    return Finding(
        "window manager", "missing", "none runs; clicks give no window the keyboard", "start openbox"
    )
