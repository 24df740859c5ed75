"""Recognizes procedures in freely worded instructions by their verbs and the names on the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, permutations, product
from typing import Literal

from gui_agent.elements.words import stem
from gui_agent.procedures.language.program import Aim, Captioned, Const, Program, nodes
from gui_agent.procedures.language.template import (
    FORBIDDING,
    QUOTE,
    WordToken,
    asks_to_see,
    commands,
    described_commands,
    find_span,
    idle,
    says_anything,
    slots_in,
    span_text,
    template_parts,
    tokens,
)
from gui_agent.procedures.language.view import View

Side = Literal["origin", "goal", ""]

_BEFORE: dict[Side, frozenset[str]] = {"origin": frozenset(("from", "by")), "goal": frozenset(("to",))}
_AFTER: dict[Side, frozenset[str]] = {
    "origin": frozenset(("'s", "\u2019s", "wrote", "sent", "mailed", "gave", "told")),
    "goal": frozenset(("needs", "receives", "gets", "awaits")),
}


def side(before: str, after: str) -> Side:
    """The side that the words before and after a name indicate; empty if neither or both sides."""
    sides = {one for one, words in _BEFORE.items() if before in words}
    sides |= {one for one, words in _AFTER.items() if after in words}
    return sides.pop() if len(sides) == 1 else ""


def side_of(contexts: Iterable[tuple[str, str]]) -> Side:
    """The side of a name in several wordings; empty unless it is always the same."""
    sides = {side(before, after) for before, after in contexts} - {""}
    return sides.pop() if len(sides) == 1 else ""


MOST_STRANGE = 0.34
"""Maximum share of words that no demonstration used and that are not common words."""
_WITHIN = frozenset(("in", "on", "at"))

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A procedure that an instruction asks for in other words, with the values found."""

    program: Program
    values: Mapping[str, str]
    weight: float
    """Number of words of the instruction that point to this procedure and to no other."""


@dataclass(frozen=True)
class _Wording:
    """The words and contexts of a procedure's wordings, for comparison with other instructions."""

    words: frozenset[str]
    """The stems of its words, and of those that a wording repeats also both as one."""
    asks: bool
    """Whether it has no verb that changes something: it finds or shows what it names."""
    commands: frozenset[int]
    contexts: Mapping[str, frozenset[tuple[str, str]]]
    """For each slot, the words around it, see `_context`."""

    def is_quoted(self, slot: str) -> bool:
        """Whether the values of a slot are always quoted."""
        return all(before.startswith(QUOTE) for before, _ in self.contexts[slot])

    def has_command(self, word: str) -> bool:
        return bool((commands(word) | described_commands(word)) & self.commands)

    def is_meant_by(self, words: Sequence[str]) -> bool:
        """Whether these words have its verb or, if it has none, ask to see its things without any verb."""
        telling = _telling(words)
        described = any(described_commands(word) & self.commands for word in words)
        if described or any(map(self.has_command, telling)):
            return True
        acts = any(map(commands, telling))
        return self.asks and not acts and asks_to_see(words) and any(map(self.has, telling))

    def has(self, word: str) -> bool:
        return stem(word) in self.words or self.has_command(word)


def conceivable(text: str, programs: Sequence[Program]) -> list[Program]:
    """The procedures whose verb an instruction contains; the screen must confirm the names."""
    words = [word.text for word in tokens(text)]
    if FORBIDDING.intersection(words):
        return []
    return [one for one in _worded_freely(programs) if wording_of(one).is_meant_by(words)]


def paraphrases(text: str, programs: Sequence[Program], view: View) -> list[Paraphrase]:
    """The procedures that an instruction may ask for, the likeliest first."""
    free = _worded_freely(programs)
    words = tokens(text)
    if not free or FORBIDDING.intersection(word.text for word in words):
        return []
    vocabulary = frozenset().union(*(wording_of(program).words for program in free))
    names = InstructionNames(text, words, view, vocabulary)
    understood: list[tuple[Program, dict[str, Span]]] = []
    for program in free:
        wording = wording_of(program)
        spans = assign(wording, slots_in(program.templates[0]), names)
        if spans is not None and _is_understood(names.unused_words(spans.values()), wording, vocabulary):
            understood.append((program, spans))
    rivals = [wording_of(program) for program, _ in understood]
    found: list[Paraphrase] = []
    for program, spans in understood:
        weight = _weight_among_rivals(wording_of(program), names.unused_words(spans.values()), rivals)
        values = {slot: names.text_of(span) for slot, span in spans.items()}
        found += [Paraphrase(program, values, weight)] * (weight > 0)
    return sorted(found, key=lambda one: -one.weight)


def _worded_freely(programs: Sequence[Program]) -> list[Program]:
    return [program for program in programs if program.own_words and program.parameters]


