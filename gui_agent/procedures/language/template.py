"""Matches instructions with templates that have slots: the fit, the values, and synonyms of words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from gui_agent.core.binding import SLOT, slots_named
from gui_agent.core.texts import normal
from gui_agent.elements.words import SMALL_WORDS, letters_alike, stem
from gui_agent.procedures.language.forms import list_items, number_in, ordinal, parse_date, parse_time
from gui_agent.procedures.language.program import SlotKind, SlotParameter

_WORDS: dict[str, str] = tomllib.loads(
    files("gui_agent.procedures.language").joinpath("instructions.toml").read_text("utf-8")
)
_SEEING, _CHANGING = frozenset(_WORDS["seeing"].split()), frozenset(_WORDS["changing"].split())
_NEUTRAL = frozenset(_WORDS["neutral"].split()) | _SEEING | _CHANGING | SMALL_WORDS
FORBIDDING = frozenset(_WORDS["forbidding"].split())
"""Words that negate or restrict an instruction; such an instruction must match word by word."""
_TYPING_SLIP = 0.85


_DESCRIBING = {"sent": "send", "given": "give", "gave": "give", "told": "tell", "set": "edit"}
"""Words that may be a verb but usually are none: `the letter that Ada sent`."""
_GROUPS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_WORDS["commands"].strip().splitlines()):
    for _word in _line.split():
        _GROUPS[stem(_word)] = _GROUPS.get(stem(_word), frozenset()) | {_number}
_IDLE = frozenset(stem(word) for word in _NEUTRAL if not word.endswith("ly")) | _NEUTRAL


def commands(word: str) -> frozenset[int]:
    """The numbers of the commands that a word may stand for; empty if it is not a known verb."""
    root = stem(word)
    if root in _GROUPS:
        return _GROUPS[root]
    if len(root) < 5:
        return frozenset()
    near = (known for known in _GROUPS if len(known) >= 5 and known[0] == root[0])
    return next((_GROUPS[k] for k in near if letters_alike(k, root) >= _TYPING_SLIP), frozenset())


def described_commands(word: str) -> frozenset[int]:
    """The commands that a word may stand for although it usually stands for none."""
    return commands(_DESCRIBING[normal(word)]) if normal(word) in _DESCRIBING else frozenset()


def asks_to_see(words: Sequence[str]) -> bool:
    """Whether an instruction that has no command asks to find or to show something."""
    return _CHANGING.isdisjoint(words) and not _SEEING.isdisjoint(words)


def idle(word: str) -> bool:
    """Whether a word has no bearing on what to do."""
    return not _IDLE.isdisjoint((normal(word), stem(word)))


_TOKEN = re.compile(
    rf"{SLOT.pattern}|\w+(?:(?!['’]s\b)[.:/@'’_\-+]\w+)*|(?<=\w)['’]s\b|[^\w\s]", re.IGNORECASE
)
"""Words including their inner punctuation, and slots; a possessive `'s` is a token of its own."""
QUOTE = '"'
_OPEN_SINGLE = re.compile(r"(?<!\w)'([^']+)'(?!\w)")


@dataclass(frozen=True, slots=True)
class WordToken:
    """One word, number or mark of an instruction."""

    text: str
    """Normalized for comparison, never shown."""
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        return any(map(str.isalnum, self.text))


def tokens(text: str) -> tuple[WordToken, ...]:
    """The tokens of a text; any quotes become `"`."""
    return tuple(
        WordToken(normal(found[0]), found.start(), found.end())
        for found in _TOKEN.finditer(plain_quotes(text))
    )


def says_anything(text: str) -> bool:
    """Whether a text has a word that is neither common nor a verb."""
    return not all(idle(one.text) or commands(one.text) or not one.is_word for one in tokens(text))


def plain_quotes(text: str) -> str:
    """The text at the same length, with any quotes replaced by `"`."""
    plain = re.sub(r"[“”„«»]", QUOTE, text)
    plain = re.sub(r"[‘’](?!\w)|(?<!\w)[‘’]", "'", plain)
    return _OPEN_SINGLE.sub(lambda found: f"{QUOTE}{found[1]}{QUOTE}", plain)


def find_span(wanted: str, among: tuple[WordToken, ...]) -> list[tuple[int, int]]:
    """The occurrences of a text as token ranges, ignoring case and spacing."""
    words = [token.text for token in tokens(wanted)]
    if not words:
        return []
    have = [token.text for token in among]
    size = len(words)
    return [(i, i + size) for i in range(len(have) - size + 1) if have[i : i + size] == words]


def span_text(text: str, among: tuple[WordToken, ...], start: int, end: int) -> str:
    """The part of the text that the tokens from `start` to `end` cover, as written."""
    return text[among[start].start : among[end - 1].end] if start < end else ""


FLOOR = 0.72
"""An instruction with less than this share of the template's words asks for something else."""
MARGIN = 0.06
_MARK = 0.2
"""The weight of a punctuation mark; a word weighs 1."""
_SMALL = 0.3
"""The weight of a small word that is missing or extra."""
_STRANGE = 10.0
"""The factor for any other word that is missing or extra: `do not`, `archive` instead of `delete`."""
_POLITE = frozenset(("please", "kindly", "now", "just", "then"))
_SMALL_WORDS = _POLITE | SMALL_WORDS
_EDGES = _POLITE | frozenset(".,;:!?")
"""Words and marks that rarely start or end an unquoted value."""
_ANY: tuple[SlotKind, int] = ("text", 0)
_STOPS = (".", "!", "?")
_EDGE = 0.5
_SLOT = re.compile(r"\{(\w+)\}")
_WRONG_TYPE = 2.0


