"""`guiagent practice`: what is learned from many runs, for the next ones."""

from __future__ import annotations

from pathlib import Path

import click

from gui_agent.cli.options import load_settings

FILE = "lessons.toml"
EPILOG = """\
\b
Examples:
  guiagent practice lessons runs/one runs/two --model openai/gpt-6-sol
  guiagent eval miniwob --planner model --model openai/gpt-6-sol --set memory.lessons=lessons.toml
"""


@click.group(no_args_is_help=True, short_help="Learn from many runs for the next ones.")
def practice() -> None:
    """Learn from many runs for the next ones."""


@practice.command(epilog=EPILOG, short_help="Draw lessons from runs that went well and badly.")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("--model", required=True, metavar="MODEL", help="Who compares; see `guiagent models --help`.")
@click.option("--max-cost", type=click.FloatRange(min=0), default=0.0, metavar="USD", help="Dollars at most.")
@click.option(
    "--out",
    default=FILE,
    show_default=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Added to.",
)
@click.option("-c", "--config", multiple=True, metavar="FILE", help="Settings; may be repeated.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting.")
def lessons(
    runs: tuple[str, ...],
    model: str,
    max_cost: float,
    out: Path,
    config: tuple[str, ...],
    assignments: tuple[str, ...],
) -> None:
    """Compare those of RUNS that did the same task well and badly: at most two lessons a task, in FILE.

    Runs that were shown lessons of FILE count as wins or losses of these. `memory.lessons=FILE` shows them.
    """
    from gui_agent.memory.lessons import read_lessons
    from gui_agent.wiring.models import make_models, need_models
    from guiagent_eval.practice.kept import kept_runs
    from guiagent_eval.practice.lessons import (
        contrasts,
        count_uses,
        counted_runs,
        learn_from,
        run_mark,
        write_lessons,
    )

    settings = load_settings(config, assignments, model={"name": model, "max_cost": max_cost})
    known = read_lessons(out) if out.exists() else ()
    kept = list(kept_runs(runs, pictures=False))
    before = counted_runs(out)
    found = count_uses(known, kept, out, before)
    groups = contrasts(kept)
    models = need_models(make_models(settings))
    try:
        for group in groups.values():
            found = learn_from(group, found, models.model, settings.memory.untrusted)
    finally:
        models.close()
    write_lessons(out, found, [*before, *map(run_mark, kept)])
    held = sum(bool(one.quarantined) for one in found)
    added = len({one.id for one in found} - {one.id for one in known})
    click.echo(
        f"{out}: {len(found)} lessons, {added} new, {held} in quarantine; "
        f"{len(kept)} runs, {len(groups)} tasks with both outcomes, ${models.budget.total.cost:.4f}"
    )
