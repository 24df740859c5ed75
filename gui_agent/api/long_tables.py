"""Reads tables on a screen as rows by their headers, scrolling or paging through long ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product
from statistics import median

from gui_agent.core.actions import Scroll
from gui_agent.core.aiming import sole
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
"""The path of a column header, at the beginning of the path of an element in it."""
TITLED = 48
"""How far (px) above its header the title of a table may be."""
SURE = 0.85
"""How well a name must match a table's heading or a column."""


class TableRow(dict[str, str]):
    """The values of one row by column; `places` has the box of each value on the picture."""

    def __init__(self, values: Mapping[str, str], places: Mapping[str, Box]) -> None:
        super().__init__(values)
        self.places = dict(places)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table on the screen: its headers and the cells below them."""

    headers: tuple[Element, ...]
    cells: tuple[Element, ...]
    about: tuple[str, ...] = ()
    """Its names, the nearest first: its caption, a text right above it, the headings before it."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(header.name for header in self.headers)

    def __str__(self) -> str:
        return ", ".join(shorten(name, 30) for name in self.columns)

    def rank(self, name: str) -> int | None:
        """The position of a name among the table's names, 0 the nearest; None if it has no such name."""
        return next((rank for rank, one in enumerate(self.about) if likeness(name, one) >= SURE), None)

    def rows(self) -> Iterator[TableRow]:
        """The rows from the top; a column without a value has an empty text."""
        rows: dict[Part, dict[int, list[Element]]] = {}
        depth = self._depth()
        for cell in self.cells:
            column = self._column(cell)
            if column is None:
                continue
            key = steps_of(cell)[:depth] if depth > 0 else self._row_key(cell)
            rows.setdefault(key, {}).setdefault(column, []).append(cell)
        for row in rows.values():
            values = {name: _column_content(name, row.get(i, ())) for i, name in enumerate(self.columns)}
            yield TableRow(values, {self.columns[i]: parts[0].box for i, parts in row.items()})

    def _depth(self) -> int:
        """The length of a row's path: where the columns separate, or the header's depth."""
        columns: dict[int, list[Part]] = {}
        for cell in self.cells:
            if (column := self._column(cell)) is not None:
                columns.setdefault(column, []).append(steps_of(cell))
        common: Counter[Part] = Counter()
        for first, *others in columns.values():
            if others:
                common[first[: min(shared_length(first, other) for other in others)]] += 1
        agreed = [len(steps) + 1 for steps, often in common.items() if often > 1 or len(columns) == 1]
        alone = all(len(paths) == 1 for paths in columns.values())  # a single row, wherever its cells are
        return max(agreed, default=0 if alone else len(steps_of(self.headers[0])) - 1)

    def _column(self, cell: Element) -> int | None:
        """The number of a cell's column; if several have the same name, the one above the cell."""
        labels = set(map(normal, cell.labels))
        named = [i for i, header in enumerate(self.headers) if normal(header.name) in labels]
        below = [i for i, header in enumerate(self.headers) if share_columns(header.box, cell.box)]
        both = [i for i in named if i in below]
        return next(iter(both or named or ([] if cell.labels else below)), None)

    def _row_key(self, cell: Element) -> Part:
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
        below = [one for one in screen.elements if one not in headers and _is_cell_of(one, headers, names)]
        cells = [one for one in below if _nearest_headers(one, heads) is headers]
        found.append(Grid(tuple(headers), tuple(cells), _names_of_table(headers[0], screen)))
    return found


def _headers(screen: Observation) -> Iterator[Element]:
    """The named column headers; a header that is a link or button, as for sorting, stands for its cell."""
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
        row = next(
            (row for row in joined if len(headers) == 1 and _are_in_one_row(row[-1], headers[0])), None
        )
        if row is None:
            joined.append([*headers])
        else:
            row += headers
    return joined


def _are_in_one_row(one: Element, other: Element) -> bool:
    first, second = steps_of(one), steps_of(other)
    apart = sum(a != b for a, b in zip(first, second, strict=False))
    return len(first) == len(second) and apart == 1 and on_one_line(one.box, other.box)


