"""Several planners in a row: the next one takes over where one has given up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

from gui_agent.core.codec import encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import STRICT
from gui_agent.core.planner_state import bookmark
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.trajectory import Decision, GiveUp, Task, Turn
from gui_agent.planners.null import hopeless

Make = Callable[[str], Planner]
"""Makes the planner of a kind with the options that the settings give it."""


@runtime_checkable
class Planning(Protocol):
    """A planner that can say what it still meant to do."""

    def remaining(self, situation: Situation) -> Sequence[str]:
        """The rest of its plan, one sentence for each step; empty when it has none."""


@runtime_checkable
class Resuming(Protocol):
    """A planner that can go on where another one has got it past what it could not do."""

    def resume(self, situation: Situation) -> Decision | None:
        """What comes next of its plan; None as long as it is not clear with which step to go on."""


MOST_RETURNS = 6
"""How often in a run an earlier planner is given the lead again."""


@dataclass(frozen=True, slots=True)
class Baton:
    """What a cascade writes into its decisions: who is in charge and why, and that planner's own bookmark."""

    stage: int
    inner: str = ""
    advice: tuple[str, ...] = ()
    """Why the planners before gave up, and what they still meant to do."""
    returns: int = 0
    """How often an earlier planner has gone on."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


class CascadePlanner:
    """Asks the first planner, and when it gives up the next, which is told why and what was still to be done.

    A planner that can resume its plan goes on with it as soon as the next one has got it past what it could
    not do; for the others the rest of the run belongs to the next one. An action that the guard or the
    person refused is not handed on, so nobody gets round a refusal.
    """

    name = "cascade"

    def __init__(self, planners: Sequence[Planner]) -> None:
        """
        Raises:
            ConfigError: there are no planners.
        """
        if not planners:
            raise ConfigError("a cascade needs at least one planner")
        self._planners = tuple(planners)

    def decide(self, situation: Situation) -> Decision:
        """The decision of the planner in charge; it carries that planner's name.

        Raises like the planner in charge.
        """
        baton = _last_baton(situation.turns) or Baton(0)
        inner = replace(situation, turns=tuple(unwrapped(turn) for turn in situation.turns))
        stage, advice = min(baton.stage, len(self._planners) - 1), baton.advice
        taken_back = self._taken_back(baton, stage, inner)
        if taken_back is not None:
            return taken_back
        while True:
            planner = self._planners[stage]
            told = replace(inner, advice=(*advice, *inner.advice))
            decision = planner.decide(told)
            last = stage + 1 == len(self._planners)
            if last or not isinstance(decision.end, GiveUp) or _refused(situation):
                break
            advice = (*advice, *_handover(planner, told, decision.end.reason))
            stage += 1
        return _wrapped(decision, replace(baton, stage=stage, advice=advice), planner)

    def hopeless(self, task: Task) -> str:
        """Why none of the planners can do the task, as the last one says it; empty when one may."""
        reasons = [hopeless(planner, task) for planner in self._planners]
        return reasons[-1] if all(reasons) else ""

    def _taken_back(self, baton: Baton, stage: int, situation: Situation) -> Decision | None:
        """The decision of the first planner that can go on with its plan now that another one has acted."""
        last = situation.turns[-1] if situation.turns else None
        if last is None or not last.steps or baton.returns >= MOST_RETURNS:
            return None
        if any(not step.outcome.good for step in last.steps):
            return None
        for earlier, planner in enumerate(self._planners[:stage]):
            decision = planner.resume(situation) if isinstance(planner, Resuming) else None
            if decision is not None:
                return _wrapped(decision, Baton(earlier, returns=baton.returns + 1), planner)
        return None


def cascade(planners: Sequence[str] = ("auto", "model"), *, make: Make) -> CascadePlanner:
    """A cascade of planners by their kinds, first to last."""
    return CascadePlanner([make(kind) for kind in planners])


def _wrapped(decision: Decision, baton: Baton, planner: Planner) -> Decision:
    """The decision with the baton around its bookmark, in the name of who made it."""
    written = encode(replace(baton, inner=decision.bookmark)).decode()
    return replace(decision, bookmark=written, planner=decision.planner or planner.name)


def _last_baton(turns: Sequence[Turn]) -> Baton | None:
    return next((baton for turn in reversed(turns) if (baton := bookmark(Baton, turn)) is not None), None)


def unwrapped(turn: Turn) -> Turn:
    """The turn as the planner that made it knows it; one that no cascade made stays what it is."""
    baton = bookmark(Baton, turn)
    return turn if baton is None else replace(turn, decision=replace(turn.decision, bookmark=baton.inner))


def _refused(situation: Situation) -> bool:
    return situation.last is not None and situation.last.error == "Forbidden"


def _handover(planner: Planner, situation: Situation, reason: str) -> tuple[str, ...]:
    told = [f"The {planner.name} planner gave up: {reason}"]
    rest = planner.remaining(situation) if isinstance(planner, Planning) else ()
    if rest:
        told.append("It still meant to: " + " ".join(f"{i}. {step}" for i, step in enumerate(rest, start=1)))
        if isinstance(planner, Resuming):
            told.append("Do what it could not do; it goes on by itself as soon as the rest of its plan fits.")
    return tuple(told)