class InstructionNames:
    """The parts of an instruction that may be values."""

    def __init__(
        self, text: str, words: tuple[WordToken, ...], view: View, vocabulary: frozenset[str]
    ) -> None:
        self.text, self.words = text, words
        marks = [index for index, word in enumerate(words) if word.text == QUOTE]
        self.quoted: list[Span] = [
            (a + 1, b) for a, b in zip(marks[::2], marks[1::2], strict=False) if a + 1 < b
        ]
        self.places: list[Span] = self._places(view)
        """The headings of the screen that the instruction gives as a place: `in Primary`."""
        self.shown: list[Span] = [span for span in self._names_on_screen(view) if span not in self.places]
        self.strange: list[Span] = []
        """Sequences of words spelled like names that are not on the screen."""
        self.opening: list[Span] = []
        """The first word, which is capitalized whether or not it is a name."""
        self._find_strange(vocabulary)

    @property
    def certain(self) -> list[Span]:
        """The parts outside of quotes that have to be values."""
        return [*self.shown, *self.strange]

    def text_of(self, span: Span) -> str:
        return span_text(self.text, self.words, *span)

    def words_around(self, span: Span) -> tuple[str, str]:
        """The words around a part, see `_context`."""
        return _context([word.text for word in self.words], *span)

    def unused_words(self, used: Iterable[Span]) -> list[str]:
        """The words outside of these parts that name no place."""
        taken = _indexes((*used, *self.places))
        return [word.text for i, word in enumerate(self.words) if i not in taken and word.is_word]

    def _names_on_screen(self, view: View) -> list[Span]:
        """Where names of the screen occur as spelled there, without those inside longer ones."""
        names = {element.name.strip() for element in view.elements}
        found = [span for span in self._spans_of(filter(says_anything, names)) if self.text_of(span) in names]
        apart: list[Span] = []
        for span in sorted(found, key=lambda span: span[0] - span[1]):
            if not any(_lies_in(span, other) for other in (*self.quoted, *apart)):
                apart.append(span)
        return apart

    def _places(self, view: View) -> list[Span]:
        names = {element.name for element in view.elements if element.role == "heading"}
        return [span for span in self._spans_of(names) if self._stands_within(span[0])]

    def _spans_of(self, names: Iterable[str]) -> list[Span]:
        return list(chain.from_iterable(find_span(name, self.words) for name in names))

    def _stands_within(self, start: int) -> bool:
        before = self.words[max(0, start - 2) : start]
        return any(word.text in _WITHIN for word in before)

    def _find_strange(self, vocabulary: frozenset[str]) -> None:
        taken = _indexes((*self.quoted, *self.shown, *self.places))
        run: list[int] = []
        for index in range(len(self.words) + 1):
            if index < len(self.words) and index not in taken and self._is_like_a_name(index, vocabulary):
                run.append(index)
                continue
            if run:
                (self.opening if self._opens(run[0]) else self.strange).append((run[0], run[-1] + 1))
            run = []

    def _opens(self, index: int) -> bool:
        return index == 0 or self.words[index - 1].text in (".", "!", "?", ":", QUOTE)

    def _is_like_a_name(self, index: int, vocabulary: frozenset[str]) -> bool:
        word = self.words[index]
        written = self.text[word.start : word.end]
        if not word.is_word or idle(word.text) or commands(word.text) or stem(word.text) in vocabulary:
            return False
        return written[0].isupper() or any(c.isdecimal() or c in "@_" for c in written)


