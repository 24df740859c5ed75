"""Explaining which element was meant in all demonstrations by one selector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import log2

from gui_agent.core.observation import Element, on_one_line
from gui_agent.core.texts import normal
from gui_agent.elements.roles import CELLS
from gui_agent.elements.words import attribute_words
from gui_agent.procedures.induction.priors import ANY, COMMAND, FOUNDED
from gui_agent.procedures.induction.values import TargetCase, as_labels, cheapest, discount, favour, texts
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


class Masks:
    """The tests of one induction problem, worked out once on every screen; bit i is the i-th element."""

    def __init__(self, scopes: Sequence[Scope], tests: Sequence[Test]) -> None:
        self.scopes = scopes
        self._whole = [(1 << len(scope.view.elements)) - 1 for scope in scopes]
        self._masks = {at: [self._mask(test, scope) for scope in scopes] for at, test in enumerate(tests)}
        self._after = {index for index, test in enumerate(tests) if isinstance(test, After)}

    def conjunction(self, indexes: Sequence[int]) -> list[int]:
        """What passes all of these tests on each screen; `After` takes the first of what the others leave."""
        left = list(self._whole)
        for index in indexes:
            if index not in self._after:
                left = [mask & own for mask, own in zip(left, self._masks[index], strict=True)]
        for index in indexes:
            if index in self._after:
                left = [mask & own for mask, own in zip(left, self._masks[index], strict=True)]
                left = [mask & -mask for mask in left]
        return left

    def elements(self, number: int, mask: int) -> tuple[Element, ...]:
        """The elements of a mask on the screen of this number, in reading order."""
        elements = self.scopes[number].view.elements
        return tuple(elements[bit] for bit in _bits(mask))

    def _mask(self, test: Test, scope: Scope) -> int:
        view = scope.view
        if isinstance(test, After):
            anchor = the_one(test.anchor, scope)
            whole = (1 << len(view.elements)) - 1
            return 0 if anchor is None else whole & ~((2 << view.position(anchor)) - 1)
        mask = 0
        for element in passing(test, view.elements, scope):
            mask |= 1 << view.position(element)
        return mask


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


KEPT = 4
"""How many selectors are kept: the best and its runners-up."""
TESTS = 20
"""How many of the cheapest tests are tried together."""
BARE = 2.4
"""What it costs to say nothing of an element but its role and which one it is: the first textbox."""
MIXED = 3.0
"""Counting things of different looks, of which one demonstration alone shows that one was meant: people count
what looks alike, and the links that turn the pages are no results."""
LARGEST = 3
"""Most tests in one selector, besides the role."""
_STATES = ("checked", "selected", "expanded", "collapsed", "disabled", "pressed")
_NO_EVIDENCE = frozenset({"href", "options", "src", "size", "min", "max", "step"})
"""Attributes that say what an element leads to or how large it is, not which one it is."""
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
    """Selectors that find exactly the meant element in every case, cheapest first.

    Args:
        is_allowed: which tests, picks and selectors made of them may be used; by default all.
    """
    scopes = [case.scope for case in cases]
    possible = [*candidate_tests(cases), *_one_of_names(cases)]
    tests = cheapest(favour([one for one in possible if is_allowed(one.it)], scopes), TESTS)
    base = role_of(cases)
    masks = Masks(scopes, [*base, *(test.it for test in tests)])
    meant = [case.masks()[0] for case in cases]
    allowed = [case.masks()[1] for case in cases]
    found: list[Costed[Selector]] = []
    for chosen, cost in conjunctions(tests):
        if len(found) >= KEPT and cost >= sorted(c.cost for c in found)[KEPT - 1]:
            continue
        left = masks.conjunction([*range(len(base)), *(len(base) + index for index in chosen)])
        if any(not mask & own for mask, own in zip(left, meant, strict=True)):
            continue
        ordered = in_order([*base, *(tests[index].it for index in chosen)])
        if all(mask & ~own == 0 for mask, own in zip(left, allowed, strict=True)):
            bare = 0.0 if chosen else 4.0 + _price_of_unnamed_command(cases, _ROLELESS)
            if is_allowed(Selector(ordered)):
                found.append(Costed(cost + bare, Selector(ordered)))
        elif len(chosen) < LARGEST:
            elements = [masks.elements(number, mask) for number, mask in enumerate(left)]
            asked = any(slots_used(tests[index].it) for index in chosen)
            every = (*_picks(elements, cases, asked=asked), *_over_pages(ordered, cases))
            picks = [one for one in every if is_allowed(one.it) and is_allowed(Selector(ordered, one.it))]
            bare = (0.0 if chosen else BARE) + _price_of_unnamed_command(cases)
            for pick in picks:
                extra = bare if isinstance(pick.it, Rank) and isinstance(pick.it.number, Const) else bare / 2
                whole = max(0.1, pick.cost + cost + extra - discount(pick.it, scopes))
                found.append(Costed(whole, Selector(ordered, pick.it)))
    told = [one for one in found if not any(case.passed_over(one.it) for case in cases)]
    return cheapest(told, KEPT)


def _price_of_unnamed_command(cases: Sequence[TargetCase], roles: frozenset[str] = frozenset()) -> float:
    called = [case.scope.view.captions(case.element)[:1] for case in cases]
    commands = all(case.element.role in (roles or _COMMANDS) for case in cases)
    return COMMAND if commands and all(called) and len(set(called)) > 1 else 0.0


def _interchangeable(elements: Sequence[Element]) -> bool:
    """Whether nothing but their names and places tells some elements apart."""
    return len({(e.role, e.attributes.get("class"), e.attributes.get("tag")) for e in elements}) == 1


def _one_of_names(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    """The names of one thing that is called this on one screen and that on another.

    One of the names must be seen twice, else any things would be one with many names.
    """
    called = [case.scope.view.captions(case.element)[:1] for case in cases]
    names = sorted({name for captions in called for name in captions})
    if all(called) and 1 < len(names) <= _MOST_NAMES and len(names) < len(cases):
        yield Costed(4.5 + 0.4 * len(names), NamedAsOneOf(tuple(names)))


def conjunctions(tests: Sequence[Costed[Test]]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Which of the tests to try together, fewer first, with the sum of their costs."""
    for size in range(LARGEST + 1):
        for chosen in combinations(range(len(tests)), size):
            yield chosen, sum(tests[index].cost for index in chosen)


