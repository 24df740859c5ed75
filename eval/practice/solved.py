"""Measures which tasks about records are solved without a model after practice, and what they change besides.

Usage: python eval/practice/solved.py APPLICATION[=TASK]... --steps 60 --goals 4 --seed 0

Walks begin where a task of each application begins, each on the fresh data of that task (the first one, if
none is named). The tasks that are proposed are done literally, each on fresh data, which tells what each
changes in the database. Half of the goals of each kind are practised. Then the goals are asked for in words:
before practice, after it, with the values of the goals that were not practised, and in the words of another
person. A goal is solved if just the rows came and went that its check names. Rows of the database that came
or went otherwise than by the literal commands are counted besides.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from guiagent_eval.app_data import AppData
from guiagent_eval.apps import Apps
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.recipe import open_policy
from guiagent_eval.practice.explore import WalkGuard, Writes, explore, practise, ways_in
from guiagent_eval.practice.records import WORDINGS, Proposal, Proposer
from guiagent_eval.task_list import ListedTask, TaskList

from gui_agent import wiring
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser import BrowserComputer
from gui_agent.core.protocols import Computer, Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.settings import Settings, override

QUIET = override(Settings(), {"trace": {"folder": ""}, "model": {"name": "none"}, "guard": open_policy()})
OTHERS: Mapping[str, Sequence[str]] = {
    "add": (
        "Please put one more {noun} on record: {fields}",
        "Add another {noun} with {fields}",
        "There has to be a further {noun}, created with {fields}",
    ),
    "change": (
        'Please correct the {noun} "{key}" so that its {column} is "{value}"',
        'I would like the {noun} "{key}" to have "{value}" as {column}',
        'Modify the {noun} "{key}": the {column} has to be "{value}"',
    ),
    "remove": (
        'Please delete the {noun} "{key}" for me',
        'The {noun} "{key}" should be thrown out',
        'Discard "{key}" from the {noun} list',
    ),
    "find": (
        'Show me the {noun} "{key}"',
        'Open what there is about the {noun} "{key}"',
        'Which data does the {noun} "{key}" have?',
    ),
    "chain": (
        'Add another {noun} with {fields}, then correct its {column} to "{value}"',
        'There has to be a further {noun}, created with {fields}, whose {column} is edited to be "{value}"',
        'Please insert a {noun} that has {fields} and change the {column} to "{value}" afterwards',
    ),
}
"""The words of another person, written before any was tried."""
THIRD: Mapping[str, Sequence[str]] = {
    "add": (
        "We need an extra {noun}: {fields}",
        "Could you create a {noun} for me, with {fields}?",
        "Enter one more {noun}, namely {fields}",
        "New {noun}, please: {fields}",
    ),
    "change": (
        'Could you set the {column} of the {noun} "{key}" to "{value}"?',
        'The {noun} "{key}" has the wrong {column}; correct it to "{value}"',
        'Edit the {noun} "{key}" so that the {column} reads "{value}"',
        'Change: {noun} "{key}", {column} "{value}"',
    ),
    "remove": (
        'Could you remove the {noun} "{key}"?',
        'We do not need the {noun} "{key}" any more, delete it',
        'Kindly get rid of "{key}", the {noun}',
        'Erase everything about the {noun} "{key}"',
    ),
    "find": (
        'Could you find the {noun} "{key}"?',
        'I am looking for "{key}", a {noun}',
        'Let me see all details of the {noun} "{key}"',
        'Is there a {noun} called "{key}"? Open it',
    ),
    "chain": (
        'Create a {noun} with {fields} and afterwards change its {column} to "{value}"',
        'Could you add a {noun} with {fields} and then edit the {column} so that it is "{value}"?',
        'Insert a {noun} that has {fields}, and after that correct its {column} to "{value}"',
        'First add the {noun} with {fields}, then update its {column} to "{value}"',
    ),
}
"""The words of a third, written after the failures of the second were mended and before any was tried."""
FOURTH: Mapping[str, Sequence[str]] = {
    "add": (
        "Create this {noun}: {fields}",
        "Can you insert a {noun} whose data are {fields}?",
        "I need you to add the following {noun}: {fields}",
        "A {noun} is missing here, {fields}; add it",
        "Put in a {noun} with {fields}",
    ),
    "change": (
        'Set the {column} to "{value}" for the {noun} "{key}", please',
        'Can you update the {noun} "{key}"? Its {column} is now "{value}"',
        'The {column} of "{key}", a {noun}, is to be edited; the right one is "{value}"',
        'Please modify the {noun} named "{key}": {column} "{value}"',
        'From now on the {noun} "{key}" has the {column} "{value}"',
    ),
    "remove": (
        'Throw out the {noun} "{key}"',
        'Can you delete "{key}", the {noun}?',
        'The {noun} named "{key}" has left, so remove it',
        'Take the {noun} "{key}" off the list',
        'I want the {noun} "{key}" erased',
    ),
    "find": (
        'Bring up the {noun} "{key}"',
        'Can I see the {noun} "{key}"?',
        'Which entry is the {noun} named "{key}"?',
        'Go to the details of the {noun} "{key}"',
        'What is known about the {noun} "{key}"?',
    ),
    "chain": (
        'Insert a {noun} whose data are {fields}. Its {column} has to be updated to "{value}" after that',
        'Can you create a {noun} with {fields}, and once it is there change the {column} into "{value}"?',
        'I need you to add this {noun}: {fields}. Next, modify its {column}: "{value}"',
        'After you have added a {noun} with {fields}, edit its {column} so that it says "{value}"',
        'Please add one {noun}, {fields}, and correct the {column}, which should be "{value}"',
    ),
}
"""The words of a fourth, written after the failures of both were mended and before any was tried."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^'\"]*")
Rows = Counter[tuple[str, str]]


