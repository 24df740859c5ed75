"""Walks without a task, and tasks made from them, each with a check that code decides.

The walk prefers new elements, as OS-Genesis does. The guard's usual rules hold without a person to ask,
so actions that would send, pay or delete are skipped. Tasks are made in `records`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar
from urllib.parse import urlsplit

from gui_agent.agent.guard import Grants, PolicyGuard, load
from gui_agent.agent.guard.hosts import netloc_of, origin_fits
from gui_agent.agent.limits import identity
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Check, Click, Scroll, TypeText
from gui_agent.core.actions import Proposal as Act
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Element, Observation, Point, Target, Words
from gui_agent.core.protocols import READING, SOCKET, HoldsRequests, Opens, Outgoing, Planner, Situation
from gui_agent.core.trajectory import Decision, GiveUp, Planned, Step, Task, Trajectory
from gui_agent.elements.roles import BOXES, FIELDS, ITEMS, LATCHING, OPERABLE, ROWS, SELECTED
from gui_agent.memory.entry import UNTRUSTED
from gui_agent.planners.commands import Unparsed, parse, say
from gui_agent.planners.commands.commands import Do
from gui_agent.procedures.library.evidence import is_new_work, joining, keep_run
from gui_agent.procedures.library.memory import Memory, open_memory
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.settings import Settings, user_file
from gui_agent.wiring.running import run
from guiagent_eval.benchmark import Case
from guiagent_eval.practice.records import Proposal, Way
from guiagent_eval.task_list import KEYS, TaskList

NEW, UNTRIED, TRIED = 4, 3, 1
"""Weights of an element: seen for the first time, never tried in such a place, tried."""
POOL = ("Ada", "Grace", "7", "42", "ada@example.org", "2026-03-14", "blue")
"""The texts that walks type."""
LENGTH = 8
"""Steps of one walk after its way out; then it begins again."""
AWAY = 6
"""Maximum number of steps of a way out."""
MOST = 5
"""Maximum number of clicks that lead to a screen of a task."""
TRIABLE = OPERABLE | ITEMS | SELECTED | LATCHING
Name = tuple[str, str]
"""Role and name of an element."""
K = TypeVar("K", bound=tuple[str, ...])
BELOW: Name = ("", "below")
"""The pseudo-element for scrolling down."""
Ways = dict[Name, tuple[str, tuple[Act, ...]]]
"""The place where each element was met first, and the shortest way there."""


@dataclass
class Explorer:
    """A planner without a task; the same seed makes the same walk.

    Every other walk first goes to an element that was seen and never tried, by the shortest known way.
    """

    seed: int
    name: str = "explorer"
    tried: Counter[tuple[str, Name]] = field(default_factory=Counter)
    """How often each element was tried in each place."""
    ways: dict[str, Ways] = field(default_factory=dict)
    """The way to each element, by the beginning of the walk."""
    seen: set[Name] = field(default_factory=set)
    barred: set[Name] = field(default_factory=set)
    """Elements that the guard refused, which are skipped from then on."""

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)
        self._last: Name | None = None
        self._goal: Name | None = None
        self._ahead: list[Act] = []
        self._walks = self._left = 0

    def decide(self, situation: Situation) -> Decision:
        """Try an element, or end this walk."""
        screen, last = situation.observation, situation.last
        ways = self.ways.setdefault(situation.task.start, {})
        if last is None:
            self._set_out(ways)
        elif last.error == Forbidden.__name__ and self._last is not None:
            self.barred.add(self._last)
        elif last.action is None and not self._ahead:  # a cycle, or nothing can be done here
            return Decision(end=GiveUp("this walk cannot continue"), planner=self.name)
        things = {name: alike for name, alike in things_on(screen).items() if name not in self.barred}
        if screen.more.get("below"):
            things[BELOW] = []
        come = tuple(it.planned.action for turn in situation.turns for it in turn.steps if it.outcome.good)
        for name in things:
            if len(come) <= AWAY and (name not in ways or len(come) < len(ways[name][1])):
                ways[name] = screen.place.title, come
        if self._ahead:
            self._last, act = None, self._ahead.pop(0)
        elif self._left and things:
            self._left -= 1
            self._last, act = self._next_try(screen, things)
        else:
            return Decision(end=GiveUp("this walk has ended"), planner=self.name)
        self.seen.update(things)
        return Decision(planned=(Planned(act),), planner=self.name)

    def _set_out(self, ways: Ways) -> None:
        """Begin a walk, perhaps by the way to an element that was never tried."""
        self._walks, self._left, self._last, self._goal, self._ahead = self._walks + 1, LENGTH, None, None, []
        done = self.barred.union(name for _, name in self.tried)
        left = {(ways[name][0], *name): UNTRIED for name in ways if name not in done}
        if self._walks % 2 == 0 and left:
            _, *named = self._one_of(left)
            self._goal = named[0], named[1]
            self._ahead = list(ways[self._goal][1])

    def _next_try(self, screen: Observation, things: Mapping[Name, Sequence[Element]]) -> tuple[Name, Act]:
        """The next element to try, and the action."""
        where = screen.place.title
        goal, self._goal = self._goal, None
        name = goal if goal is not None and goal in things else None
        if name is None:
            name = self._one_of({name: self._weight(where, name) for name in things})
        self.tried[where, name] += 1
        if name == BELOW:
            middle = Point(screen.size.width // 2, screen.size.height // 2)
            return name, Scroll(middle, down=screen.size.height * 3 // 4)
        return name, self._act_on(name, things[name])

    def _weight(self, where: str, name: Name) -> int:
        if name not in self.seen:
            return NEW
        return TRIED if self.tried[where, name] and name != BELOW else UNTRIED

    def _one_of(self, weights: Mapping[K, int]) -> K:
        """Draw by the first part, then by the next: a long list does not drown the one button beside it."""
        left, part = dict(weights), 0
        while len(left) > 1:
            parts: dict[str, int] = {}
            for key, weight in left.items():
                parts[key[part]] = max(weight, parts.get(key[part], 0))
            drawn = self._dice.choices(list(parts), list(parts.values()))[0]
            left, part = {key: weight for key, weight in left.items() if key[part] == drawn}, part + 1
        return next(iter(left))

    def _act_on(self, name: Name, alike: Sequence[Element]) -> Act:
        rank = self._dice.randrange(len(alike))
        role = name[0]
        at: Target = Words(name[1], role, rank + 1 if len(alike) > 1 else 0)
        if role in BOXES:
            return Check(at, "checked" not in alike[rank].states)
        if role in FIELDS - {"combobox"}:
            return TypeText(self._dice.choice(POOL), at, replace=True)
        # An element that represents a record may need two clicks to open.
        return Click(at, clicks=self._dice.choice((1, 2)) if role in ROWS else 1)


def things_on(screen: Observation) -> dict[Name, list[Element]]:
    """The elements to try, by role and name; several may share one."""
    found: dict[Name, list[Element]] = {}
    for one in screen.controls:
        if one.name and one.role in TRIABLE and "disabled" not in one.states:
            found.setdefault((one.role, one.name), []).append(one)
    return found


@dataclass
class Writes:
    """The requests of walks that would change something: who may get them, and what became of them."""

    allowed: tuple[str, ...] = ()
    """Hosts that get such requests, as in the guard's rules."""
    held: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    """Numbers of requests, by host."""

    def lines(self) -> Iterator[str]:
        """What a person should know about them."""
        if self.held:
            yield (
                f"held, and not sent: {_by_host(self.held)} that would change something; pages behind "
                "them were not seen. If the data there can be reset, --allow-writes HOST lets them through"
            )
        if self.sent:
            yield f"sent: {_by_host(self.sent)} that may have changed something; reset the data there"


