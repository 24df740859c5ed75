"""Walks without a task, and the tasks that they show to be there, each with a check that code decides.

The walk draws the next thing as OS-Genesis does, by what is new; the guard's usual rules hold and nobody is
asked, so what would send, pay or delete is left alone. A task is a walk's beginning and what was true then.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gui_agent.agent.limits import identity
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Action, Check, Click, TypeText
from gui_agent.core.conditions import Condition, StateIs, TextShown, ValueIs, holds
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.targets import Target, Words
from gui_agent.core.trajectory import Decision, GiveUp, Planned, Step, Task, Trajectory
from gui_agent.elements.roles import BOXES, FIELDS, OPERABLE
from gui_agent.memory.exemplars import COMMANDING
from gui_agent.planners.commands import Unparsed, parse, say
from gui_agent.planners.commands.commands import Do, Verify

NEW, UNTRIED, TRIED = 4, 3, 1
"""How likely a thing is drawn: seen here for the first time, never tried on this screen, tried."""
POOL = ("Ada", "Grace", "7", "42", "ada@example.org", "2026-03-14", "blue")
"""What is typed."""
LENGTH = 8
"""Steps of one walk, after which it begins again."""
MOST = 5
"""Steps of a proposed task at most."""
TELLING = range(3, 61)
"""Characters of a text whose appearance is a check."""
Name = tuple[str, str]
"""Role and name of an element."""


@dataclass
class Explorer:
    """A planner without a task: the same seed makes the same walk."""

    seed: int
    name: str = "explorer"
    tried: Counter[tuple[str, Name]] = field(default_factory=Counter)
    """How often each thing was tried on each screen."""
    seen: set[Name] = field(default_factory=set)
    barred: set[Name] = field(default_factory=set)
    """What the guard refused: it is left alone from then on."""

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)
        self._last: Name | None = None

    def decide(self, situation: Situation) -> Decision:
        """Try something, or end this walk."""
        screen, here, last = situation.observation, identity(situation.observation), situation.last
        if last is not None and last.error == Forbidden.__name__ and self._last is not None:
            self.barred.add(self._last)
        elif last is not None and last.action is None:  # going round in circles, or nothing can be done here
            return Decision(end=GiveUp("this walk goes no further"), planner=self.name)
        things = {name: one for name, one in named_things(screen).items() if name not in self.barred}
        if sum(len(turn.steps) for turn in situation.turns) >= LENGTH or not things:
            return Decision(end=GiveUp("this walk has ended"), planner=self.name)
        names = list(things)
        weights = [self._weight(here, name) for name in names]
        self.seen.update(names)
        chosen = self._dice.choices(names, weights)[0]
        self._last = chosen
        self.tried[here, chosen] += 1
        return Decision(planned=(Planned(self._act_on(things[chosen])),), planner=self.name)

    def _weight(self, here: str, name: Name) -> int:
        if name not in self.seen:
            return NEW
        return TRIED if self.tried[here, name] else UNTRIED

    def _act_on(self, element: Element) -> Click[Target] | TypeText[Target] | Check[Target]:
        at: Target = Words(element.name, element.role)
        if element.role in BOXES:
            return Check(at, "checked" not in element.states)
        if element.role in FIELDS - {"combobox"}:
            return TypeText(self._dice.choice(POOL), at, replace=True)
        return Click(at)


def named_things(screen: Observation) -> dict[Name, Element]:
    """The controls that can be named without doubt."""
    count = Counter((one.role, one.name) for one in screen.controls)
    return {
        (one.role, one.name): one
        for one in screen.controls
        if one.name
        and one.role in OPERABLE
        and count[one.role, one.name] == 1
        and "disabled" not in one.states
    }


class Nobody:
    """Who is asked while walking: whatever would need a yes gets none."""

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        """No."""
        return False


@dataclass(frozen=True, slots=True)
class Walked:
    """What came of walking."""

    walks: int
    steps: int
    screens: int
    things: int
    refused: int


def explore(agent_of: Callable[[Planner], Agent], start: Task, steps: int, seed: int) -> Walked:
    """Walk from a beginning again and again until so many steps are done.

    Args:
        agent_of: the agent for one walk, on a screen as at the beginning.
    """
    explorer = Explorer(seed)
    walks = done = refused = idle = 0
    screens: set[str] = set()
    while done < steps and idle < LENGTH:
        run = agent_of(explorer).run(start).trajectory
        acted = [step for step in run.steps if step.action is not None]
        walks, done = walks + 1, done + len(acted)
        refused += sum(step.error == Forbidden.__name__ for step in run.steps)
        idle = 0 if acted else idle + 1
        screens |= {identity(step.after) for step in acted}
    return Walked(walks, done, len(screens), len(explorer.seen), refused)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A task with its check, both as plain commands."""

    task: str
    start: str
    check: str
    steps: int


def propose(walks: Iterable[Trajectory]) -> Iterator[Proposal]:
    """The tasks that walks show: what was done from the beginning on, and what was true then, not before."""
    known: set[str] = set()
    for walk in walks:
        done: list[str] = []
        for step in walk.steps[:MOST]:
            said = say(Do(step.planned.action))
            if not step.outcome.good or isinstance(parse(said), Unparsed):
                break
            done.append(said)
            task = ", ".join(done)
            check = _check_of(walk.steps[0].before, step, walk.steps[: len(done)])
            if check and task not in known and step.outcome.kind != "no_change":
                known.add(task)
                yield Proposal(task, walk.task.start, check, len(done))


def _check_of(first: Observation, last: Step, steps: Sequence[Step]) -> str:
    """The condition that tells best that it is done; empty when none does."""
    wanted = {(at.element.role, at.element.name) for one in steps for at in one.found.values() if at.element}
    for condition in _conditions(first, last.after, wanted):
        stated = say(Verify(condition))
        read = parse(stated)
        earlier = any(holds(condition, screen, _element_of) for screen in (first, last.before))
        if not isinstance(read, Unparsed) and holds(condition, last.after, _element_of) and not earlier:
            return stated
    return ""


def _conditions(first: Observation, now: Observation, wanted: set[Name]) -> Iterator[Condition[Target]]:
    before = {one.name for one in first.elements}
    for one in now.elements:
        fits = one.is_text and len(one.name) in TELLING and "\n" not in one.name
        if fits and one.name not in before and not COMMANDING.search(one.name):
            yield TextShown(one.name)
    for (role, name), one in named_things(now).items():
        if (role, name) not in wanted:
            continue
        if role in BOXES:
            yield StateIs(Words(name, role), "checked", "checked" in one.states)
        elif role in FIELDS and one.value:
            yield ValueIs(Words(name, role), one.value)


def _element_of(target: Target, screen: Observation) -> Element | None:
    assert isinstance(target, Words)
    return named_things(screen).get((target.role, target.text))


def as_toml(proposals: Iterable[Proposal]) -> str:
    """The tasks as a file of `guiagent eval run tasks`."""
    tables = []
    for number, one in enumerate(proposals, start=1):
        rows: dict[str, Any] = {"task": one.task, "start": one.start, "check": one.check}
        lines = [f"{name} = {json.dumps(value)}" for name, value in rows.items() if value]
        tables.append("\n".join((f"[task-{number}]", *lines, "")))
    return "\n".join(tables)
