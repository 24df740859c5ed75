"""A desktop begins with what it is told to open, or lets go of everything."""

from __future__ import annotations

import pytest
from fakes import FakeDevice, FakeSource, window

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.core.errors import ActionFailed, ComputerLost


def test_it_begins_with_a_program() -> None:
    device = FakeDevice(window(1))
    device.opens = [window(2)]
    with DesktopComputer(device, FakeSource(), open="editor"):
        assert ("launch", "editor") in device.told
        assert ("closed",) not in device.told


def test_it_leaves_the_screen_as_it_is_when_nothing_is_to_be_opened() -> None:
    device = FakeDevice(window(1))
    with DesktopComputer(device, FakeSource()) as desktop:
        assert device.told == []
        assert desktop.acted == 0.0


def test_it_lets_go_of_everything_when_the_program_cannot_be_opened() -> None:
    device = FakeDevice(window(1))
    device.fails_at = ("launch", "editor")
    ended: list[float] = []
    with pytest.raises(ActionFailed, match="the hand slipped"):
        DesktopComputer(device, FakeSource(), open="editor", ending=lambda: ended.append(1.0))
    assert device.told[-1] == ("closed",)
    assert ended == [1.0]


def test_it_ends_once() -> None:
    ended: list[float] = []
    desktop = DesktopComputer(FakeDevice(), FakeSource(), ending=lambda: ended.append(1.0))
    desktop.close()
    desktop.close()
    assert ended == [1.0]
    with pytest.raises(ComputerLost, match="open a new one"):
        desktop.observe()
