"""Extracts the effects of a demonstration, without mere means and slips, and its post-conditions.

A person's trajectory holds more than the task: clicks without effect, a value corrected twice, a box
checked by mistake and unchecked, something opened and closed again. Acts that certainly had no effect are
dropped. Acts that probably had none stay as doubtful effects, which cost little to leave unexplained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, cast

from gui_agent.core.actions import Check, Choose, Click, Drag, Press, Recorded, Scroll, TypeText, Wait
from gui_agent.core.aiming import places
from gui_agent.core.conditions import Condition, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.observation import Element, Fingerprint
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.elements.roles import BOXES, FIELDS, PASSIVE
from gui_agent.procedures.induction.priors import CERTAIN, DOUBTFUL, IDLE, UNDONE
from gui_agent.procedures.induction.values import exactly, texts
from gui_agent.procedures.language.evaluate import Scope, is_mentioned
from gui_agent.procedures.language.program import (
    Aim,
    Captioned,
    Const,
    DoStep,
    Expected,
    Item,
    Joined,
    Note,
    Slot,
    Step,
    Value,
    data_of,
    nodes,
)
from gui_agent.procedures.language.view import View, alike, label_or_text, text_of
from gui_agent.procedures.recordings.from_run import appeared_names
from gui_agent.scene.fingerprints import fingerprint

EDITS = (TypeText, Choose, Check)
_SCROLLING = frozenset(("up", "down", "pageup", "pagedown", "home", "end", "space"))
_LONGEST_DETOUR = 6
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Effect:
    """One act with an effect, and the screen that it was performed on."""

    action: Recorded
    view: View
    element: Element | None = None
    to: Element | None = None
    expect: tuple[Condition[Fingerprint], ...] = ()
    clicked: Recorded | None = None
    """The recorded click, if `action` expresses it as checking a box."""
    scrolled: tuple[View, ...] = ()
    """The screens scrolled past immediately before it."""
    copied: tuple[str, str, Element | None] | None = None
    """The name and text of what was read here for later typing, and the element that the person pointed at,
    if any; such an effect has no action."""
    after: View | None = field(default=None, repr=False)
    doubt: float = CERTAIN
    """The cost of leaving it unexplained."""

    @property
    def data(self) -> str | None:
        return None if self.copied is not None else data_of(self.action)

    @property
    def shape(self) -> tuple[object, ...]:
        """The properties that two effects must share to be the same step of a procedure."""
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

    @property
    def captions(self) -> tuple[str, ...]:
        """The names that a person would use for the target; empty without a target."""
        return self.view.captions(self.element) if self.element is not None else ()

    @cached_property
    def alike(self) -> tuple[Element, ...]:
        """The elements equivalent to the target, the target first."""
        return alike(self.element, self.view) if self.element is not None else ()


def effects(demonstration: Demonstration) -> tuple[Effect, ...]:
    found = _with_own_signs(_with_screens(demonstration))
    found = [replace(one, action=_as_check(one), clicked=one.action) for one in found]
    found = [_arrows_as_typing(one) for one in found]
    found = _without_means(found)
    found = _last_values(found)
    found = _with_costs(found)
    found = [replace(one, doubt=UNDONE) if _is_redone(one, found[:i]) else one for i, one in enumerate(found)]
    kept = [one for one in found if one.doubt > 0]
    if not kept or not any(_says_something(one) for one in kept):
        # If no act left a trace, the acts themselves are the only evidence.
        return tuple(replace(one, doubt=CERTAIN) for one in found)
    return tuple(kept)


def pointed_at(demonstration: Demonstration) -> tuple[Element, ...]:
    """Elements clicked or marked without an effect: the person read or copied their text."""
    found = _with_screens(demonstration)
    return tuple(one.element for one in found if one.element is not None and _only_points(one))


def _only_points(one: Effect) -> bool:
    beside = one.to is not None and one.element is not None and not _is(one.to, one.element)
    return isinstance(one.action, Click | Drag) and not (beside or one.expect or _changes(one))


def _effect(step: DemoStep) -> Effect:
    view = View.from_screen(step.screen)
    element = view.by_id(step.element) if step.element else None
    to = view.by_id(step.to_element) if step.to_element else None
    return Effect(step.action, view, element, to, step.expect)


def _with_screens(demonstration: Demonstration) -> list[Effect]:
    """The steps with the screens before and after; consecutive waits are merged."""
    steps = demonstration.steps
    again = {number for number, pair in enumerate(pairwise(steps), start=1) if all(map(_only_waits, pair))}
    found = [_effect(step) for number, step in enumerate(steps) if number not in again]
    final = View.from_screen(demonstration.final) if demonstration.final is not None else None
    after = [*(one.view for one in found[1:]), final]
    seen = [
        replace(one, after=then if then is not None and then.elements else None)
        for one, then in zip(found, after, strict=True)
    ]
    answer = demonstration.answer
    return [replace(one, expect=_sign(one, answer)) if _only_waits(one) else one for one in seen]


def _as_check(one: Effect) -> Recorded:
    action = one.action
    if not isinstance(action, Click) or one.element is None or one.element.role not in BOXES:
        return action
    if action.button != "left" or action.clicks != 1 or action.modifiers:
        return action
    said = [c for c in one.expect if isinstance(c, StateIs) and c.state == "checked"]
    return Check(action.at, on=said[0].on if said else "checked" not in one.element.states)


def _arrows_as_typing(one: Effect) -> Effect:
    if one.element is None or one.element.role != "spinbutton" or not isinstance(one.action, Click | Press):
        return one
    then = one.after.by_id(one.element.id) if one.after is not None else None
    if then is None or then.role != one.element.role or not then.value or then.value == one.element.value:
        return one
    at = fingerprint(one.element, one.view.observation)
    return replace(one, action=TypeText(then.value, at, replace=True), clicked=None)


def _without_means(found: Sequence[Effect]) -> list[Effect]:
    """The effects without scrolls, idle waits, and clicks or keys that only focus the next field."""
    kept: list[Effect] = []
    past: list[View] = []
    for index, one in enumerate(found):
        following = next((e for e in found[index + 1 :] if not isinstance(e.action, Scroll | Wait)), None)
        if _only_waits(one):
            kept += [replace(one, action=Wait(LONGEST_WAIT))] * _needs_sign(one, following)
            continue
        if isinstance(one.action, Scroll):
            past.append(one.view)
            if following is not None and (following.element is None or _brings_into_view(one, following)):
                continue
        elif _moves_focus(one, found[index + 1 :]) or _drags_view(one):
            if _drags_view(one):
                past.append(one.view)
            continue
        if isinstance(one.action, Scroll):
            kept.append(one)
            continue
        typed = _typing_into_clicked_field(one, found[index - 1] if index else None)
        kept.append(replace(typed, scrolled=tuple(past)))
        past = []
    return kept


LONGEST_WAIT = 300.0
"""Maximum seconds to wait for the sign that a wait is over; it may take longer than in the demonstration."""


def _only_waits(one: Effect | DemoStep) -> bool:
    return isinstance(one.action, Wait) and not one.action.until


def _needs_sign(wait: Effect, following: Effect | None) -> bool:
    """Whether a wait needs its own sign, because the next step does not wait for its target."""
    own = following is not None and following.element is not None and _brings_into_view(wait, following)
    return bool(wait.expect) and not own


def _sign(wait: Effect, answer: str) -> tuple[Condition[Fingerprint], ...]:
    """The sign that a wait is over: a text that appeared or disappeared.

    Excludes list entries, numbers and the answer, because they differ from day to day.
    """
    if wait.after is None:
        return ()
    stayed = {e.path for e in wait.view.elements} & {e.path for e in wait.after.elements} - {""}

    def telling(texts: Sequence[str], view: View) -> list[str]:
        words = (text for text in texts if not _DIGIT.search(text) and not is_mentioned(answer, text))
        return [text for text in words if not _is_entry(text, view, stayed)]

    came = telling(appeared_names(wait.after.elements, wait.view.elements), wait.after)
    went = telling(appeared_names(wait.view.elements, wait.after.elements), wait.view)
    return (TextShown(came[0]),) if came else (TextGone(went[0]),) if went else ()


def ends_unseen(demonstration: Demonstration) -> bool:
    """Whether it ended with a wait that changed the screen, and no lasting text marks the end of the wait."""
    last = _with_screens(demonstration)[-1:]
    return any(_only_waits(one) and _changes(one) and not one.expect for one in last)


def _with_own_signs(found: Sequence[Effect]) -> list[Effect]:
    """Remove expected texts that were present by chance: entries of lists and tables.

    A step made an entry if the entry contains a value typed before and was on no earlier screen. Values typed
    only later were present by chance; so was a plain text that was on an earlier screen.
    """
    kept: list[Effect] = []
    entered: list[str] = []
    typed = {normal(one.data) for one in found if one.data and len(one.data) > 1}
    known = ""
    for one in found:
        entered += [normal(one.data)] if one.data else []
        known += " | ".join(normal(element.name) for element in one.view.elements)
        later = typed.difference(entered)
        lay = {
            c
            for c in one.expect
            if isinstance(c, TextShown) and not _is_made(one, c.text, entered, later, known)
        }
        expect = tuple(c for c in one.expect if c not in lay)
        kept.append(one if _only_waits(one) else replace(one, expect=expect))
    return kept


def _is_made(one: Effect, text: str, entered: Sequence[str], later: Set[str], known: str) -> bool:
    said = normal(text)
    if any(value in said for value in later):
        return False
    shown = [e for e in one.after.elements if said in normal(e.name)] if one.after is not None else []
    if said in known and all(e.is_text for e in shown):
        return not shown
    if one.after is None or not _is_entry(text, one.after):
        return True
    return said not in known and any(len(value) > 1 and value in said for value in entered)


def _is_entry(text: str, view: View, stayed: Set[str] = frozenset()) -> bool:
    """Whether a text occurs only in entries of lists or tables, whose data changes from day to day.

    Args:
        stayed: paths of elements that were present before; there a text changed in place.
    """
    holders = [e for e in view.elements if normal(text) in normal(e.name)]
    return bool(holders) and all(view.is_entry(e, alone=e.path in stayed) for e in holders)


def _brings_into_view(scroll: Effect, following: Effect) -> bool:
    assert following.element is not None
    before = scroll.view.by_id(following.element.id)
    return before is None or before.name != following.element.name


def _moves_focus(one: Effect, following: Sequence[Effect]) -> bool:
    """Whether an act only moves the keyboard focus: Tab, or a click into a field edited later or never.

    If something else appears meanwhile, it is not an effect of moving the focus.
    """
    if not following:
        return False
    if isinstance(one.action, Press):
        return _only_tabs(one, one.action, following)
    if not isinstance(one.action, Click) or not _plain(one.action) or one.element is None:
        return False
    later = (e.action for e in following if _is(e.element, one.element))
    if isinstance(next(later, None), TypeText | Choose):
        return True
    if one.element.role not in FIELDS and "editable" not in one.element.states:
        return False
    typed_next = isinstance(following[0].action, TypeText) and following[0].element is None
    return typed_next or not (one.expect or _changes(one))


def _only_tabs(one: Effect, action: Press, following: Sequence[Effect]) -> bool:
    if action.keys not in (("tab",), ("shift", "tab")) or _takes_keys_for(one, following[0]):
        return False
    return not _changes(one) or any(isinstance(later.action, TypeText) for later in following)


def _plain(action: Click[Any]) -> bool:
    return action.button == "left" and action.clicks <= 2 and not action.modifiers


def _drags_view(one: Effect) -> bool:
    if isinstance(one.action, Press):
        return _can_only_have_scrolled(one) and not any("focused" in e.states for e in one.view.elements)
    if one.element is None or "scrollable" not in one.element.states:
        return False
    return isinstance(one.action, Drag | Click)


def _typing_into_clicked_field(one: Effect, before: Effect | None) -> Effect:
    action = one.action
    if not isinstance(action, TypeText) or one.element is not None or before is None:
        return one
    if isinstance(before.action, Click) and before.element is not None and before.element.role in FIELDS:
        element = one.view.by_id(before.element.id) or before.element
        at = next(iter(places(before.action).values()))
        return replace(one, action=replace(cast("Any", action), at=at), element=element)
    return one


def _last_values(found: Sequence[Effect]) -> list[Effect]:
    kept: list[Effect] = []
    for one in found:
        typed_nowhere = isinstance(one.action, TypeText) and one.element is None and not one.expect
        if typed_nowhere and _is_begun(one, found):
            continue
        again = _same_field(kept, one)
        if again is None:
            kept.append(one)
            continue
        earlier = kept[again]
        if isinstance(one.action, TypeText) and isinstance(earlier.action, TypeText):
            whole = _value_after(one, earlier)
            joined = replace(earlier.action, text=whole)
            kept[again] = replace(earlier, action=joined, expect=one.expect, after=one.after)
        elif isinstance(one.action, Check) and isinstance(earlier.action, Check):
            del kept[again]
            was = "checked" in (earlier.element.states if earlier.element else ())
            if one.action.on != was or earlier.element is None or earlier.element.role == "radio":
                kept.append(replace(one, scrolled=earlier.scrolled))
        else:
            kept[again] = replace(one, scrolled=earlier.scrolled)
    return kept


def _is_redone(one: Effect, before: Sequence[Effect]) -> bool:
    """Whether a field is filled again with the same value because something emptied it meanwhile."""
    if not isinstance(one.action, TypeText):
        return False
    typed = (other for other in before if isinstance(other.action, TypeText) and other.data == one.data)
    return any(_is(other.element, one.element) for other in typed)


def _is_begun(one: Effect, found: Sequence[Effect]) -> bool:
    """Whether letters typed without a target field are the beginning of the next field's value."""
    place = next(i for i, other in enumerate(found) if other is one or other.action is one.action)
    return any(
        isinstance(later.action, TypeText) and later.element is not None
        for later in found[place + 1 : place + 5]
    )


