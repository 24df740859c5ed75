"""Plain commands on a desktop behind a real VNC server, with eyes alone.

The ten wordings were written down before the first run and stay as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from effects import Effect, holds, wait_for
from private import needs, until
from vnc_server import PASSWORD, vnc_server

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.planners.commands import PlainPlanner

pytest.importorskip("rapidocr")
pytest.importorskip("vncdotool")
LINES = "".join(f"line {number}\n" for number in range(1, 101))


class Job(NamedTuple):
    program: str
    task: str
    effect: Effect | None = None
    said: str = ""
    """What the program prints at its end."""


JOBS = [
    Job("mousepad list.txt", 'type "buy milk and tea", press ctrl+s', holds("list.txt", "buy milk and tea")),
    Job(
        "mousepad",
        'type "seen with eyes", click "File", click "Save As...", type "seen.txt" into "Name:", click "Save"',
        holds("seen.txt", "seen with eyes"),
    ),
    Job(
        "zenity --entry --text=Name",
        'type "Ada Lovelace" into "Name", click "OK"',
        said="Ada Lovelace",
    ),
    Job("zenity --question --text=Continue?", 'click "No", check "Continue?" is not shown'),
    Job(
        "zenity --forms --add-entry=First --add-entry=Last",
        'type "Grace" into "First", type "Hopper" into "Last", click "OK"',
        said="Grace|Hopper",
    ),
    Job("zenity --list --column=Fruit Apple Pear Plum", 'click "Pear", click "OK"', said="Pear"),
    Job(
        "featherpad old.txt",
        'press ctrl+a, type "Привет, мир", press ctrl+s',
        holds("old.txt", "Привет, мир"),
    ),
    Job("galculator", 'click "7", click "+", click "8", click "=", check "15" is shown'),
    Job("pcmanfm folder", 'double-click "Reports", check "march.txt" is shown'),
    pytest.param(
        Job("mousepad lines.txt", 'scroll to "line 95", check "line 95" is shown'),
        marks=pytest.mark.xfail(reason="eyes read the words of wide-set text apart", strict=True),
    ),
]


@pytest.mark.nightly
@pytest.mark.timeout(180)
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.program.partition(" ")[0])
def test_a_task_is_done_by_what_is_seen(job: Job, tmp_path: Path) -> None:
    from guiagent_platforms.remote.vnc import VncComputer

    needs(job.program.split()[0])
    (tmp_path / "list.txt").write_text("")
    (tmp_path / "old.txt").write_text("what was there")
    (tmp_path / "lines.txt").write_text(LINES)
    (tmp_path / "folder" / "Reports").mkdir(parents=True)
    (tmp_path / "folder" / "Reports" / "march.txt").write_text("")
    with vnc_server(tmp_path) as server, VncComputer(server.name, password=lambda: PASSWORD) as computer:
        before = len(computer.observe(picture=False).elements)
        program = server.open(*job.program.split())
        until(lambda: len(computer.observe(picture=False).elements) > before + 2, "the program")
        computer.settle()
        trajectory = Agent(computer, PlainPlanner(), guard=PolicyGuard.default(yes=True)).run(job.task)
        told = [f"{step.planned.why}: {step.outcome.summary} {step.error}" for step in trajectory.steps]
        assert trajectory.ending is not None
        assert trajectory.ending.kind == "done", "\n".join([trajectory.ending.reason, *told])
        assert job.effect is None or wait_for(job.effect, tmp_path)
        if job.said:
            # The accessibility registry of that session may have told of itself in the lines before.
            assert program.communicate(timeout=20)[0].decode().splitlines()[-1] == job.said
