"""The moving picture of a run: a frame before and after each step, captions, and nothing half written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from gui_agent import Agent, PlainPlanner, Task
from gui_agent.core.errors import ConfigError
from gui_agent.testing import FakeComputer, button, field, screen
from gui_agent.trace import RunWriter, read_run
from gui_agent.trace.animation import WIDTH, write_gif
from gui_agent.trace.reader import verify


@pytest.fixture
def run(tmp_path: Path) -> Path:
    writer = RunWriter(tmp_path)
    computer = FakeComputer(screen(field("Name"), button("Next")))
    Agent(computer, PlainPlanner(), observers=[writer]).run(Task('type "Ada" into "Name"'))
    return writer.folder


def test_each_step_is_shown_before_and_after_and_the_end_stays_longer(run: Path, tmp_path: Path) -> None:
    stored = read_run(run)
    with Image.open(write_gif(stored, tmp_path / "run.gif")) as moving:
        assert moving.n_frames == 2 * len(stored.trajectory.steps) + 1
        assert moving.width <= WIDTH
        first = moving.info["duration"]
        moving.seek(moving.n_frames - 1)
        assert moving.info["duration"] > first


def test_a_run_without_pictures_says_so_and_leaves_no_file(run: Path, tmp_path: Path) -> None:
    stored = read_run(run, pictures=False)
    with pytest.raises(ConfigError, match="no pictures"):
        write_gif(stored, tmp_path / "run.gif")
    assert not (tmp_path / "run.gif").exists()


def test_a_folder_that_cannot_be_written_to_is_an_error_of_one_line(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot write"):
        write_gif(read_run(run), tmp_path / "missing" / "run.gif")


def test_the_picture_is_no_change_of_the_run(run: Path) -> None:
    write_gif(read_run(run), run / "run.gif")
    assert verify(run).wrong == ()


def test_an_unfinished_run_is_shown_as_interrupted(run: Path, tmp_path: Path) -> None:
    stored = read_run(run)
    killed = replace(stored, trajectory=replace(stored.trajectory, ending=None))
    assert write_gif(killed, tmp_path / "run.gif").stat().st_size > 100
