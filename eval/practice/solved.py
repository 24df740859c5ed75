"""Measures how many of the tasks that walks propose are solved after practice, with and without a model.

Usage: python eval/practice/solved.py APPLICATION... --steps 150 --seed 0 [--model NAME --planner NAME]

Walks begin where the tasks of each application begin, each on fresh data. Their proposals are replayed. Those
that hold are replayed again (`--only-tasks` ends here) and practised, each on fresh data. Without a model
they are then requested in words instead of commands, and with values that were not practised. A model is
tested with an empty memory, and again with the memory after practice.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from pathlib import Path

from guiagent_eval.apps import Apps
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.recipe import open_policy
from guiagent_eval.practice.explore import (
    POOL,
    Proposal,
    explore,
    faults_of,
    guard_of_walks,
    practise,
    propose,
    with_words_once,
)
from guiagent_eval.task_list import ListedTask, TaskList

from gui_agent import wiring
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import TypeText
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.commands import Unparsed, parse
from gui_agent.planners.commands.commands import Do, Put
from gui_agent.settings import Settings, override, parse_assignment

QUIET = override(Settings(), {"trace": {"folder": ""}, "model": {"name": "none"}})


class Walks:
    """Walks on an application, by the task whose data they began with."""

    def __init__(self, apps: Apps, tasks: Sequence[str]) -> None:
        self._apps, self._tasks = apps, tasks
        self.kept: dict[str, list[Trajectory]] = {}

    @contextmanager
    def begin(self, number: int, planner: Planner) -> Iterator[tuple[Agent, Task]]:
        self._origin = self._tasks[number % len(self._tasks)]
        with self._apps.episode(Case(self._origin, 0)) as episode:
            guard = guard_of_walks(QUIET, episode.task.start)
            agent = wiring.build(QUIET, episode.computer, planner=planner, guard=guard, observers=[self])
            yield agent, Task("", episode.task.start)

    def ended(self, trajectory: Trajectory) -> None:
        self.kept.setdefault(self._origin, []).append(trajectory)

    def proposals(self) -> list[tuple[str, Proposal]]:
        """Each task once, the shortest first, with the task of the application whose data it needs."""
        pairs = {
            one.task: (origin, one) for origin, walks in self.kept.items() for one in reversed(propose(walks))
        }
        return sorted(pairs.values(), key=lambda pair: pair[1].steps)


class Proposed(TaskList):
    """Tasks of an application, each on fresh data."""

    def __init__(self, apps: Apps, found: Sequence[tuple[str, Proposal]]) -> None:
        self._apps, self._found = apps, found

    def tasks(self, suite: str) -> Sequence[str]:
        return [str(number) for number in range(len(self._found))]

    @contextmanager
    def episode(self, case: Case) -> Iterator[ListedTask]:
        origin, one = self._found[int(case.task)]
        with self._apps.episode(Case(origin, 0)) as episode:
            yield ListedTask(episode.computer, Task(one.task, episode.task.start), one.check, one.words)


OTHERS = (
    (r'Get to where it says "(.*)"', r'Show me the place with "\1"'),
    (r'(?:The field )?(.*) ought to hold "(.*)"', r'I would like "\2" in the field \1'),
    (r"(.*) ought to be ticked", r"I would like to have \1 ticked"),
    (r"(.*) ought not to be ticked", r"I would like to have \1 not ticked"),
)
"""Another wording of each sort of goal, written before any was tried."""


def in_other_words(one: Proposal) -> Proposal:
    """The goal in another person's words."""
    for pattern, other in OTHERS:
        if found := re.fullmatch(pattern, one.words):
            return replace(one, task=found.expand(other))
    raise AssertionError(one.words)


def with_other_value(one: Proposal) -> Proposal | None:
    """The goal with a value that was not practised; None if its words contain no typed value."""
    for number, value in enumerate(POOL):
        if f'"{value}"' in one.words and value in typed(one.task):
            new = POOL[(number + 1) % len(POOL)]
            words, check = (text.replace(f'"{value}"', f'"{new}"') for text in (one.words, one.check))
            return replace(one, task=words, check=check)
    return None