def role_of(cases: Sequence[TargetCase]) -> list[Test]:
    """The test for the role, when it is the same in all cases; what is drawn is told by its look."""
    if any(case.element.attributes.get("shape") for case in cases):
        return []
    roles = {case.element.role for case in cases}
    return [HasRole(roles.pop())] if len(roles) == 1 else []


def in_order(tests: Iterable[Test]) -> tuple[Test, ...]:
    """Tests in one order for all, `After` last: it takes the first of what the others leave."""
    return tuple(
        sorted(tests, key=lambda test: (isinstance(test, After), not isinstance(test, HasRole), repr(test)))
    )


def _picks(
    left: Sequence[tuple[Element, ...]], cases: Sequence[TargetCase], *, asked: bool
) -> Iterator[Costed[Pick]]:
    ranks = [
        next(i for i, e in enumerate(elements, 1) if e.id == case.element.id)
        for elements, case in zip(left, cases, strict=True)
    ]
    several = len(cases) > 1
    if len(set(ranks)) == 1:
        yield Costed((1.5 if several else 2.6) + 0.2 * min(ranks[0], 10), Rank(Const(str(ranks[0]))))
    elif len(cases) > 2 and asked and all(map(_interchangeable, left)):
        which = sum(log2(len(elements)) for elements in left)
        yield Costed(ANY + which, Rank(Const("1")))
    if all(rank == len(elements) for rank, elements in zip(ranks, left, strict=True)):
        yield Costed(1.7 if several else 2.9, Rank(Const("-1")))
    for name in sorted(set.intersection(*(set(case.scope.slots) for case in cases))):
        pick = Rank(Slot(name))
        if _is_picked(pick, left, cases):
            yield Costed(1.2 + (0.0 if several or all(map(_interchangeable, left)) else MIXED), pick)
    for most in (True, False):
        if all(len(elements) > 1 for elements in left) and _is_picked(Extreme(most), left, cases):
            yield Costed(2.0 if several else 3.4, Extreme(most))


def _over_pages(tests: tuple[Test, ...], cases: Sequence[TargetCase]) -> Iterator[Costed[Pick]]:
    """The n-th, counted over the pages that were turned before; some must have been turned."""
    if not any(case.scope.earlier for case in cases):
        return
    for name in sorted(set.intersection(*(set(case.scope.slots) for case in cases))):
        selector = Selector(tests, Rank(Slot(name), paged=True))
        if all(ordinal(case.scope.slots[name]) for case in cases) and all(
            [element.id for element in select(selector, case.scope)] == [case.element.id] for case in cases
        ):
            yield Costed(1.6, Rank(Slot(name), paged=True))


def _is_picked(pick: Pick, left: Sequence[tuple[Element, ...]], cases: Sequence[TargetCase]) -> bool:
    for elements, case in zip(left, cases, strict=True):
        only = View(replace(case.scope.view.observation, elements=elements))
        found = select(Selector((), pick), case.scope.on(only))
        if [element.id for element in found] != [case.element.id]:
            return False
    return True


