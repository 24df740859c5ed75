"""Detected controls, and the parts of a picture that changed or may show text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui_agent.core.observation import Box


@dataclass(frozen=True, slots=True)
class DetectedControl:
    """One detected control, before it is matched with earlier ones."""

    role: str
    name: str
    box: Box
    value: str = ""
    states: frozenset[str] = frozenset()
    source: str = "vision"
    """Who found it: `ocr` the words, `vision` the control, `vision+ocr` both."""
    icon: str = ""
    """What people call a control with this icon, if it has no text."""


Pixels = NDArray[np.uint8]
"""A picture as rows x columns x 3 (blue, green, red)."""
Grey = NDArray[np.uint8]
"""A picture as rows x columns of brightness."""
TILE = 16
"""Side of a tile in pixels; about the height of a line of text."""
WHOLE = 0.6
"""Share of changed area from which on the whole picture is read; pieces would cost more."""


def changed_areas(before: Pixels | None, now: Pixels) -> list[Box]:
    """Separate boxes that together contain every changed pixel; everything if there is no earlier picture."""
    height, width = now.shape[:2]
    frame = Box(0, 0, width, height)
    if before is None or before.shape != now.shape:
        return [frame]
    rows, columns = -(-height // TILE), -(-width // TILE)
    differs = np.zeros((rows * TILE, columns * TILE), dtype=bool)
    np.any(before != now, axis=2, out=differs[:height, :width])
    tiles = differs.reshape(rows, TILE, columns, TILE).any(axis=(1, 3))
    places = np.argwhere(tiles)
    if len(places) > WHOLE * rows * columns:
        return [frame]
    boxes = (Box(int(x) * TILE, int(y) * TILE, TILE, TILE) for y, x in places)
    clipped = (box.intersect(frame) for box in boxes)
    return merge((box for box in clipped if box is not None), reach=1)


def merge(boxes: Iterable[Box], reach: int = 0) -> list[Box]:
    """Boxes around all those that overlap or are nearer than `reach` to each other."""
    groups: list[Box] = []
    for box in boxes:
        group = box
        while near := [other for other in groups if group.grow(reach).intersect(other)]:
            groups = [other for other in groups if other not in near]
            group = Box.hull([group, *near])
        groups.append(group)
    return groups


def grow(box: Box, by: int, frame: Box) -> Box:
    return box.grow(by).intersect(frame) or box


def cut(pixels: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    """The part of a picture inside a box."""
    return pixels[box.top : box.bottom, box.left : box.right]


VARIED = 40
"""Minimum variation of brightness in a non-blank tile."""
PAPER = 0.4
"""Minimum share of one brightness in a possible text; pictures have less."""
LEAST_TILES = 2


def blank_areas(grey: Grey, covered: Sequence[Box]) -> list[Box]:
    """Parts of a picture that may contain text, outside of boxes with known content.

    Lines and frames are not text: they vary in one direction only.
    """
    rows, columns = (side // TILE for side in grey.shape)
    tiles = grey[: rows * TILE, : columns * TILE].reshape(rows, TILE, columns, TILE)
    across = (tiles.max(axis=3) - tiles.min(axis=3)).max(axis=1) > VARIED
    along = (tiles.max(axis=1) - tiles.min(axis=1)).max(axis=2) > VARIED
    shown: NDArray[np.bool_] = across & along
    for box in covered:
        left, top = max(0, box.left // TILE), max(0, box.top // TILE)
        shown[top : max(0, -(-box.bottom // TILE)), left : max(0, -(-box.right // TILE))] = False
    if int(shown.sum()) < LEAST_TILES:
        return []
    whole = Box(0, 0, grey.shape[1], grey.shape[0])
    ys, xs = shown.nonzero()
    # Tiles with one tile between them belong together, as letters have gaps.
    joint = merge(
        [Box(int(x) * TILE, int(y) * TILE, TILE, TILE).grow(TILE) for y, x in zip(ys, xs, strict=True)]
    )
    areas = [part for box in joint if (part := box.intersect(whole)) is not None]
    return [area for area in areas if _may_be_text(grey, area) and _tiles_in(shown, area) >= LEAST_TILES]


def _tiles_in(shown: NDArray[np.bool_], area: Box) -> int:
    return int(
        shown[area.top // TILE : -(-area.bottom // TILE), area.left // TILE : -(-area.right // TILE)].sum()
    )


def _may_be_text(grey: Grey, area: Box) -> bool:
    counts = np.bincount(cut(grey, area).ravel() >> 3)
    return bool(counts.max() >= PAPER * counts.sum())
