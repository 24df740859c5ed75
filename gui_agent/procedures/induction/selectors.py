"""Finds one selector for the target element of all demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from math import log2
from typing import Literal

from gui_agent.core.observation import Element, on_one_line
from gui_agent.core.texts import normal
from gui_agent.elements.roles import CELLS
from gui_agent.elements.words import attribute_words
from gui_agent.procedures.induction.priors import ANY, COMMAND, FOUNDED
from gui_agent.procedures.induction.values import (
    TargetCase,
    as_labels,
    cheapest,
    common_slots,
    discount,
    favour,
    texts,
)
from gui_agent.procedures.language.constructs import Costed, constructs
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, passing, select, the_one, value_of
from gui_agent.procedures.language.forms import number_in, ordinal
from gui_agent.procedures.language.program import (
    After,
    Attribute,
    Captioned,
    Const,
    Extreme,
    HasRole,
    Holding,
    InState,
    Item,
    Joined,
    Mentioned,
    NamedAsOneOf,
    Pick,
    Rank,
    Selector,
    Slot,
    Test,
    Under,
    Untried,
    Value,
    With,
    slots_used,
)
from gui_agent.procedures.language.view import View, label_or_text


@dataclass(frozen=True)
class Conjunction:
    """Tests that are tried together on several screens, in addition to the role."""

    cost: float
    chosen: tuple[Test, ...]
    tests: tuple[Test, ...]
    """All tests, including the one for the role, in the order of a selector."""
    of: Conjunctions

    def masks(self) -> list[int]:
        """The matches on each screen as a bit mask; bit i is the i-th element."""
        left = list(self.of.whole)
        for test in self.tests:
            left = [mask & own for mask, own in zip(left, self.of.masks(test), strict=True)]
            if isinstance(test, After):  # `After` takes the first element that the other tests leave
                left = [mask & -mask for mask in left]
        return left

    def elements(self) -> list[tuple[Element, ...]]:
        """The elements that pass all the tests on each screen, in reading order."""
        return [_elements(*pair) for pair in zip(self.masks(), self.of.scopes, strict=True)]


class Conjunctions:
    """Conjunctions of the few cheapest tests."""

    def __init__(self, cases: Sequence[TargetCase], possible: Iterable[Costed[Test]]) -> None:
        """
        Args:
            cases: the cases to test on; they also determine the role.
            possible: tests besides the role; only the cheapest are tried.
        """
        self.scopes = [case.scope for case in cases]
        self.whole = [(1 << len(scope.view.elements)) - 1 for scope in self.scopes]
        self._base = role_of(cases)
        self._tests = cheapest(favour(possible, self.scopes), TESTS)
        self._screens = {id(scope): scope for scope in self.scopes}
        self._masks: dict[Test, list[int]] = {}

    def __iter__(self) -> Iterator[Conjunction]:
        for size in range(LARGEST + 1):
            for chosen in combinations(self._tests, size):
                own = tuple(costed.it for costed in chosen)
                cost = sum(costed.cost for costed in chosen)
                yield Conjunction(cost, own, in_order([*self._base, *own]), self)

    def masks(self, test: Test) -> list[int]:
        """The matches of a test on each screen, cached."""
        if test not in self._masks:
            each = {key: _mask(test, scope) for key, scope in self._screens.items()}
            self._masks[test] = [each[id(scope)] for scope in self.scopes]
        return self._masks[test]


def _mask(test: Test, scope: Scope) -> int:
    view = scope.view
    if isinstance(test, After):
        anchor = the_one(test.anchor, scope)
        whole = (1 << len(view.elements)) - 1
        return 0 if anchor is None else whole & ~((2 << view.position(anchor)) - 1)
    mask = 0
    for element in passing(test, view.elements, scope):
        mask |= 1 << view.position(element)
    return mask


def _elements(mask: int, scope: Scope) -> tuple[Element, ...]:
    return tuple(scope.view.elements[bit] for bit in _bits(mask))


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


KEPT = 4
"""Number of selectors to keep: the best and its runners-up."""
TESTS = 20
"""Number of the cheapest tests that are combined."""
BARE = 2.4
"""Cost of a selector with only a role and a rank: the first textbox."""
MIXED = 3.0
"""Cost of counting elements of different looks if one demonstration alone supports it: people count elements
that look alike, and the links that turn the pages are not results."""
LARGEST = 3
"""Maximum tests in one selector, besides the role."""
_STATES = ("checked", "selected", "expanded", "collapsed", "disabled", "pressed")
_NO_EVIDENCE = frozenset({"href", "options", "src", "size", "min", "max", "step"})
"""Attributes for the destination or size of an element; they do not identify it."""
_STEADY = frozenset({"id", "name", "type", "testid", "tag"})
_COMMANDS = frozenset({"button", "menuitem"})
_ROLELESS = frozenset({"generic"})
_BARE_TAGS = frozenset({"div", "span"})
_MOST_UP = 6
_NEAREST = 8
_LOOKED_AT = 150
_MOST_ANCHORS = 12
_MOST_NAMES = 3


IsAllowed = Callable[[Test | Pick | Selector], bool]


def targets(cases: Sequence[TargetCase], *, is_allowed: IsAllowed = lambda _: True) -> list[Costed[Selector]]:
    """Selectors that find exactly the target in every case, cheapest first.

    Args:
        is_allowed: which tests, picks and resulting selectors may be used; by default all.
    """
    possible = [*candidate_tests(cases), *_one_of_names(cases)]
    found: list[Costed[Selector]] = []
    for said in Conjunctions(cases, [one for one in possible if is_allowed(one.it)]):
        if len(found) >= KEPT and said.cost >= sorted(one.cost for one in found)[KEPT - 1]:
            continue
        found += [one for one in _selectors(said, cases, is_allowed) if is_allowed(one.it)]
    return cheapest([one for one in found if not _is_passed_over(one.it, cases)], KEPT)


def _is_passed_over(selector: Selector, cases: Sequence[TargetCase]) -> bool:
    return any(case.passed_over(selector) for case in cases)


def _selectors(
    said: Conjunction, cases: Sequence[TargetCase], is_allowed: IsAllowed
) -> Iterator[Costed[Selector]]:
    """Selectors of these tests that find only the targets, if necessary with a pick."""
    masks = [(mask, *case.masks()) for mask, case in zip(said.masks(), cases, strict=True)]
    if not all(mask & meant for mask, meant, _ in masks):
        return
    if all(mask & ~alike == 0 for mask, _, alike in masks):
        bare = 0.0 if said.chosen else 4.0 + _price_of_unnamed_command(cases, _ROLELESS)
        yield Costed(said.cost + bare, Selector(said.tests))
    elif len(said.chosen) < LARGEST:
        bare = (0.0 if said.chosen else BARE) + _price_of_unnamed_command(cases)
        for pick in (*_picks(said, cases), *_over_pages(said.tests, cases)):
            if is_allowed(pick.it):
                counted = isinstance(pick.it, Rank) and isinstance(pick.it.number, Const)
                extra = (bare if counted else bare / 2) - discount(pick.it, said.of.scopes)
                yield Costed(max(0.1, pick.cost + said.cost + extra), Selector(said.tests, pick.it))


def _price_of_unnamed_command(cases: Sequence[TargetCase], roles: frozenset[str] = frozenset()) -> float:
    called = [case.scope.view.captions(case.element)[:1] for case in cases]
    commands = all(case.element.role in (roles or _COMMANDS) for case in cases)
    return COMMAND if commands and all(called) and len(set(called)) > 1 else 0.0


def _interchangeable(elements: Sequence[Element]) -> bool:
    """Whether some elements differ only in their names and positions."""
    return len({(e.role, e.attributes.get("class"), e.attributes.get("tag")) for e in elements}) == 1


def _one_of_names(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    """Tests for an element whose name differs between screens.

    One of the names must occur twice; otherwise any elements would count as one with many names.
    """
    called = [case.scope.view.captions(case.element)[:1] for case in cases]
    names = sorted(set(chain.from_iterable(called)))
    if all(called) and 1 < len(names) <= _MOST_NAMES and len(names) < len(cases):
        yield Costed(4.5 + 0.4 * len(names), NamedAsOneOf(tuple(names)))


def role_of(cases: Sequence[TargetCase]) -> list[Test]:
    """The test for the role if it is the same in all cases; for drawn shapes, a test of their look."""
    if any(case.element.attributes.get("shape") for case in cases):
        return []
    roles = {case.element.role for case in cases}
    return [HasRole(roles.pop())] if len(roles) == 1 else []


def in_order(tests: Iterable[Test]) -> tuple[Test, ...]:
    """Tests in canonical order, `After` last because it takes the first element that the others leave."""
    return tuple(
        sorted(tests, key=lambda test: (isinstance(test, After), not isinstance(test, HasRole), repr(test)))
    )


def _picks(said: Conjunction, cases: Sequence[TargetCase]) -> Iterator[Costed[Pick]]:
    left = said.elements()
    ranks = [1 + elements.index(case.element) for elements, case in zip(left, cases, strict=True)]
    several = len(cases) > 1
    if len(set(ranks)) == 1:
        yield Costed((1.5 if several else 2.6) + 0.2 * min(ranks[0], 10), Rank(Const(str(ranks[0]))))
    elif len(cases) > 2 and slots_used(said.chosen) and all(map(_interchangeable, left)):
        which = sum(log2(len(elements)) for elements in left)
        yield Costed(ANY + which, Rank(Const("1")))
    if ranks == list(map(len, left)):
        yield Costed(1.7 if several else 2.9, Rank(Const("-1")))
    yield from _picks_worked_out(said, left, cases)


def _picks_worked_out(
    said: Conjunction, left: Sequence[tuple[Element, ...]], cases: Sequence[TargetCase]
) -> Iterator[Costed[Pick]]:
    """Picks by a rank that the task gives, or by the largest or smallest number."""
    several = len(cases) > 1
    alike = all(map(_interchangeable, left))
    for name in common_slots(said.of.scopes):
        if _is_picked(Rank(Slot(name)), left, cases):
            yield Costed(1.2 if several or alike else 1.2 + MIXED, Rank(Slot(name)))
    if min(map(len, left)) > 1:
        for most in (True, False):
            if _is_picked(Extreme(most), left, cases):
                yield Costed(2.0 if several else 3.4, Extreme(most))


def _over_pages(tests: tuple[Test, ...], cases: Sequence[TargetCase]) -> Iterator[Costed[Pick]]:
    """Picks the n-th element counted across pages; at least one page must have been turned."""
    if not any(case.scope.earlier for case in cases):
        return
    for name in common_slots([case.scope for case in cases]):
        pick = Rank(Slot(name), paged=True)
        counted = all(ordinal(case.scope.slots[name]) for case in cases)
        if counted and _are_meant([select(Selector(tests, pick), case.scope) for case in cases], cases):
            yield Costed(1.6, pick)


def _is_picked(pick: Pick, left: Sequence[tuple[Element, ...]], cases: Sequence[TargetCase]) -> bool:
    found: list[Sequence[Element]] = []
    for elements, case in zip(left, cases, strict=True):
        only = View(replace(case.scope.view.observation, elements=elements))
        found.append(select(Selector((), pick), case.scope.with_view(only)))
    return _are_meant(found, cases)


def _are_meant(found: Sequence[Sequence[Element]], cases: Sequence[TargetCase]) -> bool:
    """Whether exactly the target was found in each case."""
    return all(len(own) == 1 and own[0].id == case.element.id for own, case in zip(found, cases, strict=True))


def candidate_tests(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    """Tests that the target passes in every case."""
    yield from _captions(cases)
    if len(cases) > 1 and _passes(Mentioned(), cases):
        yield Costed(2.5, Mentioned())
    yield from _attributes(cases)
    yield from _states(cases)
    yield from _relative_to_anchor(cases)
    if any(case.scope.tried for case in cases) and _passes(Untried(), cases):
        yield Costed(0.5, Untried())


def _passes(test: Test, cases: Sequence[TargetCase]) -> bool:
    return all(any(passing(test, (case.element,), case.scope)) for case in cases)


def _captions(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    scopes = [case.scope for case in cases]
    called = [case.scope.view.captions(case.element) for case in cases]
    if not all(called):
        return
    common = set.intersection(*map(set, called))
    for caption in sorted(common):
        yield Costed(2.4 if len(cases) == 1 else 1.5, Captioned(Const(_as_shown(caption, cases[0].element))))
    firsts = [captions[0] for captions in called]
    for costed in texts(firsts, scopes, same=as_labels):
        if not isinstance(costed.it, Const):
            yield Costed(costed.cost, Captioned(costed.it))
    held = [case.element.value for case in cases]
    for costed in texts(held, scopes, same=as_labels) if all(held) else ():
        yield Costed(costed.cost + 0.6, Holding(costed.it))
    for value in _whole_sources(cases):
        if not _passes(Captioned(value), cases):
            yield from _parts_of_captions(value, cases)


def _parts_of_captions(value: Value, cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    hows: tuple[tuple[Literal["starts", "ends", "has"], float], ...]
    hows = (("starts", 2.2), ("ends", 2.2), ("has", 2.5))
    for how, cost in hows:
        test = Captioned(value, how)
        if _passes(test, cases) and not _by_chance(test, cases):
            yield Costed(cost, test)
            return


def _by_chance(test: Captioned, cases: Sequence[TargetCase]) -> bool:
    """Whether names contain the text as words but start or end with it inside one: `Rapid City (RAP)`."""
    if test.how not in ("starts", "ends"):
        return False
    wanted = [label_or_text(value_of(test.text, case.scope) or "") for case in cases]
    called = [case.scope.view.captions(case.element)[0] for case in cases]
    whole = all(is_mentioned(text, caption) for text, caption in zip(wanted, called, strict=True))
    at_edge = [
        caption[: len(text) + 1] if test.how == "starts" else caption[-len(text) - 1 :]
        for text, caption in zip(wanted, called, strict=True)
    ]
    return whole and not all(is_mentioned(text, part) for text, part in zip(wanted, at_edge, strict=True))


def _as_shown(caption: str, element: Element) -> str:
    """The caption as the element spells it, for readers of the program."""
    own = element.name.strip(" :*")
    return own if label_or_text(own) == caption else caption


def _whole_sources(cases: Sequence[TargetCase]) -> list[Value]:
    """The slots whose values have more than one character in every case."""
    scopes = [case.scope for case in cases]
    found: list[Value] = []
    for name in common_slots(scopes):
        values = [one.slots[name] for one in scopes]
        if min(map(len, values)) > 1:
            found.append(Slot(name))
    return found


def _attributes(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    known = [_known_attributes(case) for case in cases]
    keys = set.intersection(*map(set, known)) - _NO_EVIDENCE
    priced = [(one.name, one.price) for one in constructs().attributes.values() if one.price is not None]
    for name, (key, price) in product(common_slots([case.scope for case in cases]), priced):
        if _passes(Attribute(key, Slot(name)), cases):
            yield Costed(price, Attribute(key, Slot(name)))
    for key in sorted(keys):
        if key != "tag" or len(cases) > 1:
            yield from _values_of_attribute(key, [own[key] for own in known], cases)


def _values_of_attribute(
    key: str, values: Sequence[str], cases: Sequence[TargetCase]
) -> Iterator[Costed[Test]]:
    words = set.intersection(*map(set, map(attribute_words, values))) - {""}
    for word in sorted(words - _BARE_TAGS if key == "tag" else words):
        yield Costed(2.6 if key in _STEADY else 3.0, Attribute(key, Const(word)))
    for costed in texts(list(map(normal, values)), [case.scope for case in cases], same=as_labels):
        if not isinstance(costed.it, Const) and (len(cases) > 1 or not isinstance(costed.it, Joined)):
            yield Costed(costed.cost + 1.0, Attribute(key, costed.it))
    for source in _whole_sources(cases):
        if _passes(Attribute(key, source), cases):
            yield Costed(2.2, Attribute(key, source))


def _known_attributes(case: TargetCase) -> dict[str, str]:
    compared = [one for one in constructs().attributes.values() if one.compared]
    worked_out = {one.name: one.attribute_of(case.element, case.scope.view) for one in compared}
    return {**case.element.attributes, **{name: text for name, text in worked_out.items() if text}}


def _states(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    shown: list[Element] = []
    for case in cases:
        shown += [one for one in case.scope.view.elements if one.role == case.element.role]
    for state in _STATES:
        has = {state in case.element.states for case in cases}
        kinds = {state in element.states for element in shown}
        if len(has) == 1 and len(kinds) == 2:
            yield Costed(2.2, InState(state, has.pop()))


def _relative_to_anchor(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    for costed in _anchors(cases):
        held = [select(costed.it, case.scope) for case in cases]
        yield from _containers(costed, held, cases)
        ones = [elements[0] for elements in held if len(elements) == 1]
        if len(ones) == len(cases):
            yield from _relations(costed, ones, cases)


def _containers(
    anchor: Costed[Selector], held: Sequence[tuple[Element, ...]], cases: Sequence[TargetCase]
) -> Iterator[Costed[Test]]:
    """Tests for the same container, or the same line, as one of the anchor's elements."""
    several = 0.0 if all(len(elements) == 1 for elements in held) else 0.4
    ups: list[int] = []
    lines = True
    for elements, case in zip(held, cases, strict=True):
        view, own = case.scope.view, case.element
        others = [one for one in elements if one.id != own.id]
        levels = [up for one in others if (up := view.levels_up(one, own)) is not None]
        if len(others) != len(elements):
            return
        ups.append(min(levels, default=_MOST_UP + 1))
        lines = lines and any(on_one_line(one.box, own.box) for one in others)
    keyed = all(any(map(case.scope.view.is_key, found)) for found, case in zip(held, cases, strict=True))
    if max(ups) <= _MOST_UP:
        within = With(anchor.it, max(*ups, 1), keyed)
        yield Costed(0.6 + several + anchor.cost + 0.15 * max(ups), within)
    if lines:
        yield Costed(1.0 + several + anchor.cost, With(anchor.it, 0, keyed))


