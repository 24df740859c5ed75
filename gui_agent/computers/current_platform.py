"""The screen in front of the user: `--on desktop` is the computer class for the current platform.

Those of Windows and macOS are entry points of `gui_agent.desktops`, under Python's name of the platform.
"""

from __future__ import annotations

import sys

if sys.platform in ("win32", "darwin"):
    from gui_agent import plugins

    LocalComputer = plugins.find("desktops", sys.platform)
else:
    from gui_agent.computers.x11.computer import X11Computer as LocalComputer

__all__ = ["LocalComputer"]
