"""Operates the browser around its pages: history, tabs, and their keyboard shortcuts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser.act import keyboard
from gui_agent.computers.browser.cdp.sender import errors
from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import RELOADING, chord
from gui_agent.core.texts import normal, shorten

if TYPE_CHECKING:
    from gui_agent.computers.browser._session import Session
    from gui_agent.computers.browser._tab import Tab


async def back(tab: Tab, timeout: float, step: int = -1) -> None:
    """Go one page back (or forward) in the history of the tab."""
    history: dict[str, Any] = await tab.cdp.send("Page.getNavigationHistory")
    target = history["currentIndex"] + step
    if not 0 <= target < len(history["entries"]):
        raise ActionFailed(
            "there is no page to go back to; continue on this one" if step < 0 else "there is no next page"
        )
    entry = history["entries"][target]
    came = asyncio.get_running_loop().create_future()

    def note_arrival(frame: Any) -> None:
        if frame == tab.page.main_frame and not came.done():
            came.set_result(None)

    tab.page.on("framenavigated", note_arrival)
    try:
        await tab.cdp.send("Page.navigateToHistoryEntry", {"entryId": entry["id"]})
        await asyncio.wait_for(came, timeout)
    except TimeoutError as error:
        raise ActionFailed(
            f"{shorten(entry['url'], 100)} did not load within {timeout:g} s; go elsewhere"
        ) from error
    finally:
        tab.page.remove_listener("framenavigated", note_arrival)


async def switch(session: Session, to: str) -> None:
    """Bring the tab whose title or address contains the text to the front."""
    wanted = normal(to)
    for tab in session.tabs:
        with contextlib.suppress(asyncio.TimeoutError, errors()):
            tab.title = await asyncio.wait_for(tab.page.title(), 1.0)
    found: list[Tab] = []
    for texts in (
        [(tab, normal(tab.title) == wanted) for tab in session.tabs],
        [(tab, wanted in normal(tab.title)) for tab in session.tabs],
        [(tab, wanted in normal(tab.page.url)) for tab in session.tabs],
    ):
        found = [tab for tab, fits in texts if fits]
        if len(found) == 1:
            await session.bring(found[0])
            return
        if found:
            break
    listed = ", ".join(f'"{shorten(tab.title or tab.page.url, 50)}"' for tab in session.tabs)
    problem = "several tabs fit" if found else "no tab fits"
    raise ActionFailed(f'{problem} "{shorten(to)}"; the tabs are {listed}')


async def close_tab(session: Session) -> None:
    """Close the current tab; the previous one becomes current."""
    if len(session.tabs) == 1:
        raise ActionFailed("this is the only tab; navigate in it instead of closing it")
    await session.current.page.close()


async def press(
    session: Session, keys: tuple[str, ...], times: int, timeout: float, again: Callable[[], Awaitable[None]]
) -> None:
    """Press keys; browser shortcuts go to the page first, which may consume them.

    Args:
        timeout: seconds for a page to load.
        again: verifies the focus before the keys are pressed once more.
    """
    tab, pressed = session.current, chord(keys)
    reloads = tuple(map(str.lower, pressed)) in RELOADING
    offered = reloads or pressed in (("alt", "left"), ("alt", "right"))
    if offered and not await keyboard.press_and_offer(tab.page, keys):
        return
    match pressed:
        case _ if reloads:
            await tab.page.reload(wait_until="domcontentloaded", timeout=timeout * 1000)
        case ("alt", "left"):
            await back(tab, timeout)
        case ("alt", "right"):
            await back(tab, timeout, 1)
        case ("ctrl", "t"):
            await session.open_tab()
        case ("ctrl", "w"):
            await close_tab(session)
        case _:
            await keyboard.press(tab.page, keys, times, again)
