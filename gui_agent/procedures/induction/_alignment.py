"""Aligns effects of several demonstrations in columns of equal steps, and selects among programs.

Each demonstration is aligned to those already aligned, the most typical one first (progressive
alignment). Aligning two effects is cheaper the more they share of what a procedure can refer to: kind,
role, name, and the value of the instruction. An effect without a counterpart costs as much as leaving it
unexplained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

from gui_agent.core.actions import Check, Click, TypeText
from gui_agent.core.aiming import places
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction._instructions import LOOKS
from gui_agent.procedures.induction._sequences import cheapest_pairs
from gui_agent.procedures.induction.effects import EDITS
from gui_agent.procedures.induction.priors import (
    ALIGN_ABOUT,
    ALIGN_APART,
    ALIGN_BASE,
    ALIGN_NAME,
    ALIGN_PATH,
    ALIGN_ROLE,
)
from gui_agent.procedures.induction.steps import ObservedEffect
from gui_agent.procedures.language.evaluate import Scope, select
from gui_agent.procedures.language.forms import list_items
from gui_agent.procedures.language.program import (
    Aim,
    Attribute,
    Captioned,
    Const,
    DoStep,
    Item,
    Mentioned,
    Program,
    Slot,
    nodes,
    slots_used,
)
from gui_agent.procedures.language.template import fit
from gui_agent.procedures.language.view import View, label_or_text
from gui_agent.procedures.language.wording import sentences
from gui_agent.procedures.recordings.from_run import complete

Column = tuple[ObservedEffect | None, ...]
"""The same step in each demonstration; None in a demonstration that lacks it."""


def align(demonstrations: Sequence[Sequence[ObservedEffect]]) -> list[Column]:
    """The effects of all demonstrations in columns; the columns keep the order of every demonstration."""
    lines = [list(map(_Features, told)) for told in in_common_order(demonstrations)]
    if len(lines) == 1:
        return [(one.told,) for one in lines[0]]
    order = _typical_first(lines)
    columns: list[dict[int, _Features]] = [{order[0]: one} for one in lines[order[0]]]
    for number in order[1:]:
        columns = _join_line(columns, lines[number], number)
    return [_as_column(column, len(lines)) for column in columns]


def _as_column(found: Mapping[int, _Features], count: int) -> Column:
    return tuple(found[number].told if number in found else None for number in range(count))


def in_common_order(demonstrations: Sequence[Sequence[ObservedEffect]]) -> list[list[ObservedEffect]]:
    """Reorder consecutive field entries to the order of the first demonstration.

    The value of one field does not depend on another, so people fill fields in any order.
    """
    named = chain.from_iterable(sorted(_Features(one).about) for one in demonstrations[0])
    order = list(dict.fromkeys(named))
    return [_order_edits(told, order) for told in demonstrations]


def _order_edits(told: Sequence[ObservedEffect], order: Sequence[str]) -> list[ObservedEffect]:
    found: list[ObservedEffect] = []
    run: list[ObservedEffect] = []
    for one in told:
        if isinstance(one.act.action, EDITS) and one.act.element is not None:
            run.append(one)
            continue
        found += [*_sort_run(run, order), one]
        run = []
    return found + _sort_run(run, order)


def _sort_run(run: list[ObservedEffect], order: Sequence[str]) -> list[ObservedEffect]:
    places = [min(map(order.index, _Features(one).about & set(order)), default=-1) for one in run]
    targets = [one.target for one in run]
    if -1 in places or len(set(places)) < len(places) or len(set(targets)) < len(targets):
        return run
    return [one for _, one in sorted(zip(places, run, strict=True), key=lambda pair: pair[0])]


@dataclass(frozen=True)
class _Features:
    """The properties of an effect that a procedure can refer to."""

    told: ObservedEffect

    @cached_property
    def names(self) -> list[str]:
        return list(self.told.scope.slots)

    @cached_property
    def kind(self) -> object:
        action = self.told.act.action
        if self.told.act.copied is not None:
            return self.told.act.shape
        # A check is a click on a box, so it can align with clicks on other elements.
        if isinstance(action, Check):
            return ("click", "left", 1, ())
        if isinstance(action, Click):
            return ("click", action.button, action.clicks, action.modifiers)
        return (action.kind, self.told.act.shape[1:] if action.kind == "press" else ())

    @cached_property
    def roles(self) -> frozenset[str]:
        return frozenset(element.role for element in self.told.act.alike)

    @cached_property
    def captions(self) -> frozenset[str]:
        act = self.told.act
        return frozenset(chain.from_iterable(map(act.view.captions, act.alike)))

    @cached_property
    def about(self) -> frozenset[str]:
        """The slots with a value, or list item, that the effect types or that names its target."""
        slots = self.told.scope.slots.items()
        return frozenset(
            name for name, value in slots if any(map(self._is_about, {value, *list_items(value)}))
        )

    def _is_about(self, text: str) -> bool:
        data = self.told.act.data
        if data is None:
            return label_or_text(text) in self.captions
        return normal(data) == normal(text) != ""

    @cached_property
    def path(self) -> tuple[str, ...]:
        element = self.told.act.element
        steps = self.told.act.view.path(element) if element is not None else ()
        return tuple(step.partition("[")[0] for step in steps)

    @property
    def doubt(self) -> float:
        return self.told.act.doubt


def _cost_of_aligning(one: _Features, other: _Features | None) -> float:
    if other is None:
        return one.doubt
    if one.kind != other.kind:
        return float("inf")
    cost = ALIGN_BASE
    cost -= ALIGN_ROLE * bool(one.roles & other.roles)
    cost -= ALIGN_NAME * bool(one.captions & other.captions)
    cost -= ALIGN_PATH * (one.path == other.path)
    both = set(one.names) & set(other.names)
    if one.about & other.about:
        cost -= ALIGN_ABOUT
    elif (one.about ^ other.about) & both:
        cost += ALIGN_APART
    return max(0.0, cost)


def _typical_first(lines: Sequence[Sequence[_Features]]) -> list[int]:
    count = len(lines)
    apart = [[0.0] * count for _ in range(count)]
    for i in range(count):
        for j in range(i):
            columns = [{0: features} for features in lines[i]]
            apart[i][j] = apart[j][i] = cheapest_pairs(_costs(columns, lines[j]))[0]
    first = min(range(count), key=lambda i: sum(apart[i]))
    return sorted(range(count), key=lambda i: (i != first, apart[first][i]))


def _costs(columns: Sequence[dict[int, _Features]], line: Sequence[_Features]) -> list[list[float]]:
    rows = [[*map(partial(_cost_in_column, column), (*line, None))] for column in columns]
    return [*rows, [*(one.doubt for one in line), 0.0]]


def _cost_in_column(column: dict[int, _Features], one: _Features | None) -> float:
    each = [_cost_of_aligning(member, one) for member in column.values()]
    return sum(each) / len(each)


def _join_line(
    columns: Sequence[dict[int, _Features]], line: Sequence[_Features], number: int
) -> list[dict[int, _Features]]:
    nothing: dict[int, _Features] = {}
    own = [*({number: one} for one in line), nothing]
    return [[*columns, nothing][i] | own[j] for i, j in cheapest_pairs(_costs(columns, line))[1]]


OUTVOTES = 2
"""More than this many agreeing demonstrations outvote a single different one."""
Group = tuple[list[Demonstration], Program]


def reliable_groups(groups: Sequence[Group], demonstrations: Sequence[Demonstration]) -> list[Group]:
    whole = _without_outvoted(groups)
    if len(whole) < 2:
        return whole
    always = frozenset.intersection(*map(_typed_texts, demonstrations))
    founded = [(members, program) for members, program in whole if _is_founded(members, program, always)]
    return _decided(founded, demonstrations)


def different(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The distinct programs, the best supported first."""
    kept: dict[object, Program] = {}
    for program in programs:
        said = (program.templates[0], *sentences(program))
        known = kept.setdefault(said, program)
        if known is not program:
            kept[said] = replace(known, demonstrations=known.demonstrations + program.demonstrations)
    return tuple(kept.values())


