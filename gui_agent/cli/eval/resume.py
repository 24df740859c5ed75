"""`guiagent eval resume`: the rest of a run that was stopped, killed or partly spoiled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gui_agent.cli.eval.recipe import Recipe
    from gui_agent.cli.eval.running import Engine
    from gui_agent.settings import Settings


_OPTIONS: Mapping[tuple[str, ...], str] = {("model", "name"): "--model"}


@click.command(short_help="Finish a run that was stopped or killed.")
@click.argument("run", default="last")
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes (default: as started).")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="USD",
    help="Cost limit of all episodes together (default: as started).",
)
@click.option("--model", default=None, metavar="MODEL", help="The language model, as the run was started.")
@click.option("--demos", default="", metavar="DIR", help="Demonstrations, as the run was started.")
@click.option("--address", default="", metavar="ADDRESS", help="Of the Ray cluster, as the run was started.")
@click.option("-c", "--config", multiple=True, metavar="FILE", help="Settings of the agent; may be repeated.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the agent.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON at the end.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def resume(
    run: str, workers: int | None, max_cost: float | None, as_json: bool, quiet: bool, **given: Any
) -> int:
    """Finish RUN; completed episodes are not repeated.

    Settings that could run a program or send a key away (a custom part, a model server, a Ray cluster ...)
    are never taken from the folder: you are asked, or give them again.
    """
    from gui_agent.cli.eval.figures import print_summary, summary_json
    from gui_agent.cli.eval.running import begun, carry_out, find_run

    folder = find_run(run)
    recipe, pace, engine = begun(folder)
    recipe = trusted(folder.folder, recipe, engine, **given)
    pace = replace(pace, workers=workers or pace.workers, max_cost=max_cost or pace.max_cost)
    code = carry_out(folder, recipe, pace, engine, quiet=quiet)
    if as_json:
        click.echo(summary_json(folder.records()))
    else:
        print_summary(folder.records())
    return code


def trusted(
    folder: Path,
    recipe: Recipe,
    engine: Engine,
    *,
    config: tuple[str, ...],
    assignments: tuple[str, ...],
    model: str | None,
    demos: str,
    address: str,
) -> Recipe:
    """The recipe as far as a stored run may choose it; the rest is the person's, now.

    Raises:
        ConfigError: it asks for what only the person may choose, and the person did not.
    """
    from gui_agent.cli.carried import KEPT, asker, built_in, carried, confirm
    from gui_agent.cli.eval.recipe import OPTIONS, default_demos, open_policy
    from gui_agent.cli.options import load_settings
    from gui_agent.core.errors import ConfigError

    if recipe.benchmark not in built_in("benchmarks"):
        raise ConfigError(f"{folder.name} names no benchmark of guiagent; begin the run anew")

    recipe.check()

    def now(usual: Mapping[str, Any]) -> Settings:
        return load_settings(config, assignments, usual=usual, guard=open_policy(), model={"name": model})

    ask, sections = asker(), (*KEPT, "limits")
    stored = {**recipe.settings, "planner": {"kind": recipe.planner}}
    settings = carried(folder.name, stored, now, sections=sections, ask=ask, options=_OPTIONS)
    own = {"", default_demos(recipe.benchmark), demos}
    foreign = [("demos", recipe.demos, "--demos")] if recipe.demos not in own and not demos else []
    if engine.address and engine.address != address:
        foreign.append(("engine.address", engine.address, "--address"))
    if foreign:
        confirm(folder.name, foreign, ask)
    return replace(
        recipe,
        folder=str(folder),
        settings=settings.model_dump(mode="json"),
        planner=settings.planner.kind,
        options={name: value for name, value in recipe.options.items() if name in OPTIONS},
        demos=demos or recipe.demos,
    )
