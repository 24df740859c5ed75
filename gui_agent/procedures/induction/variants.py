"""Which of several programs for one task are kept: those that rest on more than chance, and do all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.core.actions import Check, TypeText, places
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.texts import normal
from gui_agent.procedures.induction.instructions import LOOKS
from gui_agent.procedures.language.evaluate import Scope, select
from gui_agent.procedures.language.expressions import Attribute, Captioned, Const, Item, Mentioned, Slot
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.steps import Aim, DoStep
from gui_agent.procedures.language.template import fit
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.walk import nodes, slots_used
from gui_agent.procedures.language.wording import sentences
from gui_agent.procedures.recordings.completing import complete

OUTVOTES = 2
"""More than so many demonstrations that agree outvote one that did otherwise."""
Group = tuple[list[Demonstration], Program]


def reliable_groups(groups: Sequence[Group], demonstrations: Sequence[Demonstration]) -> list[Group]:
    """The groups of demonstrations, with the program of each, that can be relied on.

    Args:
        demonstrations: all that were to be explained.
    """
    whole = _without_outvoted(groups)
    if len(whole) < 2:
        return whole
    always = _always_typed(demonstrations)
    founded = [(members, program) for members, program in whole if _is_founded(members, program, always)]
    return _decided(founded, demonstrations)


def different(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The programs, the best supported first, without those that say the same as another."""
    kept: dict[object, Program] = {}
    for program in programs:
        said = (program.templates[0], *sentences(program))
        known = kept.setdefault(said, program)
        if known is not program:
            kept[said] = replace(known, demonstrations=known.demonstrations + program.demonstrations)
    return tuple(kept.values())


def _is_founded(members: Sequence[Demonstration], program: Program, always: frozenset[str]) -> bool:
    """Whether a program rests on more than what one demonstration happened to be like.

    Asked only when the demonstrations of a task could not be explained together: then a place in a list or a
    text that the instruction does not give must have had a reason that was not found.
    """
    if len(members) > 2:
        return True
    if any(one.default is not None and one.default not in always for one in program.parameters):
        return False
    if any(_always_ticked(node) for node in nodes(program.steps)):
        return False
    if any(
        isinstance(node, DoStep) and node.at is None and places(node.action) for node in nodes(program.steps)
    ):
        return False
    aims = [node for node in nodes(program.steps) if isinstance(node, Aim)]
    return all(any(_is_reason(node) for node in nodes(aim)) for aim in aims)


def _is_reason(test: object) -> bool:
    """Whether a test says why an element was taken: what it is called or is, not how it happens to look."""
    if isinstance(test, Attribute):
        return test.name not in LOOKS or not isinstance(test.text, Const)
    return isinstance(test, Captioned)


def _always_typed(demonstrations: Sequence[Demonstration]) -> frozenset[str]:
    """The texts that are typed in every demonstration of a task, whatever is asked for."""
    typed = [
        frozenset(step.action.text for step in one.steps if isinstance(step.action, TypeText))
        for one in demonstrations
    ]
    return frozenset.intersection(*typed)


def _always_ticked(step: object) -> bool:
    """Whether a box is ticked or not whatever is asked for."""
    return isinstance(step, DoStep) and isinstance(step.action, Check) and not _depends(step.at)


def _depends(aim: Aim | None) -> bool:
    return any(isinstance(node, Slot | Item | Mentioned) for node in nodes(aim))


def _decided(groups: list[Group], demonstrations: Sequence[Demonstration]) -> list[Group]:
    """The groups without those that do always the same although others did otherwise for the same words.

    One that twice as many did as anything else stays, and two equal ones between which the person can be
    asked. Where the screen tells them apart, because one cannot begin on that of the others, each has its
    place.
    """
    kept: list[Group] = []
    for members, program in groups:
        tasks = {normal(one.task) for one in members}
        same = [one for one in demonstrations if normal(one.task) in tasks and one not in members]
        against = [one for one in same if _could_begin(program, one)]
        others = [len(own) for own, _ in groups if any(one in against for one in own)]
        known = len(others) == 1 and sum(others) == len(against) == len(members)
        if slots_used(*program.steps) or len(members) > OUTVOTES * len(against) or known:
            kept.append((members, program))
    return kept


def _could_begin(program: Program, other: Demonstration) -> bool:
    """Whether what a program begins with was there when somebody else began."""
    first = program.steps[0]
    if not isinstance(first, DoStep) or first.at is None:
        return True
    view = View.of(complete(other).steps[0].screen)
    readings = [fit(template, other.task, program.parameters) for template in program.templates]
    values = next((one.values for one in readings if one is not None), {})
    return bool(select(first.at.choices[0], Scope(view, values, other.task)))


def _without_outvoted(groups: Sequence[Group]) -> list[Group]:
    """The groups without single demonstrations that took longer for what most did at once on such a screen.

    They asked in the same words, and what the others began with was there: so what else was done were slips,
    which one demonstration alone cannot be told from its purpose.
    """
    return [
        (members, program)
        for members, program in groups
        if len(members) > 1
        or not any(
            len(others) > OUTVOTES
            and most.templates == program.templates
            and len(most.steps) < len(program.steps)
            and _could_begin(most, members[0])
            for others, most in groups
        )
    ]
