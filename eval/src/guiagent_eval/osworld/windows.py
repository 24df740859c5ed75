"""The screen of a Windows guest with OSWorld's protocol, as WindowsAgentArena's server has it."""

from __future__ import annotations

from guiagent_platforms.remote.client import GuestClient
from guiagent_platforms.remote.computer import OsworldDevice

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.elements import with_source
from gui_agent.computers.desktop.parts import OneWindow
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point

POINTER = "import pyautogui; print(*pyautogui.position())"
"""Asked as a script, because that server's own route for it fails."""


class WindowsGuestDevice(OneWindow, OsworldDevice):
    """Picture and input; the whole screen is one window, as that server does not list windows."""

    platform, title = "windows", "Windows"

    @property
    def pointer(self) -> Point:
        self.flush()
        x, y = map(int, self._output_of("python", "-c", POINTER).split())
        return Point(round(x / self.scale[0]), round(y / self.scale[1]))

    def launch(self, name: str) -> None:
        self.flush()
        reply = self._client.post("/setup/open_file", {"path": name}, limit=300.0)
        if not reply.ok:
            raise ActionFailed(f'the guest cannot open "{name}": {reply.line}')
        self.title = name  # Only this tells those who wait that something has opened.


def windows_computer(address: str, *, guest_token: str = "") -> DesktopComputer:
    """A guest read by vision: that server's element tree names classes of windows, and no roles.

    Raises:
        ComputerLost: no guest answers.
    """
    device = WindowsGuestDevice(GuestClient(address, guest_token))
    return DesktopComputer(*with_source(device, "vision"))