def _relations(
    anchor: Costed[Selector], ones: Sequence[Element], cases: Sequence[TargetCase]
) -> Iterator[Costed[Test]]:
    """Tests for the anchor's column, or for the first element after it."""
    if any(one.id == case.element.id for one, case in zip(ones, cases, strict=True)):
        return
    if _passes(Under(anchor.it), cases):
        yield Costed(0.9 + anchor.cost, Under(anchor.it))
    places = [
        (case.scope.view.position(one), case.scope.view.position(case.element))
        for one, case in zip(ones, cases, strict=True)
    ]
    if all(before < after for before, after in places):
        yield Costed(1.6 + anchor.cost, After(anchor.it))


def _anchors(cases: Sequence[TargetCase]) -> Iterator[Costed[Selector]]:
    values: list[Costed[Value]] = [Costed(1.0, value) for value in _whole_sources(cases)]
    if all(case.scope.item is not None for case in cases):
        values.append(Costed(0.8, Item()))
    for costed in values:
        for how, extra in (("is", 0.0), ("starts", 0.8), ("has", 1.0)):
            selector = Selector((Captioned(costed.it, how),))  # type: ignore[arg-type]
            found = [len(select(selector, case.scope)) for case in cases]
            if all(0 < count <= _MOST_ANCHORS for count in found):
                yield Costed(costed.cost + extra, selector)
                break
    yield from _constant_anchors(cases)
    if len(cases) < FOUNDED:
        yield from _keys(cases)


