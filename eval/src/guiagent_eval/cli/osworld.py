"""`guiagent eval osworld`: OSWorld's tasks, or our own suite in its format, on guests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import load_settings
from guiagent_eval.cli import NONE, ONE, common_options, option

if TYPE_CHECKING:
    from guiagent_eval.cli.recipe import Recipe
    from guiagent_eval.osworld.benchmark import OsWorld
    from guiagent_eval.osworld.tasks import OsWorldTask
    from guiagent_eval.records import Record
    from guiagent_eval.schedule import RunLimits

EPILOG = """\
\b
Without --tasks it runs our own suite, which needs nothing else. The tasks of OSWorld and of
WindowsAgentArena are read from your checkout, and scored by its own evaluators in an environment
of their own.

\b
Examples:
  guiagent eval osworld --list
  guiagent eval osworld --suite calc                      our own suite, in plain commands
  guiagent eval prove osworld                             oracles solve, doing nothing does not
  guiagent eval osworld --tasks OSWorld --setup-evaluators
  guiagent eval osworld --tasks OSWorld --support         which tasks can be run here, and why not the others
  guiagent eval osworld --tasks OSWorld --suite offline --planner auto --model anthropic/... --workers 2
  guiagent eval osworld --tasks WindowsAgentArena --guest remote:http://host:5000 --planner auto --model ...
"""


@click.command(epilog=EPILOG, short_help="Run OSWorld's tasks, or our own suite, on guests.")
@common_options("osworld")
@option("--suite", default="all", metavar="NAME,...", help="Suite, programs, tasks.")
@option("--guest", default="local", metavar="KIND", help="Or docker, qemu:IMAGE, remote:URL.")
@common_options("workers engine address model max-cost best-of judge trace out quiet config set")
@option("--planner", default="plain", metavar="NAME", help="Planner to use.")
@option("--max-steps", type=ONE, help="Per episode (default: 100; classes 150).")
@option("--seconds", default=600.0, type=float, help="Limit of an episode.")
@option("--demos", default="", metavar="DIR", help="OSWorld's trajectories, for --planner recorded.")
@option("--human", default="", metavar="DIR", help="OSWorld-Human's files: steps that people needed.")
@option("--checkpoints", type=NONE, metavar="N", help="Steps between two (default 25).")
@option("--setup-evaluators", "installing", is_flag=True, help="Install what the evaluators need.")
@option("--support", "supporting", is_flag=True, help="Which tasks can be run here, as a table.")
@option("--list", "listing", is_flag=True, help="List the tasks, and do nothing.")
def osworld(
    *, tasks: str, suite: str, installing: bool, supporting: bool, listing: bool, **given: Any
) -> int:
    """Do tasks on guests; success is what the task's own evaluator says of the files and programs there."""
    from gui_agent.settings import evaluator_folder
    from guiagent_eval.osworld.evaluators import set_up
    from guiagent_eval.osworld.tasks import checkout_of

    checkout = checkout_of(tasks)
    if installing:
        set_up(evaluator_folder(), checkout, lambda line: click.echo(line, err=True))
        return 0
    benchmark = _benchmark(tasks)
    names = list(benchmark.tasks(suite))
    chosen = [benchmark.by_name[name] for name in names]
    if listing:
        for one in chosen:
            lacks = one.lacks()
            needs = f" (needs {', '.join(lacks)})" if lacks else ""
            click.echo(f"{one.name:56} {one.file.instruction[:60]!r}{needs}")
        return 0
    if supporting:
        print_support(chosen)
        return 0
    return _run(*runnable({**USUAL, **given, "tasks": tasks, "suite": suite}))


def _benchmark(tasks: str, guest: str = "local") -> OsWorld:
    from gui_agent.plugins import make

    made: OsWorld = make("benchmarks", "osworld", {"tasks": tasks, "guest": guest})
    return made


USUAL: dict[str, Any] = {
    **{"model": None, "max_cost": None, "max_steps": None, "seconds": 600.0, "trace": "none"},
    **{"engine": "local", "address": "", "demos": "", "oracles": "", "human": "", "checkpoints": None},
    **{"config": (), "assignments": (), "best_of": 1, "judge": ""},
}
"""The values of options that a command does not have."""


