"""Whoever changes the folder of a run afterwards is found out by its seals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.agent.loop import Agent
from gui_agent.cli import call
from gui_agent.core.actions import Click
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Words
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    screen,
)
from gui_agent.trace.reader import verify
from gui_agent.trace.writer import RunWriter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    planner = ScriptedPlanner([do(Click(Words("Send"))), do(Click(Words("Save"))), done("sent")])
    computer = FakeComputer(screen(button("Send"), button("Save")))
    parts = {"grounder": ExactGrounder(), "guard": OpenGuard()}
    Agent(computer, planner, observers=[RunWriter(tmp_path)], **parts).run("send it")  # type: ignore[arg-type]
    (made,) = tmp_path.iterdir()
    return made


def test_an_untouched_run_is_sound(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = verify(folder)
    assert (found.wrong, found.ended, found.lines) == ((), True, 5)
    (folder / "report.html").write_text("made later")
    assert call(["audit", "verify", str(folder)]) == 0
    assert found.seal in capsys.readouterr().out


def _line(number: int, old: bytes = b"Send", new: bytes = b"Keep") -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        lines = (folder / "steps.jsonl").read_bytes().splitlines(keepends=True)
        lines[number] = lines[number].replace(old, new)
        (folder / "steps.jsonl").write_bytes(b"".join(lines))

    return change


def _drop(folder: Path) -> None:
    lines = (folder / "steps.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "steps.jsonl").write_bytes(b"".join(lines[:-1]))


def _drop_both(folder: Path) -> None:
    _drop(folder)
    lines = (folder / "audit.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "audit.jsonl").write_bytes(b"".join(lines[:-1]))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_line(0), "line 1"),
        (_line(3, b"changed", b"removed"), "line 4"),
        (_drop, "missing"),
        (_drop_both, "does not belong"),
        (lambda folder: (folder / "run.json").write_text("{}"), "run.json was changed"),
        (lambda folder: (folder / "extra.json").write_text("{}"), "extra.json was added"),
        (lambda folder: (folder / "observations.jsonl").unlink(), "observations.jsonl is missing"),
        (lambda folder: (folder / "audit.json").unlink(), "audit.json is missing"),
        (lambda folder: (folder / "audit.json").write_text("[" * 9999), "audit.json is missing or damaged"),
        (lambda folder: (folder / "audit.jsonl").write_text("[1]\n" * 5), "line 1"),
    ],
)
def test_a_change_is_named(
    change: Callable[[Path], object], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "steps.jsonl").read_bytes()
    change(folder)
    if "line 4" in says and (folder / "steps.jsonl").read_bytes() == before:
        _line(3, b"no_change", b"confirmed")(folder)
    assert any(says in line for line in verify(folder).wrong), verify(folder)
    assert call(["audit", "verify", str(folder)]) == 4
    assert says in capsys.readouterr().out


def test_new_seals_for_changed_lines_have_another_last_seal(folder: Path) -> None:
    kept = verify(folder).seal
    told = json.loads((folder / "audit.json").read_text())
    told["files"]["run.json"] = "0" * 64
    (folder / "audit.json").write_text(json.dumps(told))
    assert verify(folder).wrong
    assert verify(folder).seal == kept, "the seal is over the files that were there"


def test_a_folder_without_seals_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no audit log"):
        verify(tmp_path)
