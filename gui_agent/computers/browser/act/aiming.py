"""The test before a press that the thing which was judged is still under the pointer."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from gui_agent.computers.browser.act import fields, pointer
from gui_agent.core.actions import Action, TypeText
from gui_agent.core.errors import Stale
from gui_agent.core.texts import normal

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser.look.snapshot import Seen, Snapshot, TopElement
    from gui_agent.computers.browser.tab import Tab
    from gui_agent.core.geometry import Point
    from gui_agent.core.observation import Element

HOVERING = 0.2
"""Seconds that a thing may take to be there again after the pointer has come over it."""


async def left_to_page(
    snapshot: Snapshot, tab: Tab, action: Action, expected: Element, looked: Seen | None, ratio: float
) -> bool:
    """Whether the page itself will test the press, as it comes: that of a click into a plain text field.

    No test from here is as near to the press, and the pointer need not be waited for: pages are told of its
    movements only once a frame. A press that the page holds back raises `control.HeldBack`.

    Args:
        looked: the last look, if nothing has been done since.
        ratio: screenshot pixels per CSS pixel.

    Raises:
        ActionFailed, ComputerLost: as `Snapshot.at`.
    """
    if not isinstance(action, TypeText) or action.at is None:
        return False
    plain = fields.seen_plain(looked, action)
    number = snapshot.number(plain.document, expected.id) if plain is not None else None
    if number is None:
        return False
    question = f"expectPress({action.at.x}, {action.at.y}, {ratio}, {number})"
    return bool(await tab.world.call(question))


async def approach(snapshot: Snapshot, tab: Tab, point: Point, expected: Element, ratio: float) -> None:
    """Move the pointer there and test what is under it.

    A thing that looks different under the pointer, such as an icon whose other picture is still being
    loaded, gets a moment to be there again: a click in between would hit nothing.

    Raises:
        Stale: something else is there.
    """
    tab.hovering = (point.x / ratio, point.y / ratio)
    await pointer.move(tab, tab.hovering)
    deadline = time.monotonic() + HOVERING
    while True:
        try:
            return await confirm(snapshot, tab.page, point, expected, ratio)
        except Stale:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(HOVERING / 10)


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
    if expected.id in hit.ids and not hit.changed:
        return
    if hit.changed:
        raise Stale(f"{expected} has become {hit.description} since the last look; look at the screen again")
    if _redrawn(hit, expected) or _seen_through(hit, expected):
        return
    covered = f"{expected} is covered by {hit.description}; close or move that first"
    raise Stale(f"{covered}, or look at the screen again", over=hit.id)


def _redrawn(hit: TopElement, expected: Element) -> bool:
    """Whether the page has put an element of the same role and name in the place of the expected one."""
    return hit.id is None and hit.role == expected.role and normal(expected.name) == normal(hit.name)


def _seen_through(hit: TopElement, expected: Element) -> bool:
    """Whether all that lies over a drawing is a layer without content that takes the mouse for it."""
    return expected.role == "canvas" and hit.blank
