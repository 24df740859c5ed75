"""The list of elements for a model: what is in front first, rows as a whole, the most relevant kept."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gui_agent.agent.grounder.candidates import options
from gui_agent.core.observation import Box, Element, Observation, Point, on_one_line
from gui_agent.core.texts import shorten
from gui_agent.elements.abstraction import line, weights
from gui_agent.elements.roles import CELLS, DIALOGS, GRAPHIC, HEADERS

LISTING = 10_000
"""Maximum characters of the list of elements in a prompt, about 3,000 tokens."""
NEWS = 25.0
"""Weight of a new text, which is usually the program's response to the last action."""
ANEW = 0.8
"""Share of new elements from which novelty means nothing: another page, or a window that is back."""
WIDEST, TEXT = 110, 300
"""Maximum characters of one line of the list, and of a plain-text line, which a question may be about."""
LAST = 1_500
"""Maximum characters shown from the end of a terminal."""
OPTIONS = 12
"""Maximum options of a list that are named."""
APART = 60
"""Pixels beside a table row from which an element does not belong to it."""
BEHIND = "Behind it:"
"""Heading of the elements that a dialog or window in front covers."""
BLANKS = 3
"""From this many adjacent empty cells of a spreadsheet on, they become one line."""
HELD = 6
"""Number of elements after a cell that may be inside it."""
STROKES = 24
"""Number of elements before a nameless picture that may contain it."""
_TABLED = CELLS | HEADERS | {"row"}
_ROW = re.compile(r"/tr(\[\d+\])?/$")
_COORDINATE = re.compile(r"[A-Z]{1,3}\d+")

Row = tuple[Element, ...]


def list_lines(observation: Observation, task: str, most: int = LISTING) -> tuple[list[str], int]:
    """The lines of the list, chosen by relevance, and the number of omitted elements.

    The elements of the dialog or window in front come first; `...` marks an omission between two lines.
    """
    elements, asked = observation.elements, (_outline_in_front(observation), task, most)
    # Looked up by identity: hashing some hundred elements takes longer than reading them.
    found = next((kept[2] for kept in tuple(_RECENT) if kept[0] is elements and kept[1] == asked), None)
    if found is None:
        found = _list_lines(elements, *asked)
        _RECENT.append((elements, asked, found))
    return [*found[0]], found[1]


