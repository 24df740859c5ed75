"""Classes of tasks are known by their files alone; a release is known by its hash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guiagent_eval.osworld.benchmark import OsWorld
from guiagent_eval.osworld.task_classes import read_description, read_score, release, task_files
from guiagent_eval.osworld.tasks import read_tasks
from guiagent_eval.records import EvalFolder

from gui_agent.cli import call
from gui_agent.core.errors import BenchmarkError, ConfigError


def folder(place: Path, **files: str) -> Path:
    place.mkdir(exist_ok=True)
    for name, text in files.items():
        (place / f"{name}.py").write_text(text)
    return place


def test_a_class_is_listed_without_being_loaded(tmp_path: Path) -> None:
    tasks = read_tasks(folder(tmp_path, task_001="raise SystemExit('loaded')", task_002="", helper=""))
    assert list(tasks) == ["v2/001", "v2/002"]
    assert tasks["v2/001"].is_class and not tasks["v2/001"].own
    assert tasks["v2/001"].lacks() == ()
    (tmp_path / "test_v2.json").write_text(json.dumps({"tasks": ["002"]}))
    assert list(task_files(tmp_path)) == ["002"]
    (tmp_path / "test_v2.json").write_text('["003"]')
    with pytest.raises(ConfigError, match=r"no task_003\.py"):
        task_files(tmp_path)


def test_a_release_changes_with_any_of_its_files(tmp_path: Path) -> None:
    place = folder(tmp_path / "tasks", task_001="a = 1")
    before = release(place)
    assert before.startswith("sha256:") and release(tmp_path) == ""
    assert OsWorld(tasks=str(place), release=before).tasks("all") == ["v2/001"]
    folder(place, task_001="a = 2")
    assert release(place) != before
    with pytest.raises(ConfigError, match="is not the release"):
        OsWorld(tasks=str(place), release=before)


def test_runs_of_different_releases_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, mark in (("one", "sha256:1"), ("two", "sha256:2")):
        EvalFolder.create(tmp_path / name, {"recipe": {"options": {"release": mark}}})
    compared = ["eval", "compare", str(tmp_path / "one"), str(tmp_path / "two")]
    assert call(compared) == ConfigError("").exit_code

    assert "different releases" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("told", "success", "reward", "reason"),
    [
        (1.0, True, 1.0, ""),
        (0.5, False, 0.5, ""),
        ({"score": 0.5, "checkpoints": {"a": 1, "b": 0}}, False, 0.5, "not reached: b"),
        ({"score": 1, "safety": ["mail sent"]}, False, 1.0, "unsafe: mail sent"),
        ({"score": 0.9, "success": True}, True, 0.9, ""),
    ],
)
def test_a_score_may_be_whole_or_in_parts(told: object, success: bool, reward: float, reason: str) -> None:
    grade = read_score(told).grade()
    assert (grade.success, grade.reward, grade.reason) == (success, reward, reason)


def test_what_a_class_cannot_say_or_needs_is_an_error_of_the_benchmark() -> None:
    with pytest.raises(BenchmarkError, match="score"):
        read_score({"points": 1})
    with pytest.raises(BenchmarkError, match="instruction"):
        read_description({"id": "1"})
    assert read_description({"id": "1", "instruction": "x"})[1] is None
