"""Finds the slots of an instruction from one or several demonstrations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain

from gui_agent.core.texts import ORDINALS, normal
from gui_agent.elements.roles import HEADERS, VALUED
from gui_agent.elements.words import FILLERS, slug_words
from gui_agent.procedures.induction._sequences import cheapest_pairs
from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.language.evaluate import is_mentioned
from gui_agent.procedures.language.forms import FORMS, month_number, parse_date, parse_time
from gui_agent.procedures.language.program import SlotKind
from gui_agent.procedures.language.template import (
    QUOTE,
    WordToken,
    commands,
    find_span,
    span_text,
    tokens,
    unquote,
)
from gui_agent.procedures.language.view import label_or_text


def chance_slots(acts: Sequence[Effect], slots: Mapping[str, str]) -> list[frozenset[str]]:
    """For each act, the slots that cannot have determined the name of its target.

    A label on the screen before a value was used cannot derive from that value. If the label equals the value
    or contains all of it, the value may still refer to it: the link `Ada` and `Ada's page`. A button is
    named after its function, and a field is never named after the text typed into it.
    """
    found: list[set[str]] = [set() for _ in acts]
    for name, value in slots.items():
        typed = {number for number, act in enumerate(acts) if act.data and _is_made_of(act.data, value)}
        aimed = {number for number, act in enumerate(acts) if _caption(act) == label_or_text(value)}
        first = min(typed | aimed, default=len(acts))
        for number, act in enumerate(acts):
            stood = first < len(acts) and _has_stood(act, acts[: first + 1])
            if number in typed or (stood and number not in aimed and not _is_about(act, value)):
                found[number].add(name)
    return [frozenset(names) for names in found]


def _caption(act: Effect) -> str:
    return next(iter(act.captions), "")


def _is_made_of(data: str, value: str) -> bool:
    return is_mentioned(value, data) or any(form(value) == data for form in FORMS.values())


def _has_stood(act: Effect, before: Sequence[Effect]) -> bool:
    """Whether an act is one of these, or its target was on the last of their screens under the same name."""
    if any(act is one for one in before):
        return True
    view, caption = before[-1].view, _caption(act)
    return bool(caption) and any(caption in view.captions(element) for element in view.elements)


def _is_about(act: Effect, value: str) -> bool:
    """Whether the target, or the key of the record that it is in, may be named by a value."""
    if act.element is None:
        return False
    record = act.view.scene.records.record_of(act.element)
    is_in = record is not None and any(is_mentioned(one.name, value) for one in record.keys)
    return is_in or (act.element.role != "button" and is_mentioned(value, _caption(act)))


LOOKS = ("color", "fill", "shape")
"""Attributes that people use to refer to elements without a name."""
_PATH = frozenset({">", "→"})
_SEPARATORS = frozenset({",", "and", ";", "&"}) | _PATH
ORDINAL_WORD = re.compile(r"^(?:\d+(?:st|nd|rd|th)|last|" + "|".join(ORDINALS) + ")$")


@dataclass(frozen=True, slots=True)
class SlotSpan:
    """A range of tokens that may be a slot."""

    start: int
    end: int
    strength: int
    """3: quoted or typed; 2: name of a target; 1: text anywhere on the screens."""


def spans(text: str, steps: Sequence[Effect], *, alone: bool = False) -> list[SlotSpan]:
    """Parts of an instruction that may be slots: quoted, typed, aimed at, shown, dates, numbers.

    Args:
        alone: there is no other demonstration to compare with, so the first words of the instruction, the
            text of a button pressed after other steps, and field names count as wording.
    """
    wording = VALUED | HEADERS if alone else frozenset()
    alone = alone and len(steps) > 1
    wording |= {"button"} if alone else set()
    among = tokens(text)
    found = [*_quoted_spans(among), *_date_spans(text, among)]
    for act in steps:
        found += _spans_of_act(act, among, wording)
    found += _spans_of(_screen_texts(steps, wording), among, 1, telling=True)
    for index, token in enumerate(among):
        if token.text[0].isdecimal() or ORDINAL_WORD.match(token.text):
            found.append(SlotSpan(index, index + 1, 1))
    if alone:
        found = [span for span in found if not _is_verb(span, among)]
    return _merge_lists(_without_overlaps(_without_fillers(found, among)), among, steps, text)


def _spans_of_act(act: Effect, among: tuple[WordToken, ...], wording: Collection[str]) -> Iterator[SlotSpan]:
    """Occurrences of what was typed, and of the looks and names of the targets."""
    yield from _spans_of(filter(None, [act.data]), among, 3)
    for element in filter(None, (act.element, act.to)):
        yield from _spans_of((element.attributes.get(key, "") for key in LOOKS), among, 2)
        if not (wording and ("button" in wording if element.role == "button" else act.data is not None)):
            yield from _spans_of(act.view.captions(element), among, 2, telling=True)


def _spans_of(
    texts: Iterable[str], among: tuple[WordToken, ...], strength: int, *, telling: bool = False
) -> Iterator[SlotSpan]:
    """Occurrences of texts in an instruction; `telling` requires more than filler words."""
    for a, b in chain.from_iterable(find_span(text, among) for text in texts):
        if not telling or _says_anything(among[a:b]):
            yield SlotSpan(a, b, strength)


def _screen_texts(steps: Sequence[Effect], wording: Collection[str]) -> list[str]:
    """The texts of elements on the screens, without duplicates.

    Args:
        wording: the roles whose names are words of a task and no values.
    """
    shown: set[str] = set()
    names: set[str] = set()
    for view in {id(act.view): act.view for act in steps}.values():
        for element in view.elements:
            (names if element.role in wording else shown).add(normal(element.name))
            shown.add(normal(element.value))
    return sorted(shown - names)


def _is_verb(span: SlotSpan, among: tuple[WordToken, ...]) -> bool:
    """Whether a text is the verb, as `Insert` in `Insert the zebra`, even if a link has the same name.

    Several words that no command begins are a name, as in `Ada Lovelace has left`.
    """
    opens = span.start == 0 and span.strength < 3 and span.end < len(among) and among[span.end].is_word
    return opens and (span.end == 1 or bool(commands(among[0].text)))


def _date_spans(text: str, among: tuple[WordToken, ...]) -> list[SlotSpan]:
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
    """Reduce texts such as `From Ada` to `Ada` if `Ada` alone is on the screen."""
    places = {(span.start, span.end) for span in found}
    return [
        span
        for span in found
        if span.strength == 3
        or among[span.start].text not in FILLERS
        or (span.start + 1, span.end) not in places
    ]


def _says_anything(words: Sequence[WordToken]) -> bool:
    return any(word.is_word and word.text not in FILLERS for word in words)


def _quoted_spans(among: tuple[WordToken, ...]) -> list[SlotSpan]:
    marks = [index for index, token in enumerate(among) if token.text == QUOTE]
    return [SlotSpan(a + 1, b, 3) for a, b in zip(marks[::2], marks[1::2], strict=False) if a + 1 < b]


def _without_overlaps(found: list[SlotSpan]) -> list[SlotSpan]:
    kept: list[SlotSpan] = []
    for span in sorted(found, key=lambda s: (-s.strength, s.start - s.end)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda s: s.start)


def _merge_lists(
    found: list[SlotSpan], among: tuple[WordToken, ...], steps: Sequence[Effect], text: str
) -> list[SlotSpan]:
    """Merge spans separated only by commas and `and` into one list if each item gets the same action."""
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
        same = len(group) > 1 and _same_is_done(items, steps, path=bool(between))
        if same and not _verb_among(parts, steps):
            merged.append(SlotSpan(group[0].start, group[-1].end, 3))
        else:
            merged += group
    return merged


def _verb_among(parts: Sequence[str], steps: Sequence[Effect]) -> bool:
    """Whether only some parts are spelled as on the screen, as in `Ada and reply`."""
    acts = [(act.element.name, act.data or "") for act in steps if act.element is not None]
    names = set(chain.from_iterable(acts))
    return len({part in names for part in parts}) > 1


def _same_is_done(items: Sequence[str], steps: Sequence[Effect], *, path: bool) -> bool:
    """Whether each item names the target of the same kind of act, or is typed into the same field.

    On a path, the act on the last item may differ from those that lead to it.
    """
    named = Counter(
        (None if path else act.shape, act.element.role)
        for act in steps
        if act.element is not None and set(act.captions) & set(items)
    )
    if named and max(named.values()) >= len(items):
        return True
    typed = [a for a in steps if a.data and normal(a.data) in items]
    fields = {a.element.path or a.element.id for a in typed if a.element is not None}
    return len(typed) >= len(items) and len(fields) == 1


SPAN = "\0"
"""The symbol of a span that may be a slot; it aligns with any other span."""
_RELATIONS = frozenset({"to", "from", "by", "for", "in", "at", "on", "with"})


@dataclass(frozen=True, slots=True)
class Reading:
    """Templates, and the slot values of each demonstration's instruction."""

    templates: tuple[str, ...]
    """One per wording; a slot that an instruction lacks is missing from its template."""
    values: tuple[dict[str, str], ...]


