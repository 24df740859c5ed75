"""Reading numbers, ordinals and quantities out of text, and splitting lists."""

from __future__ import annotations

import re

ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
CARDINALS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")
_NUMBER = re.compile(r"[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?")
_DURATION = re.compile(
    r"^\D*?(?:(\d+)\s*h(?:ours?|rs?)?)?[\s,]*(?:(\d+)\s*m(?:in(?:utes?)?)?)?\s*$", re.IGNORECASE
)
NOTHING = frozenset({"nothing", "none", "no one", "nobody"})
"""Words that stand for an empty list."""
_LIST_SEPARATOR = re.compile(r"\s*(?:,\s*and\s+|,\s*|;\s*|\s+and\s+|\s*[&>→]\s*)", re.IGNORECASE)

_COMMAS = re.compile(r"\s*[,;]\s*")


def ordinal(text: str) -> int | None:
    """`third`, `3rd`, `3`, `three`, `#3` as 3; `last` as -1; None for anything else."""
    word = text.strip(" .,#").lower()
    if word in ("last", "final"):
        return -1
    for names in (ORDINALS, CARDINALS):
        if word in names:
            return names.index(word) + 1
    found = _ORDINAL.match(word)
    if found:
        return int(found[1])
    return int(word) if word.isdecimal() else None


def number_in(text: str) -> float | None:
    """The only number in a text, or a duration in minutes; None when there is none or are several."""
    duration = _DURATION.match(text)
    if duration and any(duration.groups()) and not text.strip().isdecimal():
        return float(int(duration[1] or 0) * 60 + int(duration[2] or 0))
    found = _NUMBER.findall(text)
    if len(found) == 1:
        return float(found[0].replace(",", "").replace("−", "-"))
    if not found and text.strip().lower() in CARDINALS:
        return float(CARDINALS.index(text.strip().lower()) + 1)
    return None


def list_items(text: str, *, commas: bool = False) -> tuple[str, ...]:
    """The items of `a, b and c` or `a > b > c`; none for a word that means nothing.

    Args:
        commas: only commas part the items, so that an item may be `Trinidad and Tobago`.
    """
    if text.strip().lower() in NOTHING:
        return ()
    separator = _COMMAS if commas else _LIST_SEPARATOR
    return tuple(item.strip().strip("\"'") for item in separator.split(text.strip()) if item.strip())


def result_of(left: float, sign: str, right: float) -> str | None:
    """Two numbers added, subtracted, multiplied or divided, written without needless zeros."""
    if sign == "/" and right == 0:
        return None
    result = {"+": left + right, "-": left - right, "*": left * right}.get(sign)
    return f"{left / right if result is None else result:.10g}"
