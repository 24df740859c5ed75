"""What a run sent, wrote or changed, and the effect of a click that commits it, judged without words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence, Set

from gui_agent.agent.differences import difference
from gui_agent.agent.finish import needs_effect
from gui_agent.agent.outcome import keyboard_holder, same_element_later
from gui_agent.core.actions import Click, Press, Wait
from gui_agent.core.aiming import sets_field_value
from gui_agent.core.observation import Element, Observation, is_part_of, window_at
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Step, Trajectory, found_element
from gui_agent.elements import roles
from gui_agent.elements.text import name_words
from gui_agent.scene import Scene

LEADS_ON = roles.NAVIGATING - roles.MENU_ITEMS
"""Roles on which a click only leads to another view."""
_PRESSED = roles.BUTTONS | {"generic"}
_LOOKS = frozenset(("navigate", "open"))
_RECORDS = roles.ROWS | roles.ENTRIES | roles.CELLS
_TAKEN = ("was accepted", "was loaded")
_LETTERS = re.compile(r"[^\W\d_]{3}")
MOST_WORDS = 16
"""Most new elements of a message; more of them are another view."""


def has_effects(trajectory: Trajectory) -> bool:
    """Whether a run may have sent, written or changed anything, by its actions and their effects."""
    called = any(turn.decision.called for turn in trajectory.turns)
    return called or any(_may_change(step) for step in trajectory.steps if step.action is not None)


def _may_change(step: Step) -> bool:
    from gui_agent.agent.guard.meaning import HARMLESS

    action, on = step.action, aimed_at(step)
    if isinstance(action, Click) and on is not None and on.role in LEADS_ON:
        return any(one.startswith("POST ") for one in step.after.effects) or _means_something(step)
    if isinstance(action, Press):
        return needs_effect(action)
    return action is not None and action.kind not in HARMLESS | _LOOKS


def _means_something(step: Step) -> bool:
    from gui_agent.agent.guard.meaning import classify
    from gui_agent.agent.guard.vocabulary import PLAIN, UNKNOWN

    if step.action is None or isinstance(step.action, Wait):
        return False
    return any(one.meaning not in (PLAIN, UNKNOWN) for one in classify(step.action, step.found, step.before))


def is_pressed(step: Step, pressed: Set[str] = roles.OPENERS) -> bool:
    """Whether a step is a key or a button click whose effect was not predicted."""
    action, on = step.planned.action, aimed_at(step)
    if (step.planned.expect or step.planned.signs) and step.outcome.kind == "confirmed":
        return False
    clicked = isinstance(action, Click) and on is not None and on.role in pressed
    return clicked or (isinstance(action, Press) and needs_effect(action))


def aimed_at(step: Step) -> Element | None:
    """The element that a step acted on, or None."""
    return found_element(step.found)


def is_commit(step: Step, earlier: Sequence[Step]) -> bool:
    """Whether a click or key submits what was filled in before it, or sends, deletes or pays."""
    filled = any(still_filled(earlier, step.before))
    return is_pressed(step, _PRESSED) and (filled or _means_something(step))


def still_filled(earlier: Sequence[Step], screen: Observation) -> Iterator[Element]:
    """Fields filled in by earlier steps that still have their values on a screen."""
    for step in earlier:
        on = aimed_at(step) or keyboard_holder(step.after)
        if (
            not sets_field_value(step.planned.action)
            or not step.outcome.good
            or on is None
            or "password" in on.states
        ):
            continue
        left, now = step.after.by_id(on.id), same_element_later(on.id, step.after, screen)
        if left and now and (now.value, now.states & _MARKS) == (left.value, left.states & _MARKS):
            yield now


_MARKS = frozenset(("checked", "pressed", "selected"))


def own_dialog(step: Step) -> Element | None:
    """The dialog that contains the step's target, or None."""
    on, dialog = aimed_at(step), Scene.from_screen(step.before).layers.dialog
    return dialog if dialog is not None and on is not None and is_part_of(on, dialog) else None


def has_stayed(step: Step, screen: Observation) -> bool:
    """Whether the window, dialog or page of the step's target is still there."""
    before, on = step.before, aimed_at(step)
    if before.windows and on is not None:
        return window_at(before.windows, on.box.center) in screen.windows
    if (dialog := own_dialog(step)) is not None:
        return same_element_later(dialog.id, before, screen) is not None
    return before.place.url == screen.place.url


def words_alone(step: Step, earlier: Sequence[Step]) -> Sequence[Element]:
    """The words that are the only effect of a click, while everything filled in stays as it was.

    Empty if there are no words, or if anything else shows success: another page, a record with the filled-in
    values, many new elements, an emptied form, a control that disappeared.
    """
    filled = [one.value for one in still_filled(earlier, step.before)]
    values = [one.value for one in still_filled(earlier, step.after)]
    if not _stands_as_before(step, bool(filled)) or (filled != values and not is_built_anew(step)):
        return ()
    fresh, on = _new_things(step), aimed_at(step)
    if len(fresh) > MOST_WORDS or any(_holds(one, values) for one in fresh):
        return ()
    return [one for one in fresh if _is_said(one) or (on is not None and one.id == on.id)]


def _new_things(step: Step) -> Sequence[Element]:
    known = {one.name for one in step.before.elements}
    return [one for one in step.after.elements if one.name and one.name not in known]


def new_words(step: Step) -> Sequence[Element]:
    """The texts, alerts and headings that appeared with a step."""
    return [one for one in _new_things(step) if _is_said(one)]


def _is_said(element: Element) -> bool:
    return (element.is_text or element.role in roles.ORIENTING) and bool(_LETTERS.search(element.name))


def leaves_nothing(step: Step, earlier: Sequence[Step]) -> bool:
    """Whether the effect of a commit is gone again, or is the same page and form once more."""
    on_page = bool(step.after.place.url)  # a program's control acts when it takes a click
    if (
        not on_page
        or step.outcome.kind != "changed"
        or is_answered(step.after)
        or not is_commit(step, earlier)
    ):
        return False
    again = is_built_anew(step) and _stands_as_before(step, is_form=True) and not _new_things(step)
    return again or not difference(step.before, step.after, step.found.values()).is_told


def is_answered(screen: Observation) -> bool:
    """Whether a server accepted what the last action sent, or redirected to a page."""
    return any(one.endswith(_TAKEN) for one in screen.effects)


def _stands_as_before(step: Step, is_form: bool) -> bool:
    """Whether a step left its page or window unchanged, or brought its form back with all controls."""
    before, now = step.before, step.after
    same = before.place.url == now.place.url and before.place.title == now.place.title
    return (same or is_form) and not _only_there(before, now) - _only_there(now, before)


def _only_there(screen: Observation, other: Observation) -> Counter[tuple[str, str]]:
    return Counter((one.role, one.name) for one in screen.controls if other.by_id(one.id) is None)


def is_built_anew(step: Step) -> bool:
    """Whether a page was replaced by another one without the redirect that follows a stored form."""
    return not is_answered(step.after) and not any(step.after.by_id(one.id) for one in step.before.controls)


def _holds(element: Element, values: Collection[str]) -> bool:
    """Whether an element is a filled-in value, a record with one of them, or a sentence with all of them.

    A sentence with the only value may just as well say that it is rejected.
    """
    said = _in_words(element.name)
    told = [_in_words(one) in said for one in values if one]
    enough = any(told) if element.role in _RECORDS else len(told) > 1 and all(told)
    return enough or element.name in values


def _in_words(text: str) -> str:
    return f" {' '.join(name_words(normal(text)))} "
