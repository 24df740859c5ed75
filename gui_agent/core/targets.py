"""Ways to say where on the screen: a point, a mark, words, or the fingerprint of a recorded element."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gui_agent.core.observation import Box, Point, Size, Strict

__all__ = ["Fingerprint", "Mark", "Point", "Target", "Words"]


@dataclass(frozen=True, slots=True)
class Mark(Strict):
    """The number of an element in the current element list."""

    mark: int

    def __str__(self) -> str:
        return f"element {self.mark}"


Relation = Literal[
    "near",
    "next to",
    "for",
    "in the row of",
    "in the column of",
    "under the heading",
    "below",
    "above",
    "right of",
    "left of",
]
"""How a thing stands to what it is named by."""


@dataclass(frozen=True, slots=True)
class Words(Strict):
    """An element described in words: its name or label, its role, its rank, what stands near it.

    `Words("Save")` is the thing called Save; `Words(role="checkbox", ordinal=2)` the second checkbox in
    reading order (-1 is the last); `Words(role="button", near="Total", relation="below")` the button below
    "Total".
    """

    text: str = ""
    role: str = ""
    ordinal: int = 0
    near: str = ""
    relation: Relation = "near"
    """How it stands to what `near` names; only `for` may mean that thing itself."""

    def __str__(self) -> str:
        parts = [_rank(self.ordinal), f'"{self.text}"' if self.text else "", self.role]
        words = " ".join(part for part in parts if part) or "anything"
        return f'{words} {self.relation} "{self.near}"' if self.near else words


Target = Point | Mark | Words
"""What a planner may aim at; a grounder turns it into a `Point`."""


@dataclass(frozen=True, slots=True)
class Fingerprint(Strict):
    """What is remembered of an element so that it can be found again on a changed screen."""

    role: str
    name: str
    label: str = ""
    """Text of the nearest label when the element has no name of its own."""
    neighbours: tuple[str, ...] = ()
    """Texts around it, nearest first."""
    path: str = ""
    """Structural path from the root, such as `body/form/div[2]/input`."""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    box: Box | None = None
    screen: Size | None = None
    """Size of the screenshot the box was measured on."""
    crop: str = ""
    """Perceptual hash of the element's picture, hexadecimal."""
    rank: int = 0
    """1-based place among the elements of the same role and name, in reading order; 0 when unknown."""

    def __str__(self) -> str:
        name = self.name or self.label
        return f'{self.role} "{name}"' if name else self.role


def _rank(ordinal: int) -> str:
    if ordinal == 0:
        return ""
    if ordinal == -1:
        return "last"
    return {1: "first", 2: "second", 3: "third"}.get(ordinal, f"{ordinal}th")
