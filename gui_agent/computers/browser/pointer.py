"""Mouse input: every movement and click as a browser gets it from a person's hand."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from gui_agent.computers.keys import modifiers, web_name
from gui_agent.core.actions import Button

if TYPE_CHECKING:
    from playwright.async_api import Page

DRAG_STEPS = 12
Place = tuple[float, float]
"""A point in CSS pixels of the page's viewport."""


@contextlib.asynccontextmanager
async def held(page: Page, keys: Sequence[str]) -> AsyncIterator[None]:
    """Keep modifier keys down; they are let go whatever happens.

    Raises:
        ActionFailed: a key that cannot be held during a click.
    """
    names = [web_name(name) for name in modifiers(keys)]
    try:
        for name in names:
            await page.keyboard.down(name)
        yield
    finally:
        for name in reversed(names):
            await page.keyboard.up(name)


async def click(
    page: Page, at: Place, *, button: Button = "left", clicks: int = 1, keys: Sequence[str] = ()
) -> None:
    """Move there and click."""
    async with held(page, keys):
        await page.mouse.click(*at, button=button, click_count=clicks)


async def long_press(page: Page, at: Place, seconds: float) -> None:
    """Move there and hold the left button."""
    await page.mouse.move(*at)
    await page.mouse.down()
    try:
        await asyncio.sleep(seconds)
    finally:
        await page.mouse.up()


async def drag(page: Page, at: Place, to: Place, keys: Sequence[str]) -> None:
    """Drag with intermediate points; pages take up a drag only after a few pixels of movement."""
    async with held(page, keys):
        await page.mouse.move(*at)
        await page.mouse.down()
        try:
            for step in range(1, DRAG_STEPS + 1):
                share = step / DRAG_STEPS
                await page.mouse.move(at[0] + (to[0] - at[0]) * share, at[1] + (to[1] - at[1]) * share)
            await page.mouse.move(*to)  # a drop target needs one movement over itself to accept
        finally:
            await page.mouse.up()


async def scroll(page: Page, at: Place, right: float, down: float) -> None:
    """Turn the wheel with the pointer there."""
    await page.mouse.move(*at)
    await page.mouse.wheel(right, down)
