"""Drawn shapes and charts: attributes computed from their look and their place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations, pairwise
from math import sqrt

from PIL import ImageColor

from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.procedures.language.constructs import AttributeConstruct, Costed, Reading
from gui_agent.procedures.language.evaluate import Scope, has_word, value_of
from gui_agent.procedures.language.program import Attribute, Count, Selector, Slot, Value
from gui_agent.procedures.language.view import View

_LABEL = re.compile(r"^[-−]?\d+(?:\.\d+)?$")
_FEWEST = 3
"""Minimum number of numbers on an axis."""
_MOST = 60
"""Screens with more numbers show a table, not a chart."""
_LINE = 5.0
"""Maximum pixels by which the numbers along an axis may be out of line."""
_OFF = 0.25
"""Maximum distance of a number or shape from its place, in steps of the axis."""

_Label = tuple[float, float, float]
"""A number, and the two coordinates of its middle: along the axis and across it."""


@dataclass(frozen=True)
class Axis:
    """A straight scale: number = `slope` * pixel + `start`."""

    slope: float
    start: float
    step: float

    def number_at(self, pixel: float) -> float | None:
        """The number at a pixel; None between the marks."""
        exact = (self.slope * pixel + self.start) / self.step
        return round(exact) * self.step + 0.0 if abs(exact - round(exact)) <= _OFF else None


@dataclass(frozen=True)
class Axes:
    """The two axes of a chart."""

    across: Axis
    up: Axis

    def coordinates_at(self, x: float, y: float) -> tuple[float, float] | None:
        """The coordinates of a pixel on a crossing of marks."""
        one, two = self.across.number_at(x), self.up.number_at(y)
        return None if one is None or two is None else (one, two)


@lru_cache(maxsize=64)
def axes_of(view: View) -> Axes | None:
    """The axes that the numbers on a screen form; None if they form none."""
    numbers = [
        (float(e.name.replace("−", "-")), e.box.center.x, e.box.center.y)
        for e in view.elements
        if _LABEL.match(e.name.strip())
    ]
    if len(numbers) > _MOST:
        return None
    across = _axis(numbers)
    up = _axis([(number, y, x) for number, x, y in numbers])
    return _lattice(view) if across is None or up is None else Axes(across, up)


def _lattice(view: View) -> Axes | None:
    """The axes of a grid of equal marks whose numbers were not recorded, with 0, 0 in the middle."""
    marks = [e.box for e in view.elements if "shape" in e.attributes and not e.name]
    across = _even(sorted({box.center.x for box in marks}))
    up = _even(sorted({box.center.y for box in marks}))
    if across is None or up is None or len({(box.width, box.height) for box in marks}) > 1:
        return None
    filled = across[1] * up[1] == len(marks) == len({(box.center.x, box.center.y) for box in marks})
    return Axes(across[0], replace(up[0], slope=-up[0].slope, start=-up[0].start)) if filled else None


def _even(places: Sequence[float]) -> tuple[Axis, int] | None:
    """The scale of places at equal distances with one in the middle, and their number."""
    gaps = {round(two - one, 1) for one, two in pairwise(places)}
    if len(gaps) != 1 or len(places) < _FEWEST or len(places) % 2 == 0:
        return None
    gap = gaps.pop()
    return Axis(1 / gap, -places[len(places) // 2] / gap, 1.0), len(places)


def _axis(labels: Sequence[_Label]) -> Axis | None:
    """The scale of most numbers of one line; a few may be beside it, as 0 often is."""
    best: tuple[int, Axis] | None = None
    for one, other in combinations(sorted(labels), 2):
        if abs(one[2] - other[2]) > _LINE or one[0] == other[0] or abs(one[1] - other[1]) < 1:
            continue
        slope = (other[0] - one[0]) / (other[1] - one[1])
        start = one[0] - slope * one[1]
        axis = _scale(slope, start, [label for label in labels if abs(label[2] - one[2]) <= _LINE])
        if axis is not None and (best is None or axis[0] > best[0]):
            best = axis
    return None if best is None else best[1]


def _scale(slope: float, start: float, line: Sequence[_Label]) -> tuple[int, Axis] | None:
    """The number of a line's numbers on a scale, and the scale; None if they are too few."""
    close = _OFF * min(two - one for one, two in pairwise(sorted({number for number, _, _ in line})))
    fitting = sorted({number for number, place, _ in line if abs(slope * place + start - number) <= close})
    if len(fitting) < _FEWEST:
        return None
    step = min(two - one for one, two in pairwise(fitting))
    return len(fitting), Axis(slope, start, step)


_NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?")


class _ByWords(AttributeConstruct):
    """Matches a text that is one of the attribute's words."""

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """The elements whose attribute has the text among its words."""
        return [element for element in elements if has_word(self.attribute_of(element, view), normal(text))]


class Kind(_ByWords):
    """Possible names for the kind of an element: its role, tag and type."""

    name, price = "kind", 2.0

    def attribute_of(self, element: Element, view: View) -> str:
        """Role, tag and type."""
        if element.is_text:
            return ""
        return " ".join((element.role, element.attributes.get("tag", ""), element.attributes.get("type", "")))


