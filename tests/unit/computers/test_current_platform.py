"""`--on desktop` is the computer of the platform."""

from __future__ import annotations

import importlib
import sys

import pytest
from guiagent_platforms.macos.computer import MacComputer
from guiagent_platforms.windows.computer import WindowsComputer

from gui_agent import plugins
from gui_agent.computers import current_platform as front
from gui_agent.computers.x11.computer import X11Computer
from gui_agent.core.errors import ConfigError


@pytest.mark.parametrize(
    ("platform", "computer"), [("win32", WindowsComputer), ("darwin", MacComputer), ("linux", X11Computer)]
)
def test_the_platform_chooses(monkeypatch: pytest.MonkeyPatch, platform: str, computer: type) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    chosen = importlib.reload(front).LocalComputer
    monkeypatch.undo()
    importlib.reload(front)
    assert chosen is computer


def test_a_platform_whose_package_is_gone_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, WindowsComputer.__module__, None)
    with pytest.raises(ConfigError, match=r'desktops "win32": .*guiagent_platforms.*install guiagent again'):
        plugins.find("desktops", "win32")


@pytest.mark.parametrize("computer", [WindowsComputer, MacComputer])
def test_elsewhere_it_says_so_and_leaves_nothing_open(computer: type) -> None:
    with pytest.raises(ConfigError):
        computer()
