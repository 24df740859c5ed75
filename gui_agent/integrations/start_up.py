"""Starts the workbench whenever the person logs in: by systemd, launchd or the task planner of Windows."""

from __future__ import annotations

import os
import plistlib
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gui_agent.content import own_folder
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import save_file

_NAME = "guiagent-serve"
_UNIT = """\
[Unit]
Description=guiagent: the workbench and its schedules
[Service]
ExecStart={}
WorkingDirectory={}
Restart=on-failure
RestartSec=5
[Install]
WantedBy=default.target
"""


def install(arguments: Sequence[str]) -> str:
    """Have `guiagent serve` with these arguments started now and at each login.

    Returns:
        What starts it, in words.

    Raises:
        ConfigError: nothing on this machine does so, or it refused; the message says what to do instead.
    """
    command = [sys.executable, "-m", "gui_agent", "serve", *arguments]
    if sys.platform == "darwin":
        agent = {"Label": _NAME, "ProgramArguments": command, "WorkingDirectory": str(Path.cwd())}
        save_file(_agent(), plistlib.dumps({**agent, "RunAtLoad": True}))
        return _starter("launchctl", "bootstrap", f"gui/{os.getuid()}", str(_agent()))
    if sys.platform == "win32":
        line = subprocess.list2cmdline(command)
        return _starter("schtasks", "/Create", "/F", "/SC", "ONLOGON", "/TN", _NAME, "/TR", line)
    if _is_done("systemctl", "--user", "show-environment"):
        save_file(
            _unit(),
            _UNIT.format(*(_unit_text(one) for one in (shlex.join(command), str(Path.cwd())))).encode(),
        )
        _is_done("systemctl", "--user", "daemon-reload")
        return _starter("systemctl", "--user", "enable", "--now", f"{_NAME}.service")
    raise ConfigError(
        "there is no systemd of yours here, which would start it: let your session start this command: "
        + shlex.join(command)
    )


def uninstall() -> bool:
    """Stop what `install` set up. Returns whether there was anything."""
    if sys.platform == "win32":
        return _is_done("schtasks", "/Delete", "/F", "/TN", _NAME)
    kept = _agent() if sys.platform == "darwin" else _unit()
    if not kept.exists():
        return False
    if sys.platform == "darwin":
        _is_done("launchctl", "bootout", f"gui/{os.getuid()}", str(kept))
    else:
        _is_done("systemctl", "--user", "disable", "--now", kept.name)
    kept.unlink()
    return True


def _unit() -> Path:
    return own_folder("config").parent / "systemd/user" / f"{_NAME}.service"


def _agent() -> Path:
    return Path.home() / "Library/LaunchAgents" / f"{_NAME}.plist"


def _unit_text(text: str) -> str:
    """A text for a unit of systemd, in which % begins a name."""
    return text.replace("%", "%%")


def _starter(*command: str) -> str:
    if not _is_done(*command):
        raise ConfigError(f"{command[0]} did not start it; see what it says: {shlex.join(command)}")
    return command[0]


def _is_done(*command: str) -> bool:
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(command, capture_output=True, timeout=20, check=True)
        return True
    return False
