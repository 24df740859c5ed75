"""Describes sets of elements exactly by one selector, and finds texts that were copied from the screen.

In a single demonstration, a typed text counts as copied if the person clicked, marked or noted it; its
mere presence on a screen proves nothing. In several demonstrations, it counts as copied if it differs
between them, is not in the instruction, and was on a screen before each use. The program then has a
separate act that reads it.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate, chain

from gui_agent.core.actions import Choose, Click, Drag, Press, TypeText
from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction._instructions import slug, unique
from gui_agent.procedures.induction._named_places import read_off, says, shows
from gui_agent.procedures.induction.effects import Effect, effects, pointed_at
from gui_agent.procedures.induction.priors import DISORDER, STRANGE
from gui_agent.procedures.induction.selectors import (
    Conjunctions,
    candidate_tests,
)
from gui_agent.procedures.induction.steps import ObservedEffect, Unexplained
from gui_agent.procedures.induction.values import TargetCase, texts
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

_FIRST = Rank(Const("1"))


def set_of(
    runs: Sequence[Sequence[ObservedEffect]], after: Sequence[Scope | None], *, coming: bool = True
) -> tuple[Costed[Selector], Value | None]:
    """The selector of a loop over elements, with a limit if only the first few are included.

    Args:
        after: the scope on the screen after the last act of each run; None if it was not recorded.
        coming: whether the elements may also come into view one after the other.

    Returns:
        A selector of the first element not yet acted on, and the number of elements.
    """
    if any(told.act.data is not None for told in chain.from_iterable(runs)):
        raise Unexplained("typing different texts is not a repetition")
    wanted = list(map(_acted_on, runs))
    cases: list[TargetCase] = []
    for run in runs:
        first = run[0].here
        there = (first.view.by_id(case.element.id) for case in _cases(run))
        cases += [TargetCase(first, element) for element in there if element is not None]
    if len(cases) == sum(map(len, wanted)):
        return _there_at_once(cases, wanted)
    if not coming:
        raise Unexplained("some of the elements were not on the screen from the beginning")
    return _coming_into_view(runs, after)


def _cases(run: Sequence[ObservedEffect]) -> list[TargetCase]:
    return [TargetCase(told.here, told.act.element) for told in run if told.act.element is not None]


def _acted_on(run: Sequence[ObservedEffect]) -> list[int]:
    return [case.element.id for case in _cases(run)]


def _there_at_once(
    cases: Sequence[TargetCase], wanted: Sequence[list[int]]
) -> tuple[Costed[Selector], Value | None]:
    """The selector of elements that are all on the first screen: every match, or the first few.

    Args:
        wanted: for each run (and its case), the ids of its elements.
    """
    places = [0, *accumulate(map(len, wanted))][:-1]
    scopes = [cases[place].scope for place in places]
    found: list[tuple[Costed[Selector], Value | None]] = []
    for said in Conjunctions(cases, candidate_tests(cases)):
        if found and said.cost >= min(pair[0].cost for pair in found):
            continue
        elements = said.elements()
        left = [_ids(elements[place]) for place in places]
        selector = Selector((*said.tests, Untried()), _FIRST)
        if list(map(sorted, left)) == list(map(sorted, wanted)):
            found.append((Costed(said.cost if said.chosen else 2.0, selector), None))
        elif said.chosen and _begin_with(left, wanted):
            limits = texts([str(len(own)) for own in wanted], scopes)
            found += [(Costed(said.cost + 1 + limit.cost, selector), limit.it) for limit in limits[:1]]
    if not found:
        raise Unexplained("nothing distinguishes those elements from the others")
    return min(found, key=lambda pair: pair[0].cost)


def _ids(elements: Sequence[Element]) -> list[int]:
    return [element.id for element in elements]


def _begin_with(left: Sequence[list[int]], wanted: Sequence[list[int]]) -> bool:
    return all(ids[: len(own)] == own for ids, own in zip(left, wanted, strict=True))


def _coming_into_view(
    runs: Sequence[Sequence[ObservedEffect]], after: Sequence[Scope | None]
) -> tuple[Costed[Selector], Value | None]:
    """The selector of a loop whose elements came into view one by one, and how many the task asks for.

    Without a number, no match may remain on the screen when the next step begins.
    """
    limit = _number_asked_for(runs)
    if limit is None and None in after:
        raise Unexplained("some of the elements were not on the screen from the beginning")
    # The first element of a run may be half out of view, so that its case lacks the reason.
    for skipped in (0, 1):
        telling = list(chain.from_iterable(_cases(run[skipped:]) for run in runs))
        found = _next_in_view(telling, runs, after, limited=limit is not None) if telling else None
        if found is not None:
            whole = Costed(found.cost + 1 + (0.0 if limit is None else limit.cost), found.it)
            return whole, None if limit is None else limit.it
    raise Unexplained("nothing distinguishes those elements from the others")


def _number_asked_for(runs: Sequence[Sequence[ObservedEffect]]) -> Costed[Value] | None:
    """The value of the task that equals the number of elements of each run; None if there is none."""
    firsts = [run[0].here for run in runs]
    for limit in texts([str(len(run)) for run in runs], firsts):
        text = limit.it.text if isinstance(limit.it, Const) else ""
        said = all(is_mentioned(text, one.instruction) for one in firsts)
        if said or not isinstance(limit.it, Const | Table):
            return limit
    return None


def _next_in_view(
    telling: Sequence[TargetCase],
    runs: Sequence[Sequence[ObservedEffect]],
    after: Sequence[Scope | None],
    *,
    limited: bool,
) -> Costed[Selector] | None:
    """The selector that found the next element on each screen.

    Args:
        telling: the cases that the tests are derived from.
    """
    cases = list(chain.from_iterable(map(_cases, runs)))
    found: Costed[Selector] | None = None
    for said in Conjunctions(cases, candidate_tests(telling)):
        if not said.chosen or (found is not None and said.cost >= found.cost):
            continue
        disorder = _price_of_disorder(list(map(_ids, said.elements())), runs)
        selector = Selector((*said.tests, Untried()), _FIRST)
        if disorder is not None and (limited or not _has_left_over(selector, runs, after)):
            found = Costed(said.cost + disorder, selector)
    return found


def _price_of_disorder(
    shown: Sequence[Sequence[int]], runs: Sequence[Sequence[ObservedEffect]]
) -> float | None:
    """The cost of taking elements out of order; None if elements were left out.

    Args:
        shown: for each act, the ids of the matching elements on its screen.
    """
    cost, strange = 0.0, 0
    screens = iter(shown)
    for run in runs:
        left, done = set(_acted_on(run)), frozenset(_acted_on(run))
        late = 0
        for told in run:
            there = [id for id in next(screens) if id in left or id not in done]
            if not done.issuperset(there):
                return None
            own = told.act.element.id if told.act.element is not None else 0
            if own not in there:
                strange += 1
                cost += told.act.doubt
            elif there[0] != own:
                late += 1
            left.discard(own)
        cost += DISORDER * late
    return cost if STRANGE * strange <= len(shown) else None


def _has_left_over(
    selector: Selector, runs: Sequence[Sequence[ObservedEffect]], after: Sequence[Scope | None]
) -> bool:
    """Whether a match without an action remains after a run, or the screen after it was not recorded."""
    for run, scope in zip(runs, after, strict=True):
        tried = frozenset(_acted_on(run))
        if scope is None or select(selector, replace(scope, tried=tried)):
            return True
    return False


SHORTEST = 3
"""Minimum characters of a copied text; shorter ones match by chance unless the person pointed at them."""
_COPY = ("ctrl", "c")


@dataclass(frozen=True)
class CopiedText:
    """A text that was read before one act of a demonstration and typed by another."""

    read_at: int
    typed_at: int
    text: str
    pointed: Element | None = None
    """The element that the person clicked or marked to read it; None if only the equal texts show it."""


def with_copies(
    told: Sequence[Sequence[ObservedEffect]], demonstrations: Sequence[Demonstration]
) -> list[list[ObservedEffect]] | None:
    """The acts with reading acts inserted, and the texts read added to the scopes of later acts.

    Returns:
        None if nothing was copied, or the number of copies differs between demonstrations.
    """
    several = len(told) > 1
    copies = [_copies(acts, shown, several) for acts, shown in zip(told, demonstrations, strict=True)]
    copies = _differing(copies) if several else copies
    if not copies[0] or len({len(found) for found in copies}) != 1:
        return None
    taken = set().union(*(one.scope.slots for one in chain.from_iterable(told)))
    names: list[str] = []
    for copy in copies[0]:
        act = told[0][copy.typed_at].act
        at = getattr(act.action, "at", None)
        called = act.element.name if act.element else ""
        called = called or getattr(at, "label", "")
        names.append(unique(slug(called) or "copied", {*taken, *names}))
    return [_with_notes(acts, found, names) for acts, found in zip(told, copies, strict=True)]


def _differing(copies: Sequence[Sequence[CopiedText]]) -> list[list[CopiedText]]:
    """The copies that differ between demonstrations; a text equal in all was known, not read."""
    same = frozenset.intersection(*map(_texts_of, copies))
    return [_without_texts(own, same) for own in copies]


def _texts_of(copies: Sequence[CopiedText]) -> frozenset[str]:
    return frozenset(copy.text for copy in copies)


def _without_texts(copies: Sequence[CopiedText], same: Set[str]) -> list[CopiedText]:
    return [copy for copy in copies if copy.text not in same]


def _copies(acts: Sequence[ObservedEffect], shown: Demonstration, several: bool) -> list[CopiedText]:
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
    """Constant texts that were also on a screen before they were typed, so they may have been read there."""
    scope = Scope(View.from_screen(None), demonstration.slots, demonstration.task)
    acts = [ObservedEffect(act, scope) for act in effects(demonstration)]
    sure = {copy.text for copy in _copies(acts, demonstration, several=False)}
    found: list[str] = []
    for place, one in enumerate(acts, start=1):
        text = _own_text(one)
        stood = any(shows(earlier.act.view, text) for earlier in acts[:place])
        found += [text] * (stood and len(text) >= SHORTEST and text not in {*sure, *found})
    return tuple(found)


def _own_text(one: ObservedEffect) -> str:
    """The text that was put into a field; empty if the task gives it."""
    text = (isinstance(one.act.action, TypeText | Choose) and one.act.data) or ""
    values = map(normal, one.scope.slots.values())
    return "" if is_mentioned(text, one.scope.instruction) or normal(text) in values else text


def _with_notes(
    acts: Sequence[ObservedEffect], copies: Sequence[CopiedText], names: Sequence[str]
) -> list[ObservedEffect]:
    noted: dict[str, str] = {}
    result: list[ObservedEffect] = []
    for place, one in enumerate(acts):
        for copy, name in zip(copies, names, strict=True):
            if copy.read_at == place:
                read = Effect(one.act.action, one.act.view, copied=(name, copy.text, copy.pointed))
                result.append(ObservedEffect(read, replace(one.scope, notes=dict(noted))))
                noted[name] = copy.text
        if not any(_is_part_of(copy, one.act) for copy in copies):
            result.append(replace(one, scope=replace(one.scope, notes=dict(noted))))
    return result


def _is_part_of(copy: CopiedText, act: Effect) -> bool:
    """Whether an act only marks or copies the text, so that the step that reads it replaces the act."""
    if copy.pointed is None or act.expect:
        return False
    copies = isinstance(act.action, Press) and act.action.keys == _COPY
    return copies or (isinstance(act.action, Click | Drag) and act.element == copy.pointed)


def remember(told: Sequence[ObservedEffect]) -> Costed[Remember]:
    """The step that notes the text read in each demonstration."""
    copied = [one.act.copied for one in told if one.act.copied is not None]
    if len(copied) != len(told) or len({name for name, *_ in copied}) != 1:
        raise Unexplained("the actions differ")
    read = read_off([text for _, text, _ in copied], [one.here for one in told], [own for *_, own in copied])
    if read is None:
        raise Unexplained("nothing identifies the position of the copied text")
    return Costed(read.cost, Remember(copied[0][0], read.it, shown=True))
