"""The words of a text: where it is cut, which words tell nothing apart, one and several of a thing.

There are three ways to cut, because what is read differs: a sentence, the name of a thing on the screen,
and an identifier that a programmer made up.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

from gui_agent.core.texts import normal

ARTICLES = ("the", "a", "an")
DETERMINERS = (*ARTICLES, "this", "that", "my", "your")
"""What may stand before the name of a thing without being a part of it."""
_OTHERS = (
    "and are as at be by do for from has have if in into is it its me of on or please so their then there to"
    " up use want was with you"
)
STOP_WORDS = frozenset((*DETERMINERS, *_OTHERS.split()))
"""Words of a task that tell nothing apart."""
CLAUSE_WORD = re.compile(r"[^\W_]+n't|[^\W_]+")
"""A word of a clause whose negations matter: `don't` is one word, `l'envoi` are two."""

_WORD = re.compile(r"\w+")
_WORD_OR_MASK = re.compile(r"\w+|[*#]")
_NAME_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[#@&+%$€£]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN = re.compile(r"[\W_]+")


def words(text: str, *, masks: bool = False) -> list[str]:
    """The words of a sentence in lower case.

    Args:
        masks: `*` and `#` count too, which the memory writes in the place of values and numbers.
    """
    return (_WORD_OR_MASK if masks else _WORD).findall(normal(text))


def task_words(task: str) -> frozenset[str]:
    """The words of a task that can tell elements apart, in lower case."""
    return frozenset(words(task)) - STOP_WORDS


def task_stems(task: str) -> frozenset[str]:
    """The telling words of a task, one and several of a thing taken as the same."""
    return frozenset(map(singular, task_words(task)))


def name_words(name: str) -> list[str]:
    """The words of a name that is normal text already; marks that tell names apart are words of their own."""
    return _NAME_WORD.findall(name)


def identifier_words(text: str) -> list[str]:
    """The words in an identifier: `btnDeleteAll` and `fa fa-trash-o`, as they are written."""
    return _BETWEEN.sub(" ", _CAMEL.sub(" ", text)).split()


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """An English word without the ending of the plural."""
    if len(word) < 4:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("sses", "xes", "ches", "shes"):
        if word.endswith(ending):
            return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u0600-\u0605\ufff0-\ufffb\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Characters that Unicode wants not to be shown (Default_Ignorable_Code_Point)."""
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that turn the direction of what follows."""
_AMOUNT = re.compile(r"[€$£¥₹₽]\s?\d|\d\s?(?:[€$£¥₹₽]|(?:EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|zł|kr|Kč|руб)\b)")
"""A sum of money."""
_EITHER = str.maketrans("ӏӀІіɩıǀ", "lllllll")
"""Letters that look like an l as much as like an i."""


@cache
def lookalikes() -> dict[int, str]:
    """Letters that look like Latin ones, with what they look like (`confusables.toml`)."""
    source = files("gui_agent.elements").joinpath("confusables.toml").read_text("utf-8")
    return {ord(other): latin for latin, others in tomllib.loads(source).items() for other in others}


def visible(text: str) -> str:
    """The text without characters that are not shown."""
    return _IGNORABLE.sub("", text)


def turns_direction(text: str) -> bool:
    """Whether a text reads otherwise than it is written."""
    return _TURNING.search(text) is not None


def names_a_sum(text: str) -> bool:
    """Whether a text names a sum of money."""
    return _AMOUNT.search(text) is not None


@lru_cache(maxsize=4096)
def read_as(text: str) -> tuple[str, ...]:
    """The text, and how else a person may read it: turned round, look-alikes, words run together."""
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
