"""Downloads and uploads."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from gui_agent.core.actions import Upload
from gui_agent.core.errors import ActionFailed


def heard(desk: Any, count: int) -> list[str]:
    """What the last look told, and those after it until it is so much."""
    notices, end = list(desk.seen.notices), time.monotonic() + 60
    while len(notices) < count and time.monotonic() < end:
        notices += desk.look().notices
    return notices


def test_a_download_is_kept_and_told(desk: Any) -> None:
    desk.open("files.html")
    desk.use("Get report")
    notices = heard(desk, 1)
    target = Path(notices[0].removeprefix("downloaded report.csv to "))
    assert target.read_text() == "a,b\n1,2\n"
    assert target.parent == desk.downloads
    assert desk.seen.place.title == "Files"


def test_a_second_download_of_the_same_name_replaces_nothing(own_desk: Any) -> None:
    desk = own_desk()
    desk.open("files.html")
    for _ in range(2):
        desk.use("Get report")
        heard(desk, 1)
    assert sorted(path.name for path in desk.downloads.iterdir()) == ["report (1).csv", "report.csv"]


@pytest.mark.parametrize("name", ["One file", "Choose a file"])
def test_a_file_is_given_to_a_field_or_its_button(desk: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("dear")
    desk.open("files.html")
    desk.use(name, Upload, (str(path),))
    assert "letter.txt" in desk.text()


def test_many_files_go_only_where_many_are_taken(desk: Any, tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in paths:
        path.write_text("x")
    desk.open("files.html")
    desk.use("Many files", Upload, tuple(map(str, paths)))
    assert "a.txt, b.txt" in desk.text()
    with pytest.raises(ActionFailed, match="takes one file"):
        desk.use("One file", Upload, tuple(map(str, paths)))


def test_files_that_cannot_be_given(desk: Any, tmp_path: Path) -> None:
    desk.open("files.html")
    with pytest.raises(ActionFailed, match="there is no file"):
        desk.use("One file", Upload, (str(tmp_path / "none.txt"),))
    path = tmp_path / "a.txt"
    path.write_text("x")
    with pytest.raises(ActionFailed, match="no file chooser opened"):
        desk.use("Nothing", Upload, (str(path),))


def test_a_click_that_asks_for_files_is_told(desk: Any) -> None:
    desk.open("files.html")
    desk.use("Choose a file")
    notices = heard(desk, 1)
    assert notices == ["a file chooser opened; use upload to give it files"]
