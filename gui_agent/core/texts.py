"""Comparing texts the way a reader does: case, spacing and quotes do not matter."""

from __future__ import annotations

import re
import unicodedata

_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " ", "…": "..."})


def normal(text: str) -> str:
    """The text in lower case, NFKC, with straight quotes and single spaces, without spaces at its ends."""
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES))
    return _SPACE.sub(" ", plain).strip().casefold()


def label(text: str) -> str:
    """A normal text without the marks that labels carry: a closing colon, star or ellipsis."""
    return normal(text).strip(" :*.?\t-–—")


def shorten(text: str, limit: int = 80) -> str:
    """The text on one line, cut with `…` when it is longer than `limit` characters."""
    line = _SPACE.sub(" ", text).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
