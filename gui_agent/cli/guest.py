"""`guiagent guest`: desktops in namespaces of their own, and the server that runs inside a desktop or VM."""

from __future__ import annotations

import click

EPILOG = """\
\b
Examples:
  guiagent guest serve                             serve this desktop on 127.0.0.1:5000
  guiagent run 'open "Mousepad", type "hello"' --on remote:http://127.0.0.1:5000
"""


@click.group(epilog=EPILOG, short_help="Guests: desktops that reset in a second, and their server.")
def guest() -> None:
    """Start, reset and serve guests."""


@guest.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", default=5000, show_default=True, type=int, metavar="N", help="0 takes a free one.")
@click.option("--no-token", is_flag=True, help="Let everybody on this machine in; on loopback only.")
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

    from gui_agent.computers.guest.server import serve as serve_desktop
    from gui_agent.core.errors import ConfigError
    from gui_agent.core.os_errors import why
    from gui_agent.settings import guest_token, session_bus

    if no_token and not ip_address(host).is_loopback:
        raise ConfigError("--no-token would let the network in; leave it out, or listen on 127.0.0.1")
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
