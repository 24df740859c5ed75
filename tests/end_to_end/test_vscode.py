"""The extension for VS Code, run by node with a stand-in for the editor and the real `guiagent`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright._impl._driver import compute_driver_executable

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
PAGE = ROOT / "tests" / "pages" / "forms.html"


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    """Open a text in the extension and run commands; returns what a person sees."""
    program = tmp_path / "guiagent"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gui_agent "$@"\n')
    program.chmod(0o755)

    def open_text(text: str, *commands: str, **settings: Any) -> dict[str, Any]:
        file = tmp_path / "task.guiagent"
        file.write_text(text)
        node, stand_in = compute_driver_executable()[0], Path(__file__).parent / "vscode" / "run_extension.js"
        told = json.dumps({"program": str(program), "url": "", "options": [], **settings})
        call = [node, str(stand_in), str(EXTENSION / "extension.js"), str(file), told, *commands]
        done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True)
        seen: dict[str, Any] = json.loads(done.stdout)
        return seen

    return open_text


def test_the_part_that_is_no_command_is_marked_where_it_stands(opened: Any) -> None:
    (mark,) = opened('\nclick "Next"\nfrobnicate the "Name"\n')["marks"]
    assert mark["range"]["start"] == {"line": 2, "character": 0}
    assert mark["range"]["end"] == {"line": 2, "character": 21}
    assert "frobnicate" in mark["message"]


def test_commands_that_are_understood_have_no_mark_and_can_be_explained(opened: Any) -> None:
    seen = opened('click "Next", type "Ada" into "Name"', "guiagent.explain")
    assert seen["marks"] == []
    assert seen["output"].splitlines() == ['1. click "Next"', '2. type "Ada" into "Name"']


def test_a_run_shows_its_ending_and_its_last_picture_beside_the_text(opened: Any) -> None:
    task = 'type "<Ada>" into "Name"; read "Name" as name'
    seen = opened(task, "guiagent.run", url=PAGE.as_uri())
    assert seen["messages"] == []
    assert "<h2>done</h2>" in seen["panel"] and "<dd>&lt;Ada&gt;</dd>" in seen["panel"]
    picture = re.search(r'<img src="file://([^"]+)"', seen["panel"])
    assert picture and Path(picture[1]).stat().st_size > 1000


def test_a_program_that_is_not_there_is_said_with_what_to_do(opened: Any) -> None:
    seen = opened('click "Next"', "guiagent.run", program="/nowhere/guiagent")
    assert "install guiagent, or set guiagent.program" in seen["messages"][0]


def test_the_highlighting_knows_the_verbs_of_the_parser() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import make_grammar as m, json; print(json.dumps(m.grammar()))"],
        cwd=EXTENSION, capture_output=True, text=True, check=True,
    )  # fmt: skip
    kept = json.loads((EXTENSION / "syntaxes" / "guiagent.tmLanguage.json").read_text())
    assert json.loads(found.stdout) == kept, "run: python editors/vscode/make_grammar.py"
    verbs = next(one["match"] for one in kept["patterns"] if one["name"].startswith("keyword"))
    assert re.search("double click on", verbs) and re.search("take me to", verbs)
