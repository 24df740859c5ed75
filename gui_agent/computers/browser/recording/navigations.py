"""Which changes of address a person made with the browser itself: typing one, or going back."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

from gui_agent.computers.browser.cdp.driver_errors import errors, through_navigation
from gui_agent.computers.browser.tab import Tab
from gui_agent.core.actions import Action, Back, Navigate, Press

BY_HAND = frozenset({"typed", "generated", "auto_bookmark", "keyword", "keyword_generated"})
"""Ways to an address that begin in the browser's own window, as its history names them."""
EFFECT = 1.5
"""Seconds within which going back is the page's answer to something done on it."""
EMPTY = ("about:", "chrome:", "chrome-search:", "edge:")


class Travels:
    """Follows the history of one tab."""

    def __init__(self, tab: Tab, moved: Callable[[Action], None], *, fresh: bool) -> None:
        """Args: fresh: whether the tab was opened while listening."""
        self._tab = tab
        self._moved = moved
        self._known: list[int] = []
        self._index = -1
        self._fresh = fresh
        self.touched = 0.0
        """When the person last did something on the page."""
        self._asking: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Follow it from now on; an address typed into a new tab counts as one."""
        self._tab.cdp.on("Page.frameNavigated", self._navigated)
        self._tab.cdp.on("Page.navigatedWithinDocument", self._navigated)
        await self._look(first=True)

    def end(self) -> None:
        """Follow it no longer."""
        self._tab.cdp.remove_listener("Page.frameNavigated", self._navigated)
        self._tab.cdp.remove_listener("Page.navigatedWithinDocument", self._navigated)

    def _navigated(self, told: dict[str, Any]) -> None:
        if told.get("frame", {}).get("parentId"):
            return
        task = asyncio.get_running_loop().create_task(self._look())
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _look(self, *, first: bool = False) -> None:
        with contextlib.suppress(errors()):
            # The page may be on its way to another process, where it answers again in a moment.
            history = await through_navigation(lambda: self._tab.cdp.send("Page.getNavigationHistory"))
            self._compare(history, first=first)

    def _compare(self, history: dict[str, Any], *, first: bool) -> None:
        index, entries = history["currentIndex"], history["entries"]
        entry = entries[index]
        known, before = self._known, self._index
        self._known, self._index = [one["id"] for one in entries], index
        if entry["url"].startswith(EMPTY):
            return
        fresh, self._fresh = self._fresh, False
        same = index == before and entry["id"] in known
        if same or (first and not fresh):
            return
        alone = time.monotonic() - self.touched > EFFECT
        if entry["id"] not in known:
            if entry["transitionType"] in BY_HAND:
                self._moved(Navigate(entry["userTypedURL"] or entry["url"], new_tab=fresh))
        elif alone and not first:
            self._moved(Back() if index < before else Press(("alt", "right")))
