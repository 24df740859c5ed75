"""Locations of files: content beside the package or in an installed copy, and the person's own files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private_folder

PACKAGE = Path(__file__).resolve().parent
FOLDERS = ("configs", "skills", "memory", "examples")


def content(name: str) -> Path:
    """A content folder, or a file in one, such as `content("configs/default.toml")`."""
    folder = name.partition("/")[0]
    if folder not in FOLDERS:
        raise ConfigError(f'there is no content folder "{folder}"; there are {", ".join(FOLDERS)}')
    return shipped_path("guiagent", PACKAGE, PACKAGE.parent, name)


def shipped_path(distribution: str, package: Path, checkout: Path, name: str) -> Path:
    """A file or folder that comes with a distribution: in its installed package, or in a checkout.

    Raises:
        ConfigError: it is in neither.
    """
    for root in (package / "shipped", checkout):
        if (root / name).exists():
            return root / name
    raise ConfigError(f"{name} is missing from this copy of {distribution}; install it again")


_OLD = {"config": ".config/guiagent", "data": ".local/share/guiagent"}
"""Former locations below the home folder, the same on every system."""


Kind = Literal["config", "data", "state", "cache", "here"]
"""A kind of folder; `here` is the current one."""


def own_folder(kind: Kind) -> Path:
    """The folder where the system (or XDG in the environment) keeps a program's files for one person.

    Files in the former location are moved once, unless the folder is outside the person's home, as in a
    separate test environment.
    """
    import platformdirs

    if kind == "here":
        return Path()
    folder = Path(getattr(platformdirs, f"user_{kind}_dir")("guiagent", False))
    home = Path.home()
    old = home / _OLD.get(kind, folder)
    if old != folder and home in folder.parents and old.is_dir():
        _move(old, folder)
    return folder


LEFT_OUT: set[str] = set()
"""Names of the person's own files that this process finds no more, as in a benchmark."""


def own_file(kind: Kind, name: str) -> Path:
    """A file or folder in one of the person's folders; where it is left out, a place that has nothing."""
    return own_folder(kind).joinpath("left-out" * (name in LEFT_OUT), name)


def _move(old: Path, folder: Path) -> None:
    """Move the contents of a folder; files that exist in both places, or cannot be moved, stay."""
    with suppress(OSError):
        private_folder(folder)
        for one in sorted(old.iterdir()):
            if not (folder / one.name).exists():
                one.rename(folder / one.name)
        old.rmdir()
