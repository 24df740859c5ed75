"""Finds the value that words name: of a field, by a label, by table row and column, or by position."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Box, Element, Observation, Words, on_one_line, share_columns
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import normal, shorten
from gui_agent.elements.roles import PRESSED, TICKABLE, VALUED
from gui_agent.elements.text import likeness
from gui_agent.scene import Scene, label_fit
from gui_agent.scene.structure import CELLS, Part, tag_of
from gui_agent.scene.tables import cell_at_crossing, is_below

_SIDES = frozenset(("below", "above", "right of", "left of", "next to"))
_SURE = 0.85
"""Minimum match score of a text that may be the label of a value."""
_PAIRED = 1.5
"""A value must be this many times nearer to its label than to the elements around both."""
_TILE = 4
"""Maximum elements in a dashboard tile: its heading, a figure and a note or two."""
_SPACE = 6
"""Gap (px) between two elements up to which distance does not show what belongs together."""


class Value(str):
    """A text of the screen; `place` is its box in screenshot pixels, None if unknown."""

    place: Box | None = None

    @classmethod
    def from_element(cls, element: Element) -> Value:
        return cls.from_parts(_own(element), [element])

    @classmethod
    def from_parts(cls, text: str, parts: Sequence[Element]) -> Value:
        value = cls(text)
        if parts:
            value.place = Box.hull(part.box for part in parts)
        return value


def read_value(words: Words, observation: Observation, grounder: Grounder) -> Value:
    """The value that the words name, with its box."""
    if (cell := _cell(words, observation)) is not None:
        return Value.from_element(cell)
    if words.text and not words.role and not words.ordinal and not words.near:
        said = _after_colon(words.text, observation)
        if said and not any(label_fit(e, words.text) >= _SURE for e in observation.elements):
            return said
    element = grounder.locate(words, observation, verb="read").element
    return Value() if element is None else _value(element, words, observation)


def _cell(words: Words, observation: Observation) -> Element | None:
    if not words.text or not words.near or words.role or words.relation in _SIDES:
        return None
    scene = Scene.from_screen(observation)
    around = scene.records.anchors_of(words.near, in_any_column=words.relation != "for")
    return cell_at_crossing(words.text, around, words.near, scene, by_place=True)


def _value(element: Element, words: Words, observation: Observation) -> Value:
    held = element.value or element.role in TICKABLE | VALUED or "editable" in element.states
    if held or likeness(words.text, element.name) < _SURE:
        return Value.from_element(element)
    told = _value_by_structure(element, observation)
    if told:
        return told
    if element.labels:
        return Value.from_parts(element.name, [element])
    beside = _value_beside(element, observation)
    if beside is None:
        raise NotFound(
            f'"{shorten(element.name, 40)}" has no value next to it; name the label of a value', [element]
        )
    return Value.from_element(beside)


def _own(element: Element) -> str:
    if element.role in TICKABLE:
        return "checked" if "checked" in element.states else "not checked"
    if element.value or element.role in VALUED or "editable" in element.states:
        return element.value
    return element.name


def _after_colon(text: str, observation: Observation) -> Value:
    """The rest of the only text that starts with the words and a colon, such as `Total: 42`."""
    begins = re.compile(re.escape(normal(text)) + r"\s*[:=]\s*\S")
    said = [e for e in observation.elements if e.role not in VALUED and begins.match(normal(e.name))]
    rests = {re.split(r"[:=]\s*", one.name, maxsplit=1)[1].strip() for one in said}
    return Value.from_parts(rests.pop(), said[:1]) if len(rests) == 1 else Value()


def _value_by_structure(label: Element, observation: Observation) -> Value:
    values = [e for e in observation.elements if e.id != label.id and label_fit(e, label.name) >= _SURE]
    if not values:
        return Value()
    tree = Scene.from_screen(observation).tree
    cells: dict[Part, list[Element]] = {}
    for element in tree.nearest_to(label, values):
        cells.setdefault(tree.part_around(element, CELLS) or tree.steps(element), []).append(element)
    if len(cells) > 1 and not all(cell and tag_of(cell[-1]) == "dd" for cell in cells):
        advice = 'name the other line too, as in: read "Price" in the row of "Tea"'
        raise Ambiguous(f'{len(cells)} values belong to "{label.name}"; {advice}', values)
    return Value.from_parts(
        "\n".join(map(content_of, cells.values())), [part for c in cells.values() for part in c]
    )


def content_of(parts: Sequence[Element]) -> str:
    """The content of a cell: its texts, or its only element."""
    parts = [part for part in parts if _own(part)]
    values = [part for part in parts if part.role not in PRESSED] or parts
    said = [part for part in values if part.role != "link"] or values
    return " ".join(filter(None, map(_own, said)))


def _value_beside(label: Element, observation: Observation) -> Element | None:
    """The value for a label by position; the element itself if it is a value; None if it is neither.

    Only elements of the same cell or list item count. On a line, a label is first, or nearer to the next
    element than to the previous one; in a column the same holds from above.
    """
    around = _group(label, observation)
    line = [e for e in around if on_one_line(label.box, e.box)]
    before = [e for e in line if e.box.right <= label.box.left + 2]
    behind = sorted((e for e in line if e.box.left >= label.box.right - 2), key=lambda e: e.box.left)
    if before or behind:
        gap = min((label.box.left - e.box.right for e in before), default=None)
        return _on_line(label, gap, behind)
    above, below = _in_column(label, observation)
    return _value_below(label, above, below if below in around else None, len(around) + 1)


def _in_column(label: Element, observation: Observation) -> tuple[int | None, Element | None]:
    """The gap to the element above a label, in pixels, and the element below it."""
    column = [e for e in observation.elements if e.name and share_columns(label.box, e.box)]
    gaps = (label.box.top - e.box.bottom for e in column if e.box.bottom <= label.box.top + 2)
    below = min((e for e in column if is_below(e, label)), key=lambda e: e.box.top, default=None)
    return min(gaps, default=None), below


def _group(label: Element, observation: Observation) -> list[Element]:
    tree = Scene.from_screen(observation).tree
    cell = tree.part_around(label, CELLS)
    others = (e for e in observation.elements if e.id != label.id and (e.name or e.value))
    beside = [e for e in others if e.role not in PRESSED and tree.part_around(e, CELLS) == cell]
    return tree.nearest_to(label, beside)


def _on_line(label: Element, before: int | None, behind: Sequence[Element]) -> Element | None:
    """The value on the line of a label; `before` is the gap to the previous element, if any."""
    ends = label.name.rstrip().endswith((":", "="))
    if not behind:
        return None if ends else label
    gap = _gap(behind[0].box.left - label.box.right)
    next_gap = _gap(behind[1].box.left - behind[0].box.right) if len(behind) > 1 else 0
    if ends or (before is None and (len(behind) == 1 or next_gap > _PAIRED * gap)):
        return behind[0]
    if before is None:
        some = ", ".join(map(str, behind[:3]))
        raise Ambiguous(
            f'{len(behind)} elements are next to "{label.name}": {some}; name one of them', list(behind)
        )
    if _has_figure(label):
        return label
    return behind[0] if _gap(before) > _PAIRED * gap else None


def _value_below(label: Element, above: int | None, below: Element | None, size: int) -> Element | None:
    """The value below a label; `above` is the gap to the element over it, `size` the size of the group."""
    gap = _gap(below.box.top - label.box.bottom) if below is not None else 0
    figure = _has_figure(label)
    if below is None or gap > 2 * label.box.height + _SPACE:
        return label if figure or (size == 2 and above is not None) else None
    if figure:
        return label if above is not None or not _has_figure(below) else below
    return below if size == 2 or _is_labelled(below, label, above, gap, size) else None


def _is_labelled(value: Element, label: Element, above: int | None, gap: int, size: int) -> bool:
    """Whether the value `gap` pixels below a label belongs to it, among several grouped elements."""
    if label.role == "heading":
        return size <= _TILE and _has_figure(value)
    told = label.name.rstrip().endswith(":") or (above is not None and _gap(above) > _PAIRED * gap)
    return told or _has_figure(value)


def _gap(pixels: int) -> int:
    return max(pixels, _SPACE)


def _has_figure(element: Element) -> bool:
    return any(map(str.isdigit, _own(element)))
