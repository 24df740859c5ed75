"""The first examples of the README do what they say in a fresh checkout, as they are written."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(
    r"^```(\w+)\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
)
FOR_A_PERSON = ("show",)
"""Commands that open a window for a person."""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a checkout ships, and a home in which nothing was done before."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_on_the_page_that_is_shipped_all_succeed(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They build on each other: run, learn, run with new values, check, promote."""
    (commands,) = [block for kind, block in BLOCKS if kind == "sh" and "examples/" in block]
    words = shlex.split(re.sub(r"\\\n", " ", commands), comments=True)
    starts = [place for place, word in enumerate(words) if word == "guiagent"]
    calls = [words[a + 1 : b] for a, b in zip(starts, [*starts[1:], len(words)], strict=True)]
    assert [one[0] for one in calls[:5]] == ["run", "learn", "run", "check", "skills"]
    for arguments in calls:
        if arguments[0] not in (*FOR_A_PERSON, "doctor"):
            assert call(arguments) == 0, (arguments, capsys.readouterr())
    assert call(["skills", "list"]) == 0
    assert "send-message" in capsys.readouterr().out


def test_the_snippet_in_python_runs_and_reads_what_it_typed(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (snippet,) = [block for kind, block in BLOCKS if kind == "python"]
    names: dict[str, Any] = {}
    exec(compile(snippet, "README.md", "exec"), names)
    assert names["result"].ok
    assert list(names["result"].notes.values()) == ["Ada"]
    assert "True" in capsys.readouterr().out
