"""A lexicon of what the words on a control mean, in several languages, with negation.

The phrases stand in `words.toml`. Text is compared without case, accents, invisible characters and
look-alike letters of other alphabets, so that none of these hides a word.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from gui_agent.elements.text import CLAUSE_WORD
from gui_agent.elements.text import identifier_words as split_identifier

_CLAUSE = re.compile(r"[,.;:!?()\[\]{}&/|+•·\n–—]| - ")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "`": "'", "´": "'"})
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
_LOOKALIKES = str.maketrans("аеорсухіјѕԁԛԝαεονρτυχικ", "aeopcyxijsdqwaeovptuxik")
_CONJUNCTIONS = frozenset(
    (
        *("and", "or", "then", "but", "und", "oder", "aber", "et", "ou", "mais", "y", "e", "o", "ed", "en"),
        *("of", "och", "i", "и", "или"),
    )
)


NAME_LENGTH = 300
"""Letters of a name that are judged: a page may give a button a name of any length."""
TEXT_LENGTH = 2000
"""Letters of a longer text that are judged, such as the question of a dialog."""


@dataclass(frozen=True, slots=True)
class LexiconHit:
    """A phrase that was found: what it stands for, and from where to where in the folded text."""

    tag: str
    start: int
    end: int


class Phrases:
    """A set of phrases, each standing for something, that can be looked for in a text."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._inside: list[tuple[str, str]] = []
        for phrase, tag in phrases:
            folded = fold(phrase)
            if _unspaced(folded) or not CLAUSE_WORD.search(folded):
                self._inside.append((folded, tag))
                continue
            words = tuple(CLAUSE_WORD.findall(folded))
            self._by_first.setdefault(words[0], []).append((words, tag))

    def find(self, folded: str) -> list[LexiconHit]:
        """Where phrases stand in a folded text; of those that overlap, the longest."""
        tokens = [(match.group(), match.start(), match.end()) for match in CLAUSE_WORD.finditer(folded)]
        hits: list[LexiconHit] = []
        for place, (word, start, _) in enumerate(tokens):
            for words, tag in self._by_first.get(word, ()):
                run = tokens[place : place + len(words)]
                if tuple(token for token, _, _ in run) == words:
                    hits.append(LexiconHit(tag, start, run[-1][2]))
        for phrase, tag in self._inside:
            start = folded.find(phrase)
            if start >= 0:
                hits.append(LexiconHit(tag, start, start + len(phrase)))
        return _longest(hits)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of `words.toml`, ready to be looked for."""

    verbs: Phrases
    affirm: Phrases
    before: Phrases
    after: Phrases
    navigate: Phrases
    harmless: Phrases
    mentions: Phrases
    icons: Phrases
    fields: Phrases


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with the guard; read once."""
    source = files("gui_agent.agent.guard").joinpath("words.toml").read_text("utf-8")
    table = tomllib.loads(source)
    verbs = list(_tagged(table["meaning"]))
    return Lexicon(
        verbs=Phrases(verbs),
        affirm=Phrases(_untagged(table["affirm"])),
        before=Phrases(_untagged(table["negate"]["before"])),
        after=Phrases(_untagged(table["negate"]["after"])),
        navigate=Phrases(_untagged(table["navigate"])),
        harmless=Phrases(_untagged(table["harmless"])),
        mentions=Phrases([*_tagged(table["mention"]), *verbs]),
        icons=Phrases((phrase, tag) for tag, phrases in table["icon"].items() for phrase in phrases),
        fields=Phrases(_tagged(table["field"])),
    )


def fold(text: str) -> str:
    """The text without case, accents, invisible characters and look-alike letters."""
    visible = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    plain = unicodedata.normalize("NFKD", visible.translate(_QUOTES).casefold())
    bare = "".join(c for c in plain if not unicodedata.combining(c)).translate(_LETTERS)
    return CLAUSE_WORD.sub(lambda match: _one_alphabet(match.group()), bare)


def identifier_words(text: str) -> str:
    """The words in an identifier: `btnDeleteAll` and `fa fa-trash-o` as plain words."""
    return fold(" ".join(split_identifier(text)))


