"""A person teaches a phone in the mirror, in a real browser as wide as a phone."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

import pytest
from guiagent_eval.phone import SimulatedPhone
from guiagent_platforms.android.computer import AndroidComputer
from phones import adb_server, any_adb, phone_at_hand

from gui_agent.cli.live_view import mirror
from gui_agent.computers.browser import BrowserComputer
from gui_agent.computers.browser.launch import find_executable
from gui_agent.core.actions import Action, Back, Click, Drag, LongPress, Press, Swipe, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element, Point, Size

pytestmark = pytest.mark.nightly


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end, "it did not happen on the phone"
        time.sleep(0.02)


class Mirror:
    """The mirror of a phone, in a browser, and what was done in it."""

    def __init__(self, stack: ExitStack, page: BrowserComputer, computer: AndroidComputer) -> None:
        self.page, self.done = page, list[Action]()
        computer.listeners.append(self.done.append)
        self._work = mirror(stack, computer)
        self._stopped = threading.Event()
        self._worker = threading.Thread(target=self._works)
        self._worker.start()
        stack.callback(self._stop)

    def named(self, name: str) -> Element:
        return next(one for one in self.page.observe().elements if one.name == name)

    @cached_property
    def screen(self) -> Element:
        """The picture of the phone, once the page shows it."""
        end = time.monotonic() + 10
        while True:
            seen = self.page.observe().elements
            found = next((one for one in seen if one.name.startswith("The screen as")), None)
            if found is not None:
                return found
            assert time.monotonic() < end, "the page shows no phone"

    def at(self, point: Point, size: Size) -> Point:
        """Where a place of the phone is on the page."""
        box = self.screen.box
        return Point(
            box.left + point.x * box.width // size.width, box.top + point.y * box.height // size.height
        )

    def does(self, action: Action, kind: type) -> None:
        """Do something on the page, and wait until the phone is told of it."""
        before = len(self.done)
        self.page.perform(action)
        until(lambda: len(self.done) > before)
        assert isinstance(self.done[-1], kind), self.done[-1]

    def _works(self) -> None:
        while not self._stopped.wait(0.02) and self._work():
            pass

    def _stop(self) -> None:
        self._stopped.set()
        self._worker.join(10)


@pytest.fixture
def seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Iterator[tuple[SimulatedPhone, AndroidComputer, Mirror]]:
    try:
        find_executable("", "")
    except ConfigError:
        pytest.skip("no browser is installed")
    with (
        ExitStack() as stack,
        adb_server(any_adb()),
        phone_at_hand(tmp_path) as (phone, computer),
        BrowserComputer(size=(390, 844)) as page,
    ):
        shown = Mirror(stack, page, computer)
        found = re.search(r"live view: (\S+)", capsys.readouterr().err)
        assert found
        page.start(found[1])
        page.settle()
        yield phone, computer, shown


def test_the_whole_phone_is_in_sight_and_what_is_done_there_is_said_to_be_recorded(
    seen: tuple[SimulatedPhone, AndroidComputer, Mirror],
) -> None:
    phone, _, shown = seen
    box = shown.screen.box
    assert box.width / box.height == pytest.approx(phone.size.width / phone.size.height, rel=0.02)
    assert box.bottom < 844 * 0.7, "the buttons are in sight below it"
    texts = {one.name for one in shown.page.observe().elements}
    assert "Do the task here: it is recorded, but for passwords." in texts
    assert {"Done", "Back", "Home", "Type"} <= texts and not {"Pause", "Stop", "Esc", "Tab"} & texts


def test_fingers_on_the_mirror_are_fingers_on_the_phone(
    seen: tuple[SimulatedPhone, AndroidComputer, Mirror],
) -> None:
    phone, computer, shown = seen
    contacts = next(one for one in computer.observe().elements if one.name == "Contacts").box.center
    shown.does(Click(shown.at(contacts, phone.size)), Click)
    until(lambda: phone.front.label == "Contacts")
    create = next(one for one in computer.observe().elements if one.name == "Create contact").box.center
    shown.does(Click(shown.at(create, phone.size)), Click)
    name = next(one for one in computer.observe().elements if one.name == "Name").box.center
    shown.does(Click(shown.at(name, phone.size)), Click)
    field = shown.named("Text to type")
    shown.page.perform(TypeText("Ada B", field.box.center))
    shown.does(Click(shown.named("Type").box.center), TypeText)
    until(lambda: phone.front.value("name") == "Ada B")
    shown.does(Click(shown.named("Back").box.center), Back)
    shown.does(Click(shown.named("Home").box.center), Press)
    until(lambda: phone.front.label == "Home")
    shown.does(LongPress(shown.at(contacts, phone.size)), LongPress)
    left, right = (shown.at(Point(x, 500), phone.size) for x in (100, 450))
    shown.does(Drag(right, left), Swipe)
