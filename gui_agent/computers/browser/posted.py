"""Which pages resulted from sending a form: reloading such a page sends the form again."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urldefrag

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Frame, Page, Request


class Posted:
    """Follows the requests for documents of one browser."""

    def __init__(self) -> None:
        self._asked: dict[str, str] = {}
        """The method by which each address was asked for that has not become a page yet."""
        self._came: dict[Page, set[str]] = {}
        """The addresses of each tab that came by sending a form."""

    def watch(self, context: BrowserContext) -> None:
        """Begin; the requests of new windows come before the windows do."""
        context.on("request", self._requested)

    def follow(self, page: Page) -> None:
        """Follow a tab, which may show a page already."""
        self._came[page] = set()
        page.on("framenavigated", lambda frame: self._shown(page, frame))
        page.on("close", self._closed)
        self._shown(page, page.main_frame)

    def came(self, page: Page) -> bool:
        """Whether what the tab shows came by sending a form."""
        return urldefrag(page.url).url in self._came.get(page, ())

    def _closed(self, page: Page) -> None:
        self._came.pop(page, None)

    def _requested(self, request: Request) -> None:
        if request.is_navigation_request():
            self._asked[urldefrag(request.url).url] = request.method

    def _shown(self, page: Page, frame: Frame) -> None:
        if frame != page.main_frame or page not in self._came:
            return
        address = urldefrag(frame.url).url
        method = self._asked.pop(address, "")
        if method == "POST":
            self._came[page].add(address)
        elif method:
            self._came[page].discard(address)
