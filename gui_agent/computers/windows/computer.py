"""A Windows desktop as a computer: `--on desktop` there."""

from __future__ import annotations

from gui_agent.computers.desktop.element_source import Observe, seeing
from gui_agent.computers.desktop.front_screen import SingleScreenComputer
from gui_agent.computers.desktop.parts import Device, Source


class WindowsComputer(SingleScreenComputer):
    """A Windows desktop, with the programs and windows that are on it; experimental."""

    EXPERIMENTAL = "experimental: its platform code has not run on a real Windows"

    @staticmethod
    def _connect(observe: Observe) -> tuple[Device, Source]:
        from gui_agent.computers.windows.device import WindowsDevice
        from gui_agent.computers.windows.source import UiaSource

        device = WindowsDevice()
        try:
            return device, seeing(observe, lambda: UiaSource(lambda: device.corner), device.grab)
        except BaseException:
            device.close()
            raise
