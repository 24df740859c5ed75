"""Frozen programs, windows that go, things in the way, dying displays: a clear word, and nothing left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from private import element, needs, processes_of, shown, until

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.actions import Click, Close, Move, Press, TypeText
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.observation import Observation, Point
from gui_agent.core.protocols import Observer, Settled
from gui_agent.core.trajectory import Ending, Step
from gui_agent.planners.commands import PlainPlanner
from gui_agent.testing import Witness


def test_what_lies_under_another_window_is_not_clicked(editor: VirtualComputer) -> None:
    needs("xterm")
    menu = shown(editor, "menuitem", "File")
    editor.start("xterm -title Above -geometry 60x20+0+0")
    editor.settle()
    with pytest.raises(Stale, match=r'File.*covered by the window "Above"'):
        editor.perform(Click(menu.box.center), menu)
    assert all(one.name != "File" for one in editor.observe(picture=False).elements)


def test_a_window_that_was_closed_meanwhile_is_told(editor: VirtualComputer) -> None:
    menu = shown(editor, "menuitem", "File")
    editor.device.close_window(editor.device.windows()[0])
    until(lambda: not editor.device.windows(), "the end of the window")
    with pytest.raises(Stale, match=r"window of .*File.* is closed"):
        editor.perform(Click(menu.box.center), menu)
    assert editor.observe(picture=False).elements == ()


def test_another_thing_than_expected_is_not_clicked(editor: VirtualComputer) -> None:
    menu = shown(editor, "menuitem", "File")
    text = element(editor.observe(picture=False), "textbox")
    with pytest.raises(Stale, match="covered by a textbox"):
        editor.perform(Click(text.box.center), replace(menu, box=text.box))


def test_a_frozen_program_costs_some_seconds_and_not_the_run(editor: VirtualComputer) -> None:
    def seconds_of(text: str) -> tuple[float, Settled, Observation]:
        began = time.monotonic()
        editor.perform(TypeText(text))
        settled, seen = editor.settle(), editor.observe(picture=False)
        return time.monotonic() - began, settled, seen

    usual, _, _ = seconds_of("while it answers")
    window = editor.device.windows()[0]
    os.kill(window.pid, signal.SIGSTOP)
    try:
        seconds, settled, seen = seconds_of("into the void")
        assert seconds < 10 + 10 * usual, "what the machine does beside it slows both"
        assert not settled.changed
        assert seen.is_stuck
        assert any("mousepad does not answer" in news for news in seen.news)
    finally:
        os.kill(window.pid, signal.SIGCONT)
    until(
        lambda: "into the void" in element(editor.observe(picture=False), "textbox").value,
        "the program to go on",
    )


@pytest.mark.parametrize("program", ["mousepad", "featherpad"])
def test_a_program_of_each_toolkit_tells_that_it_has_taken_the_input(
    desktop: VirtualComputer, program: str
) -> None:
    needs(program)
    desktop.start(program)
    assert desktop.device.caught_up(desktop.device.windows()[-1], 10.0) is True


def ending(desktop: VirtualComputer, commands: str, *observers: Observer) -> Ending:
    """How a run of plain commands on the display ends."""
    guard = PolicyGuard.default(yes=True)
    run = Agent(desktop, PlainPlanner(), guard=guard, picture=False, observers=observers).run(commands)
    assert run.ending is not None
    return run.ending


class After(Witness):
    """Does something to the machine once so many steps were taken."""

    def __init__(self, steps: int, do: Callable[[], object]) -> None:
        super().__init__()
        self._left, self._do = steps, do

    def stepped(self, step: Step) -> None:
        super().stepped(step)
        self._left -= 1
        if self._left == 0:
            self._do()


@pytest.mark.nightly
def test_what_is_said_to_a_frozen_program_is_not_done(
    editor: VirtualComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui_agent.agent._aftermath.FROZEN", 1.0)
    shown(editor, "textbox")
    pid = editor.device.windows()[0].pid
    freeze = After(1, lambda: os.kill(pid, signal.SIGSTOP))
    try:
        ended = ending(editor, 'type "one", press ctrl+s', freeze)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert ended.kind == "not_done"
    assert "mousepad is not responding" in ended.reason


@pytest.mark.parametrize("rest", ["wait 1 second", 'type "two"'])
def test_a_program_that_is_killed_in_mid_run_is_told(editor: VirtualComputer, rest: str) -> None:
    shown(editor, "textbox")
    pid = editor.device.windows()[0].pid

    def kill() -> None:
        os.kill(pid, signal.SIGKILL)
        until(lambda: not editor.device.windows(), "the end of the window")

    ended = ending(editor, f'type "one", {rest}', After(1, kill))
    assert ended.kind == "not_done"
    assert "mousepad crashed or was killed" in ended.reason


def test_a_window_that_is_closed_by_a_command_is_no_crash(desktop: VirtualComputer) -> None:
    needs("xterm")
    desktop.start("xterm")
    ended = ending(desktop, "close the window")
    assert (ended.kind, "crashed" in ended.reason) == ("done", False)
    assert not desktop.device.windows()


def test_nothing_is_typed_where_no_window_has_the_keyboard(desktop: VirtualComputer) -> None:
    for commands in ('type "x"', "press ctrl+s"):
        ended = ending(desktop, commands)
        assert ended.kind == "not_done"
        assert "no window has the keyboard" in ended.reason


def test_a_window_with_an_open_menu_is_closed(editor: VirtualComputer) -> None:
    menu = shown(editor, "menuitem", "File")
    editor.perform(Click(menu.box.center), menu)
    until(lambda: any(window.popup for window in editor.device.windows()), "the menu")
    editor.perform(Close())
    until(lambda: not editor.device.windows(), "the end of the window")


def test_a_display_that_dies_is_lost_and_leaves_nothing(editor: VirtualComputer) -> None:
    folder = editor.running.folder
    for pid in processes_of(folder):
        if b"Xvfb" in Path(f"/proc/{pid}/cmdline").read_bytes()[:4]:
            os.kill(pid, signal.SIGKILL)
    for use in (
        editor.observe,
        editor.settle,
        lambda: editor.perform(Press(("escape",))),
        lambda: editor.perform(Move(Point(5, 5))),
    ):
        with pytest.raises(ComputerLost):
            use()
    until(lambda: not processes_of(folder) and not folder.exists(), "the end of everything on it")


def test_a_display_ends_when_its_first_program_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("Xvfb", "openbox", "dbus-daemon")
    folders: list[Path] = []

    def refuse(self: VirtualComputer, where: str) -> None:
        folders.append(self.running.folder)
        raise ActionFailed(f"no {where} here")

    monkeypatch.setattr(VirtualComputer, "start", refuse)
    with pytest.raises(ActionFailed, match="no Mousepad here"):
        VirtualComputer(home="fresh", open="Mousepad")
    until(lambda: not processes_of(folders[0]) and not folders[0].exists(), "the end of everything on it")


def test_a_program_that_shows_no_window_is_told(
    desktop: VirtualComputer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui_agent.computers.desktop.acting.STARTING", 0.3)
    with pytest.raises(ActionFailed, match="showed no window"):
        desktop.start("sleep 30")


def test_a_program_that_ends_at_once_is_told_with_its_last_words(desktop: VirtualComputer) -> None:
    needs("xterm")
    with pytest.raises(ActionFailed, match="xterm ended with code"):
        desktop.start("xterm -no-such-option")


def test_the_keys_of_a_character_that_cannot_be_typed_are_not_pressed(editor: VirtualComputer) -> None:
    with pytest.raises(ActionFailed, match="cannot be typed"):
        editor.perform(TypeText("one\x00two"))
    assert element(editor.observe(picture=False), "textbox").value == ""
