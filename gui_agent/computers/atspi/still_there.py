"""Whether a thing that was seen is still there: asked of the thing itself, not of the whole program."""

from __future__ import annotations

from dataclasses import dataclass

from gui_agent.computers.atspi.bus import Bus, Reference, ask, get
from gui_agent.computers.atspi.enrich import box_of
from gui_agent.computers.atspi.vocabulary import State, has, states_of
from gui_agent.core.geometry import Box, Point


@dataclass(frozen=True, slots=True)
class Sight:
    """What an object said of itself when it was seen."""

    at: Reference
    name: str
    role: int
    box: Box
    """As the program told it."""
    relative_to: int
    """What the place is told relative to."""
    shown: State
    """The state that it had as long as it was shown."""


async def still_there(bus: Bus, sight: Sight) -> bool:
    """Whether it lives, is shown, is called the same and is where it was."""
    role, states, name, extents = await bus.many(
        [
            ask(sight.at, "Accessible", "GetRole"),
            ask(sight.at, "Accessible", "GetState"),
            get(sight.at, "Accessible", "Name"),
            ask(sight.at, "Component", "GetExtents", "u", sight.relative_to),
        ]
    )
    return (
        states is not None
        and has(states_of(states), sight.shown)
        and role == sight.role
        and str(name or "").strip() == sight.name
        and box_of(extents) == sight.box
    )


async def cell_at(bus: Bus, table: Reference, point: Point, relative_to: int) -> tuple[int, int] | None:
    """Row and column of the cell of a table at a point, in the coordinates of the program."""
    at = (point.x, point.y, relative_to)
    found, width = await bus.many(
        [ask(table, "Component", "GetAccessibleAtPoint", "iiu", *at), get(table, "Table", "NColumns")]
    )
    if not found or not width or found[1].endswith("/null"):
        return None
    (number,) = await bus.many([ask((found[0], found[1]), "Accessible", "GetIndexInParent")])
    return divmod(int(number), int(width)) if number is not None and number >= 0 else None
