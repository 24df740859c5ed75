"""Telling procedures of the same wording apart by which of them can begin on the present screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gui_agent.demos.evaluate import Scope, select
from gui_agent.demos.language import Do
from gui_agent.demos.program import Program
from gui_agent.demos.view import View
from gui_agent.demos.walk import slots_used


@dataclass(frozen=True, slots=True)
class Opening:
    """The first target of a procedure on the present screen."""

    there: bool
    """Whether it is there, and only once."""
    asked: frozenset[str]
    """The slots whose values it was found by."""


def opening(program: Program, values: Mapping[str, str], view: View, instruction: str) -> Opening | None:
    """How a procedure would begin; None when its first step aims at nothing, which tells nothing."""
    first = program.steps[0] if program.steps else None
    if not isinstance(first, Do) or first.at is None:
        return None
    selector = first.at.choices[0]
    found = select(selector, Scope(view, values, instruction))
    return Opening(len(found) == 1, slots_used(selector))


def first_that_opens(openings: list[Opening | None]) -> int | None:
    """Which of several procedures the screen speaks for; None when it does not decide.

    The only one whose first target is there; or the one whose first target was found by all that the first
    targets of the others were found by and by more of the instruction besides, because what it names
    is there already.
    """
    if any(one is None for one in openings):
        return None
    possible = [(number, one) for number, one in enumerate(openings) if one is not None and one.there]
    for number, one in possible:
        if all(one.asked > other.asked for place, other in possible if place != number):
            return number
    return None
