"""Parse rules for everyday wordings: what a button offers, questions, and other ways to say a command."""

from __future__ import annotations

import re

from gui_agent.core.actions import Click, Press, TypeText
from gui_agent.core.conditions import TextShown
from gui_agent.core.targets import Words
from gui_agent.planners.commands import rules_input as filling
from gui_agent.planners.commands.commands import Command, Do, Invoke, Put, Read, Verify
from gui_agent.planners.commands.lexer import Fault, Span, Token
from gui_agent.planners.commands.noun_phrases import plain_name, read_target, read_words
from gui_agent.planners.commands.rules_assert import read
from gui_agent.planners.commands.rules_motion import drag
from gui_agent.planners.commands.rules_navigation import press

_IT = frozenset(("", "it", "that", "this", "everything", "the page", "the form", "this form", "the changes"))
_LONGEST_OBJECT = 6
"""Words of what a verb on a button is to be done to; more is a task that nobody understood."""
_TICK = ("the check mark from", "the checkmark from", "the tick from", "the check from", "the tick in")
_SAVED_AS = ("as", "the file as", "the document as", "it as", "this as")
_AMOUNT = re.compile(r"-?\d+(?:\.\d+)?\s*%?$")


def invoke(verb: str, span: Span) -> tuple[Command, ...]:
    """What a control of the screen offers: `save`, `delete "Ada"`, `undo that`."""
    if not span.quoted and span.text.casefold() in _IT:
        return (Invoke(verb),)
    if len(span) > _LONGEST_OBJECT:
        raise Fault(span.position, f"'{span.text}' is too long for a name", "put names in quotes")
    return (Invoke(verb, read_words(span)),)


def rename(span: Span) -> tuple[Command, ...]:
    """`X to Y`: what offers it is pressed, and the field that comes up then gets the new name."""
    halves = span.split(("to", "as"), last=True)
    if halves is None:
        return invoke("rename", span)
    words, name = read_words(halves[0]), plain_name(halves[1])
    return (Invoke("rename", words), *_enter_name(name))


def create(span: Span) -> tuple[Command, ...]:
    """`a folder called X`, `file "X"`: what offers it is pressed, and the field that comes up gets it."""
    span = span.after(("a new", "a", "an", "the", "new", "another"))
    halves = span.split(("called", "named", "with the name"), last=True)
    if halves is None and len(span) > 1 and span[-1].kind == "quoted":
        halves = span.cut(0, len(span) - 1), span.cut(len(span) - 1)
    if halves is None:
        return invoke("create", span)
    kind, name = plain_name(halves[0]), plain_name(halves[1])
    return (Invoke("create", Words(kind)), *_enter_name(name))


def save(span: Span) -> tuple[Command, ...]:
    """What a control of the screen offers; `as X`, `the file as X` by keys and the dialog they open."""
    said = span.begins(_SAVED_AS) if len(span) > 1 else 0
    if not said:
        return invoke("save", span)
    name = plain_name(span.cut(said))
    return (Do(Press(("ctrl", "shift", "s"))), Do(TypeText(name)), Do(Press(("enter",))))


def mark(span: Span) -> tuple[Command, ...]:
    """`X as read` by what offers `mark as read`; a box is ticked."""
    halves = span.split(("as",), last=True)
    if halves is None:
        return filling.check(True, span)
    words, state = read_words(halves[0]), plain_name(halves[1])
    return (Invoke(f"mark as {state}", words),)


def _enter_name(name: str) -> tuple[Command, ...]:
    """The field that has come up with the keyboard gets this name, which is then to be seen."""
    keys = (Do(Press(("ctrl", "a"))), Do(TypeText(name)), Do(Press(("enter",))))
    return (*keys, Verify(TextShown(name)))


def alone(verb: str, span: Span) -> tuple[Command, ...]:
    """A verb that takes no object."""
    if not span.quoted and span.text.casefold() in _IT:
        return (Invoke(verb),)
    raise Fault(span.position, f"'{span.text}' is not a plain command")


