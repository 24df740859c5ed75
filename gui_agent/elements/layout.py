"""How boxes and elements stand to each other: on one line, one under the other, one within the other."""

from __future__ import annotations

from collections.abc import Mapping

from gui_agent.core.geometry import Box, Point
from gui_agent.core.observation import Element


def on_one_line(one: Box, other: Box) -> bool:
    """Whether two boxes stand beside each other."""
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap >= 0.5 * min(one.height, other.height)


def under(one: Box, other: Box, share: float = 0.3) -> bool:
    """Whether two boxes stand above each other, with this share of the narrower one in common."""
    return min(one.right, other.right) - max(one.left, other.left) >= share * min(one.width, other.width)


def within(element: Element, outer: Element) -> bool:
    """Whether an element is a part of another one, by structure or, without paths, by its place."""
    if element.id == outer.id:
        return True
    if element.path and outer.path:
        return element.path.startswith(outer.path + "/")
    return outer.box.encloses(element.box)


def window_at(windows: Mapping[int, Box], point: Point) -> int | None:
    """The id of the uppermost window at a point; None when there is none.

    Args:
        windows: their outlines, the lowest first.
    """
    under = [number for number, box in windows.items() if box.contains(point)]
    return under[-1] if under else None
