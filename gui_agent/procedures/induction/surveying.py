"""A list that was looked through before the thing with the smallest or largest number in it was taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gui_agent.core.actions import Scroll
from gui_agent.core.observation import TEXT
from gui_agent.core.texts import normal
from gui_agent.procedures.induction.steps import Told, Unexplained, explain
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import select
from gui_agent.procedures.language.expressions import (
    Attribute,
    Captioned,
    Const,
    HasRole,
    Item,
    Selector,
    Test,
    With,
)
from gui_agent.procedures.language.numbers import number_in
from gui_agent.procedures.language.steps import Step, Survey
from gui_agent.procedures.language.view import View, label_or_text, text_of
from gui_agent.procedures.language.walk import nodes

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
    """How many acts that was."""

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
    """The step that takes what has the smallest or largest number.

    Raises:
        Unexplained: nothing that has one is it in all demonstrations.
    """
    for tests, cost in _lists(found):
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


def _lists(found: Sequence[ListLook]) -> Iterator[tuple[tuple[Test, ...], float]]:
    """What may have the numbers: things like what was taken, texts beside one label, any texts."""
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
