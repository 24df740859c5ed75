"""The input events of a person, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gui_agent.core.actions import Action, Button
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Observation


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something happened, and the screen just before it."""

    before: Observation
    ids: tuple[int, ...]
    """Listed elements there, innermost first."""
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class Down:
    """A button of the mouse went down."""

    spot: Spot
    button: Button
    keys: tuple[str, ...]
    """Held keys."""
    field: str
    """Kind of form field there: text, set, select, list, tick, file, button; empty for none."""
    seconds: float
    shows: str = ""
    """The option that the list there shows."""


@dataclass(frozen=True, slots=True)
class Up:
    """The button came up again."""

    at: Point
    inside: tuple[int, ...] = ()
    """Listed elements in the container of that place, which does not hold what the button went down on."""


@dataclass(frozen=True, slots=True)
class Double:
    """The last two clicks were a double click."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was dragged, in the way of HTML, was dropped."""

    at: Point
    inside: tuple[int, ...] = ()
    """As of `Up`."""


@dataclass(frozen=True, slots=True)
class Typing:
    """A field's text changed by the keyboard, or its value by a control of its own."""

    spot: Spot
    visit: str
    """Identifies the stay in the field."""
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
    """Whether it did what a click on the element does."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Moved:
    """Something was done with the browser itself: an address, back, another tab."""

    action: Action
    before: Observation


@dataclass(frozen=True, slots=True)
class Answered:
    """A dialog of the page was answered."""

    before: Observation
    accepted: bool
    text: str
    """What stood in its field."""


Heard: TypeAlias = (
    Down | Up | Double | Dropped | Typing | Typed | Chose | Ticked | Filed | Pressed | Moved | Answered
)
