"""Tables and records on a screen, as rows of named values, each with its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gui_agent.agent.grounder.structure import anchors, common_depth, in_section, split
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.geometry import Box
from gui_agent.core.observation import Element, Observation
from gui_agent.core.texts import normal, shorten
from gui_agent.elements.layout import on_one_line, under
from gui_agent.elements.matching import likeness
from gui_agent.elements.roles import CELLS
from gui_agent.planners.commands.read_values import content_of

HEAD = re.compile(r".*/t(?:head(?:\[1\])?/tr(?:\[\d+\])?|r(?:\[1\])?)/th(?:\[\d+\])?(?=/)")
"""What leads to the head of a column in the path of something in it."""
TITLED = 48
"""Pixels over its head within which a text is the title of a table."""
SURE = 0.85
"""How well a name must fit a table's heading or a column."""


class TableRow(dict[str, str]):
    """The values of one row by column; `places` has where each stands on the picture."""

    def __init__(self, values: Mapping[str, str], places: Mapping[str, Box]) -> None:
        super().__init__(values)
        self.places = dict(places)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as it stands on the screen: its headers and what is below them."""

    headers: tuple[Element, ...]
    cells: tuple[Element, ...]
    about: tuple[str, ...] = ()
    """What it is called, the nearest first: its caption, a text right above it, the headings before it."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(header.name for header in self.headers)

    def rows(self) -> Iterator[TableRow]:
        """The rows from the top; a column without a value has an empty text."""
        rows: dict[str, dict[int, list[Element]]] = {}
        depth = self._depth()
        for cell in self.cells:
            column = self._column(cell)
            if column is None:
                continue
            key = "/".join(split(cell.path)[:depth]) if depth > 0 else self._line(cell)
            rows.setdefault(key, {}).setdefault(column, []).append(cell)
        for row in rows.values():
            values = {name: _content(name, row.get(i, ())) for i, name in enumerate(self.columns)}
            yield TableRow(values, {self.columns[i]: parts[0].box for i, parts in row.items()})

    def _depth(self) -> int:
        """How deep in the page a row stands: where the columns part, or as deep as the head."""
        columns: dict[int, list[str]] = {}
        for cell in self.cells:
            if (column := self._column(cell)) is not None:
                columns.setdefault(column, []).append(cell.path)
        common: Counter[tuple[str, ...]] = Counter()
        for first, *others in columns.values():
            if others:
                common[tuple(split(first)[: min(common_depth(first, other) for other in others)])] += 1
        agreed = [len(steps) + 1 for steps, often in common.items() if often > 1 or len(columns) == 1]
        alone = all(
            len(paths) == 1 for paths in columns.values()
        )  # one row at most, wherever its cells stand
        return max(agreed, default=0 if alone else len(split(self.headers[0].path)) - 1)

    def _column(self, cell: Element) -> int | None:
        """The number of its column; of several of a name the one that it stands under."""
        labels = set(map(normal, cell.labels))
        named = [i for i, header in enumerate(self.headers) if normal(header.name) in labels]
        below = [i for i, header in enumerate(self.headers) if under(header.box, cell.box)]
        both = [i for i in named if i in below]
        return next(iter(both or named or ([] if cell.labels else below)), None)

    def _line(self, cell: Element) -> str:
        first = next(one for one in self.cells if on_one_line(one.box, cell.box))
        return str(first.id)


def grids(screen: Observation) -> list[Grid]:
    """The tables on a screen that have headers, from the top."""
    by_row: dict[str, list[Element]] = {}
    for element in _headers(screen):
        by_row.setdefault("/".join(split(element.path)[:-1]), []).append(element)
    heads = _join_heads(list(by_row.values()))
    found = []
    for headers in heads:
        names = set(map(normal, (one.name for one in headers)))
        own = {one.id for one in headers}
        below = [
            one
            for one in screen.elements
            if one.role != "columnheader" and one.id not in own and _belongs(one, headers, names)
        ]
        cells = [one for one in below if _nearest(one, heads) is headers]
        found.append(Grid(tuple(headers), tuple(cells), _about(headers[0], screen)))
    return found


def _headers(screen: Observation) -> Iterator[Element]:
    """The named heads of columns; where a head is a link or button, as to sort by, it stands for its cell."""
    labels = {normal(label) for element in screen.elements for label in element.labels}
    seen: set[str] = set()
    for element in screen.elements:
        if element.role == "columnheader" and element.name:
            yield element
        elif normal(element.name) in labels and (head := HEAD.match(element.path)) and head[0] not in seen:
            seen.add(head[0])
            yield replace(element, path=head[0])