def _same_field(kept: Sequence[Effect], one: Effect) -> int | None:
    """The index of the last edit of the same field, if only edits and idle acts came between."""
    if not isinstance(one.action, TypeText | Check) or one.element is None:
        return None
    for index in range(len(kept) - 1, -1, -1):
        other = kept[index]
        if type(other.action) is type(one.action) and _is(other.element, one.element):
            return index
        if not isinstance(other.action, EDITS) and _changes(other):
            return None
    return None


def _is(one: Element | None, other: Element | None) -> bool:
    """Whether both elements exist and are the same."""
    return one is not None and other is not None and (one.id, one.role) == (other.id, other.role)


def _value_after(one: Effect, earlier: Effect) -> str:
    assert isinstance(one.action, TypeText) and isinstance(earlier.action, TypeText)
    held = [c.value for c in one.expect if isinstance(c, ValueIs)]
    if one.action.text in held or one.action.replace or (one.element and not one.element.value):
        return one.action.text
    if held and normal(held[0]) == normal(earlier.action.text + one.action.text):
        return held[0]
    return earlier.action.text + one.action.text


def _with_costs(found: Sequence[Effect]) -> list[Effect]:
    undone = _undone_acts(found)
    judged: list[Effect] = []
    for index, one in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        doubt = _doubt(one, last=following is None, undone=index in undone)
        if following is not None and _takes_keys_for(one, following):
            doubt = CERTAIN
        judged.append(replace(one, doubt=doubt))
    return judged


