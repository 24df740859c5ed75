"""Sets of elements that one description fits exactly, and texts that were copied from the screen.

Of one demonstration a typed text was copied where the person clicked, marked or noted it; that it stood on a
screen, too, says nothing. Of several it was, where it differed, is not in the instruction, and stood on a
screen before each time. Reading it becomes an act of its own, put before the act on that screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gui_agent.core.actions import Choose, Click, Drag, Press, TypeText
from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction.effects import Effect, effects, pointed_at
from gui_agent.procedures.induction.instructions import slug, unique
from gui_agent.procedures.induction.named_places import read_off, says, shows
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
from gui_agent.procedures.induction.values import TargetCase, cheapest, favour, texts
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, select
from gui_agent.procedures.language.program import (
    Const,
    Rank,
    Remember,
    Selector,
    Table,
    Untried,
    Value,
)
from gui_agent.procedures.language.view import View


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
"""Characters of a copied text; what is shorter stands on a screen by chance, unless it was pointed at."""
_COPY = ("ctrl", "c")


@dataclass(frozen=True)
class CopiedText:
    """A text that was read before one act of a demonstration and typed by another."""

    read_at: int
    typed_at: int
    text: str
    pointed: Element | None = None
    """What the person clicked or marked to read it; None where only the texts tell."""


def with_copies(
    told: Sequence[Sequence[Told]], demonstrations: Sequence[Demonstration]
) -> list[list[Told]] | None:
    """The acts with those of reading between them, and what was read in the scopes of the acts after.

    Returns:
        None when nothing was copied, or not the same number of times in every demonstration.
    """
    several = len(told) > 1
    copies = [_copies(acts, shown, several) for acts, shown in zip(told, demonstrations, strict=True)]
    copies = _differing(copies) if several else copies
    if not copies[0] or len({len(found) for found in copies}) != 1:
        return None
    taken = {name for acts in told for one in acts for name in one.scope.slots}
    names: list[str] = []
    for copy in copies[0]:
        act = told[0][copy.typed_at].act
        at = getattr(act.action, "at", None)
        called = act.element.name if act.element else ""
        called = called or getattr(at, "label", "")
        names.append(unique(slug(called) or "copied", {*taken, *names}))
    return [_with_notes(acts, found, names) for acts, found in zip(told, copies, strict=True)]


def _differing(copies: Sequence[Sequence[CopiedText]]) -> list[list[CopiedText]]:
    """What is not the same in every demonstration: that was not read, but known."""
    same = set.intersection(*({copy.text for copy in own} for own in copies))
    return [[copy for copy in own if copy.text not in same] for own in copies]


def _copies(acts: Sequence[Told], shown: Demonstration, several: bool) -> list[CopiedText]:
    found: dict[str, CopiedText] = {}
    pointed = pointed_at(shown)
    for place, one in enumerate(acts):
        text = _own_text(one)
        own = next((e for e in pointed if says(e, text) and e != one.act.element), None)
        sure = own is not None or text in shown.notes.values()
        by_texts = several and len(text) >= SHORTEST and not shows(one.act.view, text)
        read = [i for i in range(place + sure) if shows(acts[i].act.view, text)]
        if text and read and (sure or by_texts):
            found.setdefault(text, CopiedText(read[-1], place, text, own))
    return list(found.values())


def texts_in_doubt(demonstration: Demonstration) -> tuple[str, ...]:
    """What was typed as it is, and also stood on a screen by then; nothing tells that it was read there."""
    scope = Scope(View.of(None), demonstration.slots, demonstration.task)
    acts = [Told(act, scope) for act in effects(demonstration)]
    sure = {copy.text for copy in _copies(acts, demonstration, several=False)}
    found: list[str] = []
    for place, one in enumerate(acts, start=1):
        text = _own_text(one)
        stood = any(shows(earlier.act.view, text) for earlier in acts[:place])
        found += [text] * (stood and len(text) >= SHORTEST and text not in {*sure, *found})
    return tuple(found)


def _own_text(one: Told) -> str:
    """The text that was put into a field; empty where the task gives it."""
    text = (isinstance(one.act.action, TypeText | Choose) and one.act.data) or ""
    return "" if _is_given(text, one.scope) else text


def _is_given(text: str, scope: Scope) -> bool:
    return is_mentioned(text, scope.instruction) or normal(text) in map(normal, scope.slots.values())


def _with_notes(acts: Sequence[Told], copies: Sequence[CopiedText], names: Sequence[str]) -> list[Told]:
    noted: dict[str, str] = {}
    result: list[Told] = []
    for place, one in enumerate(acts):
        for copy, name in zip(copies, names, strict=True):
            if copy.read_at == place:
                read = Effect(one.act.action, one.act.view, copied=(name, copy.text, copy.pointed))
                result.append(Told(read, replace(one.scope, notes=dict(noted))))
                noted[name] = copy.text
        if not any(_is_part_of(copy, one.act) for copy in copies):
            result.append(replace(one, scope=replace(one.scope, notes=dict(noted))))
    return result


def _is_part_of(copy: CopiedText, act: Effect) -> bool:
    """Whether an act only marks or copies what is read: nothing is left to do where it is read."""
    if copy.pointed is None or act.expect:
        return False
    copies = isinstance(act.action, Press) and act.action.keys == _COPY
    return copies or (isinstance(act.action, Click | Drag) and act.element == copy.pointed)


def remember(told: Sequence[Told]) -> Costed[Remember]:
    """The step that notes what was read in each demonstration."""
    copied = [one.act.copied for one in told if one.act.copied is not None]
    if len(copied) != len(told) or len({name for name, *_ in copied}) != 1:
        raise Unexplained("the actions differ")
    read = read_off([text for _, text, _ in copied], [one.here for one in told], [own for *_, own in copied])
    if read is None:
        raise Unexplained("nothing says where the copied text stands")
    return Costed(read.cost, Remember(copied[0][0], read.it, shown=True))
