"""Parse rules for the pointer: click, hover, long press, unfold."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from gui_agent.core.actions import Button, Click, LongPress, Move
from gui_agent.core.observation import Words
from gui_agent.planners.commands._noun_phrases import plain_name, read_target, read_words
from gui_agent.planners.commands.commands import Command, Do, Unfold
from gui_agent.planners.commands.lexer import Span

Rule = Callable[[Span], tuple[Command, ...]]
"""Parses the text after a verb to one or more commands; raises Fault with the reason if it cannot."""

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
        targets = [read_target(item) for item in quoted_names(span)]
        return tuple(Do(Click(target, button, clicks, modifiers)) for target in targets) * times

    return rule


def times_at_end(span: Span) -> tuple[int, Span]:
    """The number of clicks in `3 times`, `twice`, and the rest; 1 if it is not given."""
    if len(span) > 1 and span[-1].word in _COUNTS:
        return _COUNTS[span[-1].word], span.cut(0, -1)
    if len(span) > 2 and span[-1].word in ("times", "time"):
        match = _TIMES.match(span[-2].word)
        if match and 0 < int(match.group(1)) <= MOST_TIMES:
            return int(match.group(1)), span.cut(0, -2)
    return 1, span


def _tight_path(span: Span) -> list[Words]:
    """The items of `File>Export`, written without spaces around the arrow and without quotes."""
    if ">" not in span.text or not all(token.kind == "word" for token in span.each):
        return []
    names = [name.strip() for name in span.text.split(">")]
    return list(map(Words, names)) if all(names) else []


def quoted_names(span: Span) -> list[Span]:
    """The items of a list of quoted names, otherwise the whole as one item."""
    listed = span.as_items()
    return listed if len(listed) > 1 and all(item.has_quotes for item in listed) else [span]


def unfold_path(items: list[Words]) -> tuple[Command, ...]:
    """Open one item after another and click the last."""
    return (*(Unfold(item) for item in items[:-1]), Do(Click(items[-1])))


def unfold(opened: bool) -> Rule:
    """The rule for expanding or collapsing a section or branch."""

    def rule(span: Span) -> tuple[Command, ...]:
        return (Unfold(read_words(span), opened),)

    return rule


def menu_path(span: Span) -> list[Words]:
    """The items of `File > Export > PDF`; empty if the text is not a path."""
    marks = [index for index, token in enumerate(span.each) if token.word in _PATH]
    if not marks:
        return _tight_path(span)
    return [Words(plain_name(span.cut(a + 1, b))) for a, b in pairwise([-1, *marks, len(span)])]


def hover(span: Span) -> tuple[Command, ...]:
    return (Do(Move(read_target(span))),)


def long_press(span: Span) -> tuple[Command, ...]:
    return (Do(LongPress(read_target(span))),)
