"""Cutting a sentence into words, quoted texts and the joints between commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "quoted", "comma", "and", "stop", "then"]

CLOSING = {'"': '"', "“": "”", "„": "“”", "«": "»", "'": "'", "‘": "’"}
_POINT = re.compile(r"\(\s*-?\d+\s*,\s*-?\d+\s*\)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MEANT = {"n": "\n", "t": "\t"}
_QUOTES = "\"'“”„‘’«»"


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a sentence; `start` and `end` are indices into it."""

    kind: Kind
    text: str
    start: int
    end: int
    raw: str = ""
    """What stands between the quotes with only quotes unescaped, for file names with backslashes."""

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
    """A quote that is opened and never closed; `position` is where."""

    def __init__(self, position: int) -> None:
        super().__init__("the quote opened here is never closed")
        self.position = position


def tokenize(text: str) -> tuple[Token, ...]:
    """The pieces of a sentence in order.

    Raises:
        Unclosed: a double quote is opened and never closed.
    """
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        mark = text[at]
        if mark in "\n;":
            yield Token("then", mark, at, at + 1)
            at += 1
        elif mark.isspace():
            at += 1
        elif mark == ",":
            yield Token("comma", mark, at, at + 1)
            at += 1
        elif mark in CLOSING and (closed := _closing(text, at)) is not None:
            inner = text[at + 1 : closed]
            yield Token("quoted", _unescape(inner, _MEANT), at, closed + 1, raw=_unescape(inner, {}))
            at = closed + 1
        elif mark in CLOSING and mark not in "'‘":
            raise Unclosed(at)
        else:
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
    """A word, without the full stop or colon that ends a sentence or introduces what follows."""
    word = text[at:end]
    if word in (":", "."):
        if word == ".":
            yield Token("stop", word, at, end)
        return
    bare = word.rstrip(".") if word.strip(".") else word
    bare = bare.removesuffix(":") if len(bare) > 1 and end < len(text) else bare
    kind: Kind = "word"
    if bare.casefold() in ("and", "then"):
        kind = "and" if bare.casefold() == "and" else "then"
    yield Token(kind, bare, at, at + len(bare))
    if word.endswith(".") and word.strip("."):
        yield Token("stop", ".", end - 1, end)
