"""On which side of an act a name stands: whose something is or was, or who is to have it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Side = Literal["origin", "goal", ""]

_BEFORE: dict[Side, frozenset[str]] = {"origin": frozenset(("from", "by")), "goal": frozenset(("to",))}
_AFTER: dict[Side, frozenset[str]] = {
    "origin": frozenset(("'s", "\u2019s", "wrote", "sent", "mailed", "gave", "told")),
    "goal": frozenset(("needs", "receives", "gets", "awaits")),
}


def side(before: str, after: str) -> Side:
    """The side that the words before and after a name put it on; empty when they say nothing, or both."""
    sides = {one for one, words in _BEFORE.items() if before in words}
    sides |= {one for one, words in _AFTER.items() if after in words}
    return sides.pop() if len(sides) == 1 else ""


def side_of(contexts: Iterable[tuple[str, str]]) -> Side:
    """The side on which a name stands in several wordings; empty when it is not always the same."""
    sides = {found for before, after in contexts if (found := side(before, after))}
    return sides.pop() if len(sides) == 1 else ""
