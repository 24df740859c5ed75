"""Proposes loops and conditions that explain a range of aligned effects by generalizing over its rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, islice

from gui_agent.core.actions import Check, Choose, Press, Scroll, TypeText
from gui_agent.core.observation import TEXT, Element
from gui_agent.core.texts import normal
from gui_agent.elements.words import words
from gui_agent.procedures.induction import priors
from gui_agent.procedures.induction._named_places import named_places
from gui_agent.procedures.induction.copying import set_of
from gui_agent.procedures.induction.steps import ObservedEffect, Unexplained, explain
from gui_agent.procedures.induction.values import TargetCase, common_slots
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, passing, select, value_of
from gui_agent.procedures.language.forms import FORMS, ON_THE_WAY, distance_to, list_items, number_in
from gui_agent.procedures.language.program import (
    Aim,
    Attribute,
    Captioned,
    Const,
    DoStep,
    Every,
    ForEach,
    Formed,
    HasRole,
    Item,
    Mentioned,
    ReadText,
    Selector,
    Slot,
    Steer,
    Step,
    Survey,
    Test,
    Until,
    Value,
    When,
    With,
    nodes,
)
from gui_agent.procedures.language.view import View, label_or_text, text_of

FEWEST = 3
"""Minimum numbers in a list; of two, one is the smaller by chance."""
_NEAREST = 6
COST = 1.5


@dataclass(frozen=True)
class ListLook:
    """How one demonstration looked through a list, and what it did then."""

    views: tuple[View, ...]
    taken: ObservedEffect
    used: int

    def best(self, of: Selector, *, most: bool) -> str | None:
        """The element with the smallest or largest number; None if there are too few numbers or a tie."""
        numbers: dict[str, float] = {}
        for view in self.views:
            for element in select(of, self.taken.scope.with_view(view)):
                number = number_in(text_of(element))
                if number is not None:
                    numbers[text_of(element)] = number
        ordered = sorted(numbers.items(), key=lambda pair: -pair[1] if most else pair[1])
        return ordered[0][0] if len(ordered) >= FEWEST and ordered[0][1] != ordered[1][1] else None


def looks(left: Sequence[Sequence[ObservedEffect]]) -> list[ListLook] | None:
    """For each demonstration, the list it looked through next; None unless all of them took an element."""
    found: list[ListLook] = []
    for acts in left:
        used = next((i for i, told in enumerate(acts) if not isinstance(told.act.action, Scroll)), len(acts))
        if used == len(acts) or acts[used].act.element is None:
            return None
        views = chain.from_iterable((*told.act.scrolled, told.act.view) for told in acts[: used + 1])
        found.append(ListLook(tuple(views), acts[used], used + 1))
    several = sum(len(look.views) > 1 for look in found)
    return found if len(found) > 1 and several > 1 else None


def survey(found: Sequence[ListLook]) -> Costed[Step]:
    """The step that takes the element with the smallest or largest number."""
    for tests, cost in _possible_lists(found):
        of = Selector(tests)
        for most in (False, True):
            best = [look.best(of, most=most) for look in found]
            if any(text is None for text in best):
                continue
            told = [
                replace(look.taken, scope=replace(look.taken.scope, item=text))
                for look, text in zip(found, best, strict=True)
            ]
            try:
                step = explain(told)
            except Unexplained:
                continue
            if any(isinstance(node, Item) for node in nodes(step.it.at)):
                return Costed(COST + cost + step.cost, Survey(of, most, (step.it,)))
    raise Unexplained("none of the listed elements has the smallest or largest number")


def _possible_lists(found: Sequence[ListLook]) -> Iterator[tuple[tuple[Test, ...], float]]:
    elements = [look.taken.act.element for look in found]
    roles = {element.role for element in elements if element is not None}
    if len(roles) == 1:
        yield (HasRole(role := roles.pop()),), 0.5
        words = set.intersection(*(set(_classes(look)) for look in found))
        for word in sorted(words):
            yield (HasRole(role), Attribute("class", Const(word))), 1.0
    for label in _labels(found):
        yield (HasRole(TEXT), With(Selector((Captioned(Const(label)),)), 0)), 1.0
    yield (HasRole(TEXT),), 1.5


def _classes(look: ListLook) -> list[str]:
    element = look.taken.act.element
    return normal(element.attributes.get("class", "")).split() if element is not None else []


def _labels(found: Sequence[ListLook]) -> list[str]:
    """Texts on every screen that an element was taken from, the nearest to it first."""
    common = set.intersection(*map(_last_labels, found))
    first, taken = found[0].views[-1], found[0].taken.act.element
    near = sorted(first.elements, key=lambda e: e.box.gap(taken.box) if taken is not None else 0)
    names = dict.fromkeys(label_or_text(e.name) for e in near if e.is_text and number_in(e.name) is None)
    return [name for name in names if name and name in common][:_NEAREST]


def _last_labels(look: ListLook) -> set[str]:
    return {label_or_text(element.name) for element in look.views[-1].elements}


_OPPOSITES = {"left": "right", "right": "left", "up": "down", "down": "up"}
_GOAL_FORMS = ("number", "date as March 2024", "date as Mar 2024", "date as March", "number of the ordinal")


def steer_steps(runs: Sequence[Sequence[ObservedEffect]], after: Sequence[Scope | None]) -> Costed[Step]:
    """The step that raises or lowers a quantity, from the presses of each demonstration."""
    shown = [scope for scope in after if scope is not None]
    if len(shown) != len(runs):
        raise Unexplained("the screen after the last press was not recorded")
    for goal in _goals(shown):
        for reading in _readings(goal, runs, shown):
            ways = _ways(goal.it, reading.it, runs)
            if ways is None:
                continue
            up, down = ways
            steps = [explain(told) if told else None for told in (up, down)]
            cost = goal.cost + reading.cost + sum(step.cost for step in steps if step)
            one, other = ((step.it,) if step else () for step in steps)
            ways_up, ways_down = _bare(one), _bare(other)
            return Costed(
                cost,
                Steer(reading.it, goal.it, ways_up or _opposite(ways_down), ways_down or _opposite(ways_up)),
            )
    raise Unexplained("no reading on the screen changes with the requested value")


def _bare(steps: tuple[DoStep, ...]) -> tuple[DoStep, ...]:
    """Presses without post-conditions; the loop checks the reading after each anyway."""
    return tuple(DoStep(step.action, at=step.at, to=step.to, text=step.text) for step in steps)


def _opposite(steps: tuple[DoStep, ...]) -> tuple[DoStep, ...]:
    """The arrow key that undoes another one; demonstrations must show other ways back."""
    if len(steps) != 1 or not isinstance(steps[0].action, Press) or steps[0].times is not None:
        return ()
    keys = tuple(_OPPOSITES.get(key.lower(), "") for key in steps[0].action.keys)
    return (DoStep(Press(keys), evidence=0),) if all(keys) else ()


def _goals(scopes: Sequence[Scope]) -> Iterator[Costed[Value]]:
    for name in common_slots(scopes):
        yield Costed(1.0, Slot(name))
        for form in _GOAL_FORMS:
            if form in FORMS and all(value_of(Formed(Slot(name), form), scope) for scope in scopes):
                yield Costed(1.5, Formed(Slot(name), form))


def _readings(
    goal: Costed[Value], runs: Sequence[Sequence[ObservedEffect]], after: Sequence[Scope]
) -> Iterator[Costed[Value]]:
    """Values on the screen that equal the goal after the presses but not before."""
    choices: list[list[Element]] = []
    for run, scope in zip(runs, after, strict=True):
        wanted = value_of(goal.it, scope) or ""
        fitting = [e for e in scope.view.elements if distance_to(text_of(e), wanted) == 0.0 and text_of(e)]
        if run:
            before = run[-1].here.view
            fitting = [e for e in fitting if _differs(e, before, wanted)]
        choices.append(fitting[:4])
    if not all(choices):
        return
    for index in range(max(len(fitting) for fitting in choices)):
        cases = [
            TargetCase(scope, fitting[min(index, len(fitting) - 1)])
            for scope, fitting in zip(after, choices, strict=True)
        ]
        for costed in named_places(cases, loose=True):
            yield Costed(costed.cost, ReadText(costed.it))


def _differs(element: Element, before: object, wanted: str) -> bool:

    assert isinstance(before, View)
    then = before.by_id(element.id)
    return then is None or distance_to(text_of(then), wanted) != 0.0


def _ways(
    goal: Value, reading: Value, runs: Sequence[Sequence[ObservedEffect]]
) -> tuple[list[ObservedEffect], list[ObservedEffect]] | None:
    """The presses that raised the reading and those that lowered it; None if the reading shows neither."""
    up: list[ObservedEffect] = []
    down: list[ObservedEffect] = []
    for run in runs:
        for told in run:
            now, wanted = value_of(reading, told.here), value_of(goal, told.here)
            difference = distance_to(now, wanted) if now is not None and wanted is not None else None
            if not difference:
                return None
            (up if difference > 0 else down).append(told)
    both = {told.signature for told in up}.intersection(told.signature for told in down)
    return None if both else (up, down)


ALL = frozenset(("all", "every", "each", "alle", "allen", "jede", "jeden", "jedes"))
"""Words that ask for the same action on every element of a kind."""
_LONGEST_BODY = 3
_LONGEST_ANSWER = 4
"""Maximum effects of a response to something that appears only sometimes."""

Runs = Sequence[Sequence[ObservedEffect]]


@dataclass(frozen=True)
class Range:
    """The effects of each demonstration in a range of columns, and the effect that follows."""

    runs: Runs
    before: Sequence[ObservedEffect | None]
    """The last effect of each demonstration before the range; None at its beginning."""
    following: Sequence[ObservedEffect | None]
    rest: tuple[Step, ...]
    explain: Callable[[Sequence[ObservedEffect]], Costed[DoStep]] = explain
    """Explains one step of several rounds; a search caches the results."""

    @property
    def scopes(self) -> list[Scope]:
        """The scopes of each demonstration's effects."""
        found: list[Scope] = []
        for run, then, first in zip(self.runs, self.following, self.before, strict=True):
            found += [one.scope for one in (*run, then, first) if one is not None][:1]
        return found

    @property
    def is_mixed(self) -> bool:
        """Whether the first or last effect differs in kind from most of the range."""
        kinds = Counter(told.kind for told in chain.from_iterable(self.runs))
        usual, count = kinds.most_common(1)[0]
        ends = [run[0].kind for run in self.runs if run] + [run[-1].kind for run in self.runs if run]
        return 3 * count < 2 * kinds.total() or 2 * ends.count(usual) <= len(ends)

    @property
    def scopes_after(self) -> list[Scope | None]:
        """The scopes on the screen after the range; None if it was not recorded."""
        return [_scope_after(run, then) for run, then in zip(self.runs, self.following, strict=True)]


