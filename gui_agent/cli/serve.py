"""`guiagent serve` offers runs over HTTP, and `guiagent answer` answers runs that wait for the user."""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path

import click

from gui_agent.cli.options import GivenSettings, login_option, model_options, secret_option, settings_options
from gui_agent.core.errors import ConfigError, MissingExtra

EXAMPLES = """\
\b
Examples:
  guiagent serve                        on a free port of this machine; prints the address with the token
  guiagent serve --port 8765 --on virtual
  guiagent serve --install              from now on at each login, so that schedules need no terminal
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8765/runs -d '{"task": "...", "url": "..."}'

\b
The description of the API is at /openapi.json. From another machine, use an ssh tunnel.
"""


_GIVEN = "gui_agent.serve"
_PORT = 8765
"""The port of a workbench that starts at each login, if none is given."""


class _WithArguments(click.Command):
    """Keeps the arguments as they were given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_GIVEN] = [*args]
        return super().parse_args(ctx, args)


@click.command(
    cls=_WithArguments,
    epilog=EXAMPLES,
    short_help="Serve runs over HTTP, with a page to watch and steer them.",
)
@click.option("--port", type=int, default=0, metavar="N", help="Port on this machine (default: a free one).")
@click.option("--on", "kind", metavar="COMPUTER", help="The kind of screen that runs use.")
@click.option("--install", is_flag=True, help="Start it now and whenever you log in, with these options.")
@click.option("--uninstall", is_flag=True, help="Stop that, and do not start it any more.")
@click.option("--same-token", is_flag=True, help="Keep the token, so that the address stays the same.")
@model_options
@secret_option
@login_option
@settings_options
def serve(
    port: int,
    kind: str | None,
    install: bool,
    uninstall: bool,
    same_token: bool,
    secret_sources: tuple[str, ...],
    given: GivenSettings,
) -> None:
    """Accept tasks over HTTP on this machine, and show their runs live.

    Anyone with the token can start tasks, answer the guard and take over screens: keep it private.
    """
    if install or uninstall:
        _set_start_up(install, port)
        return
    from gui_agent.integrations.session_registry import SessionRegistry

    try:
        from gui_agent.integrations.http import Api
        from gui_agent.integrations.local import LocalApp
        from gui_agent.integrations.schedules import look_here
    except ModuleNotFoundError as error:
        raise MissingExtra("serve", "guiagent serve") from error
    from gui_agent.wiring.secrets import given_secrets

    settings = given.load(computer={"kind": kind}, secrets=given_secrets(secret_sources))
    registry, looking = SessionRegistry(settings, attended=True), look_here()
    try:
        app = LocalApp(Api(registry).app(), port, _kept_token() if same_token else "")
        click.echo(f"open {app.url}", err=True)
        click.echo(f"Authorization: Bearer {app.token}", err=True)
        app.serve()
    finally:
        looking.set()
        registry.shut()


def _set_start_up(wanted: bool, port: int) -> None:
    """Have this command started at each login, with its other options, or no longer."""
    from gui_agent.integrations import start_up

    if not wanted:
        was = start_up.uninstall()
        click.echo("it is no longer started when you log in" if was else "it was not started at your logins")
        return
    port = port or _PORT
    arguments = click.get_current_context().meta[_GIVEN]
    given = [one for one in arguments if one not in ("--install", "--same-token")]
    fixed = [] if any(one.startswith("--port") for one in given) else ["--port", str(port)]
    starter = start_up.install([*given, *fixed, "--same-token"])
    click.echo(
        f"{starter} starts it now and whenever you log in; stop that: guiagent serve --uninstall", err=True
    )
    click.echo(f"open http://127.0.0.1:{port}/?token={_kept_token()}")


def _kept_token() -> str:
    """The token of the last time, from a file that only its owner can read; a new one the first time."""
    from gui_agent.core.os_errors import kept_bytes, why
    from gui_agent.settings import state_folder

    path = state_folder("serve") / "token"
    try:
        return kept_bytes(path, secrets.token_urlsafe(24).encode()).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} cannot be used: {why(error)}; delete it, or give no --same-token"
        ) from error


ANSWER_EXAMPLES = """\
\b
Examples:
  guiagent answer                    the waiting runs, and their questions
  guiagent answer r-1a2b3c4d yes     allow what it asks about, once
  guiagent answer r-1a2b3c4d always  allow this kind here from now on (see: guiagent policy list)
"""
PATIENCE = 5.0
"""Seconds for the run to accept the answer."""


@click.command(epilog=ANSWER_EXAMPLES, short_help="Answer a run that waits for you.")
@click.argument("run", default="")
@click.argument("answer", default="")
def answer(run: str, answer: str) -> None:
    """Answer the question of RUN with yes, always, no, or the requested text.

    For runs started by programs that cannot ask you themselves. Permission to send, pay or delete is
    accepted only from an interactive terminal.
    """
    from gui_agent.elements.describe import printable
    from gui_agent.server import live

    waiting = _waiting_runs()
    if not run:
        for one, question in waiting.items():
            click.echo(f"{one.name}: {printable(question['text'])}")
        if not waiting:
            click.echo("no run waits for an answer")
        return
    folder, question = next((one for one in waiting.items() if one[0].name == run), (None, {}))
    if folder is None:
        raise ConfigError(f"{run} is not waiting for an answer; list the runs that are: guiagent answer")
    if question["asks"] == "guard" and answer != "no" and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("only a person at a terminal can allow this; without one, answer no")
    click.echo(printable(question["text"]))
    given = answer or click.prompt("yes, always, no, or what it asks for")
    if not live.ask(folder, {"do": "answer", "question": question["id"], "answer": given}):
        raise ConfigError(f"{run} is no longer running")
    if not _has_taken(folder, question["id"]):
        raise ConfigError(f"{run} did not accept the answer; see its question with: guiagent answer")
    click.echo(f"{run} has the answer")


def _has_taken(folder: Path, question: str) -> bool:
    """Whether the run in a folder continues within some seconds, without the question."""
    from gui_agent.server import live

    until = time.monotonic() + PATIENCE
    while (live.state(folder).get("question") or {}).get("id") == question:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _waiting_runs() -> dict[Path, dict[str, str]]:
    from gui_agent.integrations.screen_client import desks
    from gui_agent.server import live

    found = ((folder, live.state(folder).get("question")) for folder in sorted(desks().glob("*/*")))
    return {folder: question for folder, question in found if question}
