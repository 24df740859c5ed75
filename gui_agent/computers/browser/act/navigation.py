"""Going places: addresses, history and tabs."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gui_agent.computers.browser.cdp.sender import errors, first_line, is_gone
from gui_agent.core.errors import ActionFailed
from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import normal, shorten

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser.session import Session
    from gui_agent.computers.browser.tab import Tab

SCHEMES = ("http", "https", "file", "about", "data", "chrome", "blob", "view-source")
HOST = re.compile(r"^(localhost|\[[0-9a-f:]+\]|[\w-]+(\.[\w-]+)+)(:\d+)?([/?#].*)?$", re.IGNORECASE)
LOCAL = re.compile(r"^(localhost|127\.|\[::1\]|0\.0\.0\.0)", re.IGNORECASE)
PROTECTED = (
    "the site asks for a name and a password before it shows anything (HTTP authentication);"
    " give them in the address, as in http://NAME:PASS@host/"
)
REASONS = {
    "ERR_NAME_NOT_RESOLVED": "there is no host of this name; check the address",
    "ERR_CONNECTION_REFUSED": "nobody listens at this address; check that the server runs, and the port",
    "ERR_INTERNET_DISCONNECTED": "there is no network; check the connection",
    "ERR_ADDRESS_UNREACHABLE": "the host cannot be reached; check the network",
    "ERR_CONNECTION_TIMED_OUT": "the host does not answer; check the address and the network",
    "ERR_CONNECTION_RESET": "the host broke the connection; try again later",
    "ERR_CONNECTION_CLOSED": "the host closed the connection; try again later",
    "ERR_EMPTY_RESPONSE": "the host sent nothing; try again later",
    "ERR_FILE_NOT_FOUND": "there is no such file; check the path",
    "ERR_ACCESS_DENIED": "the file may not be read; check its permissions",
    "ERR_INVALID_URL": "this is not an address; give one such as https://example.org",
    "ERR_UNKNOWN_URL_SCHEME": "the browser does not know this kind of address; use http or https",
    "ERR_CERT": "the certificate of the host is not valid; check the address",
    "ERR_SSL": "no secure connection is possible; check the address, or use http://",
    "ERR_INVALID_AUTH_CREDENTIALS": PROTECTED,
    "ERR_TOO_MANY_REDIRECTS": "the page redirects for ever; check the address",
    "ERR_UNSAFE_PORT": "browsers refuse this port; use another one",
}
LOAD_PATIENCE = 5.0
"""Seconds to wait for pictures and the like once the document is there."""
LOADS = 10
"""Attempts to leave a page that goes elsewhere by itself all the time."""


def address(where: str) -> str:
    """The full address for what a person writes: `example.org`, a path to a file, or an address."""
    where = where.strip()
    scheme = urlsplit(where).scheme.lower() if ":" in where else ""
    if scheme in SCHEMES:
        return where
    path = user_path(where)
    with contextlib.suppress(OSError):
        if where and path.exists():
            return path.resolve().as_uri()
    if where.startswith(("/", "~", "./", "../")):
        raise ActionFailed(f"cannot open {where}: there is no such file; check the path")
    if HOST.match(where):
        return f"{'http' if LOCAL.match(where) else 'https'}://{where}"
    raise ActionFailed(
        f"cannot open {shorten(where)!r}: a browser opens addresses and files only; give one of these"
    )


async def go(page: Page, where: str, timeout: float) -> None:
    """Load an address in the page, and wait until its document is there."""
    url = address(where)
    began = time.monotonic()
    try:
        await _load(page, url, timeout)
        left = min(LOAD_PATIENCE, timeout - (time.monotonic() - began))
        with contextlib.suppress(errors()):
            await page.wait_for_load_state("load", timeout=max(1.0, left * 1000))
    except errors() as error:
        text = str(error)
        if is_gone(error) or "Download is starting" in text or "crashed" in text.lower():
            if "Download is starting" in text:
                return
            raise
        if "ERR_ABORTED" in text:
            return  # the page or a download took over; what is on the screen tells
        raise ActionFailed(f"cannot open {shorten(url, 100)}: {_reason(error, timeout)}") from error


async def _load(page: Page, url: str, timeout: float) -> None:
    """Load an address; once more when the page that is left goes somewhere by itself at the same moment."""
    end = time.monotonic() + timeout
    for attempt in range(LOADS):
        left = max(1.0, 1000 * (end - time.monotonic()))
        try:
            response = await page.goto(url, wait_until="domcontentloaded", timeout=left)
            refused = response is not None and response.status == HTTPStatus.UNAUTHORIZED
            if response and refused and "www-authenticate" in response.headers:
                raise ActionFailed(f"cannot open {shorten(url, 100)}: {PROTECTED}")
            return
        except errors() as error:
            if "interrupted by another navigation" not in str(error) or attempt == LOADS - 1:
                raise
            if f'by another navigation to "{url}"' in str(error):
                return  # it is what loads itself anew


async def back(tab: Tab, timeout: float, step: int = -1) -> None:
    """Go one page back (or forward) in the history of the tab."""
    history: dict[str, Any] = await tab.cdp.send("Page.getNavigationHistory")
    target = history["currentIndex"] + step
    if not 0 <= target < len(history["entries"]):
        raise ActionFailed(
            "there is no page to go back to; go on from this one" if step < 0 else "there is no next page"
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
    """Close the current tab; the one before it becomes current."""
    if len(session.tabs) == 1:
        raise ActionFailed("this is the only tab; go elsewhere in it instead of closing it")
    await session.current.page.close()


def _reason(error: BaseException, timeout: float) -> str:
    text = str(error)
    if "Timeout" in text:
        setting = "computer.options.navigation_timeout"
        return f"it did not load within {timeout:g} s; try again later or raise {setting}"
    for sign, reason in REASONS.items():
        if sign in text:
            return reason
    return f"{first_line(error)}; check the address"
