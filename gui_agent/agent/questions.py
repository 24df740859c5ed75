"""What on a screen contradicts "done" (a question, a complaint, a refusal), and which button says yes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from gui_agent.agent.finish import LONGEST, OPENING, needs_effect, said_by
from gui_agent.agent.outcome import is_own_button
from gui_agent.agent.run_effects import (
    aimed_at,
    has_stayed,
    is_answered,
    is_commit,
    is_pressed,
    leaves_nothing,
    new_words,
    own_dialog,
    still_filled,
    words_alone,
)
from gui_agent.core.actions import Click, Close, Press, Proposal, TypeText, Wait
from gui_agent.core.conditions import text_on
from gui_agent.core.observation import Element, Observation, is_part_of
from gui_agent.core.texts import ELLIPSES, label, normal, shorten
from gui_agent.core.trajectory import Finish, Step, Trajectory, found_element
from gui_agent.elements import roles
from gui_agent.elements.describe import describe
from gui_agent.scene import Scene

MOST_PARTS = 16
"""Most elements of a dialog that is recognised only by what it covers."""
MOST_QUOTED = 8
"""How many words of a message the agent suggests waiting for."""
_ENDING = roles.word_set(
    "save submit send delete remove apply ok close quit exit finish done confirm yes publish"
)
"""First words of controls that end something; a dialog they open is an obstacle, not the goal."""
_ENDING_KEYS = frozenset((("ctrl", "s"), ("ctrl", "q"), ("ctrl", "w"), ("alt", "f4"), ("delete",)))
_LEAVING = roles.word_set("close × x ✕")
"""Names of buttons that only dismiss the dialog."""
_FILLED = (roles.FIELDS | roles.MEASURED | roles.CHOOSERS | roles.LISTS) - {"list"}
_CONSENT = roles.word_set("cookie cookies consent")
"""Words of questions that a site asks every visitor."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A dialog that appeared."""

    words: str
    fields: tuple[Element, ...]
    buttons: tuple[Element, ...]
    native: bool = False
    """Whether the browser itself asks, which blocks everything else."""

    def pending(self, action: Proposal, on: Element | None) -> bool:
        """Whether it waits for an answer, and the action that opened it has no effect until then.

        A dialog that only informs has no two answers; a form may be just what the action was to open.
        """
        if {*normal(self.words).split()} & _CONSENT and not self.native:
            return False
        if self.native:
            return len(self.buttons) > 1
        if len(self.fields) > 1 or any(one.role != "checkbox" for one in self.fields):
            return ends_something(action, on)
        from gui_agent.agent.guard.words import agrees, commands, refuses

        if len(self.buttons) < 2:
            return False
        leaving = any(normal(one.name) in _LEAVING for one in self.buttons)
        sure = any(agrees(one.name) or commands(one.name) for one in self.buttons)
        return any(refuses(one.name) for one in self.buttons) or (leaving and sure)

    def yes(self, said: str) -> Element | None:
        """The button that confirms the control pressed before (`said`), or None if the dialog asks anything
        else.

        It has the same name, or it is the only one that agrees and the question mentions the same act.
        """
        from gui_agent.agent.guard.words import agrees, commands, mentions, refuses

        open_fields = any(not one.value and "required" in one.states for one in self.fields)
        verb = label(said).partition(" ")[0]
        same = [one for one in self.buttons if label(one.name) in {label(said), verb}]
        if open_fields or not verb:
            return None
        if len(same) == 1 and not agrees(said):  # OK was the answer to another question
            return same[0]
        meant, about = set(commands(said)), set(mentions(self.words)) | set(commands(self.words))
        others = [one for one in self.buttons if not refuses(one.name) and normal(one.name) not in _LEAVING]
        agreeing = [one for one in others if agrees(one.name) or set(commands(one.name)) & meant]
        asked = verb in label(self.words).split() or bool(meant & about)
        declinable = len(others) < len(self.buttons)
        widened = {*label(self.words).split()} & {"all", "everything"} - {*label(said).split()}
        if self.fields or widened or not (asked and declinable and len(agreeing) == len(others) == 1):
            return None
        return agreeing[0]

    def __str__(self) -> str:
        offered = ", ".join(f'"{one.name}"' for one in self.buttons if one.name)
        empty = ", ".join(str(one) for one in self.fields if "required" in one.states and not one.value)
        wanted = f", wants {empty} filled in" if empty else ""
        return f'it asks "{shorten(self.words, LONGEST)}"{wanted}' + f" (answers: {offered})" * bool(offered)


