"""Finding the structure of a procedure: which acts are single steps, which are rounds of a loop.

A search over the demonstrations in step with each other: at every place either the next act of all of
them is one step, or the next few acts of each are rounds of one loop. Of all structures that explain all
demonstrations the one with the shortest description wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.demos.induce.blocks import (
    MOST_WHENS,
    Block,
    about,
    every,
    for_each,
    steer,
    survey,
    until,
    when,
)
from gui_agent.demos.induce.cases import Costed
from gui_agent.demos.induce.copying import remembered
from gui_agent.demos.induce.narrowing import narrow
from gui_agent.demos.induce.sequences import Told, Unexplained, explain
from gui_agent.demos.numbers import list_items
from gui_agent.demos.steps import Do, Remember, Step

REPEATED = 3.0
"""What it costs to take the same act twice in a row for two steps instead of a loop."""
_PLAIN = 2.2
"""A step cheaper than this is explained well enough without a loop."""
EFFORT = 300
"""Most places to look at; beyond that the demonstrations count as not explained."""

Offsets = tuple[int, ...]
_Place = tuple[Offsets, int]
"""How far each demonstration has come, and how many things that may be left out there may still be."""


@dataclass(frozen=True)
class Structures:
    """The simplest structure that explains all demonstrations, and the runners-up, the simplest first."""

    best: Costed[tuple[Step, ...]]
    others: tuple[Costed[tuple[Step, ...]], ...]
    """They differ from the best one at one place and in what follows from it."""


def structures(told: Sequence[Sequence[Told]]) -> Structures:
    """The structures that explain all demonstrations.

    Raises:
        Unexplained: none does.
    """
    search = _Search(told)
    start = (tuple(0 for _ in told), MOST_WHENS)
    best = search.best(*start)
    return Structures(best, tuple(sorted(search.others(start), key=lambda other: other.cost)))


@dataclass(frozen=True)
class _Option:
    """One way to go on from a place, with all that follows."""

    whole: Costed[tuple[Step, ...]]
    first: float
    """What its first step costs."""
    onward: _Place


class _Search:
    def __init__(self, told: Sequence[Sequence[Told]]) -> None:
        self.told = told
        self._options: dict[_Place, list[_Option]] = {}
        self._known: dict[tuple[Offsets, int], Costed[tuple[Step, ...]] | Unexplained] = {}
        self._steps: dict[Offsets, Costed[Do] | Costed[Remember] | Unexplained] = {}

    def best(self, at: Offsets, whens: int) -> Costed[tuple[Step, ...]]:
        """The simplest steps from these places to the end of each demonstration.

        Args:
            whens: how many things that may be left out there may be.

        Raises:
            Unexplained: there are none.
        """
        key = (at, whens)
        if key not in self._known:
            if len(self._known) > EFFORT:
                raise Unexplained("the demonstrations are too different")
            self._known[key] = self._search(at, whens)
        found = self._known[key]
        if isinstance(found, Unexplained):
            raise found
        return found

    def _search(self, at: Offsets, whens: int) -> Costed[tuple[Step, ...]] | Unexplained:
        left = self.left(at)
        if not any(left):
            return Costed(0.0, ())
        reason = Unexplained("the demonstrations differ in length")
        options: list[_Option] = []
        if all(left):
            try:
                step = self.step(at)
                options.append(self._option(step, (tuple(place + 1 for place in at), whens)))
            except Unexplained as error:
                reason = error
        if not options or self._looks_repeated(left, step.cost):
            whens_here = 0 if options else whens
            options += self._with_blocks(at, left, whens, whens_here)
        self._options[(at, whens)] = sorted(options, key=lambda option: option.whole.cost)
        return self._options[(at, whens)][0].whole if options else reason

    def _option(self, step: Costed[Any], onward: _Place) -> _Option:
        rest = self.best(*onward)
        return _Option(Costed(step.cost + rest.cost, (step.it, *rest.it)), step.cost, onward)

    def others(self, start: _Place) -> Iterator[Costed[tuple[Step, ...]]]:
        """The structures that part from the best one at one place, among those that were looked at."""
        before: tuple[Step, ...] = ()
        cost, place = 0.0, start
        while options := self._options.get(place):
            for other in options[1:]:
                yield Costed(cost + other.whole.cost, (*before, *other.whole.it))
            before, cost, place = (
                (*before, options[0].whole.it[0]),
                cost + options[0].first,
                options[0].onward,
            )

    def left(self, at: Offsets) -> list[Sequence[Told]]:
        """What is left of each demonstration."""
        return [acts[place:] for acts, place in zip(self.told, at, strict=True)]

    def step(self, at: Offsets) -> Costed[Do] | Costed[Remember]:
        """The next act of all demonstrations as one step.

        Raises:
            Unexplained: it is not the same step in all of them.
        """
        if at not in self._steps:
            try:
                column = [acts[place] for acts, place in zip(self.told, at, strict=True)]
                copied = column[0].act.copied is not None
                self._steps[at] = remembered(column) if copied else explain(column)
            except Unexplained as error:
                self._steps[at] = error
        found = self._steps[at]
        if isinstance(found, Unexplained):
            raise found
        again = [
            place > 0 and acts[place].alike(acts[place - 1])
            for acts, place in zip(self.told, at, strict=True)
        ]
        return replace(found, cost=found.cost + REPEATED) if any(again) else found

    def _looks_repeated(self, left: Sequence[Sequence[Told]], cost: float) -> bool:
        """Whether a loop is worth trying although the next act has an explanation of this cost."""
        if len({len(acts) for acts in left}) > 1 or _names_a_list(left):
            return True
        if any(acts[0].act.scrolled for acts in left if acts):
            return True
        followed = [(acts[0], acts[1]) for acts in left if len(acts) > 1]
        if any(one.alike(two) for one, two in followed):
            return True
        return cost > _PLAIN and any(one.act.shape == two.act.shape for one, two in followed)

    def _with_blocks(
        self, at: Offsets, left: Sequence[Sequence[Told]], whens: int, whens_here: int
    ) -> list[_Option]:
        found: list[_Option] = []
        before = [acts[place - 1] if place else None for acts, place in zip(self.told, at, strict=True)]
        for block in self._blocks(left, before, whens_here):
            try:
                onward = tuple(place + used for place, used in zip(at, block.used, strict=True))
                rest = self.best(onward, whens - block.optional)
                step = block.finish(rest.it)
            except Unexplained:
                continue
            found.append(self._option(step, (onward, whens - block.optional)))
        return found

    def _blocks(
        self, left: Sequence[Sequence[Told]], before: Sequence[Told | None], whens: int
    ) -> Iterator[Block]:
        yield from for_each(left)
        yield from steer(left)
        yield from until(left)
        yield from every(left)
        yield from narrow(left)
        yield from survey(left)
        if whens:
            yield from when(left, before)


def _names_a_list(left: Sequence[Sequence[Told]]) -> bool:
    """Whether the next act is about one of several things that the instruction lists.

    There may be another number of them the next time.
    """
    return any(
        "," in value and any(about(acts[0], item) for item in list_items(value))
        for acts in left
        if acts
        for value in acts[0].scope.slots.values()
    )
