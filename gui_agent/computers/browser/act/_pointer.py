"""Sends mouse input: movements and clicks with the same events as a person's."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from gui_agent.core.actions import Button
from gui_agent.core.keys import modifiers, web_name

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser._tab import Tab

DRAG_STEPS = 12
FRAME = 0.016
"""Seconds between the points of a drag: pages process it, and move the dragged element, once a frame."""
LANDING = 0.2
"""Seconds over the drop target before the release: lists accept no drop while they make room."""
BITS = {"alt": 1, "ctrl": 2, "meta": 4, "shift": 8}
"""Bits of the modifier keys in the protocol's mask."""
Place = tuple[float, float]
"""A point in CSS pixels of the page's viewport."""


@contextlib.asynccontextmanager
async def hold_keys(page: Page, keys: Sequence[str]) -> AsyncIterator[None]:
    """Hold modifier keys down and always release them."""
    names = [web_name(name) for name in modifiers(keys)] if keys else []
    try:
        for name in names:
            await page.keyboard.down(name)
        yield
    finally:
        for name in reversed(names):
            await page.keyboard.up(name)


async def click(
    tab: Tab,
    at: Place,
    *,
    button: Button = "left",
    clicks: int = 1,
    keys: Sequence[str] = (),
    again: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Move there and click; `again` verifies the target before each further click."""
    async with hold_keys(tab.page, keys):
        events = [] if at == tab.hovering == tab.pointer else [_send_move(tab, at, keys)]
        for count in range(1, clicks + 1):
            if count > 1 and again is not None:
                await again()
            events += [
                _send(tab, kind, at, keys, button=button, clickCount=count)
                for kind in ("mousePressed", "mouseReleased")
            ]
            await asyncio.gather(*events)
            events = []


async def move(tab: Tab, at: Place, steps: int = 1) -> None:
    (x, y), events = tab.pointer, []
    for step in range(1, steps + 1):
        share = step / steps
        events.append(_send_move(tab, (x + (at[0] - x) * share, y + (at[1] - y) * share)))
    await asyncio.gather(*events)


async def long_press(tab: Tab, at: Place, seconds: float) -> None:
    """Move there and hold the left button."""
    await asyncio.gather(_send_move(tab, at), _send(tab, "mousePressed", at, button="left", clickCount=1))
    try:
        await asyncio.sleep(seconds)
    finally:
        await _send(tab, "mouseReleased", at, button="left", clickCount=1)


async def scroll(tab: Tab, at: Place, right: float, down: float) -> None:
    await asyncio.gather(_send_move(tab, at), _send(tab, "mouseWheel", at, deltaX=right, deltaY=down))


async def drag(tab: Tab, at: Place, to: Place, keys: Sequence[str]) -> None:
    """Drag with intermediate points, as pages start a drag only after a few pixels of movement.

    Uses the driver, which turns the page's drag events into drops.
    """
    mouse = tab.page.mouse
    async with hold_keys(tab.page, keys):
        await mouse.move(*at)
        await mouse.down()
        try:
            for step in range(1, DRAG_STEPS + 1):
                share = step / DRAG_STEPS
                await mouse.move(at[0] + (to[0] - at[0]) * share, at[1] + (to[1] - at[1]) * share)
                await asyncio.sleep(FRAME)
            await asyncio.sleep(LANDING)
            await mouse.move(*to)  # a drop target needs one movement over itself to accept
        finally:
            await mouse.up()
            tab.pointer = to


def _send_move(tab: Tab, at: Place, keys: Sequence[str] = ()) -> Awaitable[Any]:
    tab.pointer = at
    return _send(tab, "mouseMoved", at, keys)


def _send(tab: Tab, kind: str, at: Place, keys: Sequence[str] = (), **more: Any) -> Awaitable[Any]:
    mask = sum(BITS[name] for name in modifiers(keys)) if keys else 0
    event = {"type": kind, "x": at[0], "y": at[1], "modifiers": mask, **more}
    return tab.line.send("Input.dispatchMouseEvent", event)
