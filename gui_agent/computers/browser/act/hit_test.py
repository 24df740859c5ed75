"""The hit test just before an action: is the intended target still on top at its point?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui_agent.core.errors import Stale
from gui_agent.core.texts import normal

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser.look.snapshot import Snapshot, TopElement
    from gui_agent.core.geometry import Point
    from gui_agent.core.observation import Element


async def confirm(snapshot: Snapshot, page: Page, point: Point, expected: Element, ratio: float) -> None:
    """Let the action pass when the expected element, or a part of it, is on top at the point.

    Args:
        ratio: screenshot pixels per CSS pixel at the last look.

    Raises:
        Stale: something else is there, or the page was zoomed; the message says what to do.
    """
    hit = await snapshot.at(page, point)
    if hit is None:
        raise Stale(f"{expected} is no longer at ({point.x}, {point.y}); look at the screen again")
    if hit.ratio != ratio:
        raise Stale("the page has been zoomed since the last look; look at the screen again")
    if expected.id in hit.ids or _redrawn(hit, expected):
        return
    raise Stale(
        f"{expected} is covered by {hit.description}; close or move that first, or look at the screen again"
    )


def _redrawn(hit: TopElement, expected: Element) -> bool:
    """Whether the page has put an element of the same role and name in the place of the expected one."""
    return hit.id is None and hit.role == expected.role and normal(expected.name) in normal(hit.description)
