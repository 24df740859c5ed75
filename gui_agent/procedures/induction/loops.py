"""Loops and conditions that could explain a range of aligned effects: the anti-unification of its rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from gui_agent.core.actions import Check, Choose, Press, Scroll, TypeText
from gui_agent.core.observation import TEXT, Element
from gui_agent.core.texts import normal
from gui_agent.elements.words import words
from gui_agent.procedures.induction import priors
from gui_agent.procedures.induction.copying import set_of
from gui_agent.procedures.induction.named_places import named_places
from gui_agent.procedures.induction.steps import Told, Unexplained, explain
from gui_agent.procedures.induction.values import TargetCase
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
"""Numbers that a list must have; of two one is the smaller by chance."""
_NEAREST = 6
COST = 1.5


@dataclass(frozen=True)
class ListLook:
    """A list as it was looked through in one demonstration, and what was then done."""

    views: tuple[View, ...]
    taken: Told
    used: int

    def best(self, of: Selector, *, most: bool) -> str | None:
        """What has the smallest or largest number; None when there are few, or two have it."""
        numbers: dict[str, float] = {}
        for view in self.views:
            for element in select(of, self.taken.scope.on(view)):
                number = number_in(text_of(element))
                if number is not None:
                    numbers[text_of(element)] = number
        ordered = sorted(numbers.items(), key=lambda pair: -pair[1] if most else pair[1])
        return ordered[0][0] if len(ordered) >= FEWEST and ordered[0][1] != ordered[1][1] else None


def looks(left: Sequence[Sequence[Told]]) -> list[ListLook] | None:
    """How each demonstration goes on by looking through a list; None when they do not all take something."""
    found: list[ListLook] = []
    for acts in left:
        used = next((i for i, told in enumerate(acts) if not isinstance(told.act.action, Scroll)), len(acts))
        if used == len(acts) or acts[used].act.element is None:
            return None
        views = [view for told in acts[: used + 1] for view in (*told.act.scrolled, told.act.view)]
        found.append(ListLook(tuple(views), acts[used], used + 1))
    several = sum(len(look.views) > 1 for look in found)
    return found if len(found) > 1 and several > 1 else None


def survey(found: Sequence[ListLook]) -> Costed[Step]:
    """The step that takes what has the smallest or largest number."""
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
    raise Unexplained("nothing that was passed has the smallest or largest number")


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
    """What stands on every screen from which something was taken, the nearest to that first."""
    common = set.intersection(*({label_or_text(e.name) for e in look.views[-1].elements} for look in found))
    first, taken = found[0].views[-1], found[0].taken.act.element
    near = sorted(first.elements, key=lambda e: e.box.gap(taken.box) if taken is not None else 0)
    names = dict.fromkeys(label_or_text(e.name) for e in near if e.is_text and number_in(e.name) is None)
    return [name for name in names if name and name in common][:_NEAREST]


_OPPOSITES = {"left": "right", "right": "left", "up": "down", "down": "up"}
_GOAL_FORMS = ("number", "date as March 2024", "date as Mar 2024", "date as March", "number of the ordinal")


def steer_steps(runs: Sequence[Sequence[Told]], after: Sequence[Scope | None]) -> Costed[Step]:
    """A step that turns a quantity up or down, from the presses of each demonstration."""
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
    raise Unexplained("nothing on the screen goes with what is asked for")


def _bare(steps: tuple[DoStep, ...]) -> tuple[DoStep, ...]:
    """Presses without post-conditions: the reading is looked at after each anyway."""
    return tuple(DoStep(step.action, at=step.at, to=step.to, text=step.text) for step in steps)


def _opposite(steps: tuple[DoStep, ...]) -> tuple[DoStep, ...]:
    """The arrow key that undoes presses of another one; other ways back have to be shown."""
    if len(steps) != 1 or not isinstance(steps[0].action, Press) or steps[0].times is not None:
        return ()
    keys = tuple(_OPPOSITES.get(key.lower(), "") for key in steps[0].action.keys)
    return (DoStep(Press(keys), evidence=0),) if all(keys) else ()


def _goals(scopes: Sequence[Scope]) -> Iterator[Costed[Value]]:
    for name in sorted(set.intersection(*(set(scope.slots) for scope in scopes))):
        yield Costed(1.0, Slot(name))
        for form in _GOAL_FORMS:
            if form in FORMS and all(value_of(Formed(Slot(name), form), scope) for scope in scopes):
                yield Costed(1.5, Formed(Slot(name), form))


def _readings(
    goal: Costed[Value], runs: Sequence[Sequence[Told]], after: Sequence[Scope]
) -> Iterator[Costed[Value]]:
    """Values read off the screen that equal the goal after the presses and not before."""
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
    goal: Value, reading: Value, runs: Sequence[Sequence[Told]]
) -> tuple[list[Told], list[Told]] | None:
    """The presses that went up and those that went down; None when the reading does not say which."""
    up: list[Told] = []
    down: list[Told] = []
    for run in runs:
        for told in run:
            now, wanted = value_of(reading, told.here), value_of(goal, told.here)
            difference = distance_to(now, wanted) if now is not None and wanted is not None else None
            if not difference:
                return None
            (up if difference > 0 else down).append(told)
    names = [{told.signature for told in way} for way in (up, down)]
    return None if names[0] & names[1] else (up, down)


ALL = frozenset(("all", "every", "each", "alle", "allen", "jede", "jeden", "jedes"))
"""Words that ask for the same with everything of a kind."""
_LONGEST_BODY = 3
_LONGEST_ANSWER = 4
"""Most effects that are the answer to something that is shown only sometimes."""

Runs = Sequence[Sequence[Told]]


@dataclass(frozen=True)
class Range:
    """What each demonstration did in a range of columns, and what it did next."""

    runs: Runs
    before: Sequence[Told | None]
    """The last effect of each demonstration before it; None at its beginning."""
    following: Sequence[Told | None]
    rest: tuple[Step, ...]
    explain: Callable[[Sequence[Told]], Costed[DoStep]] = explain
    """Explains one step of several rounds; a search remembers what it has explained."""

    @property
    def scopes(self) -> list[Scope]:
        """What each demonstration's effects may refer to."""
        of_each = [
            next(one.scope for one in (*run, then, first) if one is not None)
            for run, then, first in zip(self.runs, self.following, self.before, strict=True)
            if any(one is not None for one in (*run, then, first))
        ]
        return of_each

    @property
    def is_mixed(self) -> bool:
        """Whether it begins or ends with what is not of the kind that most of it is."""
        kinds = Counter(told.kind for run in self.runs for told in run)
        usual, count = kinds.most_common(1)[0]
        ends = [kinds_at for run in self.runs if run for kinds_at in (run[0].kind, run[-1].kind)]
        return 3 * count < 2 * kinds.total() or 2 * ends.count(usual) <= len(ends)

    @property
    def after(self) -> list[Scope | None]:
        """The scopes on the screen after the range; None where it was not recorded."""
        return [_after(run, then) for run, then in zip(self.runs, self.following, strict=True)]