def _by_host(counts: Counter[str]) -> str:
    return ", ".join(f"{count} request{'s' * (count > 1)} to {host}" for host, count in counts.most_common())


class WalkGuard(PolicyGuard):
    """The usual rules without a person to ask. No page of another host than the first one, and no request
    whose method changes something, except to hosts that may get it.

    What leaves through a socket cannot be held, and counts as sent.
    """

    def __init__(self, settings: Settings, start: str, writes: Writes) -> None:
        own = user_file("guard.toml")
        policy = load(settings.guard.policy or (str(own) if own.is_file() else ""))
        host = urlsplit(start).hostname
        policy = replace(policy, domains=policy.domains or ((host,) if host else ()))
        super().__init__(policy, yes=Grants.parse(settings.guard.grants))
        self.writes = writes

    def judge_by(self, computer: Opens) -> None:
        super().judge_by(computer)
        if isinstance(computer, HoldsRequests):
            computer.hold(self._may_leave)
            computer.release(False)

    def _may_leave(self, request: Outgoing) -> bool:
        if request.method in READING:
            return super()._may_leave(request)
        host = netloc_of(request.url)
        if request.kind != SOCKET and not origin_fits(request.url, self.writes.allowed):
            self.writes.held[host] += 1
            return False
        leaves = super()._may_leave(request)
        self.writes.sent[host] += leaves
        return leaves

    def check_requests(self) -> bool:
        """Let the requests that were held fail. Raises Forbidden: there were any."""
        if self._holder is None or not (held := self._holder.held_requests):
            return False
        self._holder.release(False)
        told = f"{held[0].method} {netloc_of(held[0].url)}"
        raise Forbidden(f"a walk does not send what may change something ({told}); nothing was sent")

    def end_step(self) -> None:
        """End the step; what a page sends between two steps belongs to none, and fails at once."""
        super().end_step()
        if self._holder is not None:
            self._holder.release(False)


