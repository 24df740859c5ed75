"""Explaining repeated presses by a shown quantity that is brought to what is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gui_agent.core.actions import Press
from gui_agent.core.observation import Element
from gui_agent.procedures.induction.cases import TargetCase
from gui_agent.procedures.induction.selectors import targets
from gui_agent.procedures.induction.steps import Told, Unexplained, explain
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.dates import compared
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.expressions import Formed, ReadText, Slot, Value
from gui_agent.procedures.language.forms import FORMS
from gui_agent.procedures.language.steps import DoStep, Steer, Step
from gui_agent.procedures.language.view import text_of

_OPPOSITES = {"left": "right", "right": "left", "up": "down", "down": "up"}
_GOAL_FORMS = ("number", "date as March 2024", "date as Mar 2024", "date as March", "number of the ordinal")


def steered(runs: Sequence[Sequence[Told]], after: Sequence[Scope | None]) -> Costed[Step]:
    """A step that turns a quantity up or down.

    Args:
        runs: the presses of each demonstration.
        after: the scope on the screen after the last press, None when it was not recorded.

    Raises:
        Unexplained: no quantity on the screen goes with a value of the instruction.
    """
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
        fitting = [e for e in scope.view.elements if compared(text_of(e), wanted) == 0.0 and text_of(e)]
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
        for costed in targets(cases, captions=False):
            yield Costed(costed.cost, ReadText(costed.it))


def _differs(element: Element, before: object, wanted: str) -> bool:
    from gui_agent.procedures.language.view import View

    assert isinstance(before, View)
    then = before.by_id(element.id)
    return then is None or compared(text_of(then), wanted) != 0.0


def _ways(
    goal: Value, reading: Value, runs: Sequence[Sequence[Told]]
) -> tuple[list[Told], list[Told]] | None:
    """The presses that went up and those that went down; None when the reading does not say which."""
    up: list[Told] = []
    down: list[Told] = []
    for run in runs:
        for told in run:
            now, wanted = value_of(reading, told.here), value_of(goal, told.here)
            difference = compared(now, wanted) if now is not None and wanted is not None else None
            if not difference:
                return None
            (up if difference > 0 else down).append(told)
    names = [{told.signature for told in way} for way in (up, down)]
    return None if names[0] & names[1] else (up, down)
