"""Judges in code what an action did: an ordered table of verdicts on the changes of a step."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from gui_agent.agent.differences import NAME, Difference, difference, is_only_popup_gone
from gui_agent.agent.pictures import pictures_differ
from gui_agent.core.actions import Check, Choose, Click, Drag, Hold, Navigate, Press, Scroll, TypeText, Wait
from gui_agent.core.aiming import sole
from gui_agent.core.conditions import Condition, ValueIs, holds
from gui_agent.core.errors import Ambiguous, NotFound, Stale
from gui_agent.core.observation import PAGES, Element, Mark, Observation, Point, Target, is_part_of
from gui_agent.core.protocols import Grounder
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.texts import normal, number, shorten, without_spaces
from gui_agent.core.trajectory import Found, Outcome, OutcomeKind, Planned, found_element
from gui_agent.elements import roles
from gui_agent.elements.words import letters_alike
from gui_agent.scene import Scene

Judgement: TypeAlias = tuple[OutcomeKind, str]
Targets: TypeAlias = Mapping[str, Found]
NO_FOCUS = "no window has the keyboard; switch to one, or open a program first"
NO_FIELD = "the text was not entered, as no field has the keyboard; click the field first, or name it"
UNREAD = "the focused element has no readable value, so the text was not read back"
UNSCROLLED = "only the picture changed: no listed element was scrolled"
BESIDE_FIELD = 4
"""Pixels around a field seen in a picture within which its text is read."""
LIKE_TYPED = 0.6
"""Share of letters in common from which a text read from a picture may be the typed one."""
_LETTER = re.compile(r"[^\W_]")
CHANCE = 2
"""Texts of at most this many characters may appear on a screen by chance."""


@dataclass(frozen=True)
class Performed:
    """A performed action: its plan, its targets, and the screens before and after it."""

    planned: Planned
    found: Targets
    before: Observation
    after: Observation

    @property
    def action(self) -> object:
        return self.planned.action

    @cached_property
    def change(self) -> Difference:
        return difference(self.before, self.after, self.found.values())

    @property
    def element(self) -> Element | None:
        """The element acted on, or None."""
        return found_element(self.found)

    @property
    def dialog(self) -> Element | None:
        """The dialog that was in front."""
        return Scene.from_screen(self.before).layers.dialog

    @property
    def text(self) -> str:
        """The typed text; empty for a secret, which no screen shows, and for actions that type nothing."""
        action = self.planned.action
        return action.text if isinstance(action, TypeText) and not REFERENCE.search(action.text) else ""

    @property
    def text_without_target(self) -> str:
        action = self.planned.action
        return self.text if isinstance(action, TypeText) and action.at is None and self.text.strip() else ""

    def same_element_later(self, element: Element) -> Element | None:
        return same_element_later(element.id, self.before, self.after)


@dataclass(frozen=True, slots=True)
class CodeReflector:
    """Judges outcomes without a model."""

    grounder: Grounder

    def judge(self, planned: Planned, found: Targets, before: Observation, after: Observation) -> Outcome:
        """The first verdict of `VERDICTS` that applies."""
        step = Performed(planned, found, before, after)
        verdicts = (verdict(self, step) for verdict in VERDICTS)
        return next(outcome for outcome in verdicts if outcome is not None)

    def is_met(self, condition: Condition[Target], before: Observation, now: Observation) -> bool | None:
        """Whether a condition holds; a field's value also counts if a header names the field."""
        verbs = ("set", "read") if isinstance(condition, ValueIs) else ("read",)
        verdicts = [holds(condition, now, self.finder(before, verb)) for verb in verbs]
        return True in verdicts or verdicts[-1]

    def finder(
        self, before: Observation, verb: str = "read"
    ) -> Callable[[Target, Observation], Element | None]:
        """A function that finds a condition's element on a later screen.

        Marks are followed from `before`: the same id, or the only element of the same role, name and path
        if the page was rebuilt.
        """

        def find(target: Target, now: Observation) -> Element | None:
            if isinstance(target, Mark):
                return same_element_later(target.mark, before, now)
            if isinstance(target, Point):
                return now.smallest_at(target)
            try:
                return self.grounder.locate(target, now, verb=verb).element
            except (NotFound, Ambiguous):
                return None

        return find


