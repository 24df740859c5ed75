"""The parts of a picture that changed or may show text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from gui_agent.core.observation import Box

Pixels = NDArray[np.uint8]
"""A picture as rows x columns x 3 (blue, green, red)."""
Grey = NDArray[np.uint8]
"""A picture as rows x columns of brightness."""
TILE = 16
"""Side of a tile in pixels; about the height of a line of text."""


def changed_areas(before: Pixels, now: Pixels) -> list[Box]:
    """Boxes that together contain every changed pixel and half a tile around it, for pictures of one size."""
    differs = np.any(before != now, axis=2).astype(np.uint8)
    return _joint_areas(differs, TILE + 1)


def _joint_areas(shown: NDArray[np.uint8], reach: int, side: int = 1) -> list[Box]:
    """Boxes, in pixels, around what a mask shows within a square of `reach`; its cells have this side."""
    near = cv2.dilate(shown, np.ones((reach, reach), np.uint8))
    _, _, found, _ = cv2.connectedComponentsWithStats(near)
    return merge(Box(*place) for place in (side * found[1:, :4]).tolist())


def merge(boxes: Iterable[Box]) -> list[Box]:
    """Boxes around all those that overlap."""
    groups: list[Box] = []
    for box in boxes:
        group = box
        while near := [other for other in groups if group.intersect(other)]:
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
    # Tiles with one tile between them belong together, as letters have gaps.
    areas = _joint_areas(shown.astype(np.uint8), 3, TILE)
    return [area for area in areas if _may_be_text(grey, area) and _tiles_in(shown, area) >= LEAST_TILES]


def _tiles_in(shown: NDArray[np.bool_], area: Box) -> int:
    return int(
        shown[area.top // TILE : -(-area.bottom // TILE), area.left // TILE : -(-area.right // TILE)].sum()
    )


def _may_be_text(grey: Grey, area: Box) -> bool:
    counts = np.bincount(cut(grey, area).ravel() >> 3)
    return bool(counts.max() >= PAPER * counts.sum())
