"""Two runs side by side, and the first fault of a run, without asking a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.agent.limits import action_key, identity
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Step, Trajectory
from gui_agent.elements.describe import describe_step


@dataclass(frozen=True, slots=True)
class Pair:
    """The actions of two runs on the same screen; one is None if only the other run was there."""

    one: Step | None
    other: Step | None

    @property
    def same(self) -> bool:
        """Whether both runs did the same there."""
        return self.one is not None and self.other is not None and _act_of(self.one) == _act_of(self.other)


@dataclass(frozen=True, slots=True)
class WrongTurn:
    """The first fault of a run."""

    step: int
    why: str


def align(one: Sequence[Step], other: Sequence[Step]) -> list[Pair]:
    """The steps of two runs, those on the same screen beside each other, as many as keep their order."""
    states = [identity(step.before) for step in one], [identity(step.before) for step in other]
    longest = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for here in reversed(range(len(one))):
        for there in reversed(range(len(other))):
            longest[here][there] = (
                longest[here + 1][there + 1] + 1
                if states[0][here] == states[1][there]
                else max(longest[here + 1][there], longest[here][there + 1])
            )
    pairs: list[Pair] = []
    here = there = 0
    while here < len(one) or there < len(other):
        if here < len(one) and there < len(other) and states[0][here] == states[1][there]:
            pairs.append(Pair(one[here], other[there]))
            here, there = here + 1, there + 1
        elif there == len(other) or (
            here < len(one) and longest[here + 1][there] >= longest[here][there + 1]
        ):
            pairs.append(Pair(one[here], None))
            here += 1
        else:
            pairs.append(Pair(None, other[there]))
            there += 1
    return pairs


def first_difference(pairs: Sequence[Pair]) -> int | None:
    """The index of the first pair that is not the same; None if all are."""
    return next((place for place, pair in enumerate(pairs) if not pair.same), None)


def first_fault(run: Trajectory, other: Trajectory | None = None) -> WrongTurn | None:
    """The first fault of a run; None if there is none.

    A fault is a step that failed or was not as expected, an action repeated on the very same screen, or a
    screen on which the other run never was.
    """
    visited = (
        {identity(screen) for step in other.steps for screen in (step.before, step.after)} if other else None
    )
    done: set[tuple[str, str]] = set()
    for step in run.steps:
        if not step.outcome.good:
            return WrongTurn(step.number, f"{step.outcome.kind}: {shorten(step.outcome.summary, 160)}")
        pair = identity(step.before), _act_of(step)
        if pair in done:
            return WrongTurn(step.number, "the same action on the same screen as before: a cycle")
        done.add(pair)
        if visited is not None and identity(step.after) not in visited:
            return WrongTurn(step.number, "it leads to a screen on which the other run never was")
    return None


def _act_of(step: Step) -> str:
    return action_key(step.action) if step.action is not None else describe_step(step)


def side_by_side(pairs: Sequence[Pair]) -> list[tuple[str, str, str]]:
    """A line for each pair: a mark at the first difference, and the action of each run."""
    parted = first_difference(pairs)
    return [
        (">" if place == parted else "" if pair.same else "|", _line(pair.one), _line(pair.other))
        for place, pair in enumerate(pairs)
    ]


def _line(step: Step | None) -> str:
    return f"{step.number}. {shorten(describe_step(step), 100)} ({step.outcome.kind})" if step else ""
