"""Evaluates values and selectors on a screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from gui_agent.core.aiming import sole
from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.elements.words import attribute_words
from gui_agent.procedures.language.constructs import constructs
from gui_agent.procedures.language.forms import in_form, list_items, number_in, ordinal
from gui_agent.procedures.language.program import (
    After,
    Applied,
    Attribute,
    Captioned,
    Const,
    Count,
    Extreme,
    Formed,
    HasRole,
    Holding,
    InState,
    Item,
    Joined,
    Mentioned,
    NamedAsOneOf,
    Note,
    Piece,
    Rank,
    ReadText,
    Selector,
    Slot,
    Table,
    Test,
    Under,
    Untried,
    Value,
    With,
)
from gui_agent.procedures.language.template import QUOTE, plain_quotes
from gui_agent.procedures.language.view import View, label_or_text, text_of

_LABEL_MARKS = " :*"
"""Characters that decorate a label and are not part of its text."""


def as_written(elements: Iterable[Element], wanted: str) -> list[Element]:
    """Drop elements with an approximate caption if another one of the same role matches exactly."""
    found = list(elements)
    exact = {element.role for element in found if _exactly(element, wanted)}
    return [element for element in found if element.role not in exact or _exactly(element, wanted)]


def written_otherwise(elements: Sequence[Element], wanted: str, instruction: str) -> bool:
    """Whether a text quoted in the instruction is on the screen only with other capitals or punctuation.

    A search must treat that as a different text.
    """
    if f"{QUOTE}{wanted.strip()}{QUOTE}" not in plain_quotes(instruction):
        return False
    alike = all(label_or_text(element.name) == label_or_text(wanted) for element in elements)
    return bool(elements) and alike and not any(_exactly(element, wanted) for element in elements)


def _exactly(element: Element, wanted: str) -> bool:
    return _plain(wanted) in (_plain(element.name), _plain(element.description))


def _plain(text: str) -> str:
    spaced = " ".join(text.split())
    return spaced.strip(_LABEL_MARKS) or spaced


@dataclass(frozen=True)
class Scope:
    """The values that an expression may refer to."""

    view: View
    slots: Mapping[str, str] = field(default_factory=dict)
    instruction: str = ""
    item: str | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    tried: frozenset[int] = frozenset()
    """Ids of the elements that the current loop has acted on."""
    earlier: tuple[View, ...] | None = None
    """In a demonstration, the pages turned immediately before; None if unknown."""
    favoured: frozenset[str] = frozenset()
    """Slots that induction prefers to use: they differ between demonstrations, so they must matter."""
    favour: float = 2.5
    """The discount of an expression for using such a slot."""
    by_chance: frozenset[str] = frozenset()
    """Slots that match the name of the target in a demonstration only by chance."""

    def with_view(self, view: View) -> Scope:
        return replace(self, view=view)


def value_of(value: Value, scope: Scope) -> str | None:
    """The text of a value; None if something it needs is missing."""
    match value:
        case Const(constant):
            return constant
        case Slot(name):
            return scope.slots.get(name)
        case Item():
            return scope.item
        case Note(name):
            return scope.notes.get(name)
        case ReadText(of, what):
            return _read_off(select(of, scope), what, scope.view)
        case Count(of):
            return str(len(select(of, scope))) if _clear(of, scope) else None
        case Joined(of) | Applied(_, of):
            given = [text for one in of if (text := value_of(one, scope)) is not None]
            return _put_together(value, given) if len(given) == len(of) else None
    inner = value_of(value.of, scope)
    return None if inner is None else _another_way(inner, value, scope)


def _put_together(value: Joined | Applied, given: Sequence[str]) -> str | None:
    if isinstance(value, Joined):
        return "".join(given)
    construct = constructs().values.get(value.construct)
    return None if construct is None else construct.value(given, value.options)


def _another_way(text: str, value: Formed | Table | Piece, scope: Scope) -> str | None:
    match value:
        case Formed(_, form):
            return in_form(text, form)
        case Table(_, entries):
            return entries.get(normal(text))
        case Piece(_, number, by):
            return _piece(text, value_of(number, scope), by)


def the_one(selector: Selector, scope: Scope) -> Element | None:
    """The only element that a selector finds; None if it finds none or several."""
    return sole(select(selector, scope))


def select(selector: Selector, scope: Scope) -> tuple[Element, ...]:
    """All elements that a selector finds, in reading order; with a `pick`, at most one."""
    found: tuple[Element, ...] = scope.view.elements
    for test in selector.tests:
        found = tuple(passing(test, found, scope))
        if not found:
            return ()
    match selector.pick:
        case None:
            return found
        case Rank(number, paged):
            before = _on_earlier_pages(selector, scope) if paged else 0
            return () if before is None else _of_rank(found, value_of(number, scope), before)
        case Extreme(most):
            return _extreme(found, most=most)


def passing(test: Test, elements: Iterable[Element], scope: Scope) -> Iterable[Element]:
    """The elements that pass a test, in their order."""
    view = scope.view
    match test:
        case Captioned(text, how):
            wanted = value_of(text, scope) or ""
            called = _elements_called(wanted, how, elements, view)
            return called if isinstance(text, Const) or how != "is" else as_written(called, wanted)
        case Attribute(name, text):
            return with_attribute(elements, name, value_of(text, scope) or "", view)
        case With(anchor, up, keyed):
            holders = _holders(anchor, scope, keyed=keyed)
            beside = partial(_is_beside, holders, up=up, view=view)
            return filter(beside, elements)
        case Under(anchor) | After(anchor):
            one = the_one(anchor, scope)
            return () if one is None else _relative_to(one, test, elements, view)
    return [element for element in elements if _is_of(test, element, scope)]


def _is_of(
    test: HasRole | NamedAsOneOf | Holding | Mentioned | InState | Untried, element: Element, scope: Scope
) -> bool:
    """Whether an element passes a test that does not involve other elements."""
    match test:
        case HasRole(role):
            return element.role == role
        case NamedAsOneOf(texts):
            return not set(scope.view.captions(element)).isdisjoint(map(label_or_text, texts))
        case Holding(text):
            return normal(element.value) == normal(value_of(text, scope) or "") != ""
        case Mentioned():
            return is_mentioned(element.name, scope.instruction)
        case InState(state, on):
            return (state in element.states) == on
        case Untried():
            return element.id not in scope.tried


def _is_beside(holders: Iterable[Element], element: Element, up: int, view: View) -> bool:
    return any(view.together(holder, element, up) for holder in holders)


def _relative_to(
    anchor: Element, test: Under | After, elements: Iterable[Element], view: View
) -> list[Element]:
    if isinstance(test, Under):
        return [one for one in elements if one.id != anchor.id and view.is_under(anchor, one)]
    start = view.position(anchor)
    return [one for one in elements if view.position(one) > start][:1]


def _holders(anchor: Selector, scope: Scope, *, keyed: bool) -> Sequence[Element]:
    """The anchor's elements; if it varies and names records, only their keys, or otherwise no numbers."""
    found = select(anchor, scope)
    if not any(isinstance(test, Captioned) and not isinstance(test.text, Const) for test in anchor.tests):
        return found
    keys = [one for one in found if scope.view.is_key(one)]
    return keys if keys or keyed else [one for one in found if number_in(text_of(one)) is None]