def _takes_keys_for(one: Effect, following: Effect) -> bool:
    """Whether a click or caret key determines where the next keys go."""
    if isinstance(one.action, Press) and one.action.keys[-1].lower() in {*_SCROLLING, "tab"}:
        return isinstance(following.action, TypeText) and following.element is None
    if not isinstance(one.action, Click) or one.element is None or following.element is not None:
        return False
    if isinstance(following.action, Press):
        return following.action.keys not in (("enter",), ("escape",))
    return isinstance(following.action, TypeText)


def _doubt(one: Effect, *, last: bool, undone: bool) -> float:
    if isinstance(one.action, EDITS) or one.action.kind == "open":
        return CERTAIN
    if _only_waits(one):
        return DOUBTFUL
    aimless = one.element is None and one.to is None
    has_effect = bool(one.expect) or _changes(one)
    if isinstance(one.action, Click | Drag) and aimless and not has_effect:
        return IDLE if last else 0.0
    if isinstance(one.action, Drag) and one.to is None:
        return IDLE
    if last:
        return CERTAIN
    return UNDONE if undone else _doubt_of_effect(one, has_effect)


def _doubt_of_effect(one: Effect, has_effect: bool) -> float:
    keys = isinstance(one.action, Press)
    if not keys and not one.expect and (one.element is None or one.element.role in PASSIVE):
        return IDLE if one.captions else 0.0
    if has_effect:
        return DOUBTFUL if _can_only_have_scrolled(one) else CERTAIN
    return IDLE if keys else DOUBTFUL


