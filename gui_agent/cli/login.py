"""`guiagent login` stores a login for runs, and `guiagent profiles` manages the stored logins."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from gui_agent.cli.options import GivenSettings, given_address, login_file, settings_options
from gui_agent.core.errors import ConfigError, ExitCode
from gui_agent.core.os_errors import private_folder, replace_file
from gui_agent.core.parsing import parse_json

if TYPE_CHECKING:
    from gui_agent.computers.browser.computer import BrowserComputer

EPILOG = """\
A browser opens; log in there as usual, and close it or press Enter here when
you are in. The sites' login data (cookies, local storage) is stored in a
file that only you can read, and each run that uses it updates it:
several may do so at the same time, each in a browser of its own. What a site
stores for one tab only (session storage) cannot be kept.

\b
Examples:
  guiagent login work --url https://example.org/login
  guiagent run 'click "Orders", read "Total"' --url https://example.org --profile work
  guiagent login work --url https://other.example      another site, or the same again
  guiagent profiles forget work

If a site refuses automated browsers: start Chrome or Edge yourself with
--remote-debugging-port=9222 --user-data-dir=FOLDER, log in, and attach to it
with --set computer.options.attach=http://127.0.0.1:9222. Every program on this
machine can control such a browser while it runs.
"""
EMPTY = '{"cookies": [], "origins": []}'
WAITING = 0.2
"""Seconds between two checks of the terminal and the browser."""


@click.command(epilog=EPILOG, short_help="Log in once, and keep it for runs.")
@click.argument("name")
@click.option(
    "--url", required=True, metavar="ADDRESS", callback=given_address, help="Where to log in: the site."
)
@click.option("--minutes", type=float, default=15.0, metavar="N", help="Time to log in (default: 15).")
@settings_options
def login(name: str, url: str, minutes: float, given: GivenSettings) -> int:
    """Log in to a site in a browser, and store the login as NAME for --profile NAME.

    An existing login of that name is opened again, to renew it or to add another site.
    """
    from gui_agent import wiring
    from gui_agent.agent.person import obstacle
    from gui_agent.cli.teach import read_lines, with_window

    file = login_file(name)
    before = file.read_text("utf-8") if file.is_file() else ""
    options = {"login": str(file)}
    settings = given.load(computer={"kind": "browser", "options": options})
    settings = with_window(settings, "logging in")
    _write(file, before or EMPTY)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    try:
        with cast("BrowserComputer", wiring.make_computer(settings)) as computer:
            computer.start(url)
            click.echo("The browser is open: log in. Then close it, or press Enter here.")
            end = time.monotonic() + 60 * minutes
            is_open = _wait(computer, lambda: not lines.empty() and bool(lines.get()), end)
            reason = "" if time.monotonic() < end else f"{minutes:g} minutes are over"
            reason = reason or (obstacle(computer.observe(picture=False)) if is_open else "")
    except BaseException:
        _restore(file, before)
        raise
    sites = _sites(file)
    if reason or not sites:
        _restore(file, before)
        click.echo(f"guiagent: nothing was stored, as {reason or 'no site stored a login'}", err=True)
        return ExitCode.NOT_DONE
    click.echo(f"Kept {', '.join(sites)} as {name} in {file}. Use it:")
    click.echo(f"  guiagent run '...' --url {url} --profile {name}")
    return ExitCode.DONE


def _wait(computer: BrowserComputer, has_ended: Callable[[], bool], end: float) -> bool:
    async def is_open(browsing: Any) -> bool:
        browsing.session.reopening = False
        return bool(browsing.session.tabs) and not browsing.session.lost

    while (is_there := computer.on_loop(is_open)) and not has_ended() and time.monotonic() < end:
        time.sleep(WAITING)
    return is_there


def _write(file: Path, text: str) -> None:
    private_folder(file.parent)
    replace_file(file, text.encode())


def _restore(file: Path, before: str) -> None:
    _write(file, before) if before else file.unlink(missing_ok=True)


def _sites(file: Path) -> dict[str, datetime | None]:
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


KEPT = """\
\b
Examples:
  guiagent profiles                  the stored logins, their sites, and when they were used
  guiagent profiles show work        until when each site remembers you
  guiagent profiles forget work
"""


@click.group(epilog=KEPT, invoke_without_command=True, short_help="Kept logins: list, show, forget.")
@click.pass_context
def profiles(ctx: click.Context) -> int:
    """The logins stored for --profile NAME; without a command, a list of them."""
    if ctx.invoked_subcommand is None:
        files = sorted(login_file("any").parent.glob("*.json"))
        for file in files:
            try:
                click.echo(f"{file.stem}: {', '.join(_sites(file)) or 'nothing'}, used {_age(file)}")
            except ConfigError as error:
                click.echo(f"guiagent: {error}", err=True)
        if not files:
            click.echo("No login is stored; store one with: guiagent login NAME --url ADDRESS")
    return ExitCode.DONE


@profiles.command()
@click.argument("name")
def show(name: str) -> None:
    """Show the hosts of a login, their expiry, and its file."""
    file = login_file(name, existing=True)
    for host, ends in _sites(file).items():
        until = f"until {ends:%Y-%m-%d %H:%M} UTC at most" if ends else "no end is known"
        over = " (expired: log in again)" if ends and ends < datetime.now(UTC) else ""
        click.echo(f"{host}: {until}{over}")
    click.echo(f"used {_age(file)}: {file}")


@profiles.command()
@click.argument("name")
def forget(name: str) -> None:
    """Delete a login from this machine; the site itself may keep it until you log out there."""
    login_file(name, existing=True).unlink()
    click.echo(f"{name} is forgotten on this machine")


def _age(file: Path) -> str:
    hours = (time.time() - file.stat().st_mtime) / 3600
    days = f"{hours / 24:.0f} days ago" if hours >= 48 else ""
    return days or (f"{hours:.0f} hours ago" if hours >= 1 else "just now")
