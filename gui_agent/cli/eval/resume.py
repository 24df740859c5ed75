"""`guiagent eval resume`: the rest of a run that was stopped, killed or partly spoiled."""

from __future__ import annotations

from dataclasses import replace

import click


@click.command(short_help="Finish a run that was stopped or killed.")
@click.argument("run", default="last")
@click.option("--workers", type=click.IntRange(min=1), help="Processes (default: as the run was started).")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="USD",
    help="What all episodes may cost together (default: as the run was started).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON at the end.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def resume(run: str, workers: int | None, max_cost: float | None, as_json: bool, quiet: bool) -> int:
    """Run what RUN still lacks; episodes that are finished are not repeated."""
    from gui_agent.cli.eval.compare import print_summary, summary_json
    from gui_agent.cli.eval.running import begun, carry_out, find_run

    folder = find_run(run)
    recipe, pace, engine = begun(folder)
    pace = replace(pace, workers=workers or pace.workers, max_cost=max_cost or pace.max_cost)
    code = carry_out(folder, recipe, pace, engine, quiet=quiet)
    if as_json:
        click.echo(summary_json(folder.records()))
    else:
        print_summary(folder.records())
    return code
