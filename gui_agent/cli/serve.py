"""`guiagent serve` offers runs over HTTP, and `guiagent answer` answers runs that wait for the user."""

from __future__ import annotations

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
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8765/runs -d '{"task": "...", "url": "..."}'

\b
The description of the API is at /openapi.json. From another machine, use an ssh tunnel.
"""


@click.command(epilog=EXAMPLES, short_help="Serve runs over HTTP, with a page to watch and steer them.")
@click.option("--port", type=int, default=0, metavar="N", help="Port on this machine (default: a free one).")
@click.option("--on", "kind", metavar="COMPUTER", help="The kind of screen that runs use.")
@model_options
@secret_option
@login_option
@settings_options
def serve(port: int, kind: str | None, secret_sources: tuple[str, ...], given: GivenSettings) -> None:
    """Accept tasks over HTTP on this machine, and show their runs live.

    Anyone with the token can start tasks, answer the guard and take over screens: keep it private.
    """
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
        app = LocalApp(Api(registry).app(), port)
        click.echo(f"open {app.url}", err=True)
        click.echo(f"Authorization: Bearer {app.token}", err=True)
        app.serve()
    finally:
        looking.set()
        registry.shut()


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
