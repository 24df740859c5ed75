"""Objects of invented programs, as the accessibility bus tells of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gui_agent.computers.atspi.bus import ATSPI, Reference
from gui_agent.computers.atspi.vocabulary import State, Tree, tree_from_cache

NAME = ":1.5"
ROOT: Reference = (NAME, "/org/a11y/atspi/accessible/root")
NOWHERE = (":1.0", "/org/a11y/atspi/accessible/root")
SHOWN = (State.ENABLED, State.SENSITIVE, State.SHOWING, State.VISIBLE)


def at(number: int) -> Reference:
    """Where an object lives."""
    return NAME, f"/org/a11y/atspi/accessible/{number}"


def words(states: Sequence[State]) -> list[int]:
    """States as the bus sends them."""
    number = sum(1 << state for state in states)
    return [number & 0xFFFFFFFF, number >> 32]


def row(
    number: int,
    parent: int | None,
    role: int,
    name: str = "",
    *,
    states: Sequence[State] = SHOWN,
    index: int = 0,
    count: int = 0,
    interfaces: Sequence[str] = ("Component",),
    description: str = "",
) -> tuple[Any, ...]:
    """One row of the cache of a GTK program; without a parent it is a window."""
    above = ROOT if parent is None else at(parent)
    told = [f"{ATSPI}.{interface}" for interface in interfaces]
    return at(number), ROOT, above, index, count, told, name, role, description, words(states)


def root(count: int = 1) -> tuple[Any, ...]:
    """The row of the program itself."""
    return ROOT, ROOT, NOWHERE, -1, count, [f"{ATSPI}.Application"], "program", 75, "", [0, 0]


def tree(*rows: tuple[Any, ...], gtk4: bool = False) -> Tree:
    """A program made of these rows."""
    return tree_from_cache([root(), *rows], gtk4)
