"""Explains aligned steps: the same act in every demonstration becomes one step of a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from gui_agent.core.actions import Press, Wait
from gui_agent.core.aiming import aim, places
from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.procedures.induction._named_places import named_places, one_of_several
from gui_agent.procedures.induction.effects import Effect, expectations, is_whole_word, pattern
from gui_agent.procedures.induction.priors import MOST_PARTS, NOISE, OTHER_CASE, WELL_EXPLAINED
from gui_agent.procedures.induction.selectors import targets
from gui_agent.procedures.induction.values import TargetCase, common_slots, texts
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.program import Aim, Const, DoStep, Item, Slot, Value, slots_used
from gui_agent.scene.fingerprints import fingerprint


class Unexplained(Exception):
    """No expression of the language is consistent with all demonstrations at this step."""


@dataclass(frozen=True)
class ObservedEffect:
    """One act of one demonstration, and the scope that its explanation may refer to."""

    act: Effect
    scope: Scope

    @property
    def here(self) -> Scope:
        return self.scope.with_view(self.act.view)

    @property
    def signature(self) -> tuple[object, ...]:
        """Equal for two acts that do the same to the same element."""
        return (*self.target, self.act.data)

    @property
    def target(self) -> tuple[object, ...]:
        """Equal for two acts of one kind on the same target, whatever text they type."""
        element = self.act.element
        if element is None:
            return self.act.shape
        return (*self.act.shape, element.role, self.act.captions or element.path)

    @property
    def kind(self) -> object:
        return (self.act.shape, self.act.element.role if self.act.element is not None else "")

    @property
    def sort(self) -> object:
        """The property that alike targets on a page share: their name, or their place in the structure."""
        element = self.act.element
        if element is None:
            return self.act.shape
        path = tuple(step.partition("[")[0] for step in self.act.view.path(element))
        return (self.kind, self.act.captions or path, element.attributes.get("class"))

    def alike(self, other: ObservedEffect) -> bool:
        """Whether the other act does the same to the same element."""
        one, two = self.act.element, other.act.element
        if (one is None) != (two is None) or self.signature != other.signature:
            return False
        return one is None or two is None or one.id == two.id or one.path == two.path


def with_pages(told: Sequence[ObservedEffect]) -> list[ObservedEffect]:
    """The acts of a demonstration, each with the screens of like acts immediately before it: turned pages."""
    found: list[ObservedEffect] = []
    for index, one in enumerate(told):
        start = index
        while start > 0 and told[start - 1].signature == told[index - 1].signature:
            start -= 1
        earlier = tuple(before.act.view for before in told[start:index])
        found.append(replace(one, scope=replace(one.scope, earlier=earlier)))
    return found


def explain(told: Sequence[ObservedEffect]) -> Costed[DoStep]:
    """One step for the same effect in each demonstration, or in all but one or two that slipped."""
    best = _try_strictly(told)
    price = None if best is None else _favoured_price(best, told)
    if price is None or (len(told) > 2 and price > WELL_EXPLAINED):
        for kept, left_out in _all_but_few(told):
            if left_out > 1 and price is not None and price < 2 * NOISE:
                break
            found = _try_strictly(kept)
            if found is None:
                continue
            whole = Costed(found.cost + NOISE * left_out, found.it)
            if price is None or _favoured_price(whole, told) < price:
                best, price = whole, _favoured_price(whole, told)
    if best is None:
        raise Unexplained("no expression explains this act")
    return best


def _try_strictly(told: Sequence[ObservedEffect]) -> Costed[DoStep] | None:
    try:
        return strictly(told)
    except Unexplained:
        return None


def _favoured_price(found: Costed[DoStep], told: Sequence[ObservedEffect]) -> float:
    return found.cost - told[0].scope.favour * len(slots_used(found.it) & told[0].scope.favoured)


def _all_but_few(told: Sequence[ObservedEffect]) -> Iterator[tuple[list[ObservedEffect], int]]:
    for left_out in (1, 2):
        if len(told) - left_out < 2 * left_out or len(told) > 8:
            return
        for chosen in combinations(range(len(told)), left_out):
            yield [one for place, one in enumerate(told) if place not in chosen], left_out


def strictly(told: Sequence[ObservedEffect]) -> Costed[DoStep]:
    """One step for the same effect in all demonstrations."""
    if any(one.act.copied is not None for one in told):
        raise Unexplained("reading a text is not an act")
    if len({one.act.shape for one in told}) != 1:
        told = [_as_clicked(one) for one in told]
    if len({one.act.shape for one in told}) != 1:
        raise Unexplained("the actions differ")
    text, text_cost = _text(told)
    told, at, at_cost = _aim_of(told)
    to, to_cost = _aim(told, to=True)
    times = _number_of_presses(told)
    expect = expectations([one.act for one in told], [one.scope for one in told])
    if isinstance(told[0].act.action, Wait) and text is None and not expect:
        raise Unexplained("the demonstrations waited for different things")
    return Costed(
        at_cost + to_cost + text_cost + 0.5,
        DoStep(
            action=told[0].act.action,
            at=at,
            to=to,
            text=text,
            times=times,
            expect=expect,
            evidence=len(told),
        ),
    )


def _aim_of(told: Sequence[ObservedEffect]) -> tuple[Sequence[ObservedEffect], Aim | None, float]:
    best: tuple[Sequence[ObservedEffect], Aim | None, float] | None = None
    failed = Unexplained("the target was not recorded")
    for stands_for in representatives(told):
        try:
            at, cost = _aim(stands_for, to=False)
        except Unexplained as error:
            failed = error
            continue
        if best is None or cost < best[2] - 0.01:
            best = (stands_for, at, cost)
        if cost <= WELL_EXPLAINED:
            break
    if best is None:
        raise failed
    return best


def representatives(told: Sequence[ObservedEffect]) -> Iterator[Sequence[ObservedEffect]]:
    """The examples as recorded, then with equivalent elements in place of their targets."""
    yield told
    alike = [one.act.alike for one in told]
    if not all(alike) or max(map(len, alike)) == 1:
        return
    named = [element for one in told if (element := _named_element(one)) is not None]
    if len(named) == len(told):
        yield list(map(_aimed_at, told, named))
    for role in sorted(set.intersection(*map(_roles, alike))):
        for place in range(min(MOST_PARTS, max(map(len, alike)))):
            chosen = [_of_role(role, place, own) for own in alike]
            changed = list(map(_aimed_at, told, chosen))
            if any(one is not other for one, other in zip(told, changed, strict=True)):
                yield changed


def _roles(elements: Sequence[Element]) -> set[str]:
    return {element.role for element in elements}


def _of_role(role: str, place: int, elements: Sequence[Element]) -> Element:
    """The n-th element of a role, or the last one."""
    fitting = [element for element in elements if element.role == role]
    return fitting[min(place, len(fitting) - 1)]


def _named_element(one: ObservedEffect) -> Element | None:
    """An equivalent element with a name, preferably one that the instruction mentions."""
    named = [(e, one.act.view.captions(e)) for e in one.act.alike if one.act.view.captions(e)]
    text = normal(one.scope.instruction)
    asked = [pair for pair in named if any(map(text.__contains__, pair[1]))]
    return next((element for element, _ in (*asked, *named)), None)


def _aimed_at(one: ObservedEffect, element: Element) -> ObservedEffect:
    if one.act.element is not None and one.act.element.id == element.id:
        return one
    action = one.act.action
    if isinstance(action, Wait):
        return one
    marks = {**places(action), "at": fingerprint(element, one.act.view.observation)}
    return replace(one, act=replace(one.act, element=element, action=aim(action, marks)))


def _as_clicked(one: ObservedEffect) -> ObservedEffect:
    """A check as the click that it was, for comparison with clicks on other elements."""
    return replace(one, act=replace(one.act, action=one.act.clicked or one.act.action))


def _aim(told: Sequence[ObservedEffect], *, to: bool) -> tuple[Aim | None, float]:
    named = "to" if to else "at"
    cases = [case for one in told if (case := _case(one, to=to)) is not None]
    is_aimed = any(named in places(one.act.action) for one in told)
    if not cases and not (is_aimed and len(told) > 1):
        return None, 0.0
    if len(cases) < len(told):
        raise Unexplained("the target was not recorded")
    plain = _without_chance(cases)
    found = one_of_several(plain)
    if found is None:
        found = targets(plain) or targets(cases)
    if not found:
        raise Unexplained("nothing distinguishes the target from other elements")
    used = slots_used(found[0].it)
    choices = [costed.it for costed in found if slots_used(costed.it) >= used]
    return Aim(tuple(choices)), found[0].cost


def _case(one: ObservedEffect, *, to: bool) -> TargetCase | None:
    act = one.act
    if to:
        return None if act.to is None else TargetCase(one.here, act.to)
    if act.element is None:
        return None
    return TargetCase(one.here, act.element, frozenset(e.id for e in act.alike), act.scrolled)


def _without_chance(cases: Sequence[TargetCase]) -> list[TargetCase]:
    """The cases without values that match an unchanging name only by chance."""
    called = [set(case.scope.view.captions(case.element)) for case in cases]
    if len(cases) > 1 and not set.intersection(*called):
        return list(cases)

    def rid(scope: Scope) -> Scope:
        return replace(scope, slots={n: v for n, v in scope.slots.items() if n not in scope.by_chance})

    return [replace(case, scope=rid(case.scope)) for case in cases]


def _text(told: Sequence[ObservedEffect]) -> tuple[Value | None, float]:
    given = [text for one in told if (text := one.act.data) is not None]
    if not given:
        return None, 0.0
    if len(given) < len(told):
        raise Unexplained("the texts differ")
    scopes = [one.here for one in told]
    if all(isinstance(one.act.action, Wait) for one in told):
        # The program must show what it waits for, so the text is generalized like a post-condition.
        awaited = set(map(pattern, given, scopes))
        if len(awaited) == 1:
            return awaited.pop(), 1.0
    # A text typed the same each time may be on the screen by chance, so the step does not read it there.
    found = texts(given, scopes, reading=named_places if len(set(given)) > 1 else None)
    if not found or isinstance(found[0].it, Const) or found[0].cost > 1.5:
        found = sorted([*found, *_in_other_capitals(given, scopes)], key=lambda one: one.cost)
    if not found:
        raise Unexplained("nothing explains the text")
    return found[0].it, found[0].cost


def _in_other_capitals(wanted: Sequence[str], scopes: Sequence[Scope]) -> Iterator[Costed[Value]]:
    """Values that were typed in other capitals, or of which only a beginning was typed."""
    sources: list[Value] = [Item()] if all(scope.item is not None for scope in scopes) else []
    typed = list(map(normal, wanted))
    for source in (*sources, *map(Slot, common_slots(scopes))):
        values = [value_of(source, scope) or "" for scope in scopes]
        pairs = list(zip(typed, map(normal, values), strict=True))
        if all(text == value for text, value in pairs):
            other = sum(value != text for value, text in zip(values, wanted, strict=True))
            yield Costed(1.0 + OTHER_CASE * other, source)
        elif all(text and value.startswith(text) for text, value in pairs) and _ends_in_a_word(pairs):
            shorter = sum(value != text for text, value in pairs)
            yield Costed(1.5 + OTHER_CASE * shorter, source)


def _ends_in_a_word(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether a typed beginning ends inside a word; `zebra` of `zebra Zita` is a complete word."""
    return not all(is_whole_word(value, 0, len(text)) for text, value in pairs)


def _number_of_presses(told: Sequence[ObservedEffect]) -> Value | None:
    times = [one.act.action.times for one in told if isinstance(one.act.action, Press)]
    if not times or all(number == times[0] for number in times):
        return None
    found = texts([str(number) for number in times], [one.here for one in told])
    if not found:
        raise Unexplained("no expression explains how often the key is pressed")
    return found[0].it
