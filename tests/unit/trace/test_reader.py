"""Runs are read back whatever happened to their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gui_agent.core.dialogue import Reply, Request
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.testing import FakeComputer, button, do, screen
from gui_agent.trace.reader import UNKNOWN, list_runs, read_run
from gui_agent.trace.writer import RunWriter

Contact = Callable[..., Trajectory]


@pytest.fixture
def folder(tmp_path: Path, contact: Contact) -> Path:
    """A finished run."""
    writer = RunWriter(tmp_path / "runs")
    contact(writer)
    assert writer.folder is not None
    return writer.folder


def test_a_run_without_an_ending_was_interrupted(folder: Path) -> None:
    (folder / "ending.json").unlink()
    run = read_run(folder)
    assert not run.complete
    assert run.trajectory.ending is None
    assert "interrupted (no ending was written)" in run.problems
    assert len(run.trajectory.steps) == 6
    assert run.seconds > 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(share=st.floats(0, 1), name=st.sampled_from(["steps.jsonl", "observations.jsonl"]))
def test_a_file_cut_anywhere_is_read_up_to_there(folder: Path, share: float, name: str) -> None:
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: round(len(whole) * share)])
    run = read_run(folder)
    (folder / name).write_bytes(whole)
    complete = read_run(folder)
    assert len(run.trajectory.steps) <= len(complete.trajectory.steps)
    for step, original in zip(run.trajectory.steps, complete.trajectory.steps, strict=False):
        assert step.planned == original.planned
        assert step.before in (original.before, UNKNOWN)


def test_a_damaged_line_in_the_middle_is_left_out_and_told(folder: Path) -> None:
    path = folder / "observations.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    whole = read_run(folder)
    path.write_bytes(b"".join([lines[0], b'{"number": 2, "si\n', *lines[2:]]))
    run = read_run(folder)
    assert any(problem.startswith("left out observations.jsonl line 2") for problem in run.problems)
    last = run.trajectory.steps[-1].after
    assert last == whole.trajectory.steps[-1].after, "a lost line must not shift the elements of later ones"


def test_a_missing_picture_is_told(folder: Path) -> None:
    (folder / "images" / "0001.png").unlink()
    run = read_run(folder)
    assert run.trajectory.steps[0].before.screenshot is None
    assert run.problems == ("the picture 0001.png is missing",)


def test_pictures_can_be_left_out(folder: Path) -> None:
    assert all(step.before.screenshot is None for step in read_run(folder, pictures=False).trajectory.steps)


def test_what_is_not_a_run_is_told_in_one_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ConfigError, match="not the folder of a run") as caught:
            read_run(path)
        assert "guiagent show --list" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b'{"format":"guiagent-run-9","id":"x"}', b"\xff\xfe"])
def test_a_broken_description_is_told_in_one_line(folder: Path, content: bytes) -> None:
    (folder / "run.json").write_bytes(content)
    with pytest.raises(ConfigError, match="damaged or from another version") as caught:
        read_run(folder)
    assert "\n" not in str(caught.value)
    assert list_runs(folder.parent)[0].ending.startswith("unreadable")


def test_runs_are_listed_newest_first(tmp_path: Path, contact: Contact) -> None:
    writer = RunWriter(tmp_path)
    for task in ("first", "second", "third"):
        contact(writer, killed=task == "second", task=task)
    writer.close()
    (tmp_path / "something else").mkdir()
    runs = list_runs(tmp_path)
    assert [run.task for run in runs] == ["third", "second", "first"]
    assert [run.ending for run in runs] == ["done", "interrupted", "done"]
    assert [run.steps for run in runs] == [6, 5, 6]


def test_the_list_tells_what_the_models_of_each_run_cost(
    tmp_path: Path, player: Callable[..., Trajectory]
) -> None:
    writer, asked = RunWriter(tmp_path), Request("plan", (), "", ())
    for cost in (0.02, None):
        told = SimpleNamespace(decided=lambda _, cost=cost: writer.asked((asked, Reply("done"), cost)))
        observers = [writer, SimpleNamespace(started=print, ended=print, stepped=print, decided=told.decided)]
        player(FakeComputer(screen(button("Go"))), [do(), do()], observers, "Go", Ending("done"))
    assert sorted(run.cost for run in list_runs(tmp_path)) == [0.0, 0.04]


def test_no_folder_of_runs_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there are no runs in"):
        list_runs(tmp_path / "runs")