def table(what: str, screen: Observation, wanted: Sequence[str] = ()) -> Grid:
    """The table with this name, heading or column, and with the wanted columns. Raises NotFound,
    Ambiguous.
    """
    fits = tables_with_columns(screen, wanted)
    fits = _tables_called(what, fits) if what else fits
    if alone := sole(fits):
        return alone
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
    """The tables to which a name is nearest; if it is near none, those with a column of this name."""
    ranks = [(rank, one) for one in tables if (rank := one.rank(name)) is not None]
    nearest = min((rank for rank, _ in ranks), default=None)
    named = [one for rank, one in ranks if rank == nearest]
    return named or [one for one in tables if column_of(name, one.columns)]


def tables_with_columns(screen: Observation, wanted: Iterable[str]) -> list[Grid]:
    """The tables that have all of these columns."""
    found = grids(screen)
    for name in wanted:
        found = [one for one in found if column_of(name, one.columns)]
    return found


def column_of(name: str, columns: Sequence[str]) -> str:
    """The column that a name means; empty if there is none."""
    best = max(columns, key=lambda column: likeness(name, column), default="")
    return best if best and likeness(name, best) >= SURE else ""


def _column_content(column: str, parts: Sequence[Element]) -> str:
    said = content_of(parts)
    name, colon, rest = said.partition(":")
    return rest.strip() if colon and rest.strip() and normal(name) == normal(column) else said


def _is_cell_of(cell: Element, headers: Sequence[Element], names: set[str]) -> bool:
    """Whether a cell has one of these names as its label, or is below one of the visible headers."""
    if cell.role == "columnheader":
        return False
    if cell.labels:
        # A cell above the header belongs to another table with such a column, whose header is out of sight.
        above = bool(headers) and cell.box.bottom <= headers[0].box.top
        return not above and not names.isdisjoint(map(normal, cell.labels))
    return cell.role in CELLS and any(is_below(cell, header) for header in headers)


def _nearest_headers(cell: Element, heads: Sequence[Sequence[Element]]) -> Sequence[Element]:
    """The headers that share the most structure with a cell; of those, the last above it."""

    def likely(headers: Sequence[Element]) -> tuple[int, int]:
        steps, own = steps_of(headers[0]), steps_of(cell)
        common = shared_length(steps, own) if steps[: len(own)] != own[: len(steps)] else 0
        above = headers[0].box.top <= cell.box.top
        return common, headers[0].box.top if above else -1

    return max(heads, key=likely)


def _names_of_table(header: Element, screen: Observation) -> tuple[str, ...]:
    """The names of a table, the nearest first: caption, a text right above it, the headings before it."""
    place = next(i for i, one in enumerate(screen.elements) if one.id == header.id)
    before = screen.elements[place - 1 :: -1] if place else ()
    caption = next((one.name for one in before if one.is_text and "caption" in one.path), "")
    text = next((one for one in before if one.is_text and one.box.bottom <= header.box.top), None)
    title = text.name if text is not None and header.box.top - text.box.bottom <= TITLED else ""
    return tuple(filter(None, (caption, title, *(one.name for one in before if one.role == "heading"))))


def elements_under_heading(name: str, screen: Observation) -> list[Element]:
    """The elements in the section of a heading; empty if there is no such heading."""
    scene = Scene.from_screen(screen)
    heads = [one for one in scene.matches(name) if one.role in ("heading", "legend")]
    return [one for one in screen.elements if heads and scene.tree.section_rank(one, heads[0])]


TURN = 0.6
"""Share of the visible height that one scroll moves, so that the rows before stay partly in sight."""
LEAST_TURN = 24
"""Least scroll in pixels, and tallest row whose position can be followed."""
FAR = 100_000
"""A distance in pixels that is longer than any table."""
MOST_TURNS = 600
"""Most scrolls through one table; a longer one is refused."""
EXACT = 3
"""How many pixels a scroll may deviate."""
LEAST_STEP = 2 * EXACT
"""Least scroll in pixels between equal rows; equal rows lower than twice this are not counted."""


