"""The slots of a learned program: what may be given for each, and which of them make a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gui_agent.core.texts import normal
from gui_agent.procedures.induction.constants import fields_as_slots
from gui_agent.procedures.induction.instructions import type_of
from gui_agent.procedures.induction.priors import FINE
from gui_agent.procedures.language.expressions import Table
from gui_agent.procedures.language.program import Program, SlotParameter
from gui_agent.procedures.language.steps import DoStep, ForEach, Step, When
from gui_agent.procedures.language.template import slots_in
from gui_agent.procedures.language.walk import nodes, slots_used


def with_parameters(
    program: Program, values: Sequence[Mapping[str, str]], slots: Sequence[Mapping[str, str]]
) -> Program:
    """Declare the slots; constants of a single demonstration become slots named after their fields."""
    templates = _without_idle_slots(program, values)
    program = replace(program, templates=templates)
    in_text = {name for template in templates for name in slots_in(template)}
    in_steps = slots_used(*program.steps, program.answer)
    # What only something that may be left out depends upon does not say what the procedure does.
    used = slots_used(*(s for s in program.steps if not isinstance(s, When)), program.answer)
    lists = _list_slots(program.steps)
    sure = _explained_throughout(program)
    declared: list[SlotParameter] = []
    for name in sorted(in_text | in_steps):
        examples = tuple(dict.fromkeys(own[name] for own in slots if own.get(name)))
        kind = "list" if name in lists else type_of(examples) if examples else "text"
        default = None if name in in_text or not examples else examples[0]
        # Where many that differ in it were all done the same way, it makes no difference.
        idle = name not in used and not (sure and len(examples) > 3)
        declared.append(SlotParameter(name, kind, default, examples[:5], used=not idle))
    steps, more = fields_as_slots(program.steps, {p.name for p in declared})
    return replace(program, steps=steps, parameters=(*declared, *more))


def _explained_throughout(program: Program) -> bool:
    """Whether each step was learned from all demonstrations, without a slip."""
    if any(isinstance(node, Table) for node in nodes(program.steps)):
        return False  # A table repeats what was shown and explains nothing.
    return program.cost < FINE * len(program.steps) and agreed(program)


def agreed(program: Program) -> bool:
    """Whether each step was shown by all demonstrations; of four and more, by all but one."""
    steps = [node for node in nodes(program.steps) if isinstance(node, DoStep)]
    least = program.demonstrations - (program.demonstrations >= 4)
    return all(one.evidence >= least for one in steps)


def _without_idle_slots(program: Program, values: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Templates in which slots that no step uses and that never differ are plain words again."""
    used = slots_used(*program.steps, program.answer)
    templates = program.templates
    for name in {name for own in values for name in own} - used:
        seen = {own.get(name, "") for own in values}
        if len({normal(text) for text in seen}) == 1:
            text = seen.pop()
            templates = tuple(
                t.replace(f"{{{name}}}", text.replace("{", "(").replace("}", ")")) for t in templates
            )
    return tuple(dict.fromkeys(templates))


def _list_slots(steps: Sequence[Step]) -> set[str]:
    found: set[str] = set()
    for step in steps:
        if isinstance(step, ForEach):
            found |= slots_used(step.items)
    return found