def _scope_after(run: Sequence[ObservedEffect], then: ObservedEffect | None) -> Scope | None:
    if then is not None:
        return then.here
    last = run[-1] if run else None
    return last.scope.with_view(last.act.after) if last is not None and last.act.after is not None else None


Hypothesis = Callable[[Range], Iterator[Costed[Step]]]


def for_each(range: Range) -> Iterator[Costed[Step]]:
    """One round for each item of a list in the instruction."""
    if not any(range.runs):
        return
    for name in common_slots(range.scopes):
        found = False
        for source, commas in (
            (Slot(name), False),
            (Slot(name), True),
            (Formed(Slot(name), ON_THE_WAY), False),
        ):
            for step in () if commas and found else _each_of(range, source, commas=commas):
                found = True
                yield step


def _each_of(range: Range, source: Value, *, commas: bool) -> Iterator[Costed[Step]]:
    lists = [list_items(value_of(source, scope) or "", commas=commas) for scope in range.scopes]
    if max(map(len, lists)) < 2:
        return
    for size in (1, 2, 3)[:_LONGEST_BODY]:
        told = [_rounds_of_items(run, items, size) for run, items in zip(range.runs, lists, strict=True)]
        rounds = [one for one in told if one is not None]
        missing = len(told) - len(rounds)
        groups: list[list[ObservedEffect]] = []
        if not missing or len(rounds) > 2 * missing:
            groups += chain.from_iterable(one.groups for one in rounds)
        body = [range.explain(list(column)) for column in zip(*groups, strict=True)]
        if body:
            cost = priors.FOR_EACH + missing * priors.NOISE + sum(one.doubt for one in rounds)
            yield Costed(cost + _price(body), ForEach(source, tuple(step.it for step in body), commas))


