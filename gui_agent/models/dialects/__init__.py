"""Text dialects in which open models write their actions, parsed as data and never executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from gui_agent.core.actions import Button, Click, Proposal
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point
from gui_agent.core.trajectory import End
from gui_agent.models._fields import last_point
from gui_agent.models.pictures import Space


@dataclass(frozen=True, slots=True)
class Saying:
    """The content of one answer: a thought, actions in order, possibly an end."""

    thought: str = ""
    proposals: tuple[Proposal, ...] = ()
    end: End | None = None


@dataclass(frozen=True, slots=True)
class PointerContext:
    """The context of a reader: the coordinates and the last pointer position."""

    space: Space
    cursor: Point | None = None


A = TypeVar("A")
Act = Callable[[A, PointerContext], list[Proposal]]
"""The action for these arguments."""


def read_calls(
    calls: Iterable[tuple[str, A]],
    where: PointerContext,
    actions: Mapping[str, Act[A]],
    ends: Mapping[str, Callable[[A], End]],
    thought: str,
) -> Saying:
    """The content of several calls in order; each starts where the previous one left the pointer."""
    proposals: list[Proposal] = []
    end: End | None = None
    for name, given in calls:
        if end is not None:
            raise BadReply(f"{name} comes after the end of the task; end it alone")
        if name in ends:
            end = ends[name](given)
        elif name in actions:
            new = actions[name](given, where)
            proposals.extend(new)
            where = replace(where, cursor=last_point(new) or where.cursor)
        else:
            raise BadReply(f"there is no action {name}; use one of: {', '.join(sorted((*actions, *ends)))}")
    return Saying(thought, tuple(proposals), end)


def click_by(at: Callable[[A, PointerContext], Point], button: Button = "left", clicks: int = 1) -> Act[A]:
    """A click on the point that `at` reads."""
    return lambda given, where: [Click(at(given, where), button, clicks)]


Reader = Callable[[str, PointerContext], Saying]
"""Parses an answer. Raises BadReply with a message for the model."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One text dialect of actions: its instructions, and its parser."""

    name: str
    read: Reader
    actions: Callable[[Space, str], str]
    """The instruction that lists the actions, for a platform."""
    point: Callable[[Space, str], str]
    """The instruction that asks for the point of a described element."""
    frame: Callable[[str, str], str] | None = None
    """For families trained without a system turn: the text before the first turn's words, made of the actions
    and the rules."""
