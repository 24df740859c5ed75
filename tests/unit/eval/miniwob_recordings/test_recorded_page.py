"""A recorded tree of a page becomes the elements that the snapshot of the live page lists."""

from __future__ import annotations

from typing import Any

import pytest
from guiagent_eval.miniwob_constructs.drawings import drawings_as_told, kind_of
from guiagent_eval.miniwob_recordings.acts import Used
from guiagent_eval.miniwob_recordings.page import PageReader
from guiagent_eval.miniwob_recordings.recording import PageNode, read_event_recording

from gui_agent.core.observation import Element
from tests.unit.eval.miniwob_recordings.recorder import Page, Tape

RED = "rgb(255, 0, 0)"


def page_of(*nodes: dict[str, Any]) -> PageNode:
    return read_event_recording(Tape("Look.", *nodes).json(), "file").moments[0].page


def seen(*nodes: dict[str, Any], used: Used | None = None) -> list[Element]:
    return list(PageReader((0, 0, 160, 210), used or Used()).read(page_of(*nodes)))


def told(elements: list[Element]) -> list[tuple[str, str]]:
    return [(element.role, element.name) for element in elements]


@pytest.mark.parametrize(
    ("tag", "more", "role", "name"),
    [
        ("BUTTON", {"text": "Go"}, "button", "Go"),
        ("INPUT_submit", {"value": "Go"}, "button", "Go"),
        ("INPUT_text", {"value": "x"}, "textbox", ""),
        ("INPUT_number", {"value": "3"}, "spinbutton", ""),
        ("INPUT_checkbox", {"value": True}, "checkbox", ""),
        ("A", {"text": "Home"}, "link", "Home"),
        ("H2", {"text": "News"}, "heading", "News"),
        ("P", {"text": "Some words"}, "text", "Some words"),
        ("SELECT", {}, "combobox", ""),
        ("LI", {"classes": "ui-tabs-tab", "text": "One"}, "tab", "One"),
        ("SPAN", {"classes": "ui-icon", "text": "Next"}, "img", "Next"),
        ("SPAN", {"id": "star", "box": (5, 50, 12, 12)}, "img", ""),
        ("SPAN", {"classes": "alink", "text": "here"}, "generic", "here"),
        ("circle", {"classes": {}}, "img", ""),
    ],
)
def test_roles_and_names_are_those_of_the_live_page(
    tag: str, more: dict[str, Any], role: str, name: str
) -> None:
    assert told(seen(Page().node(tag, **more))) == [(role, name)]


def test_values_and_states_are_those_of_the_live_page() -> None:
    page = Page()
    nodes = [page.field("password", "abc", focused=True), page.field("checkbox", value=True)]
    nodes.append(page.node("TEXTAREA", value="a b"))
    secret, box, area = seen(*nodes)
    assert (secret.value, secret.states) == ("•••", {"password", "focused", "editable"})
    assert (box.value, box.states) == ("", {"checked"})
    assert (area.value, area.states) == ("a b", {"editable", "multiline"})


def test_a_field_is_called_after_the_label_around_it() -> None:
    page = Page()
    text = page.node("t", text="Red", box=(30, 50, 20, 12))
    label = page.node("LABEL", page.field("radio", value=False), text, box=(5, 50, 60, 12))
    assert told(seen(label)) == [("radio", "Red"), ("text", "Red")]


def test_lines_of_one_text_are_one_text_again() -> None:
    page = Page()
    lines = [
        page.node("t", text="A sentence that needs all the", box=(5, 50, 150, 11)),
        page.node("t", text="room.", box=(5, 61, 30, 11)),
        page.node("t", text="Another", box=(5, 90, 40, 11)),
    ]
    block = page.node("DIV", *lines, box=(5, 50, 150, 60))
    assert told(seen(block)) == [("text", "A sentence that needs all the room."), ("text", "Another")]


def test_what_a_window_hides_is_not_listed_and_what_drops_out_of_a_box_is() -> None:
    page = Page()
    rows = [page.node("P", text=f"row {n}", box=(5, 50 + 40 * n, 90, 12)) for n in range(5)]
    window = page.node("DIV", *rows, box=(0, 50, 150, 70))
    assert [name for _, name in told(seen(window))] == ["row 0", "row 1"]
    menu = page.node(
        "DIV", page.node("BUTTON", text="Menu", box=(5, 50, 40, 20)), rows[3], box=(0, 50, 150, 70)
    )
    assert [name for _, name in told(seen(menu))] == ["Menu", "row 3"]
    assert told(seen(page.node("P", text="far below", box=(5, 300, 90, 12)))) == []


def test_what_lies_under_a_dialog_is_not_listed() -> None:
    page = Page()
    tape = Tape("Look.", page.node("BUTTON", text="Under", box=(20, 100, 50, 20)))
    tape.body["children"].append(page.node("DIV", page.node("P", text="Over"), box=(0, 90, 160, 60)))
    shown = read_event_recording(tape.json(), "file").moments[-1].page
    assert told(list(PageReader((0, 0, 160, 210)).read(shown))) == [("text", "Over")]


def test_reading_order_is_that_of_the_drawn_page() -> None:
    page = Page()
    right = page.node("BUTTON", text="right", box=(100, 50, 40, 20))
    left = page.node("BUTTON", text="left", box=(10, 50, 40, 20))
    assert [name for _, name in told(seen(right, left))] == ["left", "right"]


def test_paths_count_the_instruction_that_the_recorder_leaves_out() -> None:
    page = Page()
    buttons = [page.node("BUTTON", text=name) for name in ("a", "b")]
    area = page.node("DIV", *buttons, box=(0, 50, 150, 70))
    paths = [element.path for element in seen(page.node("DIV", area, id="wrap", box=(0, 0, 160, 210)))]
    assert paths == [f"html/body/div[1]/div/div[2]/button[{number}]" for number in (1, 2)]


def test_an_element_keeps_its_number_while_the_page_changes() -> None:
    page = Page()
    first, second = page.node("BUTTON", text="a"), page.node("BUTTON", text="b")
    reader = PageReader((0, 0, 160, 210))
    before = {element.name: element.id for element in reader.read(page_of(first, second))}
    after = {element.name: element.id for element in reader.read(page_of(page.node("P", text="new"), second))}
    assert after["b"] == before["b"]
    assert after["new"] not in before.values()


def test_what_was_clicked_shows_what_can_be() -> None:
    page = Page()
    cards = [page.node("DIV", text=name, classes="card") for name in ("one", "two")]
    assert told(seen(*cards)) == [("text", "one"), ("text", "two")]
    used = Used(clicked=frozenset({("div", "card")}))
    assert told(seen(*cards, used=used)) == [("generic", "one"), ("generic", "two")]


def test_colours_have_the_names_of_the_live_page() -> None:
    page = Page()
    nodes = [page.node("DIV", id="box", bgColor=RED), page.node("P", text="warm", fgColor="rgb(255, 165, 0)")]
    assert [element.attributes.get("color") for element in seen(*nodes)] == ["red", "orange"]


def test_what_is_drawn_has_its_shape_and_fits_any_colour_because_none_was_recorded() -> None:
    page = Page()
    nodes = [page.node("text", classes={}, text="7"), page.node("polygon", classes={})]
    digit, triangle = seen(*nodes)
    assert [kind_of(element) for element in (digit, triangle)] == ["digit", "triangle"]
    assert drawings_as_told("red digit", [digit, triangle]) == [digit]
    assert drawings_as_told("red", [digit, triangle]) == [digit, triangle]
