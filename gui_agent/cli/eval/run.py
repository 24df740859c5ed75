"""`guiagent eval run`: any benchmark, by its name or as `package.module:Class`."""

from __future__ import annotations

from typing import Any

import click

from gui_agent.cli.options import load_settings

EPILOG = """\
\b
Examples:
  guiagent eval run tasks --option file=examples/tasks.toml --planner plain
  PYTHONPATH=examples guiagent eval run own_benchmark:Greetings --planner plain --episodes 3
"""


@click.command("run", epilog=EPILOG, short_help="Run any benchmark, also your own.")
@click.argument("benchmark", metavar="NAME|PACKAGE:CLASS")
@click.option("--suite", default="all", show_default=True, help="A suite of the benchmark.")
@click.option("--tasks", default="", metavar="A,B", help="Single tasks instead of a suite.")
@click.option("--episodes", default=1, show_default=True, type=click.IntRange(min=1), help="Per task.")
@click.option("--seeds", default="0-", show_default=True, metavar="FROM-[TO]", help="Seeds, one per episode.")
@click.option("--planner", default="plain", show_default=True, metavar="NAME", help="Planner to use.")
@click.option("--model", metavar="MODEL", help="For planners that ask one.")
@click.option("--max-steps", default=50, show_default=True, type=click.IntRange(min=1))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(min=1), help="Worker processes.")
@click.option("--trace", default="none", show_default=True, type=click.Choice(["none", "failed", "all"]))
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the benchmark.")
@click.option("--out", default="", metavar="DIR", help="The run's folder (default: runs/eval/<time>...).")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON at the end.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
@click.option("-c", "--config", multiple=True, metavar="FILE", help="Settings of the agent; may be repeated.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the agent.")
def run(benchmark: str, *, suite: str, tasks: str, as_json: bool, quiet: bool, **given: Any) -> int:
    """Run BENCHMARK, an installed one or a class of your own, and keep every episode; it can be resumed."""
    from gui_agent import plugins
    from gui_agent.cli.eval.figures import print_summary, summary_json
    from gui_agent.cli.eval.miniwob import chosen_seeds
    from gui_agent.cli.eval.recipe import Recipe, default_demos, open_policy
    from gui_agent.cli.eval.running import Engine, begin, carry_out, new_folder
    from gui_agent.eval.schedule import Pace
    from gui_agent.settings import parse_assignment

    options: dict[str, Any] = {}
    for text in given["options"]:
        options |= parse_assignment(text)
    made = plugins.make("benchmarks", benchmark, options)
    chosen = [name.strip() for name in tasks.split(",") if name.strip()] or list(made.tasks(suite))
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
    pace = Pace(workers=given["workers"], episode_seconds=2 * settings.limits.seconds)
    engine = Engine()
    folder, _ = begin(recipe, chosen, chosen_seeds(given["seeds"], given["episodes"]), pace, engine)
    click.echo(f"results in {folder.folder}", err=True)
    code = carry_out(folder, recipe, pace, engine, quiet=quiet)
    if as_json:
        click.echo(summary_json(folder.records()))
    else:
        print_summary(folder.records())
    return code
