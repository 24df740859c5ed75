"""Scripted stand-ins for parts of an agent: a planner, a user who answers, an observer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from typing import Any

from gui_agent.core.actions import Action, Click, Proposal
from gui_agent.core.conditions import Condition
from gui_agent.core.dialogue import Call, Reply, Request, Traits
from gui_agent.core.errors import Forbidden, NotFound, Stale
from gui_agent.core.observation import Mark, Observation, Point, Target
from gui_agent.core.protocols import PlannerCapabilities, Situation
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import (
    Ask,
    Decision,
    Finish,
    Found,
    GiveUp,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
)

Line = Decision | BaseException | Callable[[Situation], Decision]
"""One line of a script: a decision, an exception to raise, or a function that decides."""


def do(
    *actions: Proposal | Planned, thought: str = "", notes: Mapping[str, str] | None = None, calls: int = 0
) -> Decision:
    """A decision to do these actions."""
    planned = tuple(action if isinstance(action, Planned) else Planned(action) for action in actions)
    return Decision(thought, planned, notes=notes or {}, planner="scripted", calls=calls)


def expecting(action: Proposal, *conditions: Condition[Target]) -> Planned:
    """An action with its expected effects."""
    return Planned(action, conditions)


def done(answer: str = "") -> Decision:
    """The decision that the task is done."""
    return Decision(end=Finish(answer), planner="scripted")


def give_up(reason: str = "the script is at its end") -> Decision:
    """The decision to give up."""
    return Decision(end=GiveUp(reason), planner="scripted")


def ask(question: str) -> Decision:
    """The decision to ask the user."""
    return Decision(end=Ask(question), planner="scripted")


class ScriptedPlanner(PlannerCapabilities):
    """A planner that returns its lines in order and then gives up; it records its situations."""

    name = "scripted"

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = list(lines)
        self.situations: list[Situation] = []

    def decide(self, situation: Situation) -> Decision:
        """The next line; raises an exception in the script."""
        number = len(self.situations)
        self.situations.append(situation)
        line = self._lines[number] if number < len(self._lines) else give_up()
        if isinstance(line, BaseException):
            raise line
        return line if isinstance(line, Decision) else line(situation)


class ExactGrounder:
    """A grounder that keeps points, and finds marks by number and words by exact name and role."""

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        if isinstance(target, Point):
            return Found(target, how="point")
        if isinstance(target, Mark):
            element = observation.by_id(target.mark)
            if element is None:
                raise Stale(f"mark {target.mark} is not on this screen; look again")
            return Found(element.box.center, element, element.box, how="mark")
        fits = [
            element
            for element in observation.elements
            if normal(element.name) == normal(target.text or element.name)
            and target.role in ("", element.role)
        ]
        if len(fits) < max(target.ordinal, 1):
            raise NotFound(f"there is no {target} on this screen", observation.controls[:3])
        best = fits[max(target.ordinal, 1) - 1 if target.ordinal >= 0 else -1]
        return Found(best.box.center, best, best.box, how="exact name")


class OpenGuard:
    """A guard that lets everything pass except actions on elements with one of these names."""

    def __init__(self, forbidden: Sequence[str] = ()) -> None:
        self._forbidden = {normal(name) for name in forbidden}
        self.checked: list[Action] = []

    def check(self, action: Action, found: Mapping[str, Found], observation: Observation) -> None:
        self.checked.append(action)
        for place in found.values():
            if place.element is not None and normal(place.element.name) in self._forbidden:
                raise Forbidden(f"{place.element} may not be touched in this test")


class ScriptedApprover:
    """A user who gives these answers in order, then says no; records the questions."""

    def __init__(self, answers: Iterable[bool] = ()) -> None:
        self._answers = list(answers)
        self.questions: list[str] = []

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        """The next answer."""
        number = len(self.questions)
        self.questions.append(question)
        return self._answers[number] if number < len(self._answers) else False


@dataclass
class Witness:
    """An observer of a run that records all events in order."""

    events: list[str] = attribute(default_factory=list)
    """started, decided, stepped, ended, in the order of their arrival."""
    tasks: list[Task] = attribute(default_factory=list)
    turns: list[Turn] = attribute(default_factory=list)
    steps: list[Step] = attribute(default_factory=list)
    runs: list[Trajectory] = attribute(default_factory=list)

    def started(self, task: Task) -> None:
        self.events.append("started")
        self.tasks.append(task)

    def decided(self, turn: Turn) -> None:
        self.events.append("decided")
        self.turns.append(turn)

    def stepped(self, step: Step) -> None:
        self.events.append("stepped")
        self.steps.append(step)

    def ended(self, trajectory: Trajectory) -> None:
        self.events.append("ended")
        self.runs.append(trajectory)


ModelLine = Reply | BaseException | Callable[[Request], Reply]
"""One line of a script: a reply, an exception to raise, or a function that replies."""


def saying(**arguments: Any) -> Reply:
    """A call of the planner's tool, such as `saying(actions=[{"kind": "click", "at": 3}])`."""
    return Reply(calls=(Call("", "decide", arguments),), stop="calls")


def acting(*proposals: Proposal, text: str = "") -> Reply:
    """Actions of a model's own computer tool, each as a separate call."""
    return Reply(text, calls=tuple(Call("", proposals=(proposal,)) for proposal in proposals), stop="calls")


def pointing_at(x: int, y: int) -> Reply:
    """The answer of a pointing model."""
    return Reply(calls=(Call("", proposals=(Click(Point(x, y)),)),), stop="calls")


class ScriptedModel:
    """A model that returns its lines in order and then repeats the last one.

    Calls get the ids that services assign, so lines may omit them.
    """

    def __init__(
        self, lines: Iterable[ModelLine], *, traits: Traits | None = None, name: str = "scripted/model"
    ) -> None:
        self._lines = list(lines)
        self.name = name
        self.traits = traits or Traits()
        self.requests: list[Request] = []
        """The requests in order."""

    def complete(self, request: Request) -> Reply:
        """The next line; raises an exception in the script."""
        number = len(self.requests)
        self.requests.append(request)
        line = self._lines[min(number, len(self._lines) - 1)]
        if isinstance(line, BaseException):
            raise line
        reply = line if isinstance(line, Reply) else line(request)
        return _number_calls(reply, number)


def _number_calls(reply: Reply, number: int) -> Reply:
    calls = tuple(
        replace(call, id=call.id or f"call-{number}-{place}") for place, call in enumerate(reply.calls)
    )
    return replace(reply, calls=calls)
