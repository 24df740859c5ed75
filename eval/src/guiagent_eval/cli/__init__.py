"""`guiagent eval`: benchmarks, their tables, and comparisons of runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import click

from gui_agent.cli.options import load_settings
from gui_agent.content import LEFT_OUT
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import table

SUBCOMMANDS = {
    **{"miniwob": "miniwob", "apps": "apps", "prove": "prove", "demos": "apps", "osworld": "osworld"},
    **{"show": "figures", "compare": "figures", "resume": "run", "run": "run", "watch": "figures"},
    **{"judge": "judge", "offline": "judge", "serve": "serve", "model-path": "model_path"},
}
"""The module of each command, which is a function of that name, with `_` in place of `-`."""

EPILOG = """\
\b
Examples:
  guiagent eval miniwob --suite quick --episodes 5 --planner random
  guiagent eval miniwob --suite synapse64 --episodes 50 --seeds 10000- --workers 2
  guiagent eval apps --kind web --planner plain --install
  guiagent eval model-path --goals ten
  guiagent eval --own skills,memory miniwob --planner model --model openai/gpt-6-sol
  guiagent eval show last --html
  guiagent eval compare RUN OTHER
  guiagent eval watch last
  guiagent eval resume last
"""


Command = Callable[..., Any]


def option(*names: str, **how: Any) -> Command:
    """An option of a command, whose help shows its default if that is not empty."""
    return click.option(*names, **{"show_default": bool(how.get("default")), **how})


ONE, NONE = click.IntRange(min=1), click.IntRange(min=0)
_KEPT, _ENGINES = click.Choice(["none", "failed", "all"]), click.Choice(["local", "ray"])
_SHARED = {
    "tasks": option("--tasks", default="", metavar="A,B", help="Single tasks instead of a suite."),
    "osworld": option("--tasks", default="", metavar="PATH", help="A checkout of OSWorld (default: ours)."),
    "model": option("--model", metavar="MODEL", help="For planners that ask one; see `guiagent models`."),
    "max-cost": option(
        "--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="USD", help="Of all models."
    ),
    "max-demos": option("--max-demos", default=5, type=NONE, help="Limit per task."),
    "best-of": option(
        "--best-of", default=1, type=ONE, help="Runs of each, one chosen by ending, then --judge."
    ),
    "look-ahead": option(
        "--look-ahead", default=1, type=click.IntRange(1, 9), help="Decisions tried in forks of each state."
    ),
    "judge": option("--judge", default="", metavar="MODEL", help="Chooses among these runs or decisions."),
    "headed": option("--headed", is_flag=True, help="Show the browser windows."),
    "workers": option("--workers", default=1, type=ONE, help="Worker processes."),
    "engine": option("--engine", default="local", type=_ENGINES, help="Where to run."),
    "address": option("--address", default="", metavar="ADDRESS", help="Of Ray; empty starts one here."),
    "trace": option("--trace", default="none", type=_KEPT, help="Episodes whose traces are kept."),
    "option": option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Of the benchmark."),
    "out": option("--out", default="", metavar="DIR", help="The run's folder (default: a new one)."),
    "json": option("--json", "as_json", is_flag=True, help="Print the figures as JSON at the end."),
    "quiet": option("--quiet", is_flag=True, help="No progress bar."),
    "config": option("-c", "--config", multiple=True, metavar="FILE", help="Settings; may be repeated."),
    "set": option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting."),
}


def common_options(names: str) -> Callable[[Command], Command]:
    """The options of these names, in this order."""

    def with_options(command: Command) -> Command:
        for name in reversed(names.split()):
            command = _SHARED[name](command)
        return command

    return with_options


def model_options(who: str) -> Callable[[Command], Command]:
    """The options of a command in which a model does what `who` says; the command gets `settings`."""

    def with_options(command: Command) -> Command:
        @wraps(command)
        def with_settings(*, model: str, max_cost: float, config: Any, assignments: Any, **rest: Any) -> Any:
            asked = {"name": model, "max_cost": max_cost}
            return command(settings=load_settings(config, assignments, model=asked), **rest)

        about = f"{who}; see `guiagent models --help`."
        cost = click.FloatRange(min=0)
        made = common_options("config set")(with_settings)
        made = option("--max-cost", type=cost, default=0.0, metavar="USD", help="Dollars at most.")(made)
        model: Command = option("--model", required=True, metavar="MODEL", help=about)(made)
        return model

    return with_options


class Subcommands(click.Group):
    """A group that imports a command only on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        module = import_module(f"guiagent_eval.cli.{SUBCOMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command


PERSON = table("settings=config.toml rules=guard.toml answers=answers skills=skills memory=memory.db")
"""The file of each thing of the person's own that a benchmark uses only if asked."""


@click.group("eval", cls=Subcommands, epilog=EPILOG, no_args_is_help=True, short_help="Run benchmarks.")
@option("--own", default="", metavar="PART,...", help=f"What of yours to use: {', '.join(PERSON)}.")
@click.pass_context
def eval(context: click.Context, own: str) -> None:
    """Run benchmarks, show their figures, and compare runs, without your own settings, skills and memory."""
    asked = [*filter(None, own.split(","))]
    if unknown := [name for name in asked if name not in PERSON]:
        raise ConfigError(f"--own {unknown[0]}: give some of {', '.join(PERSON)}, with commas between them")
    context.call_on_close(LEFT_OUT.clear)
    LEFT_OUT.update(file for name, file in PERSON.items() if name not in asked)
