"""Tables on a screen as rows by their headers; long ones row by row through scrolling and turned pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product
from statistics import median

from gui_agent.core.actions import Scroll
from gui_agent.core.errors import ActionFailed, Ambiguous, NotFound
from gui_agent.core.observation import Box, Element, Observation, Point, on_one_line, share_columns
from gui_agent.core.protocols import Computer
from gui_agent.core.texts import normal, shorten
from gui_agent.elements.roles import CELLS
from gui_agent.elements.text import likeness
from gui_agent.planners.commands.read_values import content_of
from gui_agent.scene import Scene
from gui_agent.scene.structure import Part, shared_length, steps_of
from gui_agent.scene.tables import is_below

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

    def __str__(self) -> str:
        return ", ".join(shorten(name, 30) for name in self.columns)

    def rank(self, name: str) -> int | None:
        """The place of a name among what it is called, 0 the nearest; None when it is not called so."""
        return next((rank for rank, one in enumerate(self.about) if likeness(name, one) >= SURE), None)

    def rows(self) -> Iterator[TableRow]:
        """The rows from the top; a column without a value has an empty text."""
        rows: dict[Part, dict[int, list[Element]]] = {}
        depth = self._depth()
        for cell in self.cells:
            column = self._column(cell)
            if column is None:
                continue
            key = steps_of(cell)[:depth] if depth > 0 else self._line(cell)
            rows.setdefault(key, {}).setdefault(column, []).append(cell)
        for row in rows.values():
            values = {name: _column_content(name, row.get(i, ())) for i, name in enumerate(self.columns)}
            yield TableRow(values, {self.columns[i]: parts[0].box for i, parts in row.items()})

    def _depth(self) -> int:
        """How deep in the page a row stands: where the columns part, or as deep as the head."""
        columns: dict[int, list[Part]] = {}
        for cell in self.cells:
            if (column := self._column(cell)) is not None:
                columns.setdefault(column, []).append(steps_of(cell))
        common: Counter[Part] = Counter()
        for first, *others in columns.values():
            if others:
                common[first[: min(shared_length(first, other) for other in others)]] += 1
        agreed = [len(steps) + 1 for steps, often in common.items() if often > 1 or len(columns) == 1]
        alone = all(len(paths) == 1 for paths in columns.values())  # one row, wherever its cells stand
        return max(agreed, default=0 if alone else len(steps_of(self.headers[0])) - 1)

    def _column(self, cell: Element) -> int | None:
        """The number of its column; of several of a name the one that it stands under."""
        labels = set(map(normal, cell.labels))
        named = [i for i, header in enumerate(self.headers) if normal(header.name) in labels]
        below = [i for i, header in enumerate(self.headers) if share_columns(header.box, cell.box)]
        both = [i for i in named if i in below]
        return next(iter(both or named or ([] if cell.labels else below)), None)

    def _line(self, cell: Element) -> Part:
        return (str(next(one.id for one in self.cells if on_one_line(one.box, cell.box))),)


def grids(screen: Observation) -> list[Grid]:
    """The tables on a screen that have headers, from the top."""
    by_row: dict[Part, list[Element]] = {}
    for element in _headers(screen):
        by_row.setdefault(steps_of(element)[:-1], []).append(element)
    heads = _join_heads(list(by_row.values()))
    found = []
    for headers in heads:
        names = {normal(one.name) for one in headers}
        below = [one for one in screen.elements if one not in headers and _belongs(one, headers, names)]
        cells = [one for one in below if _nearest(one, heads) is headers]
        found.append(Grid(tuple(headers), tuple(cells), _about(headers[0], screen)))
    return found


def _headers(screen: Observation) -> Iterator[Element]:
    """The named heads of columns; where a head is a link or button, as to sort by, it stands for its cell."""
    labels = set(map(normal, chain.from_iterable(element.labels for element in screen.elements)))
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
    first, second = steps_of(one), steps_of(other)
    apart = sum(a != b for a, b in zip(first, second, strict=False))
    return len(first) == len(second) and apart == 1 and on_one_line(one.box, other.box)


def table(what: str, screen: Observation, wanted: Sequence[str] = ()) -> Grid:
    """The table that is called so or stands under such a heading, and has the wanted columns."""
    fits = fitting(screen, wanted)
    fits = _tables_called(what, fits) if what else fits
    if len(fits) == 1:
        return fits[0]
    here = fits or grids(screen)
    heads = [*chain.from_iterable(one.headers for one in here)]
    columns = "; ".join(map(str, here))
    called = f' called "{what}"' if what else ""
    if fits:
        advice = "name one by its heading or a column"
        raise Ambiguous(f"{len(fits)} tables{called} here: {columns}; {advice}", heads)
    missing = f" with the columns {', '.join(wanted)}" if wanted else ""
    seen = f"; those here have the columns {columns}" if here else "; no table is in sight"
    raise NotFound(f"there is no table{called}{missing}{seen}", heads)


def _tables_called(name: str, tables: Sequence[Grid]) -> list[Grid]:
    """Those that a name stands nearest to; where it stands near none, those that have such a column."""
    ranks = [(rank, one) for one in tables if (rank := one.rank(name)) is not None]
    nearest = min((rank for rank, _ in ranks), default=None)
    named = [one for rank, one in ranks if rank == nearest]
    return named or [one for one in tables if column_of(name, one.columns)]


def fitting(screen: Observation, wanted: Iterable[str]) -> list[Grid]:
    """The tables that have all of these columns."""
    found = grids(screen)
    for name in wanted:
        found = [one for one in found if column_of(name, one.columns)]
    return found


def column_of(name: str, columns: Sequence[str]) -> str:
    """The column that a name means; empty when none does."""
    best = max(columns, key=lambda column: likeness(name, column), default="")
    return best if best and likeness(name, best) >= SURE else ""


def _column_content(column: str, parts: Sequence[Element]) -> str:
    said = content_of(parts)
    name, colon, rest = said.partition(":")
    return rest.strip() if colon and rest.strip() and normal(name) == normal(column) else said


def _belongs(cell: Element, headers: Sequence[Element], names: set[str]) -> bool:
    """Whether a cell has one of these names as its label, or stands below one of the headers in sight."""
    if cell.role == "columnheader":
        return False
    if cell.labels:
        # What stands above the head is of another table that has such a column, and its head out of sight.
        above = bool(headers) and cell.box.bottom <= headers[0].box.top
        return not above and not names.isdisjoint(map(normal, cell.labels))
    return cell.role in CELLS and any(is_below(cell, header) for header in headers)


def _nearest(cell: Element, heads: Sequence[Sequence[Element]]) -> Sequence[Element]:
    """The headers that share the most structure with a cell; of those the last above it."""

    def likely(headers: Sequence[Element]) -> tuple[int, int]:
        steps, own = steps_of(headers[0]), steps_of(cell)
        common = shared_length(steps, own) if steps[: len(own)] != own[: len(steps)] else 0
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
    scene = Scene.from_screen(screen)
    heads = [one for one in scene.matches(name) if one.role in ("heading", "legend")]
    return [one for one in screen.elements if heads and scene.tree.section_rank(one, heads[0])]


TURN = 0.6
"""Share of the height in sight that one read_next moves, so that the rows before it stay partly in sight."""
LEAST_TURN = 24
"""Pixels; rows that are taller than the view cannot be followed."""
FAR = 100_000
"""Pixels that are more than any table is long."""
MOST_TURNS = 600
EXACT = 3
"""Pixels by which a read_next may come out different."""
LEAST_STEP = 2 * EXACT
"""Pixels; rows that look alike and are not twice as high are not counted."""


@dataclass(frozen=True, slots=True)
class _View:
    at: Point
    height: int
    page: bool
    above: int = 0
    """Pixels of the page above what was in sight at first."""


def all_rows(found: Grid, screen: Observation, computer: Computer) -> list[TableRow]:
    """All rows of a table, also those that are scrolled to or only made when they come into view.

    A list that scrolls by itself is read from its top, a page from the head of the table on, and the view is
    put back. Places of rows are those at which they stood when they were read.
    """
    rows = _rows_from_top(found)
    view = _view(found, screen)
    if view is None:
        return rows
    head = steps_of(found.headers[0])
    depth = min((shared_length(head, steps_of(cell)) for cell in found.cells), default=0)
    if not view.page and _turn_wheel(computer, view, -FAR):
        rows = _rows_from_top(_again(found, computer.observe(picture=False), depth)) or rows
    reader = _Reader(found, computer, view, depth, rows)
    for _ in range(MOST_TURNS):
        if not reader.read_next():
            above = screen.more.get("above", 0)
            far = computer.observe(picture=False).more.get("above", 0) - above if view.page else FAR
            _turn_wheel(computer, view, -far)
            return reader.rows
    raise ActionFailed(f"the table goes on after {len(reader.rows)} rows; filter it, or read it in parts")


class _Reader:
    def __init__(
        self, found: Grid, computer: Computer, view: _View, depth: int, rows: list[TableRow]
    ) -> None:
        self.rows = rows
        self.at = 0
        """Pixels that the view stands below the place where the first rows were seen."""
        self._found, self._computer, self._view, self._depth = found, computer, view, depth
        self._step = max(round(TURN * view.height), LEAST_TURN)

    def read_next(self) -> bool:
        step = self._step
        while seen := self._rows_after_step(step):
            moved, shown = seen
            joined = joined_rows(self.rows, shown, moved)
            if joined and (joined.sure or self._moved_exactly(joined, shown, moved)):
                if joined.moved <= EXACT and len(joined.rows) == len(self.rows):
                    return False
                self.rows, self.at = joined.rows, self.at + joined.moved
                return True
            self._go_back(moved)
            # Where rows look alike, only a step of less than a row tells how many of them went by.
            step = self._step = min(step // 2, _step_below_one_row(shown) if joined else step)
            if step < (LEAST_STEP if joined else LEAST_TURN):
                raise ActionFailed("the rows of the table cannot be followed; make the window higher")
        return False

    def _moved_exactly(self, joined: JoinedRows, shown: list[TableRow], moved: int) -> bool:
        """Whether the view moved exactly so far among rows that look alike, and not only to its end."""
        if abs(joined.moved - moved) > EXACT:
            return False
        if self._view.page:
            return True
        little = _step_below_one_row(shown)
        after = self._rows_after_step(little) if little >= LEAST_STEP else None
        further = joined_rows(joined.rows, after[1], little) if after else None
        if further is None or not further.sure or further.moved <= 1:
            return False
        joined.rows, joined.moved = further.rows, joined.moved + further.moved
        return True

    def _rows_after_step(self, step: int) -> tuple[int, list[TableRow]] | None:
        before = self._computer.observe(picture=False).more.get("above", 0) if self._view.page else 0
        if not _turn_wheel(self._computer, self._view, step):
            return None
        screen = self._computer.observe(picture=False)
        shown = _without_cut_first(_rows_from_top(_again(self._found, screen, self._depth)))
        moved = screen.more.get("above", 0) - before if self._view.page else step
        return (moved, shown) if shown and moved else None

    def _go_back(self, moved: int) -> None:
        """To where the last rows were read; from the end of a list the way back is not the way there."""
        if self._view.page:
            _turn_wheel(self._computer, self._view, -moved)
        elif _turn_wheel(self._computer, self._view, -FAR) and self.at:
            _turn_wheel(self._computer, self._view, self.at)


def brought_up(found: Grid, screen: Observation, computer: Computer) -> bool:
    """Whether the page was scrolled to the head of a table.

    Up to it where the page holds the head in sight and its first rows are above; down to it where the window
    cuts off a list that scrolls by itself, or shows the head alone.
    """
    view, below = _view(found, screen), screen.more.get("below", 0)
    bare = not found.cells and found.headers[0].box.bottom > screen.size.height - 4 * LEAST_TURN
    if (view is None or view.page) and not bare:
        return _unstuck(found, screen, computer)
    if view is not None and view.at.y + view.height // 2 < screen.size.height - LEAST_TURN:
        return False
    far = min(below, min(header.box.top for header in found.headers) - LEAST_TURN)
    if far < LEAST_TURN:
        return False
    _move_page(computer, screen, far)
    return True


def _unstuck(found: Grid, screen: Observation, computer: Computer) -> bool:
    """Whether the page was scrolled up to where it no longer holds the head of a table in sight."""
    if _head(found, screen) > screen.size.height // 3:
        return False
    began, step = screen.more.get("above", 0), LEAST_TURN
    now, held = screen, True
    while held and now.more.get("above", 0) > 0:
        _move_page(computer, now, -step)
        before, now, step = now, computer.observe(picture=False), round(TURN * screen.size.height)
        went = before.more.get("above", 0) - now.more.get("above", 0)
        held = went > 0 and abs(_head(found, now) - _head(found, before)) <= EXACT
        if not went:
            break
    gone = began - now.more.get("above", 0)
    if 0 < gone <= LEAST_TURN and not held:  # it was not held at all
        _move_page(computer, now, gone)
        return False
    return gone > 0


def _head(found: Grid, screen: Observation) -> int:
    """Where the head of a table stands on another screen; below it when the head is not in sight."""
    name = normal(found.headers[0].name)
    tops = [one.box.top for one in screen.elements if one.role == "columnheader" and normal(one.name) == name]
    return min(tops, default=screen.size.height)


@dataclass(slots=True)
class JoinedRows:
    """Rows with those that came into sight after them."""

    rows: list[TableRow]
    moved: int
    """Pixels by which the rows stand higher now."""
    sure: bool
    """Whether there is no other way in which they fit."""


def joined_rows(rows: Sequence[TableRow], shown: Sequence[TableRow], step: int) -> JoinedRows | None:
    """Rows and those in sight after the view was moved, each once; None when no row is among both.

    Args:
        step: pixels by which the view was moved, at most. Where rows look alike it decides how many of them
            stood there before.
    """
    fits: list[tuple[bool, int, int]] = []
    for count in range(1, min(len(rows), len(shown)) + 1):
        pairs = list(zip(rows[-count:], shown[:count], strict=True))
        if all(_same(one, other) for one, other in pairs):
            moved = [_top(one) - _top(other) for one, other in pairs]
            moved = moved[1:] or moved  # the top of the first row in sight may be cut off
            if max(moved) - min(moved) <= 2 * EXACT and -EXACT <= moved[0] <= step + EXACT:
                fits.append((abs(moved[0] - step) <= EXACT, count, moved[-1]))
    if not fits:
        return None
    _, count, far = max(fits)
    # The one of two readings of a row that has more filled cells.
    readings = zip(shown[:count], rows[-count:], strict=True)
    seam = [max(pair, key=lambda row: sum(map(bool, row.values()))) for pair in readings]
    # Places are those of the last look, so that the next one can be told by how far it moved.
    seam = [TableRow(one, now.places or one.places) for one, now in zip(seam, shown[:count], strict=True)]
    return JoinedRows([*rows[:-count], *seam, *shown[count:]], far, len(fits) == 1)


def _without_cut_first(rows: list[TableRow]) -> list[TableRow]:
    heights = [_top(other) - _top(one) for one, other in pairwise(rows)]
    cut = len(heights) > 1 and heights[0] < min(heights[1:]) - EXACT
    return rows[1:] if cut else rows


def _step_below_one_row(rows: Sequence[TableRow]) -> int:
    heights = [_top(other) - _top(one) for one, other in pairwise(rows)]
    return round(median(heights)) // 2 if heights else 0


def _same(one: TableRow, other: TableRow) -> bool:
    """Whether two rows may be one; at the edge of the view some values are out of sight."""
    return all(not a or not b or a == b for a, b in zip(one.values(), other.values(), strict=True))


def _top(row: TableRow) -> int:
    return min((box.top for box in row.places.values()), default=0)


def _rows_from_top(grid: Grid) -> list[TableRow]:
    """The rows from the top; lists that make rows as they come into view put them anywhere in the page."""
    return sorted((row for row in grid.rows() if row.places), key=_top)


def _again(found: Grid, screen: Observation, depth: int) -> Grid:
    """The cells of the same table on another screen, where its head may be out of sight."""
    names = {normal(header.name) for header in found.headers}
    head = steps_of(found.headers[0])
    near = [one for one in screen.elements if shared_length(head, steps_of(one)) >= depth]
    heads = [one for one in near if one.role == "columnheader" and normal(one.name) in names]
    return replace(found, cells=tuple(one for one in near if _belongs(one, heads, names)))


def _view(found: Grid, screen: Observation) -> _View | None:
    """What has to be scrolled to see all of a table; None when all of it is in sight."""
    whole = Box(0, 0, screen.size.width, screen.size.height)
    inner = [cell.box.center for cell in found.cells]
    parts = [
        one.box
        for one in screen.elements
        if "scrollable" in one.states and inner and sum(map(one.box.contains, inner)) > len(inner) // 2
    ]
    if parts:
        box = min(parts, key=lambda one: one.area)
        shown = box.intersect(whole) or box
        return _View(shown.center, box.height, page=False, above=screen.more.get("above", 0))
    last = max((cell.box.bottom for cell in found.cells), default=0)
    hidden = screen.more.get("below", 0) > 0 and last > screen.size.height - 2 * LEAST_TURN
    if not hidden:
        return None
    return _View(whole.center, screen.size.height, page=True)


def _turn_wheel(computer: Computer, view: _View, down: int) -> bool:
    try:
        computer.perform(Scroll(view.at, down=down))
    except ActionFailed:
        return False
    computer.settle()
    return view.page or not _has_page_moved(computer, view)


def _has_page_moved(computer: Computer, view: _View) -> bool:
    screen = computer.observe(picture=False)
    moved = screen.more.get("above", 0) - view.above
    if abs(moved) <= EXACT:
        return False
    _move_page(computer, screen, -moved)
    return True


def _move_page(computer: Computer, screen: Observation, down: int) -> None:
    """Turn the wheel where no part of the page would take it."""
    parts = [one.box for one in screen.elements if "scrollable" in one.states]
    width, height = screen.size.width, screen.size.height

    def is_free(point: Point) -> bool:
        return not any(part.contains(point) for part in parts)

    points = [Point(width * x // 8, height * y // 8) for y, x in product(range(1, 8), repeat=2)]
    computer.perform(Scroll(next(filter(is_free, points), points[0]), down=down))
    computer.settle()