def _is_founded(members: Sequence[Demonstration], program: Program, always: frozenset[str]) -> bool:
    """Whether a program rests on more than a coincidence in one demonstration.

    Applies only if the demonstrations of a task could not be explained together. Then a position in a list
    or a text absent from the instruction must have had a reason that was not found.
    """
    if len(members) > 2:
        return True
    if any(one.default is not None and one.default not in always for one in program.parameters):
        return False
    if any(_always_ticked(node) for node in nodes(program.steps)):
        return False
    if any(isinstance(it, DoStep) and it.at is None and places(it.action) for it in nodes(program.steps)):
        return False
    aims = [node for node in nodes(program.steps) if isinstance(node, Aim)]
    return all(any(map(_is_reason, nodes(aim))) for aim in aims)


def _is_reason(test: object) -> bool:
    """Whether a test gives a reason for choosing the element: its name or role, not its present looks."""
    if isinstance(test, Attribute):
        return test.name not in LOOKS or not isinstance(test.text, Const)
    return isinstance(test, Captioned)


def _typed_texts(demonstration: Demonstration) -> frozenset[str]:
    done = [step.action for step in demonstration.steps]
    return frozenset(action.text for action in done if isinstance(action, TypeText))


def _always_ticked(step: object) -> bool:
    return isinstance(step, DoStep) and isinstance(step.action, Check) and not _depends(step.at)


