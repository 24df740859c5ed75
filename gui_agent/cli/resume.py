"""`guiagent resume`: go on with a run that was interrupted or came to a limit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gui_agent.cli.options import model_options, settings_options

EPILOG = """\
\b
Examples:
  guiagent resume last
  guiagent resume runs/2026-11-20_order-3-lamps --max-cost 1.00 --max-steps 80
"""
KEPT = ("computer", "planner", "grounder", "model")
"""Sections of the settings that hold on when a run is gone on with."""


@click.command(epilog=EPILOG, short_help="Go on with an interrupted run.")
@click.argument("run", default="last")
@click.option("--on", "kind", metavar="COMPUTER", help="What to work on; see guiagent doctor.")
@click.option("--headed", is_flag=True, help="Show the browser window.")
@click.option("--yes", is_flag=True, help="Answer every question of the guard with yes, in this run only.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON value.")
@click.option("--quiet", is_flag=True, help="Print no live steps, only how it ended.")
@click.option("--max-steps", type=int, metavar="N", help="End after N actions, those before included.")
@click.option("--max-seconds", type=float, metavar="S", help="End after S seconds from now.")
@model_options
@settings_options
def resume(run: str, yes: bool, as_json: bool, quiet: bool, **rest: Any) -> int:
    """Go on with RUN: a folder, the beginning of its name, or last.

    The screen is opened where the run was and looked at before anything is done. Its earlier steps count and
    are not done again; what it sent, paid or submitted is kept in the run's folder, and doing that a second
    time needs a yes of its own. It goes on with the screen, planner, models and rules of that run, unless
    others are given, and with limits of its own. The new part gets a folder of its own.
    """
    from gui_agent import wiring
    from gui_agent.agent.guard import LEDGER, TerminalApprover
    from gui_agent.cli.asking import Person
    from gui_agent.cli.run import resolve
    from gui_agent.cli.show import find_run
    from gui_agent.core.errors import ConfigError
    from gui_agent.trace import LiveView, read_run, result_json

    given, _ = resolve(**rest)
    stored = read_run(find_run(run, Path(given.trace.folder or "runs")))
    settings, values = resolve(**rest, usual=kept(stored.meta.settings))
    before = stored.trajectory
    if before.ending is not None and before.ending.kind == "done":
        raise ConfigError(f"{stored.folder.name} is done; there is nothing to resume")
    view = LiveView(quiet=quiet)
    person = Person(view) if TerminalApprover.available() else None
    try:
        result = wiring.run(
            before.task,
            values=values,
            settings=settings,
            yes=yes,
            observers=[view],
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


def kept(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What holds on of the settings of a run: with what it was done, and what was forbidden.

    Not its limits, which it may have come to, nor what was allowed in that run only, nor what was hidden.
    """
    from gui_agent.core.redaction import HIDDEN

    sections = {name: dict(settings.get(name, {})) for name in KEPT}
    sections["guard"] = {"policy": settings.get("guard", {}).get("policy", "")}
    sections["model"].pop("replay", None)
    return {
        name: {key: value for key, value in section.items() if value != HIDDEN}
        for name, section in sections.items()
    }
