"""Finds what is drawn on a picture besides text: rectangles with an outline, and small pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from gui_agent.computers.vision.changes import Grey, grown, joined
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


def drawn(grey: Grey) -> Drawn:
    """Look for the edges of a picture."""
    edges = cv2.morphologyEx(cv2.Canny(grey, 30, 90), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
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
    whole = joined(loose + small, reach=3)
    return [
        grown(box, 1, frame)
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
    sides = (
        box.left - other.left,
        box.top - other.top,
        other.right - box.right,
        other.bottom - box.bottom,
    )
    return all(-1 <= side <= 4 for side in sides)
