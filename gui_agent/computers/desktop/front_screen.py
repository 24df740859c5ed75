"""The one screen that a person works at, on platforms where there are no others: Windows and macOS."""

from __future__ import annotations

from abc import abstractmethod

from gui_agent.computers.desktop.computer import WAITS, DesktopComputer, Format
from gui_agent.computers.desktop.element_source import Observe
from gui_agent.computers.desktop.parts import Device, Source
from gui_agent.computers.desktop.settling import SettleTimes, Waits


class SingleScreenComputer(DesktopComputer):
    """The screen, mouse and keyboard of the person, with the programs and windows that are on it."""

    def __init__(
        self,
        *,
        open: str = "",
        observe: Observe = "auto",
        cap: int = 1500,
        picture_format: Format = "jpeg",
        reading: float = 1.0,
        yields: float = 20.0,
        settle_grace: float = WAITS.grace,
        settle_quiet: float = WAITS.quiet,
        settle_cap: float = WAITS.cap,
    ) -> None:
        """Take the screen, mouse and keyboard of the person.

        Args:
            open: a program or file to begin with.
            observe: tree, vision, both, or auto: eyes only where the tree of a window says nothing. On a
                platform without a tree that is read, only eyes are left.
            cap: most elements that an observation holds.
            reading: seconds that programs get to tell their elements.
            yields: most seconds to wait while the person moves the mouse; 0 to take it from their hand.
            settle_grace: seconds to wait for a first change after an action.
            settle_quiet: seconds without a change after which the screen counts as settled.
            settle_cap: most seconds to wait for a screen that does not come to rest.

        Raises:
            ConfigError: this is another platform.
            MissingExtra: the extra `desktop`, or `vision`, is not installed.
            ComputerLost: there is no screen.
        """
        device, source = self._connect(observe)
        patience = SettleTimes(Waits(settle_grace, settle_quiet, settle_cap))
        super().__init__(
            device,
            source,
            open=open,
            cap=cap,
            picture_format=picture_format,
            reading=reading,
            yields=yields,
            patience=patience,
        )

    @staticmethod
    @abstractmethod
    def _connect(observe: Observe) -> tuple[Device, Source]:
        """The platform's device, and what sees the elements on it; nothing is left open after an error."""
