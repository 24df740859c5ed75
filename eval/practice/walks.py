"""Measures how many of a person's controls a walk without a task meets, and whether it has forbidden effects.

Usage: python eval/practice/walks.py APPLICATION... --steps 500 --seed 0

The tasks of each application are done in their first wording, like a person's recordings; the controls
of the successful ones are the ones to meet. Then walks begin where the tasks begin, each on fresh data. A
forbidden effect is a page of another host, or more or fewer files or rows of a table of the application.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from guiagent_eval.apps import AppEpisode, Apps
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.recipe import open_policy
from guiagent_eval.practice.explore import Name, WalkGuard, Writes, explore

from gui_agent import wiring
from gui_agent.agent.loop import Agent
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.commands import PlainPlanner
from gui_agent.settings import Settings, override

QUIET = override(Settings(), {"trace": {"folder": ""}})


def used(apps: Apps, task: str) -> set[Name]:
    """The controls that the task's first wording uses; none if it does not succeed."""
    settings = override(QUIET, {"guard": open_policy()})
    with apps.episode(Case(task, 0)) as episode:
        guard = wiring.make_guard(settings)
        agent = wiring.build(settings, episode.computer, planner=PlainPlanner(), guard=guard)
        run = agent.run(episode.task).trajectory
        won = episode.grade().success
    found = [at.element for step in run.steps for at in step.found.values() if at.element]
    return {(one.role, one.name) for one in found if one.name} if won else set()


def ledger(episode: AppEpisode) -> dict[str, int]:
    """The counts that must stay: files, and rows of each table."""
    data = episode.data
    counts = {"files": sum(one.is_file() for one in data.folder.rglob("*"))}
    if data.database:
        with closing(sqlite3.connect(data.path(data.database), timeout=20)) as base:
            tables = base.execute("select name from sqlite_master where type = 'table'").fetchall()
            counts |= {
                name: base.execute(f'select count(*) from "{name}"').fetchone()[0] for (name,) in tables
            }
    return counts


class Walks:
    """Walks on an application, with their effects."""

    def __init__(self, apps: Apps, tasks: list[str]) -> None:
        self._apps, self._tasks = apps, tasks
        self.walks: list[list[str]] = []
        self.met: set[Name] = set()
        self.forbidden: list[str] = []
        self.writes = Writes()

    @contextmanager
    def begin(self, number: int, planner: Planner) -> Iterator[tuple[Agent, Task]]:
        with self._apps.episode(Case(self._tasks[number % len(self._tasks)], 0)) as episode:
            before = ledger(episode)
            guard = WalkGuard(QUIET, episode.task.start, self.writes)
            agent = wiring.build(QUIET, episode.computer, planner=planner, guard=guard, observers=[self])
            self._host = episode.task.start.split("/")[2:3]
            yield agent, Task("", episode.task.start)
            after = ledger(episode)
            changed = [name for name, count in before.items() if after.get(name, 0) != count]
            self.forbidden += [f"walk {number + 1}: {name} became more or less" for name in changed]

    def ended(self, trajectory: Trajectory) -> None:
        self.walks.append([str(step.planned.action) for step in trajectory.steps])
        for step in trajectory.steps:
            self.met.update((one.role, one.name) for one in step.after.elements)
            url = step.after.place.url
            if url.startswith("http") and url.split("/")[2:3] != self._host:
                self.forbidden.append(f"walk {len(self.walks)} went to {url}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="+")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--used", type=Path, help="File for the controls that a person uses.")
    parser.add_argument("--walks", type=Path, help="File for the walks.")
    given = parser.parse_args()
    apps, total, met, forbidden = Apps(), 0, 0, 0
    told: dict[str, Any] = json.loads(given.used.read_text()) if given.used and given.used.exists() else {}
    for app in given.apps:
        tasks = list(apps.tasks(app))
        if app not in told:
            told[app] = {task: sorted(used(apps, task)) for task in tasks}
            if given.used:
                given.used.write_text(json.dumps(told))
        wanted = {(role, name) for found in told[app].values() for role, name in found}
        walks, began = Walks(apps, tasks), time.monotonic()
        found = explore(walks.begin, given.steps, given.seed)
        missed = sorted(wanted - walks.met)
        total, met = total + len(wanted), met + len(wanted) - len(missed)
        forbidden += len(walks.forbidden)
        print(
            f"{app}: {len(wanted) - len(missed)} of {len(wanted)} controls met in {found.steps} steps, "
            f"{found.walks} walks, {found.screens} screens, {found.things} things, {found.refused} refused, "
            f"{walks.writes.held.total()} requests held, {len(walks.forbidden)} forbidden effects, "
            f"{time.monotonic() - began:.0f} s",
            f"  missed: {missed}",
            f"  forbidden: {walks.forbidden}",
            sep="\n",
            flush=True,
        )
        if given.walks:
            given.walks.mkdir(exist_ok=True)
            (given.walks / f"{app}-{given.seed}.json").write_text(json.dumps(walks.walks, indent=0))
    apps.teardown()
    print(f"{met} of {total} controls met ({met / total:.0%}), {forbidden} forbidden effects")


if __name__ == "__main__":
    sys.exit(main())