def runnable(given: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The tasks of a suite that can run here, and the options with the checkout that scores them."""
    from guiagent_eval.osworld.tasks import checkout_of

    benchmark = _benchmark(given["tasks"], given["guest"])
    names = list(benchmark.tasks(given["suite"]))
    benchmark.check_guest(names)
    lacking = [name for name in names if benchmark.by_name[name].lacks()] if given["guest"] == "local" else []
    if lacking and len(lacking) < len(names):
        click.echo(f"left out {len(lacking)} tasks that cannot run here; --support says why", err=True)
        names = [name for name in names if name not in lacking]
    return names, {**given, "checkout": checkout_of(given["tasks"])}


CHECKPOINT = 25
"""Steps between two checkpoints of an episode."""


def _run(names: Sequence[str], given: dict[str, Any]) -> int:
    from gui_agent.core.errors import ExitCode
    from guiagent_eval.cli.figures import print_figures

    records = carried_out(names, given)
    print_figures(records)
    return ExitCode.DONE if all(one.is_counted for one in records) else ExitCode.UNAVAILABLE


def carried_out(names: Sequence[str], given: dict[str, Any]) -> list[Record]:
    """Run tasks with the options; returns the records of their episodes."""
    from guiagent_eval.cli.execution import Engine, carry_out_new

    recipe, pace = _choices(names, given)
    engine = Engine(given["engine"], given["address"])
    run, _ = carry_out_new(recipe, names, [0], pace, engine, quiet=given["quiet"])
    records = run.records()
    write_layout(run.folder, records, given["planner"])
    return records


def _choices(names: Sequence[str], given: dict[str, Any]) -> tuple[Recipe, RunLimits]:
    from gui_agent.settings import evaluator_folder
    from guiagent_eval.cli.execution import new_folder
    from guiagent_eval.cli.recipe import Recipe, open_policy
    from guiagent_eval.osworld.evaluators import fingerprint
    from guiagent_eval.osworld.task_classes import STEPS, release
    from guiagent_eval.osworld.tasks import task_folder
    from guiagent_eval.schedule import RunLimits

    marked = release(task_folder(given["tasks"])) if given["tasks"] else ""
    if marked:
        click.echo(f"tasks of the second generation, release {marked}", err=True)
    steps = given["max_steps"] or (STEPS if marked else 100)
    limits = {"steps": steps, "seconds": given["seconds"]}
    own: dict[str, Any] = {"guard": open_policy(), "limits": limits, "model": {"name": given["model"]}}
    settings = load_settings(given["config"], given["assignments"], **own)
    if given["checkout"]:
        click.echo(f"evaluators of {given['checkout']} at {fingerprint(Path(given['checkout']))}", err=True)
    options = {
        **{name: given[name] for name in ("tasks", "guest", "checkout", "oracles", "human")},
        "evaluators": str(evaluator_folder()),
        "goal": given["planner"] != "plain",
        **({"release": marked} if marked else {}),
    }
    every = CHECKPOINT if given["checkpoints"] is None else given["checkpoints"]
    folder = new_folder(given["out"], "osworld", given["suite"].replace("/", "-")[:40], given["planner"])
    recipe = Recipe(
        benchmark="osworld",
        folder=str(folder.resolve() if given["engine"] == "ray" else folder),  # its workers start elsewhere
        settings=settings.model_dump(mode="json"),
        options=options,
        planner=given["planner"],
        demos=given["demos"],
        best_of=given["best_of"],
        judge=given["judge"],
        trace=given["trace"],
        snapshots=every if given["best_of"] == 1 else 0,  # Each of several runs begins from the start.
    )
    # The set-up and the scoring of a task may each take minutes.
    seconds = (2 * given["seconds"] + 900) * given["best_of"]
    return recipe, RunLimits(given["workers"], seconds, max_cost=given["max_cost"] or 0.0)


def print_support(tasks: Sequence[OsWorldTask]) -> None:
    """Print which tasks can run on a local guest here, by program, and what the others need."""
    from guiagent_eval.osworld.tasks import support

    table = support(tasks)
    columns = list(dict.fromkeys(key for row in table.values() for key in row))
    total = {key: sum(row.get(key, 0) for row in table.values()) for key in columns}
    click.echo(" | ".join(["program", *columns]))
    for app, row in [*table.items(), ("all", total)]:
        click.echo(" | ".join([app, *(str(row.get(key, 0)) for key in columns)]))
    click.echo("a task may need several things; infeasible tasks are right only if the agent gives up")


def write_layout(folder: Path, records: Sequence[Record], planner: str) -> None:
    """Write the results once more in the layout of OSWorld's own runner."""
    for record in records:
        if not record.is_counted:
            continue
        place = folder / "osworld" / "typed" / "screenshot_a11y_tree" / planner / record.task
        place.mkdir(parents=True, exist_ok=True)
        (place / "result.txt").write_text(f"{record.reward}\n")
        if record.details:
            (place / "result.json").write_text(json.dumps(dict(record.details)) + "\n")
        lines = [
            json.dumps({"step_num": number, "action": action, "reward": 0, "done": False})
            for number, action in enumerate(record.actions, 1)
        ]
        last = "FAIL" if record.ending == "not_done" else "DONE"
        lines.append(json.dumps({"step_num": len(lines) + 1, "action": last, "reward": 0, "done": True}))
        (place / "traj.jsonl").write_text("\n".join(lines) + "\n")
