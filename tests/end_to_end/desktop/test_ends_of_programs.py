"""What a real program says in front of its own dialog is no success, whatever the words."""

from __future__ import annotations

from pathlib import Path

import pytest
from private import needs

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.planners.commands import PlainPlanner


@pytest.mark.nightly
@pytest.mark.parametrize(("folder", "kind"), [("", "done"), ("missing/", "not_done")])
def test_a_file_is_kept_or_the_message_in_front_is_told(tmp_path: Path, folder: str, kind: str) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    file = tmp_path / folder / "a.txt"
    commands = f'open "mousepad", type "hello", press ctrl+shift+s, type "{file}", click "Save"'
    with VirtualComputer(home=str(tmp_path), observe="tree", window=False) as computer:
        guard = PolicyGuard.default(yes=True)
        ending = Agent(computer, PlainPlanner(), guard=guard).run(commands).trajectory.ending
    assert ending is not None
    assert (ending.kind, file.is_file()) == (kind, kind == "done"), ending.reason
    if kind == "not_done":
        assert "a message in front says" in ending.reason
        assert "The folder contents could not be displayed" in ending.reason
    else:
        assert ending.verified
