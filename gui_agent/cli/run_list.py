"""`guiagent run-list`: does a task for each row of a table."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from gui_agent.cli.options import (
    headed_option,
    login_option,
    model_options,
    screen_option,
    secret_option,
    settings_options,
    whole_address,
)
from gui_agent.core.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from gui_agent.api.row_list import Line, ListResult

EPILOG = """\
\b
A task with columns in it, for a file with a line "name,email" and rows such as "Ada,ada@example.org":
  guiagent run-list 'type "{name}" into "Name", type "{email}" into "Email", click "Save"' people.csv \\
      --url https://example.org/new --check 'shown "{name}"' --yes

\b
A skill or a learned procedure, with the columns as its values:
  guiagent run-list send-message messages.xlsx --out sent.csv --yes
  guiagent run-list send-message messages.xlsx --out sent.csv --yes --workers 4 --profile work

\b
After an interruption, or when rows failed (results.csv says why, with a report of each):
  guiagent run-list send-message messages.xlsx --out sent.csv --yes --continue
  guiagent run-list send-message messages.xlsx --out sent.csv --yes --retry failed
"""


@click.command("run-list", epilog=EPILOG, short_help="Do a task for each row of a table.")
@click.argument("task", metavar="TASK|SKILL")
@click.argument("rows", type=click.Path(readable=False, path_type=Path), metavar="ROWS.csv|.xlsx")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("results.csv"),
              metavar="FILE", help="Where results go, by row (default: results.csv).")  # fmt: skip
@click.option("--url", default="", metavar="ADDRESS", help="Where each row starts; may have {column} in it.")
@click.option(
    "--check", default="", metavar="STATEMENT", help="""Condition to verify after a row: 'shown "{name}"'."""
)
@click.option("--continue", "go_on", is_flag=True, help="Continue after the recorded rows.")
@click.option("--retry", multiple=True, type=click.Choice(["failed", "unclear"]), help="Repeat such rows.")
@click.option("--max-failures", type=int, default=5, metavar="N",
              help="Stop when N rows fail one after the other (default: 5; 0: never).")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=1, metavar="N",
              help="Rows at a time, each on a screen of its own (default: 1; more need --yes).")  # fmt: skip
@screen_option
@headed_option
@click.option("--yes", is_flag=True, help="Allow everything the guard asks about, in this list only.")
@model_options
@click.option("--max-steps", type=int, metavar="N", help="Stop a row after N actions (default: 50).")
@click.option("--max-seconds", type=float, metavar="S", help="Stop a row after S seconds (default: 600).")
@secret_option
@login_option
@settings_options
def run_list(
    *, task: str, rows: Path, out: Path, url: str, check: str, go_on: bool,
    retry: tuple[Literal["failed", "unclear"], ...], max_failures: int, workers: int, yes: bool, **rest: Any,
) -> int:  # fmt: skip
    """Do TASK for each row of a table; the column NAME fills {NAME}, or is the value NAME of SKILL.

    Each row is recorded in the results before it starts and when it ends, with its outcome, the values
    read and a link to its report. A completed row is never repeated: neither by --continue nor after a crash.
    If the first screen is not there, as during maintenance, the remaining rows wait.
    """
    from gui_agent.agent.guard import at_terminal
    from gui_agent.api.row_list import run_list as run
    from gui_agent.cli.questions import Person
    from gui_agent.cli.run import resolve
    from gui_agent.trace import EndView

    if rest["given"].sections["trace"]["folder"]:
        raise ConfigError(
            "--runs: the reports of a list are stored next to its results; choose the place with --out"
        )
    settings, values = resolve(**rest)
    if values:
        raise ConfigError(f"--set {next(iter(values))}=...: values come from the columns; add a column")
    person = Person(EndView()) if at_terminal() else None
    try:
        done = run(task, rows, out=out, url=whole_address(url), check=check, go_on=go_on, retry=retry,
                   max_failures=max_failures, workers=workers, on_row=_tell, settings=settings, yes=yes,
                   approver=person, ask=person.ask if person else None)  # fmt: skip
    except KeyboardInterrupt:
        _tell_how_to_go_on()
        raise
    if sys.stderr.isatty() and done.rows:
        click.echo("", err=True)
    if done.held:
        click.echo(f"Held: {done.held}", err=True)
    succeeded, unclear = done.count("done"), done.count("unclear")
    counts = f"{succeeded} done, {done.failed} failed, {unclear} unclear, {done.remaining} left"
    click.echo(f"{counts}: {out}, as a page: {done.summary}")
    if done.remaining or done.exit_code == ExitCode.INTERRUPTED:
        _tell_how_to_go_on()
    return done.exit_code


def _tell(line: Line, so_far: ListResult) -> None:
    from gui_agent.elements.describe import printable
    from gui_agent.trace.lines import duration

    reason = f": {line['reason']}" if line.get("reason") else ""
    said = f"row {line['row']} {line['outcome']}{reason}, {line.get('seconds') or 0} s"
    left = f", about {duration(so_far.seconds_left)}" if so_far.seconds_left else ""
    now = f"{so_far.count('done')} done, {so_far.failed} failed, {so_far.remaining} left{left}"
    if sys.stderr.isatty():  # the last line shows the progress, and the next row replaces it
        click.echo(f"\r\x1b[K{printable(said)}\n{now}", err=True, nl=False)
    else:
        click.echo(f"{printable(said)}  ({now})", err=True)


def _tell_how_to_go_on() -> None:
    again = [one for one in sys.argv[1:] if one != "--continue"]
    click.echo(f"continue with: guiagent {shlex.join([*again, '--continue'])}", err=True)
