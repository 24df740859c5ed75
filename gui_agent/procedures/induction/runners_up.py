"""What may be given by name, and what is done for each of several where one was shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from gui_agent.core.actions import Check, Choose, TypeText, Upload
from gui_agent.procedures.induction.instructions import slug, unique
from gui_agent.procedures.language.expressions import Const, Item, Slot
from gui_agent.procedures.language.steps import (
    Aim,
    Alternative,
    DoStep,
    ForEach,
    Program,
    SlotParameter,
    Step,
    nodes,
    slots_used,
)

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


def with_one_by_one(program: Program) -> Program:
    """The program with another way: what was chosen or ticked done for each item of a list."""
    steps = _one_by_one(program)
    return program if steps is None else replace(program, alternatives=(Alternative(steps),))


def _one_by_one(program: Program) -> tuple[Step, ...] | None:
    """The steps with what was chosen or ticked done for each item of a list; None where nothing was.

    Tried only where the value as a whole is not on the screen: who showed one item asks for several later.
    """
    steps = list(program.steps)
    for index, step in enumerate(steps):
        if not isinstance(step, DoStep) or not isinstance(step.action, Choose | Check) or step.at is None:
            continue
        if isinstance(step.action, Check) and not step.action.on:
            continue
        named = [node for node in nodes(step.at, step.text) if isinstance(node, Slot)]
        if len({node.name for node in named}) != 1 or slots_used(*steps[:index], *steps[index + 1 :]) & {
            named[0].name
        }:
            continue
        steps[index] = ForEach(named[0], (_of_items(step, named[0]),))
        return tuple(steps)
    return None


def _of_items(step: DoStep, slot: Slot) -> DoStep:
    """A step with the item of the loop in place of a slot; what was expected of the one value falls away."""
    at = step.at and Aim(tuple(_with_item(choice, slot) for choice in step.at.choices))
    return replace(step, at=at, text=_with_item(step.text, slot), expect=())


_T = TypeVar("_T")


def _with_item(node: _T, slot: Slot) -> _T:
    """An expression with the item of a loop wherever the slot stands."""
    if node == slot:
        return cast("_T", Item())
    if isinstance(node, tuple):
        return cast("_T", tuple(_with_item(one, slot) for one in node))
    if is_dataclass(node) and not isinstance(node, type):
        changed = {
            item.name: _with_item(getattr(node, item.name), slot) for item in fields(node) if item.init
        }
        return cast("_T", replace(cast(Any, node), **changed))
    return node
