"""`guiagent run --json-lines` tells programs what happens while it happens."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = "<!doctype html><title>Form</title><label>Name <input></label>"


def guiagent(*arguments: str, cwd: Path) -> list[dict[str, object]]:
    """The lines that a command prints, read as JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "gui_agent", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.nightly
def test_events_are_printed_while_they_happen_and_again_from_the_kept_run(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    task = 'type "Ada" into "Name"'
    live = guiagent("run", task, "--url", "page.html", "--json-lines", "--quiet", cwd=tmp_path)
    assert [event["kind"] for event in live] == ["started", "decision", "step", "decision", "ended", "result"]
    assert [event["id"] for event in live] == [1, 2, 3, 4, 5, 6]
    again = guiagent("show", "last", "--json-lines", cwd=tmp_path)
    assert [(one["id"], one["data"]) for one in again] == [(one["id"], one["data"]) for one in live[:-1]]


def test_an_error_before_the_run_is_the_only_event(tmp_path: Path) -> None:
    (wrong,) = guiagent("run", 'click "x"', "--set", "computer.kind=none", "--json-lines", cwd=tmp_path)
    assert wrong["kind"] == "result" and wrong["data"]["ok"] is False  # type: ignore[index]