def _price(body: Sequence[Costed[DoStep]]) -> float:
    return sum(step.cost for step in body)


@dataclass(frozen=True)
class _Rounds:
    groups: list[list[ObservedEffect]]
    doubt: float = 0.0
    """The cost of leaving out the effects that belong to no round."""


def _rounds_of_items(run: Sequence[ObservedEffect], items: Sequence[str], size: int) -> _Rounds | None:
    doubt = 0.0
    if size == 1 and len(run) > len(items):
        kept = [one for one in run if any(map(partial(about, one), items))]
        doubt = sum(one.act.doubt for one in run if one not in kept)
        run = kept
    if len(run) != len(items) * size:
        return None
    left = list(items)
    groups: list[list[ObservedEffect]] = []
    for start in range(0, len(run), size):
        group = run[start : start + size]
        item = next((item for item in left if _names_any(item, group)), None)
        if item is None:
            return None
        left.remove(item)
        groups.append([replace(told, scope=replace(told.scope, item=item)) for told in group])
    return _Rounds(groups, doubt)


def _names_any(item: str, acts: Sequence[ObservedEffect]) -> bool:
    return any(about(told, item) for told in acts)


def about(told: ObservedEffect, item: str) -> bool:
    """Whether an effect types the item or has a target named like it."""
    act = told.act
    if act.data is not None and normal(act.data) == normal(item):
        return True
    elements = [*act.alike, *([act.to] if act.to is not None else [])]
    wanted = label_or_text(item)
    return any(wanted in act.view.captions(element) for element in elements)