def candidate_tests(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    """Tests that the meant element passes in every case."""
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
    common = set.intersection(*(set(captions) for captions in called))
    for caption in sorted(common):
        yield Costed(2.4 if len(cases) == 1 else 1.5, Captioned(Const(_as_shown(caption, cases[0].element))))
    firsts = [captions[0] for captions in called]
    for costed in texts(firsts, scopes, same=as_labels):
        if not isinstance(costed.it, Const):
            yield Costed(costed.cost, Captioned(costed.it))
    if all(case.element.value for case in cases):
        for costed in texts([case.element.value for case in cases], scopes, same=as_labels):
            yield Costed(costed.cost + 0.6, Holding(costed.it))
    for value in _whole_sources(cases):
        for how, extra in (("starts", 1.2), ("ends", 1.2), ("has", 1.5)):
            test = Captioned(value, how)  # type: ignore[arg-type]
            if _passes(test, cases) and not _passes(Captioned(value), cases) and not _by_chance(test, cases):
                yield Costed(1.0 + extra, test)
                break


def _by_chance(test: Captioned, cases: Sequence[TargetCase]) -> bool:
    """Whether names have a text as whole words but begin or end with it inside of one: `Rapid City (RAP)`."""
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
    """The caption as the element writes it, for people who read the program."""
    own = element.name.strip(" :*")
    return own if label_or_text(own) == caption else caption


def _whole_sources(cases: Sequence[TargetCase]) -> list[Value]:
    names = set.intersection(*(set(case.scope.slots) for case in cases))
    telling = [n for n in sorted(names) if all(len(case.scope.slots[n]) > 1 for case in cases)]
    return [Slot(name) for name in telling]


def _attributes(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    several = len(cases) > 1
    known = [_known_attributes(case) for case in cases]
    keys = set.intersection(*(set(own) for own in known)) - _NO_EVIDENCE
    scopes = [case.scope for case in cases]
    for name in sorted(set.intersection(*(set(case.scope.slots) for case in cases))):
        for one in constructs().attributes():
            if one.price is not None and _passes(Attribute(one.name, Slot(name)), cases):
                yield Costed(one.price, Attribute(one.name, Slot(name)))
    for key in sorted(keys):
        values = [own[key] for own in known]
        if key == "tag" and not several:
            continue
        words = set.intersection(*(set(attribute_words(value)) for value in values))
        for word in sorted(words):
            if word and not (key == "tag" and word in _BARE_TAGS):
                yield Costed(2.6 if key in _STEADY else 3.0, Attribute(key, Const(word)))
        for costed in texts([normal(value) for value in values], scopes, same=as_labels):
            if not isinstance(costed.it, Const) and (several or not isinstance(costed.it, Joined)):
                yield Costed(costed.cost + 1.0, Attribute(key, costed.it))
        for source in _whole_sources(cases):
            if _passes(Attribute(key, source), cases):
                yield Costed(2.2, Attribute(key, source))


def _known_attributes(case: TargetCase) -> dict[str, str]:
    compared = [one for one in constructs().attributes() if one.compared]
    worked_out = {one.name: one.of(case.element, case.scope.view) for one in compared}
    return {**case.element.attributes, **{name: text for name, text in worked_out.items() if text}}


def _states(cases: Sequence[TargetCase]) -> Iterator[Costed[Test]]:
    for state in _STATES:
        has = {state in case.element.states for case in cases}
        kinds = {
            state in e.states
            for case in cases
            for e in case.scope.view.elements
            if e.role == case.element.role
        }
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
    """In the same container, or on the same line, as one of the elements that the anchor finds."""
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
    """In the column of the anchor, or the first one after it."""
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
    """The head of the column of a cell; None for anything else."""
    heads = (e for e in view.elements if e.role == "columnheader" and view.under(e, cell))
    return next(heads, None) if cell.role in CELLS else None


def _keys(cases: Sequence[TargetCase]) -> Iterator[Costed[Selector]]:
    """The cells of the row by their columns: the row whose name is Ada, not any in which she is named."""
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
            if all(len(select(anchor, case.scope)) == 1 for case in cases):
                yield Costed(1.3 if isinstance(value, Slot) else 2.6, anchor)


def _may_name_record(element: Element, view: View) -> bool:
    """Whether a text may tell one record from others: a number does only as its key."""
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
    anchors = [(text, Selector((Captioned(Const(text)),))) for text in sorted(common)]
    unique = [(t, a) for t, a in anchors if all(len(select(a, case.scope)) == 1 for case in cases)]
    unique.sort(key=lambda pair: select(pair[1], cases[0].scope)[0].box.gap(first.box))
    for index, (_, anchor) in enumerate(unique[:_NEAREST]):
        cost = (2.2 if len(cases) == 1 else 1.6) + 0.1 * index
        yield Costed(cost, anchor)
        if len(cases) > 1:
            for most in (True, False):
                yield Costed(cost + 0.6, Selector((Under(anchor),), Extreme(most)))
