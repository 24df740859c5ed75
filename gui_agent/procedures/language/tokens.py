"""Instructions as tokens with their places in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gui_agent.core.texts import normal

_TOKEN = re.compile(r"\w+(?:(?!['’]s\b)[.:/@'’_\-+]\w+)*|(?<=\w)['’]s\b|[^\w\s]", re.IGNORECASE)
"""Words with what is inside of them; the `'s` of whose something is stands for itself."""
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
