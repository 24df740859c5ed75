"""Explains guesses: numbers that are tried until one is right, guided by the screen's answer to each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import NotFound
from gui_agent.procedures.induction.loops import Range
from gui_agent.procedures.induction.priors import CERTAIN
from gui_agent.procedures.induction.steps import ObservedEffect, Unexplained, explain
from gui_agent.procedures.language.constructs import Costed, LoopConstruct
from gui_agent.procedures.language.forms import number_in
from gui_agent.procedures.language.program import (
    Captioned,
    Const,
    Guided,
    Item,
    Joined,
    Selector,
    Slot,
    Step,
    Value,
)

COST = 4.0
_LONGEST = 3
_GAP = "\0"
"""The place of the tried number in a text of the screen."""

Round = Sequence[ObservedEffect]


class Narrow(LoopConstruct):
    """Tries the number in the middle of a range; the screen then says whether it is too low or too high.

    Its signs: the number is higher, it is lower, and, if one was shown, it was right.
    """

    name = "narrow"

    def next(
        self, given: Sequence[str | None], state: str | None, shown: Callable[[int, str], bool | None]
    ) -> str | None:
        """The ends of the remaining range and the number to try; None if the last one was right."""
        if state is not None:
            low, high, tried = map(int, state.split())
            if shown(0, str(tried)):
                low = tried + 1
            elif shown(1, str(tried)):
                high = tried - 1
            elif (right := shown(2, str(tried))) is False or (right is None and [low, high] == _ends(given)):
                # The absence of both signs means something only once one of them was seen.
                raise NotFound(f"the screen does not show whether {tried} is right")
            else:
                return None
        else:
            ends = _ends(given)
            if None in ends:
                raise NotFound("the range of the number is unknown")
            low, high = int(ends[0] or 0), int(ends[1] or 0)
        if low > high:
            raise NotFound("no number of the range was right")
        return f"{low} {high} {(low + high) // 2}"

    def item(self, state: str) -> str | None:
        """The number to try."""
        return state.rpartition(" ")[2] or None

    def words(self, given: Sequence[str]) -> str:
        """Such as `Narrow 0 to 9 down`."""
        return f"Narrow {' to '.join(given)} down to the right number, which is the item:"

    def propose(self, range: Range) -> Iterator[Costed[Step]]:
        """Rounds of the same few actions, each with another number; the screen gives the direction."""
        # An action that changed nothing, such as pressing the same button again, belongs to no round.
        told = [[one for one in run if one.act.doubt >= CERTAIN] for run in range.runs]
        slips = sum(one.act.doubt for run in range.runs for one in run if one.act.doubt < CERTAIN)
        if not all(told):
            return
        for size in (1, 2, 3)[:_LONGEST]:
            runs = [_rounds(run, size) for run in told]
            numbers = {_number_at(run[0]) for run in runs if run}
            if any(size * len(run) != len(acts) for run, acts in zip(runs, told, strict=True)):
                continue
            if len(numbers) == 1 and None not in numbers and max(map(len, runs)) > 1:
                found = _narrowing(runs, numbers.pop() or 0)
                yield Costed(found.cost + slips, found.it)


def _ends(given: Sequence[str | None]) -> list[float | None]:
    return [number_in(end or "") for end in given]


def _rounds(acts: Sequence[ObservedEffect], size: int) -> list[Round]:
    """The actions in groups that do the same to the same elements."""
    rounds: list[Round] = []
    for start in range(0, len(acts) - size + 1, size):
        group = acts[start : start + size]
        if rounds and not all(_same_act(one, first) for one, first in zip(group, rounds[0], strict=True)):
            break
        rounds.append(group)
    return rounds


def _same_act(one: ObservedEffect, other: ObservedEffect) -> bool:
    """Whether two actions are alike except for a number."""
    mine, its = one.act.element, other.act.element
    if one.act.shape != other.act.shape or mine is None or its is None or mine.path != its.path:
        return False
    return one.act.data == other.act.data or (_number(one) is not None and _number(other) is not None)


def _number(told: ObservedEffect) -> int | None:
    data = told.act.data
    return int(data) if data is not None and re.fullmatch(r"-?\d{1,9}", data) else None


def _number_at(group: Round) -> int | None:
    """The index of the action of a round that carries the number; None if none or several do."""
    places = [place for place, told in enumerate(group) if _number(told) is not None]
    return places[0] if len(places) == 1 else None


def _narrowing(runs: Sequence[Sequence[Round]], place: int) -> Costed[Step]:
    more, less = _directions(runs, place)
    low, high = _bounds(runs, place)
    flat = [group for run in runs for group in run]
    with_item = [[_about(told, str(_number(group[place]))) for told in group] for group in flat]
    body = [explain(list(column)) for column in zip(*with_item, strict=True)]
    if body[place].it.text != Item():
        raise Unexplained("the typed text is not the tried number")
    right = _sign_of_success(runs)
    signs = (more, less) if right is None else (more, less, right)
    step = Guided(Narrow.name, (low, high), signs, tuple(one.it for one in body))
    return Costed(COST + sum(one.cost for one in body), step)


def _about(told: ObservedEffect, item: str) -> ObservedEffect:
    return replace(told, scope=replace(told.scope, item=item))


def _directions(runs: Sequence[Sequence[Round]], place: int) -> tuple[Selector, Selector]:
    """The texts that the screen shows if the wanted number is higher, and if it is lower."""
    higher: list[set[str]] = []
    lower: list[set[str]] = []
    for run in runs:
        for group, following in pairwise(run):
            tried, then = _number(group[place]), _number(following[place])
            assert tried is not None and then is not None
            (higher if then > tried else lower).append(_texts_with_gap(following[0], tried))
    if not higher or not lower:
        raise Unexplained("only one direction was shown")
    return _only(higher, lower), _only(lower, higher)


def _texts_with_gap(told: ObservedEffect, tried: int) -> set[str]:
    """The texts on a screen, with a gap for the tried number."""
    number = re.compile(rf"(?<!\d){re.escape(str(tried))}(?!\d)")
    return {number.sub(_GAP, element.name) for element in told.act.view.elements if element.name}


def _only(these: Sequence[set[str]], those: Sequence[set[str]]) -> Selector:
    texts = set.intersection(*these).difference(*those)
    if not texts:
        raise Unexplained("the screen does not show whether to go higher or lower")
    text = max(sorted(texts), key=lambda one: (_GAP in one, len(one)))
    before, gap, after = text.partition(_GAP)
    value: Value = Const(text)
    if gap:
        value = Joined(tuple(p for p in (Const(before), Item(), Const(after)) if p != Const("")))
    return Selector((Captioned(value),))


def _bounds(runs: Sequence[Sequence[Round]], place: int) -> tuple[Value, Value]:
    """The smallest and the largest number that the instruction allows."""
    scopes = [run[0][0].scope for run in runs]
    tried = [[number for group in run if (number := _number(group[place])) is not None] for run in runs]
    slots = [name for name in sorted(scopes[0].slots) if all(name in scope.slots for scope in scopes)]
    for one in slots:
        for other in slots:
            ends = [(scope.slots[one], scope.slots[other]) for scope in scopes]
            if all(a.isdecimal() and b.isdecimal() for a, b in ends) and all(
                int(a) <= min(own) and max(own) <= int(b) for (a, b), own in zip(ends, tried, strict=True)
            ):
                return Slot(one), Slot(other)
    named = {tuple(re.findall(r"\d+", scope.instruction)[:2]) for scope in scopes}
    ends_named = named.pop() if len(named) == 1 else ()
    if len(ends_named) == 2:
        low, high = ends_named
        if all(int(low) <= min(own) and max(own) <= int(high) for own in tried):
            return Const(low), Const(high)
    raise Unexplained("the instruction gives no range")


def _sign_of_success(runs: Sequence[Sequence[Round]]) -> Selector | None:
    """The text that is shown once the number is right."""
    shown = [{c.text for c in run[-1][-1].act.expect if isinstance(c, TextShown)} for run in runs]
    common = set.intersection(*shown)
    return Selector((Captioned(Const(min(common))),)) if common else None