def until(range: Range) -> Iterator[Costed[Step]]:
    """Repeat the same act, or go on to the next of its kind, until the next target is on the screen."""
    following = range.rest[0] if range.rest else None
    if not isinstance(following, DoStep) or following.at is None or range.is_mixed:
        return
    runs, noise = _of_one_kind(range.runs)
    acts = list(chain.from_iterable(runs))
    if all(one is not None and one.kind == acts[0].kind for one in range.before):
        return  # only a part of the same acts
    if any(isinstance(told.act.action, TypeText | Choose | Check) for told in acts):
        return  # filling the same field again shows nothing new
    if _is_path(runs):
        return
    shown = following.at.choices[0]
    rounds: list[ObservedEffect] = []
    for run in runs:
        needed, needless = _search_until(run, shown)
        rounds += needed
        noise += needless
    if 2 * len(rounds) <= len(acts):
        raise Unexplained("most rounds ran although the target was already there")
    if len(runs) == 1:
        _demand_search(rounds)
    body = range.explain(rounds)
    yield Costed(priors.UNTIL + noise + body.cost, Until(shown, (body.it,)))


def _search_until(run: Sequence[ObservedEffect], shown: Selector) -> tuple[list[ObservedEffect], float]:
    """The acts of one demonstration until the target appeared, and the cost of dropping the others.

    A person who missed the target went on and came back, or repeated acts.
    """
    rounds: list[ObservedEffect] = []
    noise, tried, seen = 0.0, frozenset[int](), False
    for told in run:
        seen = seen or bool(select(shown, replace(told.here, tried=tried)))
        own = frozenset({told.act.element.id} if told.act.element is not None else ())
        if seen:
            noise += min(told.act.doubt, priors.DOUBTFUL)
        elif own & tried:
            noise += told.act.doubt
        else:
            rounds.append(replace(told, scope=replace(told.scope, tried=tried)))
            tried |= own
    return rounds, noise


def _demand_search(rounds: Sequence[ObservedEffect]) -> None:
    """Raise Unexplained unless one demonstration shows several acts on targets."""
    if len(rounds) < 2:
        raise Unexplained("a single act is not a loop")
    if any(told.act.element is None for told in rounds):
        raise Unexplained("one demonstration of key presses does not show their purpose")


def _of_one_kind(runs: Runs) -> tuple[Runs, float]:
    """The acts of the most frequent kind, and the cost of leaving out the others."""
    acts = list(chain.from_iterable(runs))
    usual = Counter(told.kind for told in acts).most_common(1)[0][0]
    doubt = sum(told.act.doubt for told in acts if told.kind != usual)
    lost = priors.LOST if len(runs) == 1 and doubt >= priors.CERTAIN else 0.0
    return [_of_kind(usual, run) for run in runs], doubt + lost


def _of_kind(kind: object, run: Sequence[ObservedEffect]) -> list[ObservedEffect]:
    return [told for told in run if told.kind == kind]


def _has_names_apart(rounds: Sequence[ObservedEffect]) -> bool:
    called = _names(rounds)
    return len(called) == len(set(called)) and all(called)


def _names(run: Sequence[ObservedEffect]) -> tuple[tuple[str, ...], ...]:
    return tuple(told.act.captions[:1] for told in run)


def _is_path(runs: Runs) -> bool:
    """Whether every demonstration acts on the same names, each once: that is a path and not a search."""
    return len(set(map(_names, runs))) == 1 and _has_names_apart(runs[0])


def _is_mentioned(told: ObservedEffect) -> bool:
    element = told.act.element
    return element is not None and any(passing(Mentioned(), (element,), told.here))


def every(range: Range) -> Iterator[Costed[Step]]:
    """Repeat an act for every element that matches a description."""
    runs, doubt = _of_one_kind(range.runs)
    if max(map(len, runs)) < 2 or not all(runs) or range.is_mixed:
        return
    if _is_a_part(runs, range, lambda one, other: one.sort == other.sort):
        return
    acts = list(chain.from_iterable(runs))
    if any(told.act.data is not None for told in acts):
        return
    if any(told.act.element is None for told in acts):
        raise Unexplained("the target was not recorded")
    if all(map(_is_mentioned, acts)) and all(map(_has_names_apart, runs)):
        raise Unexplained("the instruction names each of them, so it does not ask for all elements")
    said = all(ALL & set(words(scope.instruction)) for scope in range.scopes)
    cost = priors.EVERY - priors.ALL_SAID * said + doubt
    yield from islice(_every_of_most(runs, range.scopes_after, cost), 1)


