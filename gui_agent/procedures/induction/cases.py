"""What induction has to explain: an element, or a text, in each of several demonstrations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gui_agent.core.observation import Element
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, select
from gui_agent.procedures.language.expressions import Selector, Table
from gui_agent.procedures.language.steps import nodes, slots_used
from gui_agent.procedures.language.view import View

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class TargetCase:
    """What one demonstration shows: the scope at that moment, and the element that was meant."""

    scope: Scope
    element: Element
    same: frozenset[int] = frozenset()
    """Ids of the elements that stand for it, besides its own."""
    passed: tuple[View, ...] = ()
    """What was scrolled past: what is like the element there was not meant."""

    def passed_over(self, selector: Selector) -> bool:
        """Whether a selector finds something else where it was scrolled past."""
        own = (self.element.id, self.element.name)
        return any(
            (found.id, found.name) != own and found.id not in self.same
            for view in self.passed
            for found in select(selector, self.scope.on(view))
        )

    def masks(self) -> tuple[int, int]:
        """The bit of the element that was meant, and those of all that stand for it."""
        view = self.scope.view
        own = 1 << view.position(self.element)
        others = [e for e in view.elements if e.id in self.same]
        return own, own | sum(1 << view.position(e) for e in others if e.id != self.element.id)


def favour(found: Iterable[Costed[T_co]], scopes: Sequence[Scope]) -> list[Costed[T_co]]:
    """The expressions with those that use favoured slots made cheaper."""
    if not scopes or not scopes[0].favoured:
        return list(found)
    return [Costed(max(-1.5, c.cost - discount(c.it, scopes)), c.it) for c in found]


def discount(it: object, scopes: Sequence[Scope]) -> float:
    """By how much an expression gets cheaper for the favoured slots that it uses."""
    return scopes[0].favour * len(_generally_used(it) & scopes[0].favoured) if scopes else 0.0


def _generally_used(it: object) -> frozenset[str]:
    """The slots an expression uses other than by a table, which only repeats what was shown."""
    in_tables = slots_used(*(node for node in nodes(it) if isinstance(node, Table)))
    return slots_used(it) - in_tables


def cheapest(found: Iterable[Costed[T_co]], limit: int) -> list[Costed[T_co]]:
    """The cheapest few different expressions, cheapest first."""
    kept: list[Costed[T_co]] = []
    for costed in sorted(found, key=lambda c: c.cost):
        if all(costed.it != other.it for other in kept):
            kept.append(costed)
            if len(kept) == limit:
                break
    return kept
