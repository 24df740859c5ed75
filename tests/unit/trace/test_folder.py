"""Each run gets a folder of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import ConfigError
from gui_agent.trace.writer import make_folder

NOW = datetime(2026, 1, 31, 9, 30, 5, tzinfo=UTC)


def test_runs_of_the_same_task_at_the_same_second_do_not_share_a_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(lambda _: make_folder(tmp_path, "Order lamps", NOW), range(20)))
    assert len(set(folders)) == 20
    assert tmp_path / "20260131-093005-order-lamps" in folders
    assert tmp_path / "20260131-093005-order-lamps-20" in folders


def test_a_long_task_is_cut_at_the_end_of_a_word(tmp_path: Path) -> None:
    made = make_folder(tmp_path, "Order three lamps, the green ones, and two chairs", NOW)
    assert made.name == "20260131-093005-order-three-lamps-the-green-ones-and-two"


@pytest.mark.parametrize("task", ["", "日本", "../../etc", "a/b\\c:d"])
def test_the_name_stays_inside_the_folder_of_runs(tmp_path: Path, task: str) -> None:
    assert make_folder(tmp_path, task, NOW).parent == tmp_path


@given(task=st.text())
def test_any_task_gives_a_plain_name(tmp_path_factory: pytest.TempPathFactory, task: str) -> None:
    made = make_folder(tmp_path_factory.mktemp("runs"), task, NOW)
    assert set(made.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(made.name) < 64


def test_a_root_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot keep runs in"):
        make_folder(tmp_path / "file", "x", NOW)
