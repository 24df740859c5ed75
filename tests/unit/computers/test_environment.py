"""A folder of this user's alone, and nothing else that stands under its name."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from gui_agent.computers.environment import private_place
from gui_agent.core.errors import ConfigError


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_private_place_is_made_once_and_open_to_nobody_else() -> None:
    folder = private_place("held")
    assert private_place("held") == folder and folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("other", ["file", "link", "dangling link", "open folder"])
def test_what_stands_in_the_place_of_a_private_folder_is_named(other: str, tmp_path: Path) -> None:
    folder = private_place("held")
    folder.rmdir()
    match other:
        case "file":
            folder.touch(mode=0o600)
        case "link":
            folder.symlink_to(tmp_path)
        case "dangling link":
            folder.symlink_to(tmp_path / "nowhere")
        case _:
            folder.mkdir()
            folder.chmod(0o755)
    with pytest.raises(ConfigError, match=f"{folder.name} is .*; remove it and try again"):
        private_place("held")
