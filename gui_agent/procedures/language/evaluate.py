"""Working out values and selectors on a screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
"""Marks that belong to a label and not to what it says."""


def as_written(elements: Iterable[Element], wanted: str) -> list[Element]:
    """The elements without those that are only like what is wanted, where another of its role is just so."""
    found = list(elements)
    exact = {element.role for element in found if _exactly(element, wanted)}
    return [element for element in found if element.role not in exact or _exactly(element, wanted)]


def written_otherwise(elements: Sequence[Element], wanted: str, instruction: str) -> bool:
    """Whether what was asked for in quotes is there only with other capitals or marks.

    For a search that is another thing than the one it looks for.
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
    """Everything an expression may refer to."""

    view: View
    slots: Mapping[str, str] = field(default_factory=dict)
    instruction: str = ""
    item: str | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    tried: frozenset[int] = frozenset()
    """Ids of the elements that the present loop has acted on."""
    earlier: tuple[View, ...] | None = None
    """In a demonstration, the pages that were turned right before; None when that is not known."""
    favoured: frozenset[str] = frozenset()
    """Slots that induction would like to see used: they differ, so they must have a meaning."""
    favour: float = 2.5
    """By how much an expression gets cheaper for using such a slot."""
    by_chance: frozenset[str] = frozenset()
    """Slots that the name of what a demonstration acted on can only be like by chance."""

    def on(self, view: View) -> Scope:
        return replace(self, view=view)


def value_of(value: Value, scope: Scope) -> str | None:
    """The text that a value stands for; None when something it needs is not there."""
    match value:
        case Const(text):
            return text
        case Slot(name):
            return scope.slots.get(name)
        case Item():
            return scope.item
        case Note(name):
            return scope.notes.get(name)
        case Formed(of, form):
            inner = value_of(of, scope)
            return None if inner is None else in_form(inner, form)
        case Joined(parts):
            pieces = [value_of(part, scope) for part in parts]
            return None if None in pieces else "".join(piece or "" for piece in pieces)
        case Table(of, entries):
            inner = value_of(of, scope)
            return None if inner is None else entries.get(normal(inner))
        case Piece(of, number, by):
            return _piece(value_of(of, scope), value_of(number, scope), by)
        case Applied(construct, of, options):
            return _apply(construct, [value_of(one, scope) for one in of], options)
        case ReadText(of, what):
            return _read_off(select(of, scope), what, scope.view)
        case Count(of):
            return str(len(select(of, scope))) if _clear(of, scope) else None


def the_one(selector: Selector, scope: Scope) -> Element | None:
    """The element that a selector means; None when it finds none or several."""
    found = select(selector, scope)
    return found[0] if len(found) == 1 else None


def select(selector: Selector, scope: Scope) -> tuple[Element, ...]:
    """All elements that a selector finds, in reading order; with a `pick` at most one."""
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
    view = scope.view
    match test:
        case HasRole(role):
            return [e for e in elements if e.role == role]
        case Captioned(text, how):
            wanted = value_of(text, scope) or ""
            called = _elements_called(wanted, how, elements, view)
            return called if isinstance(text, Const) or how != "is" else as_written(called, wanted)
        case NamedAsOneOf(texts):
            names = set(map(label_or_text, texts))
            return [e for e in elements if names & set(view.captions(e))]
        case Holding(text):
            held = normal(value_of(text, scope) or "")
            return [e for e in elements if held and normal(e.value) == held]
        case Mentioned():
            return [e for e in elements if is_mentioned(e.name, scope.instruction)]
        case Attribute(name, text):
            return with_attribute(elements, name, value_of(text, scope) or "", view)
        case InState(state, on):
            return [e for e in elements if (state in e.states) == on]
        case With(anchor, up, keyed):
            holders = _holders(anchor, scope, keyed=keyed)
            return [e for e in elements if any(view.together(holder, e, up) for holder in holders)]
        case Under(heading):
            top = the_one(heading, scope)
            return [] if top is None else [e for e in elements if e.id != top.id and view.under(top, e)]
        case After(anchor):
            before = the_one(anchor, scope)
            if before is None:
                return []
            start = view.position(before)
            return [e for e in elements if view.position(e) > start][:1]
        case Untried():
            return [e for e in elements if e.id not in scope.tried]


