"""Finds what is drawn on a picture besides text: rectangles with an outline, and small pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

import cv2
import numpy as np
from numpy.typing import NDArray

from gui_agent.computers.vision.detection import Grey, Thing, grow, merge
from gui_agent.computers.vision.ocr import TextLine
from gui_agent.core.geometry import Box

FILLED = 0.85
"""An outline whose area is this share of its box's is a rectangle, with or without round corners."""
ROUND = 0.72
"""A circle fills 0.785 of its box."""
SMALLEST, LARGEST_ICON = 6, 56
"""Sides of icons, in pixels."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was found by its edges."""

    rectangles: tuple[Box, ...]
    """Largest first; of the two edges of one outline the outer one."""
    circles: tuple[Box, ...]
    """As small as round buttons to choose one of several."""
    pieces: tuple[Box, ...]
    """All other small connected shapes: strokes of text, parts of icons."""


def edges(grey: Grey) -> Drawn:
    """Look for the edges of a picture."""
    closed = cv2.morphologyEx(cv2.Canny(grey, 30, 90), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    rectangles, circles, pieces = [], [], []
    for contour in contours:
        left, top, width, height = cv2.boundingRect(contour)
        box = Box(left, top, width, height)
        share = cv2.contourArea(contour) / box.area
        if min(width, height) >= 9 and share >= FILLED:
            rectangles.append(box)
        elif share >= ROUND and 9 <= width <= 24 and abs(width - height) <= 2:
            circles.append(box)
        elif max(width, height) <= LARGEST_ICON:
            pieces.append(box)
    return Drawn(tuple(_outermost(rectangles)), tuple(_outermost(circles)), tuple(pieces))


def icons(found: Drawn, texts: Sequence[Box], frame: Box) -> list[Box]:
    """Small pictures: shapes that are not part of a text, joined when they nearly touch."""
    loose = [
        box for box in (*found.pieces, *found.circles) if not any(text.contains(box.center) for text in texts)
    ]
    small = [box for box in found.rectangles if max(box.width, box.height) <= 24 and box.height >= SMALLEST]
    whole = merge(loose + small, reach=3)
    return [
        grow(box, 1, frame)
        for box in whole
        if SMALLEST <= box.width <= LARGEST_ICON and SMALLEST <= box.height <= LARGEST_ICON
    ]


def _outermost(boxes: Sequence[Box]) -> list[Box]:
    """Without those that are the inner edge of another one, largest first."""
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda one: -one.area):
        if not any(_inner_edge(box, other) for other in kept):
            kept.append(box)
    return kept


def _inner_edge(box: Box, other: Box) -> bool:
    sides = (box.left - other.left, box.top - other.top, other.right - box.right, other.bottom - box.bottom)
    return all(-1 <= side <= 4 for side in sides)


LEAST = 9
"""Cells that make a table."""
TOUCH = 3
"""Pixels between the outlines of neighbours."""
HEADS = 40
"""How far left of a table the heads of its rows end."""
_LETTERS = tuple(ascii_uppercase) + tuple(a + b for a in ascii_uppercase for b in ascii_uppercase)
_DIGITS = tuple(str(number) for number in range(100_000))
_Sides = NDArray[np.int64]


def as_cells(made: Sequence[Thing], lines: Sequence[TextLine]) -> list[Thing]:
    """The things, with those fields that stand in a table as its cells.

    A cell is named by the heads of its column and row, as in `B3`, when these can be read.
    """
    fields = [thing for thing in made if thing.role == "textbox" and "multiline" not in thing.states]
    cells = {id(thing) for thing, inside in zip(fields, _in_table(fields), strict=True) if inside}
    if len(cells) < LEAST:
        return list(made)
    boxes = [thing.box for thing in fields if id(thing) in cells]
    top, left = min(box.top for box in boxes), min(box.left for box in boxes)
    above = [line for line in lines if line.box.center.y < top and top - line.box.bottom < line.box.height]
    beside = [line for line in lines if line.box.center.x < left and left - line.box.right < HEADS]
    columns = _heads_by_place(
        sorted({box.left for box in boxes}),
        {
            next((b.left for b in boxes if b.left <= one.box.center.x < b.right), -1): one.text
            for one in above
        },
        _LETTERS,
    )
    rows = _heads_by_place(
        sorted({box.top for box in boxes}),
        {
            next((b.top for b in boxes if b.top <= one.box.center.y < b.bottom), -1): one.text
            for one in beside
        },
        _DIGITS,
    )
    return [
        replace(thing, role="gridcell", name=_name(thing.box, columns, rows), states=frozenset())
        if id(thing) in cells
        else thing
        for thing in made
    ]


def _in_table(fields: Sequence[Thing]) -> list[bool]:
    """Which of the fields have a neighbour beside and one above or below."""
    if len(fields) < LEAST:
        return [False] * len(fields)
    sides = np.array([(one.box.left, one.box.top, one.box.right, one.box.bottom) for one in fields])
    left, top, right, bottom = sides.T
    beside = _touch(right, left) & (abs(top[:, None] - top[None, :]) <= 2)
    below = _touch(bottom, top) & (abs(left[:, None] - left[None, :]) <= 2)
    in_row, in_column = (near.any(axis=0) | near.any(axis=1) for near in (beside, below))
    return [bool(one) for one in in_row & in_column]


def _touch(end: _Sides, start: _Sides) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = abs(start[None, :] - end[:, None]) <= TOUCH
    return near


def _heads_by_place(places: Sequence[int], heads: Mapping[int, str], system: Sequence[str]) -> dict[int, str]:
    """The head of each place; those that could not be read follow from the others."""
    near: list[int] = []
    for place in places:
        if not near or place - near[-1] > TOUCH:
            near.append(place)
    numbers = {head: number for number, head in enumerate(system)}
    known = [
        (next(i for i, one in enumerate(near) if abs(one - place) <= TOUCH), numbers[head])
        for place, head in heads.items()
        if head in numbers and any(abs(one - place) <= TOUCH for one in near)
    ]
    firsts = Counter(number - index for index, number in known)
    if not firsts or (agreed := firsts.most_common(1)[0])[1] < 2:
        return {}
    first = agreed[0]
    return {
        place: system[first + index]
        for place in places
        for index, one in enumerate(near)
        if 0 <= place - one <= TOUCH and 0 <= first + index < len(system)
    }


def _name(cell: Box, columns: Mapping[int, str], rows: Mapping[int, str]) -> str:
    column, row = columns.get(cell.left, ""), rows.get(cell.top, "")
    return f"{column}{row}" if column and row else ""
