"""A Windows desktop as a computer: `--on desktop` there."""

from __future__ import annotations

from gui_agent.computers.desktop.computer import WAITS, DesktopComputer, Format
from gui_agent.computers.desktop.patience import Patience, Waits
from gui_agent.computers.desktop.seeing import Observe, seeing


class WindowsComputer(DesktopComputer):
    """A Windows desktop, with the programs and windows that are on it."""

    def __init__(
        self,
        *,
        open: str = "",
        observe: Observe = "auto",
        cap: int = 1500,
        picture_format: Format = "jpeg",
        reading: float = 1.0,
        settle_grace: float = WAITS.grace,
        settle_quiet: float = WAITS.quiet,
        settle_cap: float = WAITS.cap,
    ) -> None:
        """Take the screen, mouse and keyboard of the person.

        Args:
            open: a program or file to begin with.
            observe: tree, vision, both, or auto: eyes only where the tree of a window says nothing.
            cap: most elements that an observation holds.
            reading: seconds that programs get to tell their elements.
            settle_grace: seconds to wait for a first change after an action.
            settle_quiet: seconds without a change after which the screen counts as settled.
            settle_cap: most seconds to wait for a screen that does not come to rest.

        Raises:
            ConfigError: this is another platform.
            MissingExtra: the extra `desktop`, or `vision`, is not installed.
            ComputerLost: there is no screen.
        """
        from gui_agent.computers.windows.device import WindowsDevice
        from gui_agent.computers.windows.source import UiaSource

        device = WindowsDevice()
        try:
            source = seeing(observe, lambda: UiaSource(lambda: device.corner), device.grab)
        except BaseException:
            device.close()
            raise
        patience = Patience(Waits(settle_grace, settle_quiet, settle_cap))
        super().__init__(
            device, source, cap=cap, picture_format=picture_format, reading=reading, patience=patience
        )
        try:
            self.start(open)
        except BaseException:
            self.close()
            raise
