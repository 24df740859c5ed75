"""A desktop behind RDP as a computer, seen by vision alone: `--on rdp:[USER@]HOST[:PORT]`.

The system's own client shows it on a private display, invisible to the user.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PIL.Image import Image

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.elements import seeing
from gui_agent.computers.desktop.parts import OneWindow
from gui_agent.computers.environment import for_children
from gui_agent.computers.virtual.private import PrivateDisplay
from gui_agent.computers.x11.device import X11Device
from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Box, Size

PASSWORD = "RDP_PASSWORD"
"""Name of the secret with the password."""
PATIENCE = 30.0
"""Maximum seconds for the desktop to appear."""
PAINTING = 5.0
"""Seconds for a connected desktop to show something."""
LOOK = 0.1
CLIENTS = ("xfreerdp3", "xfreerdp")
LOGIN = frozenset((132, 134, 135, 144, *range(148, 160)))
"""The client's exit codes for account problems."""
_ADDRESS = re.compile(r"(?:(?P<user>.+)@)?(?P<host>\[[^\]]+\]|[^:\[\]@\s/]+)(?::(?P<port>\d{1,5}))?")


def address_of(name: str) -> tuple[str, str]:
    """User (may be empty), and `HOST` or `HOST:PORT` of an address."""
    told = _ADDRESS.fullmatch(name.strip())
    if told is None or not 0 < int(told["port"] or 1) < 2**16:
        raise ConfigError(
            f'"{name}" is not an address of an RDP server; write rdp:USER@HOST or rdp:USER@HOST:3390'
        )
    return told["user"] or "", told["host"] + (f":{told['port']}" if told["port"] else "")


class RdpDevice(OneWindow, X11Device):
    """A private display that the system's client fills with a server's desktop."""

    platform = "rdp"

    def __init__(self, display: str, name: str, password: str, certificate: str) -> None:
        """Show the desktop. Raises ConfigError or ComputerLost if the client cannot connect."""
        user, self.title = address_of(name)
        client = next(filter(None, map(shutil.which, CLIENTS)), None)
        if client is None:
            raise ConfigError("xfreerdp is not installed; on Debian or Ubuntu: apt-get install freerdp2-x11")
        # The password goes through the pipe, because everyone on this machine can read arguments.
        login = [f"/u:{user}", "/from-stdin:force"] if user else []
        command = [client, f"/v:{self.title}", f"/cert:{certificate}", "/f", "-toggle-fullscreen", *login]
        super().__init__(display, self, wait=PATIENCE)
        self.wait_for_manager(PATIENCE)
        self._client = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**for_children(), "DISPLAY": display},
        )
        assert self._client.stdin is not None
        with suppress(BrokenPipeError), self._client.stdin as pipe:
            pipe.write(f"{password}\n".encode())
        self._wait(PATIENCE, self._windows.list)
        with suppress(ComputerLost):
            self._wait(PAINTING, lambda: self.grab().getcolors(1) is None)

    def grab(self, box: Box | None = None) -> Image:
        self._check()
        return super().grab(box)

    def type_text(self, text: str) -> None:
        strange = next((one for one in text if not one.isascii()), "")
        if strange:  # the client sends keys of a keyboard, and none has this letter
            raise ActionFailed(f"the letter {strange!r} cannot be typed over RDP; leave it out")
        super().type_text(text)

    def close(self) -> None:
        """End the client, and release the display; may be called twice."""
        self._client.kill()  # it keeps nothing, and might ignore a request to end
        self._client.wait()
        super().close()

    def _wait(self, limit: float, holds: Callable[[], object]) -> None:
        for _ in range(int(deadline.remaining(limit) / LOOK)):
            self._check()
            if holds():
                return
            deadline.sleep(LOOK)
        raise ComputerLost(f"the RDP server at {self.title} did not answer within {limit:g} s")

    def _check(self) -> None:
        code = self._client.poll()
        if code in LOGIN:
            told = f"give it with --secret {PASSWORD}=SOURCE or in GUIAGENT_SECRET_{PASSWORD}"
            raise ConfigError(f"the RDP server requires another user (rdp:USER@HOST) or password; {told}")
        if code is not None:
            gone = f"the RDP client has ended ({code}): the desktop at {self.title} is gone"
            raise ComputerLost(
                f"{gone}; check that the server is running, and whether its certificate has changed"
            )


class RdpComputer(DesktopComputer):
    """A desktop behind RDP: read by vision, operated with mouse and keys."""

    def __init__(
        self,
        name: str,
        *,
        password: Callable[[], str] = str,
        size: tuple[int, int] = (1280, 800),
        certificate: str = "tofu",
        **shared: Any,
    ) -> None:
        """Connect.

        Args:
            name: `USER@HOST` or `USER@HOST:PORT`; without a user, shows the server's own login.
            password: returns the password if there is one.
            size: of the desktop, in pixels.
            certificate: accepted ones, as in the client's `/cert:`: tofu remembers a host's first one and
                refuses another one later, `fingerprint:sha256:...` accepts only that one, ignore any.
            shared: see `DesktopComputer`.
        """
        address_of(name)
        own = PrivateDisplay(Size(*size))
        try:
            device = RdpDevice(own.running.display, name, password(), certificate)
            source = seeing("vision", None, device.grab)
        except BaseException:
            own.close()
            raise
        super().__init__(device, source, ending=own.close, **shared)
