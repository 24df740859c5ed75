"""Finds the cells of a sheet in a picture, by their outlines, and names them by the headers around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress, product
from operator import attrgetter
from string import ascii_uppercase

import cv2
import numpy as np
from numpy.typing import NDArray

from eyes.controls import Seen
from gui_agent.computers.vision.detection import Grey
from gui_agent.computers.vision.ocr import TextLine
from gui_agent.core.observation import Box

LEAST = 9
"""Cells and pixels: a table has at least this many cells, none of which is lower."""
FILLED = 0.85
"""Minimum ratio of a rectangle's area to its box."""
TOUCH = 3
"""Maximum pixels between the outlines of neighbours."""
HEADS = 40
"""Maximum distance (px) of headers from a table."""
_LETTERS = (*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2)))
_DIGITS = tuple(str(number) for number in range(100_000))
_Sides = NDArray[np.int64]


def sheet_cells(grey: Grey, lines: Sequence[TextLine]) -> list[Seen]:
    """The cells of a sheet whose columns have letters and whose rows have numbers, as `B3`."""
    boxes = list(_table(_rectangles(grey)))
    if len(boxes) < LEAST:
        return []
    table = Box.hull(boxes)
    near = [line for line in lines if line.box.gap(table) < HEADS]
    above = [(line.box.center.x, line.text) for line in near if line.box.is_above(table, TOUCH)]
    beside = [(line.box.center.y, line.text) for line in near if line.box.is_left_of(table, TOUCH)]
    columns = _heads((box.columns for box in boxes), above, _LETTERS)
    rows = _heads((box.rows for box in boxes), beside, _DIGITS)
    made = []
    for box in boxes:
        left, top = box.corner
        if left in columns and top in rows:
            inside = (line.text for line in lines if box.contains(line.box.center))
            made.append(Seen("gridcell", columns[left] + rows[top], box, " ".join(inside)))
    return made


def _rectangles(grey: Grey) -> list[Box]:
    """Outlined rectangles, each once: the outer one of the two edges of an outline."""
    closed = cv2.morphologyEx(cv2.Canny(grey, 30, 90), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    kept: list[Box] = []
    for contour in sorted(contours, key=cv2.contourArea, reverse=True):
        box = Box(*cv2.boundingRect(contour))
        whole = min(box.measures[2:]) >= LEAST and cv2.contourArea(contour) >= FILLED * box.area
        if whole and not any(_inner_edge(box, other) for other in kept):
            kept.append(box)
    return kept


def _inner_edge(box: Box, other: Box) -> bool:
    return other.grow(1).encloses(box) and box.grow(4).encloses(other)


def _table(boxes: Sequence[Box]) -> Iterable[Box]:
    """Those boxes with one neighbour beside and one above or below."""
    if len(boxes) < LEAST:
        return ()
    left, top, right, bottom = np.array([box.edges for box in boxes]).T
    beside = _touch(right, left) & (abs(top[:, None] - top[None, :]) <= 2)
    below = _touch(bottom, top) & (abs(left[:, None] - left[None, :]) <= 2)
    in_row, in_column = (near.any(axis=0) | near.any(axis=1) for near in (beside, below))
    return compress(boxes, in_row & in_column)


def _touch(end: _Sides, start: _Sides) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = abs(start[None, :] - end[:, None]) <= TOUCH
    return near


def _heads(
    places: Iterable[range], heads: Sequence[tuple[int, str]], system: Sequence[str]
) -> dict[int, str]:
    """The header of each row or column by its start; unreadable ones are inferred from the others.

    Args:
        places: the pixel range of each row or column.
        heads: the recognized headers, each with a pixel in its row or column.
        system: all headers in order.
    """
    ranks: dict[range, int] = {}
    begin, rank = -TOUCH, -1
    for place in sorted(places, key=attrgetter("start")):
        if place.start - begin > TOUCH or rank < 0:
            begin, rank = place.start, rank + 1
        ranks[place] = rank
    numbers = {head: number for number, head in enumerate(system)}
    firsts = Counter(
        numbers[head] - ranks[place]
        for (pixel, head), place in product(heads, ranks)
        if pixel in place and head in numbers
    )
    first, agreeing = next(iter(firsts.most_common(1)), (0, 0))
    if agreeing < 2:
        return {}
    numbered = ((place.start, first + rank) for place, rank in ranks.items())
    return {start: system[number] for start, number in numbered if 0 <= number < len(system)}
