"""Which effects of several demonstrations are the same step: a multiple alignment in columns.

Demonstrations are aligned one after the other to what is aligned already, the most typical one first
(progressive alignment with Needleman and Wunsch's dynamic programme). Two effects go together the better, the
more they have in common in what a procedure can speak of: kind, role, name, the value of the instruction that
they are about. An effect that has no counterpart costs what it costs to leave it unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gui_agent.core.actions import Check, Click
from gui_agent.core.texts import normal
from gui_agent.procedures.induction.effects import EDITS
from gui_agent.procedures.induction.priors import (
    ALIGN_ABOUT,
    ALIGN_APART,
    ALIGN_BASE,
    ALIGN_NAME,
    ALIGN_PATH,
    ALIGN_ROLE,
)
from gui_agent.procedures.induction.steps import Told
from gui_agent.procedures.language.forms import list_items
from gui_agent.procedures.language.view import label_or_text

Column = tuple[Told | None, ...]
"""The same step in each demonstration; None where it was not done."""


def align(demonstrations: Sequence[Sequence[Told]]) -> list[Column]:
    """The effects of all demonstrations in columns, in an order that each of them keeps."""
    lines = [[_Features(one) for one in told] for told in in_common_order(demonstrations)]
    if len(lines) == 1:
        return [(one.told,) for one in lines[0]]
    order = _typical_first(lines)
    columns: list[dict[int, _Features]] = [{order[0]: one} for one in lines[order[0]]]
    for number in order[1:]:
        columns = _join_line(columns, lines[number], number)
    return [tuple(column[i].told if i in column else None for i in range(len(lines))) for column in columns]


def in_common_order(demonstrations: Sequence[Sequence[Told]]) -> list[list[Told]]:
    """The effects with fields filled in one after the other in the order of the first demonstration.

    What is filled in does not depend on what was filled in before, so people do it in any order.
    """
    order = list(dict.fromkeys(name for one in demonstrations[0] for name in sorted(_Features(one).about)))
    return [_order_edits(told, order) for told in demonstrations]


def _order_edits(told: Sequence[Told], order: Sequence[str]) -> list[Told]:
    found: list[Told] = []
    run: list[Told] = []
    for one in told:
        if isinstance(one.act.action, EDITS) and one.act.element is not None:
            run.append(one)
            continue
        found += [*_sort_run(run, order), one]
        run = []
    return found + _sort_run(run, order)


def _sort_run(run: list[Told], order: Sequence[str]) -> list[Told]:
    about = [[order.index(name) for name in _Features(one).about if name in order] for one in run]
    places = [min(own, default=-1) for own in about]
    targets = [one.target for one in run]
    if -1 in places or len(set(places)) < len(places) or len(set(targets)) < len(targets):
        return run
    return [one for _, one in sorted(zip(places, run, strict=True), key=lambda pair: pair[0])]


@dataclass(frozen=True)
class _Features:
    """What of an effect a procedure can speak of."""

    told: Told

    @cached_property
    def names(self) -> list[str]:
        return list(self.told.scope.slots)

    @cached_property
    def kind(self) -> object:
        action = self.told.act.action
        if self.told.act.copied is not None:
            return self.told.act.shape
        # A tick is a click on a box, and to be aligned with clicks on other things.
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
        return frozenset(caption for e in act.alike for caption in act.view.captions(e))

    @cached_property
    def about(self) -> frozenset[str]:
        """The slots whose value, or one of whose items, it types or is called."""
        found = set()
        data = normal(self.told.act.data or "")
        for name, value in self.told.scope.slots.items():
            for text in {value, *list_items(value)}:
                if (data and data == normal(text)) or (
                    self.told.act.data is None and label_or_text(text) in self.captions
                ):
                    found.add(name)
        return frozenset(found)

    @cached_property
    def path(self) -> tuple[str, ...]:
        element = self.told.act.element
        steps = self.told.act.view.path(element) if element is not None else ()
        return tuple(step.partition("[")[0] for step in steps)

    @property
    def doubt(self) -> float:
        return self.told.act.doubt


def _cost(one: _Features, other: _Features) -> float:
    """What it costs to take two effects for the same step; infinite when they are of different kinds."""
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
    """The demonstrations in the order in which they are aligned: the one nearest to all others first."""
    count = len(lines)
    apart = [[0.0] * count for _ in range(count)]
    for i in range(count):
        for j in range(i):
            apart[i][j] = apart[j][i] = _distance(lines[i], lines[j])
    first = min(range(count), key=lambda i: sum(apart[i]))
    return sorted(range(count), key=lambda i: (i != first, apart[first][i]))


def _distance(one: Sequence[_Features], other: Sequence[_Features]) -> float:
    return _best([{0: features} for features in one], other)[0][0][0]


def _profile_cost(column: dict[int, _Features], one: _Features) -> float:
    return sum(_cost(member, one) for member in column.values()) / len(column)


def _best(
    columns: Sequence[dict[int, _Features]], line: Sequence[_Features]
) -> tuple[list[list[float]], list[list[float]]]:
    """The costs of aligning all that follows from each place on, and of each pair."""
    pairs = [[_profile_cost(column, one) for one in line] for column in columns]
    gaps = [sum(m.doubt for m in column.values()) / len(column) for column in columns]
    best = [[0.0] * (len(line) + 1) for _ in range(len(columns) + 1)]
    for i in range(len(columns), -1, -1):
        for j in range(len(line), -1, -1):
            options = []
            if i < len(columns):
                options.append(gaps[i] + best[i + 1][j])
            if j < len(line):
                options.append(line[j].doubt + best[i][j + 1])
            if i < len(columns) and j < len(line):
                options.append(pairs[i][j] + best[i + 1][j + 1])
            best[i][j] = min(options, default=0.0)
    return best, pairs


def _join_line(
    columns: Sequence[dict[int, _Features]], line: Sequence[_Features], number: int
) -> list[dict[int, _Features]]:
    best, pairs = _best(columns, line)
    found: list[dict[int, _Features]] = []
    i = j = 0
    while i < len(columns) or j < len(line):
        if i < len(columns) and j < len(line) and best[i][j] == pairs[i][j] + best[i + 1][j + 1]:
            found.append({**columns[i], number: line[j]})
            i, j = i + 1, j + 1
        elif j < len(line) and best[i][j] == line[j].doubt + best[i][j + 1]:
            found.append({number: line[j]})
            j += 1
        else:
            found.append(columns[i])
            i += 1
    return found
