"""In the background, the agent works on a person's display beside them, and takes nothing from them."""

from __future__ import annotations

import string
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import pytest
from guiagent_platforms.background.computer import BackgroundComputer
from private import element, needs, until
from Xlib import XK, X, display
from Xlib.ext import xinput

from gui_agent import LiveScreen
from gui_agent.computers.desktop.acting import active
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay
from gui_agent.computers.x11.device import X11Device
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point, Size

ERRANDS = (
    'type "Hello"',
    "press ctrl+a",
    'click "Edit", click "Select All"',
    'type "né 你好"',
    'click "Help", click "About"',
    "press escape",
)


class Person:
    """Someone who types into a window of their own and moves the mouse, without a pause."""

    def __init__(self, private: PrivateDisplay) -> None:
        self.hand = X11Device(private.running.display, KeptLauncher(private.running), wait=10)
        self.hand.wait_for_manager(10)
        self.typed, self.came, self.lost_focus, self.strayed = "", "", 0, 0
        self._over, self._heard = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=work) for work in (self._listen, self._work)]
        self._server = display.Display(private.running.display)
        events = X.KeyPressMask | X.FocusChangeMask
        self.window = self._server.screen().root.create_window(
            700, 500, 300, 200, 0, X.CopyFromParent, event_mask=events
        )
        self.window.set_wm_name("Mine")
        self.window.map()
        self._server.flush()
        until(lambda: any(one.title == "Mine" for one in self.hand.windows()), "the person's window")

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Click into the own window, and type all the time."""
        self.hand.activate(next(one for one in self.hand.windows() if one.title == "Mine"))
        until(lambda: self.front == "Mine", "the person's window in front")
        while self._server.pending_events():  # of the time before
            self._server.next_event()
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._threads[1].join()
            until(lambda: len(self.came) >= len(self.typed), "the last key", 10)
            self._heard.set()
            self._threads[0].join()

    @property
    def front(self) -> str:
        found = active(self.hand.windows())
        return found.title if found is not None else ""

    def _work(self) -> None:
        for number, letter in enumerate(cycle(string.ascii_lowercase)):
            at = Point(750 + number % 100, 550 + number % 90)
            self.hand.move(at)
            self.hand.type_text(letter)
            self.typed += letter
            time.sleep(0.03)  # a fast typist
            self.strayed += self.hand.pointer != at
            if self._over.is_set():
                return

    def _listen(self) -> None:
        while not self._heard.is_set():
            if not self._server.pending_events():
                time.sleep(0.005)
                continue
            event = self._server.next_event()
            if event.type == X.KeyPress:
                self.came += XK.keysym_to_string(self._server.keycode_to_keysym(event.detail, 0)) or "?"
            elif event.type == X.FocusOut:
                self.lost_focus += 1


@pytest.fixture
def private() -> Iterator[PrivateDisplay]:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    with PrivateDisplay(Size(1280, 900), home="fresh") as made:
        yield made


@pytest.fixture
def person(private: PrivateDisplay) -> Iterator[Person]:
    someone = Person(private)
    yield someone
    someone.hand.close()


def in_background(private: PrivateDisplay) -> BackgroundComputer:
    running = private.running
    return BackgroundComputer(display=running.display, session=running.bus, panic_key="", observe="tree")


@pytest.mark.parametrize("rounds", [1, pytest.param(9, marks=pytest.mark.slow)])
def test_a_person_types_and_moves_the_mouse_while_the_agent_works(
    private: PrivateDisplay, person: Person, rounds: int
) -> None:
    person.hand.launch("mousepad")
    until(lambda: "Mousepad" in person.front, "the editor")
    with in_background(private) as computer:
        until(lambda: len(computer.observe(picture=False).controls) > 3, "the editor's controls")
        steps = LiveScreen(computer)
        with person.at_work():
            assert steps.act('switch to "Mousepad"').ok
            for errand in ERRANDS * rounds:
                assert steps.act(errand).ok, errand
            assert element(computer.observe(picture=False), "textbox").value == "né 你好"
            assert person.front == "Mine"
    assert person.came == person.typed and len(person.typed) > 20 * rounds
    assert (person.lost_focus, person.strayed) == (0, 0)


FORM = (
    "zenity --forms --title=Guest --add-entry=Name --add-entry=City --add-combo=Room"
    ' "--combo-values=Small|Large"'
)
FILLING = {
    'type "né Ada" into "Name"': "accessibility",
    'choose "Large" in "Room"': "own pointer",
    'type "Rome" into "City"': "accessibility",
    'type "Oslo" into "City"': "accessibility",
    'click "OK"': "accessibility",
}
"""What is done in a form, and by what means."""


def test_a_program_takes_presses_and_texts_itself_while_a_person_works(
    private: PrivateDisplay, person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("zenity")
    person.hand.launch(f"sh -c '{FORM} > {tmp_path}/guest'")
    until(lambda: "Guest" in person.front, "the form")
    with in_background(private) as computer:
        until(lambda: len(computer.observe(picture=False).controls) > 4, "the form's controls")
        presses: list[str] = []
        press = computer.device.press_button
        monkeypatch.setattr(computer.device, "type_text", lambda text: pytest.fail(text) if text else None)
        monkeypatch.setattr(computer.device, "press_button", lambda one: (presses.append(one), press(one)))
        steps = LiveScreen(computer)
        with person.at_work():
            for errand, means in FILLING.items():
                pressed = len(presses)
                assert [step.means for step in steps.act(errand).steps] == [means], errand
                # Into a field for later keys, to open the list and to choose; a button needs none.
                assert len(presses) - pressed == {"type": 1, "choose": 2, "click": 0}[errand.split()[0]]
            until((tmp_path / "guest").read_text, "the program's answer", 5)
    assert (tmp_path / "guest").read_text() == "né Ada|Oslo|Large\n"
    assert person.came == person.typed
    assert (person.lost_focus, person.strayed) == (0, 0)


def test_boxes_are_taken_by_the_program_and_keys_and_menus_need_the_second_devices(
    private: PrivateDisplay, person: Person
) -> None:
    person.hand.launch("mousepad")
    until(lambda: "Mousepad" in person.front, "the editor")
    errands = {
        'switch to "Mousepad"': "",
        "press ctrl+r": "own keyboard",
        'check "Match case"': "accessibility",
        'type "ab" into "Search for:"': "accessibility",
        'type "c"': "own keyboard",
        'click "Close"': "accessibility",
        'click "Help"': "own pointer",
    }
    with in_background(private) as computer:
        until(lambda: len(computer.observe(picture=False).controls) > 3, "the editor's controls")
        steps, means = LiveScreen(computer), {}
        for errand in errands:
            (step,) = steps.act(errand).steps
            means[errand] = step.means
            if errand.startswith("check"):
                assert "checked" in element(step.after, "checkbox", "Match case").states
            if errand.endswith('"c"'):
                assert element(step.after, "textbox", "").value == "abc"
    assert means == errands


def test_the_second_pointer_ends_with_the_run_and_those_of_killed_runs_are_removed(
    private: PrivateDisplay, person: Person
) -> None:
    server = display.Display(private.running.display)
    server.xinput_query_version()

    def pointers() -> int:
        return len(server.xinput_query_device(xinput.AllMasterDevices).devices) // 2

    dying = "import os, sys; from guiagent_platforms.background.computer import BackgroundDevice"
    dying += "; BackgroundDevice(sys.argv[1]); os._exit(9)"
    killed = subprocess.run([sys.executable, "-c", dying, private.running.display], check=False)
    assert killed.returncode == 9
    assert pointers() == 2
    with in_background(private):
        assert pointers() == 2
    assert pointers() == 1


def test_keys_go_nowhere_before_a_window_was_chosen(private: PrivateDisplay, person: Person) -> None:
    person.window.configure(x=0, y=0, width=1280, height=900)
    person._server.sync()
    with in_background(private) as computer:
        with pytest.raises(ActionFailed, match="switch to a window"):
            computer.device.type_text("a")
        with pytest.raises(ActionFailed, match="switch to a window"):
            computer.device.press_key("a")


def test_a_program_that_would_take_the_focus_is_not_clicked(private: PrivateDisplay, person: Person) -> None:
    with in_background(private) as computer:
        device = computer.device
        device.activate(next(one for one in device.windows() if one.title == "Mine"))
        with pytest.raises(ActionFailed, match=r"would take focus or pointer .* --on virtual"):
            device.press_button("left")


def test_a_covered_window_is_not_brought_to_the_front(private: PrivateDisplay, person: Person) -> None:
    with in_background(private) as computer:
        mine = next(one for one in computer.device.windows() if one.title == "Mine")
        person.window.configure(x=0, y=0, width=400, height=300)
        over = person._server.screen().root.create_window(0, 0, 1280, 900, 0, X.CopyFromParent)
        over.map()
        person._server.flush()
        until(lambda: len(computer.device.windows()) > 1, "the window above")
        with pytest.raises(ActionFailed, match='other windows cover "Mine"'):
            computer.device.activate(mine)