@dataclass(frozen=True, slots=True)
class Fit:
    """An instruction matched with a template."""

    score: float
    """0 to 1."""
    values: Mapping[str, str]
    ambiguous: bool = False
    """Whether another match is equally good but gives other values."""


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """A word of a template, or a slot."""

    literal: str = ""
    slot: str = ""

    @property
    def weight(self) -> float:
        return _weight(self.literal)


def _weight(word: str) -> float:
    if not any(character.isalnum() for character in word):
        return _MARK
    return _SMALL if word in _SMALL_WORDS else 1.0


def _strangeness(word: str) -> float:
    weight = _weight(word)
    return weight * _STRANGE if weight == 1.0 else weight


def _weight_left_out(word: str) -> float:
    return _strangeness(word) if word in FORBIDDING else _weight(word)


@lru_cache(maxsize=2000)
def template_parts(template: str) -> tuple[TemplatePart, ...]:
    """The words and slots of a template, in order."""
    # A placeholder replaces each slot during tokenizing, so that quotes and `'s` next to it are recognized.
    names = slots_in(template)
    marked = _SLOT.sub(lambda found: f"slot_{names.index(found[1])}_here", template)
    marks = {f"slot_{number}_here": name for number, name in enumerate(names)}
    words = [token.text for token in tokens(marked)]
    return tuple(TemplatePart(slot=marks[word]) if word in marks else TemplatePart(word) for word in words)


def slots_in(template: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SLOT.findall(template)))


def own_words(template: str) -> frozenset[str]:
    """The normalized words that every matching instruction must contain."""
    return frozenset(part.literal for part in template_parts(template) if part.literal and part.weight == 1.0)


def right_type(value: str, kind: SlotKind) -> bool:
    match kind:
        case "number":
            return number_in(value) is not None
        case "date":
            return (parse_date(value) or parse_date(value, european=True)) is not None
        case "time":
            return parse_time(value) is not None
        case "ordinal":
            return ordinal(value) is not None
        case "list":
            return bool(list_items(value)) or bool(value.strip())
        case "text":
            return True


def fit(
    template: str, instruction: str, parameters: Sequence[SlotParameter] = (), *, briefly: bool = False
) -> Fit | None:
    """Match an instruction with a template.

    Finds the cheapest alignment of the two. Missing or extra small words and marks cost little; any other
    word that occurs in only one of the two makes it another task. A slot takes one or more words and never
    half of a quoted text.

    Args:
        briefly: the instruction may leave out words, except words that negate or restrict it.

    Returns:
        None if a slot cannot be filled at all.
    """
    slots = tuple((p.name, p.type, len(p.examples[0].split()) if p.examples else 0) for p in parameters)
    return _fit(template, instruction, slots, briefly)


@lru_cache(maxsize=256)
def _fit(
    template: str, instruction: str, slots: tuple[tuple[str, SlotKind, int], ...], briefly: bool
) -> Fit | None:
    parts, words = template_parts(template), tokens(instruction)
    while words[1:] and words[-1].text in _STOPS:  # a full stop at the end changes nothing
        words = words[:-1]
    while parts[1:] and parts[-1].literal in _STOPS:
        parts = parts[:-1]
    total = sum(part.weight for part in parts if part.literal)
    if not total:
        return None
    reading = _Reading(instruction, parts, words, {one[0]: one[1:] for one in slots}, briefly).best()
    if reading is None:
        return None
    cost, values, ambiguous = reading
    return Fit(max(0.0, 1.0 - cost / total), dict(values), ambiguous)


