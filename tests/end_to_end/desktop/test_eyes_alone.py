"""The whole loop on screenshots alone: plain commands on a real program whose tree nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from effects import wait_for
from private import needs

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.actions import Click
from gui_agent.core.errors import Stale
from gui_agent.planners.commands import PlainPlanner

pytestmark = pytest.mark.nightly


@pytest.mark.timeout(240)
def test_a_menu_is_opened_and_a_file_saved_by_what_is_seen(tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    pytest.importorskip("rapidocr")
    commands = (
        'open "mousepad", type "seen with eyes", click "File", click "Save As...",'
        ' type "seen.txt" into "Name:", click "Save"'
    )
    with VirtualComputer(home=str(tmp_path), observe="vision") as computer:
        trajectory = Agent(computer, PlainPlanner(), guard=PolicyGuard.default(yes=True)).run(commands)
        told = [f"{step.planned.why}: {step.outcome.summary} {step.error}" for step in trajectory.steps]
        assert trajectory.ending is not None
        assert trajectory.ending.kind == "done", "\n".join([trajectory.ending.reason, *told])
        sources = {element.source for element in trajectory.steps[-1].before.elements}
        assert wait_for(lambda home: (home / "seen.txt").exists(), tmp_path)
    assert (tmp_path / "seen.txt").read_text().strip() == "seen with eyes"
    assert sources <= {"ocr", "vision", "vision+ocr", "wm"}


@pytest.mark.timeout(120)
def test_what_has_changed_since_it_was_seen_is_not_clicked(tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "zenity")
    pytest.importorskip("rapidocr")
    with VirtualComputer(home=str(tmp_path), observe="vision") as computer:
        computer.start("zenity --question --text=Go? --ok-label=Proceed --cancel-label=Refuse")
        computer.settle()
        button = next(one for one in computer.observe().elements if one.name == "Proceed")
        for window in computer.device.windows():
            computer.device.close_window(window)
        computer.settle()
        with pytest.raises(Stale):
            computer.perform(Click(button.box.center), button)
