"""Why a file cannot be used: known reasons come with advice, unknown ones in the system's words."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent.core.os_errors import real_path, replace_file, user_path, why


def test_a_missing_file_a_folder_and_a_file_in_the_way_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, told in (
        (tmp_path / "none", "no such file or folder; check the path"),
        (tmp_path, "it is a folder; give a file"),
        (tmp_path / "file" / "below", "a part of the path is no folder"),
    ):
        with pytest.raises(OSError) as caught:
            path.read_bytes()
        assert told in why(caught.value)


def test_bytes_that_are_no_text_are_told_without_the_codecs_words(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    with pytest.raises(UnicodeDecodeError) as caught:
        (tmp_path / "picture").read_text(encoding="utf-8")
    assert why(caught.value).startswith("it is not text in UTF-8")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_what_may_not_be_used_is_told_with_advice(number: int) -> None:
    assert why(OSError(number, "x", "f")) == "permission denied; change its permissions, or choose another"


def test_other_reasons_are_told_in_the_systems_words() -> None:
    assert why(OSError(errno.EIO, "Input/output error", "f")) == "input/output error"
    assert why(OSError("odd")) == "odd"


@pytest.mark.parametrize("text", ["a\0b", "~nobody-of-that-name/x", "\ud800", "a" * 300, "a/" * 3_000])
def test_a_name_that_no_file_can_have_is_a_path_to_nothing(text: str) -> None:
    assert not user_path(text).exists() and not real_path(text).exists()
    with pytest.raises(FileNotFoundError):
        user_path(text).read_bytes()


def test_a_home_folder_is_put_in() -> None:
    assert user_path("~/x") == Path.home() / "x"


def test_a_file_is_replaced_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    replace_file(file, b"old")

    def broken() -> Iterator[bytes]:
        yield b"ne"
        raise ValueError("cut off")

    with pytest.raises(ValueError, match="cut off"):
        replace_file(file, broken())
    assert [(one, one.read_bytes()) for one in tmp_path.iterdir()] == [(file, b"old")]
    assert file.stat().st_mode & 0o077 == 0
