"""Pictures on buttons, parts of a screen, and what was typed a step before: as a person means them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grounder_screens import element, people, screen

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Effects, Observation, Words


def found_id(words: Words, observation: Observation, verb: str = "click") -> int:
    found = ScreenGrounder().locate(words, observation, verb=verb).element
    assert found is not None
    return found.id


@pytest.mark.parametrize(
    ("asked", "called"),
    [
        ("trash can", "Delete"),
        ("pencil", "Edit Tea"),
        ("gear", "Settings"),
        ("three dots", "More options"),
        ("⋮", "Actions"),
        ("+", "Add"),
        ("plus", "+"),
        ("three dots", "⋮"),
        ("magnifying glass", "Search"),
        ("hamburger", "Toggle navigation"),
    ],
)
def test_a_small_button_is_known_by_the_picture_that_its_name_stands_for(asked: str, called: str) -> None:
    shown = screen(
        element(1, "button", called, (10, 10, 24, 24)), element(2, "button", "OK", (50, 10, 24, 24))
    )
    assert found_id(Words(asked), shown) == 1
    assert found_id(Words(asked, "icon"), shown) == 1


def test_a_picture_is_looked_for_in_the_row_that_is_named_and_never_on_a_wide_button() -> None:
    shown = screen(
        *(
            e
            if e.name != "Delete"
            else element(e.id, "button", "Delete", (200, e.box.top, 20, 20), path=e.path)
            for e in people().elements
        )
    )
    assert found_id(Words("trash", "icon", near="Bob", relation="in the row of"), shown) == 23
    with pytest.raises(Ambiguous):
        found_id(Words("trash", "icon"), shown)
    with pytest.raises(NotFound):
        found_id(Words("trash"), screen(element(1, "button", "Delete", (10, 10, 200, 24))))


def test_what_is_drawn_on_a_button_counts_whatever_its_size() -> None:
    drawn = element(1, "button", "Throw away", (10, 10, 200, 24), does=Effects(icon="fa-solid fa-trash"))
    assert found_id(Words("trash can"), screen(drawn)) == 1


def test_a_button_without_any_words_is_known_by_what_its_icon_shows() -> None:
    add, bin_ = (
        element(number, "button", "", (30 * number, 10, 24, 24), does=Effects(icon=shown))
        for number, shown in ((1, "add new plus"), (2, "delete remove trash"))
    )
    assert found_id(Words("Delete"), screen(add, bin_)) == 2
    assert found_id(Words("plus", "icon"), screen(add, bin_)) == 1
    with pytest.raises(NotFound):
        found_id(Words("Save"), screen(add, bin_))
    with pytest.raises(Ambiguous):
        found_id(Words("Delete"), screen(replace(add, does=bin_.does), bin_))


def test_a_whole_name_goes_before_a_part_of_one_and_a_nameless_button_only_where_it_opens_a_menu() -> None:
    both = screen(
        element(1, "link", "File list settings", (10, 10, 24, 24)),
        element(2, "link", "Settings", (50, 10, 24, 24)),
    )
    assert found_id(Words("gear", "icon"), both) == 2
    asked = Words("three dots", near="greeting", relation="in the row of")

    def row(states: str) -> Observation:
        return screen(
            element(1, "cell", "greeting", (10, 10, 100, 24), path="t/tr[1]/td[1]"),
            element(2, "button", "", (200, 10, 24, 24), path="t/tr[1]/td[2]/button", states=states),
            element(3, "cell", "other", (10, 50, 100, 24), path="t/tr[2]/td[1]"),
            element(4, "button", "", (200, 50, 24, 24), path="t/tr[2]/td[2]/button", states=states),
        )

    menus = tuple(replace(e, attributes={"tag": "button"}) for e in row("haspopup").elements)
    assert found_id(asked, replace(row(""), elements=menus)) == 2
    for words, shown in ((asked, row("")), (replace(asked, text="trash can"), row("haspopup"))):
        with pytest.raises(NotFound):
            found_id(words, shown)


def test_a_name_said_of_the_dialog_or_the_table_is_looked_for_in_it() -> None:
    table = [
        element(1, "link", "Port", (10, 10, 40, 20), path="body/table/thead/tr/th/a"),
        element(2, "link", "localhost", (10, 40, 40, 20), path="body/table/tbody/tr/td/a"),
        element(3, "link", "About", (10, 0, 40, 8), path="body/nav/a"),
    ]
    assert found_id(Words("", "link", 1, "table", "for"), screen(*table)) == 2
    assert found_id(Words("", "link", 0, "sidebar", "for"), screen(*table)) == 3
    dialog = [
        element(1, "button", "Create", (10, 10, 60, 20), path="body/main/button"),
        element(2, "dialog", "New", (100, 100, 300, 200), path="body/div"),
        element(3, "button", "Create", (120, 250, 60, 20), path="body/div/button"),
    ]
    assert found_id(Words("Create", "button", 0, "dialog", "for"), screen(*dialog)) == 3
    with pytest.raises(NotFound):
        found_id(Words("Create", "button", 0, "footer", "for"), screen(*dialog))


def test_a_button_is_meant_before_the_bar_of_its_dialog() -> None:
    shown = screen(
        element(1, "generic", "Add Package", (10, 10, 300, 24)),
        element(2, "button", "Add Package", (10, 90, 90, 24)),
    )
    assert found_id(Words("Add"), shown) == 2


def test_a_click_means_what_was_found_and_not_the_field_that_was_typed_into() -> None:
    shown = screen(
        element(1, "textbox", "Search", value="No light", states="editable focused"),
        element(2, "link", "#2: defect: No light (new)"),
    )
    assert found_id(Words("No light"), shown) == 2
    assert found_id(Words("No light"), screen(shown.elements[0])) == 1


def test_two_links_of_one_name_to_one_place_in_the_page_are_one() -> None:
    def links(*places: str) -> Observation:
        return screen(
            *(element(i, "link", "Old idea", attributes={"href": to}) for i, to in enumerate(places, 1))
        )

    assert found_id(Words("Old idea"), links("#Old%20idea", "#Old%20idea")) == 1
    for apart in (("#Old%20idea", "#Old"), ("#", "#")):
        with pytest.raises(Ambiguous):
            found_id(Words("Old idea"), links(*apart))


def test_a_radio_button_is_known_by_the_words_that_stand_behind_it() -> None:
    shown = screen(
        element(1, "radio", "resolve", (10, 10, 13, 13), path="f/div/input"),
        element(2, "text", "resolve as", (30, 8, 80, 19), path="f/div"),
        element(3, "combobox", "", (115, 8, 100, 19), states="disabled", path="f/div/select"),
    )
    assert found_id(Words("resolve as", "radio"), shown) == 1


def test_a_slider_is_known_by_the_text_below_it_that_tells_its_value() -> None:
    shown = screen(
        element(1, "slider", "", (10, 10, 400, 20), value="3"),
        element(2, "text", "Hurry: 3", (10, 50, 60, 16)),
    )
    assert found_id(Words("Hurry"), shown, "set") == 1


@pytest.mark.parametrize(
    ("place", "expected"), [("top right corner", 2), ("bottom of the page", 3), ("upper left", 1)]
)
def test_a_corner_of_the_screen_tells_things_of_one_name_apart(place: str, expected: int) -> None:
    shown = screen(
        element(1, "button", "Menu", (10, 10, 40, 40)),
        element(2, "button", "Menu", (750, 10, 40, 40)),
        element(3, "button", "Menu", (10, 550, 40, 40)),
    )
    assert found_id(Words("Menu", near=place, relation="for"), shown) == expected
