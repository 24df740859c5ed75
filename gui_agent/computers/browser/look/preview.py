"""Takes pictures of tabs in advance while a page comes to rest, so that the next look need not wait."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import time
from typing import TYPE_CHECKING, Any, Literal

from gui_agent.computers.browser.cdp.sender import Sender, errors, is_gone
from gui_agent.computers.browser.look import settling
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Screenshot, Size

if TYPE_CHECKING:
    from gui_agent.computers.browser._tab import Tab

FRESH = 0.5
"""Seconds after which a picture is too old, even of an unchanged page."""
DRAWING = 2.0
"""Seconds for the browser to take one picture; it usually takes much less."""
LOOKING = 4.0
"""Seconds after which a look continues without a picture."""
AGAIN = 0.02
"""Seconds between a refused picture, as between two documents, and the next try."""


class Preview:
    """Takes a picture of a tab early, and returns it only if nothing has changed since."""

    def __init__(self, kind: Format) -> None:
        self.kind: Format = kind
        self._taking: _Taking | None = None

    def begin(self, tab: Tab) -> None:
        """Start taking a picture, unless one is being taken."""
        if self._taking is None or self._taking.has_ended:
            self._taking = _Taking(tab, self.kind)

    async def drop(self) -> None:
        """Forget the picture before an action, and wait until none is being taken.

        While the browser takes a picture at a density other than 1, it scales the page, input included.
        """
        taking, self._taking = self._taking, None
        if taking is not None:
            with contextlib.suppress(errors()):
                await taking.picture()

    async def picture(self, tab: Tab) -> Screenshot | None:
        """The early picture if it still shows the page, otherwise a new one; None if none arrives in time.

        Each is returned only once: a caller that looks twice wants to see what changes by itself.
        """
        deadline = time.monotonic() + LOOKING
        early = self._taking
        if early is not None and early.tab is tab and time.monotonic() - early.began < FRESH:
            with contextlib.suppress(errors(), ActionFailed):
                if (picture := await early.picture()) is not None:
                    still = await settling.still(tab)
                    if time.monotonic() - still < early.began:
                        self._taking = None
                        return picture
        while time.monotonic() < deadline:
            taking = self._taking = _Taking(tab, self.kind)
            try:
                if (picture := await taking.picture()) is not None:
                    self._taking = None
                    return picture
            except errors() as error:
                if is_gone(error):
                    raise
                await asyncio.sleep(AGAIN)
        return None


class _Taking:
    """One picture being taken.

    Chromium never answers if another document arrives during a capture, so the capture is abandoned as
    soon as the browser reports the document.
    """

    def __init__(self, tab: Tab, kind: Format) -> None:
        self.tab = tab
        self.began = time.monotonic()
        self._document = tab.documents
        self._task = asyncio.create_task(capture(tab.line, kind))
        self._task.add_done_callback(ignore_failure)

    @property
    def has_ended(self) -> bool:
        return self._task.done() or self.tab.documents != self._document

    async def picture(self) -> Screenshot | None:
        while not self.has_ended and (left := self.began + DRAWING - time.monotonic()) > 0:
            await self.tab.changes.wait(left, beside=self._task)
        if not self._task.done():
            self._task.cancel()
        return self._task.result() if self._task.done() and not self._task.cancelled() else None


def ignore_failure(task: asyncio.Task[Any]) -> None:
    """Mark a task's failure as handled, as no caller awaits the task any more."""
    if not task.cancelled():
        task.exception()


Format = Literal["png", "jpeg"]


async def capture(line: Sender, kind: Format) -> Screenshot:
    """Capture the visible part of the page; without a clip, which would cost a second frame."""
    wanted: dict[str, object] = {"format": kind, "optimizeForSpeed": True}
    if kind == "jpeg":
        wanted["quality"] = 85
    reply = await line.send("Page.captureScreenshot", wanted)
    return as_screenshot(base64.b64decode(reply["data"]), kind)


def as_screenshot(data: bytes, kind: Format) -> Screenshot:
    """The picture with its size, which is read from its header."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        size = Size(*image.size)
    return Screenshot(data, size, "image/png" if kind == "png" else "image/jpeg")
