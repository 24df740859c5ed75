"""A desktop begins with what it is told to open, or lets go of everything."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from typing import Any

import pytest
from fakes import FakeDevice, FakeSource, node, window

from gui_agent.computers.desktop.computer import STILL, DesktopComputer
from gui_agent.computers.desktop.parts import ScreenReading
from gui_agent.core.actions import Press, Scroll
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.observation import Box, Element, Point


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


def test_the_wheel_turns_beside_what_it_would_set_to_another_value() -> None:
    device = FakeDevice(window(1))
    box = Box(100, 40, 60, 20)
    with DesktopComputer(device, FakeSource()) as desktop:
        for role, there in (("spinbutton", Point(92, 50)), ("button", Point(130, 50))):
            desktop.perform(Scroll(box.center, down=300), Element(1, role, "Opacity", box))
            assert device.pointer == there


def test_a_program_whose_windows_went_by_a_crash_is_told_once() -> None:
    device = FakeDevice(window(1, app="geany"), window(2, app="vlc"))
    with DesktopComputer(device, FakeSource()) as desktop:
        assert desktop.observe(picture=False).crashed == ()
        device.shown, device.killed = [], {1}
        assert desktop.observe(picture=False).crashed == ("geany",)
        assert desktop.observe(picture=False).crashed == ()


def test_a_program_is_stuck_until_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeDevice(window(1, app="geany", active=True))
    answers = [False, False, True]
    monkeypatch.setattr(device, "caught_up", lambda *_: answers.pop(0))
    with DesktopComputer(device, FakeSource()) as desktop:
        assert not desktop.observe(picture=False).is_stuck
        desktop.perform(Press(("ctrl", "s")))
        desktop.settle()
        seen = desktop.observe(picture=False)
        assert (seen.is_stuck, seen.news) == (True, ("geany does not answer",))
        assert not desktop.observe(picture=False).is_stuck


def test_a_late_program_is_stuck_only_when_it_is_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    source = FakeSource()
    monkeypatch.setattr(source, "read", lambda *_: ScreenReading(late=("Geany",)))
    for front, stuck, name in (("geany", True, "geany"), ("vlc", False, "Geany")):
        with DesktopComputer(FakeDevice(window(1, app=front, active=True)), source) as desktop:
            seen = desktop.observe(picture=False)
            assert (seen.is_stuck, seen.news) == (stuck, (f"{name} does not answer",))


def test_where_a_program_does_not_tell_what_has_the_keyboard_this_is_unseen() -> None:
    cell = node("cell", "gridcell", "1.20", window=1)
    for states, unseen in ((frozenset(("focused",)), False), (frozenset(("selected",)), True)):
        source = FakeSource(replace(cell, states=states))
        with DesktopComputer(FakeDevice(window(1, active=True)), source) as desktop:
            assert desktop.observe(picture=False).focus_unseen is unseen


def test_without_an_active_window_or_a_menu_nobody_has_the_keyboard() -> None:
    for shown, keyboard in (
        ([], False),
        ([window(1)], False),
        ([window(1, active=True)], True),
        ([window(1, popup=True)], True),
    ):
        with DesktopComputer(FakeDevice(*shown), FakeSource()) as desktop:
            assert desktop.observe(picture=False).keyboard is keyboard


def test_it_waits_for_whoever_moves_the_mouse_and_looks_again() -> None:
    device = FakeDevice(window(1, active=True))
    with DesktopComputer(device, FakeSource(), yields=5) as desktop:
        desktop.observe(picture=False)
        device.pointer = Point(40, 40)
        begun = time.monotonic()
        with pytest.raises(Stale, match="another person used the mouse"):
            desktop.perform(Press(("a",)))
        assert time.monotonic() - begun >= STILL and ("press", "a") not in device.told
        desktop.perform(Press(("a",)))
    assert device.told.count(("press", "a")) == 1


def test_whoever_does_not_stop_moving_the_mouse_is_waited_for_no_longer_than_was_said() -> None:
    class Wiggled(FakeDevice):
        """A mouse that is elsewhere each time one looks."""

        places = itertools.count(300, 5)
        is_wiggled = False

        def __getattribute__(self, name: str) -> Any:
            if name == "pointer" and self.is_wiggled:
                return Point(next(self.places), 9)
            return super().__getattribute__(name)

    device = Wiggled(window(1, active=True))
    with DesktopComputer(device, FakeSource(), yields=1.5) as desktop:
        desktop.observe(picture=False)
        device.is_wiggled = True
        begun = time.monotonic()
        desktop.observe(picture=False)
        assert 1.4 <= time.monotonic() - begun < 60


def test_on_a_display_of_its_own_nobody_is_waited_for() -> None:
    device = FakeDevice(window(1, active=True))
    with DesktopComputer(device, FakeSource()) as desktop:
        desktop.observe(picture=False)
        device.pointer = Point(40, 40)
        desktop.perform(Press(("a",)))
