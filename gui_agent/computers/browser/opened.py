"""A running browser: how it is let go of, and what sites remember of the person beyond that."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser.cdp.sender import errors, first_line
from gui_agent.computers.browser.har import HarFile
from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private_folder, replace_file, why

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright

_LOG = logging.getLogger(__name__)
KEEPING = 10.0
"""Seconds to read what sites remember of the person."""


@dataclass(slots=True)
class Opened:
    """A running browser and the way to let go of it."""

    playwright: Playwright | None
    """The driver; None where it is somebody else's."""
    browser: Browser | None
    context: BrowserContext
    metrics: dict[str, Any] | None = None
    """Size and density that the driver imposes on pages; raw sessions have to be told when it is not 1."""
    page: Page | None = None
    """The only page that is to be used, of somebody else's browser."""
    unseen: bool = False
    """Whether nobody can answer what the browser itself asks: it has no window and was started here."""
    login: Path | None = None
    """The file that keeps what sites remember of the person; brought up to date at the end."""
    har: HarFile | None = None
    """What was sent and received; written when the context closes."""

    async def keep_login(self) -> None:
        """Write down what sites remember by now, as a site may renew a session with every visit."""
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


def kept_login(file: Path) -> dict[str, Any]:
    """What sites remember of a person, in the form of Playwright's storage state."""
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
