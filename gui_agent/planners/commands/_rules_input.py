"""Parse rules for values: type, put, append, clear, fill, set."""

from __future__ import annotations

from itertools import product

from gui_agent.core.actions import Click, Select, TypeText
from gui_agent.core.observation import Words
from gui_agent.elements.text import DETERMINERS
from gui_agent.planners.commands._noun_phrases import read_target
from gui_agent.planners.commands.commands import Append, Command, Do, Put
from gui_agent.planners.commands.lexer import Fault, Span, phrases

_KINDS = phrases("text, word, words, number, value, name, username, user, password, date, time, phrase")
CONTENT = phrases(
    "the text in, the text from, what is in, everything in, the content of, the contents of, "
    "the value of, the value in, the text of"
)

WHOLE = phrases("all text, all the text, all of the text, the whole text, everything")
ALL_IN = tuple(map(" ".join, product((*WHOLE, "the text"), ("in", "of"))))
"""Prefixes of a place whose whole content is to be replaced."""


def type_text(span: Span) -> tuple[Command, ...]:
    """Parse `T into X`, or `T` alone for the focused field."""
    text, place = _value_and_place(span, ("into", "in to"), ("in", "inside"))
    if place is None:
        return (Do(TypeText(text)),)
    return (Do(TypeText(text, read_target(place), replace=True)),)


def put(span: Span) -> tuple[Command, ...]:
    """Parse `T into X`; the place is required, because these are common words."""
    text, place = _value_and_place(span, ("into", "in to", "as"), ("in", "inside", "on", "for"))
    if place is None:
        raise Fault(span.position, "the field is missing", 'as in: put "Ada" into "Name"')
    return (Do(TypeText(text, read_target(place), replace=True)),)


def enter(span: Span) -> tuple[Command, ...]:
    """Parse like `put`; a quoted text alone goes to the focused field."""
    return (Do(TypeText(span.text)),) if span.is_quoted else put(span)


def append(span: Span) -> tuple[Command, ...]:
    """Parse `T to X`; `to X` alone is the name of a button, as in `Add to favorites`."""
    if len(span) > 1 and span[0].word == "to" and all(token.kind == "word" for token in span.each):
        return (Do(Click(Words(f"add {span.text}"))),)
    text, place = _value_and_place(span, ("to", "into"), ("in",))
    if place is None:
        raise Fault(span.position, "the field is missing", 'as in: append "!" to "Note"')
    return (Append(text, read_target(place)),)


def select(span: Span) -> tuple[Command, ...]:
    """Parse `T in X`, where T are words of a text."""
    text, place = _value_and_place(span, ("in", "of", "from"), ())
    if place is None:
        raise Fault(span.position, "the text is missing", 'as in: select the words "see you" in "Note"')
    return (Do(Select(read_target(place), text)),)


def clear(span: Span) -> tuple[Command, ...]:
    return (Do(TypeText("", read_target(span.rest_after((*CONTENT, *ALL_IN))), replace=True)),)


def fill(span: Span) -> tuple[Command, ...]:
    """Parse `X with T`, or `T into X`."""
    halves = span.split(("with",), last=True)
    if halves is not None:
        return set_to(*halves)
    if any(token.word in DETERMINERS for token in span.each[:2]):  # `in the form for Ada` is not a value
        raise Fault(span.position, "the value is missing", 'as in: fill "Name" with "Ada"')
    return put(span)


def assign(span: Span) -> tuple[Command, ...]:
    """Parse `X to T`."""
    example = 'as in: set "Country" to "Canada"'
    place, value = span.halves(("to", "="), "the value is missing", example)
    before = place.split(("from",), last=True)
    return set_to(before[0] if before else place, value)


def set_to(place: Span, value: Span) -> tuple[Command, ...]:
    """Set the control at the place to the value, whatever kind it is."""
    target = read_target(place)
    value = value.without_joints()
    if value.has_quotes and not value.is_quoted:
        raise Fault(value.position, f"'{value.text}' is not one value", "put the whole value in quotes")
    if not len(value):
        raise Fault(value.position, "the value is missing")
    return (Put(value.as_value(), target),)


def _value_and_place(span: Span, strong: tuple[str, ...], weak: tuple[str, ...]) -> tuple[str, Span | None]:
    """The text to type and the place; a quoted text ends at its quote, an unquoted one at the last `into`."""
    span = span.without_joints()
    kind = span.begins(DETERMINERS)
    while kind + 1 < len(span) and span[kind].word in _KINDS:
        kind += 1
    if kind < len(span) and span[kind].kind == "quoted":
        span = span.cut(kind)
        if len(span) == 1:
            return span.text, None
        taken = span.begins((*strong, *weak), 1)
        if taken and len(span) > 1 + taken:
            return span[0].text, span.cut(1 + taken)
        raise span.cut(1).left_over('as in: type "Ada" into "Name"')
    halves = span.split(strong, last=True) or span.split(weak, last=True)
    value, place = halves if halves is not None else (span, None)
    if place is None and (not len(span) or span.begins((*strong, *weak))):
        raise Fault(span.position, "the text to type is missing", 'as in: type "Ada" into "Name"')
    if value.has_quotes:
        raise Fault(value.position, f"'{value.text}' is not one text", "put the whole text in quotes")
    return (value.as_value() if place is None else value.text), place