def new_dialog(
    before: Observation, after: Observation, large: Observation | None = None
) -> OpenQuestion | None:
    """The dialog that appeared between two screens, or None.

    Args:
        large: the last screen larger than a dialog; another dialog may have been in front of it before.
    """
    known = _ids(before.elements)
    parts = dialog_parts(after) or _unnamed_dialog(before, after, large or before)
    if all(one.id in known for one in parts):
        return None
    if any(one.id in known for one in parts if one.is_text or one.role in roles.DIALOGS):
        return None
    fields = tuple(one for one in parts if one.role in _FILLED | roles.TICKABLE or "editable" in one.states)
    buttons = tuple(one for one in parts if one.role in roles.BUTTONS - {"image", "img"} and one.name)
    return OpenQuestion(_words_of(parts), fields, buttons, any(one.source == "dialog" for one in parts))


def _words_of(dialog: Sequence[Element]) -> str:
    texts = [e for e in dialog if e.is_text or e.role in roles.DIALOGS | {"heading", "alert"}]
    return " ".join(dict.fromkeys(one.name for one in texts if one.name and normal(one.name) not in _LEAVING))


def dialog_parts(screen: Observation) -> Sequence[Element]:
    """The elements of the dialog in front; empty if there is none."""
    marked = [one for one in screen.elements if one.attributes.get("notice") in roles.DIALOGS]
    dialog = Scene.from_screen(screen).layers.dialog
    if dialog is None:
        return marked
    if dialog.source == "dialog":
        return [one for one in screen.elements if one.source == "dialog"]
    return [one for one in screen.elements if is_part_of(one, dialog)] or marked


def _unnamed_dialog(before: Observation, after: Observation, large: Observation) -> Sequence[Element]:
    if before.place.url != after.place.url or before.place.app != after.place.app:
        return ()
    if before.windows.keys() > after.windows.keys() or (
        Scene.from_screen(before).layers.dialog and not Scene.from_screen(after).layers.dialog
    ):
        return ()  # elements revealed by a closed window or dialog are not new
    known = _ids(before.elements)
    fresh = [one for one in after.elements if one.id not in known]
    small = 2 < len(fresh) <= MOST_PARTS < len(large.elements)
    if not small or 3 * (len(after.elements) - len(fresh)) > len(large.elements):
        return ()
    reports = any(one.attributes.get("notice") == "status" for one in fresh)
    return fresh if not reports and sum(one.role in roles.BUTTONS for one in fresh) > 1 else ()


def ends_something(action: Proposal, on: Element | None) -> bool:
    """Whether an action saves, sends, deletes or closes, so that a dialog it opens is a part of it."""
    if isinstance(action, Press):
        return tuple(key.casefold() for key in action.keys) in _ENDING_KEYS
    if isinstance(action, Close):
        return True
    if not isinstance(action, Click) or on is None or on.name.rstrip().endswith(ELLIPSES):
        return False
    return label(on.name).partition(" ")[0] in _ENDING


def unproven_action(trajectory: Trajectory) -> str:
    """The first action without a visible effect that no later step proves, in words; or empty.

    Proof is a later action on a new element, a value that was read or waited for and was not shown before, or
    a look that the task itself ends with.
    """
    end = trajectory.turns[-1].decision.end
    looked = isinstance(end, Finish) and end.looked
    for place, turn in enumerate(trajectory.turns):
        own = () if looked or turn.decision.calls else turn.steps
        read = [value for other in trajectory.turns[place:] for value in other.decision.notes.values()]
        for step in own:
            if step.outcome.kind != "no_change" or not needs_effect(step.planned.action):
                continue
            later = [one for one in trajectory.steps if one.number > step.number]
            if not _is_proven(step, later, read):
                what = step.planned.why.rstrip(".") or str(step.planned.action)
                followed = step.outcome.summary or "nothing visible changed"
                return f"{what}: {followed}; nothing proves that it worked"
    return ""


