"""Which of several programs for one task are kept: those that rest on more than chance, and do all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.core.actions import Check, Click, TypeText, places
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.texts import normal
from gui_agent.elements.text import words
from gui_agent.procedures.induction.effects import Effect, effects
from gui_agent.procedures.induction.instructions import LOOKS
from gui_agent.procedures.language.evaluate import Scope, select, the_one, value_of
from gui_agent.procedures.language.expressions import Attribute, Captioned, Const, Item, Mentioned, Slot
from gui_agent.procedures.language.forms import distance_to
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.steps import Aim, DoStep, Steer, Step
from gui_agent.procedures.language.template import FLOOR, fit
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
    whole = _without_outvoted(_without_shortened(groups))
    if len(whole) < 2:
        return whole
    always = _always_typed(demonstrations)
    founded = [(members, program) for members, program in whole if _is_founded(members, program, always)]
    begun = [group for group in founded if any(_goes_on(other, group[1]) for _, other in founded)]
    unfinished = [one for members, _ in begun for one in members]
    rest = [one for one in demonstrations if one not in unfinished]
    return _decided([group for group in founded if group not in begun], rest)


def _goes_on(longer: Program, shorter: Program) -> bool:
    """Whether a program does the same and then something more that the very words of the task name."""
    count = len(shorter.steps)
    if longer.steps[:count] != shorter.steps and not _same(longer.steps[:count], shorter.steps):
        return False
    said = set(words(longer.templates[0]))
    more = [node for step in longer.steps[count:] for node in nodes(step) if isinstance(node, Captioned)]
    named = [set(words(one.text.text)) for one in more if isinstance(one.text, Const)]
    return longer.templates == shorter.templates and any(name and name <= said for name in named)


def _same(some: Sequence[Step], others: Sequence[Step]) -> bool:
    """Whether steps do the same, whatever is expected of them."""

    def told(step: Step) -> object:
        if not isinstance(step, DoStep):
            return step
        return (step.action.kind, step.at and step.at.choices[0], step.to, step.text, step.times)

    return len(some) == len(others) and all(map(lambda one, other: told(one) == told(other), some, others))


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


def _without_shortened(groups: Sequence[Group]) -> list[Group]:
    """The groups without single demonstrations in which a part of another group's procedure was idle."""
    several = [program for members, program in groups if len(members) > 1]
    return [
        (members, program)
        for members, program in groups
        if len(members) > 1 or not any(is_shortened(members[0], other) for other in several)
    ]


def is_shortened(demonstration: Demonstration, program: Program) -> bool:
    """Whether a demonstration does what the program says, without steering what is right already.

    A click right before the steering only takes hold of the control, so it may be missing with it.
    """
    shown = effects(complete(demonstration))
    if not shown:
        return False
    for template in program.templates:
        reading = fit(template, demonstration.task, program.parameters)
        if reading is None or reading.score < FLOOR or reading.ambiguous:
            continue
        scope = Scope(shown[0].view, reading.values, demonstration.task)
        left = _without_idle_steering(program.steps, scope)
        if len(left) < len(program.steps) and _are_done(left, shown, scope):
            return True
    return False


def _without_idle_steering(steps: Sequence[Step], scope: Scope) -> list[Step]:
    left: list[Step] = []
    for step in steps:
        if isinstance(step, Steer) and _idle(step, scope):
            if left and isinstance(left[-1], DoStep) and isinstance(left[-1].action, Click):
                left.pop()
            continue
        left.append(step)
    return left


def _idle(steer: Steer, scope: Scope) -> bool:
    now, goal = value_of(steer.reading, scope), value_of(steer.goal, scope)
    return now is not None and goal is not None and distance_to(now, goal) == 0


def _are_done(steps: Sequence[Step], shown: Sequence[Effect], scope: Scope) -> bool:
    """Whether the steps are the very acts."""
    if len(steps) != len(shown):
        return False
    for step, act in zip(steps, shown, strict=True):
        here = scope.on(act.view)
        if not isinstance(step, DoStep) or step.action.kind != act.action.kind or step.at is None:
            return False
        meant = the_one(step.at.choices[0], here)
        if meant is None or act.element is None or meant.id != act.element.id:
            return False
        if act.data is not None and (step.text is None or value_of(step.text, here) != act.data):
            return False
    return True
