"""The next simplest programs, kept for the moment in which the simplest one cannot go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.procedures.induction.constants import fields_as_slots
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.program import Alternative, Program
from gui_agent.procedures.language.steps import Do, Step, When
from gui_agent.procedures.language.template import slots_in
from gui_agent.procedures.language.walk import nodes, slots_used

KEPT = 2
DEARER = 9.0
"""By how much the description of a runner-up may be longer; what is less likely is no help."""


def with_runners_up(program: Program, others: Sequence[Costed[tuple[Step, ...]]]) -> Program:
    """The program with those of the other structures that may be tried in its place.

    One that leaves a slot out which the program uses would do less than what is asked for, so it is not kept.

    Args:
        others: the simplest first, as induction found them.
    """
    kept: list[Alternative] = []
    known = {parameter.name for parameter in program.parameters}
    in_text = {name for template in program.templates for name in slots_in(template)}
    used = slots_used(*program.steps)
    for other in others:
        if len(kept) == KEPT or other.cost > program.cost + DEARER:
            break
        steps, more = fields_as_slots(other.it, in_text | slots_used(*other.it))
        alike = Alternative(steps)
        if not {one.name for one in more} <= known or not slots_used(*steps) >= used:
            continue
        if _sometimes(steps) > _sometimes(program.steps):
            continue  # What is done only where it is possible does less than what is asked for.
        if _explained(steps) < _explained(program.steps):
            continue  # It takes an act for a slip that the program explains, and would leave it out.
        if steps != program.steps and alike not in kept:
            kept.append(alike)
    return replace(program, alternatives=tuple(kept))


def _explained(steps: Sequence[Step]) -> int:
    """How many acts of all demonstrations the steps stand for."""
    return sum(node.evidence for node in nodes(*steps) if isinstance(node, Do))


def _sometimes(steps: Sequence[Step]) -> int:
    return sum(isinstance(node, When) for node in nodes(*steps))
