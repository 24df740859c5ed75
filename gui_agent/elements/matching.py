"""How similar two texts are: names by their words, text read from a picture by its letters.

The only module that compares texts of a screen; misspelled names of settings, keys and verbs are found by
`core.texts.nearest`, with the same library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from gui_agent.core.texts import label, normal
from gui_agent.elements import tuning
from gui_agent.elements.text import ARTICLES, name_words, singular

RESEMBLING = 45.0
"""Per cent of letters in common from which a name is worth naming in a message."""
_STEP = re.compile(r"[/?#]+")
"""Between the parts of an address or a path."""
_LETTER = re.compile(r"[^\W_]")


VERY, NEARLY, PARTLY = range(3)
"""The very name in whatever case; the name but for a plural or a slip; a part of a longer name."""


def likeness(wanted: str, name: str) -> float:
    """How well a name answers to the words asked for, 0 to 1; 1 only when they are the same text.

    A name may have more words than were asked for, but never fewer. Names are compared word by word, so
    that `Send` is not found in `Resend`; words of four letters and less, and numbers, must be exact.
    """
    return compare(wanted, name)[0]


@lru_cache(maxsize=8192)
def compare(wanted: str, name: str) -> tuple[float, int]:
    """The likeness, and whether it is of the very name, nearly the name, or a part of it."""
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


def letters_alike(one: str, other: str) -> float:
    """The share of letters that two texts have in common in the same order, 0 to 1; case counts."""
    from rapidfuzz import fuzz

    return fuzz.ratio(one, other) / 100


def words_alike(one: str, other: str) -> float:
    """The same with the words of both in alphabetical order."""
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(one, other) / 100


def distance_order(wanted: str, names: Sequence[str]) -> list[int]:
    """Indices of the names from most to least similar by letters; for messages, never for decisions.

    Names that have hardly a letter in common are left out, but never all of them.
    """
    from rapidfuzz import fuzz

    target = normal(wanted)
    scored: list[tuple[float, int]] = []
    for i, name in enumerate(names):
        plain = normal(name)
        scored.append((max(fuzz.ratio(target, plain), fuzz.token_set_ratio(target, plain)), -i))
    scored.sort(reverse=True)
    return [-negative for place, (score, negative) in enumerate(scored) if place == 0 or score >= RESEMBLING]


def common_places(own: Sequence[str], other: Sequence[str]) -> set[int]:
    """The places of those words that another wording has too, in the same order (longest matching blocks)."""
    blocks = SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks()
    return {block.a + place for block in blocks for place in range(block.size)}


def _by_words(wanted: str, name: str) -> tuple[float, int]:
    asked, there = name_words(wanted), name_words(name)
    if not asked or not there:
        return 0.0, PARTLY
    if "".join(asked) == "".join(there):
        # Names that are only marks, as on the keys of a calculator, are the same or they are not.
        return (tuning.PLURAL if _LETTER.search(wanted) else 0.0), VERY
    pairs = _pair(asked, there)
    known = {i for i, _, _ in pairs}
    lacking = [word for i, word in enumerate(asked) if i not in known]
    if not known or set(lacking) - set(ARTICLES):
        return 0.0, PARTLY
    quality = sum(score for _, _, score in pairs) / len(pairs) - (tuning.LACKING if lacking else 0.0)
    order = [j for _, j, _ in pairs]
    quality -= tuning.OTHER_ORDER if order != sorted(order) else 0.0
    if len(pairs) == len(there):
        return quality, NEARLY
    covered = sum(len(there[j]) for j in order) / sum(map(len, there))
    if all(map(str.isdigit, asked)) and covered < tuning.NUMBER_SHARE:
        return 0.0, PARTLY
    extra = {word for j, word in enumerate(there) if j not in order}
    turned = tuning.TURNED if extra & tuning.TURNING_WORDS else 1.0
    return quality * turned * (tuning.SOME_WORDS_BASE + tuning.SOME_WORDS_SHARE * covered), PARTLY


def _pair(asked: list[str], there: list[str]) -> list[tuple[int, int, float]]:
    """Each word asked for with the best word of the name that is still free: (index, index, score)."""
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
    if slips == 1:
        return tuning.ONE_TYPO
    if slips == 2 and shorter >= tuning.TWO_TYPOS_LENGTH:
        return tuning.TWO_TYPOS
    return 0.0
