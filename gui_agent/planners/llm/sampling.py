"""Comparing several answers, only where there is doubt (after best-of-n sampling with agreement)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.core.actions import places
from gui_agent.core.codec import encode
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.targets import Mark, Target
from gui_agent.core.trajectory import Decision

NEAR = 14
"""Pixels between two points that mean the same place."""


def doubtful(situation: Situation) -> bool:
    """Whether the last step went wrong or did nothing."""
    last = situation.last
    return last is not None and (not last.outcome.good or last.outcome.kind == "no_change")


def agreed(decisions: Sequence[Decision], observation: Observation) -> Decision:
    """The decision whose first move most of the others share; the earliest of those. It carries all calls."""
    votes = [sum(same_move(one, other, observation) for other in decisions) for one in decisions]
    best = decisions[votes.index(max(votes))]
    return replace(best, calls=sum(decision.calls for decision in decisions))


def same_move(one: Decision, other: Decision, observation: Observation) -> bool:
    """Whether two decisions begin alike: the same kind of action on the same place with the same text."""
    if not one.planned or not other.planned:
        return not one.planned and not other.planned and type(one.end) is type(other.end)
    first, second = one.planned[0].action, other.planned[0].action
    if first.kind != second.kind:
        return False
    here, there = places(first), places(second)
    if here.keys() != there.keys():
        return False
    alike = all(_same_place(here[name], there[name], observation) for name in here)
    return alike and (_text(first) == _text(second) if here else encode(first) == encode(second))


def _same_place(one: Target, other: Target, observation: Observation) -> bool:
    if one == other:
        return True
    first, second = _point(one, observation), _point(other, observation)
    if first is None or second is None:
        return False
    return abs(first.x - second.x) <= NEAR and abs(first.y - second.y) <= NEAR


def _point(target: Target, observation: Observation) -> Point | None:
    if isinstance(target, Mark):
        element = observation.by_id(target.mark)
        return element.box.center if element else None
    return target if isinstance(target, Point) else None


def _text(action: object) -> tuple[object, ...]:
    return tuple(getattr(action, name, "") for name in ("text", "option", "on", "down", "right", "button"))