def search(span: Span) -> tuple[Command, ...]:
    """`X`, typed into the search field and sent."""
    text = plain_name(span)
    return (Do(TypeText(text, Words("search", "searchbox"), replace=True)), Do(Press(("enter",))))


def sort(span: Span) -> tuple[Command, ...]:
    """`by X`, `the table by X`: the header of the column is clicked."""
    at = next((index for index in range(len(span)) if span[index].word == "by"), -1)
    name = plain_name(span.cut(at + 1).before(("column",)).trimmed())
    if at < 0:
        raise Fault(span.position, "it does not say by what", 'as in: sort by "Price"')
    return (Do(Click(Words(name, "columnheader"))),)


def wipe(span: Span) -> tuple[Command, ...]:
    """`the text in X` is cleared; what else is to be removed has a button that does it."""
    tick = span.begins(_TICK)
    if tick:
        return filling.check(False, span.cut(tick))
    if not span.begins(filling.CONTENT):
        raise Fault(span.position, "it does not say what to clear")
    return filling.clear(span)


def use(span: Span) -> tuple[Command, ...]:
    """`T as X`."""
    halves = span.split(("as", "for"), last=True)
    return filling.set_to(halves[1], halves[0]) if halves is not None else press(span)


def give(span: Span) -> tuple[Command, ...]:
    """`X the value T`."""
    halves = span.split(("the value", "value", "the text", "the name"))
    if halves is None:
        raise Fault(span.position, "it does not say which value")
    return filling.set_to(*halves)


def replace(span: Span) -> tuple[Command, ...]:
    """`X by T`; `all text in X with T` or, where the focus is, `all text with T` empties it first."""
    halves = span.split(("by", "with"), last=True)
    if halves is None:
        raise Fault(span.position, "it does not say by what", 'as in: replace "Name" by "Ada"')
    what, value = halves[0], halves[1].trimmed()
    if what.text.casefold() in filling.WHOLE and len(value):
        return (Do(Press(("ctrl", "a"))), Do(TypeText(value.text)))
    emptied = filling.clear(what) if what.begins(filling.ALL_IN) else ()
    filled = filling.set_to(what.after((*filling.CONTENT, *filling.ALL_IN)), value)
    return (*emptied, *filled)


def filter_column(span: Span) -> tuple[Command, ...]:
    """`X by T`: the field that filters a column is filled in."""
    halves = span.split(("by", "for", "with", "to"), last=True)
    column = plain_name(halves[0].before(("column",))) if halves is not None else ""
    if halves is None:
        raise Fault(span.position, "it does not say by what", 'as in: filter "City" by "Oslo"')
    return (Put(halves[1].text, Words(f"Filter {column}", "textbox")),)


def move(span: Span) -> tuple[Command, ...]:
    """`the slider to 30` sets it, `X to Y` drags it."""
    halves = span.split(("to",), last=True)
    if halves is not None and _AMOUNT.match(halves[1].text):
        return (Put(halves[1].text, read_target(halves[0])),)
    return drag(span)


def ask(span: Span) -> tuple[Command, ...]:
    """A question: `the total`, `the city of Ada`, `status does Ada have`, `in the Total field`."""
    if len(span) and span[-1].kind == "word" and span[-1].text.endswith("?"):
        bare = Token(span[-1].kind, span[-1].text.rstrip("?"), span[-1].start, span[-1].end - 1)
        tokens = (*span.tokens[: span.stop - 1], *((bare,) if bare.text else ()))
        span = Span(span.source, tokens, span.start, len(tokens))
    owner = next((i for i, token in enumerate(span.each) if token.text.endswith(("'s", "’s"))), len(span))
    if 0 <= owner < len(span) - 1:
        asked = plain_name(span.cut(owner + 1))
        person = span.cut(0, owner + 1).text[:-2]
        return (Read(Words(asked, near=person, relation="for")),)
    halves = span.split(("does", "do", "has", "have")) or span.split(("of", "for"), last=True)
    if halves is None:
        return read(span.after(("in",)))
    try:
        what, whose = plain_name(halves[0]), plain_name(halves[1].before(("have",)))
    except Fault:
        return read(span)
    return (Read(Words(what, near=whose, relation="for")),)
