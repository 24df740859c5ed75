"""What people say of controls on pages that were not made for programs: colours, headings, what is seen."""

from __future__ import annotations

import pytest
from grounder_screens import element, screen

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Effects, Element, Observation, Words


def found(words: Words, shown: Observation, verb: str = "click") -> Element | None:
    return ScreenGrounder().locate(words, shown, verb=verb).element


def coloured(number: int, name: str, colour: str, role: str = "button") -> Element:
    return element(number, role, name, attributes={"color": colour} if colour else {})


BUTTONS = screen(coloured(1, "Send", "dodgerblue"), coloured(2, "Send", "crimson"), coloured(3, "Draft", ""))


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (Words("blue button Send"), 1),
        (Words("red Send", role="button"), 2),
        (Words("blue Draft"), 3),  # The page tells no colour.
    ],
)
def test_a_colour_tells_controls_of_one_name_apart(words: Words, number: int) -> None:
    assert found(words, BUTTONS) == BUTTONS.by_id(number)


def test_a_control_of_another_colour_is_not_meant() -> None:
    with pytest.raises(NotFound):
        found(Words("green Send"), BUTTONS)


def test_a_colour_that_is_a_name_is_one() -> None:
    shown = screen(coloured(1, "Red wine", "dodgerblue", "link"), coloured(2, "Wine", "crimson", "link"))
    assert found(Words("red wine"), shown) == shown.by_id(1)


def test_a_tick_is_found_by_what_it_looks_like() -> None:
    shown = screen(
        element(1, "generic", "✔", (10, 10, 19, 19), attributes={"color": "limegreen"}),
        element(2, "generic", "✔", (40, 10, 19, 19)),
    )
    assert found(Words("green check mark"), shown) == shown.by_id(1)


def icon(number: int, name: str, drawing: str) -> Element:
    box = (30 * number, 10, 24, 24)
    return element(number, "button", name, box, attributes={"tag": "button"}, does=Effects(icon=drawing))


def test_three_dots_are_not_three_lines() -> None:
    shown = screen(
        icon(1, "Config", "lucide lucide-menu"),
        icon(2, "", "lucide lucide-ellipsis"),
    )
    assert found(Words("three dots", ordinal=1), shown) == shown.by_id(2)
    assert found(Words("hamburger"), shown) == shown.by_id(1)


def under_heading(*more: Element) -> Observation:
    return screen(
        element(1, "heading", "Write to us", (10, 10, 300, 24)),
        element(2, "textbox", "", (10, 40, 300, 80), states="editable multiline"),
        *more,
        element(9, "heading", "Answers", (10, 300, 300, 24)),
    )


def test_a_heading_names_the_only_field_below_it() -> None:
    shown = under_heading(element(3, "button", "Write To Us", (10, 130, 80, 30)))
    assert found(Words("Write to us"), shown, "type") == shown.by_id(2)
    assert found(Words("Write to us"), shown, "click") == shown.by_id(3)


def test_a_heading_of_several_fields_names_none_of_them() -> None:
    shown = under_heading(element(3, "textbox", "", (10, 130, 300, 30), states="editable"))
    with pytest.raises(NotFound):
        found(Words("Write to us"), shown, "type")


@pytest.mark.parametrize(
    "shows",
    [
        element(1, "textbox", "Begins with", states="readonly"),
        element(1, "combobox", "Begins with", states="haspopup collapsed", source="dom"),
    ],
)
def test_text_goes_to_the_field_that_takes_it(shows: Element) -> None:
    shown = screen(shows, element(2, "textbox", "Value", states="editable"))
    assert found(Words(role="textbox"), shown, "type") == shown.by_id(2)
    assert found(Words("Begins with"), shown, "type") == shown.by_id(1)  # It may open a list or a calendar.


def test_the_text_field_is_not_the_search_of_the_page() -> None:
    search = element(1, "searchbox", "Search", states="editable")
    shown = screen(search, element(2, "textbox", "Title", states="editable"))
    assert found(Words(role="textbox"), shown, "type") == shown.by_id(2)
    assert found(Words(role="textbox"), screen(search), "type") == search


def test_a_link_that_is_drawn_as_a_button_may_be_called_one() -> None:
    drawn = {"tag": "a", "fill": "#337ab7"}
    shown = screen(
        element(1, "link", "Add +", (10, 10, 32, 30), attributes=drawn), element(2, "cell", "False")
    )
    assert found(Words("plus", role="button"), shown) == shown.by_id(1)


def test_of_two_fields_that_take_text_neither_is_guessed() -> None:
    shown = screen(
        element(1, "textbox", "From", states="editable"), element(2, "textbox", "To", states="editable")
    )
    with pytest.raises(Ambiguous):
        found(Words(role="textbox"), shown, "type")


def test_a_row_is_named_by_what_it_shows_though_its_name_has_more() -> None:
    rows = []
    for number, name in enumerate(("a.py", "b.py"), 1):
        path = f"body/div/div[{number}]"
        row = element(10 * number, "treeitem", f"{name} More options", (10, 40 * number, 400, 30), path=path)
        menu = element(10 * number + 1, "button", "More", (380, 40 * number, 20, 20), path=f"{path}/button")
        rows += [Element(**{**_fields(row), "does": Effects(said=(name,))}), menu]
    shown = screen(*rows)
    assert found(Words("More", near="b.py", relation="in the row of"), shown) == shown.by_id(21)


def test_the_only_row_of_a_table_is_not_named_by_its_links() -> None:
    row = "body/table/tbody/tr"
    links = [
        element(at, "link", name, (10 + 40 * at, 40, 30, 20), path=f"{row}/td[1]/a[{at}]")
        for at, name in enumerate(("Show", "Edit", "Delete"), 1)
    ]
    shown = screen(*links, element(9, "cell", "K-7", (300, 40, 100, 20), path=f"{row}/td[2]"))
    assert found(Words("Delete", near="K-7", relation="in the row of"), shown) == shown.by_id(3)


@pytest.mark.parametrize("words", ["card Sunday", "cancel Sunday", "red Sunday"])
def test_a_word_before_a_name_says_more(words: str) -> None:
    with pytest.raises(NotFound):
        found(Words(words), screen(coloured(1, "Sunday", "dodgerblue"), element(2, "button", "Close")))


def _fields(one: Element) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}
