"""`guiagent login` stores a login for runs, and `guiagent profiles` manages the stored logins."""

from __future__ import annotations

import queue
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from gui_agent.cli.options import GivenSettings, given_address, settings_options
from gui_agent.core.errors import ConfigError, ExitCode

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
    from gui_agent.cli.teach import read_lines, with_window
    from gui_agent.integrations.logins import keep_login, login_file

    file = login_file(name)
    settings = given.load(computer={"kind": "browser", "options": {"login": str(file)}})
    settings = with_window(settings, "logging in")
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()

    def open_browser() -> BrowserComputer:
        return cast("BrowserComputer", wiring.make_computer(settings))

    def has_ended(computer: BrowserComputer) -> bool:
        if not told:
            click.echo("The browser is open: log in. Then close it, or press Enter here.")
            told.append(computer)
        return not lines.empty() and bool(lines.get())

    told: list[object] = []
    sites, reason = keep_login(file, open_browser, url, minutes, has_ended)
    if reason:
        click.echo(f"guiagent: nothing was stored, as {reason}", err=True)
        return ExitCode.NOT_DONE
    click.echo(f"Kept {', '.join(sites)} as {name} in {file}. Use it:")
    click.echo(f"  guiagent run '...' --url {url} --profile {name}")
    return ExitCode.DONE


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
        from gui_agent.integrations.logins import login_files, sites_of

        for file in (files := login_files()):
            try:
                click.echo(f"{file.stem}: {', '.join(sites_of(file)) or 'nothing'}, used {_age(file)}")
            except ConfigError as error:
                click.echo(f"guiagent: {error}", err=True)
        if not files:
            click.echo("No login is stored; store one with: guiagent login NAME --url ADDRESS")
    return ExitCode.DONE


@profiles.command()
@click.argument("name")
def show(name: str) -> None:
    """Show the hosts of a login, their expiry, and its file."""
    from gui_agent.integrations.logins import login_file, sites_of

    file = login_file(name, existing=True)
    for host, ends in sites_of(file).items():
        until = f"until {ends:%Y-%m-%d %H:%M} UTC at most" if ends else "no end is known"
        over = " (expired: log in again)" if ends and ends < datetime.now(UTC) else ""
        click.echo(f"{host}: {until}{over}")
    click.echo(f"used {_age(file)}: {file}")


@profiles.command()
@click.argument("name")
def forget(name: str) -> None:
    """Delete a login from this machine; the site itself may keep it until you log out there."""
    from gui_agent.integrations.logins import login_file

    login_file(name, existing=True).unlink()
    click.echo(f"{name} is forgotten on this machine")


def _age(file: Path) -> str:
    hours = (time.time() - file.stat().st_mtime) / 3600
    days = f"{hours / 24:.0f} days ago" if hours >= 48 else ""
    return days or (f"{hours:.0f} hours ago" if hours >= 1 else "just now")
