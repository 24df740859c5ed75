"""A person at mouse and keyboard of a private display, and the steps that are recorded of them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest
from private import needs, shown, until

from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.computers.x11.recording import X11Recorder
from gui_agent.core.actions import Check, Click, Press, TypeText
from gui_agent.core.codec import encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element
from gui_agent.core.trajectory import Step, Task
from gui_agent.testing import FakeComputer, screen
from gui_agent.wiring import make_recorder

PASSWORD = "Tr0ub4dor"


class Person:
    """Someone who looks, moves the mouse, types and waits until the screen has answered."""

    def __init__(self, desktop: VirtualComputer) -> None:
        self.desktop = desktop
        self.recorder = X11Recorder(desktop, Secrecy(fields=["Card number"]))
        self.told: list[str] = []

    def hands(self, *does: str) -> None:
        environment = {**os.environ, "DISPLAY": self.desktop.running.display}
        began, looks = time.monotonic(), self.recorder._looks
        subprocess.run(["xdotool", *does], env=environment, check=True)
        self.pause()

        def is_seen() -> bool:
            self.pause(1)
            return looks.last_input >= began and not looks.due and self.recorder._heard.empty()

        until(is_seen, "a look at what was done")

    def pause(self, polls: int = 4) -> None:
        for _ in range(polls):
            self.told += [sentence for _, sentence in self.recorder.poll(0.25)]

    def click(self, element: Element) -> None:
        center = element.box.center
        self.hands("mousemove", str(center.x), str(center.y), "sleep", "0.1", "click", "1")

    def type(self, text: str) -> None:
        self.hands("type", "--delay", "20", text)

    def steps(self) -> tuple[Step, ...]:
        return self.recorder.stop(Task("do it")).steps


@pytest.fixture
def person(desktop: VirtualComputer) -> Iterator[Callable[[str, str, str], Person]]:
    needs("xdotool")

    def before(program: str, role: str, name: str) -> Person:
        desktop.start(program)
        if role:
            shown(desktop, role, name)
        desktop.settle()
        return Person(desktop)

    yield before


Before = Callable[[str, str, str], Person]


def test_a_form_is_recorded_by_its_fields_and_a_password_by_reference_only(person: Before) -> None:
    needs("zenity")
    form = "zenity --forms --title=Account --add-entry=User --add-password=Password"
    someone = person(form, "button", "OK")
    fields = [one for one in someone.desktop.observe().elements if "editable" in one.states]
    user = min(fields, key=lambda one: one.box.top)
    someone.click(user)
    someone.type("adda")
    someone.hands("key", "BackSpace", "BackSpace")
    someone.type("a")
    someone.hands("key", "Tab")
    someone.type(PASSWORD)
    someone.click(shown(someone.desktop, "button", "OK"))
    until(lambda: not any(w.title == "Account" for w in someone.desktop.device.windows()), "the form closing")
    trajectory = someone.recorder.stop(Task("log in"))
    typed = [step.action for step in trajectory.steps if isinstance(step.action, TypeText)]
    assert [action.text for action in typed] == ["ada", "${secret:PASSWORD}"]
    last = trajectory.steps[-1]
    assert isinstance(last.action, Click)
    assert last.found["at"].element is not None
    assert last.found["at"].element.name == "OK"
    assert len(trajectory.steps) == 3
    assert someone.recorder.secrets == ("PASSWORD",)
    assert PASSWORD not in str(encode(trajectory))
    assert PASSWORD not in "".join(someone.told)


def test_what_stood_in_a_field_before_is_replaced(person: Before) -> None:
    needs("zenity")
    someone = person("zenity --entry --title=Name --entry-text=Grace", "button", "OK")
    field = next(one for one in someone.desktop.observe().elements if "editable" in one.states)
    someone.click(field)
    someone.hands("key", "ctrl+a")
    someone.type("Ada")
    someone.pause()
    (step,) = someone.steps()
    assert isinstance(step.action, TypeText)
    assert (step.action.text, step.action.replace) == ("Ada", True)


def test_boxes_are_ticked_keys_pressed_and_steps_taken_back(person: Before) -> None:
    needs("mousepad")
    someone = person("mousepad", "menuitem", "File")
    someone.hands("key", "ctrl+r")
    box = shown(someone.desktop, "checkbox", "Match case")
    someone.click(box)
    someone.click(shown(someone.desktop, "checkbox", "Match whole word"))
    assert "Match whole word" in someone.recorder.undo()
    someone.hands("key", "Escape")
    pressed, ticked, left = someone.steps()
    assert isinstance(pressed.action, Press) and pressed.action.keys == ("ctrl", "r")
    assert isinstance(ticked.action, Check) and ticked.action.on
    assert ticked.found["at"].element is not None
    assert ticked.found["at"].element.name == "Match case"
    assert isinstance(left.action, Press) and left.action.keys == ("escape",)


@pytest.mark.nightly
def test_what_is_typed_into_a_window_that_tells_nothing_is_one_text(person: Before) -> None:
    needs("xterm")
    someone = person("xterm", "", "")
    someone.type("echo It workked")
    someone.hands("key", "BackSpace", "BackSpace", "BackSpace")
    someone.type("ed > told.txt")
    someone.hands("key", "Return")
    until((someone.desktop.running.home / "told.txt").exists, "the command")
    typed, entered = someone.steps()
    assert isinstance(typed.action, TypeText)
    assert typed.action.text == "echo It worked > told.txt"
    assert isinstance(entered.action, Press) and entered.action.keys == ("enter",)


@pytest.mark.nightly
def test_a_display_that_dies_ends_the_recording_with_what_was_done(person: Before) -> None:
    needs("mousepad")
    someone = person("mousepad", "menuitem", "File")
    someone.type("kept")
    someone.pause()
    someone.desktop.close()
    until(lambda: not someone.recorder.poll(0.1) and not someone.recorder.open, "noticing")
    (step,) = someone.steps()
    assert isinstance(step.action, TypeText)
    assert step.action.text == "kept"


def test_other_screens_are_refused_with_advice() -> None:
    with pytest.raises(ConfigError, match="--on virtual"):
        make_recorder(FakeComputer(screen()))
