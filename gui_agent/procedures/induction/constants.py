"""Constant texts of a procedure as slots, so that they can be given by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.core.actions import Choose, TypeText, Upload
from gui_agent.procedures.induction.instructions import slug, unique
from gui_agent.procedures.language.expressions import Const, Slot
from gui_agent.procedures.language.program import SlotParameter
from gui_agent.procedures.language.steps import DoStep, Step

_OWN_VALUE = (TypeText, Choose, Upload)


def fields_as_slots(
    steps: Sequence[Step], taken: set[str]
) -> tuple[tuple[Step, ...], tuple[SlotParameter, ...]]:
    """Constant texts put into fields as slots with the constant as default, so they can be given by name."""
    changed: list[Step] = []
    more: list[SlotParameter] = []
    for step in steps:
        if (
            not isinstance(step, DoStep)
            or not isinstance(step.action, _OWN_VALUE)
            or not isinstance(step.text, Const)
        ):
            changed.append(step)
            continue
        at = step.action.at
        called = slug((at.name or at.label) if at is not None else "") or "text"
        name = unique(called, {*taken, *(p.name for p in more)})
        default = step.text.text
        more.append(SlotParameter(name, "text", default, (default,)))
        expect = tuple(
            replace(e, text=Slot(name)) if e.what == "value" and e.text == step.text else e
            for e in step.expect
        )
        changed.append(replace(step, text=Slot(name), expect=expect))
    return tuple(changed), tuple(more)