def commands(text: str) -> tuple[str, ...]:
    """What a control with this text does when it is activated, such as `send`; empty when nothing risky.

    A verb counts unless its clause is a known harmless phrase, begins with a word that only leads to
    another view, or turns the verb round ("Don't delete", "Löschen abbrechen").
    """
    book = lexicon()
    found: list[str] = []
    for clause in _clauses(_ends(text, NAME_LENGTH), book):
        hits = book.verbs.find(clause)
        if hits:
            turns = _Turns(clause, book)
            found.extend(hit.tag for hit in hits if not turns.round(hit))
    return tuple(dict.fromkeys(found))


def mentions(text: str) -> tuple[str, ...]:
    """What a sentence speaks of, such as `delete` in "Are you sure you want to delete this file?"."""
    book = lexicon()
    found: list[str] = []
    for clause in _clauses(_ends(text, TEXT_LENGTH), book):
        hits = book.mentions.find(clause)
        if hits:
            turns = _Turns(clause, book)
            found.extend(hit.tag for hit in hits if not turns.negated_before(hit))
    return tuple(dict.fromkeys(found))


def agrees(text: str) -> bool:
    """Whether the text is a word of agreement, such as OK, Yes or Continue, and not its refusal."""
    book, folded = lexicon(), fold(_ends(text, NAME_LENGTH))
    return bool(book.affirm.find(folded)) and not refuses(text)


def refuses(text: str) -> bool:
    """Whether the text says no: Cancel, No, Keep, Don't ..."""
    book, parts = lexicon(), _CLAUSE.split(_ends(text, NAME_LENGTH))
    return any(book.before.find(fold(part)) for part in parts) and not commands(text)


def icon_meanings(*names: str) -> tuple[str, ...]:
    """What an icon with these class names, titles or file names does."""
    found: list[str] = []
    for name in (_ends(name, NAME_LENGTH) for name in names):
        folded = identifier_words(name) if name.isascii() else fold(name)
        found.extend(hit.tag for hit in lexicon().icons.find(folded))
    return tuple(dict.fromkeys(found))


def field_kinds(*names: str) -> tuple[str, ...]:
    """What a field with these names is for: password, card, message, address."""
    names = tuple(_ends(name, NAME_LENGTH) for name in names)
    found = [hit.tag for name in names if name for hit in lexicon().fields.find(identifier_words(name))]
    exact = {fold(name).strip(" :*") for name in names}
    return tuple(tag for tag in dict.fromkeys(found) if tag != "recipient" or _is_recipient(exact))


def word_count(text: str) -> int:
    """Number of words; each character counts in scripts that have no spaces."""
    return sum(len(word) if _unspaced(word) else 1 for word in CLAUSE_WORD.findall(fold(text)))


class _Turns:
    """What in a clause turns the verbs beside it round, unless a conjunction stands in between."""

    def __init__(self, clause: str, book: Lexicon) -> None:
        self._before = sorted(hit.end for hit in book.before.find(clause))
        self._after = sorted(hit.start for hit in book.after.find(clause))
        begin = len(clause) - len(clause.lstrip())
        self._leads = sorted(hit.end for hit in book.navigate.find(clause) if hit.start <= begin)
        joints = (match for match in CLAUSE_WORD.finditer(clause) if match.group() in _CONJUNCTIONS)
        self._joints = [joint.start() for joint in joints]

    def round(self, hit: LexiconHit) -> bool:
        """Whether the verb means something else here: not done, or only led to."""
        at = bisect_left(self._after, hit.end)
        refused = at < len(self._after) and not self._joined(hit.end, self._after[at])
        return refused or self.negated_before(hit) or self._reached(self._leads, hit)

    def negated_before(self, hit: LexiconHit) -> bool:
        """Whether a negation stands before it."""
        return self._reached(self._before, hit)

    def _reached(self, ends: list[int], hit: LexiconHit) -> bool:
        # The nearest one decides: what is between it and the verb is between all others and the verb too.
        at = bisect_right(ends, hit.start)
        return at > 0 and not self._joined(ends[at - 1], hit.start)

    def _joined(self, start: int, end: int) -> bool:
        at = bisect_left(self._joints, start)
        return at < len(self._joints) and self._joints[at] < end


def _clauses(text: str, book: Lexicon) -> Iterator[str]:
    """The clauses that hold words, folded and without harmless phrases."""
    for part in _CLAUSE.split(text.translate(_QUOTES)):
        if part.strip():
            yield _without(fold(part), book.harmless)


def _without(folded: str, phrases: Phrases) -> str:
    for hit in sorted(phrases.find(folded), key=lambda hit: -hit.start):
        # A word stays in place so that what stood around it does not become a new phrase.
        folded = f"{folded[: hit.start]}x{folded[hit.end :]}"
    return folded


