"""`guiagent practice`: learns from many runs for the next ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gui_agent.cli.options import load_settings
from guiagent_eval.cli import ONE, common_options, model_options, option

if TYPE_CHECKING:
    from gui_agent.core.protocols import Computer
    from gui_agent.core.trajectory import Task
    from gui_agent.settings import Settings
    from guiagent_eval.task_list import TaskList


def _hosts(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The hosts that a person named. Raises ConfigError: one is no host."""
    from gui_agent.agent.guard.hosts import is_host_pattern
    from gui_agent.core.errors import ConfigError

    for one in given:
        if not is_host_pattern(one):
            raise ConfigError(f"--allow-writes {one}: write a host alone, such as 127.0.0.1:8000")
    return given


FILE, OUT = "lessons.toml", click.Path(path_type=Path)
WRITES: Any = {"multiple": True, "metavar": "HOST", "callback": _hosts}
EPILOG = """\
\b
Examples:
  guiagent practice lessons runs/one runs/two --model openai/gpt-6-sol
  guiagent eval miniwob --planner model --model openai/gpt-6-sol --set memory.lessons=lessons.toml
"""
EXPLORING = """\
\b
Examples:
  guiagent practice explore --url https://shop.example --steps 500 --out walks
  guiagent export walks --format os-genesis --out triples
  guiagent practice propose walks --out tasks.toml --allow-writes 127.0.0.1 --reset "cp first.db shop.db"
  guiagent practice run tasks.toml --allow-writes 127.0.0.1 --reset "cp first.db shop.db"
"""


@click.group(no_args_is_help=True, short_help="Learn from many runs for the next ones.")
def practice() -> None:
    """Learn from many runs for the next ones."""


@practice.command(epilog=EPILOG, short_help="Draw lessons from good and bad runs.")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@model_options("Who compares")
@option("--out", default=FILE, metavar="FILE", type=OUT, help="Added to.")
def lessons(runs: tuple[str, ...], out: Path, settings: Settings) -> None:
    """Compare good and bad runs of the same task in RUNS: at most two lessons a task, in FILE.

    If runs were shown lessons of FILE, they count as wins or losses of these; see `memory.lessons`.
    """
    from gui_agent.memory.exemplars import read_lessons
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

    known = read_lessons(out) if out.exists() else ()
    kept = list(kept_runs(runs, pictures=False))
    before = counted_runs(out)
    found = count_uses(known, kept, out, before)
    groups = contrasts(kept)
    with closing(need_models(make_models(settings))) as models:
        for group in groups.values():
            found = learn_from(group, found, models.model, settings.memory.untrusted)
    write_lessons(out, found, [*before, *map(run_mark, kept)])
    held = sum(bool(one.quarantined) for one in found)
    added = len({one.id for one in found} - {one.id for one in known})
    click.echo(
        f"{out}: {len(found)} lessons, {added} new, {held} in quarantine; "
        f"{len(kept)} runs, {len(groups)} tasks with both outcomes, ${models.budget.total.cost:.4f}"
    )


@practice.command(epilog=EXPLORING, short_help="Explore a page and keep the walks.")
@option("--url", required=True, metavar="URL", help="Where each walk begins.")
@option("--steps", default=100, type=ONE, help="Of all walks.")
@option("--seed", default=0, help="The same makes the same walks.")
@option("--on", "kind", default="browser", metavar="COMPUTER", help="Kind of screen.")
@option("--allow-writes", "allowed", **WRITES, help="Host that gets requests which change something.")
@option("--out", required=True, metavar="DIR", help="Walks are kept there as runs.")
@common_options("config set")
def explore(
    url: str, steps: int, seed: int, kind: str, allowed: tuple[str, ...], out: str, **given: Any
) -> None:
    """Try the controls of a page, new ones first; actions that the guard would ask about are skipped.

    Requests of a page that would change something are held, and the last lines say how many: allow them only
    where the data can be reset. The walks are runs like others: you can show and export them, and propose
    tasks from them.
    """
    from gui_agent import wiring
    from gui_agent.agent.loop import Agent
    from gui_agent.core.protocols import Planner
    from gui_agent.core.trajectory import Task
    from guiagent_eval.practice.explore import WalkGuard, Writes
    from guiagent_eval.practice.explore import explore as walk

    writes = Writes(allowed)
    own = {"computer": {"kind": kind}, "trace": {"folder": out}}
    settings = load_settings(given["config"], given["assignments"], **own)
    with wiring.make_computer(settings) as computer:

        @contextmanager
        def begin(number: int, planner: Planner) -> Iterator[tuple[Agent, Task]]:
            guard, kept = WalkGuard(settings, url, writes), [wiring.make_writer(settings)]
            agent = wiring.build(settings, computer, planner=planner, guard=guard, observers=kept)
            yield agent, Task("", url)

        found = walk(begin, steps, seed)
    click.echo(
        f"{out}: {found.walks} walks, {found.steps} steps, {found.screens} screens, "
        f"{found.things} things; {found.refused} acts refused by the guard"
    )
    for line in writes.lines():
        click.echo(line)