def _is_achieved_by(attempt: Step, later: Sequence[Step]) -> bool:
    """Whether what an attempt was for is shown by the next ones for the same, of which more was expected."""
    others = takewhile(lambda one: one.planned.why == attempt.planned.why, later)
    return not attempt.planned.expect and any(one.outcome.kind == "confirmed" for one in others)


def _is_proven(attempt: Step, later: Sequence[Step], read: Sequence[str]) -> bool:
    before = attempt.before
    known = _ids(before.elements)
    aimed = [spot.element for step in later if step.outcome.good for spot in step.found.values()]
    if _is_achieved_by(attempt, later) or any(one is not None and one.id not in known for one in aimed):
        return True
    awaited = [step.planned.action for step in later if step.outcome.kind == "confirmed"]
    words = [*read, *(one.until for one in awaited if isinstance(one, Wait) and one.until)]
    return any(not text_on(before, text) for text in words if text.strip())


def _last_and_earlier(
    trajectory: Trajectory, screen: Observation | None
) -> tuple[Step | None, tuple[Step, ...]]:
    """The last step that had to have an effect, with the current screen as its result, and those
    before it.
    """
    acted = [step for step in trajectory.steps if needs_effect(step.planned.action)]
    last, earlier = (acted[-1], tuple(acted[:-1])) if acted else (None, ())
    return (replace(last, after=screen) if last and screen is not None else last), earlier


def _box(before: Observation, after: Observation) -> OpenQuestion | None:
    """The dialog, or the window with buttons, that appeared in front; or None."""
    question = new_dialog(before, after)
    if question is not None or len(after.windows.keys() - before.windows.keys()) != 1:
        return question
    parts = Scene.from_screen(after).layers.in_uppermost_window
    fields = tuple(one for one in parts if "editable" in one.states)
    buttons = tuple(one for one in parts if one.role == "button")
    return OpenQuestion(" ".join(one.name for one in parts if one.is_text), fields, buttons)


def _message(step: Step) -> str:
    """The message of a box that appeared in front and can only be read and dismissed; or empty."""
    question = _box(step.before, step.after)
    if question is None or question.fields or not is_pressed(step):
        return ""
    answers = {normal(one.name) for one in question.buttons}
    alone = bool(answers) and len(answers - _LEAVING) <= 1
    return f'a message in front says "{shorten(question.words, LONGEST)}"' * (alone and bool(question.words))


def _alarms(element: Element) -> bool:
    return bool({element.role, element.attributes.get("notice")} & _ALARMING)


Weight = Literal["", "open", "unproven", "refused"]
"""How much speaks against a step: nothing, an open question, missing proof, a refusal."""


def last_step_verdict(trajectory: Trajectory, screen: Observation | None = None) -> tuple[str, Weight]:
    """What contradicts the success of the last step, and how much it counts."""
    step, earlier = _last_and_earlier(trajectory, screen)
    end = trajectory.turns[-1].decision.end
    if step is None or not step.outcome.good or (isinstance(end, Finish) and end.looked):
        return "", ""
    stays, dialog = has_stayed(step, step.after), own_dialog(step)
    if said := _message(step):
        return f"{said}; say how to answer it", "refused" if stays and is_commit(step, earlier) else "open"
    if stays and (is_own_button(aimed_at(step), dialog) or _has_emptied(step)):
        return f"{dialog} is still open", "refused"
    if leaves_nothing(step, earlier):
        return "the effect of the last step is gone again, so nothing proves that it worked", "unproven"
    return _verdict_on_words(step, earlier, stays=stays and dialog is not None)


def _has_emptied(step: Step) -> bool:
    """Whether the default button of a dialog that stays only emptied a field: it is a step within the
    dialog.
    """
    on, dialog = aimed_at(step), own_dialog(step)
    if on is None or dialog is None or not on.attributes.get("default"):
        return False
    fields = [one for one in step.before.elements if "editable" in one.states and is_part_of(one, dialog)]
    now = [step.after.by_id(one.id) for one in fields if one.value]
    return any(one is not None and not one.value for one in now)