def _depends(aim: Aim | None) -> bool:
    return any(isinstance(node, Slot | Item | Mentioned) for node in nodes(aim))


def _decided(groups: list[Group], demonstrations: Sequence[Demonstration]) -> list[Group]:
    """The groups without those that always do the same although others acted differently on the same words.

    A group stays if it has more than twice as many demonstrations as there are against it; of two equal
    groups both stay, because the person can choose. Demonstrations on whose screen it cannot begin do not
    count against it.
    """
    kept: list[Group] = []
    for members, program in groups:
        tasks = {normal(one.task) for one in members}
        same = [one for one in demonstrations if normal(one.task) in tasks and one not in members]
        against = [one for one in same if _could_begin(program, one)]
        others = [len(own) for own, _ in groups if any(map(against.__contains__, own))]
        known = len(others) == 1 and sum(others) == len(against) == len(members)
        if slots_used(*program.steps) or len(members) > OUTVOTES * len(against) or known:
            kept.append((members, program))
    return kept


def _could_begin(program: Program, other: Demonstration) -> bool:
    first = program.steps[0]
    if not isinstance(first, DoStep) or first.at is None:
        return True
    view = View.from_screen(complete(other).steps[0].screen)
    readings = [fit(template, other.task, program.parameters) for template in program.templates]
    values = next((one.values for one in readings if one is not None), {})
    return bool(select(first.at.choices[0], Scope(view, values, other.task)))


def _without_outvoted(groups: Sequence[Group]) -> list[Group]:
    """The groups without single demonstrations that took longer where most did it directly on such a screen.

    They used the same wording, and the first element of the others was present. The extra acts were
    probably slips, which a single demonstration cannot distinguish from intended acts.
    """
    return [group for group in groups if not _is_outvoted(group, groups)]


def _is_outvoted(group: Group, groups: Sequence[Group]) -> bool:
    members, program = group
    return len(members) == 1 and any(
        len(others) > OUTVOTES
        and most.templates == program.templates
        and len(most.steps) < len(program.steps)
        and _could_begin(most, members[0])
        for others, most in groups
    )