def read_instructions(instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]) -> Reading:
    """Templates for all instructions, and their slot values.

    Parts that differ are slots. Parts that recur in typed, chosen or target texts are also slots, unless
    they are the same in every demonstration.
    """
    alone = len(instructions) == 1
    lines = [
        _Line(text, spans(text, steps, alone=alone))
        for text, steps in zip(instructions, demonstrated, strict=True)
    ]
    if len(lines) > 1:
        lines = [line.without_spans(set.intersection(*map(_Line.span_texts, lines))) for line in lines]
    anchors = reduce(_in_common, map(_Line.words, lines))
    aligned = [_align(line.symbols(), anchors) for line in lines]
    apart = [index for index, (_, start, _) in enumerate(lines[0].symbols()) if lines[0].is_said_to(start)]
    return _reading(lines, _columns(anchors, aligned, apart if alone else ()), demonstrated)


class _Line:
    """An instruction as a sequence of symbols: words, and one symbol for each possible slot."""

    def __init__(self, text: str, found: Sequence[SlotSpan]) -> None:
        self.text, self.spans = text, tuple(sorted(found, key=lambda span: span.start))
        self.tokens = tokens(text)

    def without_spans(self, constants: set[str]) -> _Line:
        kept = [s for s in self.spans if s.strength == 3 or normal(self.span_text(s)) not in constants]
        return _Line(self.text, kept)

    def is_said_to(self, start: int) -> bool:
        """Whether the text typed that begins at this token stands directly behind a name on the screen, or
        one of the two is a number.
        """
        before = next((span for span in self.spans if span.end == start), None)
        typed = any(span.start == start and span.strength == 3 for span in self.spans)
        if before is None or not typed:
            return False
        one, other = (self.tokens[place].text[0].isdecimal() for place in (before.start, start))
        return before.strength < 3 or one != other

    def span_text(self, span: SlotSpan) -> str:
        return span_text(self.text, self.tokens, span.start, span.end)

    def span_texts(self) -> set[str]:
        return {normal(self.span_text(span)) for span in self.spans}

    def words(self) -> list[str]:
        return [symbol for symbol, _, _ in self.symbols()]

    def symbols(self) -> list[tuple[str, int, int]]:
        """(symbol, first token, end token); possible slots have the symbol `SPAN`."""
        found: list[tuple[str, int, int]] = []
        place = 0
        for span in self.spans:
            found += [(self.tokens[i].text, i, i + 1) for i in range(place, span.start)]
            found.append((SPAN, span.start, span.end))
            place = span.end
        return found + [(self.tokens[i].text, i, i + 1) for i in range(place, len(self.tokens))]


