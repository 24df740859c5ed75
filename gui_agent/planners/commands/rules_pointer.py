"""Parse rules for the pointer: click, hover, long press, unfold."""

from __future__ import annotations

import re
from collections.abc import Callable

from gui_agent.core.actions import Button, Click, LongPress, Move
from gui_agent.core.keys import ALIASES, MODIFIERS, NAMED
from gui_agent.core.targets import Target, Words
from gui_agent.planners.commands.commands import Command, Do, Unfold
from gui_agent.planners.commands.lexer import Span
from gui_agent.planners.commands.noun_phrases import plain_name, read_target, read_words

Rule = Callable[[Span], tuple[Command, ...]]
"""Reads what follows a verb: one or more commands, or why it is none."""

_TIMES = re.compile(r"(\d{1,3})x?$")
_COUNTS = {"once": 1, "twice": 2, "thrice": 3}
_PATH = (">", "→", "->", "»")
MOST_TIMES = 100


def click(button: Button = "left", clicks: int = 1, modifiers: tuple[str, ...] = ()) -> Rule:
    """The rule for a kind of click."""

    def rule(span: Span) -> tuple[Command, ...]:
        times, span = times_at_end(span)
        steps = menu_path(span)
        if steps:
            return unfold_path(steps)
        targets: list[Target] = []
        for item in quoted_names(span):
            target = read_target(item)
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
    listed = span.as_items()
    named = all(any(token.kind == "quoted" for token in item.each) for item in listed)
    return listed if len(listed) > 1 and named else [span]


def unfold_path(items: list[Words]) -> tuple[Command, ...]:
    """Open one item after the other and click the last."""
    return (*(Unfold(item) for item in items[:-1]), Do(Click(items[-1])))


def unfold(opened: bool) -> Rule:
    """The rule for opening a section or branch, or for folding it up."""

    def rule(span: Span) -> tuple[Command, ...]:
        return (Unfold(read_words(span), opened),)

    return rule


def menu_path(span: Span) -> list[Words]:
    """The items of `File > Export > PDF`, or an empty list when it is not a path."""
    marks = [index for index, token in enumerate(span.each) if token.word in _PATH]
    if not marks:
        return _tight_path(span)
    items: list[Words] = []
    for begin, end in zip([-1, *marks], [*marks, len(span)], strict=True):
        name = plain_name(span.cut(begin + 1, end))
        items.append(Words(name))
    return items


def hover(span: Span) -> tuple[Command, ...]:
    return (Do(Move(read_target(span))),)


def long_press(span: Span) -> tuple[Command, ...]:
    return (Do(LongPress(read_target(span))),)


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
    if len(parts) == 1 and _special_name(words.split(" ", 1)[0]) in MODIFIERS:
        parts = words.split(" ", 1)
    *held, last = (part.strip() for part in parts)
    modifiers = [_special_name(part) for part in held]
    if not all(name in MODIFIERS for name in modifiers):
        return ()
    key = _key(last, alone=not held)
    return (*modifiers, key) if key else ()


def _special_name(text: str) -> str:
    return _NAMED.get(text.casefold().replace(" ", ""), "")


def _key(text: str, *, alone: bool) -> str:
    if len(text) == 1 and text.isprintable() and not text.isspace():
        return text if alone else text.casefold()
    return _special_name(text)
