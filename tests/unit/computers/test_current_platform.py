"""`--on desktop` is the computer of the platform."""

from __future__ import annotations

import importlib
import sys

import pytest

from gui_agent.computers import current_platform as front
from gui_agent.computers.macos.computer import MacComputer
from gui_agent.computers.windows.computer import WindowsComputer
from gui_agent.computers.x11.computer import X11Computer
from gui_agent.core.errors import ConfigError


@pytest.mark.parametrize(
    ("platform", "computer"), [("win32", WindowsComputer), ("darwin", MacComputer), ("linux", X11Computer)]
)
def test_the_platform_chooses(monkeypatch: pytest.MonkeyPatch, platform: str, computer: type) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    chosen = importlib.reload(front).FrontComputer
    monkeypatch.undo()
    importlib.reload(front)
    assert chosen is computer


@pytest.mark.parametrize("computer", [WindowsComputer, MacComputer])
def test_elsewhere_it_says_so_and_leaves_nothing_open(computer: type) -> None:
    with pytest.raises(ConfigError):
        computer()