def _holders(anchor: Selector, scope: Scope, *, keyed: bool) -> Sequence[Element]:
    """What an anchor finds; where it varies and names records, their keys, or else no numbers."""
    found = select(anchor, scope)
    if not any(isinstance(test, Captioned) and not isinstance(test.text, Const) for test in anchor.tests):
        return found
    keys = [one for one in found if scope.view.is_key(one)]
    return keys if keys or keyed else [one for one in found if number_in(text_of(one)) is None]


def _elements_called(wanted: str, how: str, elements: Iterable[Element], view: View) -> list[Element]:
    label = label_or_text(wanted)
    called = [e for e in elements if label and any(fits(c, label, how) for c in view.captions(e))]
    return called if how != "has" else _with_whole_words(called, label, view)


def _with_whole_words(called: list[Element], label: str, view: View) -> list[Element]:
    """Those that have a text as whole words, where one of their role has: `Rome (ROM)`, not `Bromley`."""
    whole = {e.id for e in called if any(is_mentioned(label, caption) for caption in view.captions(e))}
    roles = {element.role for element in called if element.id in whole}
    return [element for element in called if element.id in whole or element.role not in roles]


def _read_off(found: Sequence[Element], what: str, view: View) -> str | None:
    several = constructs().reading(what)
    if several is not None:
        return several(found)
    if len(found) != 1:
        return None
    return attribute(found[0], what[1:], view) if what.startswith("@") else text_of(found[0])


def attribute(element: Element, name: str, view: View) -> str:
    """An attribute of an element of a screen, reported or worked out; empty when it has none."""
    known = constructs().attribute(name)
    return element.attributes.get(name, "") if known is None else known.of(element, view)


def with_attribute(elements: Iterable[Element], name: str, text: str, view: View) -> list[Element]:
    """Those of the elements of which an attribute is a text or has it among its words."""
    word = normal(text)
    if not word:
        return []
    known = constructs().attribute(name)
    if known is not None:
        return known.fitting(text, list(elements), view) or []
    return [element for element in elements if has_word(element.attributes.get(name, ""), word)]


def has_word(text: str, word: str) -> bool:
    """Whether a text is a word or has it among its words, however they are joined."""
    plain = normal(text)
    return plain == word or word in attribute_words(text, joined=True)


def _clear(selector: Selector, scope: Scope) -> bool:
    """Whether it is known what to look for, so that finding nothing means that there is nothing."""
    for test in selector.tests:
        known = constructs().attribute(test.name) if isinstance(test, Attribute) else None
        if known is not None and isinstance(test, Attribute):
            text = value_of(test.text, scope) or ""
            if known.fitting(text, scope.view.elements, scope.view) is None:
                return False
    return True


def fits(caption: str, wanted: str, how: str) -> bool:
    """Whether a caption is, has, starts with or ends with a wanted text; both are labels."""
    if how == "is":
        return caption == wanted
    if how == "has":
        return wanted in caption
    return caption.startswith(wanted) if how == "starts" else caption.endswith(wanted)


def is_mentioned(name: str, instruction: str) -> bool:
    """Whether a whole name occurs in the instruction between word borders."""
    wanted = normal(name)
    return bool(wanted) and bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", normal(instruction)))


def _piece(text: str | None, number: str | None, by: str) -> str | None:
    rank = _rank(number)
    if text is None or not rank:
        return None
    parts = text.split() if by == "word" else text.split("\n") if by == "line" else list_items(text)
    index = rank - 1 if rank > 0 else rank
    if not -len(parts) <= index < len(parts):
        return None
    return parts[index].strip(" .,;:!?\"'")


def _apply(name: str, given: Sequence[str | None], options: Sequence[str]) -> str | None:
    construct = constructs().value(name)
    texts = [text for text in given if text is not None]
    return None if construct is None or len(texts) < len(given) else construct.value(texts, options)


def _rank(number: str | None) -> int | None:
    return -1 if number == "-1" else ordinal(number or "")


PASSED = "passed"
"""The note that keeps how many elements were counted on the pages turned so far."""


def _on_earlier_pages(selector: Selector, scope: Scope) -> int | None:
    """How many elements pass the tests on the pages before this one; None when nobody counted."""
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
