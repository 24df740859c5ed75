"""A private display as a computer: `--on virtual`, or `--on virtual:NAME` for a running one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.elements import Observe, seeing
from gui_agent.computers.desktop.parts import Device, Source
from gui_agent.computers.processes import QUIET, SAMPLE, wait_until_idle
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay, Running, running
from gui_agent.core import deadline
from gui_agent.core.errors import MissingExtra
from gui_agent.core.observation import Size

READY = 10.0
"""Maximum seconds for the window manager of a new display to start."""
WORKING = 8.0
"""Additional seconds for programs that are still at work."""
LEAST = 0.2
"""Seconds of each final wait that remain after the run's deadline."""
LINGERING = 1.0
"""Seconds for programs after the last input before they are ended."""


class VirtualComputer(DesktopComputer):
    """A separate display with its own window manager and programs, invisible to the user.

    The user's screen, mouse and keyboard stay free. It ends with the process, however that ends.
    """

    def __init__(
        self,
        *,
        name: str = "",
        size: tuple[int, int] = (1280, 800),
        home: str = "",
        window: bool = False,
        observe: Observe = "auto",
        **shared: Any,
    ) -> None:
        """Start a display, or use one that `guiagent desktop start` has started.

        Args:
            name: a running display, which stays. Empty for a new one that ends with this computer.
            size: of a new display, in pixels.
            home: home folder of its programs; empty for your own files with fresh program settings,
                `fresh` for an empty one.
            window: show a new display in a window on your screen (needs Xephyr), so that you can work on it.
            observe: tree, vision, both, or auto: vision only where a window's tree reports nothing.
            shared: see `DesktopComputer`.
        """
        ending: Callable[[], None] = _nothing
        if name:
            self.running = running(name)
        else:
            own = PrivateDisplay(Size(*size), home=home, window=window)
            self.running, ending = own.running, lambda: self._end_display(own)
        try:
            device, source = _parts(self.running, observe)
        except BaseException:
            ending()
            raise
        super().__init__(device, source, ending=ending, **shared)

    def _end_display(self, own: PrivateDisplay) -> None:
        """End the display; a program may still be saving after the last key."""
        if self.acted:
            # The final checks whether programs are at work may end earlier than that.
            lingering = max(0.0, self.acted + LINGERING - QUIET * SAMPLE - time.monotonic())
            time.sleep(deadline.remaining(lingering, LEAST))
            wait_until_idle(own.running.keeper, deadline.remaining(WORKING, LEAST))
        own.close()


def _parts(running: Running, observe: Observe) -> tuple[Device, Source]:
    try:
        from gui_agent.computers.atspi.source import AtspiSource
        from gui_agent.computers.x11.device import X11Device
    except ImportError as error:
        raise MissingExtra("desktop", "a desktop") from error
    device = X11Device(running.display, KeptLauncher(running), wait=READY)
    try:
        device.wait_for_manager(READY)
        return device, seeing(observe, lambda: AtspiSource(running.bus), device.grab)
    except BaseException:
        device.close()
        raise


def _nothing() -> None:
    """Leave a display that existed before."""
