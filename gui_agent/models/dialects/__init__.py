"""Forms in which open models write their actions; what they write is read as data and never run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gui_agent.core.actions import Proposal
from gui_agent.core.geometry import Point
from gui_agent.core.trajectory import End
from gui_agent.models.pictures import Space


@dataclass(frozen=True, slots=True)
class Saying:
    """What one answer says: a thought, actions in order, perhaps an end."""

    thought: str = ""
    proposals: tuple[Proposal, ...] = ()
    end: End | None = None


@dataclass(frozen=True, slots=True)
class PointerContext:
    """What a reader knows besides the text: the coordinates and where the pointer was last."""

    space: Space
    cursor: Point | None = None


Reader = Callable[[str, PointerContext], Saying]
"""Reads an answer. Raises BadReply with a message for the model."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One text form of actions: how it is asked for, and how it is read."""

    name: str
    read: Reader
    actions: Callable[[Space, str], str]
    """The instruction that names the actions, for a platform."""
    point: Callable[[Space, str], str]
    """The instruction that asks for one place, for a description of it."""
    frame: Callable[[str, str], str] | None = None
    """For families that were trained with no system turn: what stands before the words of the first turn,
    made of the actions and the rules."""
