"""What was done once on Win32 programs is done again with other values, by the demonstration of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import programs
import pytest
from programs import OPEN_FORM, SCRATCH, keep, kept, saved, text

from gui_agent.cli import call
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.trace.reader import read_run

ON = ("--on", "desktop", "--countdown", "0", "--yes", "--set", "computer.options.observe=tree")
REGISTRY = 'open "regedit", double-click "HKEY_CURRENT_USER", double-click "Software", click "GuiagentTest"'
CASES: dict[str, tuple[str, str, str, Callable[[], Any], Callable[[], Any]]] = {
    "a note": (
        r'open "notepad", type "milk and tea", press alt+f, press s, type "C:\t\list.txt", press Enter',
        "Write 'milk and tea' into 'list.txt'",
        "Write 'bread' into 'shop.txt'",
        lambda: None,
        lambda: text("shop.txt") == "bread",
    ),
    "a form": (
        f'open "{OPEN_FORM}", type "Ada" into "Name", choose "Ulm" in "City", click "Save"',
        "Order for 'Ada' in 'Ulm'",
        "Order for 'Grace' in 'Berlin'",
        lambda: programs.SAVED.unlink(missing_ok=True),
        lambda: (saved()["Name"], saved()["City"]) == ("Grace", "Berlin"),
    ),
    "a value of the registry": (
        REGISTRY + ', double-click "note", type "red" into "Value data", click "OK"',
        "Set the note to 'red'",
        "Set the note to 'deep blue'",
        lambda: keep(note="old"),
        lambda: kept("note") == "deep blue",
    ),
}


def demonstrated(commands: str, task: str) -> Demonstration:
    """A run of commands, as a demonstration of a task."""
    runs = SCRATCH / "runs"
    assert call(["run", commands, *ON, "--quiet", "--runs", str(runs)]) == 0
    (folder,) = (one for one in runs.iterdir() if one.is_dir())
    trajectory = read_run(folder).trajectory
    return from_trajectory(replace(trajectory, task=replace(trajectory.task, text=task)), "windows")


@pytest.mark.parametrize("name", CASES)
def test_a_demonstration_runs_with_new_values(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    commands, task, again, prepare, done = CASES[name]
    prepare()
    file = SCRATCH / "demonstration.json"
    save_demonstration(file, demonstrated(commands, task))
    programs.end(*programs.PROGRAMS)
    prepare()
    told = call(["run", again, *ON, "--demo", str(file), "--runs", str(SCRATCH / "again")])
    said = capfd.readouterr()
    assert told == 0, f"{told}: {said.out}{said.err}"
    programs.until(done, again, 5)
