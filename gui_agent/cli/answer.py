"""`guiagent answer`: the person answers a run that was started by another program."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

EPILOG = """\
\b
Examples:
  guiagent answer                    the runs that wait, and their questions
  guiagent answer r-1a2b3c4d yes     allow what it asks about, once
"""
PATIENCE = 5.0
"""Seconds for the run to take the answer."""


@click.command(epilog=EPILOG, short_help="Answer a run that waits for you.")
@click.argument("run", default="")
@click.argument("answer", default="")
def answer(run: str, answer: str) -> None:
    """Answer the question of RUN with yes, no, or what it asks for.

    For runs of programs that cannot ask you themselves. Leave to send, pay or delete is only taken from a
    terminal that a person sits at.
    """
    from gui_agent.core.errors import ConfigError
    from gui_agent.elements.describe import printable
    from gui_agent.server import feed

    waiting = _waiting()
    if not run:
        for one, question in waiting.items():
            click.echo(f"{one.name}: {printable(question['text'])}")
        if not waiting:
            click.echo("no run waits for an answer")
        return
    folder = next((one for one in waiting if one.name == run), None)
    if folder is None:
        raise ConfigError(f"{run} does not wait for an answer; list those that do: guiagent answer")
    question = waiting[folder]
    if question["asks"] == "guard" and answer != "no" and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("a person has to allow this, at a terminal; here it can only be refused (no)")
    click.echo(printable(question["text"]))
    given = answer or click.prompt("yes, no, or what it asks for")
    asked = {"do": "answer", "question": question["id"], "answer": given}
    until = time.monotonic() + PATIENCE
    if not feed.ask(folder, asked):
        raise ConfigError(f"{run} does not listen any more")
    while (feed.state(folder).get("question") or {}).get("id") == question["id"]:
        if time.monotonic() > until:
            raise ConfigError(f"{run} does not take the answer; look at it with: guiagent answer")
        time.sleep(0.05)
    click.echo(f"{run} has the answer")


def _waiting() -> dict[Path, dict[str, str]]:
    """The folders of the runs that wait, with their questions."""
    from gui_agent.integrations.desk import desks
    from gui_agent.server import feed

    found = ((folder, feed.state(folder).get("question")) for folder in sorted(desks().glob("*/*")))
    return {folder: question for folder, question in found if question}
