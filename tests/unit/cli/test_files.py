"""Files that a person gives: what is in the way is told in one line with what to do, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.cli import runs
from gui_agent.settings import state_folder
from tests.unit.cli.conftest import Called

Guiagent = Callable[..., Called]
RUBBISH = bytes(range(128, 256))


@pytest.fixture(autouse=True)
def _files() -> None:
    Path("folder").mkdir()
    Path("folder.json").mkdir()
    for ending in ("toml", "json", "md"):
        Path(f"rubbish.{ending}").write_bytes(RUBBISH)
    Path("empty.json").touch()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("memory stats -c none.toml", "none.toml: there is no such file or folder; check the path"),
        ("memory stats -c folder", "folder: it is a folder; give a file"),
        (
            "memory stats -c rubbish.toml",
            "rubbish.toml: it is not text in UTF-8; give another",
        ),
        ("memory stats --set memory.path=folder", "folder is a folder; give a file with --set memory.path="),
        (
            "memory import none.json",
            "none.json cannot be read: there is no such file or folder; check the path",
        ),
        ("memory import folder.json", "folder.json cannot be read: it is a folder; give a file"),
        ("memory import rubbish.json", "rubbish.json cannot be read: it is not text in UTF-8; give another"),
        ("memory import empty.json", "empty.json: the first line must be "),
        ("learn folder.json", "folder.json is not the folder of a run (has no run.json); list them with"),
        ("learn empty.json", "empty.json: the file is empty"),
        ("learn rubbish.json", "rubbish.json: cannot be read: it is not text in UTF-8; give another"),
        ("show empty.json", "empty.json is a file, not the folder of a run; list them with"),
        ("resume none", "there are no runs in {state}/runs yet; do a task with: guiagent run"),
        ("skills add none.md", "none.md: there is no such file or folder; check the path"),
        ("skills add rubbish.md", "rubbish.md: it is not text in UTF-8; give another"),
        ("skills add folder", "folder: there is no SKILL.md in it; give a folder that has one"),
        (
            "eval show folder",
            "folder is not a benchmark run, and there are none in {state}/eval; start one with",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line_with_advice(
    guiagent: Guiagent, command: str, said: str
) -> None:
    code, out, err = guiagent(*command.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said.format(state=state_folder("runs").parent) in err and "Errno" not in err and "codec" not in err


def test_a_file_that_one_may_not_use_is_no_fault_in_the_program(
    guiagent: Guiagent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(name: str, root: Path) -> Path:
        raise PermissionError(13, "Permission denied", f"{name}/run.json")

    monkeypatch.setattr(runs, "find_run", denied)
    assert guiagent("show", "theirs") == (
        2,
        "",
        "guiagent: theirs/run.json: permission denied; change its permissions, or choose another\n",
    )


@pytest.mark.parametrize(
    ("journal", "said"),
    [
        ("", "journal.json is damaged, not JSON"),
        ("[]", "journal.json is damaged, not a table"),
        ('{"format": "guiagent-eval-1"}', "does not say how the run was started; start the run again"),
        ('{"format": "guiagent-eval-1", "tasks": [], "seeds": []}', "does not say how the run was started"),
    ],
)
def test_a_damaged_benchmark_run_is_not_resumed(guiagent: Guiagent, journal: str, said: str) -> None:
    Path("folder/journal.json").write_text(journal)
    code, _, err = guiagent("eval", "resume", "folder")
    assert (code, said in err) == (2, True)


def test_a_damaged_line_of_a_benchmark_run_is_named_with_what_to_do(guiagent: Guiagent) -> None:
    Path("folder/journal.json").write_text("{}")
    Path("folder/episodes.jsonl").write_text('{"task": "a", \n')
    code, _, err = guiagent("eval", "show", "folder")
    assert (code, "episodes.jsonl line 1: " in err, "take the line out" in err) == (2, True, True)
