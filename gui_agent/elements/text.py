"""Names on a screen: their words, their visible form, and how similar two texts are.

A name is split differently from an identifier or a sentence (`elements.words`). Names on a screen are
compared here, by words; text read from a picture is compared by letters, in `elements.words`. Misspelled
names of settings, keys and verbs are looked up by `core.texts.nearest`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

from gui_agent.core.texts import inverse, label, normal
from gui_agent.elements import tuning

ARTICLES = ("the", "a", "an")
DETERMINERS = (*ARTICLES, "this", "that", "my", "your")
"""Words that may precede a name without being a part of it."""
CLAUSE_WORD = re.compile(r"[^\W_]+n't|[^\W_]+")
"""A word of a clause in which negations matter: `don't` is one word, `l'envoi` are two."""
_NAME_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[#@&+%$€£]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN = re.compile(r"[\W_]+")


def name_words(name: str) -> list[str]:
    """The words of a normal name; symbols that distinguish names are words of their own."""
    return _NAME_WORD.findall(name)


def identifier_words(text: str) -> list[str]:
    """The words in an identifier, as written: `btnDeleteAll` and `fa fa-trash-o`."""
    return _BETWEEN.sub(" ", _CAMEL.sub(" ", text)).split()


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """An English word without its plural ending."""
    if len(word) < 4:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("sses", "xes", "ches", "shes"):
        if word.endswith(ending):
            return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def singular_words(text: str) -> frozenset[str]:
    """The words of a text in lower case and without plural endings."""
    return frozenset(map(singular, name_words(normal(text))))


_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u0600-\u0605\ufff0-\ufffb\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Characters that Unicode declares invisible (Default_Ignorable_Code_Point)."""
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that reverse the direction of the following text."""
CURRENCIES = "EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK"
"""Codes of currencies, as alternatives of a pattern."""
_AMOUNT = re.compile(rf"[€$£¥₹₽]\s?\d|\d\s?(?:[€$£¥₹₽]|(?:{CURRENCIES}|zł|kr|Kč|руб)\b)")
"""A sum of money."""
_EITHER = str.maketrans("ӏӀІіɩıǀ", "lllllll")
"""Letters that look like an l as much as like an i."""


@cache
def lookalikes() -> dict[int, str]:
    """Letters that look like Latin ones, with the Latin letter (`confusables.toml`)."""
    source = files("gui_agent.elements").joinpath("confusables.toml").read_text("utf-8")
    return str.maketrans(inverse(tomllib.loads(source)))


def visible(text: str) -> str:
    """The text without invisible characters."""
    return _IGNORABLE.sub("", text)


def turns_direction(text: str) -> bool:
    """Whether a text is displayed in another order than it is stored."""
    return _TURNING.search(text) is not None


_REQUESTS = frozenset(("can", "could", "would", "will", "may", "please"))


def is_question(text: str) -> bool:
    """Whether a sentence asks something, and is no request in the form of a question."""
    return text.rstrip().endswith("?") and _REQUESTS.isdisjoint(name_words(normal(text))[:1])


def names_a_sum(text: str) -> bool:
    return _AMOUNT.search(text) is not None


@lru_cache(maxsize=4096)
def read_as(text: str) -> tuple[str, ...]:
    """The text, and its other possible readings: reversed, with look-alikes replaced, with joined words
    split.
    """
    turned = turns_direction(text)
    parted = text if text.isascii() else unicodedata.normalize("NFKC", _IGNORABLE.sub(" ", text))
    text = visible(unicodedata.normalize("NFKC", text)) if not text.isascii() else text
    found = [text, text[::-1]] if turned else [text]
    if parted != text:
        found.append(parted)
    if not text.isascii():
        found += [text.translate(lookalikes()), text.translate(_EITHER).translate(lookalikes())]
    if " " not in text and (parts := " ".join(identifier_words(text))) != text:
        found.append(parts)
    return tuple(dict.fromkeys(found))


_STEP = re.compile(r"[/?#]+")
"""Separators between the parts of an address or a path."""
_LETTER = re.compile(r"[^\W_]")

VERY, NEARLY, PARTLY = range(3)
"""How the name matches: exactly (ignoring case), except for a plural or a typo, or as a part of a longer
name.
"""


def likeness(wanted: str, name: str) -> float:
    """How well a name matches the wanted words, 0 to 1; 1 only if the texts are equal.

    A name may have more words than wanted, but never fewer. Names are compared word by word, so that `Send`
    is not found in `Resend`; words of up to four letters, and numbers, must be exact.
    """
    return compare(wanted, name)[0]


@lru_cache(maxsize=8192)
def compare(wanted: str, name: str) -> tuple[float, int]:
    """The likeness, and whether the name matches exactly, nearly or in part."""
    if not wanted or not name:
        return 0.0, PARTLY
    if wanted.strip() == name.strip():
        return 1.0, VERY
    plain_wanted, plain_name = normal(wanted), normal(name)
    if plain_wanted == plain_name:
        return 1.0 - tuning.OTHER_CASE, VERY
    bare_wanted, bare_name = label(wanted), label(name)
    if bare_wanted and bare_wanted == bare_name:
        same_case = wanted.strip(" :*.?-–—") == name.strip(" :*.?-–—")
        return 1.0 - tuning.DECORATED - (0.0 if same_case else tuning.OTHER_CASE), VERY
    if "/" in plain_name and "." in plain_wanted[1:-1] and plain_wanted in _STEP.split(plain_name):
        return tuning.STEP, PARTLY
    return _by_words(plain_wanted, plain_name)


def _by_words(wanted: str, name: str) -> tuple[float, int]:
    asked, there = name_words(wanted), name_words(name)
    if not asked or not there:
        return 0.0, PARTLY
    if "".join(asked) == "".join(there):
        # Names of symbols only, as on a calculator's keys, must be equal.
        return (tuning.PLURAL if _LETTER.search(wanted) else 0.0), VERY
    pairs = _best_pairs(asked, there)
    if not pairs:
        return 0.0, PARTLY
    places, order, scores = zip(*pairs, strict=True)
    lacking = {word for place, word in enumerate(asked) if place not in places}
    if lacking.difference(ARTICLES):
        return 0.0, PARTLY
    quality = sum(scores) / len(scores) - (tuning.LACKING if lacking else 0.0)
    quality -= tuning.OTHER_ORDER if order != tuple(sorted(order)) else 0.0
    if len(pairs) == len(there):
        return quality, NEARLY
    return quality * _part_factor(asked, there, order), PARTLY


def _part_factor(asked: list[str], there: list[str], order: Sequence[int]) -> float:
    """How well a part of a longer name stands for it; `order` are the positions of the wanted words in it."""
    covered = sum(len(there[place]) for place in order) / sum(map(len, there))
    if covered < tuning.NUMBER_SHARE and all(map(str.isdigit, asked)):
        return 0.0
    extra = {word for place, word in enumerate(there) if place not in order}
    turned = 1.0 if extra.isdisjoint(tuning.TURNING_WORDS) else tuning.TURNED
    return turned * (tuning.SOME_WORDS_BASE + tuning.SOME_WORDS_SHARE * covered)


def _best_pairs(asked: list[str], there: list[str]) -> list[tuple[int, int, float]]:
    pairs: list[tuple[int, int, float]] = []
    free = set(range(len(there)))
    for i, word in enumerate(asked):
        best = max(((_same_word(word, there[j]), -j) for j in free), default=(0.0, 0))
        if best[0] > 0:
            pairs.append((i, -best[1], best[0]))
            free.discard(-best[1])
    return pairs


@lru_cache(maxsize=8192)
def _same_word(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if any(map(str.isdigit, one + other)):
        return 0.0
    if singular(one) == singular(other):
        return tuning.PLURAL
    shorter = min(len(one), len(other))
    if shorter < tuning.ONE_TYPO_LENGTH or abs(len(one) - len(other)) > 2:
        return 0.0
    from rapidfuzz.distance import OSA

    slips = OSA.distance(one, other, score_cutoff=2)
    if slips == 1 and one[0] == other[0]:
        return tuning.ONE_TYPO
    same = one[: tuning.TWO_TYPOS_START] == other[: tuning.TWO_TYPOS_START]
    return tuning.TWO_TYPOS if slips == 2 and same and shorter >= tuning.TWO_TYPOS_LENGTH else 0.0
