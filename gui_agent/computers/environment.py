"""The environment of programs that the agent starts: its own, without secrets."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gui_agent.core.errors import ConfigError
from gui_agent.core.redaction import public_variables


def for_children() -> dict[str, str]:
    """The variables of this process, without anything secret."""
    return public_variables(os.environ)


def adopt(variables: Mapping[str, str]) -> None:
    """Make these the variables of this process, instead of those that it has."""
    os.environ.clear()
    os.environ.update(variables)


def private_place(name: str) -> Path:
    """A folder for temporary files under a known name: this user's, and nobody else's."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"{name}-{user}"
    with contextlib.suppress(FileExistsError):  # whatever it is, it is looked at below
        folder.mkdir(mode=0o700)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise ConfigError(f"{folder} is no folder; remove it and try again")
    if hasattr(os, "getuid") and (state.st_uid != user or state.st_mode & 0o077):
        raise ConfigError(f"{folder} is open to others; remove it and try again")
    return folder
