"""Parse rules for the pointer: click, hover, drag, scroll."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from gui_agent.core.actions import Button, Click, Drag, LongPress, Move, Swipe
from gui_agent.core.keys import ALIASES, MODIFIERS, NAMED
from gui_agent.core.targets import Target, Words
from gui_agent.planners.commands.commands import Command, Direction, Do, DragBy, ScrollBy, ScrollTo, Unfold
from gui_agent.planners.commands.lexer import Fault, Span
from gui_agent.planners.commands.noun_phrases import articles, plain_name, read_target, read_words

Rule = Callable[[Span], tuple[Command, ...] | Fault]
"""Reads what follows a verb: one or more commands, or why it is none."""

_TIMES = re.compile(r"(\d{1,3})x?$")
_COUNTS = {"once": 1, "twice": 2, "thrice": 3}
_OFFSET = re.compile(r"\(?([+-]?\d+)\s*,\s*([+-]?\d+)\)?$")
_DISTANCE = re.compile(r"(\d{1,5})(?:px|pixels?)?$")
_DIRECTIONS = ("down", "up", "left", "right")
_ENDS = {"bottom": "down", "end": "down", "top": "up", "start": "up", "beginning": "up"}
_PATH = (">", "→", "->", "»")
MOST_TIMES = 100


def click(button: Button = "left", clicks: int = 1, modifiers: tuple[str, ...] = ()) -> Rule:
    """The rule for a kind of click."""

    def rule(span: Span) -> tuple[Command, ...] | Fault:
        times, span = times_at_end(span)
        steps = menu_path(span)
        if isinstance(steps, Fault):
            return steps
        if steps:
            return unfold_path(steps)
        targets: list[Target] = []
        for item in quoted_names(span):
            target = read_target(item)
            if isinstance(target, Fault):
                return target
            targets.append(target)
        done = tuple(Do(Click(target, button, clicks, modifiers)) for target in targets)
        return done * times

    return rule


def times_at_end(span: Span) -> tuple[int, Span]:
    """How often: `3 times`, `twice`; 1 when it does not say."""
    if len(span) > 1 and span[-1].word in _COUNTS:
        return _COUNTS[span[-1].word], span.cut(0, len(span) - 1)
    if len(span) > 2 and span[-1].word in ("times", "time"):
        match = _TIMES.match(span[-2].word)
        if match and 0 < int(match.group(1)) <= MOST_TIMES:
            return int(match.group(1)), span.cut(0, len(span) - 2)
    return 1, span


def _tight_path(span: Span) -> list[Words]:
    """The items of `File>Export`, written without spaces around the arrow and without quotes."""
    names = [name.strip() for name in span.text.split(">")]
    plain = all(token.kind == "word" for token in span.each)
    return [Words(name) for name in names] if plain and len(names) > 1 and all(names) else []


def quoted_names(span: Span) -> list[Span]:
    """The items of a list in which each name is quoted, else the whole as one item."""
    listed = span.listed()
    named = all(any(token.kind == "quoted" for token in item.each) for item in listed)
    return listed if len(listed) > 1 and named else [span]


def unfold_path(items: list[Words]) -> tuple[Command, ...]:
    """Open one item after the other and click the last."""
    return (*(Unfold(item) for item in items[:-1]), Do(Click(items[-1])))


def unfold(span: Span) -> tuple[Command, ...] | Fault:
    words = read_words(span)
    return words if isinstance(words, Fault) else (Unfold(words),)


def menu_path(span: Span) -> list[Words] | Fault:
    """The items of `File > Export > PDF`, or an empty list when it is not a path."""
    marks = [index for index, token in enumerate(span.each) if token.word in _PATH]
    if not marks:
        return _tight_path(span)
    items: list[Words] = []
    for begin, end in zip([-1, *marks], [*marks, len(span)], strict=True):
        name = plain_name(span.cut(begin + 1, end))
        if isinstance(name, Fault):
            return name
        items.append(Words(name))
    return items


def hover(span: Span) -> tuple[Command, ...] | Fault:
    target = read_target(span)
    return target if isinstance(target, Fault) else (Do(Move(target)),)


def long_press(span: Span) -> tuple[Command, ...] | Fault:
    target = read_target(span)
    return target if isinstance(target, Fault) else (Do(LongPress(target)),)


def drag(span: Span) -> tuple[Command, ...] | Fault:
    span = span.after(("from",))
    by = span.split(("by",), last=True)
    if by is not None:
        offset = _OFFSET.match(by[1].text)
        target = read_target(by[0])
        if isinstance(target, Fault):
            return target
        if offset:
            return (DragBy(target, int(offset.group(1)), int(offset.group(2))),)
    ends = _from_to(span)
    return ends if isinstance(ends, Fault) else (Do(Drag(*ends)),)


def swipe(span: Span) -> tuple[Command, ...] | Fault:
    ends = _from_to(span.after(("from",)))
    return ends if isinstance(ends, Fault) else (Do(Swipe(*ends)),)


def _from_to(span: Span) -> tuple[Target, Target] | Fault:
    halves = span.split(("to", "onto", "on to", "into", "in to", "over", "over to", "on top of"))
    if halves is None:
        return Fault(span.position, "it does not say where to", 'as in: drag "A" to "B"')
    first, second = read_target(halves[0]), read_target(halves[1])
    if isinstance(first, Fault):
        return first
    return second if isinstance(second, Fault) else (first, second)


def scroll(span: Span) -> tuple[Command, ...] | Fault:
    """`down`, `up by 300`, `to the bottom`, `down in "List"`, `"List" down`, `to "Terms"`."""
    if not len(span):
        return (ScrollBy("down"),)
    if span[0].word in _DIRECTIONS:
        return _scroll_by(cast(Direction, span[0].word), span.cut(1))
    to = span.begins(("to", "until", "down to", "up to", "into view"))
    if to:
        rest = span.cut(to)
        article = articles(rest)
        if len(rest) > article and rest[article].word in _ENDS:
            direction = cast(Direction, _ENDS[rest[article].word])
            return _scroll_by(direction, rest.cut(article + 1), to_end=True)
        words = read_words(rest.before(("into view", "is shown", "is visible", "is in view")))
        return words if isinstance(words, Fault) else (ScrollTo(words),)
    if span[-1].word in _DIRECTIONS:
        words = read_words(span.cut(0, len(span) - 1))
        direction = cast(Direction, span[-1].word)
        return words if isinstance(words, Fault) else (ScrollBy(direction, within=words),)
    if span.before(("into view",)).stop != span.stop:
        return scroll_to(span.before(("into view",)))
    halves = span.split(("to the", "to"), last=True)
    if halves is not None and len(halves[1]) == 1 and halves[1][0].word in _ENDS:
        words = read_words(halves[0])
        direction = cast(Direction, _ENDS[halves[1][0].word])
        return words if isinstance(words, Fault) else (ScrollBy(direction, to_end=True, within=words),)
    return Fault(
        span.position, "scroll needs a direction or a place", 'as in: scroll down, scroll to "Terms"'
    )


def scroll_to(span: Span) -> tuple[Command, ...] | Fault:
    words = read_words(span)
    return words if isinstance(words, Fault) else (ScrollTo(words),)


def _scroll_by(direction: Direction, rest: Span, *, to_end: bool = False) -> tuple[Command, ...] | Fault:
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
        return Fault(rest.position, f"'{rest.text}' is not a distance or a place", "as in: scroll down 300")
    words = read_words(rest.cut(inside))
    return words if isinstance(words, Fault) else (ScrollBy(direction, pixels, to_end, words),)


SPELLED = {
    ",": "comma",
    ";": "semicolon",
    ".": "period",
    ":": "colon",
    '"': "quote",
    "'": "apostrophe",
    "+": "plus",
    "-": "minus",
}
"""Keys whose marks mean something in a sentence, by the word for them."""
_BUTTONS = {"apps", "back", "caps", "menu", "next", "opt", "pause", "prior"}
"""Spellings of keys that in a sentence rather are the caption of a button."""
_NAMED = {
    **{name: name for name in NAMED if name not in _BUTTONS},
    **{spelling: name for spelling, name in ALIASES.items() if spelling not in _BUTTONS},
    **{name: mark for mark, name in SPELLED.items()},
    "dot": ".",
}
_JOINT = re.compile(r"(?<=[^\s+-])\s*[+-]\s*(?=\S)")


def read_keys(text: str) -> tuple[str, ...]:
    """The keys of one chord, modifiers first, in the project's names; empty when the text is not keys."""
    words = text.strip()
    if words.casefold().startswith("the "):
        words = words[4:]
    for ending in (" keys", " key"):
        words = words.removesuffix(ending)
    parts = _JOINT.split(words)
    if len(parts) == 1 and _named(words.split(" ", 1)[0]) in MODIFIERS:
        parts = words.split(" ", 1)
    *held, last = (part.strip() for part in parts)
    modifiers = [_named(part) for part in held]
    if not all(name in MODIFIERS for name in modifiers):
        return ()
    key = _key(last, alone=not held)
    return (*modifiers, key) if key else ()


def _named(text: str) -> str:
    return _NAMED.get(text.casefold().replace(" ", ""), "")


def _key(text: str, *, alone: bool) -> str:
    if len(text) == 1 and text.isprintable() and not text.isspace():
        return text if alone else text.casefold()
    return _named(text)
