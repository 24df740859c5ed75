"""Cells of a spreadsheet: only what shows something is asked, and only when it looks different."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from PIL import Image, ImageDraw

from gui_agent.computers.atspi.bus import MethodCall
from gui_agent.computers.atspi.tables import Cell, VisibleTable, letters
from gui_agent.computers.atspi.vocabulary import AccessibleItem, Role
from gui_agent.core.observation import Box
from tests.unit.computers.atspi.trees import NAME, at

WIDE, HIGH, COLUMNS = 60, 20, 100
LEFT, TOP = 40, 30
TABLE = AccessibleItem(at(1), at(0), 0, -1, frozenset({"Table", "Component"}), "Sheet", Role.TABLE, "", 0)


class Office:
    """A program with a sheet of which three rows and four columns are visible, and its picture."""

    def __init__(self, hidden: int = -1) -> None:
        self.texts: dict[tuple[int, int], str] = {}
        self.asked: Counter[str] = Counter()
        self.inset = 4
        """Pixels between the left edge of a cell and its text; texts are cut at the edge of their cell."""
        self.late: str | None = None
        """What it tells of its cells while it lags behind what it shows."""
        self.drawn = True
        self._hidden = hidden
        self._generation = 0

    @property
    def box(self) -> Box:
        return Box(LEFT, TOP, 4 * WIDE, 3 * HIGH)

    def picture(self) -> Image.Image:
        picture = Image.new("RGB", (400, 200), "white")
        for (row, column), text in self.texts.items() if self.drawn else ():
            cell = Image.new("RGB", (WIDE, HIGH), "white")
            ImageDraw.Draw(cell).text((self.inset, 4), text, fill="black")
            picture.paste(cell, (LEFT + column * WIDE, TOP + row * HIGH))
        return picture

    async def many(self, calls: Iterable[MethodCall]) -> list[Any]:
        return [self._answer(call) for call in calls]

    def forget(self) -> None:
        """Objects of cells that were handed out are no longer known."""
        self._generation += 1

    def _answer(self, call: MethodCall) -> Any:
        self.asked[call.member] += 1
        path = call.to[1]
        if call.member == "Get":
            return COLUMNS
        if call.member == "GetAccessibleAtPoint":
            x, y, _ = call.body
            return self._cell((y - TOP) // HIGH, (x - LEFT) // WIDE)
        if call.member == "GetAccessibleAt":
            return self._cell(*call.body)
        generation, row, column = (int(part) for part in path.rsplit("/", 1)[1].split("_"))
        if generation != self._generation:
            return None
        if call.member == "GetIndexInParent":
            return row * COLUMNS + column
        if call.member == "GetExtents":
            high = 0 if row == self._hidden else HIGH
            return (LEFT + column * WIDE, TOP + row * HIGH, WIDE, high)
        if call.member == "GetText":
            return self.texts.get((row, column), "") if self.late is None else self.late
        return [0, 0]

    def _cell(self, row: int, column: int) -> tuple[str, str]:
        return NAME, f"/cells/{self._generation}_{row}_{column}"


def read(sheet: VisibleTable, office: Office) -> dict[str, Cell]:
    cells = asyncio.run(sheet.read(office, office.box, (0, 0), office.picture()))  # type: ignore[arg-type]
    return {cell.name: cell for cell in cells}


@pytest.mark.parametrize(("column", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")])
def test_columns_have_letters(column: int, name: str) -> None:
    assert letters(column) == name


def test_all_visible_cells_are_told_and_only_those_that_show_something_are_asked() -> None:
    office = Office()
    office.texts[1, 2] = "tea"
    cells = read(VisibleTable(TABLE), office)
    assert len(cells) == 12
    assert cells["C2"].text == "tea"
    assert cells["C2"].box == Box(LEFT + 2 * WIDE, TOP + HIGH, WIDE, HIGH)
    assert cells["A1"].text == ""
    assert office.asked["GetText"] == 1


def test_cells_of_a_window_that_is_not_drawn_yet_are_asked() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts[1, 2] = "tea"
    office.drawn = False
    assert read(sheet, office)["C2"].text == "tea"
    office.drawn = True
    assert read(sheet, office)["C2"].text == "tea"


def test_a_cell_that_told_the_same_twice_is_not_asked_again_while_it_looks_the_same() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts[1, 2] = "tea"
    for _ in range(4):
        assert read(sheet, office)["C2"].text == "tea"
    assert office.asked["GetText"] == 2


def test_a_cell_whose_text_comes_late_is_asked_until_it_is_told() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts[1, 2] = "tea"
    office.late = "cup"
    assert read(sheet, office)["C2"].text == "cup"
    office.late = ""
    assert read(sheet, office)["C2"].text == ""
    office.late = None
    assert read(sheet, office)["C2"].text == "tea"


def test_a_cell_that_looks_different_is_asked_and_the_others_are_not() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts |= {(1, 2): "tea", (0, 0): "milk"}
    read(sheet, office)
    read(sheet, office)
    office.texts[1, 2] = "rum"
    cells = read(sheet, office)
    assert (cells["C2"].text, cells["A1"].text) == ("rum", "milk")
    assert office.asked["GetText"] == 5


def test_a_cell_that_was_emptied_holds_nothing() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts[1, 2] = "tea"
    read(sheet, office)
    del office.texts[1, 2]
    assert read(sheet, office)["C2"].text == ""


def test_a_text_that_does_not_fit_is_asked_each_time() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts[1, 3] = "much too long for it"
    for _ in range(4):
        read(sheet, office)
    assert office.asked["GetText"] == 4


def test_a_text_at_the_usual_distance_from_the_edge_is_not_asked_again() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.inset = 1
    office.texts[1, 2] = "tea"
    for _ in range(4):
        read(sheet, office)
    assert office.asked["GetText"] == 2


def test_a_text_that_is_cut_on_the_left_is_asked_each_time() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.inset = -3
    office.texts[1, 2] = "tea"
    for _ in range(4):
        read(sheet, office)
    assert office.asked["GetText"] == 4


def test_cells_that_the_program_has_forgotten_are_fetched_anew() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts[1, 2] = "tea"
    read(sheet, office)
    office.forget()
    office.texts[1, 2] = "rum"
    assert read(sheet, office)["C2"].text == "rum"


def test_hidden_rows_are_left_out() -> None:
    office = Office(hidden=1)
    assert "A2" not in read(VisibleTable(TABLE), office)


def test_a_reading_that_was_broken_off_is_not_taken_for_known() -> None:
    office, sheet = Office(), VisibleTable(TABLE)
    office.texts[1, 2] = "tea"

    async def stuck(calls: Iterable[MethodCall]) -> list[Any]:
        asked = list(calls)
        if any(call.member == "GetText" for call in asked):
            raise TimeoutError
        return [office._answer(call) for call in asked]

    working, office.many = office.many, stuck  # type: ignore[method-assign]
    with pytest.raises(TimeoutError):
        read(sheet, office)
    office.many = working  # type: ignore[method-assign]
    assert read(sheet, office)["C2"].text == "tea"
