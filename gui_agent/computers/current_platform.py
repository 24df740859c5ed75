"""The screen in front of the person: `--on desktop` is the computer of the platform that this runs on."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from gui_agent.computers.windows.computer import WindowsComputer as FrontComputer
elif sys.platform == "darwin":
    from gui_agent.computers.macos.computer import MacComputer as FrontComputer
else:
    from gui_agent.computers.x11.computer import X11Computer as FrontComputer

__all__ = ["FrontComputer"]
