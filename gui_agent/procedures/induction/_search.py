"""Searches for the cheapest program that explains all demonstrations, and adds parameters and per-item steps.

A dynamic programme from the last column to the first. At every column, either one step or a slip follows,
or the next few columns are the rounds of a loop; each choice costs its description and what it leaves
unexplained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from gui_agent.core.actions import Check, Choose, TypeText, Upload
from gui_agent.procedures.induction import priors
from gui_agent.procedures.induction._alignment import Column
from gui_agent.procedures.induction._instructions import slug, unique
from gui_agent.procedures.induction.copying import remember
from gui_agent.procedures.induction.loops import BY_THEMSELVES, Range, until, when
from gui_agent.procedures.induction.steps import ObservedEffect, Unexplained, explain
from gui_agent.procedures.language.constructs import Costed, constructs
from gui_agent.procedures.language.program import (
    Aim,
    Alternative,
    Const,
    DoStep,
    Expected,
    ForEach,
    Item,
    Program,
    Remember,
    Slot,
    SlotParameter,
    Step,
    nodes,
    slots_used,
)

MOST_WHENS = 2
"""Maximum optional blocks in one program."""
MOST_LEFT_OUT = 0.4
"""Maximum share of possibly effective acts that a program may leave unexplained."""
LONGEST = 40
"""Maximum columns of one loop."""
_ALONE = 2.2
"""A step cheaper than this needs no loop to explain it."""

Steps = tuple[Step, ...]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Continuation:
    """One way to continue from a column, with everything that follows."""

    whole: Costed[Steps]
    first: Costed[Step] | None
    onward: tuple[int, int]
    noise: tuple[int, ...] = ()


class ProgramSearch:
    """The programs for columns of aligned effects."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.count = len(columns[0]) if columns else 0
        self._options: dict[tuple[int, int], list[Continuation]] = {}
        self._loops: dict[tuple[int, int], list[Costed[Step]]] = {}
        self._explained: dict[object, Costed[Any] | Unexplained] = {}
        """Cached explanations, by range or by acts; the error if there is none."""

    def best(self, at: int = 0, whens: int = MOST_WHENS) -> Continuation | None:
        """The cheapest way from a column to the end; None at the end."""
        if at == len(self.columns):
            return None
        found = self.options(at, whens)
        return found[0]

    def options(self, at: int, whens: int) -> list[Continuation]:
        """All ways to continue from a column, the cheapest first."""
        key = (at, whens)
        if key not in self._options:
            self._options[key] = sorted(self._ways(at, whens), key=lambda option: option.whole.cost)
        return self._options[key]

    def _rest(self, at: int, whens: int) -> Costed[Steps]:
        option = self.best(at, whens)
        return Costed(0.0, ()) if option is None else option.whole

    def _ways(self, at: int, whens: int) -> Iterator[Continuation]:
        column = self.columns[at]
        present = [one for one in column if one is not None]
        plain: float | None = None
        if len(present) > priors.OUTVOTED * self.count or len(present) == self.count:
            try:
                step = self._step(at)
                extra = priors.MISSING * (self.count - len(present))
                plain = step.cost + extra
                yield self._option(Costed(plain, step.it), (at + 1, whens))
            except Unexplained:
                pass
        rest = self._rest(at + 1, whens)
        yield Continuation(
            Costed(rest.cost + self._price_of_slip(present), rest.it), None, (at + 1, whens), (at,)
        )
        yield from self._blocks(at, whens, plain)

    def _price_of_slip(self, present: Sequence[ObservedEffect]) -> float:
        shared = len(present) == self.count
        doubt = sum(one.act.doubt for one in present)
        alone = self.count == 1 and doubt >= priors.CERTAIN
        return doubt + (priors.SHARED if shared else 0.0) + (priors.LOST if alone else 0.0)

    def _option(self, step: Costed[Step], onward: tuple[int, int]) -> Continuation:
        rest = self._rest(*onward)
        return Continuation(Costed(step.cost + rest.cost, (step.it, *rest.it)), step, onward)

    def _step(self, at: int) -> Costed[Step]:
        return self._explain_once(at, lambda: self._explain(at))

    def _explain_once(self, key: object, explanation: Callable[[], Costed[_T]]) -> Costed[_T]:
        if key not in self._explained:
            try:
                self._explained[key] = explanation()
            except Unexplained as error:
                self._explained[key] = error
        found = self._explained[key]
        if isinstance(found, Unexplained):
            raise found
        return found

    def _explain(self, at: int) -> Costed[Step]:
        present = [one for one in self.columns[at] if one is not None]
        copied = present[0].act.copied is not None
        found: Costed[DoStep] | Costed[Remember] = remember(present) if copied else explain(present)
        before = self.columns[at - 1] if at else ()
        again = any(
            one is not None and other is not None and one.alike(other)
            for one, other in zip(before, self.columns[at], strict=False)
        )
        return Costed(found.cost + (priors.REPEATED if again else 0.0), found.it)

    def _blocks(self, at: int, whens: int, plain: float | None) -> Iterator[Continuation]:
        for end in range(at + 1, min(len(self.columns), at + LONGEST) + 1):
            if not self._is_worth_a_loop(at, end, plain):
                continue
            for step in self._by_themselves(at, end):
                yield self._option(step, (end, whens))
            rest = self._rest(end, whens)
            yield from self._options_of(until(self._range(at, end, rest.it)), (end, whens))
            if whens and end - at <= 4:
                rest = self._rest(end, whens - 1)
                yield from self._options_of(when(self._range(at, end, rest.it)), (end, whens - 1))

    def _by_themselves(self, at: int, end: int) -> list[Costed[Step]]:
        """The loops that explain a range regardless of what follows it."""
        if (at, end) not in self._loops:
            found: list[Costed[Step]] = []
            block = self._range(at, end, ())
            for hypothesis in [*BY_THEMSELVES, *(loop.propose for loop in constructs().loops.values())]:
                with suppress(Unexplained):
                    found += hypothesis(block)
            self._loops[at, end] = found
        return self._loops[at, end]

    def _remembering(self, told: Sequence[ObservedEffect]) -> Costed[DoStep]:
        key = tuple((id(one.act), one.scope.tried, one.scope.item) for one in told)
        return self._explain_once(key, lambda: explain(told))

    def _is_worth_a_loop(self, at: int, end: int, plain: float | None) -> bool:
        first = self.columns[at]
        if end - at > 1 or None in first or plain is None or plain > _ALONE:
            return True
        return any(one is not None and (one.act.scrolled or _lists(one)) for one in first)

    def _options_of(self, steps: Iterator[Costed[Step]], onward: tuple[int, int]) -> Iterator[Continuation]:
        try:
            for step in steps:
                yield self._option(step, onward)
        except Unexplained:
            return

    def _range(self, at: int, end: int, rest: Steps) -> Range:
        runs: list[list[ObservedEffect]] = [[] for _ in range(self.count)]
        for column in self.columns[at:end]:
            for number, one in enumerate(column):
                if one is not None:
                    runs[number].append(one)
        before: list[ObservedEffect | None] = [None] * self.count
        for column in self.columns[:at]:
            before = [one or then for one, then in zip(column, before, strict=True)]
        following: list[ObservedEffect | None] = [None] * self.count
        for column in reversed(self.columns[end:]):
            following = [one or then for one, then in zip(column, following, strict=True)]
        return Range(runs, before, following, rest, self._remembering)


