"""A screen as procedures see it: captions, containers, columns and reading order of its elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from gui_agent.core.observation import Element, Observation, Point, is_part_of, on_one_line, share_columns
from gui_agent.core.texts import label, normal
from gui_agent.core.trajectory import Screen
from gui_agent.elements.roles import CELLS, HEADERS, LABELLED, RECORDS, ROWS
from gui_agent.scene import Scene
from gui_agent.scene.structure import ENTRIES
from gui_agent.scene.tables import is_below


class View:
    """An observation with cached answers to the frequent questions of induction and execution."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.scene = Scene.from_screen(observation)
        self.elements = observation.elements
        self._captions: dict[int, tuple[str, ...]] = {}
        self._tree = self.scene.tree

    @classmethod
    def from_screen(cls, screen: Screen | None) -> View:
        """The view of a recorded screen; an empty one if none was recorded."""
        if screen is None:
            from gui_agent.core.observation import Size

            return cls(Observation(Size(0, 0)))
        return cls(Observation(screen.size, screen.elements, screen.place))

    def by_id(self, number: int) -> Element | None:
        return self._by_id.get(number)

    @cached_property
    def _by_id(self) -> dict[int, Element]:
        return {element.id: element for element in self.elements}

    def captions(self, element: Element) -> tuple[str, ...]:
        """The texts people would use for the element, normalized: its name (or else its label), its hint."""
        known = self._captions.get(element.id)
        if known is None:
            called = [element.name]
            if element.role in LABELLED and not element.name:
                called.append(self.scene.label_of(element))
            called.append(element.description)
            known = tuple(dict.fromkeys(word for word in map(label_or_text, called) if word))
            self._captions[element.id] = known
        return known

    def path(self, element: Element) -> tuple[str, ...]:
        """The steps of the structural path; empty if the screen has no structure."""
        return self._tree.steps(element)

    def is_key(self, element: Element) -> bool:
        """Whether an element names its record, or is in no record."""
        record = self.scene.records.record_of(element)
        return record is None or element in record.keys

    def levels_up(self, anchor: Element, element: Element) -> int | None:
        """The number of steps from the anchor up to the nearest common container; None without structure."""
        return self._tree.levels_up(anchor, element)

    def together(self, anchor: Element, element: Element, up: int) -> bool:
        """Whether the element is in the container `up` steps above the anchor; 0 means on the same line."""
        if up == 0:
            return on_one_line(anchor.box, element.box)
        levels = self.levels_up(anchor, element)
        return levels is not None and levels <= up

    def is_under(self, heading: Element, element: Element) -> bool:
        """Whether the element is below the heading and shares at least half of its width with it."""
        return is_below(element, heading) and share_columns(heading.box, element.box, share=0.5)

    def is_entry(self, element: Element, *, alone: bool = False) -> bool:
        """Whether it is part of a table, a list or, unless `alone`, of other records with the same look."""
        if element.role in HEADERS:
            return False
        if element.role in ROWS | CELLS or self._tree.part_around(element, ENTRIES):
            return True
        return not alone and self._tree.is_repeated(element)

    def position(self, element: Element) -> int:
        """The element's index in reading order."""
        return self._positions.get(element.id, -1)

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {element.id: index for index, element in enumerate(self.elements)}


def label_or_text(text: str) -> str:
    """The text normalized as a label; a text of punctuation only (`...`, `*`, `-`) stays unchanged."""
    return label(text) or normal(text)


def text_of(element: Element) -> str:
    """The text of the element: the value of a field, otherwise its name."""
    return element.value or element.name


_SMALL = 14.0
"""A container at least this many times larger than the clicked element in it is a different element."""
_BESIDE = 6.0
"""Maximum pixels between an icon and its text."""
_MOST_TEXTS = 8


def one_thing(elements: Sequence[Element], view: View) -> Element | None:
    """The first of some elements if all of them stand for the same thing; None if they differ."""
    first = elements[0]
    same = {element.id for element in alike(first, view)}
    return first if all(element.id in same for element in elements) else None


def alike(element: Element, view: View) -> tuple[Element, ...]:
    """An element and its equivalents on the screen, the element first."""
    found = [element, *_parts(element, view), *_labels(element, view)]
    found += [outer for outer in view.elements if _is_only_control_of(outer, element, view)]
    return tuple({one.id: one for one in found}.values())


def _parts(element: Element, view: View) -> list[Element]:
    """The parts of an element that do the same when clicked: its texts, or its only control."""
    inner = [e for e in view.elements if e.id != element.id and _lies_in(e, element)]
    controls = [e for e in inner if _operable(e)]
    if not controls:
        return inner if len(inner) <= _MOST_TEXTS else []
    own = set(view.captions(element))
    if len(controls) == 1 and own & set(view.captions(controls[0])):
        return inner
    return [e for e in inner if e.is_text and e.name] if element.role in RECORDS else []


def _lies_in(inner: Element, element: Element) -> bool:
    if "shape" in element.attributes:  # a drawn shape contains no other; a text is drawn on top of it
        return not _operable(inner) and bool(inner.name) and element.box.encloses(inner.box)
    return is_part_of(inner, element) and bool(inner.box.area)


def _operable(element: Element) -> bool:
    return not element.is_text and not (element.role == "generic" and bool(element.name))


def _labels(element: Element, view: View) -> list[Element]:
    """The text beside or below an icon without a name, or the icon of a text, if there is no other."""
    tree = view.scene.tree
    parent = tree.parent(element)
    siblings = [e for e in view.elements if tree.parent(e) == parent and e.id != element.id]
    if not parent or len(siblings) != 1 or {element.role, siblings[0].role} != {"img", "text"}:
        return []
    return [e for e in siblings if _side_by_side(e, element) and e.box.gap(element.box) <= _BESIDE]


def _side_by_side(one: Element, other: Element) -> bool:
    """Whether the two are on one line, or one is directly above the centre of the other."""
    upper, lower = sorted((one, other), key=lambda each: each.box.center.y)
    below = Point(upper.box.center.x, lower.box.center.y)
    return on_one_line(one.box, other.box) or (lower.is_text and lower.box.contains(below))


def _is_only_control_of(outer: Element, element: Element, view: View) -> bool:
    """Whether the outer element only wraps the inner one, as a list entry wraps its text."""
    if outer.id == element.id or outer.is_text or not outer.name or not is_part_of(element, outer):
        return False
    if "shape" in outer.attributes or outer.box.area > _SMALL * max(1, element.box.area):
        return False
    return not any(
        e.id not in (outer.id, element.id)
        and _operable(e)
        and is_part_of(e, outer)
        and not is_part_of(element, e)
        for e in view.elements
    )