def _in_common(one: list[str], other: list[str]) -> list[str]:
    """The longest common subsequence of two lists of symbols."""
    costs = [[*map(partial(_cost, symbol), one), 0.0] for symbol in other]
    _, pairs = cheapest_pairs([*costs, [0.0] * (len(one) + 1)])
    return [one[j] for i, j in pairs if min(i, j) >= 0]


def _cost(one: str, other: str) -> float:
    """The cost of aligning two symbols, lower for better matches; filler words align only as a last resort.

    Numbers match by chance more often than the punctuation between them.
    """
    if one != other:
        return float("inf")
    if one.isdecimal():
        return -0.4
    return -0.5 if one in FILLERS or not one[0].isalnum() else -1.0


@dataclass(frozen=True, slots=True)
class _Aligned:
    places: tuple[tuple[int, int], ...]
    gaps: tuple[tuple[int, int], ...]
    """One gap before each symbol and one after the last."""


def _align(symbols: list[tuple[str, int, int]], anchors: list[str]) -> _Aligned:
    left = iter(symbols)
    places: list[tuple[int, int]] = []
    for anchor in anchors:
        places.append(next((start, end) for symbol, start, end in left if symbol == anchor))
    edges = [0, *chain.from_iterable(places), symbols[-1][2] if symbols else 0]
    return _Aligned(tuple(places), tuple(zip(edges[::2], edges[1::2], strict=True)))


