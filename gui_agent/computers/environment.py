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
    """The variables of this process, without secrets."""
    return public_variables(os.environ)


def adopt(variables: Mapping[str, str]) -> None:
    """Replace the variables of this process by these."""
    os.environ.clear()
    os.environ.update(variables)


def private_place(name: str) -> Path:
    """A folder for temporary files under a fixed name, owned by and readable only for this user."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"{name}-{user}"
    with contextlib.suppress(FileExistsError):  # an existing file is checked below
        folder.mkdir(mode=0o700)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise ConfigError(f"{folder} is not a folder; remove it and try again")
    if hasattr(os, "getuid") and (state.st_uid != user or state.st_mode & 0o077):
        raise ConfigError(f"{folder} is accessible to other users; remove it and try again")
    return folder
