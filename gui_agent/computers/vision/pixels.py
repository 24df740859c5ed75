"""Questions about the pixels inside an outline: is there anything, is it a field, does it end in an arrow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gui_agent.computers.vision.detection import Grey
from gui_agent.computers.vision.ocr import ink_of
from gui_agent.core.geometry import Box

EDGE = 4
"""Pixels that the outline and its shadow take."""
WHITE = 250
"""Paper that is bright enough to be written on, whatever is around it."""
LIFTED = 4
"""How much brighter than its surroundings the paper of a field is, at least."""
PLAIN = 6
"""How much the brightness of a plain surface varies."""
ARROW = (6, 16)
"""Widths of arrows that say that a list opens."""
ARROW_GAP = 3
"""Blank columns between a text and the arrow behind it."""


class GreyPicture:
    """A grey picture that answers questions about its parts."""

    def __init__(self, grey: Grey) -> None:
        self._grey = grey

    def ink(self, box: Box) -> Box | None:
        """The box of what is drawn inside an outline; None when there is nothing."""
        inside = inset(box, EDGE)
        if inside is None:
            return None
        rows, columns = ink_of(self._cut(inside)).nonzero()
        if not len(rows):
            return None
        left, top = int(columns.min()), int(rows.min())
        size = int(columns.max()) - left + 1, int(rows.max()) - top + 1
        return Box(inside.left + left, inside.top + top, *size)

    def ink_share(self, box: Box) -> float:
        """How much of a place is drawn upon, 0 to 1."""
        return float(ink_of(self._cut(box)).mean())

    def is_plain(self, box: Box) -> bool:
        """Whether all of a place looks the same."""
        return bool(self._cut(box).std() < PLAIN)

    def is_field(self, box: Box) -> bool:
        """Whether the paper inside an outline sets it off from what is around it, as that of fields does."""
        middle = inset(box, 3)
        if middle is None:
            return False
        inside, around = float(np.median(self._cut(middle))), self._around(box)
        if inside >= WHITE:
            return True
        return inside - around >= LIFTED if around >= 128 else abs(inside - around) >= LIFTED

    def is_round(self, box: Box) -> bool:
        """Whether the corners of a box belong to its surroundings, as those of a circle do."""
        height, width = self._grey.shape
        if box.left < 2 or box.top < 2 or box.right + 2 > width or box.bottom + 2 > height:
            return False
        outside, corner = self._grey[box.top - 2, box.left - 2], self._grey[box.top + 2, box.left + 2]
        return abs(int(outside) - int(corner)) < 24

    def is_dotted(self, box: Box) -> bool:
        """Whether what is drawn in a place is a dot in its middle."""
        rows, columns = ink_of(self._cut(box)).nonzero()
        if not len(rows):
            return False
        middle = (box.height - 1) / 2, (box.width - 1) / 2
        return bool(abs(rows.mean() - middle[0]) <= 1 and abs(columns.mean() - middle[1]) <= 1)

    def arrow_at_end(self, box: Box) -> Box | None:
        """The arrow downwards with which the content of an outline ends; None when it ends otherwise."""
        inside = inset(box, EDGE)
        if inside is None:
            return None
        drawn = ink_of(self._cut(inside))
        columns = np.flatnonzero(drawn.any(axis=0))
        if not len(columns):
            return None
        gaps = np.flatnonzero(np.diff(columns) > ARROW_GAP)
        left = int(columns[gaps[-1] + 1]) if len(gaps) else int(columns[0])
        shape = drawn[:, left : int(columns[-1]) + 1]
        rows = np.flatnonzero(shape.any(axis=1))
        shape = shape[rows[0] : rows[-1] + 1]
        height, width = shape.shape
        if not ARROW[0] <= width <= ARROW[1] or not 0.3 * width <= height <= 0.85 * width:
            return None
        if _reach(shape[0]) < 0.7 * width or _reach(shape[-1]) > 0.5 * width or not _tapers(shape):
            return None
        return Box(inside.left + left, inside.top + int(rows[0]), width, height)

    def _cut(self, box: Box) -> Grey:
        return self._grey[box.top : box.bottom, box.left : box.right]

    def _around(self, box: Box) -> float:
        """The usual brightness just outside a box."""
        height, width = self._grey.shape
        top, bottom = max(0, box.top - 3), min(height, box.bottom + 3)
        left, right = max(0, box.left - 3), min(width, box.right + 3)
        strips = [
            self._grey[top : box.top, left:right],
            self._grey[box.bottom : bottom, left:right],
            self._grey[top:bottom, left : box.left],
            self._grey[top:bottom, box.right : right],
        ]
        return float(np.median(np.concatenate([strip.ravel() for strip in strips])))


def inset(box: Box, by: int) -> Box | None:
    """The box without a margin; None when nothing is left."""
    if box.width <= 2 * by or box.height <= 2 * by:
        return None
    return Box(box.left + by, box.top + by, box.width - 2 * by, box.height - 2 * by)


def _reach(row: NDArray[np.bool_]) -> int:
    places = np.flatnonzero(row)
    return int(places[-1] - places[0]) + 1 if len(places) else 0


def _tapers(shape: NDArray[np.bool_]) -> bool:
    reaches = [_reach(row) for row in shape]
    return all(after <= before + 1 for before, after in pairwise(reaches))
