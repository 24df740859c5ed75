"""Reads the visible cells of tables too large to list, such as spreadsheets and long file lists.

No program reports such a table's cells in bulk: each costs several requests, and a screen shows a thousand.
Therefore only the non-blank cells of a spreadsheet are read, and only those that look different from the
last time. A program may answer with old values, above all during typing into a cell, so a value is trusted
after it was read twice with the same look. A cell whose text touches its edges may hold more than it shows.
Its look proves nothing, and it is read each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gui_agent.computers.atspi.bounds import LONG, OF_SCREEN, box_of
from gui_agent.computers.atspi.bus import (
    Bus,
    Question,
    Reference,
    answer_to,
    answers_of,
    ask,
    get,
    method,
    reference,
)
from gui_agent.computers.atspi.vocabulary import AccessibleItem, states_of
from gui_agent.core.observation import Box

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]
Greys = NDArray[np.int_]
Flags = NDArray[np.bool_]
Place = tuple[int, int]
"""Row and column, from 0."""
Range = tuple[Place, Place]
_EDGES = (3, 30, 60)
"""Offsets (px) inside a table's corner at which a cell is looked up: a header may be above the cells."""
_MARGIN = 6
"""Pixels; a text that ends at least this far from an edge is not cut off there."""
_CALM = 24
"""Maximum colour difference of a blank cell: backgrounds may be shaded and edges blurred."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One visible cell of a spreadsheet."""

    row: int
    column: int
    box: Box
    text: str = ""
    states: int = 0

    @property
    def name(self) -> str:
        """The cell's usual name: B3."""
        return f"{letters(self.column)}{self.row + 1}"


@dataclass(frozen=True, slots=True)
class _Grid:
    """The numbers of the visible rows and columns, and the lines between them in screen pixels."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    across: tuple[int, ...]
    """The start of each row, and the end of the last one."""
    down: tuple[int, ...]
    """The start of each column, and the end of the last one."""

    def box(self, row: int, column: int) -> Box:
        left, top = self.down[column], self.across[row]
        return Box(left, top, self.down[column + 1] - left, self.across[row + 1] - top)


@cache
def letters(column: int) -> str:
    """The name of a column: A, B ... Z, AA."""
    name = ""
    while column >= 0:
        column, place = divmod(column, 26)
        name = chr(ord("A") + place) + name
        column -= 1
    return name


async def visible(bus: Bus, table: AccessibleItem, box: Box) -> Range | None:
    """The visible cells of a table with this reported `box`; None if the program does not know them."""
    width = await answer_to(bus, get(table.at, "Table", "NColumns"))
    first = await _cell_near(bus, table, box.left, box.top, 1)
    last = await _cell_near(bus, table, box.right - 1, box.bottom - 1, -1)
    if not width or first is None or last is None:
        return None
    start, end = divmod(first, int(width)), divmod(last, int(width))
    return (start, end) if start[0] <= end[0] and start[1] <= end[1] else None


async def _cell_near(bus: Bus, table: AccessibleItem, x: int, y: int, inwards: int) -> int | None:
    for edge in _EDGES:
        number = await index_at(bus, table.at, x + inwards * 3, y + inwards * edge, OF_SCREEN)
        if number is not None:
            return number
    return None


async def index_at(bus: Bus, table: Reference, x: int, y: int, relative_to: int) -> int | None:
    """The index of a table's cell at a point, row by row; None if there is none."""
    told = await answer_to(bus, ask(table, "Component", "GetAccessibleAtPoint", "iiu", x, y, relative_to))
    cell = reference(told)
    number = await answer_to(bus, ask(cell, "Accessible", "GetIndexInParent")) if cell else None
    return int(number) if number is not None and number >= 0 else None


async def references(bus: Bus, table: AccessibleItem, span: Range) -> list[Reference]:
    """The visible cells of a table, row by row, left to right."""
    (top, left), (bottom, right) = span
    places = product(range(top, bottom + 1), range(left, right + 1))
    answers = await bus.many(ask(table.at, "Table", "GetAccessibleAt", "ii", *place) for place in places)
    return list(filter(None, map(reference, answers)))