class Shade(_ByWords):
    """The families of an element's colour."""

    name, compared = "shade", True

    def attribute_of(self, element: Element, view: View) -> str:
        """The words for the colour."""
        return shades_of(element)


class Describes(_ByWords):
    """Whether the name of an element says what is drawn: `item` if it does."""

    name, compared = "describes", True

    def attribute_of(self, element: Element, view: View) -> str:
        """`item` if the name of an element that is not drawn describes everything drawn."""
        drawn = [one for one in view.elements if kind_of(one)]
        if kind_of(element) or not element.name or not drawn:
            return ""
        return "item" if drawings_as_told(element.name, view.elements) == drawn else ""


class Colour(AttributeConstruct):
    """The reported colour, under any of its names."""

    name = "color"

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """The elements of that colour."""
        word = normal(text)
        if is_colour(word):
            return [e for e in elements if canonical(self.attribute_of(e, view)) == canonical(word)]
        return [e for e in elements if has_word(self.attribute_of(e, view), word)]


class ChartPoint(AttributeConstruct):
    """The place of a shape on the axes of a chart."""

    name, compared = "point", True

    def attribute_of(self, element: Element, view: View) -> str:
        """The two coordinates of the shape."""
        axes = axes_of(view) if kind_of(element) else None
        place = axes.coordinates_at(element.box.center.x, element.box.center.y) if axes else None
        return "" if place is None else f"{place[0]:g} {place[1]:g}"

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """The elements at these coordinates, however these are written."""
        wanted = _numbers(text)
        return [e for e in elements if wanted and _numbers(self.attribute_of(e, view)) == wanted]


class Appearance(AttributeConstruct):
    """The look that a phrase such as `large red circle` describes."""

    name, price = "look", 1.2

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """The elements that the phrase describes; None if one of its words is unknown."""
        found = drawings_as_told(text, view.elements)
        if found is None:
            return None
        ids = {element.id for element in found}
        return [element for element in elements if element.id in ids]


def drawn_counts(
    wanted: Sequence[str], scopes: Sequence[Scope], reading: Reading | None
) -> Iterator[Costed[Value]]:
    """The number of shapes that match a part of the instruction."""
    if len(wanted) < 2 or not all(text.isdecimal() for text in wanted):
        return
    for name in sorted(set.intersection(*(set(scope.slots) for scope in scopes))):
        value = Count(Selector((Attribute(Appearance.name, Slot(name)),)))
        if all(value_of(value, scope) == text for text, scope in zip(wanted, scopes, strict=True)):
            yield Costed(2.5, value)


def _numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in _NUMBER.findall(text)]


_ARTICLES = frozenset(("a", "an", "the", "all", "any"))
_GREYISH = 10
"""If red, green and blue differ by less than this, the colour has no hue."""
_APART = 1.4
"""Minimum ratio of the largest to the smallest shape for sizes to have a meaning."""
_SIZE = re.compile(r"^(\d+)x(\d+)$")


@dataclass(frozen=True)
class Vocabulary:
    """Words for colours, sizes and kinds, each with its meaning."""

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
    """The demands of a description; an empty part demands nothing."""

    size: str = ""
    colour: str = ""
    kind: str = ""
    name: str = ""
    """The drawn letter or digit itself."""


def phrase(text: str) -> Phrase | None:
    """The parts of a description; None if one of its words is unknown or there are two of one sort."""
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
    """The one name for all names of a colour."""
    return vocabulary().colours.get(colour, colour)


def drawings_as_told(text: str, elements: Sequence[Element]) -> list[Element] | None:
    """The drawn elements of a screen that match the text.

    Returns:
        None if that is unknown: a word is unknown, or there is no shape to compare a size with.
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
    """Whether an element matches a phrase, apart from its size."""
    colour = canonical(element.attributes.get("color", ""))
    if wanted.colour and colour != wanted.colour and element.attributes.get("paint") != "unknown":
        return False
    if wanted.name and element.name != wanted.name:
        return False
    kinds = vocabulary().kinds.get(wanted.kind, ())
    return not kinds or kind_of(element) in kinds


def kind_of(element: Element) -> str:
    """The sort of a drawing: circle, rect, digit, letter ...; empty if the element is none."""
    shape = element.attributes.get("shape", "")
    if shape != "text":
        return shape
    if len(element.name) != 1:
        return "text"
    return "digit" if element.name.isdecimal() else "letter" if element.name.isalpha() else "text"


def _middle(drawn: Sequence[Element]) -> float | None:
    """The size between small and large shapes; None if all are about as large."""
    extents = [extent for element in drawn if (extent := _extent(element)) > 0]
    if not extents or max(extents) < _APART * min(extents):
        return None
    return sqrt(max(extents) * min(extents))


def _extent(element: Element) -> float:
    found = _SIZE.match(element.attributes.get("size", ""))
    return float(max(int(found[1]), int(found[2])) if found else max(element.box.width, element.box.height))


def shades_of(element: Element) -> str:
    """The families of an element's colour, as words; empty without a colour."""
    colour = element.attributes.get("fill") or element.attributes.get("color", "")
    try:
        parts = ImageColor.getrgb(colour)[:3]
    except ValueError:
        return ""
    return " ".join(families(*parts))


def families(red: int, green: int, blue: int) -> tuple[str, ...]:
    """The words for a colour's families, by its hue."""
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
