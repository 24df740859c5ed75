"""Explains a text of several demonstrations by slots, constants or the screen, ordered by cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import TypeVar

from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.procedures.language.constructs import Costed, Reading, constructs
from gui_agent.procedures.language.evaluate import Scope, select, value_of
from gui_agent.procedures.language.forms import all_forms
from gui_agent.procedures.language.program import (
    Const,
    Formed,
    Item,
    Joined,
    Note,
    Piece,
    ReadText,
    Selector,
    Slot,
    Table,
    Value,
    nodes,
    slots_used,
)
from gui_agent.procedures.language.view import View, label_or_text, text_of

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class TargetCase:
    """One demonstration's scope at that moment and the target element."""

    scope: Scope
    element: Element
    same: frozenset[int] = frozenset()
    """Ids of equivalent elements, without the target's own."""
    passed: tuple[View, ...] = ()
    """Screens scrolled past; matching elements on them were not the target."""

    def passed_over(self, selector: Selector) -> bool:
        """Whether a selector finds an element on a screen that was scrolled past."""
        found = chain.from_iterable(select(selector, self.scope.with_view(view)) for view in self.passed)
        own = (self.element.id, self.element.name)
        return any((one.id, one.name) != own and one.id not in self.same for one in found)

    def masks(self) -> tuple[int, int]:
        """The bit of the target, and the bits of all equivalent elements."""
        view = self.scope.view
        own = 1 << view.position(self.element)
        others = [e for e in view.elements if e.id in self.same]
        return own, own | sum(1 << view.position(e) for e in others if e.id != self.element.id)


def common_slots(scopes: Sequence[Scope]) -> list[str]:
    """The names of the slots that have a value in every scope."""
    return sorted(set.intersection(*(set(scope.slots) for scope in scopes)))


def favour(found: Iterable[Costed[T_co]], scopes: Sequence[Scope]) -> list[Costed[T_co]]:
    """The expressions, with a discount for those that use favoured slots."""
    if not scopes or not scopes[0].favoured:
        return list(found)
    return [Costed(max(-1.5, c.cost - discount(c.it, scopes)), c.it) for c in found]


def discount(it: object, scopes: Sequence[Scope]) -> float:
    """The discount of an expression for the favoured slots that it uses."""
    return scopes[0].favour * len(_generally_used(it) & scopes[0].favoured) if scopes else 0.0


def _generally_used(it: object) -> frozenset[str]:
    """The slots that an expression uses, except through a table, which only repeats the demonstrations."""
    in_tables = slots_used(*(node for node in nodes(it) if isinstance(node, Table)))
    return slots_used(it) - in_tables


def cheapest(found: Iterable[Costed[T_co]], limit: int) -> list[Costed[T_co]]:
    """The cheapest few distinct expressions, cheapest first."""
    kept: list[Costed[T_co]] = []
    for costed in sorted(found, key=lambda c: c.cost):
        if all(costed.it != other.it for other in kept):
            kept.append(costed)
            if len(kept) == limit:
                break
    return kept


KEPT = 4
_READ_FORMS = ("first word", "last word", "number", "digits", "in brackets", "after the colon")
"""Forms that are often needed to read a text on the screen."""
Same = Callable[[str, str], bool]
Selecting = Callable[[Sequence[TargetCase]], Sequence[Costed[Selector]]]


def exactly(one: str, other: str) -> bool:
    """The comparison for typed text: every character counts."""
    return one == other


def as_labels(one: str, other: str) -> bool:
    """The comparison for captions: ignores case, spacing and closing marks."""
    return label_or_text(one) == label_or_text(other)


def texts(
    wanted: Sequence[str], scopes: Sequence[Scope], *, same: Same = exactly, reading: Selecting | None = None
) -> list[Costed[Value]]:
    """Value expressions that give the wanted text in every scope, cheapest first."""
    found = list(_without_screen(tuple(wanted), tuple(map(_known_texts, scopes)), same, constructs().names))
    if reading is not None:
        found += _read(wanted, scopes, same, reading)
    if not found:
        found += constructs().proposals(wanted, scopes, None if reading is None else _reading_with(reading))
    if not found:
        sources = list(_sources(scopes))
        found += _tables(sources, wanted, scopes)
    return cheapest(favour(found, scopes), KEPT)


_Said = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...], str | None]


def _known_texts(scope: Scope) -> _Said:
    return tuple(sorted(scope.slots.items())), tuple(sorted(scope.notes.items())), scope.item


@lru_cache(maxsize=8192)
def _without_screen(
    wanted: tuple[str, ...], said: tuple[_Said, ...], same: Same, domains: tuple[str, ...]
) -> tuple[Costed[Value], ...]:
    """The values that need no screen; cached, as the same few texts recur."""
    nowhere = View.from_screen(None)
    scopes = [Scope(nowhere, dict(slots), item=item, notes=dict(notes)) for slots, notes, item in said]
    found: list[Costed[Value]] = []
    if all(same(text, wanted[0]) for text in wanted):
        found.append(Costed(3.0 if len(wanted) == 1 else 1.4, Const(wanted[0])))
    sources = list(_sources(scopes))
    for source in sources:
        found += _forms(source, wanted, scopes, same)
    if not any(costed.cost < 2.0 for costed in found):
        found += _with_affixes(sources, wanted, scopes, same)
        found += _pieces(sources, wanted, scopes, same)
    return tuple(found)


def _sources(scopes: Sequence[Scope]) -> Iterator[Value]:
    if all(scope.item is not None for scope in scopes):
        yield Item()
    yield from map(Slot, common_slots(scopes))
    yield from map(Note, sorted(set.intersection(*(set(scope.notes) for scope in scopes))))


