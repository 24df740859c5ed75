"""Where files are: content beside the package or in an installed copy, and what is kept for the person."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private_folder

PACKAGE = Path(__file__).resolve().parent
FOLDERS = ("configs", "skills", "memory", "eval", "examples")


def content(name: str) -> Path:
    """The content folder, or the file in one, such as `content("configs/default.toml")`."""
    folder = name.partition("/")[0]
    if folder not in FOLDERS:
        raise ConfigError(f'there is no content folder "{folder}"; there are {", ".join(FOLDERS)}')
    for root in (PACKAGE / "shipped", PACKAGE.parent):
        if (root / name).exists():
            return root / name
    raise ConfigError(f"{name} is missing from this copy of guiagent; install it again")


_OLD = {"config": ".config/guiagent", "data": ".local/share/guiagent"}
"""Where these were on every system, below the home folder, whatever the environment said."""


def own_folder(kind: Literal["config", "data", "state", "cache"]) -> Path:
    """Where the system keeps files of a program for one person, or the environment (XDG) says that it does.

    What was kept elsewhere before is moved there once, unless that is outside of the person's home: such a
    place is one to try something apart.
    """
    import platformdirs

    folder = Path(getattr(platformdirs, f"user_{kind}_dir")("guiagent", False))
    home = Path.home()
    old = home / _OLD.get(kind, folder)
    if old != folder and home in folder.parents and old.is_dir():
        _move(old, folder)
    return folder


def _move(old: Path, folder: Path) -> None:
    """Move what is in a folder; what is in both places, or cannot be moved, stays where it is."""
    with suppress(OSError):
        private_folder(folder)
        for one in sorted(old.iterdir()):
            if not (folder / one.name).exists():
                one.rename(folder / one.name)
        old.rmdir()
