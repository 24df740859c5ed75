"""Parts of an instruction that may be slots, because a demonstration did something with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.core.texts import normal
from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.language.dates import month_number, parse_date, parse_time
from gui_agent.procedures.language.numbers import ORDINALS
from gui_agent.procedures.language.tokens import QUOTE, WordToken, find_span, span_text, tokens
from gui_agent.procedures.language.view import View

LOOKS = ("color", "fill", "shape")
"""Attributes by which people name what has no name."""
_PATH = frozenset({">", "→"})
_SEPARATORS = frozenset({",", "and", ";", "&"}) | _PATH
FILLERS = frozenset(
    [
        "a",
        "an",
        "the",
        "to",
        "in",
        "into",
        "for",
        "from",
        "of",
        "with",
        "by",
        "on",
        "at",
        "and",
        "or",
        "as",
        "is",
        "it",
        "this",
        "that",
    ]
)
ORDINAL_WORD = re.compile(r"^(?:\d+(?:st|nd|rd|th)|last|" + "|".join(ORDINALS) + ")$")


@dataclass(frozen=True, slots=True)
class SlotSpan:
    """A range of tokens that may be a slot."""

    start: int
    end: int
    strength: int
    """3: quoted or typed; 2: name of a thing acted on; 1: stands somewhere on the screens."""


def spans(text: str, steps: Sequence[Effect], *, alone: bool = False) -> list[SlotSpan]:
    """Parts of an instruction that may be slots: quoted, typed, aimed at, shown, dates, numbers.

    Args:
        alone: there is no other demonstration to compare with; the words on a button that was pressed
            after other steps, and the names of fields, then count as wording, not as values.
    """
    alone = alone and len(steps) > 1
    among = tokens(text)
    found = [*_quoted(among)]
    for act in steps:
        if act.data:
            found += [SlotSpan(a, b, 3) for a, b in find_span(act.data, among)]
        for element in (act.element, act.to):
            looks = (element.attributes.get(key, "") for key in LOOKS) if element is not None else ()
            found += [SlotSpan(a, b, 2) for look in looks for a, b in find_span(look, among)]
            wording = alone and (element is None or element.role == "button" or act.data is not None)
            if element is not None and not wording:
                for caption in act.view.captions(element):
                    spots = find_span(caption, among)
                    found += [SlotSpan(a, b, 2) for a, b in spots if _telling(among[a:b])]
    shown = {
        normal(word)
        for view in _distinct(steps)
        for e in view.elements
        for word in (e.name, e.value)
        if not (alone and e.role == "button")
    }
    for name in sorted(shown):
        found += [SlotSpan(a, b, 1) for a, b in find_span(name, among) if _telling(among[a:b])]
    for index, token in enumerate(among):
        if token.text[0].isdecimal() or ORDINAL_WORD.match(token.text):
            found.append(SlotSpan(index, index + 1, 1))
    found += _dates(text, among)
    return _merge_lists(_apart(_without_fillers(found, among)), among, steps, text)


def _dates(text: str, among: tuple[WordToken, ...]) -> list[SlotSpan]:
    """Dates and times of day, which are written with spaces and commas in them."""
    found: list[SlotSpan] = []
    for start in range(len(among)):
        for end in range(min(len(among), start + 5), start, -1):
            part = span_text(text, among, start, end)
            if not all(_in_dates(among[place].text) for place in (start, end - 1)):
                continue
            if parse_date(part) or parse_date(part, european=True) or (":" in part and parse_time(part)):
                found.append(SlotSpan(start, end, 3))
                break
    return found


def _in_dates(word: str) -> bool:
    return word[0].isdecimal() or month_number(word) is not None or word in ("am", "pm")


def _without_fillers(found: list[SlotSpan], among: tuple[WordToken, ...]) -> list[SlotSpan]:
    """Texts such as `From Ada` count as `Ada` when that is to be seen by itself."""
    places = {(span.start, span.end) for span in found}
    return [
        span
        for span in found
        if span.strength == 3
        or among[span.start].text not in FILLERS
        or (span.start + 1, span.end) not in places
    ]


def _distinct(steps: Sequence[Effect]) -> list[View]:
    return list({id(act.view): act.view for act in steps}.values())


def _telling(words: Sequence[WordToken]) -> bool:
    """Whether a text found on a screen says anything: not a mere filler word or mark."""
    return any(word.is_word and word.text not in FILLERS for word in words)


def _quoted(among: tuple[WordToken, ...]) -> list[SlotSpan]:
    marks = [index for index, token in enumerate(among) if token.text == QUOTE]
    return [SlotSpan(a + 1, b, 3) for a, b in zip(marks[::2], marks[1::2], strict=False) if a + 1 < b]


def _apart(found: list[SlotSpan]) -> list[SlotSpan]:
    """Spans that do not overlap: the strongest first, then the longest."""
    kept: list[SlotSpan] = []
    for span in sorted(found, key=lambda s: (-s.strength, s.start - s.end)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda s: s.start)


def _merge_lists(
    found: list[SlotSpan], among: tuple[WordToken, ...], steps: Sequence[Effect], text: str
) -> list[SlotSpan]:
    """Spans with only commas and `and` between them are one list when the same is done with each."""
    groups: list[list[SlotSpan]] = []
    for span in found:
        if groups and all(among[i].text in _SEPARATORS for i in range(groups[-1][-1].end, span.start)):
            groups[-1].append(span)
        else:
            groups.append([span])
    merged: list[SlotSpan] = []
    for group in groups:
        parts = [span_text(text, among, s.start, s.end) for s in group]
        items = [normal(part) for part in parts]
        between = {among[i].text for i in range(group[0].end, group[-1].start)} & _PATH
        if (
            len(group) > 1
            and _same_is_done(items, steps, path=bool(between))
            and not _verb_among(parts, steps)
        ):
            merged.append(SlotSpan(group[0].start, group[-1].end, 3))
        else:
            merged += group
    return merged


def _verb_among(parts: Sequence[str], steps: Sequence[Effect]) -> bool:
    """Whether some parts are written like things on the screen and others are not, as in `Ada and reply`."""
    names = {word for act in steps if act.element is not None for word in (act.element.name, act.data or "")}
    return len({part in names for part in parts}) > 1


def _same_is_done(items: Sequence[str], steps: Sequence[Effect], *, path: bool) -> bool:
    """Whether each item names the target of an act of one shape, or is typed into one and the same field.

    On a path the last thing may be acted on in another way than those that lead to it.
    """
    named = Counter(
        (None if path else act.shape, act.element.role)
        for act in steps
        if act.element is not None and set(act.view.captions(act.element)) & set(items)
    )
    if named and max(named.values()) >= len(items):
        return True
    typed = [a for a in steps if a.data and normal(a.data) in items]
    fields = {a.element.path or a.element.id for a in typed if a.element is not None}
    return len(typed) >= len(items) and len(fields) == 1