def _gives(value: Value, wanted: Sequence[str], scopes: Sequence[Scope], same: Same) -> bool:
    for text, scope in zip(wanted, scopes, strict=True):
        given = value_of(value, scope)
        if given is None or not same(given, text):
            return False
    return True


def _forms(
    source: Value, wanted: Sequence[str], scopes: Sequence[Scope], same: Same
) -> Iterator[Costed[Value]]:
    if _gives(source, wanted, scopes, same):
        yield Costed(0.8 if isinstance(source, Item) else 1.0, source)
        return
    for index, form in enumerate(all_forms()):
        value = Formed(source, form)
        if _gives(value, wanted, scopes, same):
            yield Costed(2.0 + 0.002 * index, value)


def _with_affixes(
    sources: Sequence[Value], wanted: Sequence[str], scopes: Sequence[Scope], same: Same
) -> Iterator[Costed[Value]]:
    for source in sources:
        value = _joined_around(source, wanted, scopes)
        if value is not None and _gives(value, wanted, scopes, same):
            constant = sum(len(part.text) for part in value.parts if isinstance(part, Const))
            yield Costed(2.2 + 0.02 * constant, value)
    for one in sources:
        for other in sources:
            for between in (" ", "", ", ", "-", "@", ".", "/"):
                joined = Joined((one, Const(between), other) if between else (one, other))
                if one != other and _gives(joined, wanted, scopes, same):
                    yield Costed(2.4, joined)


def _joined_around(source: Value, wanted: Sequence[str], scopes: Sequence[Scope]) -> Joined | None:
    inner = value_of(source, scopes[0])
    if not inner:
        return None
    place = wanted[0].lower().find(inner.lower())
    if place < 0 or len(inner) == len(wanted[0]):
        return None
    before, after = wanted[0][:place], wanted[0][place + len(inner) :]
    if len(scopes) == 1 and len(inner) < 0.34 * len(wanted[0]):
        return None
    parts: list[Value] = [Const(before)] if before else []
    parts.append(source)
    return Joined((*parts, Const(after)) if after else tuple(parts))


def _pieces(
    sources: Sequence[Value], wanted: Sequence[str], scopes: Sequence[Scope], same: Same
) -> Iterator[Costed[Value]]:
    for source in sources:
        for number in (1, 2, 3, 4, -1):
            for by in ("word", "item"):
                value = Piece(source, Const(str(number)), by)
                if _gives(value, wanted, scopes, same):
                    yield Costed(2.3 + 0.1 * abs(number), value)


def _read(
    wanted: Sequence[str], scopes: Sequence[Scope], same: Same, reading: Selecting
) -> Iterator[Costed[Value]]:
    """Values that read the text, or a text that contains it, from an element of the screen."""
    extra = 1.6 if len(wanted) == 1 else 0.8
    for into in _extracts(scopes):
        choices = [_holders(into, text, scope, same) for text, scope in zip(wanted, scopes, strict=True)]
        if all(choices):
            for index in range(max(map(len, choices))):
                cases = [alternatives[min(index, len(alternatives) - 1)] for alternatives in choices]
                for costed in reading(cases)[:2]:
                    yield Costed(extra + into.cost + 0.5 * costed.cost, into.it(ReadText(costed.it)))
            if into.cost == 0.0:
                return


def _holders(into: Costed[Extract], text: str, scope: Scope, same: Same) -> list[TargetCase]:
    """The first few elements of a screen whose text contains the wanted one."""
    found = (one for one in scope.view.elements if text and _is_extracted(into, one, scope, text, same))
    return [TargetCase(scope, element) for element in islice(found, 3)]


Extract = Callable[[Value], Value]


def _extracts(scopes: Sequence[Scope]) -> Iterator[Costed[Extract]]:
    yield Costed(0.0, lambda value: value)
    if len(scopes) < 2:
        return
    for form in (*_READ_FORMS, *constructs().forms):
        yield Costed(1.0, lambda value, form=form: Formed(value, form))  # type: ignore[misc]
    for name in common_slots(scopes):
        yield Costed(1.0, lambda value, name=name: Piece(value, Slot(name)))  # type: ignore[misc]


def _is_extracted(into: Costed[Extract], element: Element, scope: Scope, wanted: str, same: Same) -> bool:
    text = text_of(element)
    if into.cost == 0.0:
        return same(text, wanted)
    given = value_of(into.it(Const(text)), scope)
    return given is not None and same(given, wanted)


def _reading_with(reading: Selecting) -> Reading:
    def selectors(pairs: Sequence[tuple[Scope, Element]]) -> Sequence[Costed[Selector]]:
        return reading([TargetCase(scope, element) for scope, element in pairs])

    return selectors


def _tables(
    sources: Sequence[Value], wanted: Sequence[str], scopes: Sequence[Scope]
) -> Iterator[Costed[Value]]:
    """Tables from a word of the instruction to a constant; half of the words must occur twice, otherwise
    anything would make a table."""
    for source in sources:
        entries: dict[str, str] = {}
        keys = [value_of(source, scope) for scope in scopes]
        if len(keys) < 2 or any(key is None or len(key.split()) > 3 for key in keys):
            continue
        pairs = [(normal(key or ""), text) for key, text in zip(keys, wanted, strict=True)]
        constant = all(entries.setdefault(key, text) == text for key, text in pairs)
        if constant and len(entries) > 1 and 2 * (len(pairs) - len(entries)) >= len(entries) - 1:
            yield Costed(4.5 + 0.4 * len(entries), Table(source, entries))