@dataclass(frozen=True, slots=True)
class _View:
    at: Point
    height: int
    page: bool
    above: int = 0
    """Pixels of the page above the view at the beginning."""


def all_rows(found: Grid, screen: Observation, computer: Computer) -> list[TableRow]:
    """All rows of a table, including those that need scrolling or are created only when they come into view.

    A list that scrolls by itself is read from its top, a page from the table's header on, and the view is
    then restored. The places of a row are those at the time it was read.
    """
    rows = _rows_from_top(found)
    view = _scroll_view(found, screen)
    if view is None:
        return rows
    head = steps_of(found.headers[0])
    depth = min((shared_length(head, steps_of(cell)) for cell in found.cells), default=0)
    if not view.page and _turn_wheel(computer, view, -FAR):
        rows = _rows_from_top(_same_table_on(found, computer.observe(picture=False), depth)) or rows
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
        """Pixels that the view is below the place where the first rows were read."""
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
            # Among equal rows, only a scroll of less than one row shows how many have passed.
            step = self._step = min(step // 2, _step_below_one_row(shown) if joined else step)
            if step < (LEAST_STEP if joined else LEAST_TURN):
                raise ActionFailed("the rows of the table cannot be followed; make the window higher")
        return False

    def _moved_exactly(self, joined: JoinedRows, shown: list[TableRow], moved: int) -> bool:
        """Whether the view moved exactly this far among equal rows, and not only to its end."""
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
        shown = _without_cut_first(_rows_from_top(_same_table_on(self._found, screen, self._depth)))
        moved = screen.more.get("above", 0) - before if self._view.page else step
        return (moved, shown) if shown and moved else None

    def _go_back(self, moved: int) -> None:
        """Scroll back to the last rows; from the end of a list, the distance back differs from the distance
        forth.
        """
        if self._view.page:
            _turn_wheel(self._computer, self._view, -moved)
        elif _turn_wheel(self._computer, self._view, -FAR) and self.at:
            _turn_wheel(self._computer, self._view, self.at)


def scroll_to_header(found: Grid, screen: Observation, computer: Computer) -> bool:
    """Whether the page was scrolled to the header of a table.

    Up, if the page keeps the header in sight and the table's first rows are above; down, if the window cuts
    off a list that scrolls by itself, or shows only the header.
    """
    view, below = _scroll_view(found, screen), screen.more.get("below", 0)
    bare = not found.cells and found.headers[0].box.bottom > screen.size.height - 4 * LEAST_TURN
    if (view is None or view.page) and not bare:
        return _release_header(found, screen, computer)
    if view is not None and view.at.y + view.height // 2 < screen.size.height - LEAST_TURN:
        return False
    far = min(below, min(header.box.top for header in found.headers) - LEAST_TURN)
    if far < LEAST_TURN:
        return False
    _move_page(computer, screen, far)
    return True


def _release_header(found: Grid, screen: Observation, computer: Computer) -> bool:
    """Whether the page was scrolled up to where it no longer keeps a table's header in sight."""
    if _header_top(found, screen) > screen.size.height // 3:
        return False
    began, step = screen.more.get("above", 0), LEAST_TURN
    now, held = screen, True
    while held and now.more.get("above", 0) > 0:
        _move_page(computer, now, -step)
        before, now, step = now, computer.observe(picture=False), round(TURN * screen.size.height)
        went = before.more.get("above", 0) - now.more.get("above", 0)
        held = went > 0 and abs(_header_top(found, now) - _header_top(found, before)) <= EXACT
        if not went:
            break
    gone = began - now.more.get("above", 0)
    if 0 < gone <= LEAST_TURN and not held:  # the page does not keep it in sight at all
        _move_page(computer, now, gone)
        return False
    return gone > 0


def _header_top(found: Grid, screen: Observation) -> int:
    """The top of a table's header on another screen; the screen's height if the header is out of sight."""
    name = normal(found.headers[0].name)
    tops = [one.box.top for one in screen.elements if one.role == "columnheader" and normal(one.name) == name]
    return min(tops, default=screen.size.height)


@dataclass(slots=True)
class JoinedRows:
    """Rows, with those that came into sight after them."""

    rows: list[TableRow]
    moved: int
    """Pixels by which the rows moved up."""
    sure: bool
    """Whether they fit in only one way."""


def joined_rows(rows: Sequence[TableRow], shown: Sequence[TableRow], step: int) -> JoinedRows | None:
    """The rows and those in sight after a scroll, each once; None if they have no row in common.

    Args:
        step: most pixels that the view moved. Among equal rows, it decides how many of them were read
            before.
    """
    fits: list[tuple[bool, int, int]] = []
    for count in range(1, min(len(rows), len(shown)) + 1):
        pairs = list(zip(rows[-count:], shown[:count], strict=True))
        if all(_may_be_same_row(one, other) for one, other in pairs):
            moved = [_top(one) - _top(other) for one, other in pairs]
            moved = moved[1:] or moved  # the top of the first visible row may be cut off
            if max(moved) - min(moved) <= 2 * EXACT and -EXACT <= moved[0] <= step + EXACT:
                fits.append((abs(moved[0] - step) <= EXACT, count, moved[-1]))
    if not fits:
        return None
    _, count, far = max(fits)
    # Of two readings of a row, the one with more filled cells.
    readings = zip(shown[:count], rows[-count:], strict=True)
    seam = [max(pair, key=lambda row: sum(map(bool, row.values()))) for pair in readings]
    # Places are those of the last look, so that the next one can be compared with them.
    seam = [TableRow(one, now.places or one.places) for one, now in zip(seam, shown[:count], strict=True)]
    return JoinedRows([*rows[:-count], *seam, *shown[count:]], far, len(fits) == 1)


def _without_cut_first(rows: list[TableRow]) -> list[TableRow]:
    heights = [_top(other) - _top(one) for one, other in pairwise(rows)]
    cut = len(heights) > 1 and heights[0] < min(heights[1:]) - EXACT
    return rows[1:] if cut else rows


def _step_below_one_row(rows: Sequence[TableRow]) -> int:
    heights = [_top(other) - _top(one) for one, other in pairwise(rows)]
    return round(median(heights)) // 2 if heights else 0


def _may_be_same_row(one: TableRow, other: TableRow) -> bool:
    """Whether two readings may be of the same row; at the edge of the view, some values are out of sight."""
    return all(not a or not b or a == b for a, b in zip(one.values(), other.values(), strict=True))


def _top(row: TableRow) -> int:
    return min((box.top for box in row.places.values()), default=0)


def _rows_from_top(grid: Grid) -> list[TableRow]:
    """The rows from the top; lists that create rows on demand put them anywhere in the page."""
    return sorted((row for row in grid.rows() if row.places), key=_top)


def _same_table_on(found: Grid, screen: Observation, depth: int) -> Grid:
    """The cells of the same table on another screen, where its header may be out of sight."""
    names = {normal(header.name) for header in found.headers}
    head = steps_of(found.headers[0])
    near = [one for one in screen.elements if shared_length(head, steps_of(one)) >= depth]
    heads = [one for one in near if one.role == "columnheader" and normal(one.name) in names]
    return replace(found, cells=tuple(one for one in near if _is_cell_of(one, heads, names)))


def _scroll_view(found: Grid, screen: Observation) -> _View | None:
    """The part to scroll in order to see all of a table; None if all of it is in sight."""
    whole = screen.size.box
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
    """Scroll the page at a point where no part of the page scrolls by itself."""
    parts = [one.box for one in screen.elements if "scrollable" in one.states]
    width, height = screen.size.width, screen.size.height

    def is_free(point: Point) -> bool:
        return not any(part.contains(point) for part in parts)

    points = [Point(width * x // 8, height * y // 8) for y, x in product(range(1, 8), repeat=2)]
    computer.perform(Scroll(next(filter(is_free, points), points[0]), down=down))
    computer.settle()
