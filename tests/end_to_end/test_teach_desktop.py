"""`guiagent teach --on virtual` with a person who works in the window, and the run that follows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import mss
import pytest

from gui_agent.core.actions import Press, TypeText
from gui_agent.procedures.library.store import load_demonstration

TASK = 'Write "milk and tea" into list.txt'
AGAIN = 'Write "né 你好 €" into list.txt'
PROGRAMS = ("Xvfb", "Xephyr", "openbox", "dbus-daemon", "mousepad", "xdotool")

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not all(map(shutil.which, PROGRAMS)), reason=f"needs {', '.join(PROGRAMS)}"),
]


@pytest.fixture
def screen() -> Iterator[dict[str, str]]:
    """The environment of a person with a screen of their own."""
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield {**os.environ, "DISPLAY": f":{server.stdout.readline().strip()}"}
        server.terminate()


def until(holds: Callable[[], object], what: str, seconds: float = 40.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.05)


def person(screen: dict[str, str], *does: str) -> None:
    """Mouse and keyboard of the person's own screen, of which the display is a window."""
    subprocess.run(["xdotool", *does], env=screen, check=True)


def change(screen: dict[str, str], shown: int) -> Callable[[], bool]:
    """Whether the person sees that much of the screen change, and then stand still."""
    with mss.MSS(display=screen["DISPLAY"]) as eyes:
        before = last = eyes.grab(eyes.monitors[0]).raw

    def seen() -> bool:
        nonlocal last
        time.sleep(0.3)
        with mss.MSS(display=screen["DISPLAY"]) as eyes:
            now = eyes.grab(eyes.monitors[0]).raw
        still, last = now == last, now
        return still and sum(a != b for a, b in zip(now[::64], before[::64], strict=True)) > shown

    return seen


def guiagent(*words: str, home: Path) -> list[str]:
    return [
        *(sys.executable, "-u", "-m", "gui_agent", *words, "--on", "virtual", "--runs", str(home / "runs")),
        *("--set", f'computer.options.home="{home}"'),
    ]


def test_what_a_person_does_in_the_window_runs_again_with_another_text(
    screen: dict[str, str], tmp_path: Path
) -> None:
    demo, said = tmp_path / "demo.json", tmp_path / "said.txt"
    command = guiagent("teach", TASK, "--url", "mousepad", "-o", str(demo), home=tmp_path)
    with (
        said.open("w") as sink,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=sink, stderr=sink, env=screen, text=True
        ) as teaching,
    ):
        try:
            until(lambda: "is open" in said.read_text(), "the window of the display")
            person(screen, "mousemove", "300", "300", "click", "1", "sleep", "0.5")
            typed = change(screen, 4)
            person(screen, "type", "--delay", "30", "milk and tea")
            until(typed, "the text in the window")
            dialog = change(screen, 2000)
            person(screen, "key", "ctrl+s")
            until(dialog, "the dialog for saving")
            person(screen, "type", "--delay", "30", "list.txt")
            person(screen, "sleep", "1", "key", "Return")
            until((tmp_path / "list.txt").exists, "saving")
            until(lambda: "Press Enter" in said.read_text(), "the last step")
            teaching.communicate("\n", timeout=60)
        finally:
            teaching.terminate()
    assert teaching.returncode == 0, said.read_text()
    recorded = load_demonstration(demo)
    typed = [step.action for step in recorded.steps if isinstance(step.action, TypeText)]
    pressed = [step.action.keys for step in recorded.steps if isinstance(step.action, Press)]
    assert [action.text for action in typed] == ["milk and tea", "list.txt"]
    assert pressed == [("ctrl", "s"), ("enter",)]
    assert recorded.platform == "x11"
    assert (tmp_path / "list.txt").read_text().strip() == "milk and tea"
    (tmp_path / "list.txt").unlink()
    again = guiagent("run", AGAIN, "--demo", str(demo), home=tmp_path)
    ran = subprocess.run(again, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (tmp_path / "list.txt").read_text().strip() == "né 你好 €"
