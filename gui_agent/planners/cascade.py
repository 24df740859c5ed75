"""Planners around others: the next one takes over where one gives up, or nobody does what cannot be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.core.actions import Action
from gui_agent.core.codec import encode
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.geometry import Size
from gui_agent.core.observation import Element, Observation
from gui_agent.core.planner_state import Baton, bookmark, unwrap
from gui_agent.core.protocols import (
    Closing,
    Opening,
    Planner,
    PlannerCapabilities,
    Settled,
    Situation,
    capabilities,
)
from gui_agent.core.trajectory import Decision, GiveUp, Task, Turn

MOST_RETURNS = 6
"""How often in a run an earlier planner is given the lead again."""


class CascadePlanner(PlannerCapabilities):
    """Asks the first planner, and when it gives up the next, which is told why and what was still to be done.

    A planner that can resume its plan goes on with it as soon as the next one has got it past what it could
    not do; for the others the rest of the run belongs to the next one. An action that the guard or the
    person refused is not handed on, so nobody gets round a refusal.
    """

    name = "cascade"

    def __init__(self, planners: Sequence[Planner]) -> None:
        if not planners:
            raise ConfigError("a cascade needs at least one planner")
        self._planners = tuple(planners)

    def decide(self, situation: Situation) -> Decision:
        """The decision of the planner in charge; it carries that planner's name.

        Raises like the planner in charge.
        """
        baton = _last_baton(situation.turns) or Baton(0)
        inner = replace(situation, turns=tuple(unwrap(turn) for turn in situation.turns))
        stage, advice = min(baton.stage, len(self._planners) - 1), baton.advice
        taken_back = self._taken_back(baton, stage, inner)
        if taken_back is not None:
            return taken_back
        while True:
            planner = self._planners[stage]
            told = replace(inner, advice=(*advice, *inner.advice))
            decision = planner.decide(told)
            last = stage + 1 == len(self._planners)
            if last or not isinstance(decision.end, GiveUp) or _is_refused(situation):
                break
            advice = (*advice, *_handover(planner, told, decision.end.reason))
            stage += 1
        return _wrap(decision, replace(baton, stage=stage, advice=advice), planner)

    def cannot_do(self, task: Task) -> str:
        """Why none of the planners can do the task, as the last one says it; empty when one may."""
        reasons = [capabilities(planner).cannot_do(task) for planner in self._planners]
        return reasons[-1] if all(reasons) else ""

    def _taken_back(self, baton: Baton, stage: int, situation: Situation) -> Decision | None:
        """The decision of the first planner that can go on with its plan now that another one has acted."""
        last = situation.turns[-1] if situation.turns else None
        if last is None or not last.steps or baton.returns >= MOST_RETURNS:
            return None
        if any(not step.outcome.good for step in last.steps):
            return None
        for earlier, planner in enumerate(self._planners[:stage]):
            decision = capabilities(planner).resume(situation)
            if decision is not None:
                return _wrap(decision, Baton(earlier, returns=baton.returns + 1), planner)
        return None


def _wrap(decision: Decision, baton: Baton, planner: Planner) -> Decision:
    written = encode(replace(baton, inner=decision.bookmark)).decode()
    return replace(decision, bookmark=written, planner=decision.planner or planner.name)


def _last_baton(turns: Sequence[Turn]) -> Baton | None:
    return next((baton for turn in reversed(turns) if (baton := bookmark(Baton, turn)) is not None), None)


def _is_refused(situation: Situation) -> bool:
    return situation.last is not None and situation.last.error == "Forbidden"


def _handover(planner: Planner, situation: Situation, reason: str) -> tuple[str, ...]:
    told = [f"The {planner.name} planner gave up: {reason}"]
    rest = capabilities(planner).remaining(situation)
    if rest:
        told.append("It still meant to: " + " ".join(f"{i}. {step}" for i, step in enumerate(rest, start=1)))
        if capabilities(planner).can_resume:
            told.append("Do what it could not do; it continues by itself once the rest of its plan fits.")
    return tuple(told)


class NullPlanner(PlannerCapabilities):
    """Gives up at once with the reason, so that the run is kept and ends as not done."""

    name = "none"

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def decide(self, situation: Situation) -> Decision:
        """Give up."""
        return Decision(end=GiveUp(self._reason), planner=self.name)

    def cannot_do(self, task: Task) -> str:
        """The reason, for every task."""
        return self._reason


class NullComputer(Closing):
    """Stands where a computer would, for a run that ends before anything is looked at."""

    platform = "none"

    def observe(self, *, picture: bool = True) -> Observation:
        """Nothing is to be seen."""
        return Observation(Size(0, 0))

    def perform(self, action: Action, expected: Element | None = None) -> None:
        raise ActionFailed(f"{action.kind}: no screen was opened for this task")

    def settle(self) -> Settled:
        """Nothing moves."""
        return Settled(0.0, changed=False)

    def start(self, where: str) -> None:
        """Nothing is opened."""

    def opening(self, name: str) -> Opening:
        """Nothing is opened."""
        return Opening("nothing")

    def close(self) -> None:
        """Nothing is open."""
