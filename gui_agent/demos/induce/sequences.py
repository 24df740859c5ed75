"""Explaining aligned steps: the same act in every demonstration becomes one step of a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gui_agent.core.actions import Press, Wait, places
from gui_agent.demos.evaluate import Scope
from gui_agent.demos.expressions import Const, Selector, Value
from gui_agent.demos.induce.acts import Act
from gui_agent.demos.induce.cases import Case, Costed
from gui_agent.demos.induce.expectations import expectations, pattern
from gui_agent.demos.induce.targets import targets
from gui_agent.demos.induce.texts import texts
from gui_agent.demos.steps import Aim, Do
from gui_agent.demos.walk import slots_used


class Unexplained(Exception):
    """No expression of the language is consistent with all demonstrations at this step."""


@dataclass(frozen=True)
class Told:
    """One act of one demonstration, and what may be referred to when explaining it."""

    act: Act
    scope: Scope

    @property
    def here(self) -> Scope:
        """The scope on the screen of the act."""
        return self.scope.on(self.act.view)

    @property
    def signature(self) -> tuple[object, ...]:
        """What makes two acts the same act on the same thing."""
        element = self.act.element
        if element is None:
            return (*self.act.shape, self.act.data)
        called = self.act.view.captions(element) or element.path
        return (*self.act.shape, element.role, called, self.act.data)

    @property
    def target(self) -> tuple[object, ...]:
        """What is acted on and how, whatever is typed."""
        element = self.act.element
        if element is None:
            return self.act.shape
        return (*self.act.shape, element.role, self.act.view.captions(element) or element.path)

    def alike(self, other: Told) -> bool:
        """Whether the other act does the same to the same element."""
        one, two = self.act.element, other.act.element
        if (one is None) != (two is None) or self.signature != other.signature:
            return False
        return one is None or two is None or one.id == two.id or one.path == two.path


def with_pages(told: Sequence[Told]) -> list[Told]:
    """The acts of a demonstration, each with the screens of the like acts right before it: pages turned."""
    found: list[Told] = []
    for index, one in enumerate(told):
        start = index
        while start > 0 and told[start - 1].signature == told[index - 1].signature:
            start -= 1
        earlier = tuple(before.act.view for before in told[start:index])
        found.append(replace(one, scope=replace(one.scope, earlier=earlier)))
    return found


def explain(told: Sequence[Told]) -> Costed[Do]:
    """One step for the same act in each demonstration.

    Raises:
        Unexplained: the acts differ in kind, or nothing expresses their targets or texts.
    """
    if any(one.act.copied is not None for one in told):
        raise Unexplained("what is read is no act")
    if len({one.act.shape for one in told}) != 1:
        told = [_as_clicked(one) for one in told]
    if len({one.act.shape for one in told}) != 1:
        raise Unexplained("the actions differ")
    first = told[0].act
    at, at_cost = _aim(told, to=False)
    to, to_cost = _aim(told, to=True)
    text, text_cost = _text(told)
    times = _times(told)
    return Costed(
        at_cost + to_cost + text_cost + 0.5,
        Do(
            action=first.action,
            at=at,
            to=to,
            text=text,
            times=times,
            expect=expectations([one.act for one in told], [one.scope for one in told]),
            evidence=len(told),
        ),
    )


def _as_clicked(one: Told) -> Told:
    """Ticking a box as the click that it was, for comparing it with clicks on other things."""
    return replace(one, act=replace(one.act, action=one.act.clicked or one.act.action))


def _aim(told: Sequence[Told], *, to: bool) -> tuple[Aim | None, float]:
    elements = [one.act.to if to else one.act.element for one in told]
    named = "to" if to else "at"
    if all(element is None for element in elements):
        if any(named in places(one.act.action) for one in told) and len(told) > 1:
            raise Unexplained("the target was not recorded")
        return None, 0.0
    cases = [Case(one.here, element) for one, element in zip(told, elements, strict=True) if element]
    if len(cases) != len(told):
        raise Unexplained("the target was not recorded")
    found = targets(_without_chance(cases)) or targets(cases)
    if not found:
        raise Unexplained("nothing tells the target apart")
    used = slots_used(found[0].it)
    choices = [costed.it for costed in found if slots_used(costed.it) >= used]
    return Aim(tuple(choices)), found[0].cost


def _without_chance(cases: Sequence[Case]) -> list[Case]:
    """The cases without the values that a name which is always the same is like by chance."""
    called = [set(case.scope.view.captions(case.element)) for case in cases]
    if len(cases) > 1 and not set.intersection(*called):
        return list(cases)

    def rid(scope: Scope) -> Scope:
        return replace(scope, slots={n: v for n, v in scope.slots.items() if n not in scope.by_chance})

    return [replace(case, scope=rid(case.scope)) for case in cases]


def _text(told: Sequence[Told]) -> tuple[Value | None, float]:
    wanted = [one.act.data for one in told]
    if all(text is None for text in wanted):
        return None, 0.0
    if any(text is None for text in wanted):
        raise Unexplained("the texts differ")
    if all(isinstance(one.act.action, Wait) for one in told):
        # What is waited for is shown by the program, so it is generalised like a post-condition.
        awaited = {pattern(text or "", one.here) for text, one in zip(wanted, told, strict=True)}
        if len(awaited) == 1:
            return awaited.pop(), 1.0
    found = texts([text or "" for text in wanted], [one.here for one in told], reading=_reading)
    if not found:
        raise Unexplained("nothing explains the text")
    return found[0].it, found[0].cost


def _reading(cases: Sequence[Case]) -> list[Costed[Selector]]:
    return targets(cases)


def _times(told: Sequence[Told]) -> Value | None:
    """How often a key is pressed, when that differs."""
    times = [one.act.action.times for one in told if isinstance(one.act.action, Press)]
    if not times or all(number == times[0] for number in times):
        return None
    found = texts([str(number) for number in times], [one.here for one in told])
    if not found:
        raise Unexplained("nothing explains how often the key is pressed")
    return found[0].it


def sequence(told: Sequence[Sequence[Told]]) -> Costed[tuple[Do, ...]]:
    """Steps for demonstrations of the same length, act by act.

    Raises:
        Unexplained: the lengths differ, or an act has no explanation.
    """
    if len({len(acts) for acts in told}) != 1:
        raise Unexplained("the demonstrations differ in length")
    steps = [explain(list(column)) for column in zip(*told, strict=True)]
    return Costed(sum(step.cost for step in steps), tuple(step.it for step in steps))


def constant(value: Value | None) -> bool:
    """Whether a text is the same whatever is asked for."""
    return isinstance(value, Const)
