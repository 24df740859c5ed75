"""One distinguished word of a text, and spaced letters read as one word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gui_agent.core.observation import TEXT, Element
from gui_agent.procedures.language.constructs import Costed, Reading, ValueConstruct
from gui_agent.procedures.language.evaluate import Scope, fits, value_of
from gui_agent.procedures.language.program import (
    Applied,
    Const,
    HasRole,
    Joined,
    ReadText,
    Selector,
    Slot,
    Value,
)
from gui_agent.procedures.language.view import text_of

_MARKS = (".", "-", "_", "@", "/", ":")
"""Marks that some of several words have and others do not."""
_WAYS = {"starts": "that starts with", "ends": "that ends with", "has": "with", "lacks": "without"}


class PickedWord(ValueConstruct):
    """The word of a text that starts or ends with, has or lacks something: the only one, or the first."""

    name = "word"

    def value(self, given: Sequence[str], options: Sequence[str]) -> str | None:
        """The word; None if there is none, or if several fit and the first is not wanted."""
        text, part = given
        how, first = options[0], "first" in options
        words = list(dict.fromkeys(text.split())) if part else []
        fitting = [word for word in words if (part not in word if how == "lacks" else fits(word, part, how))]
        return fitting[0] if len(fitting) == 1 or (fitting and first) else None

    def words(self, given: Sequence[str], options: Sequence[str]) -> str:
        """Such as `the word that ends with {type} of the text`."""
        which = f"{'first ' * ('first' in options)}word {_WAYS[options[0]]} {given[1]}"
        return f"the {which} of {given[0]}"


def spell(elements: Sequence[Element]) -> str | None:
    """Single letters that are spaced or crooked, from left to right."""
    return "".join(one.name for one in sorted(elements, key=lambda one: one.box.center.x)) or None


def spelling(
    wanted: Sequence[str], scopes: Sequence[Scope], reading: Reading | None
) -> Iterator[Costed[Value]]:
    """The texts of the screen, read as one word."""
    value = ReadText(Selector((HasRole(TEXT),)), "spelled")
    given = [value_of(value, scope) for scope in scopes]
    if reading is not None and len(wanted) > 1 and given == list(wanted):
        yield Costed(3.5, value)


def behind_a_constant(
    wanted: Sequence[str], scopes: Sequence[Scope], reading: Reading | None
) -> Iterator[Costed[Value]]:
    """A word of a text on the screen that a part of the instruction, or a mark, singles out.

    The same words may precede it every time: `open report.txt`.
    """
    if reading is None or len(wanted) < 2:
        return
    parted = [text.rpartition(" ") for text in wanted]
    before = "".join(parted[0][:2])
    words = [word for _, _, word in parted]
    if not all(words) or any("".join(part[:2]) != before for part in parted):
        return
    for price, part, options in _words_told(scopes):
        choices = [
            [e for e in _sayings(scope) if value_of(_word(Const(text_of(e)), part, options), scope) == word]
            for word, scope in zip(words, scopes, strict=True)
        ]
        if not all(choices):
            continue
        for costed in reading([(scope, found[0]) for found, scope in zip(choices, scopes, strict=True)])[:2]:
            read = _word(ReadText(costed.it), part, options)
            value = Joined((Const(before), read)) if before else read
            yield Costed(2.0 + price + 0.5 * costed.cost, value)


def _word(text: Value, part: Value, options: tuple[str, ...]) -> Applied:
    return Applied(PickedWord.name, (text, part), options)


def _sayings(scope: Scope) -> list[Element]:
    """The elements with more than one word."""
    return [element for element in scope.view.elements if " " in text_of(element)]


def _words_told(scopes: Sequence[Scope]) -> Iterator[tuple[float, Value, tuple[str, ...]]]:
    """Ways to distinguish one word of a text; the only one comes before the first one."""
    names = set.intersection(*(set(scope.slots) for scope in scopes))
    parts: list[tuple[str, Value]] = [
        (how, Slot(name)) for how in ("ends", "starts", "has") for name in sorted(names)
    ]
    parts += [("lacks", Const(mark)) for mark in _MARKS]
    for first in (False, True):
        for how, part in parts:
            yield 1.0 + first, part, (how, *(["first"] if first else []))
