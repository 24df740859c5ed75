"""The lexer: splits a sentence into words, quoted texts and the joints between commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "quoted", "comma", "and", "stop", "then"]

CLOSING = {'"': '"', "“": "”", "„": "“”", "«": "»", "'": "'", "‘": "’", "「": "」", "『": "』"}
_POINT = re.compile(r"\(\s*-?\d+\s*,\s*-?\d+\s*\)")
_PATH = re.compile(r"(?:^|[\s\"'=(])[A-Za-z]:\\|^\\\\\w")
"""The start of a Windows path, alone or in a command; `\\t` in it is the folder t and not a tab."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MEANT = {"n": "\n", "t": "\t"}
_QUOTES = "\"'“”„‘’«»「」『』"
_SENTENCE_END = re.compile(
    r"(?:^\w|\b(?!(?:dr|mrs?|ms|prof|st|sr|jr|nr|vs|approx)\b)\w{2,})\.\s+(?=\w)", re.IGNORECASE
)
"""A full stop before more words; not that of an abbreviation or of an initial after another word."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a sentence; `start` and `end` are indices into it."""

    kind: Kind
    text: str
    start: int
    end: int
    raw: str = ""
    """The text between the quotes with only quotes unescaped, for file names with backslashes."""

    @property
    def word(self) -> str:
        """The word in lower case; empty for quoted texts and joints, which are never keywords."""
        return self.text.casefold() if self.kind in ("word", "and", "then") else ""

    @property
    def joins(self) -> bool:
        """Whether a new command may start after it."""
        return self.kind not in ("word", "quoted")

    @property
    def parts(self) -> bool:
        """Whether a new command must start after it."""
        return self.kind == "then"


class Unclosed(ValueError):
    """A quote without a closing quote; `position` is its index."""

    def __init__(self, position: int) -> None:
        super().__init__("the quote opened here is never closed")
        self.position = position