def _every_of_most(runs: Runs, after: Sequence[Scope | None], cost: float) -> Iterator[Costed[Step]]:
    """The loops that explain all of the demonstrations, or else most of them."""
    pairs = list(zip(runs, after, strict=True))
    may_come = len(runs) == 1 or not _is_path(runs)
    for left_out in (0, 1, 2):
        if left_out and len(runs) - left_out < max(2, left_out + 1):
            return
        for chosen in combinations(pairs, len(runs) - left_out):
            kept, then = zip(*chosen, strict=True)
            with suppress(Unexplained):
                of, limit = set_of(kept, then, coming=may_come and not left_out)
                body = DoStep(kept[0][0].act.action, at=Aim((of.it,)))
                yield Costed(cost + of.cost + priors.NOISE * left_out, Every(of.it, (body,), limit))


def _is_a_part(runs: Runs, range: Range, is_same: Callable[[ObservedEffect, ObservedEffect], bool]) -> bool:
    """Whether a demonstration did the same immediately before or after the range."""
    for run, first, then in zip(runs, range.before, range.following, strict=True):
        ends = ((first, run[0]), (then, run[-1])) if run else ()
        if any(around is not None and is_same(around, own) for around, own in ends):
            return True
    return False


def steer(range: Range) -> Iterator[Costed[Step]]:
    """Raise or lower a shown quantity until it equals the goal."""
    if max(map(len, range.runs)) < 2 or not all(map(_is_repetition, range.runs)):
        return
    if not _is_a_part(range.runs, range, ObservedEffect.alike):
        found = steer_steps(range.runs, range.scopes_after)
        yield Costed(priors.STEER + found.cost, found.it)


def _is_repetition(run: Sequence[ObservedEffect]) -> bool:
    return all(run[0].alike(one) for one in run[1:])


def survey_steps(range: Range) -> Iterator[Costed[Step]]:
    """Look through a list to its end, then take one element of it."""
    found = looks(range.runs) if all(range.runs) else None
    if found is not None and [look.used for look in found] == [len(run) for run in range.runs]:
        yield survey(found)


def when(range: Range) -> Iterator[Costed[Step]]:
    """Steps done only if their target is on the screen, and repeated steps that they undid."""
    runs = list(map(_without_slips, range.runs))
    own = [run for run in runs if run]
    if len(own) in (0, len(runs)) or len(own[0]) > _LONGEST_ANSWER or len(set(map(_targets, own))) != 1:
        return
    if not range.rest or isinstance(range.rest[0], When):
        raise Unexplained("a procedure cannot end with an optional step")
    body = [range.explain(list(column)) for column in zip(*own, strict=True)]
    shown = _sign_of(body[0].it, own)
    passed = (then for then, run in zip(range.following, runs, strict=True) if not run)
    if any(then is not None and select(shown, then.here) for then in passed):
        raise Unexplained("the element was there and was not used")
    cost = priors.WHEN + _price_of_slips(range.runs) + _price(body)
    yield Costed(cost, When(shown, tuple(step.it for step in body)))


def _price_of_slips(runs: Runs) -> float:
    doubts = (told.act.doubt for told in chain.from_iterable(runs))
    return sum(doubt for doubt in doubts if doubt <= priors.IDLE)


def _sign_of(first: DoStep, runs: Runs) -> Selector:
    """The selector that shows whether the optional steps apply."""
    if first.at is None:
        raise Unexplained("nothing on the screen shows whether the step applies")
    if len(runs) == 1 and isinstance(first.text, Const) and not _gives_secret(runs[0]):
        raise Unexplained("one demonstration alone does not explain the typed text")
    return first.at.choices[0]


def _without_slips(run: Sequence[ObservedEffect]) -> list[ObservedEffect]:
    return [told for told in run if told.act.doubt > priors.IDLE]


def _targets(run: Sequence[ObservedEffect]) -> tuple[object, ...]:
    return tuple(told.target for told in run)


def _gives_secret(acts: Sequence[ObservedEffect]) -> bool:
    """Whether the acts type a secret; they are a login, and the user is the same each time."""
    return any("${secret:" in (told.act.data or "") for told in acts)


BY_THEMSELVES: list[Hypothesis] = [for_each, steer, every, survey_steps]
"""Explanations of a range that do not depend on the next effect."""