def rows_of(data: AppData) -> Rows:
    """All rows of the database: table and content without moments."""
    with closing(sqlite3.connect(data.path(data.database), timeout=20)) as base:
        tables = [name for (name,) in base.execute("select name from sqlite_master where type = 'table'")]
        return Counter(
            (name, _MOMENT.sub("", repr(row)))
            for name in tables
            for row in base.execute(f'select * from "{name}"')
        )


class Practised(TaskList):
    """Tasks of an application, each on fresh data and in the same browser, and what each changes."""

    def __init__(self, apps: Apps, origin: str, computer: Computer) -> None:
        self._apps, self._origin, self._computer, self._reset = apps, origin, computer, []
        self.found: Sequence[Proposal] = ()
        self.changes: dict[str, tuple[Rows, Rows]] = {}
        """By the literal commands, the rows that they add and take away."""
        self.damage = 0
        self.walks: list[Trajectory] = []
        self.writes = Writes(("127.0.0.1",))

    def tasks(self, suite: str) -> Sequence[str]:
        return [str(number) for number in range(len(self.found))]

    @contextmanager
    def fresh(self) -> Iterator[tuple[Computer, str]]:
        with self._apps.episode(Case(self._origin, 0)) as episode:
            self._data = episode.data
            yield self.begin(), episode.task.start

    @contextmanager
    def walk(self, number: int, planner: Planner) -> Iterator[tuple[Agent, Task]]:
        with self.fresh() as (computer, start):
            guard = WalkGuard(QUIET, start, self.writes)
            yield (
                wiring.build(QUIET, computer, planner=planner, guard=guard, observers=[self]),
                Task("", start),
            )

    def ended(self, trajectory: Trajectory) -> None:
        self.walks.append(trajectory)

    def run(self, task: Task, computer: Computer) -> bool:
        before = rows_of(self._data)
        settings = override(QUIET, {"memory": {"enabled": False}})
        done = wiring.run(task, settings=settings, computer=computer).verified
        after = rows_of(self._data)
        self.changes[task.text] = (after - before, before - after)
        return done

    @contextmanager
    def episode(self, case: Case) -> Iterator[ListedTask]:
        one = self.found[int(case.task)]
        with self.fresh() as (computer, start):
            listed = ListedTask.begin(computer, replace(one, start=start))
            before = rows_of(self._data)
            yield listed
            after = rows_of(self._data)
        came, went = self.changes[self.literal[int(case.task)]]
        self.damage += ((after - before) - came).total() + ((before - after) - went).total()

    def share(self, settings: Settings, asked: Sequence[tuple[Proposal, Proposal]]) -> str:
        """How many goals are solved, each tried once, of pairs: as it is asked for, and as proposed."""
        self.found, self.literal = [one for one, _ in asked], [own.task for _, own in asked]
        self.damage = 0
        won = {int(name) for name, won, _ in practise(self, settings, 1, 1) if won}
        missed = [f"\n    not: {one.task}" for number, one in enumerate(self.found) if number not in won]
        kinds = Counter(kind_of(self.found[number]) for number in won), Counter(map(kind_of, self.found))
        told = ", ".join(f"{kind} {kinds[0][kind]}/{of}" for kind, of in kinds[1].items())
        return f"{len(won)} of {len(asked)} ({told}), {self.damage} rows beside{''.join(missed)}"


