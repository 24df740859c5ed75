"""Explaining why exactly these elements were acted on, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gui_agent.procedures.induction.cases import TargetCase, cheapest, favour
from gui_agent.procedures.induction.priors import DISORDER, STRANGE
from gui_agent.procedures.induction.selectors import (
    TESTS,
    Masks,
    candidate_tests,
    conjunctions,
    in_order,
    role_of,
)
from gui_agent.procedures.induction.steps import Told, Unexplained
from gui_agent.procedures.induction.values import texts
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, select
from gui_agent.procedures.language.expressions import Const, Rank, Selector, Table, Untried, Value


def set_of(
    runs: Sequence[Sequence[Told]], after: Sequence[Scope | None], *, coming: bool = True
) -> tuple[Costed[Selector], Value | None]:
    """The selector of a loop over elements, and a limit when only the first few of them are meant.

    Args:
        after: the scope on the screen after the last of each run, None when it was not recorded.
        coming: whether they may also come into view one after the other.

    Returns:
        A selector that takes the first element not acted on yet, and how many there are to be.

    Raises:
        Unexplained: no description fits exactly the elements acted on.
    """
    if any(told.act.data is not None for run in runs for told in run):
        raise Unexplained("different texts are no repetition")
    firsts = [run[0].here for run in runs]
    wanted = [[told.act.element.id for told in run if told.act.element is not None] for run in runs]
    cases = [
        TargetCase(scope, element)
        for scope, run in zip(firsts, runs, strict=True)
        for told in run
        if told.act.element is not None and (element := scope.view.by_id(told.act.element.id)) is not None
    ]
    if len(cases) != sum(len(ids) for ids in wanted):
        if not coming:
            raise Unexplained("not all of the elements were there from the beginning")
        return _come_into_view(runs, after)
    tests = cheapest(favour(candidate_tests(cases), firsts), TESTS)
    base = role_of(cases)
    masks = Masks(firsts, [*base, *(test.it for test in tests)])
    found: list[tuple[Costed[Selector], Value | None]] = []
    for chosen, cost in conjunctions(tests):
        if found and cost >= min(pair[0].cost for pair in found):
            continue
        masked = masks.conjunction([*range(len(base)), *(len(base) + index for index in chosen)])
        left = [[e.id for e in masks.elements(number, mask)] for number, mask in enumerate(masked)]
        plain = in_order([*base, *(tests[index].it for index in chosen)])
        selector = Selector((*plain, Untried()), Rank(Const("1")))
        if [sorted(ids) for ids in left] == [sorted(ids) for ids in wanted]:
            found.append((Costed(cost if chosen else 2.0, selector), None))
        elif chosen and all(ids[: len(own)] == own for ids, own in zip(left, wanted, strict=True)):
            limits = texts([str(len(own)) for own in wanted], firsts)
            found += [(Costed(cost + 1 + limit.cost, selector), limit.it) for limit in limits[:1]]
    if not found:
        raise Unexplained("nothing tells those elements from the others")
    return min(found, key=lambda pair: pair[0].cost)


def _come_into_view(
    runs: Sequence[Sequence[Told]], after: Sequence[Scope | None]
) -> tuple[Costed[Selector], Value | None]:
    """The selector of a loop whose elements came into view one after the other, and how many are asked for.

    Without a number none may be left on the screen on which something else was done.
    """
    cases = [TargetCase(told.here, told.act.element) for run in runs for told in run if told.act.element]
    firsts = [run[0].here for run in runs]
    limits = [
        limit
        for limit in texts([str(len(run)) for run in runs], firsts)
        if not isinstance(limit.it, Const | Table)
        or (
            isinstance(limit.it, Const)
            and all(is_mentioned(limit.it.text, one.instruction) for one in firsts)
        )
    ]
    if not limits and None in after:
        raise Unexplained("not all of the elements were there from the beginning")
    # What a run begins with may be half out of sight, so that nothing tells why it was taken.
    later = [TargetCase(one.here, one.act.element) for run in runs for one in run[1:] if one.act.element]
    found = _next_in_view(cases, cases, runs, after, limited=bool(limits))
    if found is None and later:
        found = _next_in_view(later, cases, runs, after, limited=bool(limits))
    if found is None:
        raise Unexplained("nothing tells those elements from the others")
    if not limits:
        return Costed(found.cost + 1, found.it), None
    return Costed(found.cost + 1 + limits[0].cost, found.it), limits[0].it


def _next_in_view(
    telling: Sequence[TargetCase],
    cases: Sequence[TargetCase],
    runs: Sequence[Sequence[Told]],
    after: Sequence[Scope | None],
    *,
    limited: bool,
) -> Costed[Selector] | None:
    """The cheapest selector of the next of what comes into view, if there is one."""
    tests = cheapest(favour(candidate_tests(telling), [case.scope for case in telling]), TESTS)
    tried = [
        frozenset(one.act.element.id for one in run[:n] if one.act.element)
        for run in runs
        for n in range(len(run))
    ]
    base = role_of(cases)
    masks = Masks([case.scope for case in cases], [*base, *(test.it for test in tests)])
    found: Costed[Selector] | None = None
    for chosen, cost in conjunctions(tests):
        if not chosen or (found is not None and cost >= found.cost):
            continue
        masked = masks.conjunction([*range(len(base)), *(len(base) + index for index in chosen)])
        left = [
            [e.id for e in masks.elements(number, mask) if e.id not in tried[number]]
            for number, mask in enumerate(masked)
        ]
        disorder = _disorder(left, runs)
        if disorder is not None:
            plain = in_order([*base, *(tests[index].it for index in chosen)])
            selector = Selector((*plain, Untried()), Rank(Const("1")))
            if limited or not any(
                _left_over(selector, run, scope) for run, scope in zip(runs, after, strict=True)
            ):
                found = Costed(cost + disorder, selector)
    return found


def _disorder(left: Sequence[Sequence[int]], runs: Sequence[Sequence[Told]]) -> float | None:
    """What it costs that elements were not taken in order, or that something else was acted on."""
    cost, place, strange = 0.0, 0, 0
    for run in runs:
        told = [(one, one.act.element.id) for one in run if one.act.element is not None]
        seen = left[place : place + len(told)]
        place += len(told)
        done = {element for _, element in told}
        if any(one not in done for there in seen for one in there):
            return None
        pairs = list(zip(told, seen, strict=True))
        others = [one.act.doubt for (one, element), there in pairs if element not in there]
        strange += len(others)
        late = sum(there[0] != element for (_, element), there in pairs if there)
        cost += sum(others) + DISORDER * max(0, late - len(others))
    return cost if STRANGE * strange <= place else None


def _left_over(selector: Selector, run: Sequence[Told], scope: Scope | None) -> bool:
    """Whether the selector finds something afterwards that was not acted on."""
    if scope is None:
        return True
    tried = frozenset(told.act.element.id for told in run if told.act.element is not None)
    return bool(select(selector, replace(scope, tried=tried)))