def phrases(text: str) -> tuple[str, ...]:
    """Comma-separated phrases as a tuple."""
    return tuple(text.split(", "))


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a sentence in order. Raises Unclosed for a double quote that is never closed."""
    return tuple(_pieces(text))


def quoted_parts(text: str) -> Iterator[tuple[int, int]]:
    """Where each quoted text starts and ends with its quotes, also where no space is before it."""
    at = 0
    while at < len(text):
        is_apostrophe = text[at] in "'‘" and text[at - 1 : at].isalnum()
        closed = None if is_apostrophe or text[at] not in CLOSING else _closing(text, at)
        if closed is not None:
            yield at, closed + 1
        at = at + 1 if closed is None else closed + 1


def _pieces(text: str) -> Iterator[Token]:
    at = 0
    never: set[str] = set()  # quotes that nothing closes from here on: each is searched only once
    while at < len(text):
        mark = text[at]
        if mark in "\n;,":
            yield Token("comma" if mark == "," else "then", mark, at, at + 1)
            at += 1
        elif mark.isspace():
            at += 1
        elif mark in CLOSING and mark not in never and (closed := _closing(text, at)) is not None:
            inner = text[at + 1 : closed]
            meant = {} if _PATH.search(inner) else _MEANT
            yield Token("quoted", _unescape(inner, meant), at, closed + 1, raw=_unescape(inner, {}))
            at = closed + 1
        elif mark in CLOSING and mark not in "'‘":
            raise Unclosed(at)
        else:
            if mark in CLOSING:
                never.add(mark)
            end = _word_end(text, at)
            yield from _word(text, at, end)
            at = end


def _closing(text: str, at: int) -> int | None:
    """Index of the quote that closes the one at `at`; an apostrophe inside a word does not."""
    closers = CLOSING[text[at]]
    index = at + 1
    while index < len(text):
        if text[index] == "\\" and text[index + 1 : index + 2] in (*_QUOTES, "\\"):
            index += 2
            continue
        if text[index] in closers:
            after = text[index + 1 : index + 2]
            if text[index] not in "'’" or not (after.isalnum() or after == "_"):
                return index
        index += 1
    return None


def _unescape(inner: str, meant: dict[str, str]) -> str:
    def plain(match: re.Match[str]) -> str:
        mark = match.group(1)
        return mark if mark in _QUOTES + "\\" else meant.get(mark, match.group())

    return _ESCAPE.sub(plain, inner)


def _word_end(text: str, at: int) -> int:
    point = _POINT.match(text, at)
    if point:
        return point.end()
    end = at + 1
    while end < len(text) and not text[end].isspace() and text[end] != ";":
        if text[end] == "," and (end + 1 >= len(text) or text[end + 1].isspace() or text[end + 1] in _QUOTES):
            break
        end += 1
    return end


def _word(text: str, at: int, end: int) -> Iterator[Token]:
    """A word, without a full stop or colon that ends a sentence or introduces the next words."""
    word = text[at:end]
    if word in (":", "."):
        if word == ".":
            yield Token("stop", word, at, end)
        return
    bare = word.rstrip(".") or word
    ends = bare != word
    if word == f"{bare}..":  # the full stop of a text before that of the sentence
        bare += "."
    bare = bare.removesuffix(":") if len(bare) > 1 and end < len(text) else bare
    kind: Kind = "word"
    if bare.casefold() in ("and", "then"):
        kind = "and" if bare.casefold() == "and" else "then"
    yield Token(kind, bare, at, at + len(bare))
    if ends:
        yield Token("stop", ".", end - 1, end)


@dataclass(eq=False)
class Fault(Exception):
    """Why a rule rejects a stretch of text; `position` is an index into the whole sentence."""

    position: int
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `start` to `stop` of a sentence."""

    source: str
    tokens: tuple[Token, ...]
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, index: int) -> Token:
        return self.tokens[self.start + index if index >= 0 else self.stop + index]

    @property
    def each(self) -> tuple[Token, ...]:
        return self.tokens[self.start : self.stop]

    @property
    def text(self) -> str:
        """The text with its original spacing; for a single quoted text, its content."""
        if len(self) < 2:
            return "".join(token.text for token in self.each)
        return self.source[self[0].start : self[-1].end]

    def as_value(self) -> str:
        """Its text. Raises Fault if a sentence ends in it without quotes: what follows may be a command."""
        text = self.text
        if not self.is_quoted and (ended := _SENTENCE_END.search(text)):
            reason = f"'{text[ended.end() :]}' could be more of the text or a command"
            raise Fault(self.position + ended.end(), reason, "put the whole text in quotes")
        return text

    @property
    def position(self) -> int:
        return self.tokens[self.start].start if self.start < len(self.tokens) else len(self.source)

    @property
    def is_quoted(self) -> bool:
        return len(self) == 1 and self[0].kind == "quoted"

    @property
    def has_quotes(self) -> bool:
        """Whether one of its tokens is a quoted text."""
        return any(token.kind == "quoted" for token in self.each)

    @property
    def phrase(self) -> str:
        """Its text in lower case; empty for a quoted text, which is never a keyword."""
        return "" if self.is_quoted else self.text.casefold()

    def cut(self, start: int, stop: int | None = None) -> Span:
        """A part of it, by indices relative to its start; negative ones count from its end."""
        begin, end, _ = slice(start, stop).indices(len(self))
        return Span(self.source, self.tokens, self.start + begin, self.start + max(begin, end))

    def starts_with(self, phrase: str, at: int = 0) -> int:
        """The number of tokens of the phrase at this index; 0 if it is not there."""
        words = phrase.split()
        if at + len(words) > len(self):
            return 0
        return len(words) if all(self[at + i].word == word for i, word in enumerate(words)) else 0

    def begins(self, phrases: Iterable[str], at: int = 0) -> int:
        """The number of tokens of the longest of these phrases at this index; 0 if none is there."""
        first = self[at].word if at < len(self) else ""
        likely = (phrase for phrase in phrases if first and phrase.startswith(first))
        return max((self.starts_with(phrase, at) for phrase in likely), default=0)

    def rest_after(self, phrases: Iterable[str]) -> Span:
        """The rest after the longest of these phrases; the whole span if it starts with none."""
        return self.cut(self.begins(phrases))

    def part_before(self, phrases: Iterable[str]) -> Span:
        """The part before the longest of these phrases at the end; the whole span if it ends with none."""
        taken = max(
            (n for p in phrases if (n := len(p.split())) <= len(self) and self.starts_with(p, len(self) - n)),
            default=0,
        )
        return self.cut(0, len(self) - taken)

    def split(self, phrases: Sequence[str], *, last: bool = False) -> tuple[Span, Span] | None:
        """The parts before and after the first (or last) of these phrases that is not at an end.

        A phrase with a capital, as in `the Shown On field`, belongs to a name if another one has none.
        """
        found = [
            (at, n)
            for at in range(1, len(self) - 1)
            if (n := self.begins(phrases, at)) + at < len(self) and n
        ]
        found = [one for one in found if self[one[0]].text.islower()] or found
        if not found:
            return None
        index, length = found[-1 if last else 0]
        return self.cut(0, index), self.cut(index + length)

    def halves(self, phrases: Sequence[str], reason: str, hint: str = "") -> tuple[Span, Span]:
        """The parts before and after the last of these phrases. Raises Fault if there is none."""
        if (found := self.split(phrases, last=True)) is None:
            raise Fault(self.position, reason, hint)
        return found

    def left_over(self, hint: str = "") -> Fault:
        """The fault for text that does not belong to a command."""
        rest = self.without_joints()
        return Fault(rest.position, f"'{rest.text}' is not a plain command", hint)

    def without_joints(self) -> Span:
        """The span without joints at either end."""
        start, stop = 0, len(self)
        while start < stop and self[start].joins:
            start += 1
        while stop > start and self[stop - 1].joins:
            stop -= 1
        return self.cut(start, stop)

    def as_items(self) -> list[Span]:
        """The items of a list with commas and `and`; a single item for other texts."""
        items: list[Span] = []
        begin = 0
        for index in range(len(self) + 1):
            if index == len(self) or self[index].joins:
                if index > begin:
                    items.append(self.cut(begin, index))
                begin = index + 1
        return items
