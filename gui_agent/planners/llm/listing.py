"""The list of elements for a model: what is in front first, rows as a whole, the most relevant kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from gui_agent.agent.grounder.candidates import options
from gui_agent.core.observation import Element, Observation
from gui_agent.core.texts import label, shorten
from gui_agent.elements.abstraction import line, weights
from gui_agent.elements.roles import CELLS, GRAPHIC, HEADERS, LABELLED, OPENERS
from gui_agent.scene import Scene

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
CLASSES = 24
"""Maximum characters of the classes that stand for a name."""
OPTIONS = 12
"""Maximum options of a list that are named."""
BEHIND = "Behind it:"
"""Heading of the elements that a dialog or window in front covers."""
BLANKS = 3
"""From this many adjacent empty cells of a spreadsheet on, they become one part of a line."""
NAMELESS = 4
"""From this many adjacent elements without a name that look alike on, they become one line."""
BRACKETS = "|()[]{}.,;/ "
"""Signs that say nothing by themselves."""
HELD = 6
"""Number of elements after a cell that may be inside it."""
_COORDINATE = re.compile(r"[A-Z]{1,3}\d+")

Row = tuple[Element, ...]


def list_lines(observation: Observation, task: str, most: int = LISTING) -> tuple[list[str], int]:
    """The lines of the list, chosen by relevance, and the number of omitted elements.

    The elements of the dialog or window in front come first; `...` marks an omission between two lines.
    The result is kept with the observation, because each request repeats the screens of the last turns.
    """
    kept, asked = observation.kept.get(_List), (task, most)
    if not (isinstance(kept, _List) and kept.asked == asked):
        kept = observation.kept[_List] = _List(asked, *_list_lines(observation, task, most))
    return [*kept.lines], kept.left_out


@dataclass(frozen=True, slots=True)
class _List:
    asked: tuple[str, int]
    lines: list[str]
    left_out: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """One line: its text, the number of elements it covers, its relevance."""

    text: str
    size: int
    weight: float
    behind: bool
    """Whether the dialog or window in front covers it."""


def _list_lines(observation: Observation, task: str, most: int) -> tuple[list[str], int]:
    units = _units(observation, task)
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


def _units(observation: Observation, task: str) -> list[_Unit]:
    """All lines: first those in front, then those behind."""
    elements, covered = observation.elements, {element.id for element in _covered_elements(observation)}
    anew = sum("new" in element.states for element in elements) > ANEW * len(elements)
    weighed = dict(zip((element.id for element in elements), weights(elements, task), strict=True))

    def weight(element: Element) -> float:
        is_news = element.is_text and "new" in element.states and not anew
        return weighed[element.id] + (NEWS if is_news else 0)

    words, units = _Words(observation, anew), []
    for behind in (False, True):
        part = [element for element in elements if (element.id in covered) is behind]
        for kind, alike in groupby(words.rows(part), words.kind_without_words):
            rows = [*alike]
            if kind and len(rows) >= NAMELESS:
                text = f"[{rows[0][0].id}] {kind} and {len(rows) - 1} more of them"
                units.append(_Unit(text, len(rows), max(weight(row[0]) for row in rows), behind))
                continue
            for row in rows:
                units.append(_Unit(words.line(row), len(row), max(map(weight, row)), behind))
    return units


def _covered_elements(observation: Observation) -> list[Element]:
    """The elements that a dialog or another window covers."""
    layers, elements = Scene.from_screen(observation).layers, observation.elements
    if len(observation.windows.keys() - observation.hints) > 1:
        front = {element.id for element in layers.in_uppermost_window}
        return [element for element in elements if element.id not in front]
    dialog = layers.dialog
    return [element for element in elements if dialog is not None and layers.is_behind(element, dialog)]


class _Words:
    """The elements of one screen in rows and in words."""

    def __init__(self, observation: Observation, anew: bool) -> None:
        self._scene, self._anew = Scene.from_screen(observation), anew
        named = (one for one in observation.elements if one.role in LABELLED)
        found = {one.id: self._scene.label_of(one) for one in named if not (one.name or one.description)}
        self._labels = {number: text for number, text in found.items() if text}
        self._said = {label(text) for text in self._labels.values()}
        self._options = {one.name for one in observation.elements if one.role == "option"}
        """The options that have lines of their own."""
        self._listed: dict[str, int] = {}
        """The lists of options so far, each with the element that had it first."""

    def rows(self, elements: Sequence[Element]) -> list[Row]:
        """The elements in reading order, by table row, values with their labels, without needless ones."""
        told = [one for place, one in enumerate(elements) if not self._is_needless(one, place, elements)]
        grouped: dict[object, list[Element]] = {}
        for element in told:
            grouped.setdefault(self._scene.records.table_row(element) or (element.id,), []).append(element)
        rows: list[Row] = []
        for group in grouped.values():
            row = tuple(sorted(group, key=lambda element: element.box.corner[0]))
            is_value = rows and _is_value(row[0], rows[-1][-1])
            rows.append((*rows.pop(), *row) if is_value else row)
        return rows

    def kind_without_words(self, row: Row) -> str:
        """What is known of an element that has no words of its own: its role and its icon; else empty."""
        one = row[0]
        is_unnamed = len(row) == 1 and not any(one.texts) and one.id not in self._labels
        return f"{one.role}{self._hint(one)}" if is_unnamed else ""

    def line(self, row: Row) -> str:
        """A row as one line: ` | ` between its parts, `: ` between a label and its value."""
        row, parts, before = _without_repeats(row), list[str](), None
        for is_blank, alike in groupby(row, _is_blank):
            cells = [*alike]
            if is_blank and len(cells) >= BLANKS:
                first, last = cells[0], cells[-1]
                parts.append(f"[{first.id}] to [{last.id}] empty cells {first.name} to {last.name}")
                continue
            for one in cells:
                said = self._element(one, before, len(row) > 1)
                if before is not None and _is_value(one, before):
                    said = f"{parts.pop().rstrip(': ')}: {said}"
                parts.append(said)
                before = one
        return " | ".join(parts)

    def _is_needless(self, element: Element, place: int, elements: Sequence[Element]) -> bool:
        """Whether an element is redundant: a blank text, a control's label or icon, a mere container."""
        if element.is_text or (element.role in GRAPHIC and element.name):
            name, around = label(element.name), elements[max(0, place - 2) : place + 3]
            beside = any(not e.is_text and e.role not in GRAPHIC and label(e.name) == name for e in around)
            return beside or (element.is_text and (not name.strip(BRACKETS) or name in self._said))
        holds = element.role in CELLS | HEADERS and not any(element.texts)
        return holds and any(element.box.encloses(e.box) for e in elements[place + 1 : place + HELD])

    def _element(self, element: Element, before: Element | None, in_row: bool) -> str:
        """An element in words, shorter after one that says its label or is a header too."""
        new = "*" if "new" in element.states and not self._anew else ""
        said = self._said_of(element, before, in_row)
        if element.role == "terminal" and len(said) > LAST:
            said = f"{shorten(said, WIDEST)} … {said[-LAST:]}"  # a program's output is at the end
        else:
            said = shorten(said, TEXT if element.is_text or "multiline" in element.states else WIDEST)
        if "scrollable" in element.states:
            said += " (scrollable)"
        return f"[{element.id}]{new} {said}{self._options_in_words(element)}"

    def _said_of(self, element: Element, before: Element | None, in_row: bool) -> str:
        said, text = line(element), element.name or element.description
        is_header = before is not None and before.role == element.role == "columnheader"
        if in_row and (is_header or element.role in CELLS | {"rowheader"}):
            return (text or "(empty)") + said.removeprefix(str(element))
        if text:
            return said
        its_label = label(self._labels.get(element.id, ""))
        hint = "" if before is not None and label(before.name) == its_label else self._hint(element)
        place = "" if element.value or its_label else f" at {element.box.center}"
        return f"{element.role}{hint}{said.removeprefix(element.role)}{place}"

    def _hint(self, element: Element) -> str:
        """The label beside an element without a name, or the words for its icon."""
        if element.id in self._labels:
            return f' for "{self._labels[element.id]}"'
        known = element.attributes
        told = [
            element.does.icon or shorten(known.get("class", ""), CLASSES),
            known.get("color", ""),
            known.get("shape", ""),
        ]
        icon = " ".join(filter(None, told)) if element.role in GRAPHIC | OPENERS else element.does.icon
        return f" ({icon})" if icon else ""

    def _options_in_words(self, element: Element) -> str:
        texts = options(element)
        named = " | ".join(shorten(text, 30) for text in texts[:OPTIONS])
        rest = f" and {len(texts) - OPTIONS} more" if len(texts) > OPTIONS else ""
        first = self._listed.setdefault("\n".join(texts), element.id)
        if self._options.issuperset(texts):
            return ""
        if first != element.id and len(texts) > 1:
            return f" options as [{first}]"
        return f" options: {named}{rest}" if texts else ""


def _is_value(element: Element, before: Element) -> bool:
    """Whether the page labels an element with the one before it."""
    is_label = before.role != "columnheader" and element.role not in HEADERS
    return is_label and bool(before.name) and before.name in element.labels


def _is_blank(element: Element) -> bool:
    blank = element.role in CELLS and not element.value and not element.states - {"new", "editable"}
    return blank and bool(_COORDINATE.fullmatch(element.name))


def _without_repeats(row: Row) -> Row:
    """A row without the element that is the row itself, as its parts say the same."""
    return tuple(element for element in row if element.role != "row") or row