def kind_of(one: Proposal) -> str:
    return one.about.partition("-")[0]


def in_words(one: Proposal, number: int) -> tuple[Proposal, Proposal]:
    return replace(one, task=one.words[number % len(one.words)], words=()), one


def in_other_words(
    one: Proposal, number: int, words: Mapping[str, Sequence[str]] = OTHERS
) -> tuple[Proposal, Proposal]:
    """The goal in another person's words."""
    form = re.escape(WORDINGS[kind_of(one)][0])
    found = re.fullmatch(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", form.replace(r"\\", "")), one.words[0])
    assert found is not None, one.words[0]
    own = words[kind_of(one)]
    return replace(one, task=own[number % len(own)].format(**found.groupdict()), words=()), one


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="+", metavar="APPLICATION[=TASK]")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--goals", type=int, default=4, help="Of each kind, half of which are practised.")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    apps, computer = Apps(), BrowserComputer(headless=True)
    for named in given.apps:
        app, _, task = named.partition("=")
        place = Practised(apps, f"{app}.{task}" if task else apps.tasks(app)[0], computer)
        walked = explore(place.walk, given.steps, given.seed)
        tried = Proposer(place.fresh, place.run, given.goals)
        found = list(tried.tasks(ways_in(place.walks), writes=True))
        print(f"{app}: {walked.steps} steps, {len(found)} goals", flush=True)
        practised, others, known = list[Proposal](), list[Proposal](), Counter[str]()
        for one in found:
            known[one.about] += 1
            (practised if known[one.about] * 2 <= given.goals else others).append(one)
        memory = str(Path(tempfile.mkdtemp(prefix="guiagent-practice-")) / "memory.db")
        settings = override(QUIET, {"memory": {"path": memory}})
        asked = [in_words(one, number) for number, one in enumerate(practised)]
        for name, tasks in (
            ("before practice, in words", asked),
            ("practised, as commands", [(one, one) for one in practised]),
            ("after practice, in words", asked),
            (
                "after practice, with other values",
                [in_words(one, number) for number, one in enumerate(others)],
            ),
            ("after practice, in other words", [in_other_words(*pair[::-1]) for pair in enumerate(found)]),
            (
                "after practice, in the words of a third",
                [in_other_words(one, number, THIRD) for number, one in enumerate(found)],
            ),
            (
                "after practice, in the words of a fourth",
                [in_other_words(one, number, FOURTH) for number, one in enumerate(found)],
            ),
        ):
            print(f"  {name}: {place.share(settings, tasks)}", flush=True)
    computer.close()
    apps.teardown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
