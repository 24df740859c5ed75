"""A running browser: how to release it, and the login data that outlives it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser._har import HarFile
from gui_agent.computers.browser.cdp.sender import errors, first_line, translate_errors
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private_folder, replace_file, why

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright

_LOG = logging.getLogger(__name__)
KEEPING = 10.0
"""Seconds to read the browser's login data."""


@dataclass(slots=True)
class Opened:
    """A running browser, and how to release it."""

    playwright: Playwright | None
    """The driver; None if it belongs to the caller."""
    browser: Browser | None
    context: BrowserContext
    metrics: dict[str, Any] | None = None
    """Emulated size and density of pages; raw sessions need them set if the density is not 1."""
    page: Page | None = None
    """The only page to use in the caller's own browser."""
    unseen: bool = False
    """Whether the user cannot answer the browser's own prompts: it has no window and was started here."""
    login: Path | None = None
    """The file with the login data (cookies and storage); updated at the end."""
    har: HarFile | None = None
    """The network record; written when the context closes."""

    async def keep_login(self) -> None:
        """Save the current login data, as a site may renew a session with every visit."""
        if self.login is None:
            return
        try:
            state = await asyncio.wait_for(self.context.storage_state(indexed_db=True), KEEPING)
            private_folder(self.login.parent)
            replace_file(self.login, json.dumps(state).encode())
        except (TimeoutError, errors(), OSError) as error:
            _LOG.warning("the login in %s stays as it was: %s", self.login, first_line(error) or "too late")

    async def close(self) -> None:
        """Close the browser if it is ours, and end the driver, which kills a browser that does not close."""
        if self.playwright is None:
            return
        await self.keep_login()
        for closing in filter(None, (self.context if self.har else None, self.browser or self.context)):
            with contextlib.suppress(asyncio.TimeoutError, errors()):
                await asyncio.wait_for(closing.close(), KEEPING if closing is self.context else 4)
        if self.har is not None:
            self.har.finish()
        with contextlib.suppress(asyncio.TimeoutError, errors()):
            await asyncio.wait_for(self.playwright.stop(), 4)


async def pasted_text(browser: Browser) -> str:
    """The text on a browser's clipboard, pasted into a page apart: no site sees it or gets a permission."""
    with translate_errors("the browser does not paste"):
        async with await browser.new_context() as context:
            page = await context.new_page()
            await page.set_content("<textarea></textarea>")
            await page.press("textarea", "ControlOrMeta+v")
            return await page.input_value("textarea")


def kept_login(file: Path) -> dict[str, Any]:
    """The stored login data, in the format of Playwright's storage state."""
    again = "log in again: guiagent login NAME --url ADDRESS"
    try:
        state = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"no login can be read from {file}: {why(error)}; {again}") from error
    except ValueError:
        state = None
    if not (isinstance(state, dict) and {"cookies", "origins"} <= state.keys()):
        raise ConfigError(f"{file} holds no login; {again}")
    return state