def _after(run: Sequence[Told], then: Told | None) -> Scope | None:
    if then is not None:
        return then.here
    last = run[-1] if run else None
    return last.scope.on(last.act.after) if last is not None and last.act.after is not None else None


Hypothesis = Callable[[Range], Iterator[Costed[Step]]]


def for_each(range: Range) -> Iterator[Costed[Step]]:
    """One round for each item of a list in the instruction."""
    runs = range.runs
    scopes = range.scopes
    if not any(runs):
        return
    for name in sorted(set.intersection(*(set(scope.slots) for scope in scopes))):
        found = False
        for source, commas in (
            (Slot(name), False),
            (Slot(name), True),
            (Formed(Slot(name), ON_THE_WAY), False),
        ):
            if commas and found:
                continue
            for step in _each_of(range, source, commas=commas):
                found = True
                yield step


def _each_of(range: Range, source: Value, *, commas: bool) -> Iterator[Costed[Step]]:
    runs = range.runs
    lists = [list_items(value_of(source, scope) or "", commas=commas) for scope in range.scopes]
    if max(map(len, lists)) < 2:
        return
    for size in (1, 2, 3)[:_LONGEST_BODY]:
        told = [_rounds_of_items(run, items, size) for run, items in zip(runs, lists, strict=True)]
        rounds = [one for one in told if one is not None]
        missing = len(told) - len(rounds)
        if missing and (len(rounds) <= 2 * missing or len(told) < 3):
            continue
        flat = [group for one in rounds for group in one.groups]
        if not flat:
            continue
        body = [range.explain(list(column)) for column in zip(*flat, strict=True)]
        extra = missing * priors.NOISE + sum(one.doubt for one in rounds)
        cost = priors.FOR_EACH + extra + sum(step.cost for step in body)
        yield Costed(cost, ForEach(source, tuple(step.it for step in body), commas))