def head_of(cell: Element, view: View) -> Element | None:
    """The header of a cell's column; None for other elements."""
    heads = (e for e in view.elements if e.role == "columnheader" and view.is_under(e, cell))
    return next(heads, None) if cell.role in CELLS else None


def _keys(cases: Sequence[TargetCase]) -> Iterator[Costed[Selector]]:
    """Selectors of the row's key cells by column: the row named Ada, not any row that mentions her."""
    first, own = cases[0].scope, cases[0].element
    cells = [e for e in first.view.elements if e.name and first.view.together(own, e, 0)]
    for cell in cells:
        head = head_of(cell, first.view)
        if head is None or cell.id == own.id:
            continue
        said: list[Value] = [Const(cell.name)]
        said += [slot for slot in _whole_sources(cases) if as_labels(value_of(slot, first) or "", cell.name)]
        column = Under(Selector((HasRole(head.role), Captioned(Const(head.name)))))
        for value in said:
            anchor = Selector((HasRole(cell.role), Captioned(value), column))
            if _finds_one(anchor, cases):
                yield Costed(1.3 if isinstance(value, Slot) else 2.6, anchor)


def _finds_one(selector: Selector, cases: Sequence[TargetCase]) -> bool:
    return all(len(select(selector, case.scope)) == 1 for case in cases)