def _by_expectations(judge: CodeReflector, step: Performed) -> Outcome | None:
    """The verdict by the planner's expectations, as far as the screen can decide them."""
    verdicts = {str(one): judge.is_met(one, step.before, step.after) for one in step.planned.expect}
    wrong = tuple(condition for condition, verdict in verdicts.items() if verdict is False)
    right = tuple(condition for condition, verdict in verdicts.items() if verdict)
    if wrong:
        return Outcome("unexpected", f"expected that {wrong[0]}; {step.change.summary()}", wrong)
    return (
        Outcome("confirmed", step.change.summary() if step.change.any else right[0], right) if right else None
    )


def _by_reading_back(_: CodeReflector, step: Performed) -> Outcome | None:
    """The verdict by the direct result of the action: a text, a choice, a tick, an address."""
    read = _read_back(step)
    if read is None:
        return None
    kind, evidence = read
    tells = step.change.any or kind != "confirmed"
    return Outcome(kind, step.change.summary() if tells else evidence, (evidence,))


def _by_lost_input(_: CodeReflector, step: Performed) -> Outcome | None:
    return _outcome_of_loss(_reason_lost(step), step)


def _by_signs(judge: CodeReflector, step: Performed) -> Outcome | None:
    """The verdict by signs: most of what the same step showed when it was recorded is newly shown."""
    signs = [one for one in step.planned.signs if not judge.is_met(one, step.before, step.before)]
    seen = tuple(str(one) for one in signs if judge.is_met(one, step.before, step.after))
    return Outcome("confirmed", step.change.summary(), seen) if 2 * len(seen) > len(signs) else None


def _by_text_shown(_: CodeReflector, step: Performed) -> Outcome | None:
    text = _text_that_arrived(step) if step.change.any and step.text_without_target else ""
    shown = f'"{shorten(text, NAME)}" is shown'
    return Outcome("confirmed", f"{shown}; {step.change.summary()}", (shown,)) if text else None


def _by_text_unread(_: CodeReflector, step: Performed) -> Outcome | None:
    return _outcome_of_loss(_text_unread_by_eyes(step), step)


def _outcome_of_loss(reason: str, step: Performed) -> Outcome | None:
    """The outcome of lost input, or None if there is no reason to think it was lost."""
    return Outcome("unexpected", f"{reason}; {step.change.summary()}", (reason,)) if reason else None


def _by_change(_: CodeReflector, step: Performed) -> Outcome:
    summary = _summary(step)
    if not _is_effect(step):
        return Outcome("no_change", f"no effect, only: {summary}" if step.change.any else summary)
    seen = step.after.effects if not step.change.is_told else ()
    return Outcome("changed", "; ".join((*seen, summary) if step.change.any else seen) or summary, seen)


Verdict = Callable[[CodeReflector, Performed], Outcome | None]
VERDICTS: tuple[Verdict, ...] = (
    _by_expectations,
    _by_reading_back,
    _by_lost_input,
    _by_signs,
    _by_text_shown,
    _by_text_unread,
    _by_change,
)
"""How a step is judged: the first verdict that applies decides, and the last one always applies."""


def _summary(step: Performed) -> str:
    if step.change.pixels and isinstance(step.action, Scroll) and step.after.elements:
        return UNSCROLLED
    is_unread = step.change.any and step.text_without_target and not _is_text_taken(step)
    return f"{step.change.summary()}; {UNREAD}" if is_unread else step.change.summary()


def _is_effect(step: Performed) -> bool:
    """Whether the action explains the change."""
    action, element, change = step.action, step.element, step.change
    if isinstance(action, Click) and element is not None:
        return _is_effect_of_click(step, element)
    if isinstance(action, Press) and "enter" in (key.casefold() for key in action.keys):
        # An answered dialog closes, if a busy program gets around to it.
        is_drawn = change.pixels and Scene.from_screen(step.after).layers.dialog is None
        return bool(step.after.effects) or change.is_told or is_drawn
    return change.any or bool(step.after.effects)


