"""Where the content folders are: beside the package in a checkout, inside it in an installed copy."""

from __future__ import annotations

from pathlib import Path

from gui_agent.core.errors import ConfigError

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
