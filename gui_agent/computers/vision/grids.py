"""Tells the cells of a table from fields: they touch each other in rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gui_agent.computers.vision.reading import Line
from gui_agent.computers.vision.things import Thing
from gui_agent.core.geometry import Box

LEAST = 9
"""Cells that make a table."""
TOUCH = 3
"""Pixels between the outlines of neighbours."""
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
    beside = [line for line in lines if line.box.center.x < left and left - line.box.right < 40]
    return [_cell(thing, above, beside) if id(thing) in cells else thing for thing in made]


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


def _cell(thing: Thing, above: Sequence[Line], beside: Sequence[Line]) -> Thing:
    middle = thing.box.center
    column = next((line.text for line in above if _spans(thing.box, line.box)), "")
    row = next((line.text for line in beside if line.box.top <= middle.y < line.box.bottom), "")
    name = f"{column}{row}" if column.isalpha() and row.isdigit() else ""
    return replace(thing, role="gridcell", name=name, states=frozenset())


def _spans(cell: Box, head: Box) -> bool:
    return cell.left <= head.center.x < cell.right
