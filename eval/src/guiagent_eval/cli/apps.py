"""`guiagent eval apps` and `demos`: tasks on real applications, and demonstrations of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import load_settings
from guiagent_eval.cli import ONE, common_options, option

if TYPE_CHECKING:
    from guiagent_eval.cli.recipe import Recipe
    from guiagent_eval.schedule import RunLimits

EPILOG = """\
\b
Each task has three wordings as plain commands. Episodes 0, 1 and 2 are these with the first values, 3, 4
and 5 with the second, and so on. Planners other than plain are asked in the words of a person.

\b
Examples:
  guiagent eval apps --list
  guiagent eval apps --apps django,zim --install
  guiagent eval apps --kind web --episodes 3 --workers 2 --trace failed
  guiagent eval apps --apps flaskadmin --asks 1 --trace failed
  guiagent eval demos last --out recordings/apps
  guiagent eval apps --planner demonstration --demos recordings/apps --seeds 3,6,9
"""


def choosing(command: Any) -> Any:
    """The options that choose applications and tasks."""
    names = option("--apps", "names", default="", metavar="NAME,...", help="Applications (default: all).")
    tasks = option("--tasks", default="", metavar="APP.TASK,...", help="Single tasks.")
    kinds = click.Choice(["all", "web", "desktop", "phone"])
    kind = option("--kind", default="all", type=kinds, help="Of applications.")
    installs = option("--install", "installs", is_flag=True, help="Install what is missing.")
    return names(tasks(kind(installs(common_options("workers out quiet")(command)))))


@click.command(epilog=EPILOG, short_help="Run tasks on real applications.")
@choosing
@option("--episodes", default=3, type=ONE, help="Per task.")
@option("--seeds", default="0-", metavar="FROM-[TO]", help="Which episodes.")
@option("--planner", default="plain", metavar="NAME", help="Planner to use.")
@option("--demos", default="", metavar="DIR", help="Demonstrations or recordings in DIR/<task>/.")
@common_options("max-demos model max-cost headed trace config set")
@option("--seconds", default=120.0, type=float, help="Limit of an episode.")
@option("--max-steps", default=60, type=ONE, help="Per episode.")
@option("--asks", default=0, metavar="N", help="Questions of the agent that a simulated person answers.")
@option("--list", "listing", is_flag=True, help="List applications and tasks, and do nothing.")
@option("--json", "as_json", is_flag=True, help="Print the figures or the list as JSON.")
def apps(
    *, listing: bool, as_json: bool, names: str, tasks: str, kind: str, installs: bool, **given: Any
) -> int:
    """Do tasks on real web applications and desktop programs, or a simulated phone, graded by their data."""
    if listing:
        print_apps(as_json)
        return 0
    from guiagent_eval.cli.execution import carry_out_new
    from guiagent_eval.cli.figures import print_figures
    from guiagent_eval.cli.miniwob import chosen_seeds
    from guiagent_eval.cli.recipe import open_policy

    chosen = chosen_tasks(names, tasks, kind, installs)
    limits = {"steps": given["max_steps"], "seconds": given["seconds"]}
    own: dict[str, Any] = {"guard": open_policy(), "limits": limits, "model": {"name": given["model"]}}
    settings = load_settings(given["config"], given["assignments"], **own)
    recipe, pace = choices(chosen, settings.model_dump(mode="json"), **given)
    seeds = chosen_seeds(given["seeds"], given["episodes"])
    run, code = carry_out_new(recipe, chosen, seeds, pace, quiet=given["quiet"])
    print_figures(run.records(), as_json)
    return code


@click.command(short_help="Make demonstrations of the successful episodes of a run.")
@click.argument("run", default="last")
@option("--out", required=True, metavar="DIR", help="Demonstrations are written to DIR/<task>/.")
def demos(run: str, out: str) -> int:
    """Turn the episodes of RUN that used the first values and have a trace into demonstrations."""
    from dataclasses import replace
    from pathlib import Path

    from gui_agent.core.errors import ConfigError
    from gui_agent.procedures.library.store import save_demonstration
    from gui_agent.procedures.recordings.from_run import from_trajectory
    from gui_agent.trace import read_run
    from guiagent_eval.app_catalogue import WORDINGS, asked_wording, task_called
    from guiagent_eval.cli.execution import find_run

    folder, made = find_run(run), set()
    for record in sorted(folder.records(), key=lambda one: (one.task, one.seed)):
        if not record.success or not record.trace or record.seed >= len(WORDINGS) or record.task in made:
            continue
        app, task = task_called(record.task)
        trajectory = read_run(folder.folder / record.trace, pictures=False).trajectory
        platform = {"web": "browser", "desktop": "virtual", "phone": "android"}[app.kind]
        try:
            shown = from_trajectory(trajectory, platform, origin=f"run {record.case}")
        except ConfigError as error:
            click.echo(f"{record.case}: {error}", err=True)
            continue
        made.add(record.task)
        place = Path(out) / record.task
        place.mkdir(parents=True, exist_ok=True)
        goal = asked_wording(task, 0, goal=True)[0]
        save_demonstration(place / f"{record.seed}.json", replace(shown, task=goal, start=""))
    click.echo(f"{len(made)} demonstrations in {out}")
    return 0 if made else 4


def choices(tasks: Sequence[str], settings: dict[str, Any], **given: Any) -> tuple[Recipe, RunLimits]:
    """Recipe and pace from the options."""
    from guiagent_eval.cli.execution import new_folder
    from guiagent_eval.cli.recipe import Recipe
    from guiagent_eval.schedule import RunLimits

    planner = given["planner"]
    called = {name.partition(".")[0] for name in tasks}
    short = next(iter(called)) if len(called) == 1 else f"{len(called)}-apps"
    recipe = Recipe(
        benchmark="apps",
        folder=str(new_folder(given["out"], "apps", short, planner)),
        settings=settings,
        options={
            "goal": planner != "plain",
            "headless": not given.get("headed", False),
            "asks": given.get("asks", 0),
        },
        planner=planner,
        demos=given.get("demos", ""),
        max_demos=given.get("max_demos", 5),
        trace=given.get("trace", "none"),
    )
    # An episode that includes the start of a server, or the end of a display, takes longer.
    seconds = 2 * given["seconds"] + 120
    return recipe, RunLimits(given["workers"], seconds, max_cost=given.get("max_cost") or 0.0)


def chosen_tasks(names: str, tasks: str, kind: str, installs: bool) -> list[str]:
    """The tasks to run; tasks of applications that are not installed are left out, with a message.

    Raises:
        ConfigError: an application or task is unknown, or none of the applications is installed.
    """
    from gui_agent.core.errors import ConfigError
    from guiagent_eval.app_catalogue import applications, task_called
    from guiagent_eval.app_server import cache_folder, install
    from guiagent_eval.apps import Apps

    single = [name.strip() for name in tasks.split(",") if name.strip()]
    chosen = single or [
        name
        for name in Apps().tasks(names or kind)
        if kind in ("all", applications()[name.partition(".")[0]].kind)
    ]
    left_out: dict[str, str] = {}
    for app in {task_called(name)[0].name: task_called(name)[0] for name in chosen}.values():
        try:
            if installs:
                install(app, cache_folder(), lambda line: click.echo(line, err=True))
            left_out[app.name] = app.missing(cache_folder())
        except ConfigError as error:
            left_out[app.name] = str(error)
    for name, why in left_out.items():
        if why:
            click.echo(f"left out: {name}: {why}", err=True)
    found = [name for name in chosen if not left_out[name.partition(".")[0]]]
    if not found:
        raise ConfigError(
            "none of these applications is installed; --install does, guiagent eval apps --list names all"
        )
    return list(dict.fromkeys(found))


def print_apps(as_json: bool) -> None:
    """Print the applications and their tasks."""
    from guiagent_eval.app_catalogue import applications
    from guiagent_eval.app_server import cache_folder
    from guiagent_eval.apps import description

    known = applications()
    if as_json:
        click.echo(json.dumps([description(app) for app in known.values()], indent=2))
        return
    for app in known.values():
        state = app.missing(cache_folder())
        click.echo(
            f"{app.name}: {app.title}, {app.kind}, {len(app.tasks)} tasks{f' ({state})' if state else ''}"
        )
        click.echo(click.wrap_text(", ".join(one.id for one in app.tasks), 100, "  ", "  "))
    count = sum(len(app.tasks) for app in known.values())
    click.echo(f"{len(known)} applications, {count} tasks; run with guiagent eval apps --apps NAME")
