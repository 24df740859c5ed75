"""What the words on a control mean, in several languages, with negation."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain

from gui_agent.agent.guard._lexicon import (
    BETWEEN,
    QUOTES,
    Lexicon,
    LexiconHit,
    Phrases,
    fold,
    identifier_words,
    is_unspaced,
    lexicon,
)
from gui_agent.elements.roles import word_set
from gui_agent.elements.text import CLAUSE_WORD, read_as, visible

_CLAUSE = re.compile(r"[,.;:!?()\[\]{}&/|+•·\n–—]| - ")
_FAVOUR = re.compile(r"^\s*(?:please )?help (?:me|us) (?:to )?")
"""The beginning of a wish, which is not about help: "Help me delete this"."""
_TO_BIN = re.compile(r"\b(?:to|in) (?:the |den |la )?(?:trash|bin|recycle bin|papierkorb)\W*$")
_LASTING = frozenset({"delete", "pay", "format", "unsubscribe", "install"})
"""Meanings that an act has even if its object names a view: "Delete history"."""
_CONJUNCTIONS = word_set("and or then but und oder aber et ou mais y e o ed en of och i и или")
_SUM = re.compile(r"\s*[€$£¥]?\s?\d[\d.,]*(?:\s?(?:[€$£¥k]|eur|usd|gbp|chf))?$")
"""A number at the end of a text: "Bet 20" is looked up as "bet #"."""

NAME_LENGTH = 300
"""How many characters of a name are judged; a page may give a button a name of any length."""
TEXT_LENGTH = 8000
"""How many characters of a longer text are judged, such as a dialog's question."""


@lru_cache(maxsize=8192)
def commands(text: str) -> tuple[str, ...]:
    """What a control with this text does when activated, such as `send`; empty when it does nothing risky.

    A verb counts unless its clause is a known harmless phrase, begins with a word that only leads to
    another view, or negates the verb ("Don't delete", "Löschen abbrechen").
    """
    book, found = lexicon(), list[str]()
    for clause in _clauses(text, NAME_LENGTH, book):
        found += _tags(clause, book.verbs, _Negations.is_negated)
        found += ["sign"] if _is_decision(clause, book) else []
    return tuple(dict.fromkeys(found))


def _tags(clause: str, phrases: Phrases, is_negated: Callable[[_Negations, LexiconHit], bool]) -> list[str]:
    """The tags of the phrases in a clause that nothing in it negates."""
    hits = phrases.find(clause)
    negations = _Negations(clause, lexicon()) if hits else None
    return [hit.tag for hit in hits if negations is not None and not is_negated(negations, hit)]


def _is_decision(clause: str, book: Lexicon) -> bool:
    tokens = [token for token in _content_words(clause, book) if not token.isdecimal()]
    if len(tokens) < 2 or book.sets["deciding"].isdisjoint((tokens[0], tokens[-1])):
        return False
    return book.sets["undecided"].isdisjoint(tokens)


def _content_words(folded: str, book: Lexicon) -> list[str]:
    left_out = BETWEEN | book.sets["everything"]
    return [token for token in CLAUSE_WORD.findall(folded) if token not in left_out]


def decides_alone(text: str) -> bool:
    """Whether the whole text accepts or rejects another person's request: "Overrule", "Decline all"."""
    book = lexicon()
    tokens = _content_words(fold(text[:80]), book)
    return len(tokens) == 1 and tokens[0] in book.sets["deciding"] - book.sets["dismissing"]


def leading_commands(text: str) -> tuple[str, ...]:
    """What a longer text commands with its first words: "Delete this file and all of its copies"."""
    first = " ".join(visible(text).split()[:6])
    begun = [fold(reading).lstrip(" \"'«»„“”([{*•-→!") for reading in read_as(first)]
    hits = chain.from_iterable(map(lexicon().verbs.find, begun))
    found = {hit.tag for hit in hits if hit.start == 0}
    binned = ("delete",) if _TO_BIN.search(fold(text)) else ()
    return (*(tag for tag in commands(first) if tag in found), *binned)


def retries(text: str) -> bool:
    return bool(lexicon().retry.find(fold(text[:80])))


def one_word_meaning(text: str) -> str:
    """The meaning of a button whose whole text is one of a few words that are harmless in longer texts."""
    book = lexicon()
    for one in read_as(text[:80]):
        folded = fold(one).strip(" .!…")
        if tag := book.alone.get(folded) or book.alone.get(_SUM.sub(" #", folded)):
            return tag
    return ""


def slides(text: str) -> bool:
    """Whether a text tells the user to slide or drag something, so that a drag activates it."""
    tokens = set(CLAUSE_WORD.findall(fold(text[:NAME_LENGTH])))
    return not lexicon().sets["sliding"].isdisjoint(tokens)


