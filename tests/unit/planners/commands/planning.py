"""What the embedded planner decides about a screen that was made by hand, and the turns it went through."""

from __future__ import annotations

from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Outcome, OutcomeKind, Step, Task, Turn
from gui_agent.planners.commands import PlainPlanner
from gui_agent.testing import check_planner


def situation(task: str, observation: Observation, *turns: Turn) -> Situation:
    return Situation(Task(task), observation, turns)


def decide(task: str, observation: Observation, *turns: Turn) -> Decision:
    return check_planner(PlainPlanner(), situation(task, observation, *turns))


def carried_out(decision: Decision, observation: Observation, *kinds: OutcomeKind, error: str = "") -> Turn:
    """The turn in which the first actions of a decision had these outcomes."""
    steps = tuple(
        Step(
            n,
            planned,
            observation,
            observation,
            Outcome(kind, "so it went"),
            error=error if kind == "failed" else "",
        )
        for n, (planned, kind) in enumerate(zip(decision.planned, kinds, strict=False), start=1)
    )
    return Turn(decision, observation, steps)


def after(decision: Decision, before: Observation) -> Turn:
    """The turn in which all that a decision held was carried out."""
    return carried_out(decision, before, *["changed"] * len(decision.planned))
