"""A person at a terminal is asked before something is sent, and their answer counts."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gui_agent.content import content

PAGE = str(content("examples/contact.html"))
TASK = content("examples/contact.txt").read_text()


def answered(answer: str) -> tuple[int, str]:
    """Do the task of the demo at a terminal of its own, with one answer; exit code and what was shown."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        pytest.skip(f"this machine has no terminals to give: {error}")
    command = [sys.executable, "-m", "gui_agent", "run", TASK, "--url", PAGE]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        shown, asked, end = "", False, time.monotonic() + 200
        while time.monotonic() < end:
            try:
                shown += os.read(ours, 4096).decode(errors="replace")
            except OSError:  # the other side is closed
                break
            if "n = no:" in shown and not asked:
                asked = True
                os.write(ours, f"{answer}\n".encode())
        code = process.wait(timeout=60)
    os.close(ours)
    assert asked, shown
    return code, shown


@pytest.mark.parametrize(
    ("answer", "code"), [("y", 0), ("n", 5), pytest.param("what?", 5, marks=pytest.mark.nightly)]
)
def test_only_a_clear_yes_lets_it_send(
    answer: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm")
    found, shown = answered(answer)
    assert found == code, shown
    assert '"Send"' in shown
    assert "picture: " in shown
