"""The input events of a person as values, with the elements that they target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gui_agent.core.actions import Action, Button
from gui_agent.core.aiming import sole
from gui_agent.core.observation import Box, Element, Observation, Point
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import OPERABLE, TICKABLE


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of an event, and the screen just before it."""

    before: Observation
    ids: tuple[int, ...]
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class Down:
    """A mouse button was pressed."""

    spot: Spot
    button: Button
    keys: tuple[str, ...]
    field: str
    """Kind of form field there: text, set, select, list, tick, file, button; empty for none."""
    seconds: float
    shows: str = ""
    """The current option of the list there."""


@dataclass(frozen=True, slots=True)
class Up:
    """The button was released."""

    at: Point
    inside: tuple[int, ...] = ()
    """Listed elements in the container at that point that does not contain the press's target."""


@dataclass(frozen=True, slots=True)
class Double:
    """The last two clicks were a double click."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """An HTML drag ended with a drop."""

    at: Point
    inside: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Typing:
    """A field's text changed by the keyboard, or its value by a control of its own."""

    spot: Spot
    visit: str
    """Identifies the stay in the field, from focus to blur."""
    was: str
    text: str
    secret: bool
    field: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The stay in a field ended."""

    visit: str


@dataclass(frozen=True, slots=True)
class Chose:
    """An option of a list was chosen."""

    spot: Spot
    option: str
    field: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """A checkbox or radio button changed."""

    spot: Spot
    on: bool


@dataclass(frozen=True, slots=True)
class Filed:
    """Files were given to a file field."""

    spot: Spot
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pressed:
    """Keys were pressed that do not only edit a text."""

    spot: Spot
    keys: tuple[str, ...]
    activates: bool
    """Whether it did the same as a click on the element."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Moved:
    """An action on the browser itself: an address, back, another tab."""

    action: Action
    before: Observation


@dataclass(frozen=True, slots=True)
class Touched:
    """A touch gesture other than a tap: hold, swipe, pinch; `action` uses the point of the spot."""

    spot: Spot
    action: Action


@dataclass(frozen=True, slots=True)
class Marked:
    """The person said with the bar what something means, or to undo the last step, or that they are done."""

    act: str
    """check, read, vary, name, undo or done."""
    words: str = ""
    """What a plain command calls it."""
    text: str = ""
    """What it shows; empty if it hides that."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A dialog of the page was answered."""

    before: Observation
    accepted: bool
    text: str


Heard: TypeAlias = (
    Down
    | Up
    | Double
    | Dropped
    | Typing
    | Typed
    | Chose
    | Ticked
    | Filed
    | Pressed
    | Moved
    | Touched
    | Answered
)

NEAR = 150
"""Maximum pixels from a point to a text that identifies it."""


def has_effect(before: Observation, after: Observation) -> bool:
    """Whether two screens differ in more than the focus."""
    passing = {"focused", "new"}

    def looks_by_id(screen: Observation) -> Mapping[int, tuple[object, ...]]:
        return {e.id: (e.role, e.name, e.value, e.states - passing) for e in screen.elements}

    return before.place.url != after.place.url or looks_by_id(before) != looks_by_id(after)


def distance(one: Point, other: Point) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


def spot_at(point: Point, screen: Observation) -> Spot:
    """The elements at a point: operable ones first, the smallest first, then the others likewise."""
    there = [element for element in screen.elements if element.box.contains(point)]
    there.sort(key=lambda one: (one.role not in OPERABLE and not _is_field(one), one.box.area))
    return Spot(screen, tuple(element.id for element in there), point)


def kind_of_front(spot: Spot) -> str:
    """The kind of form field in front at a spot, as in `Down`."""
    front = spot.before.by_id(spot.ids[0]) if spot.ids else None
    if front is None:
        return ""
    return "text" if _is_field(front) else "tick" if front.role in TICKABLE else ""


def focused_field(screen: Observation) -> Element | None:
    return next((one for one in screen.elements if "focused" in one.states and _is_field(one)), None)


def _is_field(element: Element) -> bool:
    return "editable" in element.states and "readonly" not in element.states


def found_at(spot: Spot) -> dict[str, Found]:
    element = meant_control(spot.before, spot.ids)
    point = spot.at or (element.box.center if element is not None else Point(0, 0))
    return {"at": _found_by_person(point, element)}


def meant_control(screen: Observation, ids: Sequence[int]) -> Element | None:
    """The innermost control among the elements at a point, otherwise the innermost element."""
    there = [element for number in ids if (element := screen.by_id(number)) is not None]
    control = next((e for e in there if e.role in OPERABLE), None)
    return control or (_telling(there[0], screen) if there else None)


def found_under(
    point: Point, screen: Observation, dragged: Element | None, inside: Sequence[int] = ()
) -> Found:
    """The smallest element at a point other than the dragged one, or an element that names the place."""
    others = [e for e in screen.elements if dragged is None or e.box != dragged.box]
    there = [e for e in others if e.box.contains(point)]
    smallest = min(there, key=lambda e: (e.box.area, e.is_text), default=None)
    if inside and (smallest is None or not smallest.name):
        smallest = _named_holder(screen, inside)
    elif smallest is None:
        spot = Box(point.x, point.y, 1, 1)
        near = (e for e in others if point.y in e.box.rows and e.box.gap(spot) < NEAR)
        smallest = min(near, key=lambda e: e.box.gap(spot), default=None)
    return _found_by_person(point, None if smallest is None else _telling(smallest, screen))


def _named_holder(screen: Observation, inside: Sequence[int]) -> Element | None:
    """The element that names a part of a screen: a heading, otherwise the first one with a name."""
    named = [element for element in map(screen.by_id, inside) if element is not None and element.name]
    return min(named, key=lambda element: element.role != "heading", default=None)


def _found_by_person(point: Point, element: Element | None) -> Found:
    return Found(point, element, element.box if element is not None else None, how="person")


def _telling(element: Element, screen: Observation) -> Element:
    """The only named element in a nameless one, such as a list entry's text, which can be found again."""
    if element.name or element.role in OPERABLE:
        return element
    inside = [e for e in screen.elements if e.name and element.box.encloses(e.box)]
    return sole(inside) or element