Outcome = tuple[float, tuple[tuple[str, str], ...], bool]


class _Reading:
    """The dynamic programme behind `fit`."""

    def __init__(
        self,
        text: str,
        parts: tuple[TemplatePart, ...],
        words: tuple[WordToken, ...],
        slots: Mapping[str, tuple[SlotKind, int]],
        briefly: bool,
    ) -> None:
        """Args: slots: the kind of each, and how many words its demonstrated value has."""
        self.text, self.parts, self.words, self.slots = text, parts, words, slots
        self._left_out = _weight_left_out if briefly else _strangeness
        self._known: dict[tuple[int, int], Outcome | None] = {}

    def best(self) -> Outcome | None:
        for i in range(len(self.parts), -1, -1):
            for j in range(len(self.words), -1, -1):
                self._known[(i, j)] = self._outcome_from(i, j)
        return self._known[(0, 0)]

    def _outcome_from(self, i: int, j: int) -> Outcome | None:
        options: list[Outcome] = []
        if i == len(self.parts) and j == len(self.words):
            return (0.0, (), False)
        if j < len(self.words):
            self._extend(options, (i, j + 1), _strangeness(self.words[j].text))
        if i < len(self.parts):
            part = self.parts[i]
            if part.slot:
                self._slot(options, i, j)
            else:
                self._extend(options, (i + 1, j), self._left_out(part.literal))
                if j < len(self.words) and self.words[j].text == part.literal:
                    self._extend(options, (i + 1, j + 1), 0.0)
        return _cheapest(options)

    def _extend(
        self,
        options: list[Outcome],
        place: tuple[int, int],
        cost: float,
        bound: tuple[tuple[str, str], ...] = (),
    ) -> None:
        rest = self._known.get(place)
        if rest is not None:
            options.append((rest[0] + cost, (*bound, *rest[1]), rest[2]))

    def _slot(self, options: list[Outcome], i: int, j: int) -> None:
        name = self.parts[i].slot
        quotes = 0
        for end in range(j + 1, len(self.words) + 1):
            quotes += self.words[end - 1].text == QUOTE
            if quotes % 2 or (quotes and self._in_quotes(i)):
                if self._in_quotes(i):
                    break
                continue
            value = span_text(self.text, self.words, j, end)
            fits = bool(slots_named(value)) or right_type(value, self.slots.get(name, _ANY)[0])
            wrong = 0.0 if fits else _WRONG_TYPE
            if not self._in_quotes(i):
                wrong += _EDGE * (self.words[j].text in _EDGES) + _EDGE * (self.words[end - 1].text in _EDGES)
            if self._is_unlike_example(i, j, end):
                wrong += _EDGE
            self._extend(options, (i + 1, end), wrong, ((name, unquote(value)),))

    def _is_unlike_example(self, i: int, j: int, end: int) -> bool:
        """Whether a value directly before another one has more or fewer words than the demonstrated one.

        A capital word behind it may still belong to it, and then nothing tells the two values apart.
        """
        length, after = self.slots.get(self.parts[i].slot, _ANY)[1], self.words[min(end, len(self.words) - 1)]
        if (
            not length
            or self.words[j].text == QUOTE
            or not any(one.slot for one in self.parts[i + 1 : i + 2])
        ):
            return False
        is_number = self.words[end - 1].text[0].isdecimal()
        is_name = not is_number and self.text[after.start].isupper() and after.text.split("'")[0] != "i"
        return is_name or end - j != length

    def _in_quotes(self, i: int) -> bool:
        return i > 0 and self.parts[i - 1].literal == QUOTE


def unquote(value: str) -> str:
    """The value without surrounding quotes."""
    value = value.strip()
    inner = value[1:-1]
    if len(value) >= 2 and value[0] in "\"'“„«‘" and value[-1] in "\"'”“»’" and value[0] not in inner:
        return inner
    return value


def _cheapest(options: list[Outcome]) -> Outcome | None:
    if not options:
        return None
    best = min(options, key=lambda option: option[0])
    rivals = any(abs(cost - best[0]) < 1e-9 and dict(values) != dict(best[1]) for cost, values, _ in options)
    return (best[0], best[1], best[2] or rivals)
