"""Before an action the thing decided upon must be on top at its place; what covers it is named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fakes import FakeSource, node, window

from gui_agent.computers.desktop.elements import Elements, confirm
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.errors import Stale
from gui_agent.core.observation import Box, Element, Point, Size

AT = Point(5, 5)
SEND = node("send", name="Send", window=1, path="form/button[1]")


def tried(there: Node | None, *windows: Window, decided: Node = SEND) -> Node | None:
    elements = Elements()
    listed = elements.take(ScreenReading((decided,)), (window(1),), Size(200, 100))[0]
    expected = next(one for one in listed if one.role == decided.role)
    source = FakeSource(*([there] if there else []))
    return confirm(source, elements, windows or (window(1),), AT, expected)


def test_the_thing_itself_is_confirmed() -> None:
    assert tried(SEND) == SEND


def test_a_part_of_it_is_confirmed() -> None:
    assert tried(node("label", "text", "Send", Box(2, 2, 5, 5), window=1, path="form/button[1]/text[1]"))


def test_a_program_that_only_knows_the_panel_around_is_believed() -> None:
    assert tried(node("form", "group", "", Box(0, 0, 90, 90), window=1, path="form"))


def test_a_source_that_knows_nothing_is_no_reason_to_refuse() -> None:
    assert tried(None) is None


def test_what_the_program_has_drawn_anew_is_the_same() -> None:
    assert tried(replace(SEND, key="other", path="other/button[9]"))


def test_another_thing_on_top_is_named() -> None:
    with pytest.raises(Stale, match='button "Send" is covered by dialog "Sure\\?"'):
        tried(node("d", "dialog", "Sure?", Box(0, 0, 50, 50), window=1, path="dialog"))


def test_a_window_on_top_is_named() -> None:
    with pytest.raises(Stale, match='covered by the window "Window 2"'):
        tried(SEND, window(1), window(2, Box(0, 0, 50, 50)))


def test_what_was_read_before_its_own_window_was_there_is_confirmed_in_that_window() -> None:
    assert tried(replace(SEND, window=2), window(1), window(2, Box(0, 0, 50, 50)))


def test_a_closed_window_is_told() -> None:
    with pytest.raises(Stale, match="is closed"):
        tried(SEND, window(3))


def test_a_thing_that_nobody_ever_listed_is_refused() -> None:
    stranger = Element(10**9, "button", "Nobody", Box(0, 0, 10, 10))
    with pytest.raises(Stale, match="no longer at"):
        confirm(FakeSource(), Elements(), (window(1),), AT, stranger)


def test_the_text_in_a_drop_down_list_is_the_list() -> None:
    chosen = node("c", "combobox", "Country", window=1, path="form/combobox[1]")
    assert tried(node("t", "textbox", "Country", window=1, path="textbox[1]"), decided=chosen)
    with pytest.raises(Stale, match="covered by textbox"):
        tried(node("t", "textbox", "City", window=1, path="textbox[1]"), decided=chosen)


def test_a_text_seen_inside_what_eyes_take_for_a_field_can_be_clicked() -> None:
    frame = node("f", "textbox", "", Box(0, 0, 90, 90), window=1, source="vision")
    assert tried(frame, decided=node("t", "text", "Express", window=1, source="ocr"))
    told = replace(frame, source="atspi", path="other")
    with pytest.raises(Stale, match="is covered by"):
        tried(told, decided=node("t", "text", "Express", window=1, path="form/text[1]"))
