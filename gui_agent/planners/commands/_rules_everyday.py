"""Parse rules for everyday wordings: requests to an application, and movements on its screens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from gui_agent.core.actions import Click, Drag, Pinch, Press, Rotate, Swipe, TypeText
from gui_agent.core.conditions import TextShown
from gui_agent.core.observation import Target, Words
from gui_agent.planners.commands import _rules_choice as choices
from gui_agent.planners.commands import _rules_input as filling
from gui_agent.planners.commands._noun_phrases import articles, plain_name, read_target, read_words
from gui_agent.planners.commands._rules_assert import read
from gui_agent.planners.commands._rules_pointer import Rule, times_at_end
from gui_agent.planners.commands.commands import (
    Command,
    Direction,
    Do,
    DragBeside,
    DragBy,
    Invoke,
    Put,
    Read,
    ScrollBy,
    ScrollTo,
    Verify,
)
from gui_agent.planners.commands.lexer import Fault, Span, Token

_OFFSET = re.compile(r"\(?([+-]?\d+)\s*,\s*([+-]?\d+)\)?$")
_BESIDE: dict[Literal["above", "below", "left of", "right of"], tuple[str, ...]] = {
    "below": ("below", "under", "beneath", "to below", "after", "behind"),
    "above": ("above", "to above", "before", "in front of"),
    "left of": ("to the left of", "left of"),
    "right of": ("to the right of", "right of"),
}
_DISTANCE = re.compile(r"(\d{1,5})(?:px|pixels?)?$")
_SCALE = re.compile(r"\d{1,2}(\.\d+)?$")
_DIRECTIONS: Mapping[str, Direction] = {"down": "down", "up": "up", "left": "left", "right": "right"}
_ENDS: Mapping[str, Direction] = {
    "bottom": "down",
    "end": "down",
    "top": "up",
    "start": "up",
    "beginning": "up",
}


def drag(span: Span) -> tuple[Command, ...]:
    span = span.rest_after(("from",))
    by = span.split(("by",), last=True)
    if by is not None and (offset := _OFFSET.match(by[1].text)):
        return (DragBy(read_target(by[0]), (int(offset[1]), int(offset[2]))),)
    for side, phrases in _BESIDE.items():
        if halves := span.split(phrases, last=True):
            return (DragBeside(read_target(halves[0]), read_words(halves[1]), side),)
    return (Do(Drag(*_from_to(span))),)


def swipe(span: Span) -> tuple[Command, ...]:
    return (Do(Swipe(*_from_to(span.rest_after(("from",))))),)


def pinch(scale: float) -> Rule:
    """The rule for two fingers that move apart or together: `"Map"`, `"Map" by 3`."""

    def rule(span: Span) -> tuple[Command, ...]:
        halves = span.split(("by",), last=True)
        by = float(halves[1].text) if halves and _SCALE.match(halves[1].text) else 0.0
        return (Do(Pinch(read_target(halves[0] if halves and by else span), by or scale)),)

    return rule


def rotate(span: Span) -> tuple[Command, ...]:
    """Parse `to landscape`, `the screen to portrait`; any other text names a button."""
    rest = span.rest_after(("the screen", "the phone", "the device", "screen", "phone"))
    way = rest.rest_after(("to", "into", "back to")).part_before(("mode", "format")).text.casefold()
    if way in ("portrait", "landscape"):
        return (Do(Rotate("portrait" if way == "portrait" else "landscape")),)
    raise Fault(span.position, f"'{span.text}' is not a phone orientation", "as in: rotate to landscape")


def _from_to(span: Span) -> tuple[Target, Target]:
    where = ("to", "onto", "on to", "into", "in to", "over", "over to", "on top of")
    if (halves := span.split(where)) is None:
        raise Fault(span.position, "the destination is missing", 'as in: drag "A" to "B"')
    return read_target(halves[0]), read_target(halves[1])


def scroll(span: Span) -> tuple[Command, ...]:
    """Parse `down`, `up by 300`, `to the bottom`, `down in "List"`, `to "Terms"`."""
    times, span = times_at_end(
        span.part_before(("a bit", "a little", "a page", "one page", "further", "more"))
    )
    if times > 1:
        return scroll(span) * times
    rest = span.rest_after(("all the way",))
    if not len(rest):
        return (ScrollBy("down", to_end=len(span) > 0),)
    if way := _DIRECTIONS.get(rest[0].word):
        return _scroll_by(way, rest.cut(1), to_end=len(rest) < len(span))
    to = rest.begins(("to", "until", "down to", "up to", "into view"))
    if to:
        place = rest.cut(to)
        bare = place.cut(articles(place))
        if len(bare) and (end := _ENDS.get(bare[0].word)):
            return _scroll_by(end, bare.cut(1), to_end=True)
        return scroll_to(place.part_before(("into view", "is shown", "is visible", "is in view")))
    if (shown := span.part_before(("into view",))).stop != span.stop:
        return scroll_to(shown)
    halves = span.split(("to the", "to"), last=True)
    if halves is not None and len(halves[1]) == 1 and (end := _ENDS.get(halves[1][0].word)):
        return (ScrollBy(end, to_end=True, within=read_words(halves[0])),)
    raise Fault(span.position, "scroll needs a direction or a place", 'as in: scroll down, scroll to "Terms"')


def scroll_to(span: Span) -> tuple[Command, ...]:
    return (ScrollTo(read_words(span)),)


def _scroll_by(direction: Direction, rest: Span, *, to_end: bool = False) -> tuple[Command, ...]:
    by = rest.rest_after(("by",))
    far = _DISTANCE.match(by[0].word) if len(by) else None
    pixels = int(far[1]) if far else 0
    if far:
        rest = by.cut(1).rest_after(("pixels", "pixel", "px"))
    if not pixels and not to_end and rest.begins(("to the", "to")):
        ending = rest.rest_after(("to the", "to"))
        if len(ending) and (end := _ENDS.get(ending[0].word)):
            towards = direction if direction in ("left", "right") else end
            return _scroll_by(towards, ending.cut(1), to_end=True)
        return scroll_to(ending)
    if not len(rest) or rest.phrase in ("of the page", "of the screen", "the page", "a page"):
        return (ScrollBy(direction, pixels, to_end),)
    inside = rest.begins(("in", "inside", "within", "of", "on", "over"))
    if not inside:
        raise Fault(rest.position, f"'{rest.text}' is not a distance or a place", "as in: scroll down 300")
    return (ScrollBy(direction, pixels, to_end, read_words(rest.cut(inside))),)


_IT = frozenset(("it", "that", "this", "everything", "the page", "the form", "this form", "the changes"))
_LONGEST_OBJECT = 6
"""Maximum words of the object of a button's verb; a longer text is a task that was not understood."""
_TICK = ("the check mark from", "the checkmark from", "the tick from", "the check from", "the tick in")
_SAVED_AS = ("as", "the file as", "the document as", "it as", "this as")
_AMOUNT = re.compile(r"-?\d+(?:\.\d+)?\s*%?$")