class VisibleTable:
    """A spreadsheet's table with the results of the last reading."""

    def __init__(self, table: AccessibleItem) -> None:
        self.table = table
        self._at: dict[Place, Reference] = {}
        self._grid: _Grid | None = None
        self._looks: Pixels | None = None
        self._cells: dict[Place, Cell] = {}
        self._doubtful: list[Place] = []
        """Cells whose look does not prove their value."""
        self._young: set[Place] = set()
        """Cells whose value with the current look was read only once, or not at all."""

    async def read(self, bus: Bus, box: Box, shift: tuple[int, int], picture: Image) -> list[Cell]:
        """The visible cells, including blank ones.

        Args:
            box: of the table, as the program reports it.
            shift: the error (px) in the reported position.
            picture: the screen.
        """
        span = await visible(bus, self.table, box)
        grid = await self._lines(bus, span, shift) if span else None
        if grid is None:
            return []
        looks = _cut(picture, grid)
        if looks is None:
            return []
        before = self._looks if grid == self._grid else None
        if before is None or not np.array_equal(before, looks):
            cells, doubtful, asked, changed = self._look(grid, looks, before)
        else:
            cells, doubtful, changed = dict(self._cells), self._doubtful, set()
            asked = [*doubtful, *self._young.difference(doubtful)]
        await self._hear(bus, cells, asked)
        # Only completed readings count as known, because the deadline may interrupt a reading.
        self._young = {place for place in asked if place in changed or not self._is_confirmed(cells[place])}
        self._cells, self._doubtful, self._grid, self._looks = cells, doubtful, grid, looks
        return list(cells.values())

    def _is_confirmed(self, cell: Cell) -> bool:
        return bool(cell.text) and cell == self._cells.get((cell.row, cell.column))

    def _look(
        self, grid: _Grid, looks: Pixels, before: Pixels | None
    ) -> tuple[dict[Place, Cell], list[Place], list[Place], set[Place]]:
        """The known cells, the doubtful ones, those to be read, and those of them that look different from
        the last time."""
        blank, sure = _inner(looks, grid)
        if int(looks.max()) - int(looks.min()) <= _CALM:  # not even a grid line: the window is not drawn yet
            blank[:] = False
        same = np.zeros_like(blank) if before is None else _same(looks, before, grid)
        cells: dict[Place, Cell] = {}
        doubtful: list[Place] = []
        asked: list[Place] = []
        changed: set[Place] = set()
        for row, number in enumerate(grid.rows):
            for column, letter in enumerate(grid.columns):
                place = (number, letter)
                cell = Cell(*place, grid.box(row, column))
                known = self._cells.get(place)
                if not blank[row, column]:
                    if not sure[row, column]:
                        doubtful.append(place)
                    if not same[row, column]:
                        changed.add(place)
                    proven = same[row, column] and sure[row, column] and place not in self._young
                    if known is not None and proven:
                        cell = known
                    else:
                        asked.append(place)
                cells[place] = cell
        return cells, doubtful, asked, changed

    async def _hear(self, bus: Bus, cells: dict[Place, Cell], places: Sequence[Place]) -> None:
        texts = await self._ask(bus, places, method("Text", "GetText", "ii", 0, -1))
        states = await self._ask(bus, places, method("Accessible", "GetState"))
        for place in places:
            text = str(texts.get(place, ""))[:LONG]
            cells[place] = replace(cells[place], text=text, states=states_of(states.get(place, [])))

    async def _lines(self, bus: Bus, span: Range, shift: tuple[int, int]) -> _Grid | None:
        """The lines between cells, from the first row and column; hidden rows and columns have no size."""
        (top, left), (bottom, right) = span
        down = [(row, left) for row in range(top, bottom + 1)]
        across = [(top, column) for column in range(left, right + 1)]
        told = await self._ask(bus, [*down, *across[1:]], method("Component", "GetExtents", "u", OF_SCREEN))
        rows = [(row, box) for row, column in down if (box := box_of(told.get((row, column))))]
        columns = [(column, box) for row, column in across if (box := box_of(told.get((row, column))))]
        if not rows or not columns:
            return None
        x, y = shift
        return _Grid(
            tuple(number for number, _ in rows),
            tuple(number for number, _ in columns),
            (*(box.top + y for _, box in rows), rows[-1][1].bottom + y),
            (*(box.left + x for _, box in columns), columns[-1][1].right + x),
        )

    async def _ask(self, bus: Bus, places: Sequence[Place], question: Question) -> dict[Place, Any]:
        """The answers of cells; a cell that the program has dropped is requested again."""
        found: dict[Place, Any] = {}
        for _ in range(2):
            asked = [place for place in places if place not in found]
            await self._fetch(bus, [place for place in asked if place not in self._at])
            at = {place: self._at.pop(place) for place in asked if place in self._at}
            told = await answers_of(bus, at.values(), question)
            self._at |= {place: cell for place, cell in at.items() if cell in told}
            found |= {place: told[cell] for place, cell in at.items() if cell in told}
        return found

    async def _fetch(self, bus: Bus, places: Sequence[Place]) -> None:
        answers = await bus.many(
            ask(self.table.at, "Table", "GetAccessibleAt", "ii", *place) for place in places
        )
        for place, answer in zip(places, answers, strict=True):
            if answer:
                self._at[place] = tuple(answer)