def _is_recipient(exact: set[str]) -> bool:
    table = lexicon().fields
    return any(hit.tag == "recipient" and hit.end == len(name) for name in exact for hit in table.find(name))


def _one_alphabet(word: str) -> str:
    """A word that mixes Latin with look-alike letters of another alphabet, all in Latin."""
    latin = any("a" <= letter <= "z" for letter in word)
    return word.translate(_LOOKALIKES) if latin and not word.isascii() else word


def _unspaced(text: str) -> bool:
    return any("\u3040" <= letter <= "\u9fff" for letter in text)


def _longest(hits: Sequence[LexiconHit]) -> list[LexiconHit]:
    """The hits that are no part of a longer one, in one pass over their starts."""
    kept: set[LexiconHit] = set()
    widest = (-1, -1)
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.end > widest[1] or (hit.start, hit.end) == widest:
            kept.add(hit)
            widest = (hit.start, hit.end)
    return [hit for hit in hits if hit in kept]


def _ends(text: str, most: int) -> str:
    """A text that is too long to be judged whole: how it begins and how it ends."""
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-most // 2 :]}"


def _tagged(table: Mapping[str, Mapping[str, list[str]]]) -> Iterable[tuple[str, str]]:
    return [(phrase, tag) for tag, languages in table.items() for phrase, _ in _untagged(languages)]


def _untagged(languages: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return [(phrase, "") for phrases in languages.values() for phrase in phrases]


_DESTRUCTIVE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\brm\b(?=[^|;&\n]*\s(?:-[a-z]*[rf]|--recursive|--force|--no-preserve-root))",
        r"\brm\b[^|;&\n]*[\s/]\*",
        r"\bfind\b[^|;&\n]*(?:-delete\b|-exec\s+rm\b)",
        r"\b(?:shred|wipefs|mkfs(?:\.\w+)?|mkswap|fdisk|parted|sgdisk|diskpart|cipher\s+/w)\b",
        r"\bdd\b[^|;&\n]*\bof=",
        r">\s*/dev/(?:sd|nvme|hd|vd|mmcblk)",
        r">\s*/etc/",
        r":\s*\(\s*\)\s*\{[^}]*:\s*\|\s*:",
        r"\b(?:shutdown|reboot|poweroff|halt|init\s+[06])\b",
        r"\b(?:curl|wget|iwr|invoke-webrequest|irm)\b[^;\n]*\|\s*(?:sudo\s+)?"
        r"(?:\S*/)?(?:ba|z|da|k|fi)?sh\b",
        r"\b(?:curl|wget)\b[^;\n]*\|\s*(?:sudo\s+)?(?:python\d?|perl|ruby|node)\b",
        r"\b(?:iex|invoke-expression)\b",
        r"\bbase64\b[^;\n]*(?:-d|--decode)[^;\n]*\|\s*(?:ba|z|da)?sh\b",
        r"\b(?:chmod|chown)\b[^|;&\n]*\s(?:-[a-z]*R|--recursive)\b",
        r"\bgit\s+(?:push\b[^|;&\n]*(?:--force|\s-f\b|\s\+\w)|reset\s+--hard|clean\s+-[a-z]*f)",
        r"\b(?:drop|truncate)\s+(?:table|database|schema)\b",
        r"\bdelete\s+from\s+\w+\s*(?:;|$)",
        r"\b(?:userdel|deluser|visudo|crontab\s+-r|iptables\s+-F)\b",
        r"\b(?:terraform|tofu)\s+destroy\b",
        r"\bkubectl\s+delete\b",
        r"\bdocker\s+(?:system|volume|image)\s+prune\b",
        r"(?:^|[;&|\n]\s*)(?:del|erase|rd|rmdir)\s+(?:[^;&|\n]*\s)?/[sqf]\b",
        r"(?:^|[;&|\n]\s*)format\s+[a-z]:",
        r"\b(?:remove-item|ri)\b[^|;\n]*-(?:recurse|force)",
        r"\breg\s+delete\b",
        r"\bvssadmin\s+delete\b",
        r"\bbcdedit\b",
        r"\bos\.system\s*\(|\bshutil\.rmtree\b",
    )
)


def destroys(command: str) -> bool:
    """Whether a command line holds a destructive command; continuation lines are joined first."""
    line = command.replace("\\\n", " ")
    return any(pattern.search(line) for pattern in _DESTRUCTIVE)
