"""Whatever goes wrong, no key and no button stays down; drags move step by step."""

from __future__ import annotations

import pytest
from fakes import FakeDevice
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.desktop import parts
from gui_agent.computers.desktop.parts import DRAG_STEPS, Hands
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts.time, "sleep", lambda _: None)


def held_at_the_end(device: FakeDevice) -> set[object]:
    down: set[object] = set()
    for what, *which in device.told:
        if what in ("press", "down"):
            down.add(which[0])
        elif what in ("release", "up"):
            down.discard(which[0])
    return down


def test_keys_are_pressed_in_order_and_released_backwards() -> None:
    device = FakeDevice()
    Hands(device).press(("Ctrl+Shift+t",))
    assert device.told == [
        ("press", "ctrl"),
        ("press", "shift"),
        ("press", "t"),
        ("release", "t"),
        ("release", "shift"),
        ("release", "ctrl"),
    ]


def test_a_chord_with_an_unknown_key_presses_nothing() -> None:
    device = FakeDevice()
    with pytest.raises(ActionFailed, match="no key called"):
        Hands(device).press(("ctrl", "no-such-key"))
    assert device.told == []


@given(st.integers(0, 60))
def test_whatever_fails_nothing_stays_down(when: int) -> None:
    """The device fails at each input in turn."""
    tried = FakeDevice()
    Hands(tried).drag(Point(1, 1), Point(50, 50), ("ctrl", "shift"))
    downs = [what for what in tried.told if what[0] in ("move", "down", "press")]
    device = FakeDevice()
    device.fails_at = downs[when % len(downs)]
    with pytest.raises(ActionFailed, match="slipped"):
        Hands(device).drag(Point(1, 1), Point(50, 50), ("ctrl", "shift"))
    assert held_at_the_end(device) == set()


def test_a_drag_moves_by_small_steps_and_ends_where_it_should() -> None:
    device = FakeDevice()
    Hands(device).drag(Point(0, 0), Point(160, 80))
    moves = [what[1:] for what in device.told if what[0] == "move"]
    assert len(moves) == 1 + DRAG_STEPS
    assert moves[-1] == (160, 80)
    assert moves == sorted(moves)
    assert device.told.index(("down", "left")) < device.told.index(("move", *moves[1]))
    assert device.told[-1] == ("up", "left")


def test_a_double_click_presses_twice_at_one_place() -> None:
    device = FakeDevice()
    Hands(device).click(Point(3, 4), "right", 2)
    assert device.told == [("move", 3, 4), *[("down", "right"), ("up", "right")] * 2]


def test_only_modifiers_can_be_held_during_a_click() -> None:
    with pytest.raises(ActionFailed, match="cannot be held"):
        Hands(FakeDevice()).click(Point(1, 1), keys=("a",))
