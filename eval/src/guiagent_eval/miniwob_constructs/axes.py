"""The axes of a chart, read from the numbers that stand along them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise

from gui_agent.procedures.language.view import View

_LABEL = re.compile(r"^[-−]?\d+(?:\.\d+)?$")
_FEWEST = 3
"""Numbers that an axis shows at least."""
_MOST = 60
"""Screens with more numbers show a table, not a chart."""
_LINE = 5.0
"""Pixels by which the numbers along an axis may be out of line."""
_OFF = 0.25
"""How far, in steps of the axis, a number or a thing may be from where it belongs."""

_Label = tuple[float, float, float]
"""Number, and the two coordinates of its middle: along the axis and across it."""


@dataclass(frozen=True)
class Axis:
    """A straight scale: number = `slope` * pixel + `start`."""

    slope: float
    start: float
    step: float

    def at(self, pixel: float) -> float | None:
        """The number at a place; None between the marks."""
        exact = (self.slope * pixel + self.start) / self.step
        return round(exact) * self.step + 0.0 if abs(exact - round(exact)) <= _OFF else None


@dataclass(frozen=True)
class Axes:
    """The two axes of a chart."""

    across: Axis
    up: Axis

    def at(self, x: float, y: float) -> tuple[float, float] | None:
        """The coordinates of a place that is a crossing of marks."""
        one, two = self.across.at(x), self.up.at(y)
        return None if one is None or two is None else (one, two)


@lru_cache(maxsize=64)
def axes_of(view: View) -> Axes | None:
    """The axes that the numbers on a screen show; None when they show none."""
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
    """The axes of a grid of equal marks whose numbers were not recorded: the one in the middle is at 0, 0."""
    marks = [e.box for e in view.elements if "shape" in e.attributes and not e.name]
    across = _even(sorted({box.center.x for box in marks}))
    up = _even(sorted({box.center.y for box in marks}))
    if across is None or up is None or len({(box.width, box.height) for box in marks}) > 1:
        return None
    filled = across[1] * up[1] == len(marks) == len({(box.center.x, box.center.y) for box in marks})
    return Axes(across[0], replace(up[0], slope=-up[0].slope, start=-up[0].start)) if filled else None


def _even(places: Sequence[float]) -> tuple[Axis, int] | None:
    """The scale of places at equal distances with one in the middle, and how many they are."""
    gaps = {round(two - one, 1) for one, two in pairwise(places)}
    if len(gaps) != 1 or len(places) < _FEWEST or len(places) % 2 == 0:
        return None
    gap = gaps.pop()
    return Axis(1 / gap, -places[len(places) // 2] / gap, 1.0), len(places)


def _axis(labels: Sequence[_Label]) -> Axis | None:
    """The scale on which most of the numbers of one line are; a few may stand aside, as 0 often does."""
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
    """How many numbers of a line are on a scale, and the scale; None when they are too few."""
    close = _OFF * min(two - one for one, two in pairwise(sorted({number for number, _, _ in line})))
    fitting = sorted({number for number, place, _ in line if abs(slope * place + start - number) <= close})
    if len(fitting) < _FEWEST:
        return None
    step = min(two - one for one, two in pairwise(fitting))
    return len(fitting), Axis(slope, start, step)
