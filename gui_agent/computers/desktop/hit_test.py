"""The hit test just before an action: is the intended target still on top at its point?"""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.computers.desktop.elements import WINDOW, Elements, covered_by
from gui_agent.computers.desktop.parts import Node, Source, Window
from gui_agent.core.errors import Stale
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Element
from gui_agent.core.texts import normal, shorten

AGAIN = "look at the screen again"
SMALL = 4
"""Pixels by which a part may stick out of the thing that it belongs to."""


def confirm(
    source: Source, elements: Elements, windows: Sequence[Window], point: Point, expected: Element
) -> Node | None:
    """Let the action pass when the expected element, or a part of it, is on top at the point.

    Returns:
        What the source says is there now; None where it cannot tell.

    Raises:
        Stale: something else is there; the message names it and says what to do.
    """
    node = elements.node(expected.id)
    if node is not None and node.window:
        if all(window.id != node.window for window in windows):
            raise Stale(f"the window of {_named(expected)} is closed; {AGAIN}")
        above = covered_by(point, node.window, windows)
        if above is not None:
            name = above.title or above.app or "without a title"
            raise Stale(
                f'{_named(expected)} is covered by the window "{shorten(name, 60)}"; close or move that first'
            )
    if node is not None and node.role == WINDOW:
        return None
    there = source.at(point, windows)
    if there is None:
        if node is None:
            raise Stale(f"{_named(expected)} is no longer at ({point.x}, {point.y}); {AGAIN}")
        return None
    if (node is not None and _is_part(there, node, point)) or _redrawn(there, expected):
        return there
    raise Stale(f"{_named(expected)} is covered by {_described(there)}; close or move that first, or {AGAIN}")


def _is_part(there: Node, node: Node, point: Point) -> bool:
    """Whether what is there is the thing itself, in it, or only as near as the source can say."""
    if there.key == node.key:
        return True
    if there.path and node.path:
        inside = there.path.startswith(f"{node.path}/")
        around = node.path.startswith(f"{there.path}/") and node.box.contains(point)
        return inside or around
    if there.role == node.role and there.name and node.name and normal(there.name) != normal(node.name):
        return False
    return (
        there.window == node.window
        and there.box.left >= node.box.left - SMALL
        and there.box.top >= node.box.top - SMALL
        and there.box.right <= node.box.right + SMALL
        and there.box.bottom <= node.box.bottom + SMALL
    )


def _redrawn(there: Node, expected: Element) -> bool:
    """Whether the program has put a thing of the same role and name in the place of the expected one."""
    return there.role == expected.role and normal(there.name) == normal(expected.name)


def _named(element: Element) -> str:
    return shorten(str(element), 100)


def _described(node: Node) -> str:
    return f'{node.role} "{shorten(node.name, 60)}"' if node.name else f"a {node.role}"
