"""The one screen that a person works at, on platforms where there are no others: Windows and macOS."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.element_source import Observe
from gui_agent.computers.desktop.monitor import on_monitor
from gui_agent.computers.desktop.parts import Device, Source
from gui_agent.computers.desktop.person_watch import Ears, PersonWatch


class WatchedDevice(Device, Protocol):
    """A device that asks before each input whether the person has stopped the agent."""

    person: PersonWatch | None


class SingleScreenComputer(DesktopComputer):
    """The screen, mouse and keyboard of the person, with the programs and windows that are on it."""

    def __init__(
        self,
        *,
        panic_key: str = "ctrl+alt+q",
        corner_stop: bool = True,
        monitor: int = 0,
        observe: Observe = "auto",
        reading: float = 1.0,
        yields: float = 20.0,
        **shared: Any,
    ) -> None:
        """Take the screen, mouse and keyboard of the person.

        Args:
            panic_key: keys that stop the agent at once, whatever program is in front; empty for none.
            corner_stop: stop the agent when the mouse is moved by hand into a corner of the screen.
            monitor: which one of several is used, counted from 1; 0 for all together.
            observe: tree, vision, both, or auto: eyes only where the tree of a window says nothing. On a
                platform without a tree that is read, only eyes are left.
            reading: seconds that programs get to tell their elements.
            yields: most seconds to wait while the person moves the mouse; 0 to take it from their hand.
            shared: see `DesktopComputer`.
        """
        device, source = self._connect(observe)
        try:
            if panic_key or corner_stop:
                device.person = PersonWatch(lambda: self._ears(panic_key), corner_stop)
        except BaseException:
            source.close()
            device.close()
            raise
        seen, source = on_monitor(device, source, monitor)
        super().__init__(seen, source, reading=reading, yields=yields, **shared)

    @abstractmethod
    def assumptions(self) -> Iterator[tuple[str, bool, str]]:
        """What is taken for granted of the platform: what it is, whether it holds here, and what mends it."""

    @staticmethod
    @abstractmethod
    def _connect(observe: Observe) -> tuple[WatchedDevice, Source]:
        """The platform's device, and what sees the elements on it; nothing is left open after an error."""

    @staticmethod
    @abstractmethod
    def _ears(panic: str) -> Ears:
        """What hears the panic key and sees the pointer; made and used by one thread."""