def _cut(picture: Image, grid: _Grid) -> Pixels | None:
    """The picture of the cells in grey; None if they are off the screen. Black beyond the screen's edge."""
    left, top, right, bottom = grid.down[0], grid.across[0], grid.down[-1], grid.across[-1]
    if left < 0 or top < 0 or left >= min(right, picture.width) or top >= min(bottom, picture.height):
        return None
    return np.asarray(picture.crop((left, top, right, bottom)).convert("L"))


def _inner(looks: Pixels, grid: _Grid) -> tuple[Flags, Flags]:
    """For each cell (rows by columns), whether it is blank, and whether its text is completely visible."""
    rows, columns = _spans(grid.across), _spans(grid.down)
    darkest, brightest = _extremes(looks, rows, columns)
    blank = brightest - darkest <= _CALM
    lefts, rights = columns[::2], columns[1::2]
    # A complete text stays two pixels off the edge, one of which its soft outline may take; a text that was
    # cut off reaches the outermost pixel.
    near = _margin(looks, rows, lefts - 1, 1), _margin(looks, rows, rights, 1)
    far = _margin(looks, rows, lefts, _MARGIN), _margin(looks, rows, rights - _MARGIN, _MARGIN)
    return blank, (near[0] & far[1]) | (far[0] & near[1])


def _margin(looks: Pixels, rows: NDArray[np.intp], starts: NDArray[np.intp], width: int) -> Flags:
    strips = [looks[:, np.clip(starts + offset, 0, looks.shape[1] - 1)] for offset in range(width)]
    low, high = np.minimum.reduce(strips), np.maximum.reduce(strips)
    darkest = np.minimum.reduceat(low, rows, axis=0)[::2].astype(int)
    brightest = np.maximum.reduceat(high, rows, axis=0)[::2].astype(int)
    plain: Flags = brightest - darkest <= _CALM
    return plain


def _spans(lines: Sequence[int]) -> NDArray[np.intp]:
    """Start and end of the inner part of each cell along one axis, alternating; without the lines."""
    starts = np.array(lines[:-1]) - lines[0] + 1
    ends = np.array(lines[1:]) - lines[0] - 2
    return np.stack([starts, np.maximum(ends, starts + 1)], axis=1).ravel()


def _extremes(looks: Pixels, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> tuple[Greys, Greys]:
    low, high = (
        found.reduceat(found.reduceat(looks, rows, axis=0)[::2], columns, axis=1)[:, ::2].astype(int)
        for found in (np.minimum, np.maximum)
    )
    return low, high


def _same(looks: Pixels, before: Pixels, grid: _Grid) -> Flags:
    rows = [line - grid.across[0] for line in grid.across[:-1]]
    columns = [line - grid.down[0] for line in grid.down[:-1]]
    changed = np.logical_or.reduceat(np.logical_or.reduceat(looks != before, rows, axis=0), columns, axis=1)
    return ~changed
