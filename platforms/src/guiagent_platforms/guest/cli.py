"""`guiagent guest`: desktops in separate namespaces, and the server inside a desktop or VM."""

from __future__ import annotations

import click

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why

EPILOG = """\
\b
Examples:
  guiagent guest start a                           a separate desktop in namespaces (needs root)
  guiagent run 'open "Mousepad", type "hello"' --on guest:a
  guiagent guest exec a -- ls -l                   a command in it
  guiagent guest reset a                           discard all changes in it
  guiagent guest stop a
  guiagent guest serve                             serve this desktop on 127.0.0.1:5000
  guiagent run 'open "Mousepad", type "hello"' --on remote:http://127.0.0.1:5000
"""


@click.group(epilog=EPILOG, short_help="Guests: desktops that reset in a second, and their server.")
def guest() -> None:
    """Start, reset and serve guests."""


@guest.command()
@click.argument("name", default="a")
@click.option("--size", default="1920x1080", show_default=True, metavar="WxH", help="In pixels.")
@click.option("--ttl", default="", metavar="TIME", help="End by itself after so long: 90s, 30m, 2h.")
@click.option("--allow-execute", is_flag=True, help="Let clients run any command: for benchmarks only.")
@click.option("--network", is_flag=True, help="Share this machine's network, with its ports.")
def start(name: str, size: str, ttl: str, allow_execute: bool, network: bool) -> int:
    """Start a guest named NAME; it runs until stopped."""
    from gui_agent.cli.desktop import parse_size
    from gui_agent.settings import evaluator_folder
    from guiagent_platforms.guest import guests

    options = {"execute": allow_execute, "network": network, "evaluators": evaluator_folder()}
    made = guests.start(name, parse_size(size), ttl=_seconds(ttl), **options)  # type: ignore[arg-type]
    click.echo(f"{name} is running at {made.address}; use it with --on guest:{name}")
    return 0


@guest.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
def list_(as_json: bool) -> int:
    """List the running guests."""
    import json

    from guiagent_platforms.guest import guests

    found = [guests.running(name) for name in guests.names()]
    if as_json:
        rows = [{"name": one.name, "address": one.address, "ports": one.ports} for one in found]
        click.echo(json.dumps(rows))
        return 0
    for one in found:
        state = "running" if one.first else "ended by itself; reset it"
        click.echo(f"{one.name:16} {one.size.width} x {one.size.height:<6} {one.address:24} {state}")
    if not found:
        click.echo("no guest is running; start one: guiagent guest start NAME", err=True)
    return 0


@guest.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All running guests.")
def stop(names: tuple[str, ...], everything: bool) -> int:
    """Stop guests and remove everything in them."""
    from guiagent_platforms.guest import guests

    if bool(names) == everything:
        raise click.UsageError("Name the guests to stop, or use --all.")
    for name in guests.names() if everything else names:
        guests.running(name).stop()
        click.echo(f"{name} stopped")
    return 0


@guest.command()
@click.argument("name")
@click.option("--to", "snapshot", default="", metavar="SNAPSHOT", help="Go back to this one.")
def reset(name: str, snapshot: str) -> int:
    """Discard all changes in the guest NAME."""
    from guiagent_platforms.guest import guests

    click.echo(f"{name} was reset in {guests.running(name).reset(snapshot):.2f} s")
    return 0


@guest.command()
@click.argument("name")
@click.argument("snapshot")
def snapshot(name: str, snapshot: str) -> int:
    """Save the files of the guest NAME as SNAPSHOT, without its running programs."""
    from guiagent_platforms.guest import guests

    guests.running(name).snapshot(snapshot)
    click.echo(f"saved; go back to it with guiagent guest reset {name} --to {snapshot}")
    return 0


@guest.command()
@click.argument("name")
@click.argument("new")
def fork(name: str, new: str) -> int:
    """Start a guest NEW with the files of the guest NAME."""
    from guiagent_platforms.guest import guests

    click.echo(f"{new} is running at {guests.running(name).fork(new).address}; use it with --on guest:{new}")
    return 0


@guest.command(name="exec", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def exec_(name: str, command: tuple[str, ...]) -> int:
    """Run COMMAND in the guest NAME as its user; exits with its exit code."""
    from guiagent_platforms.guest import guests

    return guests.running(name).run(*command)


@guest.command()
@click.argument("name")
@click.option("--port", type=int, default=0, metavar="N", help="Port of the page (default: a free one).")
def view(name: str, port: int) -> int:
    """Show the guest NAME as a page, until Ctrl+C."""
    import time

    from gui_agent.elements.image_regions import image_of
    from gui_agent.server import LiveServer
    from guiagent_platforms.guest import guests
    from guiagent_platforms.remote.client import GuestClient

    running = guests.running(name)
    client = GuestClient(running.address, running.token)

    with LiveServer(
        running.folder, lambda: image_of(client.get("/screenshot").data), f"guiagent guest {name}", port
    ) as server:
        click.echo(server.url)
        while running.folder.exists():
            time.sleep(0.5)
    return 0


@guest.command()
def prune() -> int:
    """Remove what killed guests left behind."""
    from guiagent_platforms.guest import guests

    gone = guests.prune()
    click.echo(f"removed: {', '.join(gone) or 'nothing'}")
    return 0


@guest.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", default=5000, show_default=True, type=int, metavar="N", help="0 takes a free one.")
@click.option("--no-token", is_flag=True, help="Allow everyone on this machine; on loopback only.")
@click.option("--allow-execute", is_flag=True, help="Let clients run any command: for benchmarks only.")
@click.option("--max-upload", default=256, show_default=True, type=click.IntRange(min=1), metavar="MB")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="What a program is called in the XML tree.")
@click.option("--display", default="", metavar=":N", help="Display to serve (default: of the environment).")
@click.option("--session", default="", metavar="ADDRESS", help="D-Bus session (default: of the environment).")
def serve(
    *,
    host: str,
    port: int,
    no_token: bool,
    allow_execute: bool,
    max_upload: int,
    rename: tuple[str, ...],
    display: str,
    session: str,
) -> int:
    """Serve the desktop of this session, in OSWorld's protocol and in our own, until Ctrl+C.

    The token is that of the variable GUIAGENT_GUEST_TOKEN, or a new one that is printed.
    """
    import secrets
    import socket
    from ipaddress import ip_address

    from gui_agent.settings import guest_token, session_bus
    from guiagent_platforms.guest.server import serve as serve_desktop

    if no_token and not ip_address(host).is_loopback:
        raise ConfigError("--no-token would open it to the network; leave it out, or listen on 127.0.0.1")
    given = guest_token()
    token = "" if no_token else given or secrets.token_urlsafe(24)
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise ConfigError(f"--host {host} --port {port}: {why(error)}; give another") from error
    names = dict(pair.split("=", 1) for pair in rename if "=" in pair)

    def ready() -> None:
        click.echo(f"http://{host}:{listener.getsockname()[1]}")
        if token and not given:
            click.echo(f"GUIAGENT_GUEST_TOKEN={token}")

    with listener:
        serve_desktop(
            listener,
            display=display,
            session=session or session_bus(),
            token=token,
            execute=allow_execute,
            most=max_upload * 1024 * 1024,
            renamed=names,
            ready=ready,
        )
    return 0


def _seconds(text: str) -> float:
    import re

    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip()) if text else None
    if text and not found:
        raise ConfigError(f"--ttl {text}: write it as 90s, 30m or 2h")
    return float(found[1]) * {"s": 1, "": 1, "m": 60, "h": 3600}[found[2]] if found else 0.0
