"""Private displays with a name, which outlive the command that started them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from gui_agent.computers.virtual.private import PrivateDisplay, Running, ask
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.geometry import Size
from gui_agent.core.texts import suggestion

KEPT = "guiagent-desktops"
"""The folder of their files, in the one for temporary files."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,30}")
ENDING = 10.0


def start(name: str, size: Size, home: str = "") -> Running:
    """Start a display that stays until `stop`.

    Raises:
        ConfigError: the name is taken or cannot be one, or a part of it is not installed.
    """
    if not NAME.fullmatch(name):
        raise ConfigError(f'"{name}" cannot be the name of a desktop; use letters, digits, dots and dashes')
    folder = private_place(KEPT) / name
    if name in names():
        raise ConfigError(f'a desktop "{name}" runs already; stop it first, or use --on virtual:{name}')
    shutil.rmtree(folder, ignore_errors=True)  # left by one whose keeper was killed
    folder.mkdir(mode=0o700)
    display = PrivateDisplay(size, home=home, folder=folder, detached=True)
    display.let_go()
    return display.running


def names() -> list[str]:
    """The names of the displays that run."""
    return sorted(path.name for path in private_place(KEPT).iterdir() if _state(path) is not None)


def running(name: str) -> Running:
    """The display of this name."""
    state = _state(private_place(KEPT) / name) if NAME.fullmatch(name) else None
    if state is None:
        known = names()
        hint = suggestion(name, known) if known else f"; start it: guiagent desktop start {name}"
        raise ConfigError(f'no desktop "{name}" runs{hint}')
    return state


def stop(name: str) -> None:
    """End the display of this name and everything on it."""
    folder = running(name).folder
    ask(folder, {"do": "stop"})
    deadline = time.monotonic() + ENDING
    while folder.exists():
        if time.monotonic() > deadline:
            raise ComputerLost(f'the desktop "{name}" does not end; end its processes by hand')
        time.sleep(0.02)


def _state(folder: Path) -> Running | None:
    """What the keeper of a folder says, None when none lives there."""
    with contextlib.suppress(OSError, ValueError, KeyError, ComputerLost):
        state = Running.of(json.loads((folder / "state.json").read_text(encoding="utf-8")))
        ask(folder, {"do": "look"})
        return state
    return None


def private_place(name: str) -> Path:
    """A folder for temporary files under a known name: this user's, and nobody else's."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"{name}-{user}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    state = folder.lstat()
    if folder.is_symlink() or (hasattr(os, "getuid") and (state.st_uid != user or state.st_mode & 0o077)):
        raise ConfigError(f"{folder} is open to others; remove it and try again")
    return folder