def _verdict_on_words(step: Step, earlier: Sequence[Step], *, stays: bool) -> tuple[str, Weight]:
    """How much counts a step whose only effect is words; `stays`: its dialog is still open.

    A form that accepted its input is sent, emptied or closed. A form that stays as it was and only shows
    words may have rejected it, and no list of words can decide that in every language.
    """
    words, taken = words_alone(step, earlier), is_answered(step.after)
    alarms = [one for one in new_words(step) if _alarms(one)]
    said = shorten(" ".join(one.name for one in words or alarms), LONGEST)
    told = f'the screen says "{said}"'
    if words and not taken and is_commit(step, earlier):
        told += ", and everything else is unchanged"
        if stays or alarms:
            return told, "refused"
        if any(still_filled(earlier, step.before)):
            return f'{told}; if that means success, add: wait for "{_beginning(words[0])}"', "unproven"
        return told, "open"
    is_open = bool(alarms) and is_pressed(step) and (bool(words) or not taken)
    return (told, "open") if is_open else ("", "")


def _beginning(element: Element) -> str:
    """The first words of a text, as a command can wait for them: up to a quote, without dots."""
    return " ".join(element.name.partition('"')[0].split()[:MOST_QUOTED])


def objection(trajectory: Trajectory, screen: Observation | None = None) -> str:
    """Why the screen contradicts the last step; empty if it does not."""
    step = trajectory.steps[-1] if trajectory.steps else None
    if step is None or not step.outcome.good:
        return ""
    now = replace(step, after=screen) if screen is not None else step
    # What a final command looked at on purpose is no surprise.
    end = trajectory.turns[-1].decision.end
    looked = isinstance(end, Finish) and end.looked
    unanswered = _unanswered_question(now, trajectory.steps[:-1]) * (not looked)
    kept = _unpressed_button(trajectory, now) or _unsaved_mark(now)
    told, weight = last_step_verdict(trajectory, screen)
    return (
        unanswered
        or _invalid(now)
        or _notice_complaint(now)
        or _server_refusal(now)
        or kept
        or told * (weight == "refused")
        or _altered_cell(trajectory)
    )


def _unanswered_question(last: Step, earlier: Sequence[Step]) -> str:
    dialog = Scene.from_screen(last.after).layers.dialog
    stands = dialog is not None and last.before.by_id(dialog.id) is not None
    if stands and last.outcome.kind == "no_change" and _may_send(last):
        return f"nothing happened, and {dialog} is still open"
    standing, operated = _ids(last.after.elements), set[int]()
    steps = (last, *reversed(earlier))
    for place, step in enumerate(steps):
        same = (one.before for one in steps[place:] if one.before.place.url == step.after.place.url)
        large = next((one for one in same if len(one.elements) > MOST_PARTS), None)
        question = new_dialog(step.before, step.after, large)
        aimed = found_element(step.found)
        # A page may ask casually, and the controls behind still work.
        ignored = last.after.place.url and operated & _ids(step.before.elements)
        if question is not None and not ignored and standing & _ids((*question.buttons, *question.fields)):
            opened = isinstance(step.planned.action, OPENING) and not question.native
            redrawn = question.words == _words_of(dialog_parts(steps[-1].before)) != ""
            if not (opened or redrawn) and question.pending(step.planned.action, aimed):
                return f"{question}; say how to answer it"
        operated |= {aimed.id} if aimed is not None and step.outcome.good else set()
    return ""


def _ids(elements: Sequence[Element]) -> set[int]:
    return {one.id for one in elements}


def _unpressed_button(trajectory: Trajectory, last: Step) -> str:
    action, on = last.planned.action, found_element(last.found)
    kept = isinstance(action, Press) and action.keys == ("ctrl", "s")
    if not kept and not (isinstance(action, Click) and on and normal(on.name).partition(" ")[0] in _KEEPING):
        return ""
    for step in trajectory.steps:
        if not isinstance(step.planned.action, TypeText):
            continue
        off = {one.id for one in step.before.elements if "disabled" in one.states}
        for one in step.after.elements:
            ready = one.role == "button" and normal(one.name) in _TAKING_OVER and "disabled" not in one.states
            now = last.after.by_id(one.id) if ready and one.id in off else None
            if now is not None and "disabled" not in now.states:
                return f"{now} must still be pressed for the typed text to take effect"
    return ""