def _elements_called(wanted: str, how: str, elements: Iterable[Element], view: View) -> list[Element]:
    label = label_or_text(wanted)
    if not label:
        return []
    called = [one for one in elements if _has_caption(one, view, lambda caption: fits(caption, label, how))]
    if how == "is":
        # A hint may name what an element is about, as that of each button about a record.
        return [one for one in called if view.captions(one)[0] == label] or called
    return called if how != "has" else _with_whole_words(called, label, view)


def _has_caption(element: Element, view: View, is_wanted: Callable[[str], bool]) -> bool:
    return any(map(is_wanted, view.captions(element)))


def _with_whole_words(called: list[Element], label: str, view: View) -> list[Element]:
    """Only elements with the text as whole words, if one of their role has: `Rome (ROM)`, not `Bromley`."""
    whole = [one for one in called if _has_caption(one, view, partial(is_mentioned, label))]
    roles = {element.role for element in whole}
    return [element for element in called if element in whole or element.role not in roles]


def _read_off(found: Sequence[Element], what: str, view: View) -> str | None:
    several = constructs().readings.get(what)
    if several is not None:
        return several(found)
    if len(found) != 1:
        return None
    return attribute(found[0], what[1:], view) if what.startswith("@") else text_of(found[0])


def attribute(element: Element, name: str, view: View) -> str:
    """An attribute of an element, reported or computed; empty if it has none."""
    known = constructs().attributes.get(name)
    return element.attributes.get(name, "") if known is None else known.attribute_of(element, view)