def invoke(verb: str, span: Span) -> tuple[Command, ...]:
    """Parse the object of a verb that a control offers: `save`, `delete "Ada"`, `undo that`."""
    if not len(span) or span.phrase in _IT:
        return (Invoke(verb),)
    if len(span) > _LONGEST_OBJECT:
        raise Fault(span.position, f"'{span.text}' is too long for a name", "put names in quotes")
    return (Invoke(verb, read_words(span)),)


def rename(span: Span) -> tuple[Command, ...]:
    """Parse `X to Y`: press the control that renames, then enter the new name in the field that appears."""
    halves = span.split(("to", "as"), last=True)
    if halves is None:
        return invoke("rename", span)
    words, name = read_words(halves[0]), plain_name(halves[1])
    return (Invoke("rename", words), *_enter_name(name))


def create(span: Span) -> tuple[Command, ...]:
    """Parse `a folder called X`, `file "X"`: press the control that creates it, then enter the name."""
    span = span.rest_after(("a new", "a", "an", "the", "new", "another"))
    halves = span.split(("called", "named", "with the name"), last=True)
    if halves is None and len(span) > 1 and span[-1].kind == "quoted":
        halves = span.cut(0, -1), span.cut(-1)
    if halves is None:
        return invoke("create", span)
    kind, name = plain_name(halves[0]), plain_name(halves[1])
    return (Invoke("create", Words(kind)), *_enter_name(name))


def save(span: Span) -> tuple[Command, ...]:
    """Parse an object for a control; `as X`, `the file as X` by keys and the dialog that they open."""
    said = span.begins(_SAVED_AS) if len(span) > 1 else 0
    if not said:
        return invoke("save", span)
    name = plain_name(span.cut(said))
    return (Do(Press(("ctrl", "shift", "s"))), Do(TypeText(name)), Do(Press(("enter",))))


