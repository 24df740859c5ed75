"""Finding the slots of an instruction from one or several demonstrations."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gui_agent.core.texts import normal
from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.induction.mentions import FILLERS, ORDINAL_WORD, SlotSpan, spans
from gui_agent.procedures.language.dates import parse_date, parse_time
from gui_agent.procedures.language.program import SlotKind
from gui_agent.procedures.language.template import unquoted
from gui_agent.procedures.language.tokens import span_text, tokens

SPAN = "\0"
"""The symbol of a span that may be a slot; it aligns with any other span."""
_RELATIONS = frozenset({"to", "from", "by", "for", "in", "at", "on", "with"})


@dataclass(frozen=True, slots=True)
class Reading:
    """Templates with the values that each demonstration's instruction has for its slots."""

    templates: tuple[str, ...]
    """One per wording: a slot that an instruction leaves out is left out of its template."""
    values: tuple[dict[str, str], ...]


def read_instructions(instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]) -> Reading:
    """One template for all instructions, and their slot values.

    Parts that differ are slots. So are parts that reappear in what was typed, chosen or aimed at, unless
    they are the same in every demonstration.
    """
    alone = len(instructions) == 1
    lines = [
        _Line(text, spans(text, steps, alone=alone))
        for text, steps in zip(instructions, demonstrated, strict=True)
    ]
    if len(lines) > 1:
        lines = [line.without(_constant(lines)) for line in lines]
    anchors = _common([line.symbols() for line in lines])
    aligned = [_align(line.symbols(), anchors) for line in lines]
    return _reading(lines, _columns(anchors, aligned), demonstrated)


class _Line:
    """An instruction as symbols: its words, with every span that may be a slot as one symbol."""

    def __init__(self, text: str, found: Sequence[SlotSpan]) -> None:
        self.text, self.spans = text, tuple(sorted(found, key=lambda span: span.start))
        self.tokens = tokens(text)

    def without(self, constants: set[str]) -> _Line:
        kept = [s for s in self.spans if s.strength == 3 or normal(self.span_text(s)) not in constants]
        return _Line(self.text, kept)

    def span_text(self, span: SlotSpan) -> str:
        return span_text(self.text, self.tokens, span.start, span.end)

    def symbols(self) -> list[tuple[str, int, int]]:
        """(symbol, first token, end token); the symbol of a span is `SPAN`."""
        found: list[tuple[str, int, int]] = []
        place = 0
        for span in self.spans:
            found += [(self.tokens[i].text, i, i + 1) for i in range(place, span.start)]
            found.append((SPAN, span.start, span.end))
            place = span.end
        return found + [(self.tokens[i].text, i, i + 1) for i in range(place, len(self.tokens))]


def _constant(lines: Sequence[_Line]) -> set[str]:
    """Texts that are a span in every instruction: most likely a part of the task's wording."""
    each = [{normal(line.span_text(span)) for span in line.spans} for line in lines]
    return set.intersection(*each)


def _common(sequences: Sequence[list[tuple[str, int, int]]]) -> list[str]:
    """The longest common subsequence of words over all instructions, folded pairwise."""
    words = [[symbol for symbol, _, _ in sequence] for sequence in sequences]
    common = words[0]
    for other in words[1:]:
        common = _lcs(common, other)
    return common


