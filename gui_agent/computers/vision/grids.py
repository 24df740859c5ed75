"""Tells the cells of a table from fields: they touch each other in rows and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from gui_agent.computers.vision.detection import Thing
from gui_agent.computers.vision.ocr import Line
from gui_agent.core.geometry import Box

LEAST = 9
"""Cells that make a table."""
TOUCH = 3
"""Pixels between the outlines of neighbours."""
HEADS = 40
"""How far left of a table the heads of its rows end."""
_LETTERS = tuple(ascii_uppercase) + tuple(a + b for a in ascii_uppercase for b in ascii_uppercase)
_DIGITS = tuple(str(number) for number in range(100_000))
_Sides = NDArray[np.int64]


def as_cells(made: Sequence[Thing], lines: Sequence[Line]) -> list[Thing]:
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
    columns = _numbered(
        sorted({box.left for box in boxes}),
        {
            next((b.left for b in boxes if b.left <= one.box.center.x < b.right), -1): one.text
            for one in above
        },
        _LETTERS,
    )
    rows = _numbered(
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


def _numbered(places: Sequence[int], heads: Mapping[int, str], system: Sequence[str]) -> dict[int, str]:
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