def _is_effect_of_click(step: Performed, element: Element) -> bool:
    """Whether a click had an effect. Every control of a page takes the focus; only for a field is that an
    effect.
    """
    change, dialog = step.change, step.dialog
    now = step.after.by_id(element.id) or element
    if dialog is not None and element.attributes.get("default") and is_part_of(element, dialog):
        return _is_answered(dialog, element, step)
    if element.role in roles.VALUED | roles.CELLS or "editable" in element.states:
        return change.any or "focused" in now.states
    signs = (
        step.after.effects,
        change.is_told,
        element.role in roles.CHOSEN_ONCE and now.states & {"checked", "selected"},
        # A program's control acts when it takes a click; on a page, a script decides that.
        change.any and element.source not in PAGES,
        change.pixels and element.role not in roles.OPERABLE,
    )
    return any(signs)


def _is_answered(dialog: Element, button: Element, step: Performed) -> bool:
    """Whether the default button of a dialog had its effect: the dialog closed, or need not close."""
    gone = step.after.by_id(dialog.id) is None
    return gone or not (is_own_button(button, dialog) or _is_silent(dialog, step))


def is_own_button(element: Element | None, dialog: Element | None) -> bool:
    """Whether an element is the default button of a modal dialog, which has to close when it is pressed."""
    if element is None or dialog is None:
        return False
    return bool(element.attributes.get("default") and dialog.attributes.get("modal"))


def _is_silent(dialog: Element, step: Performed) -> bool:
    """Whether nothing shows that a dialog that stayed open did its work, as a search dialog does."""
    then, now = step.before.screenshot, step.after.screenshot
    drawn = then is not None and now is not None and pictures_differ(then, now, restless=[dialog.box])
    return not (step.change.is_told or drawn)


def same_element_later(number: int, before: Observation, now: Observation) -> Element | None:
    """An element of an earlier screen on a later one; None if it is gone or no longer unique."""
    same = now.by_id(number)
    then = before.by_id(number)
    if same is not None or then is None:
        return same
    key = (then.role, then.name, then.path)
    alike = [element for element in now.elements if (element.role, element.name, element.path) == key]
    return sole(alike)


def retarget_to_cover(
    stale: Stale, planned: Planned, found: Mapping[str, Found], before: Observation
) -> Targets:
    """The targets, with the covering element instead, if the picture showed that. Raises Stale otherwise."""
    spot, shown = found.get("at"), before.by_id(stale.over or 0)
    aimed = isinstance(getattr(planned.action, "at", None), Point)
    if not (aimed and spot and shown and shown.box.contains(spot.point)):
        raise stale
    return {**found, "at": replace(spot, element=shown)}


def wait_outcome(wait: Wait, planned: Planned, before: Observation, after: Observation) -> Outcome:
    """The outcome of a wait that ended in time."""
    change = difference(before, after)
    reached = [f'"{wait.until}" is shown'] if wait.until else [str(one) for one in planned.expect]
    if reached:
        return Outcome("confirmed", reached[0], (change.summary(),))
    return Outcome("changed" if change.any else "no_change", change.summary())


def unseen_outcome(fault: BaseException, *, performed: bool) -> Outcome:
    """The outcome of an action after which the screen could not be read any more."""
    sent = "sent" if performed else "perhaps sent"
    return Outcome("unverifiable", f"{sent}; its outcome was not seen: {fault or 'interrupted'}")


def is_spent_on_popup(
    planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
) -> bool:
    """Whether a click on a dialog's button only closed a popup in front of it."""
    step = Performed(planned, found, before, after)
    element, dialog = step.element, step.dialog
    if not isinstance(step.action, Click) or element is None or dialog is None or element.role != "button":
        return False
    stays = is_part_of(element, dialog) and after.by_id(dialog.id) is not None
    return stays and is_only_popup_gone(before, after, dialog.box)


def _is_taken_by_popup(step: Performed) -> bool:
    """Whether a click on a control that has no popup of its own only closed the one in front of it."""
    element, windows = step.element, [*step.after.windows.values()]
    if element is None or "haspopup" in element.states or step.after.by_id(element.id) is None:
        return False
    return (
        element.role in roles.OPERABLE
        and bool(windows)
        and is_only_popup_gone(step.before, step.after, windows[-1])
    )


