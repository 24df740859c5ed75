"""On a screen that a person sits at, the person comes first: panic key, corner, a mouse that is moved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from private import needs, until

from gui_agent.computers.desktop.person_watch import PersonWatch
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay
from gui_agent.computers.x11.computer import PanicKeyListener, X11Computer
from gui_agent.computers.x11.device import X11Device
from gui_agent.core.actions import Move
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, Stale
from gui_agent.core.observation import Point, Size

SIZE = Size(800, 600)


@pytest.fixture
def private() -> Iterator[PrivateDisplay]:
    needs("Xvfb", "openbox", "dbus-daemon")
    with PrivateDisplay(SIZE, home="fresh") as display:
        yield display


@pytest.fixture
def hand(private: PrivateDisplay) -> Iterator[X11Device]:
    """The person's own mouse and keyboard."""
    device = X11Device(private.running.display, KeptLauncher(private.running), wait=10)
    device.wait_for_manager(10)
    moved(device, Point(300, 300))
    yield device
    device.close()


def moved(device: X11Device, point: Point) -> None:
    """Move the pointer and see it there: the display serves two mice in no particular order."""
    device.move(point)
    until(lambda: device.pointer == point, f"the pointer at {point}")


class Shared:
    """An agent's device on the person's display."""

    def __init__(self, private: PrivateDisplay, panic: str = "ctrl+alt+q", corner: bool = True) -> None:
        self.stopped = threading.Event()
        display = private.running.display
        person = PersonWatch(lambda: PanicKeyListener(display, panic), corner, self.stopped.set)
        self.device = X11Device(display, KeptLauncher(private.running), person=person)


@pytest.fixture
def shared(private: PrivateDisplay, hand: X11Device) -> Iterator[Shared]:
    made = Shared(private)
    moved(made.device, Point(200, 200))
    yield made
    made.device.close()


def refused(use: Callable[[], object], why: str) -> None:
    with pytest.raises(ComputerLost, match=why):
        use()


def test_the_panic_key_stops_every_further_input(shared: Shared, hand: X11Device) -> None:
    for key in ("ctrl", "alt", "q"):
        hand.press_key(key)
    for key in ("q", "alt", "ctrl"):
        hand.release_key(key)
    assert shared.stopped.wait(60)
    for use in (
        lambda: shared.device.move(Point(9, 9)),
        lambda: shared.device.press_button("left"),
        lambda: shared.device.press_key("a"),
        lambda: shared.device.type_text("a"),
        lambda: shared.device.wheel(1, 0),
    ):
        refused(use, "panic key")


def test_the_mouse_in_a_corner_by_hand_stops_it(shared: Shared, hand: X11Device) -> None:
    hand.move(Point(SIZE.width - 1, 0))
    assert shared.stopped.wait(60)
    refused(lambda: shared.device.type_text("a"), "corner")


def test_the_agent_itself_may_go_to_a_corner(shared: Shared) -> None:
    shared.device.move(Point(0, 0))
    assert not shared.stopped.wait(0.3)
    shared.device.press_button("left")
    shared.device.release_button("left")


def test_a_click_is_not_done_where_the_mouse_was_moved_away(shared: Shared, hand: X11Device) -> None:
    moved(hand, Point(400, 400))
    with pytest.raises(ActionFailed, match="the mouse was moved"):
        shared.device.press_button("left")
    shared.device.move(Point(200, 200))
    shared.device.press_button("left")
    shared.device.release_button("left")


def test_a_panic_key_that_another_program_has_is_told(private: PrivateDisplay, shared: Shared) -> None:
    with pytest.raises(ConfigError, match="taken by another program"):
        Shared(private)


def test_a_panic_key_without_a_key_is_told(private: PrivateDisplay, hand: X11Device) -> None:
    with pytest.raises(ConfigError, match="add one key to ctrl"):
        Shared(private, panic="ctrl+alt")


def test_the_agent_waits_until_the_person_lets_go_of_the_mouse(
    private: PrivateDisplay, hand: X11Device
) -> None:
    options = {"display": private.running.display, "session": private.running.bus, "observe": "tree"}
    with X11Computer(**options, panic_key="", corner_stop=False) as desktop:  # type: ignore[arg-type]
        desktop.perform(Move(Point(200, 200)))
        desktop.observe(picture=False)
        moved(hand, Point(400, 400))
        with pytest.raises(Stale, match="another person used the mouse"):
            desktop.perform(Move(Point(100, 100)))
        assert desktop.device.pointer == Point(400, 400)
        desktop.perform(Move(Point(100, 100)))
        assert desktop.device.pointer == Point(100, 100)
