"""Screens for small steps that are opened here: browser, desktop and phone, or a page of Playwright."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from gui_agent.api.screen import LiveScreen

if TYPE_CHECKING:
    from playwright.async_api import Page as AsyncPage
    from playwright.sync_api import Page as SyncPage

    from gui_agent.api.async_screen import AsyncScreen


@overload
def from_page(page: SyncPage, **options: Any) -> LiveScreen: ...


@overload
def from_page(page: AsyncPage, **options: Any) -> AsyncScreen[LiveScreen]: ...


def from_page(page: Any, **options: Any) -> Any:
    """Small steps on a page of your own Playwright, which stays yours: `with from_page(page) as steps:`.

    Use `async with` for a page of its async API. The page must have been made by Chromium. A sync page is
    used in its own thread; while a step runs, dialogs of the page wait for it.

    Args:
        options: as for `LiveScreen`.

    Raises:
        ConfigError: it is no such page.
    """
    from gui_agent.api.async_screen import AsyncScreen
    from gui_agent.computers.browser.computer import BrowserComputer
    from gui_agent.computers.browser.lent import LentPage

    lent = LentPage(page)

    def taken() -> LiveScreen:
        return LiveScreen(BrowserComputer(lent=lent), own=True, **options)

    return taken() if lent.sync else AsyncScreen(taken)


class Browser(LiveScreen):
    """A browser for small steps: `with Browser("example.org") as page: page.act('click "More"')`."""

    def __init__(self, url: str = "", *, options: Mapping[str, Any] | None = None, **rest: Any) -> None:
        """
        Args:
            url: where to begin.
            options: of `BrowserComputer`, such as `{"headless": False}`.
            rest: as for `LiveScreen`.
        """
        super().__init__({"kind": "browser", "options": {"url": url, **(options or {})}}, **rest)


class Desktop(LiveScreen):
    """Desktop programs for small steps: on a private display, or on your own screen."""

    def __init__(
        self,
        open: str = "",
        *,
        private: bool = sys.platform == "linux",
        options: Mapping[str, Any] | None = None,
        **rest: Any,
    ) -> None:
        """
        Args:
            open: a program or file to begin with.
            private: a display of its own that nobody sees (Linux), in place of your own screen.
            options: of `VirtualComputer` or of the desktop of this platform.
            rest: as for `LiveScreen`.
        """
        kind = "virtual" if private else "desktop"
        super().__init__({"kind": kind, "options": {"open": open, **(options or {})}}, **rest)


class Phone(LiveScreen):
    """An Android phone for small steps, over adb."""

    def __init__(self, serial: str = "", *, options: Mapping[str, Any] | None = None, **rest: Any) -> None:
        """
        Args:
            serial: serial, or address and port; empty for the only one that is connected.
            options: of `AndroidComputer`.
            rest: as for `LiveScreen`.
        """
        super().__init__({"kind": "android", "options": {"name": serial, **(options or {})}}, **rest)
