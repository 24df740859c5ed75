"""`guiagent eval run` and `resume`: runs any benchmark by its name or class, or the rest of a stopped run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import load_settings
from gui_agent.content import LEFT_OUT
from gui_agent.core.errors import ConfigError
from guiagent_eval.cli import ONE, common_options, option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gui_agent.settings import Settings
    from guiagent_eval.cli.execution import Engine
    from guiagent_eval.cli.recipe import Recipe

EPILOG = """\
\b
Examples:
  guiagent eval run tasks --option file=examples/tasks.toml --planner plain
  PYTHONPATH=examples guiagent eval run own_benchmark:Greetings --planner plain --episodes 3
  guiagent eval run web --option file=test.raw.json --option site.gitlab=http://localhost:8023 --list
"""


@click.command("run", epilog=EPILOG, short_help="Run any benchmark, also your own.")
@click.argument("benchmark", metavar="NAME|PACKAGE:CLASS")
@option("--suite", default="all", help="A suite of the benchmark.")
@common_options("tasks model workers trace option out json quiet config set")
@option("--episodes", default=1, type=ONE, help="Per task.")
@option("--seeds", default="0-", metavar="FROM-[TO]", help="Seeds, one per episode.")
@option("--planner", default="plain", metavar="NAME", help="Planner to use.")
@option("--max-steps", default=50, type=ONE)
@option("--list", "listing", is_flag=True, help="List the tasks, and why others cannot be had; do nothing.")
def run(
    benchmark: str, *, suite: str, tasks: str, listing: bool, as_json: bool, quiet: bool, **given: Any
) -> int:
    """Run BENCHMARK, an installed one or a class of your own, and keep every episode; it can be resumed."""
    from gui_agent import plugins
    from guiagent_eval.cli.execution import carry_out_new, new_folder
    from guiagent_eval.cli.figures import print_figures
    from guiagent_eval.cli.miniwob import chosen_seeds
    from guiagent_eval.cli.recipe import Recipe, default_demos, open_policy
    from guiagent_eval.schedule import RunLimits

    options = _options(given["options"])
    made = plugins.make("benchmarks", benchmark, options)
    refused: Mapping[str, str] = getattr(made, "refusals", {})
    chosen = [name.strip() for name in tasks.split(",") if name.strip()] or list(made.tasks(suite))
    if wrong := next((name for name in chosen if name in refused), ""):
        raise ConfigError(f"{benchmark} cannot run {wrong}: {refused[wrong]}")
    if not listing and not chosen:
        raise ConfigError(f"no task of {benchmark} can be run; --list says why")
    if refused:
        click.echo(f"{len(chosen)} tasks, {len(refused)} refused (--list says why)", err=True)
    if listing:
        lines = [*chosen, *(f"{name} refused: {why}" for name, why in refused.items())]
        click.echo("\n".join(lines))
        return 0
    sections = {"limits": {"steps": given["max_steps"]}, "model": {"name": given["model"]}}
    settings = load_settings(given["config"], given["assignments"], guard=open_policy(), **sections)
    recipe = Recipe(
        benchmark=benchmark,
        folder=str(new_folder(given["out"], benchmark.rpartition(":")[2].lower(), given["planner"])),
        settings=settings.model_dump(mode="json"),
        options=options,
        planner=given["planner"],
        demos=default_demos(benchmark),
        trace=given["trace"],
    )
    pace = RunLimits(workers=given["workers"], episode_seconds=2 * settings.limits.seconds)
    seeds = chosen_seeds(given["seeds"], given["episodes"])
    folder, code = carry_out_new(recipe, chosen, seeds, pace, quiet=quiet)
    if recipe.benchmark == "osworld":
        from guiagent_eval.cli.osworld import write_layout

        write_layout(folder.folder, folder.records(), recipe.planner)
    print_figures(folder.records(), as_json)
    return code


def _options(texts: Sequence[str]) -> dict[str, Any]:
    """The options of a benchmark; those of one table, such as `site.shopping=...`, are put together."""
    from gui_agent.settings import parse_assignment

    options: dict[str, Any] = {}
    for text in texts:
        for key, value in parse_assignment(text).items():
            options[key] = options.get(key, {}) | value if isinstance(value, dict) else value
    return options


_OPTIONS: Mapping[tuple[str, ...], str] = {("model", "name"): "--model"}


@click.command(short_help="Finish a run that was stopped or killed.")
@click.argument("run", default="last")
@option("--workers", type=ONE, help="Worker processes (default: as started).")
@option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="USD",
    help="Cost limit of all episodes together (default: as started).",
)
@option("--model", default=None, metavar="MODEL", help="The language model, as the run was started.")
@option("--demos", default="", metavar="DIR", help="Demonstrations, as the run was started.")
@option("--pages", default="", metavar="DIR", help="Task pages, as the run was started.")
@option("--address", default="", metavar="ADDRESS", help="Of the Ray cluster, as the run was started.")
@option("--tasks", default="", metavar="PATH", help="OSWorld's tasks, as the run was started.")
@option("--guest", default="local", metavar="KIND", help="Of OSWorld's tasks, as it was started.")
@common_options("option config set json quiet")
def resume(
    run: str, workers: int | None, max_cost: float | None, as_json: bool, quiet: bool, **given: Any
) -> int:
    """Finish RUN; completed episodes are not repeated.

    Settings that could run a program or send a key away (a custom part, a model server, a Ray cluster ...)
    and options that name files are never taken from the folder: you are asked, or give them again.
    """
    from guiagent_eval.cli.execution import beginning_of, carry_out, find_run
    from guiagent_eval.cli.figures import print_figures

    folder = find_run(run)
    recipe, pace, engine = beginning_of(folder)
    recipe = _safe_recipe(folder.folder, recipe, engine, **given)
    pace = replace(pace, workers=workers or pace.workers, max_cost=max_cost or pace.max_cost)
    code = carry_out(folder, recipe, pace, engine, quiet=quiet)
    print_figures(folder.records(), as_json)
    return code


def _safe_recipe(
    folder: Path, recipe: Recipe, engine: Engine, *, demos: str, pages: str, **given: Any
) -> Recipe:
    """The recipe as far as a stored run may choose it; the person's current settings give the rest.

    Raises:
        ConfigError: the recipe has a value that only the person may choose, and the person did not.
    """
    from gui_agent.cli.resume import KEPT, asker, built_in, confirm, resumed_settings
    from guiagent_eval.cli.recipe import OPTIONS, default_demos, open_policy

    if recipe.benchmark not in built_in("benchmarks"):
        raise ConfigError(f"{folder.name} does not name a known benchmark; start the run again")

    recipe.check()

    def now(usual: Mapping[str, Any]) -> Settings:
        own: dict[str, Any] = {"guard": open_policy(), "model": {"name": given["model"]}}
        return load_settings(given["config"], given["assignments"], usual=usual, **own)

    ask, sections = asker(), (*KEPT, "limits")
    stored = {**recipe.settings, "planner": {"kind": recipe.planner}}
    settings = resumed_settings(folder.name, stored, now, sections=sections, ask=ask, options=_OPTIONS)
    own = {"", default_demos(recipe.benchmark), demos}
    foreign: list[tuple[str, Any, str]] = (
        [("demos", recipe.demos, "--demos")] if recipe.demos not in own and not demos else []
    )
    own_pages = str(recipe.options.get("pages", ""))
    if own_pages and own_pages != str(Path(pages).resolve()):
        foreign.append(("options.pages", own_pages, "--pages"))
    if {*recipe.left_out} != LEFT_OUT:
        foreign += [("left_out", recipe.left_out, "eval --own")]
    if recipe.judge:
        foreign.append(("judge", recipe.judge, "a new run with --judge"))
    if engine.address and engine.address != given["address"]:
        foreign.append(("engine.address", engine.address, "--address"))
    guests = recipe.benchmark == "osworld"
    on_guests = _on_guests(recipe, given["tasks"], given["guest"], foreign) if guests else {}
    if foreign:
        confirm(folder.name, foreign, ask)
    return replace(
        recipe,
        folder=str(folder),
        settings=settings.model_dump(mode="json"),
        planner=settings.planner.kind,
        options={
            **{name: value for name, value in recipe.options.items() if name in OPTIONS},
            **on_guests,
            **_options(given["options"]),
        },
        demos=demos or recipe.demos,
    )


def _on_guests(recipe: Recipe, tasks: str, guest: str, foreign: list[tuple[str, Any, str]]) -> dict[str, Any]:
    """The options of a run on guests; the person must choose again those that run other programs."""
    from gui_agent.settings import evaluator_folder

    names = ("tasks", "checkout", "oracles", "guest", "human")
    kept = {name: str(recipe.options.get(name, "")) for name in names}
    if kept["tasks"] != tasks:
        foreign += [("options.tasks", kept["tasks"], "--tasks")]
    if kept["oracles"]:
        foreign += [("options.oracles", kept["oracles"], "a new run with --oracles")]
    if kept["guest"] != guest:
        foreign += [("options.guest", kept["guest"], "--guest")]
    return {**kept, "evaluators": str(evaluator_folder())}