def _read_back(step: Performed) -> Judgement | None:
    """The direct result of the action as (kind, evidence), or None if the screen cannot show it."""
    action, element, url = step.action, step.element, step.after.place.url
    if isinstance(action, Navigate):
        arrived = url.rstrip("/").startswith(action.url.rstrip("/"))
        return ("confirmed", f"the address is {url}") if arrived else None
    if isinstance(action, TypeText) and action.at is None:
        receiver = keyboard_holder(step.after)
        element = step.before.by_id(receiver.id) if receiver is not None else None
    now = step.same_element_later(element) if element else None
    if element is None or now is None:
        return None
    if isinstance(action, TypeText):
        return _judge_typing(action, element, now)
    if isinstance(action, Choose):
        chosen = normal(action.option) in (normal(now.value), *map(normal, now.value.split(", ")))
        return ("confirmed", f'{now} shows "{now.value}"') if chosen else None
    if isinstance(action, Check):
        on = bool(now.states & {"checked", "pressed"})
        state = "on" if on else "off"
        return (
            ("confirmed", f"{now} is {state}")
            if on == action.on
            else ("unexpected", f"{now} is still {state}")
        )
    return None


def _judge_typing(action: TypeText[Target], then: Element, now: Element) -> Judgement | None:
    if "password" in now.states:
        # Neither the text nor its length goes into the trace.
        grown = len(now.value) > (0 if action.replace else len(then.value))
        return ("confirmed", f"{now} contains the typed text, as far as it is visible") if grown else None
    held = f'{now} holds "{now.value}"'
    if action.replace and (now.role in roles.MEASURED or "editable" in now.states):
        wanted, shown = number(action.text), number(now.value)
        if wanted is not None and shown is not None:
            return "confirmed" if math.isclose(wanted, shown) else "unexpected", held
    # Text that was already there is no evidence, unless it had to be the whole value.
    arrived = action.replace or now.value != then.value
    if action.text and arrived and normal(action.text) in normal(now.value):
        return "confirmed", held
    return None


def keyboard_holder(screen: Observation) -> Element | None:
    focused = [element for element in screen.elements if "focused" in element.states]
    return next((one for one in focused if "editable" in one.states), focused[0] if focused else None)


def _is_text_taken(step: Performed) -> bool:
    """Whether the screen shows that text typed without a target was received by the focused element.

    A page may change by itself meanwhile. Evidence is another page, a field with another value, a list on
    another entry, or the text itself in a new place.
    """
    before, typed = step.before, step.text
    if step.change.moved_on:
        # Without a field, one or two letters may be a shortcut; a whole word that changes the page was lost.
        short = len(typed) <= CHANCE or "\n" in typed
        if short or keyboard_holder(before) or before.focus_unseen:
            return True
    fresh = [one for one in step.after.elements if "focused" in one.states and before.by_id(one.id) is None]
    return (
        any(_has_taken(one, step.same_element_later(one)) for one in before.elements)
        or any(one.value for one in fresh if "editable" in one.states)
        or bool(_text_that_arrived(step))
    )


def _has_taken(then: Element, now: Element | None) -> bool:
    """Whether a field or list has another value or entry than before a text was typed."""
    states = then.states | (now.states if now else frozenset())
    if {"focused", "editable"} <= states and (now is None or now.value != then.value):
        return True
    if now is None:
        return False
    # Keys may press a calculator's buttons and show in a field without the focus.
    is_filled = then.role in roles.TEXT_FIELDS and now.value != then.value
    return is_filled or (then.role in roles.TYPED_AHEAD and _entry(now) != _entry(then))


def _text_that_arrived(step: Performed) -> str:
    wanted = without_spaces(step.text)
    # the same text may already be elsewhere
    more = Counter(_words(step.after.elements)) - Counter(_words(step.before.elements))
    shown = "".join(words for words in _words(step.after.elements) if words in more)
    return step.text.strip() if len(wanted) > CHANCE and wanted in shown else ""