def with_attribute(elements: Iterable[Element], name: str, text: str, view: View) -> list[Element]:
    """The elements whose attribute equals a text or has it among its words."""
    word = normal(text)
    if not word:
        return []
    known = constructs().attributes.get(name)
    if known is not None:
        return known.fitting(text, list(elements), view) or []
    return [element for element in elements if has_word(element.attributes.get(name, ""), word)]


def has_word(text: str, word: str) -> bool:
    """Whether a text is a word or contains it, however its words are joined."""
    plain = normal(text)
    return plain == word or word in attribute_words(text, joined=True)


def _clear(selector: Selector, scope: Scope) -> bool:
    """Whether all values of the selector are known, so that no match means that there is no such element."""
    for test in selector.tests:
        known = constructs().attributes.get(test.name) if isinstance(test, Attribute) else None
        if known is not None and isinstance(test, Attribute):
            text = value_of(test.text, scope) or ""
            if known.fitting(text, scope.view.elements, scope.view) is None:
                return False
    return True


_FITS: Mapping[str, Callable[[str, str], bool]] = {
    "is": str.__eq__, "has": str.__contains__, "starts": str.startswith, "ends": str.endswith
}  # fmt: skip


def fits(caption: str, wanted: str, how: str) -> bool:
    """Whether a caption equals, contains, starts with or ends with a wanted text; both are labels."""
    return _FITS[how](caption, wanted)


def is_mentioned(name: str, instruction: str) -> bool:
    """Whether a whole name occurs in the instruction between word boundaries."""
    wanted = normal(name)
    return bool(wanted) and bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", normal(instruction)))


def _piece(text: str, number: str | None, by: str) -> str | None:
    rank = _rank(number)
    parts = text.split() if by == "word" else text.split("\n") if by == "line" else list_items(text)
    if not rank or abs(rank) > len(parts):
        return None
    return parts[rank - 1 if rank > 0 else rank].strip(" .,;:!?\"'")


def _rank(number: str | None) -> int | None:
    return -1 if number == "-1" else ordinal(number or "")


PASSED = "passed"
"""The note with the number of elements counted on the pages turned so far."""


def _on_earlier_pages(selector: Selector, scope: Scope) -> int | None:
    """The number of elements that pass the tests on the previous pages; None if they were not counted."""
    if PASSED in scope.notes:
        return int(scope.notes[PASSED])
    if scope.earlier is None:
        return None
    every = Selector(selector.tests)
    return sum(len(select(every, replace(scope, view=view, earlier=None))) for view in scope.earlier)


def _of_rank(found: tuple[Element, ...], number: str | None, before: int = 0) -> tuple[Element, ...]:
    rank = _rank(number)
    if rank and before:
        rank = rank - before if rank > before else None
    if not rank or abs(rank) > len(found):
        return ()
    return (found[rank - 1 if rank > 0 else rank],)


def _extreme(found: tuple[Element, ...], *, most: bool) -> tuple[Element, ...]:
    valued = [(number, e) for e in found if (number := number_in(text_of(e))) is not None]
    if not valued:
        return ()
    best = max(n for n, _ in valued) if most else min(n for n, _ in valued)
    return tuple(e for n, e in valued if n == best)