def typed(task: str) -> list[str]:
    """The values that a task types."""
    commands = parse(task)
    assert not isinstance(commands, Unparsed), task
    acts = [one.action for one in commands if isinstance(one, Do)]
    own = [one.text for one in acts if isinstance(one, TypeText)]
    return own + [one.value for one in commands if isinstance(one, Put)]


def share(apps: Apps, settings: Settings, found: Sequence[tuple[str, Proposal]]) -> str:
    """How many of these tasks are solved, each tried once on fresh data, and which are not."""
    tasks = Proposed(apps, found)
    won = {name for name, won, _ in practise(tasks, settings, 1, 1) if won}
    missed = [one.task for number, (_, one) in enumerate(found) if str(number) not in won]
    return f"{len(won)} of {len(found)}{'; not: ' * bool(missed)}{', '.join(missed)}"


def measure(apps: Apps, settings: Settings, found: Sequence[tuple[str, Proposal]]) -> None:
    """Practise without a model, and request the goals in words before and after it."""
    goals = [(origin, replace(one, task=one.words)) for origin, one in found]
    valued = [(origin, new) for origin, one in found if (new := with_other_value(one)) is not None]
    others = [(origin, in_other_words(one)) for origin, one in found]
    for name, tasks in (
        ("before practice, in words", goals),
        ("practised, as commands", found),
        ("after practice, in words", goals),
        ("after practice, with other values", valued),
        ("after practice, in words of another person", others),
    ):
        print(f"  {name}: {share(apps, settings, tasks)}", flush=True)


def faulty(pairs: Sequence[tuple[str, Proposal]], faults: Sequence[str]) -> str:
    """The proposals that are no tasks, with the reasons."""
    return "".join(f"; not: {one.task}: {why}" for (_, one), why in zip(pairs, faults, strict=True) if why)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="+")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only-tasks", action="store_true", help="Only replay the proposals.")
    parser.add_argument("--model", default="")
    parser.add_argument(
        "--tasks", type=int, default=12, help="Number of tasks per application for the model."
    )
    parser.add_argument("--planner", default="model", help="Planner for the model.")
    parser.add_argument(
        "--set", action="append", default=[], help="A setting of the model's runs: KEY=VALUE."
    )
    given = parser.parse_args()
    apps = Apps()
    parts = override(QUIET, {"guard": open_policy()})
    for app in given.apps:
        walks = Walks(apps, list(apps.tasks(app)))
        walked = explore(walks.begin, given.steps, given.seed)
        pairs = walks.proposals()
        faults = list(faults_of(Proposed(apps, pairs), parts))
        good = [pair for pair, fault in zip(pairs, faults, strict=True) if not fault]
        made = f"{app}: {walked.steps} steps, {len(pairs)} candidates, {len(good)} proposed"
        print(f"{made}{faulty(pairs, faults)}", flush=True)
        again = list(faults_of(Proposed(apps, good), parts))
        print(f"  a second replay: {again.count('')} of {len(good)}{faulty(good, again)}", flush=True)
        once = with_words_once(one for _, one in good)
        found = [(origin, one) for (origin, _), one in zip(good, once, strict=True) if one.words]
        if given.only_tasks:
            continue
        memory = str(Path(tempfile.mkdtemp(prefix="guiagent-practice-")) / "memory.db")
        settings = override(QUIET, {"guard": open_policy(), "memory": {"path": memory}})
        measure(apps, settings, found)
        if given.model:
            some = random.Random(given.seed).sample(found, min(given.tasks, len(found)))
            others = [(origin, in_other_words(one)) for origin, one in some]
            own = {"model": {"name": given.model}, "planner": {"kind": given.planner}}
            asking = reduce(override, map(parse_assignment, given.set), override(settings, own))
            for name, path in (("nothing", f"{memory}-of-model"), ("what was practised", memory)):
                told = share(apps, override(asking, {"memory": {"path": path}}), others)
                print(f"  a model that remembers {name}: {told}", flush=True)
    apps.teardown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
