"""What a key meant when it was pressed, and what a stay in a field comes to."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

pytest.importorskip("Xlib", reason="the extra desktop is not installed")

from gui_agent.computers.recording.events import spot_at
from gui_agent.computers.recording.steps import Looks
from gui_agent.computers.x11 import recording as keys
from gui_agent.computers.x11.recording import (
    CONTROL,
    LEVEL3,
    META,
    SHIFT,
    InputEvent,
    Visit,
)
from gui_agent.core.observation import Box, Element, Observation, Point
from gui_agent.testing import FakeComputer, button, field, screen

GERMAN_Q = (0x71, 0x51, 0x71, 0x51, 0x40, 0x7D9)
"""q and Q, and with AltGr the at sign."""


def pressed(symbols: tuple[int, ...], state: int = 0) -> InputEvent:
    return InputEvent("key down", 24, state, Point(0, 0), 0.0, symbols)


@pytest.mark.parametrize(
    ("symbols", "state", "typed"),
    [
        (GERMAN_Q, 0, "q"),
        (GERMAN_Q, SHIFT, "Q"),
        (GERMAN_Q, LEVEL3, "@"),
        ((0xE9, 0xC9), 0, "é"),
        ((0x01004F60,), 0, "你"),
        ((0x01004F60,), SHIFT, "你"),
        ((0xFFB7,), 0, "7"),
        ((0xFF0D,), 0, ""),
        ((), 0, ""),
    ],
)
def test_keys_type_what_the_layout_says(symbols: tuple[int, ...], state: int, typed: str) -> None:
    assert keys.typed_character(pressed(symbols, state)) == typed


@pytest.mark.parametrize(
    ("symbols", "name"),
    [
        ((0xFF0D,), "enter"),
        ((0xFF8D,), "enter"),
        ((0xFF1B,), "escape"),
        ((0xFFC2,), "f5"),
        ((0x20,), "space"),
        ((0xFFE3,), ""),
        ((0xFFE1,), ""),
        ((0x61, 0x41), "a"),
    ],
)
def test_keys_have_their_names_and_modifiers_alone_have_none(symbols: tuple[int, ...], name: str) -> None:
    assert keys.key_name(pressed(symbols)) == name


def test_held_keys_are_told_in_the_order_of_the_project() -> None:
    assert keys.held_modifiers(pressed((0x73,), CONTROL | META | SHIFT)) == ("ctrl", "meta")
    assert keys.held_modifiers(pressed((0x73,), CONTROL | SHIFT), shift=True) == ("ctrl", "shift")


def visit(value: str = "", *states: str) -> Visit:
    box = Box(0, 0, 100, 20)
    element = Element(7, "textbox", "Name", box, value, frozenset(("editable", *states)))
    return Visit("1", element, Observation(screen().size, (element,)))


def type_into(stay: Visit, *typed: str) -> list[bool]:
    return [stay.takes(one, one if len(one) == 1 else "") for one in typed]


def test_letters_and_corrections_are_one_text() -> None:
    stay = visit()
    assert all(type_into(stay, "a", "x", "backspace", "b"))
    assert stay.typing().text == "ab"
    assert not stay.shows("ab")


def test_where_keys_do_not_tell_the_field_does() -> None:
    stay = visit("old")
    type_into(stay, "home", "x")
    assert stay.shows("xold")
    assert (stay.typing().was, stay.typing().text) == ("old", "xold")
    assert not stay.shows("xold")


def test_enter_is_a_line_only_where_there_are_several() -> None:
    assert type_into(visit(), "enter") == [False]
    stay = visit("", "multiline")
    assert type_into(stay, "a", "enter", "b") == [True, True, True]
    assert stay.typing().text == "a\nb"


def test_what_a_password_field_shows_is_never_taken_for_what_was_typed() -> None:
    stay = visit("•••", "password")
    type_into(stay, "s", "e", "c")
    assert not stay.shows("••••••")
    assert (stay.typing().was, stay.typing().text, stay.typing().secret) == ("", "sec", True)


def test_of_a_field_that_was_only_seen_the_keys_are_believed() -> None:
    element = replace(visit("misread text").field, source="vision+ocr")
    stay = Visit("1", element, Observation(screen().size, (element,)))
    type_into(stay, "l", "s")
    assert not stay.shows("misread text ls")
    assert (stay.typing().was, stay.typing().text) == ("", "ls")


def test_at_a_point_what_can_be_operated_comes_first_and_then_the_smaller_thing() -> None:
    inner = Element(2, "button", "OK", Box(10, 10, 40, 20))
    text = Element(3, "text", "OK", Box(15, 12, 20, 10))
    outer = Element(1, "dialog", "Save", Box(0, 0, 200, 100))
    spot = spot_at(Point(20, 15), Observation(screen().size, (outer, text, inner)))
    assert spot.ids == (2, 3, 1)


def test_a_person_is_known_to_have_seen_the_look_that_ended_before_they_acted() -> None:
    computer = FakeComputer({"a": screen(button("A")), "b": screen(field("B"))}, after_looks={2: "b"})
    looks = Looks(computer, bytes)
    looks.take()
    between = time.monotonic()
    looks.take()
    assert [one.name for one in looks.last_before(between).controls] == ["A"]
    assert [one.name for one in looks.last_before(time.monotonic()).controls] == ["B"]
    assert looks.since(between)
    assert not looks.since(time.monotonic())


def test_a_look_is_due_after_something_was_done() -> None:
    looks = Looks(FakeComputer(screen(button("A"))), bytes)
    assert looks.due
    looks.take()
    assert not looks.due
    looks.note(time.monotonic())
    assert looks.due
    assert not looks.take_if_quiet(lambda: True), "the person has only just acted"
