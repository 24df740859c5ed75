"""Says which parts of a picture have changed, so that only those are read again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gui_agent.core.geometry import Box

Pixels = NDArray[np.uint8]
"""A picture as rows x columns x 3 (blue, green, red)."""
Grey = NDArray[np.uint8]
"""A picture as rows x columns of brightness."""
TILE = 16
"""Pixels of the side of a tile; about the height of a line of text."""
WHOLE = 0.6
"""When this share of a picture has changed it is read as a whole; pieces would cost more."""


def changed_areas(before: Pixels | None, now: Pixels) -> list[Box]:
    """Boxes that hold every pixel that differs, none of which touch; all when there is no picture before."""
    height, width = now.shape[:2]
    whole = [Box(0, 0, width, height)]
    if before is None or before.shape != now.shape:
        return whole
    rows, columns = -(-height // TILE), -(-width // TILE)
    differs = np.zeros((rows * TILE, columns * TILE), dtype=bool)
    np.any(before != now, axis=2, out=differs[:height, :width])
    tiles = differs.reshape(rows, TILE, columns, TILE).any(axis=(1, 3))
    places = np.argwhere(tiles)
    if len(places) > WHOLE * rows * columns:
        return whole
    frame = whole[0]
    boxes = (Box(int(x) * TILE, int(y) * TILE, TILE, TILE) for y, x in places)
    clipped = (box.intersect(frame) for box in boxes)
    return joined((box for box in clipped if box is not None), reach=1)


def joined(boxes: Iterable[Box], reach: int = 0) -> list[Box]:
    """Boxes around all those that overlap or are nearer than `reach` to each other."""
    groups: list[Box] = []
    for box in boxes:
        group = box
        while near := [other for other in groups if _near(group, other, reach)]:
            groups = [other for other in groups if other not in near]
            group = around([group, *near])
        groups.append(group)
    return groups


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box around some."""
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    return Box(left, top, max(b.right for b in boxes) - left, max(b.bottom for b in boxes) - top)


def grown(box: Box, by: int, frame: Box) -> Box:
    """The box with a margin, as far as it lies in the frame."""
    larger = Box(box.left - by, box.top - by, box.width + 2 * by, box.height + 2 * by)
    return larger.intersect(frame) or box


def _near(box: Box, other: Box, reach: int) -> bool:
    return (
        box.left - reach < other.right
        and other.left < box.right + reach
        and box.top - reach < other.bottom
        and other.top < box.bottom + reach
    )
