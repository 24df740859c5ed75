"""The screen of a Wayland session as a computer: `--on desktop` there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gui_agent.computers.desktop.computer import WAITS, DesktopComputer, Format
from gui_agent.computers.desktop.element_source import Observe
from gui_agent.computers.desktop.monitor import on_monitor
from gui_agent.computers.desktop.parts import Device, Source
from gui_agent.computers.desktop.settling import SettleTimes, Waits
from gui_agent.core.errors import MissingExtra
from gui_agent.core.os_errors import user_path


class WaylandComputer(DesktopComputer):
    """The session in front of the person, with the programs and windows that are in it; experimental."""

    EXPERIMENTAL = "experimental: run on GNOME's compositor and portal without a real screen"

    def __init__(  # noqa: PLR0913 - the signature is the schema of the settings
        self,
        *,
        session: str = "",
        permission: str = "~/.local/state/guiagent/wayland",
        open: str = "",
        monitor: int = 0,
        observe: Observe = "auto",
        cap: int = 1500,
        picture_format: Format = "jpeg",
        reading: float = 3.0,
        asking: float = 120.0,
        settle_grace: float = WAITS.grace,
        settle_quiet: float = WAITS.quiet,
        settle_cap: float = WAITS.cap,
        settle_known: Mapping[str, float] | None = None,
    ) -> None:
        """Ask the person by the dialog of the desktop, unless an earlier answer is kept.

        Stopping to share the screen, as the desktop offers it while it is shared, stops the agent at once.

        Args:
            session: address of the D-Bus session; empty for that of the environment.
            permission: the file in which the answer is kept, if the desktop can; empty to be asked each time.
            open: a program or file to begin with.
            monitor: which one of several is used, counted from 1; 0 for all that the person shares.
            observe: tree, vision, both, or auto: eyes only for windows whose programs tell nothing. Eyes are
                needed in any case, as only they find where a window is.
            cap: most elements that an observation holds.
            reading: seconds that programs get to tell their elements.
            asking: seconds that the person gets to answer the dialog.
            settle_grace: seconds to wait for a first change after an action.
            settle_quiet: seconds without a change after which the screen counts as settled.
            settle_cap: most seconds to wait for a screen that does not come to rest.
            settle_known: seconds within which programs came to rest in earlier runs, by application.

        Raises:
            ConfigError: the desktop has no such portals, GStreamer is missing, or there is no such monitor.
            MissingExtra: the extra `desktop` or `vision` is not installed.
            ComputerLost: the person does not allow it.
        """
        device, source = _parts(session, user_path(permission) if permission else None, observe, asking)
        device, source = on_monitor(device, source, monitor)
        patience = SettleTimes(Waits(settle_grace, settle_quiet, settle_cap), settle_known)
        super().__init__(
            device,
            source,
            open=open,
            cap=cap,
            picture_format=picture_format,
            reading=reading,
            patience=patience,
        )


def _parts(session: str, kept: Path | None, observe: Observe, asking: float) -> tuple[Device, Source]:
    try:
        from gui_agent.computers.atspi.source import AtspiSource
        from gui_agent.computers.wayland.device import WaylandDevice
        from gui_agent.computers.wayland.frames import MonitorPictures
        from gui_agent.computers.wayland.portal import PortalSession
        from gui_agent.computers.wayland.source import WaylandSource
        from gui_agent.computers.wayland.windows import SessionWindows
        from gui_agent.computers.x11.programs import LocalLauncher
    except ImportError as error:
        raise MissingExtra("desktop", "a desktop") from error
    try:
        from gui_agent.computers.vision.source import VisionSource
    except ImportError as error:
        raise MissingExtra("vision", "finding the windows of a Wayland session") from error
    portal = PortalSession(session, kept, asking)
    try:
        frames = MonitorPictures(portal.streams, portal.pipewire)
        windows = SessionWindows(session)
        device = WaylandDevice(portal, frames, windows, LocalLauncher())
        eyes = VisionSource(grab=device.grab)
        return device, WaylandSource(AtspiSource(session, wayland=True), eyes, windows, observe)
    except BaseException:
        portal.close()
        raise
