"""Demonstrations in which a part of the procedure had nothing to do and was left out."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.core.actions import Click
from gui_agent.core.demonstration import Demonstration
from gui_agent.procedures.induction.effects import Effect, effects
from gui_agent.procedures.language.evaluate import Scope, the_one, value_of
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.steps import Do, Steer, Step
from gui_agent.procedures.language.template import FLOOR, fit
from gui_agent.procedures.recordings.completing import completed
from gui_agent.procedures.runtime.machine import compared


def shortened(demonstration: Demonstration, program: Program) -> bool:
    """Whether a demonstration does what the program says, without steering what is right already.

    A click right before the steering only takes hold of the control, so it may be missing with it.
    """
    shown = effects(completed(demonstration))
    if not shown:
        return False
    for template in program.templates:
        reading = fit(template, demonstration.task, program.parameters)
        if reading is None or reading.score < FLOOR or reading.ambiguous:
            continue
        scope = Scope(shown[0].view, reading.values, demonstration.task)
        left = _without_idle_steering(program.steps, scope)
        if len(left) < len(program.steps) and _done(left, shown, scope):
            return True
    return False


def _without_idle_steering(steps: Sequence[Step], scope: Scope) -> list[Step]:
    left: list[Step] = []
    for step in steps:
        if isinstance(step, Steer) and _idle(step, scope):
            if left and isinstance(left[-1], Do) and isinstance(left[-1].action, Click):
                left.pop()
            continue
        left.append(step)
    return left


def _idle(steer: Steer, scope: Scope) -> bool:
    now, goal = value_of(steer.reading, scope), value_of(steer.goal, scope)
    return now is not None and goal is not None and compared(now, goal) == 0


def _done(steps: Sequence[Step], shown: Sequence[Effect], scope: Scope) -> bool:
    """Whether the steps are the very acts."""
    if len(steps) != len(shown):
        return False
    for step, act in zip(steps, shown, strict=True):
        here = scope.on(act.view)
        if not isinstance(step, Do) or step.action.kind != act.action.kind or step.at is None:
            return False
        meant = the_one(step.at.choices[0], here)
        if meant is None or act.element is None or meant.id != act.element.id:
            return False
        if act.data is not None and (step.text is None or value_of(step.text, here) != act.data):
            return False
    return True
