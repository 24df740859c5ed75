"""Several planners in a row: the next one takes over where one has given up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import STRICT
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.trajectory import Decision, GiveUp, Turn

Make = Callable[[str], Planner]
"""Makes the planner of a kind with the options that the settings give it."""


@runtime_checkable
class Planning(Protocol):
    """A planner that can say what it still meant to do."""

    def remaining(self, situation: Situation) -> Sequence[str]:
        """The rest of its plan, one sentence for each step; empty when it has none."""


@dataclass(frozen=True, slots=True)
class Baton:
    """What a cascade writes into its decisions: who is in charge and why, and that planner's own bookmark."""

    stage: int
    inner: str = ""
    advice: tuple[str, ...] = ()
    """Why the planners before gave up, and what they still meant to do."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


class CascadePlanner:
    """Asks the first planner, and when it gives up the next, which is told why and what was still to be done.

    What a planner has given up stays given up: the rest of the run belongs to the next one. An action that
    the guard or the person refused is not handed on, so nobody gets round a refusal.
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
        inner = replace(situation, turns=tuple(_unwrapped(turn) for turn in situation.turns))
        stage, advice = min(baton.stage, len(self._planners) - 1), baton.advice
        while True:
            planner = self._planners[stage]
            told = replace(inner, advice=(*advice, *inner.advice))
            decision = planner.decide(told)
            last = stage + 1 == len(self._planners)
            if last or not isinstance(decision.end, GiveUp) or _refused(situation):
                break
            advice = (*advice, *_handover(planner, told, decision.end.reason))
            stage += 1
        wrapped = encode(Baton(stage, decision.bookmark, advice)).decode()
        return replace(decision, bookmark=wrapped, planner=decision.planner or planner.name)


def cascade(planners: Sequence[str] = ("auto", "model"), *, make: Make) -> CascadePlanner:
    """A cascade of planners by their kinds, first to last."""
    return CascadePlanner([make(kind) for kind in planners])


def _last_baton(turns: Sequence[Turn]) -> Baton | None:
    return next((baton for turn in reversed(turns) if (baton := _baton(turn)) is not None), None)


def _baton(turn: Turn) -> Baton | None:
    if not turn.decision.bookmark:
        return None
    try:
        return decode(Baton, turn.decision.bookmark)
    except ConfigError:
        return None


def _unwrapped(turn: Turn) -> Turn:
    """The turn as the planner that made it knows it."""
    baton = _baton(turn)
    return turn if baton is None else replace(turn, decision=replace(turn.decision, bookmark=baton.inner))


def _refused(situation: Situation) -> bool:
    return situation.last is not None and situation.last.error == "Forbidden"


def _handover(planner: Planner, situation: Situation, reason: str) -> tuple[str, ...]:
    told = [f"The {planner.name} planner gave up: {reason}"]
    rest = planner.remaining(situation) if isinstance(planner, Planning) else ()
    if rest:
        told.append("It still meant to: " + " ".join(f"{i}. {step}" for i, step in enumerate(rest, start=1)))
    return tuple(told)