def _lies_in(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _indexes(spans: Iterable[Span]) -> set[int]:
    return set().union(*(range(*span) for span in spans))


def assign(wording: _Wording, slots: Sequence[str], names: InstructionNames) -> dict[str, Span] | None:
    """The part of the instruction for each slot; None if no assignment is best.

    It must use all names of the screen and all unknown names, except what the wording says itself. The first
    word counts as a name only if there are too few others.
    """
    quoted = [slot for slot in slots if wording.is_quoted(slot)]
    plain = [slot for slot in slots if slot not in quoted]
    if len(quoted) != len(names.quoted):
        return None
    certain = [span for span in names.certain if not all(map(wording.has, names.text_of(span).split()))]
    ways = _ways(plain, names.certain, certain, wording, names)
    ways = ways or _ways(plain, [*names.certain, *names.opening], certain, wording, names)
    ways.sort(key=lambda way: -way[0])
    if not ways or (len(ways) > 1 and ways[0][0] == ways[1][0]):
        return None
    return {**ways[0][1], **_assign_quoted(quoted, wording, names)}


def _assign_quoted(slots: Sequence[str], wording: _Wording, names: InstructionNames) -> dict[str, Span]:
    """The quoted parts for these slots, by the words around them; in the same order if these do not tell."""

    def misfit(pair: tuple[tuple[int, str], tuple[int, Span]]) -> tuple[int, int]:
        (place, slot), (other, span) = pair
        return -_fits(wording, slot, span, names), abs(place - other)

    found: dict[str, Span] = {}
    for (_, slot), (_, span) in sorted(product(enumerate(slots), enumerate(names.quoted)), key=misfit):
        if slot not in found and span not in found.values():
            found[slot] = span
    return found


def _ways(
    slots: Sequence[str],
    spans: Sequence[Span],
    certain: Sequence[Span],
    wording: _Wording,
    names: InstructionNames,
) -> list[tuple[int, dict[str, Span]]]:
    """All assignments of distinct spans to the slots, including the certain ones, with their scores."""
    found: list[tuple[int, dict[str, Span]]] = []
    for chosen in permutations(spans, len(slots)):
        if set(certain) <= set(chosen):
            way = dict(zip(slots, chosen, strict=True))
            if len(way) == 1 or not any(_contradicts(wording, *pair, names) for pair in way.items()):
                found.append((sum(_fits(wording, *pair, names) for pair in way.items()), way))
    return found


def _fits(wording: _Wording, slot: str, span: Span, names: InstructionNames) -> int:
    """How well the words next to a part match those next to a slot; the word before counts more."""
    before, after = names.words_around(span)
    shown = wording.contexts.get(slot, frozenset())
    return 2 * any(before == one for one, _ in shown) + any(after == other for _, other in shown)


def _contradicts(wording: _Wording, slot: str, span: Span, names: InstructionNames) -> bool:
    """Whether a name is on the other side than the slot always is: a giver is not a receiver."""
    own, there = side_of(wording.contexts.get(slot, ())), side(*names.words_around(span))
    return bool(own and there) and own != there


def _is_understood(rest: Sequence[str], wording: _Wording, vocabulary: frozenset[str]) -> bool:
    """Whether the words contain this procedure's verb and no other, and hardly any unknown word."""
    telling = _telling(rest)
    others = [commands(word) for word in telling if stem(word) not in wording.words]
    if any(one and not one & wording.commands for one in others):
        return False
    strange = [word for word in telling if not _is_familiar(word, vocabulary)]
    return wording.is_meant_by(rest) and len(strange) <= MOST_STRANGE * len(telling)


def _is_familiar(word: str, vocabulary: frozenset[str]) -> bool:
    """Whether a word is a verb or was demonstrated, with or without its prefix (`mail`)."""
    if stem(word) in vocabulary or commands(word) or described_commands(word):
        return True
    return len(stem(word)) >= 4 and any(known.endswith(stem(word)) for known in vocabulary)


def _weight_among_rivals(wording: _Wording, rest: Sequence[str], rivals: Sequence[_Wording]) -> float:
    weight = 0.05
    for word in {stem(one): one for one in _with_repeated(rest)}.values():
        said = [rival for rival in rivals if rival.has(word)]
        if wording in said:
            weight += 1.0 if len(said) == 1 else 0.1
        elif said:
            weight -= 1.0
    return weight


@lru_cache(maxsize=500)
def _read_wording(templates: tuple[str, ...], clicked: tuple[str, ...]) -> _Wording:
    words, asked = [word.text for word in chain.from_iterable(map(tokens, clicked))], list[str]()
    contexts: dict[str, set[tuple[str, str]]] = {}
    for template in templates:
        parts = [part.literal for part in template_parts(template)]
        asked += _with_repeated(parts)
        for place, part in enumerate(template_parts(template)):
            if part.slot:
                contexts.setdefault(part.slot, set()).add(_context(parts, place, place + 1))
    telling = [*_telling(words), *asked]
    return _Wording(
        frozenset(map(stem, telling)),
        not any(map(commands, asked)),
        frozenset().union(*map(commands, telling)),
        {slot: frozenset(around) for slot, around in contexts.items()},
    )


def _telling(words: Iterable[str]) -> list[str]:
    return [word for word in words if any(map(str.isalnum, word)) and not idle(word)]


def _with_repeated(words: Iterable[str]) -> list[str]:
    """The words that bear on what to do; those that occur again also twice as one."""
    telling = _telling(words)
    counts = Counter(map(stem, telling))
    return [*telling, *(f"{stem(one)} {one}" for one in telling if counts[stem(one)] > 1)]


def _context(words: Sequence[str], start: int, end: int) -> tuple[str, str]:
    """The words before and after a part, empty at the ends; beyond quotes, of which they then have one."""
    padded = ("", "", *words, "", "")
    if padded[start + 1] == padded[end + 2] == QUOTE:
        return QUOTE + padded[start], QUOTE + padded[end + 3]
    return padded[start + 1], padded[end + 2]


def wording_of(program: Program) -> _Wording:
    aims = tuple(node for node in nodes(program.steps) if isinstance(node, Aim))
    names = [node.text for node in nodes(aims) if isinstance(node, Captioned)]
    return _read_wording(program.templates, tuple(name.text for name in names if isinstance(name, Const)))
