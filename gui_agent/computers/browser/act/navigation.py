"""Navigates to addresses, and explains why an address cannot be opened."""

from __future__ import annotations

import contextlib
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gui_agent.computers.browser.cdp.sender import errors, first_line, is_gone
from gui_agent.core.errors import ActionFailed
from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from playwright.async_api import Page


SCHEMES = ("http", "https", "file", "about", "data", "chrome", "blob", "view-source")
HOST = re.compile(r"^(localhost|\[[0-9a-f:]+\]|[\w-]+(\.[\w-]+)+)(:\d+)?([/?#].*)?$", re.IGNORECASE)
LOCAL = re.compile(r"^(localhost|127\.|\[::1\]|0\.0\.0\.0)", re.IGNORECASE)
PROTECTED = (
    "the site asks for a name and a password before it shows anything (HTTP authentication);"
    " give them in the address, as in http://NAME:PASS@host/"
)
REASONS = {
    "ERR_NAME_NOT_RESOLVED": "there is no host of this name; check the address",
    "ERR_CONNECTION_REFUSED": "no server listens at this address; check that the server runs, and the port",
    "ERR_INTERNET_DISCONNECTED": "there is no network; check the connection",
    "ERR_ADDRESS_UNREACHABLE": "the host cannot be reached; check the network",
    "ERR_CONNECTION_TIMED_OUT": "the host does not answer; check the address and the network",
    "ERR_CONNECTION_RESET": "the host broke the connection; try again later",
    "ERR_CONNECTION_CLOSED": "the host closed the connection; try again later",
    "ERR_EMPTY_RESPONSE": "the host sent nothing; try again later",
    "ERR_FILE_NOT_FOUND": "there is no such file; check the path",
    "ERR_ACCESS_DENIED": "the file is not readable; check its permissions",
    "ERR_INVALID_URL": "this is not an address; give one such as https://example.org",
    "ERR_UNKNOWN_URL_SCHEME": "the browser does not know this kind of address; use http or https",
    "ERR_CERT": "the certificate of the host is not valid; check the address",
    "ERR_SSL": "no secure connection is possible; check the address, or use http://",
    "ERR_INVALID_AUTH_CREDENTIALS": PROTECTED,
    "ERR_TOO_MANY_REDIRECTS": "the page redirects endlessly; check the address",
    "ERR_UNSAFE_PORT": "browsers refuse this port; use another one",
}
LOAD_PATIENCE = 5.0
"""Seconds to wait for pictures and other resources after the document has arrived."""
LOADS = 10
"""Attempts to leave a page that keeps navigating by itself."""


def address(where: str) -> str:
    """The full address for a person's input: `example.org`, a file path, or an address."""
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
        f"cannot open {shorten(where)!r}: it is no address, and there is no such file;"
        " check the path, or write https:// for a site"
    )


async def go(page: Page, where: str, timeout: float) -> None:
    """Load an address in the page, and wait until its document has arrived."""
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
            return  # the page or a download took over; the next look shows the result
        raise ActionFailed(f"cannot open {shorten(url, 100)}: {_reason(error, timeout)}") from error


async def _load(page: Page, url: str, timeout: float) -> None:
    """Load an address; retry if the old page navigates by itself at the same moment."""
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
                return  # the page reloads itself


def _reason(error: BaseException, timeout: float) -> str:
    text = str(error)
    if "Timeout" in text:
        setting = "computer.options.navigation_timeout"
        return f"it did not load within {timeout:g} s; try again later or raise {setting}"
    for sign, reason in REASONS.items():
        if sign in text:
            return reason
    return f"{first_line(error)}; check the address"
