"""Values are read from fields, beside labels and where a row meets a column."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Box, Element, Observation, Words
from gui_agent.planners.commands.read_values import read_value
from gui_agent.testing import checkbox, choice, field, row, screen, text, widget

ROWS = [("Item", "Price", "Left"), ("Tea", "3.50", "12"), ("Coffee", "4.20", "7"), ("Milk", "1.10", "0")]


def table() -> Observation:
    cells: list[Element] = []
    for y, line in enumerate(ROWS):
        for x, said in enumerate(line):
            role = "columnheader" if y == 0 else "cell"
            cells.append(widget(role, said, box=Box(20 + 120 * x, 40 + 40 * y, 110, 30)))
    return screen(*cells)


def read(words: Words, observation: Observation) -> str:
    return read_value(words, observation, ScreenGrounder())


@pytest.mark.parametrize(
    ("column", "line", "value"),
    [("Price", "Tea", "3.50"), ("Left", "Milk", "0"), ("price", "coffee", "4.20"), ("Left", "Coffee", "7")],
)
def test_a_cell_is_where_its_row_and_column_meet(column: str, line: str, value: str) -> None:
    assert read(Words(column, near=line), table()) == value


def test_a_field_gives_its_value_even_when_it_is_empty() -> None:
    shown = screen(field("Name", "Ada"), field("Street"), choice("Country", "Canada", value="Canada"))
    assert [read(Words(name), shown) for name in ("Name", "Street", "Country")] == ["Ada", "", "Canada"]


def test_a_box_is_checked_or_not() -> None:
    shown = screen(checkbox("On", on=True), checkbox("Off"))
    assert [read(Words("On"), shown), read(Words("Off"), shown)] == ["checked", "not checked"]


def test_the_value_of_a_label_stands_beside_it_or_below_it() -> None:
    beside = screen(row(text("Total"), text("42.00")), row(text("Tax"), text("3.00")))
    assert read(Words("Total"), beside) == "42.00"
    below = screen(text("Total", box=Box(20, 20, 60, 20)), text("42.00", box=Box(20, 44, 60, 20)))
    assert read(Words("Total"), below) == "42.00"


def test_the_value_may_stand_in_the_same_text() -> None:
    assert read(Words("Order number"), screen(text("Order number: A-17"), text("Thanks"))) == "A-17"


def test_a_label_field_pair_reads_the_field() -> None:
    assert read(Words("Name"), screen(row(text("Name"), field("", "Ada")))) == "Ada"


def test_what_is_not_there_cannot_be_read() -> None:
    with pytest.raises(NotFound, match='no "Weight" here'):
        read(Words("Weight"), table())


def test_a_line_of_pairs_gives_each_label_what_stands_close_behind_it() -> None:
    pairs = [("Name", 20), ("Ada", 64), ("Age", 200), ("36", 240)]
    shown = screen(*(text(said, box=Box(left, 20, 36, 20)) for said, left in pairs))
    assert [read(Words("Name"), shown), read(Words("Age"), shown), read(Words("36"), shown)] == [
        "Ada",
        "36",
        "36",
    ]


def test_the_first_of_several_things_on_a_line_has_no_single_value() -> None:
    shown = screen(
        *(text(said, box=Box(20 + 60 * i, 20, 40, 20)) for i, said in enumerate(["Tea", "4.50", "3"]))
    )
    with pytest.raises(Ambiguous, match="are next to"):
        read(Words("Tea"), shown)
    assert read(Words("4.50"), shown) == "4.50"


def test_lines_of_prose_are_no_values_of_each_other() -> None:
    lines = ["Thanks for your order.", "We write to you soon.", "Goodbye."]
    shown = screen(*(text(said, box=Box(20, 20 + 30 * i, 300, 20)) for i, said in enumerate(lines)))
    for said in lines:
        with pytest.raises(NotFound, match="has no value next to it"):
            read(Words(said), shown)


def test_the_structure_tells_the_value_wherever_it_stands() -> None:
    shown = screen(
        text("Total", box=Box(20, 20, 60, 20)),
        text("7 items", box=Box(90, 20, 60, 20)),
        replace(text("42.00", box=Box(500, 400, 60, 20)), labels=("Total",)),
    )
    assert read(Words("Total"), shown) == "42.00"
    assert read(Words("42.00"), shown) == "42.00"
