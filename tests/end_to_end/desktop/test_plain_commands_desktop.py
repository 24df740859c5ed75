"""Plain commands operate real programs on a private display; what they did is read from outside.

`scripts/test all` does a dozen; the others run with `-m slow`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from desktop_tasks import TASKS, Task
from effects import wait_for
from private import needs

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.planners.commands import PlainPlanner
from gui_agent.trace import RunWriter

SLOWEST = 240.0
"""Seconds for one task on a busy machine."""


def _cases(quick: bool) -> list[pytest.param]:  # type: ignore[valid-type]
    return [pytest.param(task, id=task.name.replace(" ", "-")) for task in TASKS if task.quick is quick]


def _prepare(task: Task, home: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", *task.needs)
    home.mkdir(exist_ok=True)
    for name, content in task.files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        else:
            path.write_text(content)


def _run(task: Task, home: Path, runs: Path) -> None:
    with VirtualComputer(home=str(home), observe="tree") as computer:
        guard = PolicyGuard.default(yes=True)
        agent = Agent(computer, PlainPlanner(), guard=guard, observers=(RunWriter(str(runs)),))
        trajectory = agent.run(task.commands)
    assert trajectory.ending is not None
    told = [f"{step.planned.why}: {step.outcome.summary} {step.error}" for step in trajectory.steps]
    assert trajectory.ending.kind == "done", "\n".join([trajectory.ending.reason, *told])


def _check(task: Task, home: Path) -> None:
    assert wait_for(task.effect, home), f"there is: {sorted(str(p) for p in home.glob('*'))}"


@pytest.mark.nightly
@pytest.mark.timeout(SLOWEST)
@pytest.mark.parametrize("task", _cases(quick=True))
def test_a_quick_task_leaves_its_effect(task: Task, tmp_path: Path) -> None:
    home = tmp_path / "home"
    _prepare(task, home)
    _run(task, home, tmp_path / "runs")
    _check(task, home)


@pytest.mark.slow
@pytest.mark.timeout(SLOWEST)
@pytest.mark.parametrize("task", _cases(quick=False))
def test_a_task_leaves_its_effect(task: Task, tmp_path: Path) -> None:
    home = tmp_path / "home"
    _prepare(task, home)
    _run(task, home, tmp_path / "runs")
    _check(task, home)


@pytest.mark.nightly
@pytest.mark.timeout(SLOWEST)
@pytest.mark.parametrize(
    "task", [pytest.param(task, id=task.name.replace(" ", "-")) for task in TASKS if task.by_command]
)
def test_the_real_command_does_it_too(task: Task, tmp_path: Path) -> None:
    home = tmp_path / "home"
    _prepare(task, home)
    command = [sys.executable, "-m", "gui_agent", "run", task.commands, "--on", "virtual", "--yes"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    _check(task, home)


LOST = {
    "several lines are not typed over in passing": (
        'open "{editor} Budget/list.txt"; type "12" into the text area; press ctrl+s',
        "replace all text in",
        ("mousepad", "featherpad"),
    ),
    "a name that no field has is no document": (
        'open "{editor} Budget/list.txt"; type "12" into "Budget"; press ctrl+s',
        'no "Budget" here',
        ("mousepad", "lowriter"),
    ),
    "a question stands behind further keys": (
        'open "{editor} Budget/list.txt"; type "two"; press ctrl+w; press ctrl+s; wait 1 seconds',
        "say how to answer it",
        ("mousepad",),
    ),
    "a file dialog is not left": (
        'open "{editor} Budget/list.txt"; press ctrl+o; type "~/Budget" into "File name"; click "Open"',
        "is still open",
        ("featherpad",),
    ),
}


@pytest.mark.timeout(SLOWEST)
@pytest.mark.parametrize(
    ("commands", "reason", "editor"),
    [
        pytest.param(
            *(commands, reason, one),
            id=f"{name} in {one}".replace(" ", "-"),
            marks=() if one == editors[0] else pytest.mark.nightly,
        )
        for name, (commands, reason, editors) in LOST.items()
        for one in editors
    ],
)
def test_what_would_be_lost_or_left_undone_is_not_done(
    commands: str, reason: str, editor: str, tmp_path: Path
) -> None:
    home, text = tmp_path / "home", "one\ntwo\nthree\n"
    task = Task("lines", commands.format(editor=editor), lambda _: True, (editor,), {"Budget/list.txt": text})
    _prepare(task, home)
    with VirtualComputer(home=str(home), observe="tree") as computer:
        run = Agent(computer, PlainPlanner(), guard=PolicyGuard.default(yes=True)).run(task.commands)
    assert run.ending is not None
    assert (run.ending.kind, reason in run.ending.reason) == ("not_done", True), run.ending
    assert (home / "Budget/list.txt").read_text() == text
