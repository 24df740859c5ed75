"""The text that labels a control without a name, by its place and by what groups them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from gui_agent.core.observation import Box, Element, on_one_line, share_columns
from gui_agent.elements.roles import BOXES, FIELDS, LABELLING
from gui_agent.scene.structure import FORMS, Part, Structure

UNDER_HEADING = 24
"""Most pixels between a heading and the field that it names."""
ALIGNED = 6
"""Most pixels between the left edges of a control and a text above that begins where the control does."""
ASIDE = 60.0
"""Distance in pixels added for a text above that begins elsewhere than the control."""
FURTHER = 400.0
"""Distance in pixels added for a sentence, which explains rather than labels."""


class Labels:
    """The texts that label controls on one screen."""

    def __init__(self, elements: Sequence[Element], tree: Structure) -> None:
        self._elements, self._tree = elements, tree
        self._texts = [one for one in elements if one.role in LABELLING | BOXES and one.name]
        self._buttons = [one for one in elements if one.role == "button"]
        self._known: dict[tuple[int, Box], str] = {}
        self._alike: Counter[tuple[Part, str]] = Counter((tree.parent(one), one.role) for one in elements)

    def label_of(self, element: Element) -> str:
        """The text that labels an element: the nearest one to its left or above it; or empty.

        Checkboxes and similar controls have their label to the right, so for them that side wins.
        """
        key = (element.id, element.box)  # unlisted elements have no id of their own
        if key not in self._known:
            self._known[key] = self._only_companion(element) or self._nearest(element)
        return self._known[key]

    def _nearest(self, element: Element) -> str:
        own, best, name = self._tree.parent(element), float("inf"), ""
        for text in (*self._texts, *self._headings_of_only_field(element)):
            part = self._tree.parent(text)
            labels_another = part not in ((), own) and self._alike[part, element.role] == 1
            # `[x] Limit to [5]`: a box labels only a field after it.
            leads = element.role in FIELDS and text.box.is_left_of(element.box)
            if labels_another or text.box.encloses(element.box) or (text.role in BOXES and not leads):
                continue
            distance = _distance(element.box, text.box, right_first=element.role in BOXES)
            if distance is not None and element.role not in BOXES and _is_sentence(text.name):
                distance += FURTHER
            if distance is not None and distance < best and not self._is_cut_off(text, element):
                best, name = distance, text.name
        return name

    def _headings_of_only_field(self, element: Element) -> list[Element]:
        """The heading close above a nameless field, if no other field is below it up to the next one."""
        named = (one for one in self._elements if one.role == "heading" and one.name)
        near = [one for one in named if _is_close_above(one.box, element.box)]
        heading = min(near, key=lambda one: element.box.gap(one.box), default=None)
        if not heading or element.name or element.role not in FIELDS:
            return []
        under = self._elements[self._elements.index(heading) + 1 :]
        section = takewhile(lambda one: one.role != "heading", under)
        return [heading] if [one for one in section if one.role in FIELDS] == [element] else []

    def _is_cut_off(self, label: Element, element: Element) -> bool:
        """Whether a button is between them, so that the text belongs to its own side.

        A nameless one in the control's own group, which lacks the text, is a part of the control.
        """
        text, control, parent = label.box, element.box, self._tree.parent
        between = (
            one
            for one in self._buttons
            if on_one_line(one.box, control) and on_one_line(one.box, text)
            if text.is_left_of(one.box) and one.box.is_left_of(control)
        )
        return any(
            one.name or parent(one) != parent(element) or parent(label) == parent(one) for one in between
        )

    def _only_companion(self, element: Element) -> str:
        """The only other element in the innermost part around it (within its form), if that is a text."""
        steps = self._tree.steps(element)
        form = len(self._tree.part_around(element, FORMS))
        for depth in range(len(steps) - 1, form, -1):
            held = [one for one in self._tree.elements_in(steps[:depth]) if one.id != element.id]
            texts = [one.name for one in held if one.role in LABELLING and one.name]
            if texts or any(one.role == element.role for one in held):
                return texts[0] if len(texts) == 1 and len(held) == 1 else ""
        return ""


def _is_close_above(heading: Box, field: Box) -> bool:
    is_above = heading.is_above(field, slack=4) and share_columns(field, heading, share=0.01)
    return is_above and field.gap(heading) <= UNDER_HEADING


def _is_sentence(text: str) -> bool:
    return text.rstrip().endswith(".") and " " in text


def _distance(control: Box, text: Box, *, right_first: bool) -> float | None:
    gap = control.gap(text)
    if on_one_line(control, text):
        if text.is_left_of(control, slack=2):
            return gap * (3.0 if right_first else 1.0)
        if control.is_left_of(text, slack=2):
            return gap if right_first else gap * 3.0 + 20
    if not text.is_above(control, slack=4) or not share_columns(control, text, share=0.01):
        return None
    # A label may be far to one side above a wide field, but rather begins where the field does.
    return gap * 1.5 + (4 if abs(text.shift_to(control)[0]) <= ALIGNED else ASIDE)
