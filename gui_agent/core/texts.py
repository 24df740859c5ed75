"""Compares texts as a reader does, ignoring case, spacing and quotes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

ELLIPSES = ("...", "…")
"""Endings of a text that more follows: an entry that opens a dialog, work that is under way."""
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"([-+]?(?:\d+(?:\.\d+|,\d{1,2})?|\.\d+)(?:e[-+]?\d+)?)\s*[^\s\d.,]{0,3}")
_FOLDERS = re.compile(r"\S*[/\\](?=\S)")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
ORDINALS = _ORDINALS.split()
_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " ", "…": "...", "−": "-"}
)


@lru_cache(maxsize=65536)
def normal(text: str) -> str:
    """The text in lower case, NFKC, with straight quotes and single spaces, stripped."""
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES))
    return _SPACE.sub(" ", plain).strip().casefold()


def without_spaces(text: str) -> str:
    """The normal text without spaces, which a reader of pictures may miss or add."""
    return normal(text).replace(" ", "")


@lru_cache(maxsize=65536)
def label(text: str) -> str:
    """A normal text without the punctuation of labels: a final colon, star or ellipsis."""
    return normal(text).strip(" :*.?\t-–—")


def is_titled(title: str, name: str) -> bool:
    """Whether a name fits a window's title: the title begins with it, or contains it outside folder names.

    `~/plans/notes.txt - Editor` fits `notes.txt` and `Editor`, but not `plans`.
    """
    whole, wanted = normal(title), normal(name)
    return (
        whole.startswith(wanted) or wanted in _FOLDERS.sub("", whole) or ("/" in wanted and wanted in whole)
    )


def table(text: str) -> dict[str, str]:
    """The table written as `name=value name=value`."""
    return dict(pair.split("=") for pair in text.split())


def inverse(table: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Each text of a table with its key."""
    found: dict[str, str] = {}
    for key, texts in table.items():
        found |= dict.fromkeys(texts, key)
    return found


def shorten(text: str, limit: int = 80) -> str:
    """The text on one line, cut with `…` if it is longer than `limit` characters."""
    line = _SPACE.sub(" ", text).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def number(text: str) -> float | None:
    """The number that is the whole text, perhaps with a short unit; otherwise None."""
    found = _NUMBER.fullmatch(text.translate(_QUOTES).strip())
    return float(found[1].replace(",", ".")) if found else None


def equal_runs(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int, int]]:
    """The runs of items that two sequences share, in order: where each begins in both, and its length.

    The last one is empty, at both ends.
    """
    from difflib import SequenceMatcher

    return [(*run,) for run in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()]


def nearest(word: str, known: Iterable[str], least: float = 0.6) -> str:
    """The known word that a misspelled one probably means; empty if none is similar."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(word, list(known), scorer=fuzz.ratio, score_cutoff=100 * least)
    return found[0] if found else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the most similar known word, or else all of them."""
    words = sorted(known)
    near = nearest(word, words, 0.5)
    if near:
        return f' (did you mean "{near}"?)'
    return f"; known: {', '.join(words)}" if words else ""
