"""Parse rules for reading values and for checks."""

from __future__ import annotations

import contextlib
from typing import NoReturn

from gui_agent.core import conditions
from gui_agent.core.observation import Target
from gui_agent.core.texts import table
from gui_agent.planners.commands import _rules_choice as choices
from gui_agent.planners.commands._noun_phrases import plain_name, read_target, read_words
from gui_agent.planners.commands.commands import Command, Copy, Invoke, Read, Verify
from gui_agent.planners.commands.lexer import Fault, Span, phrases

_VALUE_OF = phrases(
    "the value of, the text of, the value in, the text in, the content of, the contents of, value of, "
    "text of, what is in"
)
_FILE = ("the file", "file")
_IS = ("is", "are", "has", "holds", "contains", "shows", "says", "equals")
_SHOWN = frozenset(("shown", "visible", "there", "displayed", "on the screen", "on the page", "present"))
_GONE = frozenset(("gone", "hidden", "invisible", "absent"))
_STATES = table(
    "checked=checked ticked=checked on=checked selected=selected disabled=disabled"
    " pressed=pressed expanded=expanded collapsed=collapsed focused=focused readonly=readonly"
    " required=required"
)
_OPPOSITES = table(
    "unchecked=checked unticked=checked off=checked enabled=disabled unselected=selected deselected=selected"
)


def read(span: Span) -> tuple[Command, ...]:
    """Parse `X`, `the value of X as name`."""
    name = ""
    halves = span.split(("as", "into the note", "and call it"), last=True)
    if halves is not None:
        span, name = halves[0], plain_name(halves[1])
    of = span.begins(_VALUE_OF)
    return (Read(read_words(span.cut(of) if of < len(span) else span), name),)


def copy(span: Span) -> tuple[Command, ...]:
    """Parse `X into Y`; without a destination it is the same as `read`."""
    if span.phrase in ("that", "it", "this"):
        return (Invoke("copy"),)
    halves = span.split(("into", "to"), last=True)
    if halves is None:
        return read(span) if len(span) else (Invoke("copy"),)
    of = halves[0].begins(_VALUE_OF)
    what, into = read_words(halves[0].cut(of)), read_words(halves[1])
    return (Copy(what, into),)


def verify(span: Span) -> tuple[Command, ...]:
    """Parse `"text" is shown`, `X is "value"`, `X is ticked`, `the title is "..."`, `the address is ...`."""
    span = span.rest_after(("that", "if"))
    for index in range(1, len(span)):
        if span[index].word == "appears":
            return _check_shown(span.cut(0, index), gone=False) if index == len(span) - 1 else _unclear(span)
        if span[index].word == "exists" and index == len(span) - 1 and span.begins(_FILE):
            return (Verify(conditions.FileExists(plain_name(span.cut(span.begins(_FILE), index)))),)
        if span[index].word in _IS and index + 1 < len(span):
            return _states(span.cut(0, index), span.cut(index + 1), span[index].word)
    return _unclear(span)


def check(span: Span) -> tuple[Command, ...]:
    """Parse a condition if the text reads like one; otherwise a box to check."""
    stated = any(token.word in (*_IS, "appears", "exists") for token in span.each)
    return verify(span) if stated or span.begins(("that", "if")) else choices.check(True, span)


def _unclear(span: Span) -> NoReturn:
    raise Fault(
        span.position,
        "the condition is missing",
        'as in: check "Thanks" is shown, check "Total" is "42"',
    )


def _states(subject: Span, said: Span, verb: str) -> tuple[Command, ...]:
    negated = said.begins(("not", "no longer"))
    rest = said.cut(negated)
    if not len(rest):
        return _unclear(said)
    word = rest.phrase
    if verb in ("is", "are"):
        if word in _SHOWN | _GONE:
            return _check_shown(subject, gone=(word in _GONE) != bool(negated))
        if word in _STATES | _OPPOSITES:
            target = read_target(subject)
            on = (word in _STATES) != bool(negated)
            return (Verify(conditions.StateIs(target, _STATES.get(word) or _OPPOSITES[word], on)),)
    if negated:
        raise Fault(rest.position, f"'not {rest.text}' cannot be checked", "check for what is there instead")
    value = rest.rest_after(("value", "the value", "the text", "text"))
    return _equal(subject, plain_name(value if len(value) else rest), contains=verb == "contains")


def _equal(subject: Span, text: str, *, contains: bool) -> tuple[Command, ...]:
    about = subject.phrase
    pattern = f"*{text}*" if contains else text
    condition: conditions.Condition[Target]
    if about in ("the title", "title", "the page title", "the window title"):
        condition = conditions.TitleIs(pattern)
    elif about in ("the address", "address", "the url", "url"):
        condition = conditions.UrlIs(pattern)
    elif about in ("the page", "the screen", "page", "screen"):
        condition = conditions.TextShown(text)
    elif contains:
        raise Fault(subject.position, "only the page, title or address can contain", "check the whole value")
    else:
        target = read_words(subject.rest_after(_VALUE_OF) if len(subject) > 1 else subject)
        condition = conditions.ValueIs(target, text)
    return (Verify(condition),)


def _check_shown(subject: Span, *, gone: bool) -> tuple[Command, ...]:
    subject = subject.rest_after(("the text", "the message", "the word", "the words", "text"))
    try:
        text = plain_name(subject)
    except Fault as fault:
        text = ""
        with contextlib.suppress(Fault):
            text = read_words(subject).text
        if not text:
            raise fault from None
    return (Verify(conditions.TextGone(text) if gone else conditions.TextShown(text)),)