def _may_name_record(element: Element, view: View) -> bool:
    """Whether a text may identify a record; a number may only if it is the key."""
    return number_in(element.name) is None or view.is_key(element)


def _constant_anchors(cases: Sequence[TargetCase]) -> Iterator[Costed[Selector]]:
    captions: list[set[str]] = []
    for case in cases:
        view = case.scope.view
        near = sorted(view.elements, key=lambda e, own=case.element: e.box.gap(own.box))[:_LOOKED_AT]  # type: ignore[misc]
        named = [e for e in near if e.name and e.id != case.element.id and _may_name_record(e, view)]
        captions.append({label_or_text(e.name) for e in named})
    common = set.intersection(*captions) - {""}
    first = cases[0].element
    anchors = [Selector((Captioned(Const(text)),)) for text in sorted(common)]
    unique = [anchor for anchor in anchors if _finds_one(anchor, cases)]
    unique.sort(key=lambda anchor: select(anchor, cases[0].scope)[0].box.gap(first.box))
    for index, anchor in enumerate(unique[:_NEAREST]):
        cost = (2.2 if len(cases) == 1 else 1.6) + 0.1 * index
        yield Costed(cost, anchor)
        if len(cases) > 1:
            for most in (True, False):
                yield Costed(cost + 0.6, Selector((Under(anchor),), Extreme(most)))
