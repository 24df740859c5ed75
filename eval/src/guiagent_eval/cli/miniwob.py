"""`guiagent eval miniwob`: the MiniWoB++ benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from gui_agent.cli.options import load_settings
from guiagent_eval.cli import NONE, ONE, common_options, option

EPILOG = """\
\b
Planners: demonstration (needs no model), plain, random (random clicks),
blind (presses Submit), and those that guiagent doctor lists.
Parts for --without: memory, lessons, reflection, abstraction, batches.

\b
Examples:
  guiagent eval miniwob --suite quick --episodes 5 --planner random
  guiagent eval miniwob --tasks click-button,login-user --trace failed
  guiagent eval miniwob --suite synapse64 --demos-of synapse48 --workers 2
  guiagent eval miniwob --tasks login-user --planner model --model openai/gpt-6-sol --max-cost 5
  guiagent eval miniwob --planner model --model openai/gpt-6-sol --demos-of synapse48 --exemplars 3
  guiagent eval miniwob --list
"""


@click.command(epilog=EPILOG, short_help="Run MiniWoB++.")
@option("--suite", default="quick", help="A suite of tasks; --list names them.")
@common_options("tasks")
@option("--pages", default="", metavar="DIR", help="Own pages; suites: all, compwob, compwob-reverse.")
@option("--episodes", default=10, type=ONE, help="Per task.")
@option("--seeds", default="10000-", metavar="FROM-[TO]", help="One per episode.")
@option("--planner", default="demonstration", metavar="NAME", help="Planner to use.")
@common_options("model max-cost")
@option("--demos", default="", metavar="DIR", help="In DIR/<task>/ (default: the shipped ones).")
@common_options("max-demos")
@option("--demos-of", default="own", metavar="own|all|SUITE", help="Which it knows.")
@option(
    "--domain", "domains", multiple=True, metavar="NAME", help="Domains whose constructs are enabled; repeat."
)
@option("--exemplars", default=0, type=NONE, help="Demonstrations that a model is shown, the nearest.")
@common_options("best-of look-ahead judge")
@option("--without", default="", metavar="PART,...", help="Switch off parts of the agent.")
@option("--mode", default="test", type=click.Choice(["test", "train"]), help="Page data.")
@option("--slowness", default=1.0, type=float, help="Factor on time limits.")
@option("--max-steps", default=100, type=ONE, help="Per episode.")
@common_options("headed workers engine address trace out json quiet config set")
@option("--list", "listing", is_flag=True, help="List suites and tasks, and do nothing.")
def miniwob(*, listing: bool, as_json: bool, quiet: bool, suite: str, tasks: str, **rest: Any) -> int:
    """Run MiniWoB++ tasks with seeded instances and keep every episode; success is raw reward 1 in time."""
    if listing:
        print_list(as_json)
        return 0
    from guiagent_eval.cli.execution import carry_out_new
    from guiagent_eval.cli.figures import print_figures

    if rest["pages"] and suite == "quick":
        suite = "all"
    recipe, pace, engine = choices(suite=suite or tasks, **rest)
    chosen, seeds = chosen_tasks(suite, tasks, rest["pages"]), chosen_seeds(rest["seeds"], rest["episodes"])
    run, code = carry_out_new(recipe, chosen, seeds, pace, engine, quiet=quiet)
    print_figures(run.records(), as_json)
    return code


def choices(
    *, suite: str, config: tuple[str, ...], assignments: tuple[str, ...], **given: Any
) -> tuple[Any, Any, Any]:
    """Recipe, pace and engine from the options.

    Raises:
        ConfigError: an option or a setting is wrong.
    """
    from gui_agent.settings import override
    from guiagent_eval.cli.execution import Engine, new_folder
    from guiagent_eval.cli.recipe import Recipe, asks, default_demos, open_policy
    from guiagent_eval.schedule import RunLimits

    limits = {"steps": given["max_steps"], "seconds": 60.0 * max(1.0, given["slowness"])}
    sections: dict[str, Any] = {"limits": limits, "model": {"name": given["model"]}}
    if given["domains"]:
        sections["planner"] = {"domains": list(given["domains"])}
    settings = load_settings(config, assignments, guard=open_policy(), **sections)
    most = given["max_cost"] or 0.0
    if most and not settings.model.max_cost:
        settings = override(settings, {"model": {"max_cost": most}})  # no episode may cost more than all
    sections = settings.model_dump(mode="json")
    options = {"headless": not given["headed"], "mode": given["mode"], "slowness": given["slowness"]}
    if given["pages"]:
        options["pages"] = str(Path(given["pages"]).resolve())
    looks = given["trace"] != "none" or asks(given["planner"], sections)
    recipe = Recipe(
        benchmark="miniwob",
        folder=str(new_folder(given["out"], "miniwob", suite.replace(",", "+")[:40], given["planner"])),
        settings=sections,
        options={**options, "pictures": looks},
        planner=given["planner"],
        demos=given["demos"] or default_demos("miniwob"),
        max_demos=given["max_demos"],
        demos_of=given["demos_of"],
        exemplars=given["exemplars"],
        best_of=given["best_of"],
        judge=given["judge"],
        look_ahead=given["look_ahead"],
        without=tuple(part.strip() for part in given["without"].split(",") if part.strip()),
        trace=given["trace"],
    )
    seconds = 2 * float(limits["seconds"]) * given["best_of"]
    pace = RunLimits(workers=given["workers"], episode_seconds=seconds, max_cost=most)
    return recipe, pace, Engine(given["engine"], given["address"])


def chosen_tasks(suite: str, tasks: str, pages: str = "") -> list[str]:
    """The tasks to run.

    Raises:
        ConfigError: a suite or task is unknown.
    """
    from gui_agent.core.errors import ConfigError
    from gui_agent.core.texts import suggestion
    from gui_agent.plugins import find
    from guiagent_eval.benchmark import suite_tasks

    find("benchmarks", "miniwob")  # The error names the extra that it needs.
    from guiagent_eval.miniwob import known_tasks, own_tasks

    own = Path(pages) if pages else None
    known = own_tasks(own, "all") if own else known_tasks()
    names = [name.strip() for name in tasks.split(",") if name.strip()]
    names = names or list(own_tasks(own, suite) if own else suite_tasks("miniwob", suite))
    for name in names:
        if name not in known:
            near = suggestion(name, known) if len(name) > 2 else ""
            where = pages or "MiniWoB++"
            raise ConfigError(f"{where} has no task {name!r}{near if 'mean' in near else '; see --list'}")
    return list(dict.fromkeys(names))


def chosen_seeds(text: str, episodes: int) -> list[int]:
    """`10000-` gives as many seeds as there are episodes; `10000-10019` at most those; `3,7` exactly these.

    Raises:
        ConfigError: the text has another form.
    """
    from gui_agent.core.errors import ConfigError

    first, dash, last = text.partition("-")
    try:
        if not dash:
            return [int(part) for part in text.split(",")]
        end = int(last) + 1 if last else int(first) + episodes
        return list(range(int(first), min(end, int(first) + episodes)))
    except ValueError as error:
        raise ConfigError(f"--seeds {text}: write 10000-, 10000-10049 or 3,7,11") from error


def print_list(as_json: bool) -> None:
    """Print the suites and their tasks."""
    from guiagent_eval.benchmark import suites

    found = suites("miniwob")
    if as_json:
        rows = [{"suite": one.name, "description": one.description, "tasks": one.tasks} for one in found]
        click.echo(json.dumps(rows, indent=2))
        return
    for one in found:
        click.echo(f"{one.name}: {one.description} ({len(one.tasks)} tasks)")
        click.echo(click.wrap_text(", ".join(one.tasks), 100, "  ", "  "))