def _lcs(one: list[str], other: list[str]) -> list[str]:
    best = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            same = _match(one[i], other[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + same if same else 0.0)
    found: list[str] = []
    i = j = 0
    while i < len(one) and j < len(other):
        same = _match(one[i], other[j])
        if same and best[i][j] == best[i + 1][j + 1] + same:
            found.append(one[i])
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _match(one: str, other: str) -> float:
    """What it is worth to align two symbols; filler words align only when nothing better does.

    Numbers are the same by chance more often than the marks between them.
    """
    if one != other:
        return 0.0
    if one.isdecimal():
        return 0.4
    return 0.5 if one in FILLERS or not one[0].isalnum() else 1.0


@dataclass(frozen=True, slots=True)
class _Aligned:
    """Where the common words stand in one instruction, and the token ranges between them."""

    places: tuple[tuple[int, int], ...]
    gaps: tuple[tuple[int, int], ...]
    """One before each place and one after the last."""


def _align(symbols: list[tuple[str, int, int]], anchors: list[str]) -> _Aligned:
    own = [symbol for symbol, _, _ in symbols]
    places: list[tuple[int, int]] = []
    gaps: list[tuple[int, int]] = []
    at = 0
    for index in _positions(own, anchors):
        _, start, end = symbols[index]
        gaps.append((at, start))
        places.append((start, end))
        at = end
    gaps.append((at, symbols[-1][2] if symbols else 0))
    return _Aligned(tuple(places), tuple(gaps))


def _positions(own: list[str], anchors: list[str]) -> list[int]:
    found: list[int] = []
    place = 0
    for anchor in anchors:
        place = own.index(anchor, place)
        found.append(place)
        place += 1
    return found


@dataclass(frozen=True, slots=True)
class _Column:
    """One part of the template: a literal, or the token range that a slot covers in each instruction."""

    literal: str = ""
    ranges: tuple[tuple[int, int], ...] = ()


def _columns(anchors: list[str], aligned: Sequence[_Aligned]) -> list[_Column]:
    columns: list[_Column] = []

    def add(ranges: tuple[tuple[int, int], ...]) -> None:
        if all(start == end for start, end in ranges):
            return
        if columns and columns[-1].ranges:
            last = columns.pop().ranges
            ranges = tuple((a[0] if a[0] < a[1] else b[0], b[1]) for a, b in zip(last, ranges, strict=True))
        columns.append(_Column(ranges=ranges))

    for index, anchor in enumerate(anchors):
        add(tuple(one.gaps[index] for one in aligned))
        if anchor == SPAN:
            add(tuple(one.places[index] for one in aligned))
        else:
            columns.append(_Column(literal=anchor))
    add(tuple(one.gaps[len(anchors)] for one in aligned))
    return columns


def _reading(
    lines: Sequence[_Line], columns: Sequence[_Column], demonstrated: Sequence[Sequence[Effect]]
) -> Reading:
    names = _names(lines, columns, demonstrated)
    templates: list[str] = []
    values: list[dict[str, str]] = []
    for number, line in enumerate(lines):
        own: dict[str, str] = {}
        pattern = line.text
        for index in range(len(columns) - 1, -1, -1):
            if not columns[index].ranges:
                continue
            start, end = columns[index].ranges[number]
            if start == end:
                continue
            first, last = line.tokens[start].start, line.tokens[end - 1].end
            own[names[index]] = unquoted(line.text[first:last])
            pattern = f"{pattern[:first]}{{{names[index]}}}{pattern[last:]}"
        templates.append(pattern)
        values.append(own)
    return Reading(tuple(dict.fromkeys(templates)), tuple(values))


def _names(
    lines: Sequence[_Line], columns: Sequence[_Column], demonstrated: Sequence[Sequence[Effect]]
) -> dict[int, str]:
    names: dict[int, str] = {}
    before: list[str] = []
    for index, column in enumerate(columns):
        if column.literal:
            before += [column.literal] if column.literal[0].isalpha() else []
            continue
        found = ""
        for number, (start, end) in enumerate(column.ranges):
            text = span_text(lines[number].text, lines[number].tokens, start, end)
            found = found or _field(unquoted(text), demonstrated[number])
        names[index] = unique(slug(found) or _after(before) or "text", names.values())
    return names


def _field(value: str, steps: Sequence[Effect]) -> str:
    """What the field is called that the value was typed into."""
    for act in steps:
        if act.data and act.element is not None and normal(act.data) == normal(value):
            return next(iter(act.view.captions(act.element)), "")
    return ""


def _after(words: Sequence[str]) -> str:
    """A name from the words before a slot: `to` or `from`, else the last word that says something."""
    if words and words[-1] in _RELATIONS:
        return words[-1]
    return next((slug(word) for word in reversed(words) if word not in FILLERS), "")


def slug(text: str) -> str:
    """The text as a name for a slot: lower case words joined by `_`, empty when there is none."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:3]
    name = "_".join(words)
    return f"n{name}" if name[:1].isdecimal() else name


def unique(name: str, taken: Collection[str]) -> str:
    """The name, with a number when it is taken."""
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def type_of(values: Sequence[str]) -> SlotKind:
    """The narrowest kind that all values of a slot belong to; one value alone makes no number and no rank."""
    several = len(set(values)) > 1
    if several and all(ORDINAL_WORD.match(normal(value)) for value in values):
        return "ordinal"
    if all((parse_date(v) or parse_date(v, european=True)) is not None for v in values):
        return "date"
    if all(parse_time(value) is not None for value in values):
        return "time"
    if several and all(re.fullmatch(r"[-+]?\d+(\.\d+)?", v.strip()) for v in values):
        return "number"
    return "text"