def writes_options(command: Any) -> Any:
    """Options of commands that may change the data of an application."""
    allow = option(
        "--allow-writes", "allowed", **WRITES, help="Host where tasks may change, send and remove."
    )
    return allow(
        option(
            "--reset", default="", metavar="COMMAND", help="Brings back the first data, before each task."
        )(command)
    )


@practice.command(epilog=EXPLORING, short_help="Make tasks with checks from walks.")
@click.argument("walks", nargs=-1, required=True, metavar="WALKS...")
@option("--goals", default=4, type=ONE, help="Tasks of each kind.")
@option("--out", default="tasks.toml", metavar="FILE", type=OUT)
@writes_options
@common_options("config set")
def propose(
    walks: tuple[str, ...], goals: int, out: Path, allowed: tuple[str, ...], reset: str, **given: Any
) -> None:
    """Write tasks about the records of the tables that WALKS saw: to find, add, change and remove one.

    Each is done once from the start of its walk, and left out unless just its rows came and went. Without
    --allow-writes, only tasks that change nothing are made.
    """
    from gui_agent.core.errors import ConfigError
    from gui_agent.wiring.running import run
    from guiagent_eval.practice.explore import WalkGuard, Writes, as_toml, ways_in
    from guiagent_eval.practice.kept import kept_runs
    from guiagent_eval.practice.records import Proposer

    settings = load_practice(
        given, allowed, model={"name": "none"}, planner={"kind": "plain"}, trace={"folder": ""}
    )
    walked = [kept.trajectory for kept in kept_runs(walks, pictures=False)]
    out.write_text("", encoding="utf-8")
    with open_list(out, settings, reset) as benchmark:

        @contextmanager
        def begin() -> Iterator[tuple[Computer, str]]:
            yield benchmark.begin(), walked[0].task.start

        def is_done(task: Task, computer: Computer) -> bool:
            guard = WalkGuard(settings, task.start, Writes(allowed))
            return run(task, settings=settings, computer=computer, guard=guard).verified

        tried = Proposer(begin, is_done, goals)
        kept = []
        for one in tried.tasks(ways_in(walked), writes=bool(allowed)):
            click.echo(f"{one.about}: {one.task}")
            kept.append(one)
    if not kept:
        raise ConfigError("these walks saw no table of records that a task can be made of; walk more steps")
    out.write_text(as_toml(kept), encoding="utf-8")
    click.echo(f"{out}: {len(kept)} tasks; run them: guiagent practice run {out}")


def load_practice(given: dict[str, Any], allowed: tuple[str, ...], **own: Any) -> Settings:
    """The settings of practice, with everything granted on the allowed hosts."""
    grants = {"guard": {"grants": [f"*@{host}" for host in allowed]}} if allowed else {}
    return load_settings(given["config"], given["assignments"], **own, **grants)


@contextmanager
def open_list(tasks: Path | str, settings: Settings, reset: str) -> Iterator[TaskList]:
    """The tasks of a file on an open screen."""
    from guiagent_eval.task_list import TaskList

    benchmark = TaskList(str(tasks), settings.computer.kind, reset)
    benchmark.setup()
    try:
        yield benchmark
    finally:
        benchmark.teardown()


@practice.command("run", epilog=EXPLORING, short_help="Do tasks, and remember verified runs.")
@click.argument("tasks")
@option("--rounds", default=3, type=ONE, help="At most.")
@option("--group", default=5, type=ONE, help="Tries of each task.")
@option("--planner", default="auto", metavar="NAME", help="Planner to use.")
@writes_options
@common_options("model max-cost config set")
def run_tasks(
    tasks: str, rounds: int, group: int, planner: str, allowed: tuple[str, ...], reset: str, **given: Any
) -> None:
    """Do the TASKS of a file, and repeat those that succeed in 0.2 to 0.8 of the tries.

    A run that its check verifies goes into the memory (into quarantine if `memory.untrusted` says so).
    """
    from guiagent_eval.practice.explore import practise

    own = {"model": {"name": given["model"], "max_cost": given["max_cost"]}, "planner": {"kind": planner}}
    settings = load_practice(given, allowed, **own)
    with open_list(tasks, settings, reset) as benchmark:
        for name, won, kept in practise(benchmark, settings, rounds, group):
            click.echo(f"{name}: {won} of {group} verified, {kept} new in the memory")
