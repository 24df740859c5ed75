"""The screen of a Mac as a computer: `--on desktop` there."""

from __future__ import annotations

from collections.abc import Iterator

from gui_agent.computers.desktop.element_source import Observe, seeing
from gui_agent.computers.desktop.front_screen import SingleScreenComputer, WatchedDevice
from gui_agent.computers.desktop.parts import Source
from gui_agent.computers.desktop.person_watch import Ears


class MacComputer(SingleScreenComputer):
    """The screen of a Mac, with the programs and windows that are on it; experimental."""

    EXPERIMENTAL = "experimental: its platform code has not run on a real Mac"

    def assumptions(self) -> Iterator[tuple[str, bool, str]]:
        """What is taken for granted of macOS."""
        yield from getattr(self._device, "assumptions")()  # noqa: B009

    @staticmethod
    def _connect(observe: Observe) -> tuple[WatchedDevice, Source]:
        from gui_agent.computers.macos.device import MacDevice

        device = MacDevice()
        try:
            return device, seeing(observe, None, device.grab)
        except BaseException:
            device.close()
            raise

    @staticmethod
    def _ears(panic: str) -> Ears:
        from gui_agent.computers.macos.device import MacEars

        return MacEars(panic)
