"""The words of tasks and attributes, and the similarity of texts by letters."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

from gui_agent.core.texts import normal
from gui_agent.elements.text import DETERMINERS, singular

_OTHERS = (
    "and are as at be by do for from has have if in into is it its me of on or please so their then there to"
    " up use want was with you"
)
STOP_WORDS = frozenset((*DETERMINERS, *_OTHERS.split()))
"""Words of a task that do not distinguish elements."""
_BETWEEN_VALUES = "a an the to in into for from of with by on at and or as is it this that"
FILLERS = frozenset(_BETWEEN_VALUES.split())
"""Words between the values of an instruction."""
_SMALL = "these those it its of to in on at by with for from and can could you me is are 's"
SMALL_WORDS = frozenset((*DETERMINERS, *_SMALL.split()))
"""Words that a wording may lack or have in addition."""

RESEMBLING = 45.0
"""Per cent of letters in common from which a name is worth mentioning in a message."""
_WORD = re.compile(r"\w+")
_WORD_OR_MASK = re.compile(r"\w+|[*#]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_GIVEN = re.compile(r"[\s,;]+")
_GIVEN_JOINED = re.compile(r"[\s_\-,;/]+")
_SUFFIX = re.compile(r"(?<=\w{3})(?:ings?|ied|ies|ed|es|s|ly|e|y)$")


def words(text: str, *, masks: bool = False) -> list[str]:
    """The words in lower case; with `masks` also `*` and `#`, with which the memory masks values."""
    return (_WORD_OR_MASK if masks else _WORD).findall(normal(text))


def task_words(task: str) -> frozenset[str]:
    """The words of a task that can distinguish elements, in lower case."""
    return frozenset(words(task)) - STOP_WORDS


def task_stems(task: str) -> frozenset[str]:
    """The distinguishing words of a task in the singular."""
    return frozenset(map(singular, task_words(task)))


def slug_words(text: str) -> list[str]:
    """The words for a file name or a value name: lower case, ASCII letters and digits."""
    return _ASCII_WORD.findall(text.lower())


def attribute_words(value: str, *, joined: bool = False) -> list[str]:
    """The words of an attribute such as a class; with `joined`, also split at `_`, `-` and `/`."""
    return (_GIVEN_JOINED if joined else _GIVEN).split(normal(value))


def stem(word: str) -> str:
    """The word without its common endings, to compare `deleted` with `delete`."""
    plain = normal(word).replace("-", "").split("'")[0]
    found = _SUFFIX.sub("", plain)
    return found[:-1] if len(found) > 3 and found[-1] == found[-2] else found


def letters_alike(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """The share of letters or parts that two texts have in common in the same order, 0 to 1; case counts."""
    from rapidfuzz import fuzz

    return fuzz.ratio(one, other) / 100


def words_alike(one: str, other: str) -> float:
    """The same, with the words of both in alphabetical order."""
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(one, other) / 100


def distance_order(wanted: str, names: Sequence[str]) -> list[int]:
    """Indices of the names, most similar by letters first; for messages, never for decisions.

    Names with hardly a letter in common are left out, but never all of them.
    """
    from rapidfuzz import fuzz

    aim = normal(wanted)
    shares = [max(fuzz.ratio(aim, plain), fuzz.token_set_ratio(aim, plain)) for plain in map(normal, names)]
    order = sorted(range(len(names)), key=lambda place: -shares[place])
    return [place for place in order if place == order[0] or shares[place] >= RESEMBLING]


def common_places(own: Sequence[str], other: Sequence[str]) -> set[int]:
    """The positions of words that another wording has in the same order (longest matching blocks)."""
    blocks = SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks()
    return set().union(*(range(block.a, block.a + block.size) for block in blocks))
