"""The structure of a screen: which part contains which, by the paths of its elements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from gui_agent.core.observation import Element, on_one_line

Part = tuple[str, ...]
"""A part of a screen: the steps from its root. The empty part means none, or the whole screen."""

Shape = tuple[str, Part]
"""The role of an element and the tags of its path."""
FORMS = frozenset(("form",))
DIALOGS = frozenset(("dialog",))
TAB_LISTS = frozenset(("tablist",))
TABLE_ROWS = frozenset(("tr",))
ROWS = frozenset(("tr", "li"))
CELLS = frozenset(("td", "th", "dd", "dt", "li", "output"))
HEADER_CELLS = frozenset(("th",))
ENTRIES = frozenset(("li", "td", "option"))


class Structure:
    """The structure given by the paths of a screen's elements, by element or by part."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements = elements
        self._steps: dict[str, Part] = {"": ()}

    def steps(self, element: Element) -> Part:
        """The steps from the root to an element; empty if the source has no structure."""
        found = self._steps.get(element.path)
        if found is None:
            found = self._steps[element.path] = steps_of(element)
        return found

    def parent(self, element: Element) -> Part:
        """The part that contains an element directly."""
        return self.steps(element)[:-1]

    def part_around(self, element: Element, tags: Collection[str]) -> Part:
        """The innermost part with one of these tags that contains or is the element; or empty."""
        steps = self.steps(element)
        for depth in range(len(steps), 0, -1):
            if tag_of(steps[depth - 1]) in tags:
                return steps[:depth]
        return ()

    def is_inside(self, element: Element, part: Part) -> bool:
        """Whether an element is in a part, or is that part itself."""
        return self.steps(element)[: len(part)] == part

    def elements_in(self, part: Part) -> tuple[Element, ...]:
        """The elements in a part, in reading order, including the part's own element."""
        return tuple(self._elements_by_part.get(part, ()))

    def elements_below(self, part: Part) -> tuple[Element, ...]:
        """The elements in a part, in reading order, without the part's own element."""
        return tuple(one for one in self.elements_in(part) if len(self.steps(one)) > len(part))

    def shared_depth(self, one: Element, other: Element) -> int:
        """The number of steps from the root that two elements have in common."""
        return shared_length(self.steps(one), self.steps(other))

    def nearest_to(self, anchor: Element, elements: Sequence[Element]) -> list[Element]:
        """The elements that share most of their structure with an anchor."""
        depths = [self.shared_depth(one, anchor) for one in elements]
        return [one for one, depth in zip(elements, depths, strict=True) if depth == max(depths)]

    def levels_up(self, anchor: Element, element: Element) -> int | None:
        """How many steps above the anchor the nearest common part is; None without a structure."""
        if not self.steps(anchor) or not self.steps(element):
            return None
        return len(self.steps(anchor)) - self.shared_depth(anchor, element)

    def repeated_part(self, element: Element) -> Part:
        """The record around an element: a row, a list item, or a part with a sibling of the same structure.

        The sibling has the same element at the same place on another line, and the part contains more than
        the element, because each line of a card has such siblings too. Empty if there is no such part.
        """
        tagged = self.part_around(element, ROWS)
        if tagged:
            return tagged
        steps = self.steps(element)
        for depth in range(len(steps) - 1, 0, -1):
            if self._has_twin_elsewhere(element, depth) and self._holds_others(steps[: depth + 1], steps):
                return steps[: depth + 1]
        return ()

    def _has_twin_elsewhere(self, element: Element, depth: int) -> bool:
        """Whether an element on another line has the same structure, except for the step's number at this
        depth.
        """
        steps = self.steps(element)
        alike = self._twins.get(_without_number(element.role, steps, depth), ())
        twins = (one for one in alike if self.steps(one) != steps)
        return any(not on_one_line(twin.box, element.box) for twin in twins)

    @cached_property
    def _twins(self) -> Mapping[Shape, list[Element]]:
        """Elements by their structure without the number of one step."""
        found: defaultdict[Shape, list[Element]] = defaultdict(list)
        for element in self._elements:
            steps = self.steps(element)
            for depth in range(1, len(steps)):
                found[_without_number(element.role, steps, depth)].append(element)
        return found

    def is_repeated(self, element: Element) -> bool:
        """Whether another part of the screen has an element of the same structure."""
        return len({self.parent(one) for one in self._by_shape[self.shape(element)]}) > 1

    def are_of_sibling_records(self, element: Element, anchor: Element) -> bool:
        """Whether an element is in another row or card of the same structure than an anchor.

        That is so if a sibling row has counterparts of both: an element where the anchor is in its row, and
            one where the element is in its own. Then each row has its own pair. Cells on one line are in one
            row, however similar their structure.
        """
        mine, theirs = self.steps(element), self.steps(anchor)
        common = shared_length(mine, theirs)
        if on_one_line(element.box, anchor.box) or common in (len(mine), len(theirs)):
            return False
        kind = tag_of(mine[common])
        if kind != tag_of(theirs[common]):
            return False
        for sibling in self._children[mine[:common]]:
            row = (*mine[:common], sibling)
            has_element = self._has(row + mine[common + 1 :], element.role)
            if tag_of(sibling) == kind and has_element and self._has(row + theirs[common + 1 :], anchor.role):
                return True
        return False

    def section_rank(self, element: Element, heading: Element) -> int:
        """How closely an element belongs to the section of a heading or legend: the steps they share, or 0.

        The section is the smallest part of the page that contains more than the heading; no other heading is
        between the heading and the element.
        """
        own = self.steps(heading)
        apart = (one for one in self._elements if one.path and not self.is_inside(one, own))
        common = max((self.shared_depth(one, heading) for one in apart), default=0)
        if self.shared_depth(element, heading) < common:
            return 0
        order = [one.id for one in self._elements]
        start, end = order.index(heading.id), order.index(element.id)
        between = self._elements[start + 1 : end]
        others = heading.role == "heading" and any(one.role == "heading" for one in between)
        return common + 1 if start < end and not others else 0

    def _holds_others(self, part: Part, steps: Part) -> bool:
        depth = len(part)
        others = (self.steps(one) for one in self._elements_by_part.get(part, ()))
        return any(len(one) > depth and one != steps for one in others)

    @cached_property
    def _elements_by_part(self) -> Mapping[Part, list[Element]]:
        """The elements in each part, in reading order."""
        found: defaultdict[Part, list[Element]] = defaultdict(list)
        for element in self._elements:
            steps = self.steps(element)
            for depth in range(len(steps) + 1):
                found[steps[:depth]].append(element)
        return found

    def _has(self, steps: Part, role: str) -> bool:
        element = self._by_steps.get(steps)
        return element is not None and element.role == role

    @cached_property
    def _by_steps(self) -> Mapping[Part, Element]:
        return {self.steps(one): one for one in self._elements if one.path}

    @cached_property
    def _children(self) -> Mapping[Part, dict[str, None]]:
        """The steps below each part, in reading order."""
        found: defaultdict[Part, dict[str, None]] = defaultdict(dict)
        for steps in self._by_steps:
            for depth, step in enumerate(steps):
                found[steps[:depth]][step] = None
        return found

    @cached_property
    def _by_shape(self) -> Mapping[Shape, list[Element]]:
        found: defaultdict[Shape, list[Element]] = defaultdict(list)
        for element in self._elements:
            if element.path:
                found[self.shape(element)].append(element)
        return found

    def shape(self, element: Element) -> Shape:
        """What the entries of one list have in common: their role and the tags of their path."""
        return element.role, tuple(map(tag_of, self.steps(element)))


def is_in_form(element: Element) -> bool:
    """Whether an element is in a form of a page."""
    return not FORMS.isdisjoint(map(tag_of, steps_of(element)))


def steps_of(element: Element) -> Part:
    """The steps from the root to an element; empty if the source has no structure."""
    return tuple(element.path.split("/")) if element.path else ()


def tag_of(step: str) -> str:
    """The tag of a step, without its number among its siblings."""
    return step.partition("[")[0]


def shared_length(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal items at the beginning of two sequences."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))


def _without_number(role: str, steps: Part, depth: int) -> Shape:
    return role, (*steps[:depth], tag_of(steps[depth]), "", *steps[depth + 1 :])