def _join_heads(heads: list[list[Element]]) -> list[list[Element]]:
    joined: list[list[Element]] = []
    for headers in heads:
        row = next((row for row in joined if len(headers) == 1 and _one_row(row[-1], headers[0])), None)
        if row is None:
            joined.append([*headers])
        else:
            row += headers
    return joined


def _one_row(one: Element, other: Element) -> bool:
    first, second = split(one.path), split(other.path)
    apart = sum(a != b for a, b in zip(first, second, strict=False))
    return len(first) == len(second) and apart == 1 and on_one_line(one.box, other.box)


def table(what: str, screen: Observation, wanted: Sequence[str] = ()) -> Grid:
    """The table that is called so, stands under such a heading, or has such a column.

    Args:
        wanted: columns that it has to have.

    Raises:
        NotFound: there is none; carries the headers of those there are.
        Ambiguous: several fit.
    """
    there, fits = grids(screen), fitting(screen, wanted)
    if what:
        ranks = [
            next((i for i, a in enumerate(one.about) if likeness(what, a) >= SURE), None) for one in fits
        ]
        nearest = min((rank for rank in ranks if rank is not None), default=None)
        named = [one for one, rank in zip(fits, ranks, strict=True) if rank is not None and rank == nearest]
        fits = named or [one for one in fits if column_of(what, one.columns)]
    if len(fits) == 1:
        return fits[0]
    heads = [header for one in fits or there for header in one.headers]
    columns = "; ".join(", ".join(shorten(name, 30) for name in one.columns) for one in fits or there)
    called = f' called "{what}"' if what else ""
    if fits:
        advice = "name one by its heading or a column"
        raise Ambiguous(f"{len(fits)} tables{called} here: {columns}; {advice}", heads)
    missing = f" with the columns {', '.join(wanted)}" if wanted else ""
    seen = f"; those here have the columns {columns}" if there else "; no table is in sight"
    raise NotFound(f"there is no table{called}{missing}{seen}", heads)


def fitting(screen: Observation, wanted: Sequence[str]) -> list[Grid]:
    """The tables that have all of these columns."""
    return [one for one in grids(screen) if all(column_of(name, one.columns) for name in wanted)]


def column_of(name: str, columns: Sequence[str]) -> str:
    """The column that a name means; empty when none does."""
    best = max(columns, key=lambda column: likeness(name, column), default="")
    return best if best and likeness(name, best) >= SURE else ""


def _content(column: str, parts: Sequence[Element]) -> str:
    """What stands in a column; pictures may say its name, as in `active: true`."""
    said = content_of(parts)
    name, colon, rest = said.partition(":")
    return rest.strip() if colon and rest.strip() and normal(name) == normal(column) else said


def _belongs(cell: Element, headers: Sequence[Element], names: set[str]) -> bool:
    if cell.labels:
        # What stands above the head is of another table that has such a column, and its head out of sight.
        above = cell.box.bottom <= headers[0].box.top
        return not above and any(normal(label) in names for label in cell.labels)
    below = cell.box.top >= headers[0].box.bottom - 4 and cell.role in CELLS
    return below and any(under(header.box, cell.box) for header in headers)


def _nearest(cell: Element, heads: Sequence[Sequence[Element]]) -> Sequence[Element]:
    """The headers that share the most structure with a cell; of those the last above it."""

    def likely(headers: Sequence[Element]) -> tuple[int, int]:
        steps, own = split(headers[0].path), split(cell.path)
        common = next((i for i, pair in enumerate(zip(steps, own, strict=False)) if pair[0] != pair[1]), 0)
        above = headers[0].box.top <= cell.box.top
        return common, headers[0].box.top if above else -1

    return max(heads, key=likely)


def _about(header: Element, screen: Observation) -> tuple[str, ...]:
    """What a table is called, the nearest first: caption, a text right above it, the headings before it."""
    place = next(i for i, one in enumerate(screen.elements) if one.id == header.id)
    before = screen.elements[place - 1 :: -1] if place else ()
    caption = next((one.name for one in before if one.is_text and "caption" in one.path), "")
    text = next((one for one in before if one.is_text and one.box.bottom <= header.box.top), None)
    title = text.name if text is not None and header.box.top - text.box.bottom <= TITLED else ""
    return tuple(filter(None, (caption, title, *(one.name for one in before if one.role == "heading"))))


def under_heading(name: str, screen: Observation) -> list[Element]:
    """What stands in the section of a heading; empty when there is no such heading."""
    heads = [one for one in anchors(name, screen) if one.role in ("heading", "legend")]
    return [one for one in screen.elements if heads and in_section(one, heads[0], screen)]
