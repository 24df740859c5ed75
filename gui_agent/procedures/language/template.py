"""Instructions with slots: what fits one, which values fill it, which words stand for each other."""

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
_NEUTRAL = frozenset(_WORDS["neutral"].split()) | SMALL_WORDS
FORBIDDING = frozenset(_WORDS["forbidding"].split())
"""Words that turn an instruction around; what has one of them is read word by word or not at all."""
_TYPING_SLIP = 0.85


_DESCRIBING = {"sent": "send", "given": "give", "gave": "give", "told": "tell"}
"""Forms that mostly tell what has happened: `the letter that Ada sent`."""
_GROUPS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_WORDS["commands"].strip().splitlines()):
    for _word in _line.split():
        _GROUPS[stem(_word)] = _GROUPS.get(stem(_word), frozenset()) | {_number}
_IDLE = frozenset(stem(word) for word in _NEUTRAL) | _NEUTRAL


def commands(word: str) -> frozenset[int]:
    """The commands that a word may stand for, as numbers; empty when it is none that is known."""
    root = stem(word)
    if root in _GROUPS:
        return _GROUPS[root]
    if len(root) < 5:
        return frozenset()
    near = (known for known in _GROUPS if len(known) >= 5 and known[0] == root[0])
    return next((_GROUPS[k] for k in near if letters_alike(k, root) >= _TYPING_SLIP), frozenset())


def described_commands(word: str) -> frozenset[int]:
    """The commands that a word may stand for, which more often tells what has happened before."""
    return commands(_DESCRIBING[normal(word)]) if normal(word) in _DESCRIBING else frozenset()


def idle(word: str) -> bool:
    """Whether a word says nothing about what is to be done."""
    return normal(word) in _IDLE or stem(word) in _IDLE


_TOKEN = re.compile(
    rf"{SLOT.pattern}|\w+(?:(?!['’]s\b)[.:/@'’_\-+]\w+)*|(?<=\w)['’]s\b|[^\w\s]", re.IGNORECASE
)
"""Words with what is inside of them, and places of values; the `'s` of whose something stands for itself."""
QUOTE = '"'
_OPEN_SINGLE = re.compile(r"(?<!\w)'([^']+)'(?!\w)")


@dataclass(frozen=True, slots=True)
class WordToken:
    """One word, number or mark of an instruction."""

    text: str
    """Normalised: compared, never shown."""
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        return any(character.isalnum() for character in self.text)


def tokens(text: str) -> tuple[WordToken, ...]:
    """The tokens of a text; quotes of any kind become `"`."""
    return tuple(
        WordToken(normal(found[0]), found.start(), found.end())
        for found in _TOKEN.finditer(plain_quotes(text))
    )


def plain_quotes(text: str) -> str:
    """The text, as long as it was, with `"` for quotes of any kind."""
    plain = re.sub(r"[“”„«»]", QUOTE, text)
    plain = re.sub(r"[‘’](?!\w)|(?<!\w)[‘’]", "'", plain)
    return _OPEN_SINGLE.sub(lambda found: f"{QUOTE}{found[1]}{QUOTE}", plain)


def find_span(wanted: str, among: tuple[WordToken, ...]) -> list[tuple[int, int]]:
    """Where a text occurs, as ranges of tokens; case and spacing do not matter."""
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
"""Below this share of the template's words an instruction asks for something else."""
MARGIN = 0.06
_MARK = 0.2
"""What a punctuation mark weighs against a word's 1."""
_SMALL = 0.3
"""What a small word weighs: it may be missing or too much."""
_STRANGE = 10.0
"""How much worse any other word is that is missing or too much: `do not`, `archive` instead of `delete`."""
_POLITE = frozenset(("please", "kindly", "now", "just", "then"))
_SMALL_WORDS = _POLITE | SMALL_WORDS
_EDGES = _POLITE | frozenset(".,;:!?")
"""What an unquoted value hardly begins or ends with."""
_EDGE = 0.5
_SLOT = re.compile(r"\{(\w+)\}")
_WRONG_TYPE = 2.0


@dataclass(frozen=True, slots=True)
class Fit:
    """An instruction read through a template."""

    score: float
    """0 to 1."""
    values: Mapping[str, str]
    ambiguous: bool = False
    """Whether another reading fits exactly as well but gives other values."""


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """A word of a template, or the place of a value."""

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
    """The words of a template and the places of its values, in order."""
    # A word stands for each value while the template is cut, so that quotes and `'s` are read as around one.
    names = slots_in(template)
    marked = _SLOT.sub(lambda found: f"slot_{names.index(found[1])}_here", template)
    marks = {f"slot_{number}_here": name for number, name in enumerate(names)}
    words = [token.text for token in tokens(marked)]
    return tuple(TemplatePart(slot=marks[word]) if word in marks else TemplatePart(word) for word in words)


def slots_in(template: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SLOT.findall(template)))


def own_words(template: str) -> frozenset[str]:
    """The words of a template, normalised, without which an instruction asks for something else."""
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
    """Read an instruction through a template.

    The cheapest alignment of the two. Small words and marks may be missing or too much at a small cost; any
    other word that stands in only one of the two makes it another task. A slot takes one or more words and
    never half of a quoted text.

    Args:
        briefly: the instruction may leave out words, though none that turns the sense around.

    Returns:
        None when a slot cannot be filled at all.
    """
    return _fit(template, instruction, tuple((p.name, p.type) for p in parameters), briefly)


@lru_cache(maxsize=256)
def _fit(
    template: str, instruction: str, kinds: tuple[tuple[str, SlotKind], ...], briefly: bool
) -> Fit | None:
    parts = template_parts(template)
    words = tokens(instruction)
    total = sum(part.weight for part in parts if part.literal)
    if not total:
        return None
    reading = _Reading(instruction, parts, words, dict(kinds), briefly).best()
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
        kinds: Mapping[str, SlotKind],
        briefly: bool,
    ) -> None:
        self.text, self.parts, self.words, self.kinds = text, parts, words, kinds
        self._left_out = _weight_left_out if briefly else _strangeness
        self._known: dict[tuple[int, int], Outcome | None] = {}

    def best(self) -> Outcome | None:
        for i in range(len(self.parts), -1, -1):
            for j in range(len(self.words), -1, -1):
                self._known[(i, j)] = self._from(i, j)
        return self._known[(0, 0)]

    def _from(self, i: int, j: int) -> Outcome | None:
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
            fits = bool(slots_named(value)) or right_type(value, self.kinds.get(name, "text"))
            wrong = 0.0 if fits else _WRONG_TYPE
            if not self._in_quotes(i):
                wrong += _EDGE * (self.words[j].text in _EDGES) + _EDGE * (self.words[end - 1].text in _EDGES)
            self._extend(options, (i + 1, end), wrong, ((name, unquote(value)),))

    def _in_quotes(self, i: int) -> bool:
        return i > 0 and self.parts[i - 1].literal == QUOTE


def unquote(value: str) -> str:
    """The value without the quotes around all of it."""
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