def _text_unread_by_eyes(step: Performed) -> str:
    """Why a text typed into a field that only the picture shows did not arrive: no similar text is shown
    there then.

    A list's heading looks like a field in a picture, but takes no text (test_outcome.py).
    """
    element, wanted = step.element, without_spaces(step.text)
    if not wanted or element is None or not element.is_from_picture:
        return ""
    place = element.box.grow(BESIDE_FIELD)
    fresh = [*dict.fromkeys(_words(one for one in step.after.elements if one.box.intersect(place)))]
    known = set(_words(step.before.elements))
    like = (
        one in wanted or letters_alike(one, wanted) >= LIKE_TYPED or not _LETTER.search(one)
        for one in fresh
        if one not in known
    )
    return "" if any(like) else f"{element} did not take the text: it does not appear there"


def _entry(element: Element) -> tuple[str, frozenset[str]]:
    return element.value, element.states & {"focused", "selected"}


def _words(elements: Iterable[Element]) -> Iterator[str]:
    for element in elements:
        yield from (without_spaces(text) for text in (element.name, element.value) if text)


def _has_moved(action: Drag[Target], step: Performed) -> bool:
    """Whether a drag had an effect. A listed item must be in another place; its selection alone is none.

    For drawings, and within one element (as when selecting a part of its text), the picture decides.
    """
    element, to = step.element, step.found["to"].point
    is_apart = element is not None and not element.box.contains(to) and not isinstance(action.at, Point)
    is_listed = is_apart and element is not None and (element.is_text or element.role in roles.LISTED)
    return step.change.is_told or (step.change.pixels and not is_listed)


def _reason_lost(step: Performed) -> str:
    """Why input did not arrive; empty if it may have had its effect, though nothing shows it.

    A key may well change nothing visible, such as the one that saves. Typed text is visible, except at
    prompts for a secret, and in an element without a readable value if there is no picture.
    """
    action, after = step.action, step.after
    if isinstance(action, Drag) and not _has_moved(action, step):
        return f"dragging {step.element or 'there'} moved nothing"
    if isinstance(action, Click) and _is_taken_by_popup(step):
        return "the click only closed the list in front"
    if isinstance(action, TypeText) and action.at is None and not (step.before.keyboard or after.keyboard):
        return NO_FOCUS
    if step.change.any:
        return _reason_text_lost(step)
    if after.is_stuck:
        return f"{after.place.app} does not answer"
    if isinstance(action, Press | Hold) and not after.keyboard:
        return NO_FOCUS
    return _reason_text_unseen(step) if step.text else ""


def _reason_text_unseen(step: Performed) -> str:
    """Why a text after which nothing changed did not arrive; empty if no change could be visible."""
    receiver = step.element or keyboard_holder(step.after)
    if receiver is None and "at" not in step.found:
        return NO_FIELD
    is_compared = step.before.screenshot is not None and step.after.screenshot is not None
    is_telling = receiver is not None and "editable" in receiver.states
    return f"{receiver or 'the field'} did not take the text" if is_compared or is_telling else ""


def _fields_came_late(step: Performed) -> bool:
    """Whether all fields on the screen came while a text was typed, and so were not there to take it."""
    fields = [one.id for one in step.after.elements if "editable" in one.states]
    return bool(fields) and not any(map(step.before.by_id, fields)) and len(step.text) > CHANCE


def _reason_text_lost(step: Performed) -> str:
    """Why a text typed without a target did not arrive although something changed."""
    before, after = step.before, step.after
    if not step.text_without_target:
        return ""
    if before.focus_unseen or after.focus_unseen:
        return NO_FIELD if _fields_came_late(step) and not _text_that_arrived(step) else ""
    receiver = keyboard_holder(after) or keyboard_holder(before)
    if receiver is None:
        return "" if _is_text_taken(step) else NO_FIELD
    # The value of a text element in a document is its position, not its words.
    is_field = "editable" in receiver.states and not receiver.is_text
    is_readable = is_field or receiver.role in roles.TEXTLESS
    return f"{receiver} did not take the text" if is_readable and not _is_text_taken(step) else ""
