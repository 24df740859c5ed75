"""What induction has to explain: an element, or a text, in each of several demonstrations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gui_agent.core.observation import Element
from gui_agent.demos.evaluate import Scope

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Costed(Generic[T_co]):
    """An expression with its description length: the shorter one is the likelier one."""

    cost: float
    it: T_co


@dataclass(frozen=True)
class Case:
    """What one demonstration shows: the scope at that moment, and the element that was meant."""

    scope: Scope
    element: Element


def cheapest(found: Iterable[Costed[T_co]], limit: int) -> list[Costed[T_co]]:
    """The cheapest few different expressions, cheapest first."""
    kept: list[Costed[T_co]] = []
    for costed in sorted(found, key=lambda c: c.cost):
        if all(costed.it != other.it for other in kept):
            kept.append(costed)
            if len(kept) == limit:
                break
    return kept