@dataclass(frozen=True)
class _Rounds:
    groups: list[list[Told]]
    doubt: float = 0.0
    """What it costs to leave out what is in no round."""


def _rounds_of_items(run: Sequence[Told], items: Sequence[str], size: int) -> _Rounds | None:
    doubt = 0.0
    if size == 1 and len(run) > len(items):
        idle = [one for one in run if not any(about(one, item) for item in items)]
        run = [one for one in run if one not in idle]
        doubt = sum(one.act.doubt for one in idle)
    if len(run) != len(items) * size:
        return None
    left = list(items)
    groups: list[list[Told]] = []
    for start in range(0, len(run), size):
        group = run[start : start + size]
        item = next((item for item in left if any(about(told, item) for told in group)), None)
        if item is None:
            return None
        left.remove(item)
        groups.append([replace(told, scope=replace(told.scope, item=item)) for told in group])
    return _Rounds(groups, doubt)


def about(told: Told, item: str) -> bool:
    """Whether an effect types an item or is on what is called so."""
    act = told.act
    if act.data is not None and normal(act.data) == normal(item):
        return True
    elements = [*act.alike, *([act.to] if act.to is not None else [])]
    wanted = label_or_text(item)
    return any(wanted in act.view.captions(element) for element in elements)


def until(range: Range) -> Iterator[Costed[Step]]:
    """The same, or the next of its kind, until what comes next is on the screen."""
    rest = range.rest
    if not (rest and isinstance(rest[0], DoStep) and rest[0].at is not None):
        return
    if range.is_mixed:
        return
    runs, noise = _of_one_kind(range.runs)
    kind = next(told.kind for run in runs for told in run)
    if all(one is not None and one.kind == kind for one in range.before):
        return  # Only a part of the same acts.
    if any(isinstance(told.act.action, TypeText | Choose | Check) for run in runs for told in run):
        return  # Filling in the same once more shows nothing new.
    shown = rest[0].at.choices[0]
    rounds: list[Told] = []
    for run in runs:
        tried: frozenset[int] = frozenset()
        seen = False
        for told in run:
            # Who overlooked it went on looking in vain, until back where it was.
            seen = seen or bool(select(shown, replace(told.here, tried=tried)))
            if seen or (told.act.element is not None and told.act.element.id in tried):
                # It was there and was not seen, or was tried already: what was done then was needless.
                noise += min(told.act.doubt, priors.DOUBTFUL) if seen else told.act.doubt
                continue
            rounds.append(replace(told, scope=replace(told.scope, tried=tried)))
            if told.act.element is not None:
                tried |= {told.act.element.id}
    if not rounds or (len(rounds) < 2 and len(runs) < 2):
        raise Unexplained("one act is no loop")
    if 2 * len(rounds) <= sum(map(len, runs)):
        raise Unexplained("most was done when what it would be done for was there")
    if len(runs) == 1 and any(told.act.element is None for told in rounds):
        raise Unexplained("one demonstration of keys pressed does not show what for")
    if len(runs) == 1 and _has_names_apart(rounds):
        raise Unexplained("one demonstration of several names is a way, not a search")
    body = range.explain(rounds)
    yield Costed(priors.UNTIL + noise + body.cost, Until(shown, (body.it,)))


def _of_one_kind(runs: Runs) -> tuple[Runs, float]:
    kinds = Counter(told.kind for run in runs for told in run)
    usual = kinds.most_common(1)[0][0]
    kept = [[told for told in run if told.kind == usual] for run in runs]
    doubt = sum(told.act.doubt for run in runs for told in run if told.kind != usual)
    return kept, doubt + (priors.LOST if len(runs) == 1 and doubt >= priors.CERTAIN else 0.0)


def _has_names_apart(rounds: Sequence[Told]) -> bool:
    called = [told.act.view.captions(told.act.element)[:1] for told in rounds if told.act.element is not None]
    return len(called) == len(rounds) == len(set(called)) and all(called)