def _can_only_have_scrolled(one: Effect) -> bool:
    if not isinstance(one.action, Press) or one.element is not None:
        return False
    return len(one.action.keys) == 1 and one.action.keys[0].lower() in _SCROLLING


def _changes(one: Effect) -> bool:
    return one.after is not None and bool(one.view.elements) and signature(one.view) != signature(one.after)


def signature(view: View) -> frozenset[tuple[object, ...]]:
    """The content of a screen, independent of focus and scroll position."""
    known = view.__dict__.get("_signature")
    if known is None:
        known = frozenset(
            (e.role, e.name, text_of(e), e.path if not e.name else "", frozenset(e.states) - {"focused"})
            for e in view.elements
        )
        view.__dict__["_signature"] = known
    return cast("frozenset[tuple[object, ...]]", known)


def _undone_acts(found: Sequence[Effect]) -> set[int]:
    """Indices of acts that together led back to an earlier screen: a detour."""
    screens = [signature(one.view) for one in found]
    last = found[-1].after if found else None
    screens.append(signature(last) if last is not None else frozenset())
    undone: set[int] = set()
    for start in range(len(found)):
        for end in range(min(len(found), start + _LONGEST_DETOUR), start + 1, -1):
            between = found[start:end]
            if any(isinstance(one.action, EDITS) for one in between) or not screens[start]:
                continue
            if screens[start] == screens[end] and any(screens[start] != s for s in screens[start:end]):
                undone |= set(range(start, end))
                break
    return undone