@dataclass(frozen=True, slots=True)
class _Column:
    """One part of the template: a literal, or the token range of a slot in each instruction."""

    literal: str = ""
    ranges: tuple[tuple[int, int], ...] = ()


def _columns(anchors: list[str], aligned: Sequence[_Aligned], apart: Collection[int] = ()) -> list[_Column]:
    """Args: apart: indices of spans that are slots of their own even directly behind another span."""
    columns: list[_Column] = []

    def add(ranges: tuple[tuple[int, int], ...], *, apart: bool = False) -> None:
        if all(start == end for start, end in ranges):
            return
        if columns and columns[-1].ranges and not apart:
            last = columns.pop().ranges
            ranges = tuple((a[0] if a[0] < a[1] else b[0], b[1]) for a, b in zip(last, ranges, strict=True))
        columns.append(_Column(ranges=ranges))

    for index, anchor in enumerate(anchors):
        add(tuple(one.gaps[index] for one in aligned))
        if anchor == SPAN:
            add(tuple(one.places[index] for one in aligned), apart=index in apart)
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
            own[names[index]] = unquote(line.text[first:last])
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
            found = found or _field(unquote(text), demonstrated[number])
        names[index] = unique(slug(found) or _slot_name_after(before) or "text", names.values())
    return names


def _field(value: str, steps: Sequence[Effect]) -> str:
    for act in steps:
        if act.data and act.element is not None and normal(act.data) == normal(value):
            return _caption(act)
    return ""


def _slot_name_after(words: Sequence[str]) -> str:
    if words and words[-1] in _RELATIONS:
        return words[-1]
    return next((slug(word) for word in reversed(words) if word not in FILLERS), "")


def slug(text: str) -> str:
    """The text as a slot name: lower-case words joined by `_`; empty if the text has no words."""
    words = slug_words(text)[:3]
    name = "_".join(words)
    return f"n{name}" if name[:1].isdecimal() else name


def unique(name: str, taken: Collection[str], joint: str = "_") -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}{joint}{number}", number + 1
    return free


def type_of(values: Sequence[str]) -> SlotKind:
    """The narrowest type of all values of a slot; a single value never makes a number or an ordinal."""
    several = len(set(values)) > 1
    if several and all(ORDINAL_WORD.match(normal(value)) for value in values):
        return "ordinal"
    if all((parse_date(v) or parse_date(v, european=True)) is not None for v in values):
        return "date"
    if all(re.fullmatch(r"[-+]?\d+(\.\d+)?", v.strip()) for v in values):
        return "number" if several else "text"  # `12.50` is rather a price than a time
    return "time" if all(parse_time(value) is not None for value in values) else "text"