def _is_mentioned(told: Told) -> bool:
    element = told.act.element
    return element is not None and any(passing(Mentioned(), (element,), told.here))


def every(range: Range) -> Iterator[Costed[Step]]:
    """The same with every element of some description."""
    runs, doubt = _of_one_kind(range.runs)
    if max(map(len, runs)) < 2 or not all(runs) or range.is_mixed:
        return
    for run, first, then in zip(runs, range.before, range.following, strict=True):
        if any(one is not None and one.sort == run[0].sort for one in (first, then)):
            return  # Only a part of the same acts.
    if any(told.act.data is not None for run in runs for told in run):
        return
    if any(told.act.element is None for run in runs for told in run):
        raise Unexplained("the target was not recorded")
    if all(_has_names_apart(run) and all(map(_is_mentioned, run)) for run in runs):
        raise Unexplained("the instruction names each of them, so it does not mean whatever there is")
    said = all(ALL & set(words(scope.instruction)) for scope in range.scopes)
    for left_out in (0, 1, 2):
        if left_out and len(runs) - left_out < max(2, left_out + 1):
            break
        for chosen in combinations(zip(runs, range.after, strict=True), len(runs) - left_out):
            try:
                kept, after = [run for run, _ in chosen], [then for _, then in chosen]
                of, limit = set_of(kept, after, coming=not left_out)
            except Unexplained:
                continue
            cost = priors.EVERY - priors.ALL_SAID * said + of.cost + doubt + priors.NOISE * left_out
            yield Costed(cost, Every(of.it, (DoStep(chosen[0][0][0].act.action, at=Aim((of.it,))),), limit))
            return


def steer(range: Range) -> Iterator[Costed[Step]]:
    """One way or the other until a shown quantity is what is asked for."""
    runs = range.runs
    if max(map(len, runs)) < 2 or any(not run[0].alike(one) for run in runs for one in run[1:]):
        return
    for run, first, then in zip(runs, range.before, range.following, strict=True):
        if run and (
            (first is not None and first.alike(run[0])) or (then is not None and then.alike(run[-1]))
        ):
            return  # Only a part of the same presses.
    found = steer_steps(runs, range.after)
    yield Costed(priors.STEER + found.cost, found.it)


def survey_steps(range: Range) -> Iterator[Costed[Step]]:
    """A list that was looked through to the end, and the one thing of it that was taken."""
    found = looks(range.runs) if all(range.runs) else None
    if found is not None and [look.used for look in found] == [len(run) for run in range.runs]:
        yield survey(found)


def when(range: Range) -> Iterator[Costed[Step]]:
    """Something that is done only when it is on the screen, and what it undid done again."""
    rest = range.rest
    runs = [[told for told in run if told.act.doubt > priors.IDLE] for run in range.runs]
    noise = sum(told.act.doubt for run in range.runs for told in run if told.act.doubt <= priors.IDLE)
    has = [bool(run) for run in runs]
    own = [run for run in runs if run]
    sizes = {len(run) for run in own}
    if all(has) or not own or len(sizes) != 1 or max(sizes) > _LONGEST_ANSWER:
        return
    if len({tuple(one.target for one in run) for run in own}) != 1:
        return
    if not rest or isinstance(rest[0], When):
        raise Unexplained("a procedure does not end with something that may be left out")
    body = [range.explain(list(column)) for column in zip(*own, strict=True)]
    first = body[0].it
    if first.at is None:
        raise Unexplained("nothing shows whether it is to be done")
    if len(own) == 1 and isinstance(first.text, Const) and not _gives_secret(own[0]):
        raise Unexplained("one demonstration alone does not show what is typed")
    shown = first.at.choices[0]
    for then, one in zip(range.following, has, strict=True):
        if not one and then is not None and select(shown, then.here):
            raise Unexplained("it was there and was not used")
    cost = priors.WHEN + noise + sum(step.cost for step in body)
    yield Costed(cost, When(shown, tuple(step.it for step in body)))


def _gives_secret(acts: Sequence[Told]) -> bool:
    """Whether acts are a login: who one is stays the same."""
    return any("${secret:" in (told.act.data or "") for told in acts)


BY_THEMSELVES: list[Hypothesis] = [for_each, steer, every, survey_steps]
"""What explains a range whatever comes after it."""
