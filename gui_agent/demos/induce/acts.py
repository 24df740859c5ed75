"""Recorded steps brought into a common form, so that two people doing the same look the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from gui_agent.core.actions import Check, Choose, Click, Press, Recorded, Scroll, TypeText, Wait, places
from gui_agent.core.conditions import Condition, StateIs
from gui_agent.core.demonstration import Demonstration, DemoStep
from gui_agent.core.observation import Element
from gui_agent.core.targets import Fingerprint
from gui_agent.demos.data import data_of
from gui_agent.demos.view import View

EDITABLE = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "textarea"})
TICKED = frozenset({"checkbox", "radio", "switch"})


@dataclass(frozen=True)
class Act:
    """One step of a demonstration with the screen it was taken on."""

    action: Recorded
    view: View
    element: Element | None = None
    to: Element | None = None
    expect: tuple[Condition[Fingerprint], ...] = ()
    clicked: Recorded | None = None
    """The click that was recorded, when `action` says it as ticking a box."""
    scrolled: tuple[View, ...] = ()
    """What was scrolled past right before it."""
    copied: tuple[str, str] | None = None
    """The name and the text of what was read here to be typed later; nothing was acted on then."""

    @property
    def data(self) -> str | None:
        """The text that the action carries."""
        return None if self.copied is not None else data_of(self.action)

    @property
    def shape(self) -> tuple[object, ...]:
        """What two acts must have in common to be the same step of a procedure."""
        action = self.action
        details: tuple[object, ...] = ()
        if self.copied is not None:
            return ("copied", self.copied[0])
        if isinstance(action, Click):
            details = (action.button, action.clicks, action.modifiers)
        elif isinstance(action, Press):
            details = (action.keys,)
        elif isinstance(action, Check):
            details = (action.on,)
        return (action.kind, self.to is not None, *details)


def acts(demonstration: Demonstration) -> tuple[Act, ...]:
    """The steps of a demonstration without what says nothing about the procedure.

    A click into a field before typing into it is part of the typing; pieces typed into one field are one
    text; a click that ticks a box is a tick; waits and scrolls that only brought the next target
    into view are left to execution.
    """
    found = [_act(step) for step in demonstration.steps]
    found = [replace(act, action=_as_check(act), clicked=act.action) for act in found]
    kept: list[Act] = []
    past: list[View] = []
    for index, act in enumerate(found):
        following = next((a for a in found[index + 1 :] if not isinstance(a.action, Scroll | Wait)), None)
        if _only_waits(act) or (following is not None and _only_prepares(act, following)):
            past += [act.view] if isinstance(act.action, Scroll) else []
            continue
        if kept and _continues(kept[-1], act):
            kept[-1] = _merged(kept[-1], act)
            continue
        placed = _placed(act, found[index - 1] if index else None)
        kept.append(replace(placed, scrolled=tuple(past)))
        past = []
    return tuple(kept)


def _act(step: DemoStep) -> Act:
    view = View.of(step.screen)
    element = view.by_id(step.element) if step.element else None
    to = view.by_id(step.to_element) if step.to_element else None
    return Act(step.action, view, element, to, step.expect)


def _as_check(act: Act) -> Recorded:
    """A click that left a box ticked or not as the action that says so."""
    action = act.action
    if not isinstance(action, Click) or act.element is None or act.element.role not in TICKED:
        return action
    if action.button != "left" or action.clicks != 1 or action.modifiers:
        return action
    on = "checked" not in act.element.states
    said = [c for c in act.expect if isinstance(c, StateIs) and c.state == "checked"]
    return Check(action.at, on=said[0].on if said else on)


def _only_waits(act: Act) -> bool:
    return isinstance(act.action, Wait) and not act.action.until


def _only_prepares(act: Act, following: Act) -> bool:
    """Whether an act only focuses the field that is typed into next, or scrolls to the next target."""
    if isinstance(act.action, Click) and isinstance(following.action, TypeText | Choose):
        plain = act.action.clicks == 1 and act.action.button == "left" and not act.action.modifiers
        same = (
            following.element is not None
            and act.element is not None
            and following.element.id == act.element.id
        )
        into_focus = following.element is None and act.element is not None and act.element.role in EDITABLE
        return plain and (same or into_focus)
    if isinstance(act.action, Scroll) and following.element is not None:
        before = act.view.by_id(following.element.id)
        return before is None or before.name != following.element.name
    return False


def _placed(act: Act, before: Act | None) -> Act:
    """Typing where the focus is, after a click into a field, is typing into that field."""
    action = act.action
    if not isinstance(action, TypeText) or act.element is not None or before is None:
        return act
    if isinstance(before.action, Click) and before.element is not None and before.element.role in EDITABLE:
        element = act.view.by_id(before.element.id) or before.element
        at = next(iter(places(before.action).values()))
        return replace(act, action=replace(cast(Any, action), at=at), element=element)
    return act


def _continues(before: Act, act: Act) -> bool:
    one, two = before.action, act.action
    if not isinstance(one, TypeText) or not isinstance(two, TypeText) or two.replace:
        return False
    if act.element is None:
        return two.at is None and before.element is not None
    return before.element is not None and act.element.id == before.element.id


def _merged(before: Act, act: Act) -> Act:
    assert isinstance(before.action, TypeText) and isinstance(act.action, TypeText)
    return replace(
        before, action=replace(before.action, text=before.action.text + act.action.text), expect=act.expect
    )


def shapes(sequence: Sequence[Act]) -> tuple[tuple[object, ...], ...]:
    """The shapes of acts, in order."""
    return tuple(act.shape for act in sequence)