def _says_something(one: Effect) -> bool:
    return one.element is not None or bool(one.expect) or not isinstance(one.action, Click | Drag)


_KINDS = {TextShown: "shown", TextGone: "gone", UrlIs: "url", TitleIs: "title"}
MOST = 5


def expectations(acts: Sequence[Effect], scopes: Sequence[Scope]) -> tuple[Expected, ...]:
    """The conditions that held after the step in every demonstration."""
    found: list[Expected] = [*_value_read_back(acts, scopes), *_own_states(acts)]
    for kind, what in _KINDS.items():
        patterns = [_patterns(kind, *pair) for pair in zip(acts, scopes, strict=True)]
        common = set.intersection(*map(set, patterns))
        shown = [value for value in patterns[0] if value in common]
        found += [Expected(what, value) for value in shown[:MOST]]  # type: ignore[arg-type]
    return tuple(found)


def _patterns(kind: type, act: Effect, scope: Scope) -> dict[Value, None]:
    """The expected texts of one kind after an act, without duplicates."""
    return dict.fromkeys(pattern(_text(one), scope) for one in act.expect if isinstance(one, kind))


def without_passing(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Drop the expectation that an element disappears if a later step acts on it: it was only covered."""
    found = list(steps)
    for index, step in enumerate(steps):
        if isinstance(step, DoStep):
            later = set(_labels_acted_on(steps[index + 1 :]))
            expect = tuple(e for e in step.expect if e.what != "gone" or _as_label(e.text) not in later)
            found[index] = replace(step, expect=expect)
    return tuple(found)


def _labels_acted_on(steps: Sequence[Step]) -> Iterator[Value]:
    for aim in nodes(tuple(steps)):
        if isinstance(aim, Aim):
            yield from (_as_label(test.text) for test in aim.choices[0].tests if isinstance(test, Captioned))


def _as_label(text: Value) -> Value:
    return Const(label_or_text(text.text)) if isinstance(text, Const) else text


def _text(condition: Condition[Fingerprint]) -> str:
    match condition:
        case TextShown(text):
            return text.rstrip(" :*")
        case TextGone(pattern) | UrlIs(pattern) | TitleIs(pattern):
            return pattern
    return ""


def pattern(text: str, scope: Scope) -> Value:
    """A text of the screen with the values of slots (the longest first) and of the item as references."""
    parts: list[Value] = [Const(text)]
    known: list[tuple[Value, str]] = [(Slot(name), value) for name, value in scope.slots.items()]
    known += [(Note(name), value) for name, value in scope.notes.items()]
    known.sort(key=lambda pair: -len(pair[1]))
    for source, value in [*known, (Item(), scope.item or "")]:
        # A single character occurs in many texts by chance, unless another value of the task is beside it.
        if len(value) > 1 or (value and len(parts) > 1):
            parts = list(chain.from_iterable(_split(part, source, value) for part in parts))
    return parts[0] if len(parts) == 1 else Joined(tuple(parts))


def _split(part: Value, source: Value, value: str) -> list[Value]:
    if not isinstance(part, Const):
        return [part]
    place = part.text.lower().find(value.lower())
    if place < 0 or not is_whole_word(part.text, place, len(value)):
        return [part]
    pieces: list[Value] = [Const(part.text[:place]), source]
    rest = _split(Const(part.text[place + len(value) :]), source, value)
    return [piece for piece in (*pieces, *rest) if piece != Const("")]


def is_whole_word(text: str, place: int, length: int) -> bool:
    """Whether a part of a text starts and ends at word boundaries."""
    around = text[max(0, place - 1) : place] + text[place + length : place + length + 1]
    return not any(character.isalnum() for character in around)


def _value_read_back(acts: Sequence[Effect], scopes: Sequence[Scope]) -> list[Expected]:
    held: list[str] = []
    for act in acts:
        values = [c.value for c in act.expect if isinstance(c, ValueIs) and _is_own(c.of, act)]
        if not values:
            return []
        held.append(values[0])
    found = texts(held, scopes, same=exactly)
    if not found or (
        isinstance(found[0].it, Const) and len(acts) == 1 and normal(held[0]) != normal(acts[0].data or "")
    ):
        return []
    return [Expected("value", found[0].it)]


def _own_states(acts: Sequence[Effect]) -> list[Expected]:
    common = set.intersection(*map(_states_told, acts)) if acts else set()
    return [Expected("state" if on else "no state", Const(state)) for state, on in sorted(common)]


def _states_told(act: Effect) -> set[tuple[str, bool]]:
    return {(c.state, c.on) for c in act.expect if isinstance(c, StateIs) and _is_own(c.of, act)}


def _is_own(mark: Fingerprint, act: Effect) -> bool:
    own = act.element
    return own is not None and (mark.role, mark.path) == (own.role, own.path) and mark.name == own.name