_RECENT: deque[tuple[Sequence[Element], tuple[Box | None, str, int], tuple[list[str], int]]] = deque(
    maxlen=16
)
"""Recent lists: each request repeats the screens of the last turns."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """One line: its text, the number of elements it covers, its relevance."""

    text: str
    size: int
    weight: float
    behind: bool
    """Whether the dialog or window in front covers it."""


def _list_lines(
    elements: Sequence[Element], front: Box | None, task: str, most: int
) -> tuple[list[str], int]:
    units = _units(elements, front, task)
    kept: set[int] = set()
    for place in sorted(range(len(units)), key=lambda place: -units[place].weight):
        most -= len(units[place].text) + 1
        if most < 0:
            break
        kept.add(place)
    lines: list[str] = []
    for place, unit in enumerate(units):
        if place and unit.behind and not units[place - 1].behind:
            lines.append(BEHIND)
        if place in kept:
            lines.append(unit.text)
        elif lines and lines[-1] != "...":
            lines.append("...")
    return lines, sum(unit.size for place, unit in enumerate(units) if place not in kept)


def _units(elements: Sequence[Element], front: Box | None, task: str) -> list[_Unit]:
    """All lines: first those in front, then those behind."""
    anew = sum("new" in element.states for element in elements) > ANEW * len(elements)
    weighed = dict(zip((element.id for element in elements), weights(elements, task), strict=True))

    def weight(element: Element) -> float:
        is_news = element.is_text and "new" in element.states and not anew
        return weighed[element.id] + (NEWS if is_news else 0)

    units: list[_Unit] = []
    for behind in (False, True):
        part = [e for e in elements if (front is None or front.contains(e.box.center)) != behind]
        for row in _rows(part):
            text = " | ".join(_parts_of_line(row, anew))
            units.append(_Unit(text, len(row), max(map(weight, row)), behind))
    return units


def _outline_in_front(observation: Observation) -> Box | None:
    windows = [box for number, box in observation.windows.items() if number not in observation.hints]
    if len(windows) > 1:
        return windows[-1]
    dialogs = [element.box for element in observation.elements if element.role in DIALOGS]
    return max(dialogs, key=lambda box: box.area, default=None)


def _rows(elements: Sequence[Element]) -> list[Row]:
    """The elements in reading order, grouped by table row, without redundant ones."""
    told = [element for place, element in enumerate(elements) if not _is_needless(element, place, elements)]
    rows = _table_rows(told)
    owner = {element.id: row for row in rows for element in row}
    beside = [(e, row) for e in told if e.id not in owner and (row := _row_around(e, rows))]
    for element, row in sorted(beside, key=lambda pair: _gap_to_row(*pair)):
        if _own_row(element, row) or _gap_to_row(element, row) <= APART:
            row.append(element)
            owner[element.id] = row
    places = {element.id: place for place, element in enumerate(told)}
    for row in rows:
        row.sort(key=lambda element: (element.box.corner[0], places[element.id]))
    found = (tuple(owner.get(element.id, [element])) for element in told)
    return list({row[0].id: row for row in found}.values())


def _table_rows(elements: Sequence[Element]) -> list[list[Element]]:
    rows: list[list[Element]] = []
    for element in elements:
        if element.role in _TABLED:
            home = next((row for row in reversed(rows) if _one_row(row[0].box, element.box)), None)
            home.append(element) if home else rows.append([element])
    return rows


def _one_row(one: Box, other: Box) -> bool:
    """Whether two cells are in one row; a cell that spans several rows is alone."""
    return on_one_line(one, other) and max(one.height, other.height) <= 2 * min(one.height, other.height)


def _row_around(element: Element, rows: Sequence[list[Element]]) -> list[Element] | None:
    """The row that contains an element other than a cell, such as a button."""
    middle = element.box.center.y
    boxes = ((row, row[0].box) for row in rows)
    level = (row for row, box in boxes if box.contains(Point(box.center.x, middle)))
    fits = (row for row in level if element.box.height <= row[0].box.height + 2)
    return next((row for row in fits if not element.path or element.path.startswith(_common_path(row))), None)


def _own_row(element: Element, row: Sequence[Element]) -> bool:
    """Whether the page assigns the element to this row, however wide its columns are."""
    home = _common_path(row)
    told = any(one.role == "row" for one in row) or _ROW.search(home) is not None
    return told and element.path.startswith(home)


def _common_path(row: Sequence[Element]) -> str:
    own = next((element.path for element in row if element.role == "row"), "")
    return f"{own or row[0].path.rpartition('/')[0]}/" if own or "/" in row[0].path else ""


def _gap_to_row(element: Element, row: Sequence[Element]) -> float:
    return min(one.box.gap(element.box) for one in row)


def _is_needless(element: Element, place: int, elements: Sequence[Element]) -> bool:
    """Whether an element is redundant: a blank text, a control's label, a cell that only contains others."""
    if element.is_text:
        name = element.name.rstrip(" :*").casefold()
        beside = elements[max(0, place - 2) : place + 3]
        return not name or any(not e.is_text and e.name.rstrip(" :*").casefold() == name for e in beside)
    if element.role in CELLS | HEADERS and not (element.name or element.value):
        return any(element.box.encloses(e.box) for e in elements[place + 1 : place + HELD])
    if element.role in GRAPHIC and not (element.name or element.description):
        # Strokes of a drawing add nothing to the drawing.
        parts = (e for e in elements[max(0, place - STROKES) : place] if e.role in GRAPHIC)
        return any(e.box.encloses(element.box) for e in parts)
    return False


def _parts_of_line(row: Row, anew: bool) -> Iterator[str]:
    row = _without_repeats(row)
    start = 0
    while start < len(row):
        end = start
        while end < len(row) and _is_blank(row[end]) and row[end].id == row[start].id + end - start:
            end += 1
        if end - start >= BLANKS:
            first, last = row[start], row[end - 1]
            yield f"[{first.id}] to [{last.id}] empty cells {first.name} to {last.name}"
        else:
            end = start + 1
            yield _element(row[start], anew)
        start = end


def _is_blank(element: Element) -> bool:
    blank = element.role in CELLS and not element.value and not element.states - {"new", "editable"}
    return blank and bool(_COORDINATE.fullmatch(element.name))


def _without_repeats(row: Row) -> Row:
    names = [element.name for element in row if element.role in CELLS | HEADERS]
    inside = (element for element in row if element.role != "row" or len(row) == 1)
    return tuple(e for e in inside if not (e.role in GRAPHIC and e.name in names)) or row


def _element(element: Element, anew: bool) -> str:
    new = "*" if "new" in element.states and not anew else ""
    said = line(element)
    text = shorten(said, TEXT if element.is_text or "multiline" in element.states else WIDEST)
    if element.role == "terminal" and len(said) > LAST:
        text = f"{shorten(said, WIDEST)} … {said[-LAST:]}"  # a program's output is at the end
    if not (element.name or element.description or element.is_text or element.value):
        text += f" at {element.box.center}"
    if "scrollable" in element.states:
        text += " (scrollable)"
    return f"[{element.id}]{new} {text}{_options_in_words(options(element))}"


def _options_in_words(texts: Sequence[str]) -> str:
    named = " | ".join(shorten(text, 30) for text in texts[:OPTIONS])
    rest = f" and {len(texts) - OPTIONS} more" if len(texts) > OPTIONS else ""
    return f" options: {named}{rest}" if texts else ""
