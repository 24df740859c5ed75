"""A stretch of a sentence: some tokens in a row and the text they were cut from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gui_agent.planners.commands.lexer import Token


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a stretch of text is not what a rule wants; `position` is an index into the whole sentence."""

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
        """Its tokens."""
        return self.tokens[self.start : self.stop]

    @property
    def text(self) -> str:
        """The text as it stands, with its own spacing; what is in quotes when it is one quoted text."""
        if not len(self):
            return ""
        if len(self) == 1:
            return self[0].text
        return self.source[self[0].start : self[-1].end]

    @property
    def position(self) -> int:
        """Where it begins in the sentence."""
        if self.start < len(self.tokens):
            return self.tokens[self.start].start
        return len(self.source)

    @property
    def quoted(self) -> bool:
        """Whether it is exactly one quoted text."""
        return len(self) == 1 and self[0].kind == "quoted"

    def cut(self, start: int, stop: int | None = None) -> Span:
        """A part of it, by indices relative to its start."""
        end = self.stop if stop is None else self.start + stop
        return Span(self.source, self.tokens, self.start + start, end)

    def starts_with(self, phrase: str, at: int = 0) -> int:
        """How many tokens the phrase takes at this index, 0 when it does not stand there."""
        words = phrase.split()
        if at + len(words) > len(self):
            return 0
        return len(words) if all(self[at + i].word == word for i, word in enumerate(words)) else 0

    def begins(self, phrases: Iterable[str], at: int = 0) -> int:
        """The number of tokens of the longest of these phrases that stands at this index, else 0."""
        return max((self.starts_with(phrase, at) for phrase in phrases), default=0)

    def after(self, phrases: Iterable[str]) -> Span:
        """The rest behind the longest of these phrases, itself when none stands at its start."""
        return self.cut(self.begins(phrases))

    def before(self, phrases: Iterable[str]) -> Span:
        """What stands before the longest of these phrases at its end, itself when none does."""
        taken = max(
            (n for p in phrases if (n := len(p.split())) <= len(self) and self.starts_with(p, len(self) - n)),
            default=0,
        )
        return self.cut(0, len(self) - taken)

    def split(self, phrases: Sequence[str], *, last: bool = False) -> tuple[Span, Span] | None:
        """What stands before and behind the first (or last) of these phrases that is not at an end."""
        places = range(1, len(self) - 1)
        for index in reversed(places) if last else places:
            length = self.begins(phrases, index)
            if length and index + length < len(self):
                return self.cut(0, index), self.cut(index + length)
        return None

    def trimmed(self) -> Span:
        """Itself without joints at either end."""
        start, stop = 0, len(self)
        while start < stop and self[start].joins:
            start += 1
        while stop > start and self[stop - 1].joins:
            stop -= 1
        return self.cut(start, stop)

    def listed(self) -> list[Span]:
        """Its items when it is a list with commas and `and`; one item when it is not."""
        items: list[Span] = []
        begin = 0
        for index in range(len(self) + 1):
            if index == len(self) or self[index].joins:
                if index > begin:
                    items.append(self.cut(begin, index))
                begin = index + 1
        return items
