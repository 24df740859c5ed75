"""The UI Automation of the system that this runs on, whatever it can: recorded, and played again.

Wine 8 has none: recorded is how one of the first calls fails. On a real Windows it is all about an editor.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from guiagent_platforms.windows.automation import ComAutomation, enter_thread
from guiagent_platforms.windows.computer import WindowsComputer

from gui_agent.core.errors import ConfigError
from tests.unit.platforms.windows.com_tape import playing, recording


def conversation(window: int) -> list[Any]:
    """What is asked of one window, or how the first call fails."""
    try:
        uia = ComAutomation()
        tree = uia.tree(window)
        field = next(one for one in tree.all() if "value" in one.patterns)
        return [tree, uia.element_at(field.box.center)]
    except ConfigError as error:
        return [str(error)]


def test_a_conversation_with_this_system_is_held_again_call_by_call(
    computer: WindowsComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    computer.start("notepad")
    computer.settle()
    (window,) = (one for one in computer.device.windows() if "Notepad" in one.title)
    enter_thread()
    with recording(monkeypatch) as tape:
        told = conversation(window.id)
    assert tape.lines and tape.lines[0]["call"] == "GetModule"
    with playing(tape, monkeypatch):
        assert conversation(window.id) == told
    if len(told) == 1:  # which call fails depends on what was asked of comtypes before
        assert re.match(r"UI Automation is not available \((GetModule|CreateObject): ", told[0])
