"""A picture begun while a page comes to rest, so that the next look need not wait for one."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

from gui_agent.computers.browser.cdp.driver_errors import errors
from gui_agent.computers.browser.look import settling
from gui_agent.computers.browser.look.picture import Format, capture

if TYPE_CHECKING:
    from gui_agent.computers.browser.tab import Tab
    from gui_agent.core.observation import Screenshot

FRESH = 0.5
"""Seconds after which a picture is too old, even of a page that has not changed."""


class Preview:
    """Takes a picture of a tab early and gives it out only when nothing has changed since it was begun."""

    def __init__(self, kind: Format) -> None:
        self.kind: Format = kind
        self._taking: asyncio.Task[Screenshot] | None = None
        self._tab: Tab | None = None
        self._began = 0.0

    def begin(self, tab: Tab) -> None:
        """Begin a picture, unless one is being taken."""
        if self._taking is not None and not self._taking.done():
            return
        self._began, self._tab = time.monotonic(), tab
        self._taking = asyncio.create_task(capture(tab.line, self.kind))
        self._taking.add_done_callback(_heard)

    async def drop(self) -> None:
        """Something is about to be done: forget the picture, and wait until it is no longer being taken.

        While the browser takes a picture at another density than 1 it scales the page, input included.
        """
        self._tab = None
        if self._taking is not None:
            await asyncio.wait({self._taking})
            self._taking = None

    async def picture(self, tab: Tab) -> Screenshot:
        """The picture begun earlier if it still shows the page as it is, else a new one."""
        taking, began = self._taking, self._began
        if taking is not None and self._tab is tab and time.monotonic() - began < FRESH:
            with contextlib.suppress(errors()):
                picture = await taking
                still = await settling.still(tab)
                if time.monotonic() - still < began:
                    return picture
        return await capture(tab.line, self.kind)


def _heard(task: asyncio.Task[Screenshot]) -> None:
    """Take note of a failure, which does not matter when nobody asks for the picture."""
    if not task.cancelled():
        task.exception()
