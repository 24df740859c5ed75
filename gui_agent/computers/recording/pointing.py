"""Which element a person points at, and whether a screen shows an effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gui_agent.computers.recording.events import Spot
from gui_agent.core.geometry import Box, Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import OPERABLE

NEAR = 150
"""Pixels within which a text beside a place tells what is there."""


def has_effect(before: Observation, after: Observation) -> bool:
    """Whether two screens differ in more than the place of the keyboard."""
    passing = {"focused", "new"}

    def shown(screen: Observation) -> Mapping[int, tuple[object, ...]]:
        return {e.id: (e.role, e.name, e.value, e.states - passing) for e in screen.elements}

    return before.place.url != after.place.url or shown(before) != shown(after)


def found_at(spot: Spot) -> dict[str, Found]:
    """What is at a spot, as the place `at` of an action."""
    element = meant(spot.before, spot.ids)
    point = spot.at or (element.box.center if element is not None else Point(0, 0))
    return {"at": Found(point, element, element.box if element is not None else None, how="person")}


def meant(screen: Observation, ids: Sequence[int]) -> Element | None:
    """The innermost control among the things at a place, or else the innermost thing."""
    there = [element for number in ids if (element := screen.by_id(number)) is not None]
    control = next((e for e in there if e.role in OPERABLE), None)
    return control or (_telling(there[0], screen) if there else None)


def found_under(
    point: Point, screen: Observation, dragged: Element | None, inside: Sequence[int] = ()
) -> Found:
    """The smallest thing at a point, other than what is being dragged there, or what says where that is.

    Args:
        inside: the things in the container of the place, of which a heading, else the first text, is meant.
    """
    own = dragged.box if dragged is not None else None
    there = [e for e in screen.elements if e.box.contains(point) and e.box != own]
    smallest = min(there, key=lambda e: (e.box.area, e.is_text), default=None)
    if inside and (smallest is None or not smallest.name):
        held = [e for number in inside if (e := screen.by_id(number)) is not None and e.name]
        smallest = next((e for e in held if e.role == "heading"), next(iter(held), None))
    elif smallest is None:
        spot = Box(point.x, point.y, 1, 1)
        beside = [e for e in screen.elements if e.box.top <= point.y < e.box.bottom and e.box != own]
        near = [e for e in beside if e.box.gap(spot) < NEAR]
        smallest = min(near, key=lambda e: e.box.gap(spot), default=None)
    element = None if smallest is None else _telling(smallest, screen)
    return Found(point, element, element.box if element is not None else None, how="person")


def _telling(element: Element, screen: Observation) -> Element:
    """The one named thing in a nameless one, such as the text of a list's entry, as it can be found again."""
    if element.name or element.role in OPERABLE:
        return element
    inside = [e for e in screen.elements if e.name and element.box.encloses(e.box)]
    return inside[0] if len(inside) == 1 else element