def _altered_cell(trajectory: Trajectory) -> str:
    for step in trajectory.steps:
        action, element = step.planned.action, found_element(step.found)
        if not isinstance(action, TypeText) or element is None:
            continue
        now = step.after.by_id(element.id) if element.role in roles.CELLS else None
        if now is None or now.value == action.text or now.value.isupper():  # TRUE is a value, not a word
            continue
        if now.value.casefold() == action.text.casefold():
            return f'{now} holds "{shorten(now.value)}", not "{shorten(action.text)}" as typed'
    return ""


def _unsaved_mark(last: Step) -> str:
    action = last.planned.action
    saved = isinstance(action, Press) and action.keys == ("ctrl", "s")
    title = last.after.place.title
    marked = title.startswith(_CHANGED) and last.before.place.title.startswith(_CHANGED)
    return f'the title "{shorten(title, LONGEST)}" shows that the document is not saved' * (saved and marked)


_CHANGED = ("*", "●")
"""Prefix of a window title whose document has unsaved changes."""
_KEEPING = roles.word_set("save write store keep commit")
_UNLOADED = ("chrome-error:", "about:neterror")
"""Addresses of the page that browsers show instead of one that failed to load."""
_TAKING_OVER = roles.word_set("apply accept update set")


def _notice_complaint(step: Step) -> str:
    if _is_unloaded(step):
        return "the page it opened could not be loaded"
    before = {element.name for element in step.before.elements}
    for one in step.after.elements:
        styled = one.attributes.get("notice") == "error" and one.is_text and one.name not in before
        if styled and _may_send(step) and _LETTERS.search(one.name):
            return f'the screen says "{shorten(one.name, LONGEST)}"'
    return ""


_ALARMING = frozenset(("alert", "error", "warning"))
_LETTERS = re.compile(r"[^\W\d_]{3}")


def _is_unloaded(step: Step) -> bool:
    return step.after.place.url.startswith(_UNLOADED) and step.after.place.url != step.before.place.url


_BROKE_DOWN = re.compile(r"^(?!GET |HEAD ).*: 5\d\d\b")
"""A server error: the server may have stored the request. (A refusal means that it has not.)"""


def unanswered_send(trajectory: Trajectory) -> str:
    """The last sent form if no answer shows whether the server stored it, in words; or empty."""
    step, earlier = _last_and_earlier(trajectory, None)
    if step is None or step.action is None or not (_may_send(step) or is_commit(step, earlier)):
        return ""
    broken = any(_BROKE_DOWN.match(one) for one in step.after.refused)
    if not (broken or _is_unloaded(step) or step.outcome.kind == "unverifiable"):
        return ""
    filled = [f'{one} "{shorten(one.value)}"' for one in still_filled(earlier, step.before) if one.value]
    return describe(step.planned.action, step.found) + f" with {', '.join(filled)}" * bool(filled)


def _server_refusal(step: Step) -> str:
    if isinstance(step.planned.action, Wait) or not step.after.refused:
        return ""
    return f"the server refused what was sent: {step.after.refused[-1]}"


def _invalid(step: Step) -> str:
    """The complaint about a field that a page rejects in a form sent by the last step; or empty.

    A field counts if it has the focus again, or became invalid and was not just left: pages check a
    field when it is left, whatever the click was for.
    """
    if not _may_send(step):
        return ""
    before = {element.id: element for element in step.before.elements}
    for field in step.after.elements:
        then = before.get(field.id)
        if then is None or "invalid" not in field.states:
            continue
        held = {"focused", "invalid"} & field.states
        left = "focused" in then.states - held
        # A form that was sent empties its fields, and an empty one that must be filled in is not valid.
        emptied = then.value and not field.value and "password" not in field.states
        objects = not emptied or said_by(step) or field.description
        if held - then.states and not left and objects:
            why = said_by(step) or f"{field} is not valid" + f": {field.description}" * bool(
                field.description
            )
            return f"the page does not accept what was sent: {why}"
    return ""


def _may_send(step: Step) -> bool:
    action = step.planned.action
    if isinstance(action, Press):
        return "enter" in (key.casefold() for key in action.keys)
    aimed = found_element(step.found)
    return isinstance(action, Click) and aimed is not None and aimed.role == "button"
