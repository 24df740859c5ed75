"""What cannot be told apart when it is acted on: a row and the text in it, an icon and its label."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.core.observation import Element
from gui_agent.elements.layout import on_one_line, within
from gui_agent.procedures.language.view import View

_SMALL = 14.0
"""A container so many times larger than what was clicked in it is another thing."""
_BESIDE = 6.0
"""Pixels between an icon and its text."""
_MOST_TEXTS = 8
_ROWS = frozenset(("generic", "listitem", "row", "article"))


def one_thing(elements: Sequence[Element], view: View) -> Element | None:
    """The first of some elements when all of them stand for it; None when they are different things."""
    first = elements[0]
    same = {element.id for element in alike(first, view)}
    return first if all(element.id in same for element in elements) else None


def alike(element: Element, view: View) -> tuple[Element, ...]:
    """An element and what stands for it on the screen, the element first."""
    found = [element, *_parts(element, view), *_labels(element, view)]
    found += [outer for outer in view.elements if _is_only_control_of(outer, element, view)]
    return tuple({one.id: one for one in found}.values())


def _parts(element: Element, view: View) -> list[Element]:
    """What lies in an element and does the same when clicked: its texts, or its only control."""
    inner = [e for e in view.elements if e.id != element.id and _lies_in(e, element)]
    controls = [e for e in inner if _operable(e)]
    if not controls:
        return inner if len(inner) <= _MOST_TEXTS else []
    own = set(view.captions(element))
    if len(controls) == 1 and own & set(view.captions(controls[0])):
        return inner
    return [e for e in inner if e.is_text and e.name] if element.role in _ROWS else []


def _lies_in(inner: Element, element: Element) -> bool:
    if "shape" in element.attributes:  # What is drawn holds no other; a text is drawn upon it.
        return not _operable(inner) and bool(inner.name) and element.box.encloses(inner.box)
    return within(inner, element) and bool(inner.box.area)


def _operable(element: Element) -> bool:
    return not element.is_text and not (element.role == "generic" and bool(element.name))


def _labels(element: Element, view: View) -> list[Element]:
    """The text beside or under an icon that has no name, or the icon of a text, where there is no other."""
    parent = element.path.rpartition("/")[0]
    if not parent or element.role not in ("img", "text"):
        return []
    siblings = [e for e in view.elements if e.path.rpartition("/")[0] == parent and e.id != element.id]
    if len(siblings) != 1 or {element.role, siblings[0].role} != {"img", "text"}:
        return []
    return [e for e in siblings if _side_by_side(e, element) and e.box.gap(element.box) <= _BESIDE]


def _side_by_side(one: Element, other: Element) -> bool:
    """Whether one is on the line of the other, or right above the middle of it."""
    upper, lower = sorted((one, other), key=lambda each: each.box.top)
    under = lower.is_text and lower.box.left <= upper.box.center.x <= lower.box.right
    return on_one_line(one.box, other.box) or under


def _is_only_control_of(outer: Element, element: Element, view: View) -> bool:
    """Whether something is little more than what it holds, such as the entry of a list around its text."""
    if outer.id == element.id or outer.is_text or not outer.name or not within(element, outer):
        return False
    if "shape" in outer.attributes or outer.box.area > _SMALL * max(1, element.box.area):
        return False
    return not any(
        e.id not in (outer.id, element.id) and _operable(e) and within(e, outer) and not within(element, e)
        for e in view.elements
    )