def _lists(one: ObservedEffect) -> bool:
    return any("," in value for value in one.scope.slots.values())


def too_noisy(search: ProgramSearch, *, varies: bool) -> bool:
    """Whether the best program leaves out so many effects that no demonstration supports it.

    Args:
        varies: whether the program depends on the task or the screen; one that does not must explain every
            demonstration.
    """
    left_out: list[Column] = []
    place = (0, MOST_WHENS)
    while place[0] < len(search.columns):
        option = search.options(*place)[0]
        left_out += [search.columns[at] for at in option.noise]
        place = option.onward
    partly: set[int] = set()
    for column in left_out:
        acts = enumerate(one.act if one is not None else None for one in column)
        partly |= {number for number, act in acts if act is not None and act.doubt >= priors.CERTAIN}
    if 2 * len(partly) > (search.count if varies else 0):
        return True
    return sum(map(_certain, left_out)) > MOST_LEFT_OUT * sum(map(_certain, search.columns))


def _certain(column: Column) -> float:
    return sum(one is not None and one.act.doubt >= priors.DOUBTFUL for one in column)


def fields_as_slots(
    steps: Sequence[Step], taken: set[str]
) -> tuple[tuple[Step, ...], tuple[SlotParameter, ...]]:
    """Turn constant texts of fields into slots (default: the constant), so callers can set them by name."""
    changed: list[Step] = []
    more: list[SlotParameter] = []
    for step in steps:
        match step:
            case DoStep(TypeText() | Choose() | Upload() as action, text=Const(default) as text):
                called = slug((action.at.name or action.at.label) if action.at is not None else "") or "text"
                name = unique(called, {*taken, *(p.name for p in more)})
                more.append(SlotParameter(name, "text", default, (default,)))
                old, new = Expected("value", text), Expected("value", Slot(name))
                expect = tuple(new if one == old else one for one in step.expect)
                changed.append(replace(step, text=Slot(name), expect=expect))
            case _:
                changed.append(step)
    return tuple(changed), tuple(more)


def with_one_by_one(program: Program) -> Program:
    """Add an alternative that performs a choice or check once for each item of a list."""
    steps = _one_by_one(program)
    return program if steps is None else replace(program, alternatives=(Alternative(steps),))


def _one_by_one(program: Program) -> tuple[Step, ...] | None:
    """The steps with choices and checks repeated for each item of a list; None if there are none.

    Used only if the whole value is not on the screen: the user showed one item and now asks for several.
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
    """A step with the loop's item in place of a slot, without expectations about the single value."""
    at = step.at and Aim(tuple(_with_item(choice, slot) for choice in step.at.choices))
    return replace(step, at=at, text=_with_item(step.text, slot), expect=())


def _with_item(node: _T, slot: Slot) -> _T:
    if node == slot:
        return cast("_T", Item())
    if isinstance(node, tuple):
        return cast("_T", tuple(_with_item(one, slot) for one in node))
    if is_dataclass(node) and not isinstance(node, type):
        changed = {one.name: _with_item(getattr(node, one.name), slot) for one in fields(node) if one.init}
        return cast("_T", replace(cast(Any, node), **changed))
    return node
