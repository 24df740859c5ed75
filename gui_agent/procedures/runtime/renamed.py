"""Buttons that are called otherwise than in the demonstrations, but as the instruction itself says."""

from __future__ import annotations

from gui_agent.core.observation import Element
from gui_agent.procedures.language.evaluate import Scope, mentioned, select
from gui_agent.procedures.language.expressions import Captioned, Const, HasRole, Selector
from gui_agent.procedures.language.steps import DoStep
from gui_agent.procedures.runtime.code import Instruction

_PRESSED = frozenset({"button", "link", "menuitem"})


def named_in_wording(selector: Selector, code: tuple[Instruction, ...], scope: Scope) -> Element | None:
    """The one button that the instruction names where a step wants one that is not there.

    `Enter ... and press Login` where the demonstrations had a button OK. What the instruction gives as a
    value names no button, and what another step is about is not taken for this one.
    """
    roles = {test.role for test in selector.tests if isinstance(test, HasRole)} & _PRESSED
    if not roles or not _called_by_a_constant(selector):
        return None
    wording = scope.instruction
    for value in scope.slots.values():
        wording = wording.replace(value, " ")
    steps = [one.step for one in code if isinstance(one.step, DoStep) and one.step.at is not None]
    taken = {e.id for step in steps if step.at for e in select(step.at.choices[0], scope)}
    found = [
        element
        for element in scope.view.elements
        if element.role in roles and element.id not in taken and mentioned(element.name, wording)
    ]
    return found[0] if len(found) == 1 else None


def _called_by_a_constant(selector: Selector) -> bool:
    """Whether a selector says what a thing is called whatever is asked for."""
    return any(isinstance(test, Captioned) and isinstance(test.text, Const) for test in selector.tests)
