"""Loops and conditions that could explain the next acts of all demonstrations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gui_agent.core.actions import Check, Choose, TypeText
from gui_agent.core.texts import normal
from gui_agent.demos.evaluate import Scope, select, value_of
from gui_agent.demos.expressions import Const, Formed, Selector, Slot, Value
from gui_agent.demos.forms import ON_THE_WAY
from gui_agent.demos.induce.cases import Costed
from gui_agent.demos.induce.sequences import Told, Unexplained, explain
from gui_agent.demos.induce.sets import set_of
from gui_agent.demos.induce.steering import steered
from gui_agent.demos.induce.surveying import looks
from gui_agent.demos.induce.surveying import survey as surveyed
from gui_agent.demos.numbers import list_items
from gui_agent.demos.steps import Aim, Do, Every, ForEach, Step, Until, When
from gui_agent.demos.view import label_or_text

COSTS = {"for_each": 1.0, "until": 3.0, "every": 3.0, "steer": 2.0, "when": 4.0}
"""Description length of each kind of block, without its body."""
MOST_WHENS = 2
"""Demonstrations that differ in more than this many places are variants, not one procedure."""
_LONGEST_BODY = 3
_LONGEST_ANSWER = 4
"""Most acts that are the answer to something that is shown only sometimes."""
_TRIMS = (0, 1, 2)

Left = Sequence[Sequence[Told]]
Finish = Callable[[tuple[Step, ...]], Costed[Step]]


@dataclass(frozen=True)
class Block:
    """A block that uses up the next few acts of each demonstration."""

    used: tuple[int, ...]
    finish: Finish
    """Gives the step when what follows is known; raises Unexplained when it does not fit after all."""
    optional: bool = False
    """Whether it is something that may be left out."""


def for_each(left: Left) -> Iterator[Block]:
    """One round for each item of a list in the instruction."""
    for name in sorted(
        set.intersection(*(set(acts[0].scope.slots) if acts else _all_slots(left) for acts in left))
    ):
        yield from list(_for_each_in(left, Slot(name), commas=False)) or _for_each_in(
            left, Slot(name), commas=True
        )
        yield from _for_each_in(left, Formed(Slot(name), ON_THE_WAY), commas=False)


def _for_each_in(left: Left, source: Value, *, commas: bool) -> Iterator[Block]:
    lists = [_items(acts, source, commas) for acts in left]
    if max(len(items) for items in lists) < 2:
        return
    for size in range(1, _LONGEST_BODY + 1):
        rounds = [_rounds(acts, items, size) for acts, items in zip(left, lists, strict=True)]
        if all(one is not None for one in rounds):
            flat = [group for one in rounds for group in one or ()]
            yield Block(tuple(len(items) * size for items in lists), _for_each(source, flat, commas))


def _all_slots(left: Left) -> set[str]:
    return {name for acts in left for told in acts for name in told.scope.slots}


def _items(acts: Sequence[Told], source: Value, commas: bool) -> tuple[str, ...]:
    return list_items(value_of(source, acts[0].scope) or "", commas=commas) if acts else ()


def _rounds(acts: Sequence[Told], items: Sequence[str], size: int) -> list[list[Told]] | None:
    """The acts in rounds, each with its item in scope; None when they do not go with the items."""
    if len(acts) < len(items) * size:
        return None
    left = list(items)
    rounds: list[list[Told]] = []
    for start in range(0, len(items) * size, size):
        group = acts[start : start + size]
        item = next((item for item in left if any(about(told, item) for told in group)), None)
        if item is None:
            return None
        left.remove(item)
        rounds.append([replace(told, scope=replace(told.scope, item=item)) for told in group])
    return rounds


def about(told: Told, item: str) -> bool:
    """Whether an act types an item or acts on what is called so."""
    act = told.act
    if act.data is not None and normal(act.data) == normal(item):
        return True
    elements = [element for element in (act.element, act.to) if element is not None]
    return any(label_or_text(item) in act.view.captions(element) for element in elements)


def _for_each(source: Value, rounds: list[list[Told]], commas: bool) -> Finish:
    def finish(rest: tuple[Step, ...]) -> Costed[Step]:
        del rest
        body = [explain(list(column)) for column in zip(*rounds, strict=True)]
        cost = COSTS["for_each"] + sum(step.cost for step in body)
        return Costed(cost, ForEach(source, tuple(step.it for step in body), commas))

    return finish


def until(left: Left) -> Iterator[Block]:
    """The same, or the next of its kind, until what comes next is on the screen."""
    for used in _run_lengths(left):
        if max(used) > 0:
            yield Block(used, _until([list(acts[:count]) for acts, count in zip(left, used, strict=True)]))


def _run_lengths(left: Left) -> Iterator[tuple[int, ...]]:
    """How many acts of each demonstration may be rounds of one loop: runs of like acts, less a few."""
    first = next((acts[0] for acts in left if acts), None)
    if first is None:
        return
    kinds = Counter(_kind(acts[0]) for acts in left if acts)
    for kind in kinds:
        runs = [_run(acts, kind) for acts in left]
        for trim in _TRIMS:
            used = tuple(max(0, run - trim) for run in runs)
            if any(used) and (trim == 0 or all(run >= trim for run in runs)):
                yield used


def _kind(told: Told) -> tuple[object, ...]:
    return (told.act.shape, told.act.element.role if told.act.element else "")


def _run(acts: Sequence[Told], kind: tuple[object, ...]) -> int:
    count = 0
    while count < len(acts) and _kind(acts[count]) == kind:
        count += 1
    return count


def _until(runs: list[list[Told]]) -> Finish:
    def finish(rest: tuple[Step, ...]) -> Costed[Step]:
        shown = _first_target(rest)
        rounds: list[Told] = []
        for run in runs:
            tried: frozenset[int] = frozenset()
            for told in run:
                here = replace(told.here, tried=tried)
                if select(shown, here):
                    raise Unexplained("what is looked for was there before")
                rounds.append(replace(told, scope=replace(told.scope, tried=tried)))
                if told.act.element is not None:
                    tried |= {told.act.element.id}
        if len(rounds) < 2 and len(runs) < 2:
            raise Unexplained("one act is no loop")
        if len(runs) == 1 and _named_apart(rounds):
            raise Unexplained("one demonstration of several names is a way, not a search")
        body = explain(rounds)
        if isinstance(body.it.action, TypeText | Choose | Check):
            raise Unexplained("filling in the same once more shows nothing new")
        return Costed(COSTS["until"] + body.cost, Until(shown, (body.it,)))

    return finish


def _named_apart(rounds: Sequence[Told]) -> bool:
    """Whether each act went to something with a name of its own."""
    called = [told.act.view.captions(told.act.element)[:1] for told in rounds if told.act.element is not None]
    return len(called) == len(rounds) == len(set(called)) and all(called)


def _first_target(rest: tuple[Step, ...]) -> Selector:
    if rest and isinstance(rest[0], Do) and rest[0].at is not None:
        return rest[0].at.choices[0]
    raise Unexplained("nothing is looked for")


def every(left: Left) -> Iterator[Block]:
    """The same with every element of some description."""
    for used in _run_lengths(left):
        if max(used) > 1 and min(used) > 0:
            runs = [list(acts[:count]) for acts, count in zip(left, used, strict=True)]
            yield Block(used, _every(runs, _after(left, used)))


def _after(left: Left, used: Sequence[int]) -> list[Scope | None]:
    """The scopes on the screens of the first act that is not used; None where there is none."""
    return [acts[count].here if count < len(acts) else None for acts, count in zip(left, used, strict=True)]


def _every(runs: list[list[Told]], after: list[Scope | None]) -> Finish:
    def finish(rest: tuple[Step, ...]) -> Costed[Step]:
        del rest
        if any(told.act.element is None for run in runs for told in run):
            raise Unexplained("the target was not recorded")
        of, limit = set_of(runs, after)
        first = runs[0][0].act.action
        cost = COSTS["every"] + of.cost
        return Costed(cost, Every(of.it, (Do(first, at=Aim((of.it,))),), limit))

    return finish


def steer(left: Left) -> Iterator[Block]:
    """One way or the other until a shown quantity is what is asked for."""
    for used in _signature_runs(left):
        runs = [list(acts[:count]) for acts, count in zip(left, used, strict=True)]
        after = _after(left, used)
        yield Block(used, lambda rest, runs=runs, after=after: _with_cost(steered(runs, after)))  # type: ignore[misc]


def _with_cost(found: Costed[Step]) -> Costed[Step]:
    return Costed(COSTS["steer"] + found.cost, found.it)


def _signature_runs(left: Left) -> Iterator[tuple[int, ...]]:
    """Runs of acts on one and the same element, which may be another one in each demonstration."""
    runs: list[int] = []
    for acts in left:
        count = 1 if acts else 0
        while 0 < count < len(acts) and acts[count].alike(acts[count - 1]):
            count += 1
        runs.append(count)
    if max(runs) < 2:
        return
    # A demonstration in which nothing had to be done begins with the next step.
    longest = max(range(len(left)), key=lambda i: runs[i])
    others = [acts[0].alike(left[longest][0]) if acts else False for acts in left]
    yield tuple(runs)
    if not all(others):
        zeros = tuple(run if same or run > 1 else 0 for run, same in zip(runs, others, strict=True))
        if zeros != tuple(runs):
            yield zeros


def survey(left: Left) -> Iterator[Block]:
    """A list that was looked through to the end, and the one thing of it that was taken."""
    found = looks(left)
    if found is not None:
        yield Block(tuple(look.used for look in found), lambda rest: _without(rest, surveyed(found)))


def _without(rest: tuple[Step, ...], step: Costed[Step]) -> Costed[Step]:
    del rest
    return step


def when(left: Left, before: Sequence[Told | None]) -> Iterator[Block]:
    """Something that is done only when it is on the screen, and what it undid done again.

    Args:
        before: the last act of each demonstration; None where there is none.
    """
    signatures = {acts[0].signature for acts in left if acts}
    for signature in signatures:
        has = [bool(acts) and acts[0].signature == signature for acts in left]
        if all(has) or not any(has):
            continue
        again = all(
            len(acts) > 1 and last is not None and acts[1].alike(last)
            for acts, last, one in zip(left, before, has, strict=True)
            if one
        )
        sizes = [2 if again else 1, *_longer_answers(left, has)]
        for size in sizes:
            yield Block(tuple(size * one for one in has), _when(left, has, size), optional=True)


def _longer_answers(left: Left, has: list[bool]) -> list[int]:
    """How many acts the answer may have, such as a login: up to what the other demonstrations begin with."""
    others = {acts[0].target for acts, one in zip(left, has, strict=True) if acts and not one}
    own = [acts for acts, one in zip(left, has, strict=True) if one]
    return [
        size
        for size in range(2, _LONGEST_ANSWER + 1)
        if all(len(acts) > size and acts[size].target in others for acts in own)
    ]


def _when(left: Left, has: list[bool], size: int) -> Finish:
    def finish(rest: tuple[Step, ...]) -> Costed[Step]:
        if not rest or isinstance(rest[-1], When):
            raise Unexplained("a procedure does not end with something that may be left out")
        own = [acts[:size] for acts, one in zip(left, has, strict=True) if one]
        body = [explain(list(column)) for column in zip(*own, strict=True)]
        first = body[0].it
        if first.at is None:
            raise Unexplained("nothing shows whether it is to be done")
        if len(own) == 1 and isinstance(first.text, Const) and not _gives_secret(own[0]):
            raise Unexplained("one demonstration alone does not show what is typed")
        shown = first.at.choices[0]
        for acts, one in zip(left, has, strict=True):
            if not one and acts and select(shown, acts[0].here):
                raise Unexplained("it was there and was not used")
        cost = COSTS["when"] + sum(step.cost for step in body)
        return Costed(cost, When(shown, tuple(step.it for step in body)))

    return finish


def _gives_secret(acts: Sequence[Told]) -> bool:
    """Whether acts are a login: who one is stays the same."""
    return any("${secret:" in (told.act.data or "") for told in acts)
