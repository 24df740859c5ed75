"""Parse rules for dragging and scrolling."""

from __future__ import annotations

import re
from typing import Literal, cast

from gui_agent.core.actions import Drag, Pinch, Rotate, Swipe
from gui_agent.core.targets import Target
from gui_agent.planners.commands.commands import (
    Command,
    Direction,
    Do,
    DragBeside,
    DragBy,
    ScrollBy,
    ScrollTo,
)
from gui_agent.planners.commands.lexer import Fault, Span
from gui_agent.planners.commands.noun_phrases import articles, read_target, read_words
from gui_agent.planners.commands.rules_pointer import Rule, times_at_end

_OFFSET = re.compile(r"\(?([+-]?\d+)\s*,\s*([+-]?\d+)\)?$")
_BESIDE: dict[Literal["above", "below", "left of", "right of"], tuple[str, ...]] = {
    "below": ("below", "under", "beneath", "to below", "after", "behind"),
    "above": ("above", "to above", "before", "in front of"),
    "left of": ("to the left of", "left of"),
    "right of": ("to the right of", "right of"),
}
_DISTANCE = re.compile(r"(\d{1,5})(?:px|pixels?)?$")
_SCALE = re.compile(r"\d{1,2}(\.\d+)?$")
_DIRECTIONS = ("down", "up", "left", "right")
_ENDS = {"bottom": "down", "end": "down", "top": "up", "start": "up", "beginning": "up"}


def drag(span: Span) -> tuple[Command, ...]:
    span = span.after(("from",))
    by = span.split(("by",), last=True)
    if by is not None:
        offset = _OFFSET.match(by[1].text)
        target = read_target(by[0])
        if offset:
            return (DragBy(target, int(offset.group(1)), int(offset.group(2))),)
    for side, phrases in _BESIDE.items():
        halves = span.split(phrases, last=True)
        if halves is not None:
            dragged, beside = read_target(halves[0]), read_words(halves[1])
            return (DragBeside(dragged, beside, side),)
    ends = _from_to(span)
    return (Do(Drag(*ends)),)


def swipe(span: Span) -> tuple[Command, ...]:
    ends = _from_to(span.after(("from",)))
    return (Do(Swipe(*ends)),)


def pinch(scale: float) -> Rule:
    """The rule for two fingers that move apart or together: `"Map"`, `"Map" by 3`."""

    def rule(span: Span) -> tuple[Command, ...]:
        halves = span.split(("by",), last=True)
        by = float(halves[1].text) if halves and _SCALE.match(halves[1].text) else 0.0
        return (Do(Pinch(read_target(halves[0] if halves and by else span), by or scale)),)

    return rule


def rotate(span: Span) -> tuple[Command, ...]:
    """`to landscape`, `the screen to portrait`; anything else is what a button does."""
    rest = span.after(("the screen", "the phone", "the device", "screen", "phone"))
    way = rest.after(("to", "into", "back to")).before(("mode", "format")).text.casefold()
    if way in ("portrait", "landscape"):
        return (Do(Rotate("portrait" if way == "portrait" else "landscape")),)
    raise Fault(span.position, f"'{span.text}' is no way to hold a phone", "as in: rotate to landscape")


def _from_to(span: Span) -> tuple[Target, Target]:
    halves = span.split(("to", "onto", "on to", "into", "in to", "over", "over to", "on top of"))
    if halves is None:
        raise Fault(span.position, "it does not say where to", 'as in: drag "A" to "B"')
    first, second = read_target(halves[0]), read_target(halves[1])
    return (first, second)


def scroll(span: Span) -> tuple[Command, ...]:
    """`down`, `up by 300`, `to the bottom`, `down in "List"`, `"List" down`, `to "Terms"`."""
    times, span = times_at_end(span.before(("a bit", "a little", "a page", "one page", "further", "more")))
    if times > 1:
        once = scroll(span)
        return once * times
    if not len(span):
        return (ScrollBy("down"),)
    if span.begins(("all the way",)) and len(span) == 4 and span[3].word in _DIRECTIONS:
        return (ScrollBy(cast(Direction, span[3].word), to_end=True),)
    if span[0].word in _DIRECTIONS:
        return _scroll_by(cast(Direction, span[0].word), span.cut(1))
    to = span.begins(("to", "until", "down to", "up to", "into view"))
    if to:
        rest = span.cut(to)
        article = articles(rest)
        if len(rest) > article and rest[article].word in _ENDS:
            direction = cast(Direction, _ENDS[rest[article].word])
            return _scroll_by(direction, rest.cut(article + 1), to_end=True)
        return (ScrollTo(read_words(rest.before(("into view", "is shown", "is visible", "is in view")))),)
    if span[-1].word in _DIRECTIONS:
        words = read_words(span.cut(0, len(span) - 1))
        direction = cast(Direction, span[-1].word)
        return (ScrollBy(direction, within=words),)
    if span.before(("into view",)).stop != span.stop:
        return scroll_to(span.before(("into view",)))
    halves = span.split(("to the", "to"), last=True)
    if halves is not None and len(halves[1]) == 1 and halves[1][0].word in _ENDS:
        words = read_words(halves[0])
        direction = cast(Direction, _ENDS[halves[1][0].word])
        return (ScrollBy(direction, to_end=True, within=words),)
    raise Fault(span.position, "scroll needs a direction or a place", 'as in: scroll down, scroll to "Terms"')


def scroll_to(span: Span) -> tuple[Command, ...]:
    return (ScrollTo(read_words(span)),)


def _scroll_by(direction: Direction, rest: Span, *, to_end: bool = False) -> tuple[Command, ...]:
    pixels = 0
    for phrase in ("by", ""):
        at = rest.begins((phrase,)) if phrase else 0
        match = _DISTANCE.match(rest[at].word) if len(rest) > at else None
        if match:
            pixels = int(match.group(1))
            rest = rest.cut(at + 1).after(("pixels", "pixel", "px"))
            break
    if not pixels and not to_end and rest.begins(("to the", "to")):
        ending = rest.after(("to the", "to"))
        if len(ending) and ending[0].word in _ENDS:
            sideways = direction in ("left", "right")
            towards = direction if sideways else cast(Direction, _ENDS[ending[0].word])
            return _scroll_by(towards, ending.cut(1), to_end=True)
        return scroll_to(ending)
    if not len(rest) or rest.text.casefold() in ("of the page", "of the screen", "the page", "a page"):
        return (ScrollBy(direction, pixels, to_end),)
    inside = rest.begins(("in", "inside", "within", "of", "on", "over"))
    if not inside:
        raise Fault(rest.position, f"'{rest.text}' is not a distance or a place", "as in: scroll down 300")
    return (ScrollBy(direction, pixels, to_end, read_words(rest.cut(inside))),)
