"""A lexicon of phrases, each with a tag, and the folded form of a text in which they are searched.

The phrases are in `words.toml`. Texts are compared without case, accents, invisible characters and
look-alike letters of other alphabets, so that none of these hides a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

from gui_agent.agent.guard.vocabulary import read_table, tagged_phrases
from gui_agent.core.observation import Element, Place
from gui_agent.elements.roles import OPERABLE, TYPED_INTO, word_set
from gui_agent.elements.text import CLAUSE_WORD, lookalikes, visible
from gui_agent.elements.text import identifier_words as split_identifier

QUOTES = str.maketrans({"‘": "'", "’": "'", "`": "'", "´": "'"})
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
BETWEEN = word_set(
    "the a an this that these those my your our their his her den der die das dem diese dieses "
    "diesen mein meine meinen ihr ihre le la les l un une ce cet cette ces mon ma mes votre vos el "
    "los las mi mis su sus esta este o os as meu minha seu sua il lo gli i mio mia questo questa het "
    "de een deze dit mijn uw selected all"
)
"""Words that may interrupt a phrase: "cancel this subscription" matches "cancel subscription"."""


@dataclass(frozen=True, slots=True)
class LexiconHit:
    """A phrase that was found: its tag, and its start and end in the folded text."""

    tag: str
    start: int
    end: int


class Phrases:
    """A set of tagged phrases that can be searched for in a text."""

    def __init__(self, phrases: Iterable[tuple[str, str]], between: frozenset[str] = BETWEEN) -> None:
        self._between = between
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._inside: list[tuple[str, str]] = []
        for phrase, tag in phrases:
            folded = fold(phrase)
            if is_unspaced(folded) or not CLAUSE_WORD.search(folded):
                self._inside.append((folded, tag))
                continue
            words = tuple(CLAUSE_WORD.findall(folded))
            if len(words) == 2 and len(folded) > 6:  # "Buynow"
                whole = "".join(words)
                self._by_first.setdefault(whole, []).append(((whole,), tag))
            self._by_first.setdefault(words[0], []).append((words, tag))

    def find(self, folded: str) -> list[LexiconHit]:
        """The phrases found in a folded text; of overlapping ones, the longest."""
        tokens = [(match.group(), match.start(), match.end()) for match in CLAUSE_WORD.finditer(folded)]
        hits: list[LexiconHit] = []
        for place, (word, start, _) in enumerate(tokens):
            for words, tag in self._by_first.get(word, ()):
                end = _phrase_end(tokens, place, words, self._between)
                if end:
                    hits.append(LexiconHit(tag, start, end))
        for phrase, tag in () if folded.isascii() else self._inside:
            start = folded.find(phrase)
            if start >= 0:
                hits.append(LexiconHit(tag, start, start + len(phrase)))
        return _longest(hits)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of `words.toml`, prepared for searching."""

    verbs: Phrases
    affirm: Phrases
    before: Phrases
    after: Phrases
    navigate: Phrases
    retry: Phrases
    harmless: Phrases
    mentions: Phrases
    icons: Phrases
    sets: Mapping[str, frozenset[str]]
    """Sets of single words by name."""
    alone: Mapping[str, str]


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with the guard, read once."""
    table = read_table("words.toml")
    phrases = {name: [*tagged_phrases(group)] for name, group in table.items()}
    plain = ("affirm", "before", "after", "navigate", "retry")
    return Lexicon(
        **{name: Phrases(phrases[name]) for name in plain},
        verbs=Phrases(phrases["meaning"]),
        harmless=Phrases([*phrases["harmless"], *_undoing(table["undone"])], frozenset()),
        mentions=Phrases([*phrases["mention"], *phrases["meaning"]]),
        icons=Phrases(phrases["icon"]),
        sets={name: frozenset(map(fold, words)) for name, words in table["words"].items()},
        alone={fold(word): tag for word, tag in phrases["alone"]},
    )


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """The text without case, accents, invisible characters and look-alike letters in Latin words."""
    if text.isascii():
        return text.translate(QUOTES).casefold()
    plain = unicodedata.normalize("NFKD", visible(unicodedata.normalize("NFKC", visible(text))))
    bare = "".join(c for c in plain.translate(QUOTES) if not unicodedata.combining(c))
    whole = CLAUSE_WORD.sub(lambda match: _one_alphabet(match.group()), bare)
    return whole.casefold().translate(_LETTERS)


def identifier_words(text: str) -> str:
    """The words in an identifier: `btnDeleteAll` and `fa fa-trash-o` as plain words."""
    return fold(" ".join(split_identifier(text)))


def _one_alphabet(word: str) -> str:
    latin = any("a" <= letter <= "z" for letter in word.casefold())
    return word.translate(lookalikes()) if latin and not word.isascii() else word


def is_unspaced(text: str) -> bool:
    """Whether a text has letters of a script that puts no blanks between words."""
    return bool(_UNSPACED.search(text))


_UNSPACED = re.compile("[\u0900-\u0e7f\u1100-\u11ff\u3040-\u9fff\uac00-\ud7a3]")
"""Letters of scripts that put no blanks between words, or none before endings."""


def _phrase_end(
    tokens: Sequence[tuple[str, int, int]], place: int, words: Sequence[str], between: frozenset[str]
) -> int:
    """Where a phrase that begins at `place` ends, skipping words in `between`; 0 if it does not match."""
    at, last = place + 1, min(len(tokens), place + len(words) + 2)
    for word in words[1:]:
        while at < last and tokens[at][0] != word and tokens[at][0] in between:
            at += 1
        if at >= len(tokens) or tokens[at][0] != word:
            return 0
        at += 1
    return tokens[at - 1][2]


def _longest(hits: Sequence[LexiconHit]) -> list[LexiconHit]:
    kept: set[LexiconHit] = set()
    widest = (-1, -1)
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.end > widest[1] or (hit.start, hit.end) == widest:
            kept.add(hit)
            widest = (hit.start, hit.end)
    return [hit for hit in hits if hit in kept]


def _undoing(table: Mapping[str, list[str]]) -> Iterable[tuple[str, str]]:
    for verb, between, thing in product(table["verbs"], ("", "all ", "the "), table["things"]):
        yield f"{verb} {between}{thing}", ""


_TERMINAL = re.compile(
    r"\w@[\w.-]+:\s?[~/]|\b(lxterminal|urxvt|kgx|foot|st|wezterm|guake|yakuake|terminal|xterm|konsole|alacritty|kitty|iterm2?|terminator|tilix|rxvt|putty|powershell|pwsh|"
    r"cmd\.exe|command prompt|eingabeaufforderung|windows ?terminal|conhost|tmux|console|termux)\b",
    re.IGNORECASE,
)
_WEB_TERMINAL = re.compile(r"\bxterm-(helper-textarea|screen|viewport|rows)\b|\bterminal\b", re.IGNORECASE)


def editable(element: Element) -> bool:
    return "editable" in element.states or element.role in TYPED_INTO


def is_terminal(element: Element | None, place: Place) -> bool:
    """Whether text typed there is executed as commands."""
    if element is not None:
        said = (element.role, element.attributes.get("class", ""), element.name)
        if element.role == "terminal" or any(_WEB_TERMINAL.search(text) for text in said):
            return True
    # A page about terminals is not a terminal: for pages only the element counts, as for a program's
    # controls.
    told = element is not None and "atspi" in element.source
    if place.url or (element is not None and told and (editable(element) or element.role in OPERABLE)):
        return False
    return place.commands or bool(_TERMINAL.search(f"{place.app}\n{place.title}"))