def is_topic(text: str, leads: bool = False) -> bool:
    """Whether the text names a thing instead of an act: "Merge requests", "Reply options", "Transfer
    history".

    Args:
        leads: the text is on a link or menu, where more words name a thing than on a button.
    """
    book = lexicon()
    known = book.sets["topics"] | (book.sets["topics_of_links"] if leads else frozenset())
    folded = _FAVOUR.sub("", fold(text[:NAME_LENGTH]))
    tokens = CLAUSE_WORD.findall(folded)
    if len(tokens) < 2 or known.isdisjoint(tokens[1:]) or not _LASTING.isdisjoint(leading_commands(text)):
        return False
    # "Order history: delete" names a thing and an act on it.
    return all(_names_thing(part, known, book) for part in _CLAUSE.split(folded) if part.strip())


def _names_thing(clause: str, known: frozenset[str], book: Lexicon) -> bool:
    clause = _mask_phrases(clause, book.harmless)
    tokens = CLAUSE_WORD.findall(clause)
    hits = book.verbs.find(clause)
    if not hits or known.isdisjoint(tokens[1:]):
        return not hits
    return not any(hit.end >= len(clause.rstrip()) and hit.tag in _LASTING and hit.start > 0 for hit in hits)


def leads_on(text: str) -> bool:
    """Whether a button only leads to another view: View, Help, Settings ..."""
    return any(hit.start == 0 for hit in lexicon().navigate.find(fold(text[:NAME_LENGTH]).lstrip()))


@lru_cache(maxsize=2048)
def mentions(text: str) -> tuple[str, ...]:
    """The meanings that a sentence mentions: `delete` in "Are you sure you want to delete this file?"."""
    book = lexicon()
    clauses = _clauses(text, TEXT_LENGTH, book)
    found = (_tags(clause, book.mentions, _Negations.is_negated_before) for clause in clauses)
    return tuple(dict.fromkeys(chain.from_iterable(found)))


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
    for name in map(partial(_ends, most=NAME_LENGTH), names):
        hits = lexicon().icons.find(identifier_words(name) if name.isascii() else fold(name))
        found += [hit.tag for hit in hits]
    return tuple(dict.fromkeys(found))


def has_letters(text: str) -> bool:
    """Whether a text has a letter of any script, and not only symbols or digits."""
    return any(map(str.isalpha, text))


def word_count(text: str) -> int:
    """The number of words; in scripts without spaces, each character counts."""
    return sum(len(word) if is_unspaced(word) else 1 for word in CLAUSE_WORD.findall(fold(text)))


class _Negations:
    """The words of a clause that negate its verbs, each as far as the next conjunction."""

    def __init__(self, clause: str, book: Lexicon) -> None:
        words = CLAUSE_WORD.finditer(clause)
        self._conjunctions = [match.start() for match in words if match.group() in _CONJUNCTIONS]
        begin, end = len(clause) - len(clause.lstrip()), len(clause.rstrip(" .!?…"))
        self._before = self._first_ends(book.before.find(clause))
        self._navigation_ends = self._first_ends(
            hit for hit in book.navigate.find(clause) if hit.start <= begin
        )
        # "Pay later with Klarna" is paying; "Remind me to pay later" is not.
        after = sorted(hit.start for hit in book.after.find(clause) if hit.end >= end)
        self._after = {self._part(start): start for start in after}

    def _part(self, place: int) -> int:
        """The number of conjunctions before a position."""
        return bisect_left(self._conjunctions, place)

    def _first_ends(self, hits: Iterable[LexiconHit]) -> dict[int, int]:
        """By part of the clause: where the first of these hits ends."""
        return {self._part(hit.end): hit.end for hit in sorted(hits, key=lambda hit: -hit.end)}

    def is_negated(self, hit: LexiconHit) -> bool:
        refused = self._after.get(self._part(hit.end), -1) >= hit.end
        return refused or self.is_negated_before(hit) or self._is_reached(self._navigation_ends, hit)

    def is_negated_before(self, hit: LexiconHit) -> bool:
        return self._is_reached(self._before, hit)

    def _is_reached(self, ends: Mapping[int, int], hit: LexiconHit) -> bool:
        return ends.get(self._part(hit.start), hit.start + 1) <= hit.start


def _clauses(text: str, most: int, book: Lexicon) -> Iterator[str]:
    for reading in read_as(_ends(text, most)):
        for part in filter(str.strip, _CLAUSE.split(reading.translate(QUOTES))):
            yield _FAVOUR.sub("", _mask_phrases(fold(part), book.harmless))


def _mask_phrases(folded: str, phrases: Phrases) -> str:
    for start, end in sorted({(hit.start, hit.end) for hit in phrases.find(folded)}, reverse=True):
        # A placeholder stays so that the words around it do not form a new phrase.
        folded = f"{folded[:start]}x{folded[end:]}"
    return folded


def _ends(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-most // 2 :]}"
