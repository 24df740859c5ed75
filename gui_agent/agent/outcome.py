"""Determines in code what an action did: read-back, expectations, tree, address, picture."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from gui_agent.agent.differences import NAME, Difference, difference, is_only_popup_gone, pictures_differ
from gui_agent.core.actions import Check, Choose, Click, Drag, Hold, Navigate, Press, Scroll, TypeText, Wait
from gui_agent.core.conditions import Condition, ValueIs, holds
from gui_agent.core.errors import Ambiguous, NotFound, Stale
from gui_agent.core.observation import EYES, PAGES, Element, Mark, Observation, Point, Target, within
from gui_agent.core.protocols import Grounder
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.texts import normal, number, shorten
from gui_agent.core.trajectory import Found, Outcome, OutcomeKind, Planned
from gui_agent.elements import roles
from gui_agent.elements.words import letters_alike
from gui_agent.scene import Scene

Judgement: TypeAlias = tuple[OutcomeKind, str]
Targets: TypeAlias = Mapping[str, Found]
NOBODY = "no window has the keyboard; switch to one, or open a program first"
NO_FIELD = "nothing took the text, as no field has the keyboard; click the field first, or name it"
UNREAD = "what has the keyboard tells no value, so the text was not read back"
UNSCROLLED = "only the picture changed: nothing that is listed was scrolled"
LIKE_TYPED = 0.6
"""Share of letters in common from which a text that is read from a picture may be the one that was typed."""
_LETTER = re.compile(r"[^\W_]")
CHANCE = 2
"""Characters of a text that may turn up on a screen by chance."""


@dataclass(frozen=True, slots=True)
class CodeReflector:
    """Judges outcomes without a model."""

    grounder: Grounder

    def judge(
        self, planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
    ) -> Outcome:
        """Expectations first, then what the action itself must leave behind, then any visible change."""
        change = difference(before, after, found.values())
        if planned.expect:
            outcome = self._outcome_by_expectations(planned, before, after, change)
            if outcome is not None:
                return outcome
        own = _read_back(planned, found, before, after)
        if own is not None:
            kind, evidence = own
            summary = change.summary() if change.any or kind != "confirmed" else evidence
            return Outcome(kind, summary, (evidence,))
        lost = _reason_lost(planned, found, before, after, change)
        if lost:
            return Outcome("unexpected", f"{lost}; {change.summary()}", (lost,))
        if (
            change.any
            and _is_typed_anywhere(planned)
            and (text := _text_that_arrived(planned, before, after))
        ):
            shown = f'"{shorten(text, NAME)}" is shown'
            return Outcome("confirmed", f"{shown}; {change.summary()}", (shown,))
        if unread := _text_unread_by_eyes(planned, found, before, after):
            return Outcome("unexpected", f"{unread}; {change.summary()}", (unread,))
        blind = (
            change.any and _is_typed_anywhere(planned) and not _is_text_taken(planned, before, after, change)
        )
        summary = f"{change.summary()}; {UNREAD}" if blind else change.summary()
        if isinstance(planned.action, Scroll) and change.pixels and after.elements:
            summary = UNSCROLLED
        if not _is_effect(planned, found, before, after, change):
            return Outcome("no_change", f"nothing followed but: {summary}" if change.any else summary)
        seen = after.effects if not change.is_told else ()
        return Outcome("changed", "; ".join((*seen, summary) if change.any else seen) or summary, seen)

    def _outcome_by_expectations(
        self, planned: Planned, before: Observation, after: Observation, change: Difference
    ) -> Outcome | None:
        verdicts = [(c, self.is_met(c, before, after)) for c in planned.expect]
        wrong = [str(condition) for condition, verdict in verdicts if verdict is False]
        right = [str(condition) for condition, verdict in verdicts if verdict]
        if wrong:
            return Outcome("unexpected", f"expected that {wrong[0]}; {change.summary()}", tuple(wrong))
        if right:
            return Outcome("confirmed", change.summary() if change.any else right[0], tuple(right))
        return None

    def is_met(self, condition: Condition[Target], before: Observation, now: Observation) -> bool | None:
        """Whether a condition holds; the value of a field counts also by the header that names it."""
        verbs = ("set", "read") if isinstance(condition, ValueIs) else ("read",)
        verdicts = [holds(condition, now, self.finder(before, verb)) for verb in verbs]
        return True in verdicts or verdicts[-1]

    def finder(
        self, before: Observation, verb: str = "read"
    ) -> Callable[[Target, Observation], Element | None]:
        """A function that finds a condition's element on a later screen.

        Marks are followed from `before`: the same id, or the only element of the same role, name and
        path when the page was built anew.
        """

        def find(target: Target, now: Observation) -> Element | None:
            if isinstance(target, Mark):
                return follow(target.mark, before, now)
            if isinstance(target, Point):
                return now.smallest_at(target)
            try:
                return self.grounder.locate(target, now, verb=verb).element
            except (NotFound, Ambiguous):
                return None

        return find


def _is_effect(
    planned: Planned, found: Targets, before: Observation, after: Observation, change: Difference
) -> bool:
    """Whether the action explains what changed.

    A control of a page takes the keyboard whatever it does; only of a field that is all it should do.
    """
    action, element = planned.action, found["at"].element if "at" in found else None
    if isinstance(action, Click) and element is not None:
        now = after.by_id(element.id) or element
        dialog = Scene.of(before).layers.dialog
        if dialog is not None and element.attributes.get("default") and within(element, dialog):
            gone = after.by_id(dialog.id) is None
            return gone or not (is_own_button(element, dialog) or _is_silent(dialog, before, after, change))
        if element.role in roles.VALUED | roles.CELLS or "editable" in element.states:
            return change.any or "focused" in now.states
        kept = element.role in roles.CHOSEN_ONCE and bool(now.states & {"checked", "selected"})
        # A control of a program acts when it takes a click; on a page that is for the page to do.
        taken = change.any and element.source not in PAGES
        drawn = change.pixels and element.role not in roles.OPERABLE
        return bool(after.effects) or change.is_told or kept or taken or drawn
    if isinstance(action, Press) and "enter" in (key.casefold() for key in action.keys):
        # A dialog that was answered goes, if a busy program lets it.
        return (
            bool(after.effects) or change.is_told or (change.pixels and Scene.of(after).layers.dialog is None)
        )
    return change.any or bool(after.effects)


def is_own_button(element: Element | None, dialog: Element | None) -> bool:
    """Whether an element is the button behind which a dialog has to go: what is behind a modal one waits."""
    if element is None or dialog is None:
        return False
    return bool(element.attributes.get("default") and dialog.attributes.get("modal"))


def _is_silent(dialog: Element, before: Observation, after: Observation, change: Difference) -> bool:
    """Whether nothing tells that a dialog which stays did its work, as one that searches a text does."""
    then, now = before.screenshot, after.screenshot
    drawn = then is not None and now is not None and pictures_differ(then, now, restless=[dialog.box])
    return not (change.is_told or drawn)


def follow(number: int, before: Observation, now: Observation) -> Element | None:
    """The element of an earlier screen on a later one, None when it is gone or no longer unique."""
    same = now.by_id(number)
    then = before.by_id(number)
    if same is not None or then is None:
        return same
    key = (then.role, then.name, then.path)
    alike = [element for element in now.elements if (element.role, element.name, element.path) == key]
    return alike[0] if len(alike) == 1 else None


def on_top(stale: Stale, planned: Planned, found: Mapping[str, Found], before: Observation) -> Targets:
    """The targets, with what lies over one where that was meant: pointing at a picture means what is seen."""
    spot, shown = found.get("at"), before.by_id(stale.over or 0)
    aimed = isinstance(getattr(planned.action, "at", None), Point)
    if not (aimed and spot and shown and shown.box.contains(spot.point)):
        raise stale
    return {**found, "at": replace(spot, element=shown)}


def wait_outcome(wait: Wait, planned: Planned, before: Observation, after: Observation) -> Outcome:
    """What came of a wait that was not in vain."""
    change = difference(before, after)
    reached = [f'"{wait.until}" is shown'] if wait.until else [str(one) for one in planned.expect]
    if reached:
        return Outcome("confirmed", reached[0], (change.summary(),))
    return Outcome("changed" if change.any else "no_change", change.summary())


def unseen_outcome(fault: BaseException, *, performed: bool) -> Outcome:
    """The outcome of an action after which nothing could be seen any more."""
    sent = "sent" if performed else "perhaps sent"
    return Outcome("unverifiable", f"{sent}; its outcome was not seen: {fault or 'interrupted'}")


def is_spent_on_popup(
    planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
) -> bool:
    """Whether a click on a button of a dialog has only closed what had popped up."""
    element = found["at"].element if isinstance(planned.action, Click) and "at" in found else None
    if element is None or element.role != "button":
        return False
    dialog = Scene.of(before).layers.dialog
    return dialog is not None and within(element, dialog) and is_only_popup_gone(before, after, dialog)


def _read_back(
    planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
) -> Judgement | None:
    """What the action itself must leave behind: (kind, evidence), None when the screen cannot tell."""
    action = planned.action
    spot = found.get("at")
    element = spot.element if spot else None
    if isinstance(action, TypeText) and action.at is None:
        receiver = keyboard_holder(after)
        element = before.by_id(receiver.id) if receiver is not None else None
    now = follow(element.id, before, after) if element else None
    if isinstance(action, Wait):
        return None
    if isinstance(action, Navigate):
        arrived = after.place.url.rstrip("/").startswith(action.url.rstrip("/"))
        return ("confirmed", f"the address is {after.place.url}") if arrived else None
    if element is None or now is None:
        return None
    if isinstance(action, TypeText):
        return _judge_typing(action, element, now)
    if isinstance(action, Choose):
        chosen = normal(action.option) in (normal(now.value), *map(normal, now.value.split(", ")))
        return ("confirmed", f'{now} shows "{now.value}"') if chosen else None
    if isinstance(action, Check):
        on = "checked" in now.states or "pressed" in now.states
        if on == action.on:
            return "confirmed", f"{now} is {'on' if on else 'off'}"
        return "unexpected", f"{now} is still {'on' if on else 'off'}"
    return None


def _judge_typing(action: TypeText[Target], then: Element, now: Element) -> Judgement | None:
    if "password" in now.states:
        # Neither the text nor its length goes into the trace.
        grown = len(now.value) > (0 if action.replace else len(then.value))
        return ("confirmed", f"{now} holds what was typed, in the part that is visible") if grown else None
    if action.replace and (now.role in roles.MEASURED or "editable" in now.states):
        wanted, shown = number(action.text), number(now.value)
        if wanted is not None and shown is not None:
            right = math.isclose(wanted, shown)
            return "confirmed" if right else "unexpected", f'{now} holds "{now.value}"'
    # Text that stood there before proves nothing, unless the field was to hold it alone.
    arrived = action.replace or now.value != then.value
    if action.text and arrived and normal(action.text) in normal(now.value):
        return "confirmed", f'{now} holds "{now.value}"'
    return None


def keyboard_holder(screen: Observation) -> Element | None:
    focused = [element for element in screen.elements if "focused" in element.states]
    return next((one for one in focused if "editable" in one.states), focused[0] if focused else None)


def _is_typed_anywhere(planned: Planned) -> bool:
    action = planned.action
    return (
        isinstance(action, TypeText)
        and action.at is None
        and action.text.strip() != ""
        and not REFERENCE.search(action.text)
    )


def _is_text_taken(planned: Planned, before: Observation, after: Observation, change: Difference) -> bool:
    """Whether the screen shows that a text typed without a target was taken by what had the keyboard.

    A page may change by itself meanwhile. What counts is another page, a field with the keyboard that holds
    something else, another field for text that does, a list that went to another entry, and the text itself
    where it was not before.
    """
    typed = planned.action.text if isinstance(planned.action, TypeText) else ""
    receiver = keyboard_holder(before)
    if change.moved_on and (len(typed) <= CHANCE or "\n" in typed or receiver or before.focus_unseen):
        return True  # with no field a letter or two are a short cut; a word that leads away was none
    for one in before.elements:
        now = follow(one.id, before, after)
        fields = one.states | (now.states if now else frozenset())
        if "focused" in fields and "editable" in fields and (now is None or now.value != one.value):
            return True
        if one.role in roles.TYPED_AHEAD and now is not None and _entry(now) != _entry(one):
            return True
        # Keys of a calculator press its buttons, and show in a field that has not the keyboard.
        if one.role in roles.TEXT_FIELDS and now is not None and now.value != one.value:
            return True
    fresh = [one for one in after.elements if "focused" in one.states and before.by_id(one.id) is None]
    if any(one.value for one in fresh if "editable" in one.states):
        return True
    return bool(_text_that_arrived(planned, before, after))


def _text_that_arrived(planned: Planned, before: Observation, after: Observation) -> str:
    typed = planned.action.text if isinstance(planned.action, TypeText) else ""
    wanted = _without_spaces(typed)
    more = Counter(_words(after)) - Counter(_words(before))  # the same may stand elsewhere already
    shown = "".join(words for words in _words(after) if words in more)
    return typed.strip() if len(wanted) > CHANCE and wanted in shown else ""


def _text_unread_by_eyes(
    planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
) -> str:
    """Why a text typed where only the picture shows a field did not arrive: nothing like it is shown then.

    What heads a list looks like a field to the eyes, and takes no text (test_outcome.py).
    """
    action, spot = planned.action, found.get("at")
    element = spot.element if spot is not None else None
    if not isinstance(action, TypeText) or element is None or REFERENCE.search(action.text):
        return ""
    wanted = _without_spaces(action.text)
    if not wanted or not EYES.issuperset(element.source.split("+")):
        return ""
    known = set(_words(before))
    fresh = [words for words in _words(after) if words not in known]
    like = (
        one in wanted or letters_alike(one, wanted) >= LIKE_TYPED or not _LETTER.search(one) for one in fresh
    )
    return "" if any(like) else f"{element} did not take the text: it is shown nowhere"


def _entry(element: Element) -> tuple[str, frozenset[str]]:
    return element.value, element.states & {"focused", "selected"}


def _words(screen: Observation) -> Iterator[str]:
    for element in screen.elements:
        yield from (_without_spaces(text) for text in (element.name, element.value) if text)


def _without_spaces(text: str) -> str:
    return "".join(normal(text).split())


def _has_moved(action: Drag[Target], found: Targets, change: Difference) -> bool:
    """Whether a drag had an effect: what is listed stands elsewhere then; its marking alone is none.

    On what is drawn, and within one thing, as when a part of its text is marked, the picture tells.
    """
    element, to = found["at"].element, found["to"].point
    apart = element is not None and not element.box.contains(to) and not isinstance(action.at, Point)
    listed = apart and element is not None and (element.is_text or element.role in roles.LISTED)
    return change.is_told or (change.pixels and not listed)


def _reason_lost(
    planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation, change: Difference
) -> str:
    """Why input did not arrive; empty where it may have done its work, though nothing shows it.

    A key may well change nothing that can be seen, as the one that saves does. Text shows, except at prompts
    for a secret, and in what tells no value where there is no picture to see it in.
    """
    action = planned.action
    if isinstance(action, Drag) and not _has_moved(action, found, change):
        return f"dragging {found['at'].element or 'there'} moved nothing"
    if isinstance(action, TypeText) and action.at is None and not (before.keyboard or after.keyboard):
        return NOBODY
    if change.any and _is_typed_anywhere(planned) and not (before.focus_unseen or after.focus_unseen):
        receiver = keyboard_holder(after) or keyboard_holder(before)
        # A text in a letter's table tells its place, and not its words.
        told = receiver is None or ("editable" in receiver.states and not receiver.is_text)
        readable = told or (receiver is not None and receiver.role in roles.TEXTLESS)
        if readable and not _is_text_taken(planned, before, after, change):
            return f"{receiver} did not take the text" if receiver else NO_FIELD
    if change.any:
        return ""
    if after.is_stuck:
        return f"{after.place.app} does not answer"
    if isinstance(action, Press | Hold) and not after.keyboard:
        return NOBODY
    if not isinstance(action, TypeText) or not action.text or REFERENCE.search(action.text):
        return ""
    receiver = keyboard_holder(after) if action.at is None else found["at"].element if "at" in found else None
    if action.at is None and receiver is None:
        return NO_FIELD
    compared = before.screenshot is not None and after.screenshot is not None
    telling = receiver is not None and "editable" in receiver.states
    return f"{receiver or 'the field'} did not take the text" if compared or telling else ""
