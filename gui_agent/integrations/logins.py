"""The kept logins: their files, their sites, and how a person makes one in a browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private_folder, replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import suggestion
from gui_agent.settings import state_folder

if TYPE_CHECKING:
    from gui_agent.computers.browser.computer import BrowserComputer

EMPTY = '{"cookies": [], "origins": []}'
WAITING = 0.2
"""Seconds between two looks whether the person has ended."""


def login_file(name: str, *, existing: bool = False) -> Path:
    """The file of the login called NAME."""
    folder = state_folder("profiles")
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise ConfigError(f"{name!r} is not a valid login name; use letters, digits, - and _")
    if existing and not (folder / f"{name}.json").is_file():
        near = suggestion(name, [file.stem for file in folder.glob("*.json")])
        raise ConfigError(f"no login is stored as {name}{near}; log in: guiagent login {name} --url ADDRESS")
    return folder / f"{name}.json"


def login_files() -> list[Path]:
    """The files of all logins; each is named after its login."""
    return sorted(state_folder("profiles").glob("*.json"))


def sites_of(file: Path) -> dict[str, datetime | None]:
    """The hosts with login data, and when their last cookie expires, if it does."""
    try:
        held = parse_json(file.read_text("utf-8"))
        found: dict[str, datetime | None] = {}
        for cookie in held.get("cookies", ()):
            host, ends = cookie["domain"].lstrip("."), cookie.get("expires", -1)
            when = datetime.fromtimestamp(ends, UTC) if ends > 0 else None
            found[host] = max(filter(None, (found.get(host), when)), default=None)
        for origin in held.get("origins", ()):
            found.setdefault(origin["origin"].partition("://")[2].partition(":")[0], None)
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        again = f"log in again, or: guiagent profiles forget {file.stem}"
        raise ConfigError(f"{file} cannot be read ({type(error).__name__}: {error}); {again}") from error
    return found


def keep_login(
    file: Path, open_browser: Callable[[], BrowserComputer], url: str, minutes: float,
    has_ended: Callable[[BrowserComputer], bool],
) -> tuple[list[str], str]:  # fmt: skip
    """Let the person log in, and keep what the sites stored; without a result, an earlier login stays.

    Args:
        open_browser: opens a browser that works with the file.
        has_ended: called again and again; True once the person has finished.

    Returns:
        The sites, and why nothing was kept; the reason is empty if a login was kept.
    """
    from gui_agent.agent.person import obstacle

    before = file.read_text("utf-8") if file.is_file() else ""
    _write(file, before or EMPTY)
    try:
        with open_browser() as computer:
            computer.start(url)
            end = time.monotonic() + 60 * minutes
            while (is_open := computer.on_loop(_is_open)) and not has_ended(computer):
                if time.monotonic() >= end:
                    break
                time.sleep(WAITING)
            reason = "" if time.monotonic() < end else f"{minutes:g} minutes are over"
            reason = reason or (obstacle(computer.observe(picture=False)) if is_open else "")
    except BaseException:
        _restore(file, before)
        raise
    sites = list(sites_of(file))
    reason = reason or ("" if sites else "no site stored a login")
    if reason:
        _restore(file, before)
    return sites, reason


async def _is_open(browsing: Any) -> bool:
    browsing.session.reopening = False
    return bool(browsing.session.tabs) and not browsing.session.lost


def _write(file: Path, text: str) -> None:
    private_folder(file.parent)
    replace_file(file, text.encode())


def _restore(file: Path, before: str) -> None:
    _write(file, before) if before else file.unlink(missing_ok=True)
