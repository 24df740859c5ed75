"""Reading the value that words name: of a field, beside a label, or where a row and a column meet."""

from __future__ import annotations

import re

from gui_agent.agent.grounder.nearness import anchors
from gui_agent.core.geometry import Box
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Grounder
from gui_agent.core.targets import Words
from gui_agent.core.texts import normal
from gui_agent.elements.matching import likeness

_SWITCHED = frozenset(("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"))
_FIELDS = frozenset(("textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "progressbar"))
_PLAIN = frozenset(
    ("text", "cell", "gridcell", "rowheader", "columnheader", "heading", "term", "label", "paragraph")
)
_SURE = 0.85
"""How well a text must fit to be the label of a value."""


def read_value(words: Words, observation: Observation, grounder: Grounder) -> str:
    """The value that the words name.

    Raises:
        NotFound: there is no such thing on the screen.
        Ambiguous: several things could be meant.
    """
    if words.text and words.near and not words.role:
        crossing = _crossing(words.text, words.near, observation)
        if crossing is not None:
            return _own(crossing)
    if words.text and not words.role and not words.ordinal and not words.near:
        said = _after_colon(words.text, observation)
        if said:
            return said
    element = grounder.locate(words, observation, verb="read").element
    if element is None:
        return ""
    if element.role in _PLAIN and not element.value and likeness(words.text, element.name) >= _SURE:
        beside = _beside(element, observation)
        return _own(beside) if beside is not None else element.name
    return _own(element)


def _own(element: Element) -> str:
    if element.role in _SWITCHED:
        return "checked" if "checked" in element.states else "not checked"
    if element.value or element.role in _FIELDS or "editable" in element.states:
        return element.value
    return element.name


def _after_colon(text: str, observation: Observation) -> str:
    """The rest of the only text that begins with the words and a colon, such as `Total: 42`."""
    begins = re.compile(re.escape(normal(text)) + r"\s*[:=]\s*\S")
    said = [e.name for e in observation.elements if e.role in _PLAIN and begins.match(normal(e.name))]
    rests = {re.split(r"[:=]\s*", name, maxsplit=1)[1].strip() for name in said}
    return rests.pop() if len(rests) == 1 else ""


def _beside(label: Element, observation: Observation) -> Element | None:
    """The nearest thing to the right of a label on its line, else the nearest one just below it."""
    right: list[tuple[int, int, Element]] = []
    below: list[tuple[int, int, Element]] = []
    for other in observation.elements:
        if other.id == label.id or not (other.name or other.value):
            continue
        if _overlap_y(label.box, other.box) and other.box.left >= label.box.right - 2:
            right.append((other.box.left - label.box.right, other.id, other))
        elif (
            _overlap_x(label.box, other.box)
            and 0 <= other.box.top - label.box.bottom + 2 <= 2 * label.box.height
        ):
            below.append((other.box.top - label.box.bottom, other.id, other))
    nearest = sorted(right, key=lambda item: item[:2]) or sorted(below, key=lambda item: item[:2])
    return nearest[0][2] if nearest else None


def _crossing(column: str, row: str, observation: Observation) -> Element | None:
    """The cell under the column's header on the row's line."""
    headers, rows = anchors(column, observation), anchors(row, observation)
    found: list[tuple[int, Element]] = []
    for header in headers:
        for anchor in rows:
            for element in observation.elements:
                if element.id in (header.id, anchor.id) or not (element.name or element.value):
                    continue
                under = _overlap_x(header.box, element.box)
                if under and header.box.bottom <= element.box.top + 4 and _overlap_y(anchor.box, element.box):
                    found.append((element.box.area, element))
    found.sort(key=lambda item: item[0])
    return found[0][1] if found else None


def _overlap_y(one: Box, other: Box) -> bool:
    return min(one.bottom, other.bottom) - max(one.top, other.top) >= 0.5 * min(one.height, other.height)


def _overlap_x(one: Box, other: Box) -> bool:
    return min(one.right, other.right) - max(one.left, other.left) >= 0.3 * min(one.width, other.width)