def mark(span: Span) -> tuple[Command, ...]:
    """Parse `X as read` for a control `mark as read`; a box is checked."""
    halves = span.split(("as",), last=True)
    if halves is None:
        return choices.check(True, span)
    words, state = read_words(halves[0]), plain_name(halves[1])
    return (Invoke(f"mark as {state}", words),)


def _enter_name(name: str) -> tuple[Command, ...]:
    """Enter this name in the field that appeared with the focus, then verify that it is shown."""
    keys = (Do(Press(("ctrl", "a"))), Do(TypeText(name)), Do(Press(("enter",))))
    return (*keys, Verify(TextShown(name)))


def alone(verb: str, span: Span) -> tuple[Command, ...]:
    """Parse a verb without an object."""
    if not len(span) or span.phrase in _IT:
        return (Invoke(verb),)
    raise span.left_over()


def search(span: Span) -> tuple[Command, ...]:
    """Parse `X`: type it into the search field and submit."""
    text = plain_name(span)
    return (Do(TypeText(text, Words("search", "searchbox"), replace=True)), Do(Press(("enter",))))


def sort(span: Span) -> tuple[Command, ...]:
    """Parse `by X`, `the table by X`: click the header of the column."""
    at = next((index for index in range(len(span)) if span[index].word == "by"), -1)
    name = plain_name(span.cut(at + 1).part_before(("column",)).without_joints())
    if at < 0:
        raise Fault(span.position, "the column is missing", 'as in: sort by "Price"')
    return (Do(Click(Words(name, "columnheader"))),)


def wipe(span: Span) -> tuple[Command, ...]:
    """Parse `the text in X` to clear it; other objects have a button that removes them."""
    tick = span.begins(_TICK)
    if tick:
        return choices.check(False, span.cut(tick))
    if not span.begins(filling.CONTENT):
        raise Fault(span.position, "the field to clear is missing")
    return filling.clear(span)


def give(span: Span) -> tuple[Command, ...]:
    """Parse `X the value T`."""
    names = ("the value", "value", "the text", "the name")
    return filling.set_to(*span.halves(names, "the value is missing"))


def replace(span: Span) -> tuple[Command, ...]:
    """Parse `X by T`; `all text in X with T` or, at the focus, `all text with T` empties it first."""
    example = 'as in: replace "Name" by "Ada"'
    what, value = span.halves(("by", "with"), "the replacement is missing", example)
    value = value.without_joints()
    if what.phrase in filling.WHOLE and len(value):
        return (Do(Press(("ctrl", "a"))), Do(TypeText(value.as_value())))
    emptied = filling.clear(what) if what.begins(filling.ALL_IN) else ()
    filled = filling.set_to(what.rest_after((*filling.CONTENT, *filling.ALL_IN)), value)
    return (*emptied, *filled)


def filter_column(span: Span) -> tuple[Command, ...]:
    """Parse `X by T`: fill in the field that filters a column."""
    example = 'as in: filter "City" by "Oslo"'
    what, value = span.halves(("by", "for", "with", "to"), "the filter value is missing", example)
    return (Put(value.as_value(), Words(f"Filter {plain_name(what.part_before(('column',)))}", "textbox")),)


def move(span: Span) -> tuple[Command, ...]:
    """Parse `the slider to 30` to set it, `X to Y` to drag it."""
    halves = span.split(("to",), last=True)
    if halves is not None and _AMOUNT.match(halves[1].text):
        return (Put(halves[1].text, read_target(halves[0])),)
    return drag(span)


def ask(span: Span) -> tuple[Command, ...]:
    """Parse a question: `the total`, `the city of Ada`, `status does Ada have`, `in the Total field`."""
    if len(span) and span[-1].kind == "word" and span[-1].text.endswith("?"):
        bare = Token(span[-1].kind, span[-1].text.rstrip("?"), span[-1].start, span[-1].end - 1)
        tokens = (*span.tokens[: span.stop - 1], *((bare,) if bare.text else ()))
        span = Span(span.source, tokens, span.start, len(tokens))
    halves = span.split(("does", "do", "has", "have")) or span.split(("of", "for"), last=True)
    if halves is None:
        return read(span.rest_after(("in",)))
    try:
        what, whose = plain_name(halves[0]), plain_name(halves[1].part_before(("have",)))
    except Fault:
        return read(span)
    return (Read(Words(what, near=whose, relation="for")),)
