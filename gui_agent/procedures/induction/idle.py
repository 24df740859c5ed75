"""Giving a use to slots that differ between the demonstrations but that the simplest program ignores.

A part of the instruction that differs must mean something. Where the simplest explanation of a step is a
coincidence (always the second row), the next simplest one that depends on the ignored slot is the likelier.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.expressions import Captioned, Const
from gui_agent.procedures.language.steps import Aim, DoStep, Step, Until
from gui_agent.procedures.language.walk import nodes, slots_used

Steps = tuple[Step, ...]
_PARTS = ("text", "at", "to", "times")


def with_idle_used(best: Costed[Steps], again: Costed[Steps], idle: frozenset[str]) -> Costed[Steps]:
    """The simplest program with as few parts as possible taken from the one that favours the idle slots."""
    if len(best.it) != len(again.it):
        return again if slots_used(again.it) & idle else best
    options = [(idle & slots_used(steps), steps) for steps in _variants(best.it, again.it)]
    useful = [(len(used), steps) for used, steps in options if used]
    if not useful:
        return best
    most = max(count for count, _ in useful)
    steps = min((steps for count, steps in useful if count == most), key=_size)
    found = Costed(best.cost + 1.0, steps)
    left = idle - slots_used(steps)
    return with_idle_used(found, again, left) if left and left != idle else found


def _variants(best: Steps, again: Steps) -> Iterator[Steps]:
    for index, (one, other) in enumerate(zip(best, again, strict=True)):
        if _looked_for(again, index) and best[index - 1] != again[index - 1]:
            continue  # It comes with the loop that looks for it.
        if isinstance(one, DoStep) and isinstance(other, DoStep):
            changed = [
                replace(one, **{part: getattr(other, part)})
                for part in _PARTS
                if getattr(one, part) != getattr(other, part) and not _well_named(getattr(one, part))
            ]
        else:
            changed = [other] if one != other else []  # type: ignore[list-item]
        for step in changed:
            yield (*best[:index], step, *_following(step, best[index + 1 :], again[index + 1 :]))


def _following(step: Step, rest: Steps, again: Steps) -> Steps:
    """The steps after a changed one: what a loop looked for tells like targets of the next one apart."""
    if isinstance(step, Until) and rest and _looked_for((step, *again), 1):
        acting = rest[0]
        if isinstance(acting, DoStep) and acting.at is not None:
            return (replace(acting, at=Aim((*acting.at.choices, step.shown))), *rest[1:])
    return rest


def _looked_for(steps: Steps, index: int) -> bool:
    """Whether a step acts upon what the loop before it looks for."""
    step, loop = steps[index], steps[index - 1] if index else None
    return (
        isinstance(step, DoStep)
        and step.at is not None
        and isinstance(loop, Until)
        and loop.shown == step.at.choices[0]
    )


def _well_named(part: object) -> bool:
    """Whether a target is what is always called the same: nothing to explain there."""
    if not isinstance(part, Aim):
        return False
    tests = part.choices[0].tests
    return any(isinstance(test, Captioned) and isinstance(test.text, Const) for test in tests)


def _size(steps: Steps) -> int:
    return sum(1 for _ in nodes(steps))
