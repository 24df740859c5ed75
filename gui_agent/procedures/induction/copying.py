"""Sets of elements that one description fits exactly, and texts that were copied from the screen.

A text that is typed, is neither in the instruction nor on the screen where it is typed, and stood on a screen
before, was copied from there. Reading it becomes an act of its own, put before the act on that screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gui_agent.core.actions import Choose, TypeText
from gui_agent.core.texts import normal
from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.induction.instructions import slug, unique
from gui_agent.procedures.induction.priors import DISORDER, STRANGE
from gui_agent.procedures.induction.selectors import (
    TESTS,
    Masks,
    candidate_tests,
    conjunctions,
    in_order,
    role_of,
    targets,
)
from gui_agent.procedures.induction.steps import Told, Unexplained
from gui_agent.procedures.induction.values import TargetCase, cheapest, favour, texts
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, select
from gui_agent.procedures.language.forms import in_form
from gui_agent.procedures.language.program import (
    Captioned,
    Const,
    Formed,
    HasRole,
    Rank,
    ReadText,
    Remember,
    Selector,
    Table,
    Untried,
    Value,
)
from gui_agent.procedures.language.view import View, text_of


def set_of(
    runs: Sequence[Sequence[Told]], after: Sequence[Scope | None], *, coming: bool = True
) -> tuple[Costed[Selector], Value | None]:
    """The selector of a loop over elements, and a limit when only the first few of them are meant.

    Args:
        after: the scope on the screen after the last of each run, None when it was not recorded.
        coming: whether they may also come into view one after the other.

    Returns:
        A selector that takes the first element not acted on yet, and how many there are to be.
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
        disorder = _price_of_disorder(left, runs)
        if disorder is not None:
            plain = in_order([*base, *(tests[index].it for index in chosen)])
            selector = Selector((*plain, Untried()), Rank(Const("1")))
            if limited or not any(
                _has_left_over(selector, run, scope) for run, scope in zip(runs, after, strict=True)
            ):
                found = Costed(cost + disorder, selector)
    return found


def _price_of_disorder(left: Sequence[Sequence[int]], runs: Sequence[Sequence[Told]]) -> float | None:
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


def _has_left_over(selector: Selector, run: Sequence[Told], scope: Scope | None) -> bool:
    if scope is None:
        return True
    tried = frozenset(told.act.element.id for told in run if told.act.element is not None)
    return bool(select(selector, replace(scope, tried=tried)))


SHORTEST = 3
"""Characters of a copied text; what is shorter stands on a screen by chance."""
_FORMS = ("after the colon", "in brackets", "last word", "number", "digits")


@dataclass(frozen=True)
class CopiedText:
    """A text that was read before one act of a demonstration and typed by another."""

    read_at: int
    typed_at: int
    text: str


def with_copies(told: Sequence[Sequence[Told]]) -> list[list[Told]] | None:
    """The acts with those of reading between them, and what was read in the scopes of the acts after.

    Returns:
        None when nothing was copied, or not the same number of times in every demonstration.
    """
    copies = [_copies(acts) for acts in told]
    if not copies[0] or len({len(found) for found in copies}) != 1:
        return None
    taken = {name for acts in told for one in acts for name in one.scope.slots}
    names: list[str] = []
    for copy in copies[0]:
        element = told[0][copy.typed_at].act.element
        at = getattr(told[0][copy.typed_at].act.action, "at", None)
        called = (element.name if element else "") or (at.label if at is not None else "")
        names.append(unique(slug(called) or "copied", {*taken, *names}))
    return [_with_notes(acts, found, names) for acts, found in zip(told, copies, strict=True)]


def _copies(acts: Sequence[Told]) -> list[CopiedText]:
    found: list[CopiedText] = []
    for place, one in enumerate(acts):
        text = one.act.data or ""
        if not isinstance(one.act.action, TypeText | Choose) or len(text) < SHORTEST:
            continue
        if _is_given(text, one.scope) or any(_holds(e_text, text) for e_text in _texts(one.act.view)):
            continue
        if any(copy.text == text for copy in found):
            continue
        before = [i for i in range(place) if any(_holds(t, text) for t in _texts(acts[i].act.view))]
        if before:
            found.append(CopiedText(before[-1], place, text))
    return found


def _is_given(text: str, scope: Scope) -> bool:
    return is_mentioned(text, scope.instruction) or normal(text) in map(normal, scope.slots.values())


def _texts(view: View) -> list[str]:
    return [text_of(element) for element in view.elements]


def _holds(text: str, wanted: str) -> bool:
    return text == wanted or any(in_form(text, form) == wanted for form in _FORMS)


def _with_notes(acts: Sequence[Told], copies: Sequence[CopiedText], names: Sequence[str]) -> list[Told]:
    noted: dict[str, str] = {}
    result: list[Told] = []
    for place, one in enumerate(acts):
        for copy, name in zip(copies, names, strict=True):
            if copy.read_at == place:
                read = Effect(one.act.action, one.act.view, copied=(name, copy.text))
                result.append(Told(read, replace(one.scope, notes=dict(noted))))
                noted[name] = copy.text
        result.append(replace(one, scope=replace(one.scope, notes=dict(noted))))
    return result


def remember(told: Sequence[Told]) -> Costed[Remember]:
    """The step that notes what was read in each demonstration."""
    copied = [one.act.copied for one in told if one.act.copied is not None]
    if len(copied) != len(told) or len({name for name, _ in copied}) != 1:
        raise Unexplained("the actions differ")
    read = _read_off([text for _, text in copied], [one.here for one in told])
    if read is None:
        raise Unexplained("nothing says where the copied text stands")
    return Costed(read.cost, Remember(copied[0][0], read.it))


def _read_off(wanted: Sequence[str], scopes: Sequence[Scope]) -> Costed[Value] | None:
    for form in ("", *_FORMS):
        choices = [
            [e for e in scope.view.elements if (in_form(text_of(e), form) if form else text_of(e)) == text]
            for text, scope in zip(wanted, scopes, strict=True)
        ]
        if not all(choices):
            continue
        cases = [TargetCase(scope, found[0]) for found, scope in zip(choices, scopes, strict=True)]
        selectors = _labelled_texts(cases) or targets(cases, captions=False)
        if selectors:
            read = ReadText(selectors[0].it)
            extra = 0.5 if form else 0.0
            return Costed(1.0 + extra + 0.5 * selectors[0].cost, Formed(read, form) if form else read)
    return None


def _labelled_texts(cases: Sequence[TargetCase]) -> list[Costed[Selector]]:
    labels = {case.element.name.partition(":")[0].strip() for case in cases}
    roles = {case.element.role for case in cases}
    if len(labels) != 1 or len(roles) != 1 or not all(":" in case.element.name for case in cases):
        return []
    selector = Selector((HasRole(roles.pop()), Captioned(Const(labels.pop()), "starts")))
    unique_everywhere = all(
        [found.id for found in select(selector, case.scope)] == [case.element.id] for case in cases
    )
    return [Costed(1.5, selector)] if unique_everywhere else []
