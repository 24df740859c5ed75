"""Constructs that extend the language of procedures for a domain, looked up by name.

A construct is one class with its meaning on a screen, its wording, and where induction looks for it at
which price. The general language refers to it only by name, so a procedure can be read even if its
domain is disabled; the construct then yields no value and does nothing.

A package adds a domain with an entry point of the group `gui_agent.domains` that creates a `Domain`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gui_agent import plugins
from gui_agent.core.observation import Element

if TYPE_CHECKING:
    from gui_agent.procedures.induction.loops import Range
    from gui_agent.procedures.language.evaluate import Scope
    from gui_agent.procedures.language.program import Selector, Step, Value
    from gui_agent.procedures.language.view import View

T_co = TypeVar("T_co", covariant=True)
Form = Callable[[str], str | None]
"""Writes a text in another form; None if the form does not apply."""
Reading = Callable[[Sequence[tuple["Scope", Element]]], Sequence["Costed[Selector]"]]
"""Finds selectors for the target elements on some screens."""


@dataclass(frozen=True)
class Costed(Generic[T_co]):
    """An expression with its description length; shorter means likelier."""

    cost: float
    it: T_co


class AttributeConstruct:
    """An attribute computed from the screen."""

    name = ""
    price: float | None = None
    """The price at which induction compares it with each value of the instruction; None: never."""
    compared = False
    """Whether induction compares it like the attributes that the computer reports."""

    def attribute_of(self, element: Element, view: View) -> str:
        """The attribute of an element; empty if it has none."""
        return element.attributes.get(self.name, "")

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """The elements that a text matches; None if that cannot be decided."""
        raise NotImplementedError


class ValueConstruct:
    """A value computed from other values, and possibly from the screen."""

    name = ""

    def value(self, given: Sequence[str], options: Sequence[str]) -> str | None:
        """The value; None if there is none."""
        raise NotImplementedError

    def words(self, given: Sequence[str], options: Sequence[str]) -> str:
        """The value in words, given the words of its inputs."""
        return f"{self.name} of {' and '.join(given)}"


class LoopConstruct:
    """A loop in which the construct determines the item of each round."""

    name = ""

    def next(
        self, given: Sequence[str | None], state: str | None, shown: Callable[[int, str], bool | None]
    ) -> str | None:
        """The state of the next round; None if the loop has ended.

        Args:
            given: the values of the loop.
            state: state of the last round; None before the first.
            shown: whether the n-th sign of the loop is on the screen for an item; None if it has none.
        """
        raise NotImplementedError

    def item(self, state: str) -> str | None:
        """The item of a round."""
        return state

    def words(self, given: Sequence[str]) -> str:
        """The head of the loop in words."""
        return f"{self.name}, from {' and '.join(given)}:"

    def propose(self, range: Range) -> Iterator[Costed[Step]]:
        """Loops of this kind that explain the acts. Raises Unexplained if there is none."""
        raise NotImplementedError


ConstructT = TypeVar("ConstructT", AttributeConstruct, ValueConstruct, LoopConstruct)


@dataclass(frozen=True)
class Domain:
    """The constructs of a domain."""

    name: str
    forms: Mapping[str, Form] = field(default_factory=dict)
    attributes: Sequence[AttributeConstruct] = ()
    values: Sequence[ValueConstruct] = ()
    readings: Mapping[str, Callable[[Sequence[Element]], str | None]] = field(default_factory=dict)
    """Ways of reading several elements at once."""
    loops: Sequence[LoopConstruct] = ()
    proposals: Sequence[
        Callable[[Sequence[str], Sequence[Scope], Reading | None], Iterable[Costed[Value]]]
    ] = ()
    """Sources of values that no general expression explains, from the wanted texts, scopes, and a function
    that finds selectors."""


class Constructs:
    """The constructs of all enabled domains, by name."""

    def __init__(self, *domains: Domain) -> None:
        self.names = tuple(domain.name for domain in domains)
        self.forms: Mapping[str, Form] = ChainMap(*(dict(domain.forms) for domain in domains))
        self.readings: Mapping[str, Callable[[Sequence[Element]], str | None]] = ChainMap(
            *(dict(domain.readings) for domain in domains)
        )
        self.attributes = _by_name(domain.attributes for domain in domains)
        self.values = _by_name(domain.values for domain in domains)
        self.loops = _by_name(domain.loops for domain in domains)
        self._proposals = tuple(chain.from_iterable(domain.proposals for domain in domains))

    def proposals(
        self, wanted: Sequence[str], scopes: Sequence[Scope], reading: Reading | None
    ) -> Iterator[Costed[Any]]:
        """Values that explain the texts."""
        return chain.from_iterable(propose(wanted, scopes, reading) for propose in self._proposals)


def _by_name(of_domains: Iterable[Sequence[ConstructT]]) -> Mapping[str, ConstructT]:
    return {one.name: one for one in chain.from_iterable(of_domains)}


_on = Constructs()


def use(names: Sequence[str]) -> None:
    """Enable the constructs of these domains, and no others, for this process."""
    global _on  # noqa: PLW0603 -- what a process can express is one language, as its forms are
    if tuple(names) != _on.names:
        _on = Constructs(*(plugins.make("domains", name, {}) for name in names))


def constructs() -> Constructs:
    return _on
