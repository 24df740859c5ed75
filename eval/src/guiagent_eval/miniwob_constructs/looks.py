"""How drawn things look, and whether a phrase such as `large red circles` describes one.

The words are in `looks.toml`. A phrase with a word that is not among them describes nothing, so that an
instruction is never half understood.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import sqrt

from PIL import ImageColor

from gui_agent.core.observation import Element
from gui_agent.core.texts import normal

_ARTICLES = frozenset(("a", "an", "the", "all", "any"))
_GREYISH = 10
"""Red, green and blue that differ by less than this make no hue."""
_APART = 1.4
"""How many times larger the largest thing must be than the smallest for sizes to have a meaning."""
_SIZE = re.compile(r"^(\d+)x(\d+)$")


@dataclass(frozen=True)
class Vocabulary:
    """Words for colours, sizes and kinds, each with what it stands for."""

    colours: Mapping[str, str]
    hues: Sequence[tuple[int, str]]
    families: Mapping[str, Sequence[str]]
    sizes: Mapping[str, str]
    kinds: Mapping[str, Sequence[str]]


@cache
def vocabulary() -> Vocabulary:
    """The words, read once."""
    read = tomllib.loads((files(__package__) / "looks.toml").read_text("utf-8"))
    return Vocabulary(
        _standing_for(read["colours"]),
        sorted((start, family) for family, start in read["hues"].items()),
        read["families"],
        _standing_for(read["sizes"]),
        read["kinds"],
    )


def _standing_for(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {other: word for word, others in words.items() for other in (word, *others)}


@dataclass(frozen=True)
class Phrase:
    """What a description demands; an empty part demands nothing."""

    size: str = ""
    colour: str = ""
    kind: str = ""
    name: str = ""
    """The letter or digit itself that is drawn."""


def phrase(text: str) -> Phrase | None:
    """A description taken apart; None when one of its words is unknown or there are two of one sort."""
    words = text.split()
    while len(words) > 1 and words[0].lower() in _ARTICLES:
        del words[0]
    if not words:
        return None
    found = [part for word in words if (part := _part(word)) is not None]
    sorts = [sort for sort, _ in found]
    if len(found) < len(words) or len(set(sorts)) < len(sorts):
        return None
    return Phrase(**dict(found))


def _part(word: str) -> tuple[str, str] | None:
    known = vocabulary()
    plain = normal(word).strip(".,;:!?")
    one = plain if plain in known.kinds else plain.removesuffix("s")
    if plain in known.sizes:
        return "size", known.sizes[plain]
    if is_colour(plain):
        return "colour", canonical(plain)
    if one in known.kinds:
        return "kind", one
    letter = word.strip(".,;:!?")
    if len(letter) == 2 and letter[1] == "s":
        letter = letter[0]
    return ("name", letter) if len(letter) == 1 and letter.isalnum() else None


def is_colour(word: str) -> bool:
    """Whether a word is the name of a colour."""
    return word in vocabulary().colours or word in ImageColor.colormap


def canonical(colour: str) -> str:
    """The one name that stands for all names of a colour."""
    return vocabulary().colours.get(colour, colour)


def described(text: str, elements: Sequence[Element]) -> list[Element] | None:
    """The drawn things among all elements of a screen that are as the text says.

    Returns:
        None when that cannot be told: a word is unknown, or nothing is there to compare a size with.
    """
    wanted = phrase(text)
    if wanted is None:
        return None
    drawn = [element for element in elements if kind_of(element)]
    found = [element for element in drawn if _fits(element, wanted)]
    if not found or not wanted.size:
        return found
    middle = _middle(drawn)
    if middle is None:
        return None
    return [element for element in found if (_extent(element) > middle) == (wanted.size == "large")]


def _fits(element: Element, wanted: Phrase) -> bool:
    """Whether an element is as a phrase says, its size apart."""
    colour = canonical(element.attributes.get("color", ""))
    if wanted.colour and colour != wanted.colour and element.attributes.get("paint") != "unknown":
        return False
    if wanted.name and element.name != wanted.name:
        return False
    kinds = vocabulary().kinds.get(wanted.kind, ())
    return not kinds or kind_of(element) in kinds


def kind_of(element: Element) -> str:
    """What sort of drawing an element is: circle, rect, digit, letter ...; empty when it is none."""
    shape = element.attributes.get("shape", "")
    if shape != "text":
        return shape
    if len(element.name) != 1:
        return "text"
    return "digit" if element.name.isdecimal() else "letter" if element.name.isalpha() else "text"


def _middle(drawn: Sequence[Element]) -> float | None:
    """The size between small and large things; None when all are about as large."""
    extents = [extent for element in drawn if (extent := _extent(element)) > 0]
    if not extents or max(extents) < _APART * min(extents):
        return None
    return sqrt(max(extents) * min(extents))


def _extent(element: Element) -> float:
    found = _SIZE.match(element.attributes.get("size", ""))
    return float(max(int(found[1]), int(found[2])) if found else max(element.box.width, element.box.height))


def shades_of(element: Element) -> str:
    """The families that the colour of an element belongs to, as words; empty without a colour."""
    colour = element.attributes.get("fill") or element.attributes.get("color", "")
    try:
        parts = ImageColor.getrgb(colour)[:3]
    except ValueError:
        return ""
    return " ".join(families(*parts))


def families(red: int, green: int, blue: int) -> tuple[str, ...]:
    """The words for a colour of which it is a shade, by its hue."""
    most, least = max(red, green, blue), min(red, green, blue)
    if most - least < _GREYISH:
        return ("white",) if least > 240 else ("black",) if most < 25 else ("gray", "grey")
    spread = most - least
    if most == red:
        sector = ((green - blue) / spread) % 6
    elif most == green:
        sector = (blue - red) / spread + 2
    else:
        sector = (red - green) / spread + 4
    family = max((start, name) for start, name in vocabulary().hues if start <= sector * 60)[1]
    others = tuple(vocabulary().families.get(family, ()))
    return (family, *others)
