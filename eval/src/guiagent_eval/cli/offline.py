"""`guiagent eval offline`: a model before recorded screens, its acts compared with what was done there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from guiagent_eval.cli import model_options
from guiagent_eval.cli.figures import plain_table, wide_console

if TYPE_CHECKING:
    from gui_agent.settings import Settings
    from gui_agent.wiring.models import ModelParts

MIND2WEB = "mind2web:"
EPILOG = """\
\b
Examples:
  guiagent eval offline runs/miniwob --model openai/gpt-6-sol --patches 1
  guiagent eval offline mind2web:data/test_task --model http://localhost:8000/v1#Qwen3-8B
"""


@click.command(epilog=EPILOG, short_help="Compare a model's acts with recorded ones.")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...|mind2web:DIR")
@model_options("Who acts")
@click.option(
    "--patches", default=0, show_default=True, type=click.IntRange(min=0), help="Misses that are mended."
)
@click.option(
    "--top", default=50, show_default=True, type=click.IntRange(min=1), help="Candidates of Mind2Web."
)
@click.option("--json", "as_json", is_flag=True, help="The figures as JSON.")
def offline(runs: tuple[str, ...], patches: int, top: int, as_json: bool, settings: Settings) -> None:
    """Put a model before the screens of RUNS, or of Mind2Web's files; nothing is touched."""
    from gui_agent.wiring.models import make_models, need_models

    models = need_models(make_models(settings))
    try:
        if runs[0].startswith(MIND2WEB):
            rows, found = _mind2web(Path(runs[0].removeprefix(MIND2WEB)), models, top)
        else:
            rows, found = _own(runs, models, patches)
    finally:
        models.close()
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    table = plain_table(f"of {found[next(iter(found))]}", "value", "95 %")
    for row in rows:
        table.add_row(*row)
    wide_console().print(table)


def _own(runs: Sequence[str], models: ModelParts, patches: int) -> tuple[Any, dict[str, Any]]:
    from guiagent_eval.practice import offline as own
    from guiagent_eval.practice.kept import kept_runs

    planner = models.planner()
    found = own.figures(own.compare_run(one, planner.decide, patches=patches) for one in kept_runs(runs))
    return own.table(found), asdict(found)


def _mind2web(folder: Path, models: ModelParts, top: int) -> tuple[Any, dict[str, Any]]:
    from guiagent_eval.practice import mind2web

    say = partial(mind2web.next_act, models.model)
    found = mind2web.figures([mind2web.score(one, say) for one in mind2web.tasks_in(folder, top=top)])
    rows = [
        (name, f"{100 * one.value:.1f}", f"{100 * one.low:.1f} to {100 * one.high:.1f}")
        for name, one in (
            ("element accuracy %", found.element_acc),
            ("step success %", found.step_success),
            ("task success %", found.success),
        )
    ]
    return [*rows, ("action F1 %", f"{100 * found.action_f1:.1f}", "")], asdict(found)
