"""`guiagent resume`: continues a run that was interrupted or reached a limit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import model_options, secret_option, settings_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gui_agent.settings import Settings

EPILOG = """\
\b
Examples:
  guiagent resume last
  guiagent resume runs/2026-11-20_order-3-lamps --max-cost 1.00 --max-steps 80
"""


@click.command(epilog=EPILOG, short_help="Resume an interrupted run.")
@click.argument("run", default="last")
@click.option("--on", "kind", metavar="COMPUTER", help="Screen to use; see guiagent doctor.")
@click.option("--headed", is_flag=True, help="Show the browser window.")
@click.option("--yes", is_flag=True, help="Answer every question of the guard with yes, in this run only.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON value.")
@click.option("--quiet", is_flag=True, help="Print only the result, no live steps.")
@click.option("--max-steps", type=int, metavar="N", help="Stop after N actions, including earlier ones.")
@click.option("--max-seconds", type=float, metavar="S", help="Stop after S seconds from now.")
@model_options
@secret_option
@settings_options
def resume(run: str, yes: bool, as_json: bool, quiet: bool, **rest: Any) -> int:
    """Resume RUN: a folder, the beginning of its name, or last.

    The screen is opened where the run stopped and observed before anything is done. Earlier steps count and
    are not repeated; sending, paying or submitting the same again needs a separate approval. The run keeps
    its kind of screen, planner and provider's model, unless others are given, and gets new limits. Settings
    that could run a program, send a key away or change the guard's rules (computer.options.executable, a
    model server, a policy ...) are never taken from the folder: you are asked, or give them again. The new
    part is stored in a new folder.
    """
    from gui_agent import wiring
    from gui_agent.agent.guard import LEDGER, at_terminal
    from gui_agent.cli.carried import asker, carried
    from gui_agent.cli.questions import Person
    from gui_agent.cli.run import resolve
    from gui_agent.cli.show import find_run
    from gui_agent.core.errors import ConfigError
    from gui_agent.trace import LiveView, read_run, result_json

    given, values = resolve(**rest)
    stored = read_run(find_run(run, Path(given.trace.folder or "runs")))

    def now(usual: Mapping[str, Any]) -> Settings:
        found: Settings = resolve(**rest, usual=usual)[0]
        return found

    settings = carried(stored.folder.name, stored.meta.settings, now, ask=asker())
    before = stored.trajectory
    if before.ending is not None and before.ending.kind == "done":
        raise ConfigError(f"{stored.folder.name} is done; there is nothing to resume")
    view = LiveView(quiet=quiet)
    person = Person(view) if at_terminal() else None
    try:
        result = wiring.run(
            before.task,
            values=values,
            settings=settings,
            yes=yes,
            observers=[view, *([person] if person else [])],
            approver=person,
            ask=person.ask if person else None,
            begun=before,
            ledger=stored.folder / LEDGER,
        )
    finally:
        view.close()
    if as_json:
        click.echo(result_json(result))
    return result.exit_code
