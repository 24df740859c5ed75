"""Explaining why exactly these elements were acted on, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from gui_agent.demos.evaluate import select
from gui_agent.demos.induce.cases import Case, Costed, cheapest, favoured
from gui_agent.demos.induce.sequences import Told, Unexplained
from gui_agent.demos.induce.targets import candidate_tests, in_order, role_of
from gui_agent.demos.induce.texts import texts
from gui_agent.demos.language import Const, Rank, Selector, Untried, Value


def set_of(runs: Sequence[Sequence[Told]]) -> tuple[Costed[Selector], Value | None]:
    """The selector of a loop over elements, and a limit when only the first few of them are meant.

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
        Case(scope, element)
        for scope, run in zip(firsts, runs, strict=True)
        for told in run
        if told.act.element is not None and (element := scope.view.by_id(told.act.element.id)) is not None
    ]
    if len(cases) != sum(len(ids) for ids in wanted):
        raise Unexplained("not all of the elements were there from the beginning")
    tests = cheapest(favoured(candidate_tests(cases), firsts), 24)
    base = role_of(cases)
    found: list[tuple[Costed[Selector], Value | None]] = []
    for size in (0, 1, 2, 3):
        for chosen in combinations(tests, size):
            plain = Selector(in_order([*base, *(test.it for test in chosen)]))
            cost = sum(test.cost for test in chosen) + (0.0 if size else 2.0)
            left = [[e.id for e in select(plain, scope)] for scope in firsts]
            selector = Selector((*plain.tests, Untried()), Rank(Const("1")))
            if left == wanted or [sorted(ids) for ids in left] == [sorted(ids) for ids in wanted]:
                found.append((Costed(cost, selector), None))
            elif size and all(ids[: len(own)] == own for ids, own in zip(left, wanted, strict=True)):
                limits = texts([str(len(own)) for own in wanted], firsts)
                found += [(Costed(cost + 1 + limit.cost, selector), limit.it) for limit in limits[:1]]
    if not found:
        raise Unexplained("nothing tells those elements from the others")
    return min(found, key=lambda pair: pair[0].cost)