@dataclass(frozen=True, slots=True)
class Walked:
    """The results of walking."""

    walks: int
    steps: int
    screens: int
    things: int
    refused: int


Begin = Callable[[int, Planner], AbstractContextManager[tuple[Agent, Task]]]
"""The agent for a walk, by its number, and its start, with no state left of the walk before."""


def explore(begin: Begin, steps: int, seed: int) -> Walked:
    """Walk from a beginning repeatedly until this many steps are done."""
    explorer = Explorer(seed)
    walks = done = refused = idle = 0
    screens: set[str] = set()
    while done < steps and idle < LENGTH:
        with begin(walks, explorer) as (agent, start):
            walk = agent.run(start).trajectory
        acted = [step for step in walk.steps if step.action is not None]
        walks, done = walks + 1, done + len(acted)
        refused += sum(step.error == Forbidden.__name__ for step in walk.steps)
        idle = 0 if acted else idle + 1
        screens |= {identity(step.after) for step in acted}
    return Walked(walks, done, len(screens), len(explorer.seen), refused)


def ways_in(walks: Iterable[Trajectory]) -> Iterable[tuple[Way, Observation]]:
    """The screens that clicks reach in walks without sending anything, and the fewest clicks to each."""
    known = [walk.steps for walk in walks if walk.steps]
    found: dict[object, tuple[Way, Observation]] = {}
    for steps in known:
        found[_look_of(steps[0].before)] = (), steps[0].before
    for length in range(MOST):
        for step in filter(_leads_on, chain.from_iterable(known)):
            here = found.get(_look_of(step.before))
            if here is not None and len(here[0]) == length:
                way = *here[0], say(Do(step.planned.action))
                found.setdefault(_look_of(step.after), (way, step.after))
    return found.values()


def _look_of(screen: Observation) -> tuple[object, ...]:
    """What tells a screen from others, whatever was typed on it."""
    return screen.place.url, screen.place.title, frozenset(things_on(screen))


def _leads_on(step: Step) -> bool:
    if not isinstance(step.planned.action, Click) or not step.outcome.good or step.requests:
        return False
    return not isinstance(parse(say(Do(step.planned.action))), Unparsed)


def as_toml(proposals: Iterable[Proposal]) -> str:
    """The tasks as a file of `guiagent eval run tasks`."""
    tables = []
    for number, one in enumerate(proposals, start=1):
        lines = [f"{name} = {json.dumps(value)}" for name in KEYS if (value := getattr(one, name))]
        tables.append("\n".join((f"[task-{number}]", *lines, "")))
    return "\n".join(tables)


SOMETIMES = (0.2, 0.8)
"""The range of success rates that earn a task another round: neither known nor out of reach."""


def practise(
    benchmark: TaskList, settings: Settings, rounds: int, group: int
) -> Iterator[tuple[str, int, int]]:
    """Do each task several times, and repeat those that succeed sometimes: name, successes, runs kept.

    A run that its check verifies goes into the memory and is known to later tries: commands are stored under
    the words of the task, so that it can be requested without knowing the steps.
    """
    due = list(benchmark.tasks("all"))
    for _ in range(rounds):
        left = []
        for name in due:
            won = kept = 0
            for number in range(group):
                with benchmark.episode(Case(name, number)) as episode:
                    result = run(episode.task, settings=settings, computer=episode.computer)
                    good = result.ok and episode.grade().success
                won += good
                with closing(open_memory(settings)) as memory:
                    kept += good and keep_practised(memory, result.trajectory, episode.listed)
            yield name, won, kept
            if SOMETIMES[0] <= won / group <= SOMETIMES[1]:
                left.append(name)
        due = left


def keep_practised(memory: Memory, run: Trajectory, task: Proposal) -> bool:
    """Remember a verified run: commands under every other wording of the task, in turn, by its procedure.

    So each wording is shown once by two goals, and learning compares few demonstrations.
    """
    plain = not isinstance(parse(run.task.text), Unparsed)
    if not (plain and task.words and is_new_work(run)):
        return keep_run(memory, run, "practice", plain=plain)
    reason = UNTRUSTED if memory.untrusted(run) else ""
    turn = len(memory.tasks(task.about)) // 2 % 2 if task.about else 0
    is_new = False
    for words in task.words[turn::2] or task.words:
        shown = from_trajectory(replace(run, task=replace(run.task, text=words)), origin="practice")
        about = task.about or joining(shown, memory).family
        is_new |= memory.keep(shown, about, kind="run", reason=reason)[1]
    return is_new
