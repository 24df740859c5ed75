"""`guiagent desktop`: named private desktops that outlive the command that started them."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import click

from gui_agent.cli.options import json_option
from gui_agent.core.errors import ActionFailed, ConfigError

if TYPE_CHECKING:
    from gui_agent.core.observation import Size

EPILOG = """\
\b
Examples:
  guiagent desktop start work --size 1600x1000
  guiagent run 'open "Mousepad", type "hello"' --on virtual:work
  guiagent desktop view work             its screen and what runs on it, in your browser
  guiagent desktop list
  guiagent desktop stop work             ends everything on it

A desktop has its own windows, clipboard and accessibility bus; your screen,
mouse and keyboard stay free. Your files are the same unless --home says so.
"""


@click.group(epilog=EPILOG, short_help="Named private desktops: start, list, view, stop.")
def desktop() -> None:
    """Start, view and stop private desktops."""


@desktop.command()
@click.argument("name")
@click.option("--size", default="1280x800", metavar="WxH", help="In pixels (default: 1280x800).")
@click.option("--home", default="", metavar="FOLDER", help="Home folder of its programs; fresh is empty.")
@click.option("--open", "program", default="", metavar="PROGRAM", help="A program or file to open.")
def start(name: str, size: str, home: str, program: str) -> int:
    """Start a desktop named NAME; it runs until stopped."""
    from gui_agent.computers.virtual import private
    from gui_agent.computers.virtual.private import KeptLauncher

    running = private.start(name, parse_size(size), home)
    try:
        if program:
            KeptLauncher(running).launch(program)
    except BaseException as error:
        private.stop(name)
        if isinstance(error, ActionFailed):
            raise ConfigError(f"--open {program}: {error}") from error
        raise
    click.echo(f"{name} is running as display {running.display}; use it with --on virtual:{name}")
    return 0


@desktop.command(name="list")
@json_option
def list_(as_json: bool) -> int:
    """List the running desktops."""
    from gui_agent.computers.virtual import private

    found = [(name, private.running(name)) for name in private.names()]
    if as_json:
        rows = [
            {"name": name, "display": one.display, "size": [one.size.width, one.size.height], "bus": one.bus}
            for name, one in found
        ]
        click.echo(json.dumps(rows))
        return 0
    for name, one in found:
        click.echo(f"{name:16} {one.display:6} {one.size.width} x {one.size.height}")
    if not found:
        click.echo("no desktop is running; start one: guiagent desktop start NAME", err=True)
    return 0


@desktop.command()
@click.argument("name")
@click.option("--port", type=int, default=0, metavar="N", help="Port of the page (default: a free one).")
@click.option("--browser", is_flag=True, help="Open the page in your browser.")
def view(name: str, port: int, browser: bool) -> int:
    """Show the desktop NAME and its runs as a page, until Ctrl+C."""
    from gui_agent.computers.desktop.monitor import ScreenCapture
    from gui_agent.computers.virtual import private
    from gui_agent.server import LiveServer

    running = private.running(name)
    screen = ScreenCapture(running.display)
    try:
        with LiveServer(running.folder, screen.grab, f"guiagent desktop {name}", port) as server:
            click.echo(server.url)
            click.echo("Anyone with this address can watch and stop runs; Ctrl+C ends the view.", err=True)
            if browser:
                click.launch(server.url)
            while running.folder.exists():
                time.sleep(0.5)
            click.echo(f"the desktop {name} has ended", err=True)
    finally:
        screen.close()
    return 0


@desktop.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All running desktops.")
def stop(names: tuple[str, ...], everything: bool) -> int:
    """Stop desktops and everything that runs on them."""
    from gui_agent.computers.virtual import private

    if bool(names) == everything:
        raise click.UsageError("Name the desktops to stop, or use --all.")
    for name in private.names() if everything else names:
        private.stop(name)
        click.echo(f"{name} stopped")
    return 0


def parse_size(text: str) -> Size:
    """Parse a size such as 1280x800."""
    from gui_agent.core.observation import Size

    found = re.fullmatch(r"(\d{2,5})\s*[xX×]\s*(\d{2,5})", text.strip())
    if not found or not all(200 <= int(side) <= 8192 for side in found.groups()):
        raise ConfigError(f"--size {text}: write it as 1280x800, each side from 200 to 8192")
    return Size(int(found[1]), int(found[2]))
