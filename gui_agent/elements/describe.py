"""Actions, targets and expectations as plain sentences for people, prompts and reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, assert_never

from gui_agent.core.actions import (
    AnyAction,
    Back,
    Check,
    Choose,
    Click,
    Close,
    Drag,
    Hold,
    LongPress,
    Move,
    Navigate,
    Open,
    Pinch,
    Press,
    Rotate,
    Scroll,
    Select,
    Swipe,
    Switch,
    TypeText,
    Upload,
    Wait,
)
from gui_agent.core.conditions import Condition, Shown, StateIs, ValueIs
from gui_agent.core.observation import Element, Fingerprint, Mark, Observation, Point, Target, Words
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found, Step

LONGEST_TEXT = 80
"""How many characters of a typed text or a name a sentence shows."""

_CLICKS = {1: "Click", 2: "Double-click", 3: "Triple-click"}
_TICKS = {"radio": ("Select", "Unselect"), "switch": ("Turn on", "Turn off")}
_SECRET = re.compile(r"\$\{secret(?::([^}]*))?\}")
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    """The text without characters that could disguise it or break the output: control characters, direction
    overrides, unpaired surrogates.
    """
    return _UNPRINTABLE.sub("", text)


def describe(action: AnyAction[Any] | Wait, found: Mapping[str, Found] | None = None) -> str:
    """What an action does, as one line that begins with a verb: `Type "Ada" into textbox "Name"`."""
    return printable(_sentence(action, found or {}))


def describe_step(step: Step) -> str:
    return describe(step.planned.action, step.found)


def describe_place(place: Target | Fingerprint, found: Found | None = None) -> str:
    """A target as a noun: `button "Send"`, `the second checkbox`, `the point (120, 45)`."""
    return printable(_noun(place, found))


def describe_condition(condition: Condition[Any], observation: Observation | None = None) -> str:
    """An expectation as a statement; marks are named by the elements of the observation."""
    if isinstance(condition, Shown | ValueIs | StateIs):
        found = _find_mark(condition.of, observation)
        return printable(str(replace(condition, of=_noun(condition.of, found))))
    return printable(str(condition))


def keys(names: tuple[str, ...]) -> str:
    """A chord as keyboards label it: `Ctrl+S`."""
    return "+".join(name.upper() if len(name) == 1 else name.replace("_", " ").title() for name in names)


def _sentence(action: AnyAction[Any] | Wait, found: Mapping[str, Found]) -> str:
    match action:
        case Click() | TypeText() | Choose() | Check() | Upload():
            return _operate(action, found)
        case Move() | Drag() | Swipe() | Pinch() | Scroll() | LongPress() | Select():
            return _gesture(action, found)
        case Press(names, times):
            return f"Press {keys(names)}" + (f" {times} times" if times > 1 else "")
        case Hold(names, seconds):
            return f"Hold {keys(names)} for {seconds:g} s"
        case Open(name):
            return f"Open {_quote(name)}"
        case Navigate(url, new_tab):
            return f"Open {shorten(url, 120)} in a new tab" if new_tab else f"Go to {shorten(url, 120)}"
        case Back():
            return "Go back"
        case Switch(to):
            return f"Switch to {_quote(to)}"
        case Close():
            return "Close the current tab or window"
        case Rotate(to):
            return f"Turn the screen to {to}"
        case Wait(seconds, until):
            awaited = f" until {_quote(until)} is shown, at most" if until else ""
            return f"Wait{awaited} {seconds:g} s"
    assert_never(action)


def _gesture(
    action: Move[Any] | Drag[Any] | Swipe[Any] | Pinch[Any] | Scroll[Any] | LongPress[Any] | Select[Any],
    found: Mapping[str, Found],
) -> str:
    noun = _noun(action.at, found.get("at"))
    match action:
        case Move():
            return f"Move the pointer to {noun}"
        case Drag(_, to, modifiers):
            return f"Drag {noun} to {_noun(to, found.get('to'))}{_holding(modifiers)}"
        case Swipe(_, to):
            return f"Swipe from {noun} to {_noun(to, found.get('to'))}"
        case Pinch(_, scale):
            return f"Pinch {noun} {'open' if scale >= 1 else 'closed'} by {scale:g}"
        case Scroll(_, down, right):
            return f"Scroll {_ways(down, right)} over {noun}"
        case Select(_, text):
            return f"Select {_quote(text)} in {noun}"
        case LongPress(_, seconds):
            return f"Press and hold {noun} for {seconds:g} s"
    assert_never(action)


def _operate(
    action: Click[Any] | TypeText[Any] | Choose[Any] | Check[Any] | Upload[Any], found: Mapping[str, Found]
) -> str:
    there = found.get("at")
    noun = "" if action.at is None else _noun(action.at, there)
    match action:
        case Click(_, button, clicks, modifiers):
            verb = _CLICKS.get(clicks, f"Click {clicks} times on")
            if button != "left":
                verb = f"{button.title()}-{verb.lower()}"
            return f"{verb} {noun}{_holding(modifiers)}"
        case TypeText(text, _, replaces):
            if not text and replaces:
                return f"Clear {noun}" if noun else "Clear the field"
            return f"Type {_quote(text)} into {noun}" if noun else f"Type {_quote(text)}"
        case Choose(_, option):
            return f"Choose {_quote(option)} in {noun}"
        case Check(_, on):
            tick, untick = _TICKS.get(_role(action.at, there), ("Tick", "Untick"))
            return f"{tick if on else untick} {noun}"
        case Upload(_, files):
            names = ", ".join(_quote(PurePath(file).name or file) for file in files)
            return f"Upload {names} to {noun}"
    assert_never(action)


def _noun(place: Target | Fingerprint, found: Found | None) -> str:
    if found and found.element is not None:
        return _noun_of_found(found, found.element, found.element.name or _words(place))
    match place:
        case Point() | Mark():
            return str(place)
        case Fingerprint(role, name, text, spot=spot):
            whole = _phrase(role, name or text) if role else "the screen"
            return whole if spot is None else f"the point {spot[0]:.0%} across and {spot[1]:.0%} down {whole}"
        case Words(text, role, ordinal, near):
            words = str(replace(place, text=shorten(text), near=shorten(near)))
            return f"the {words}" if ordinal or not text else words
    assert_never(place)


def _noun_of_found(found: Found, element: Element, name: str) -> str:
    if element.role == "generic" and not name:
        return _quote(element.description) if element.description else str(found.point)
    where = f" in the row of {found.record}" if found.record else ""
    return _phrase(element.role, name or element.description) + where


def _phrase(role: str, name: str) -> str:
    if role == "generic":
        return _quote(name) if name else "the unnamed place"
    return f"{role} {_quote(name)}" if name else f"the {role}"


def _words(place: Target | Fingerprint) -> str:
    """The planner's or recording's name for an element without one of its own."""
    match place:
        case Words(text):
            return text
        case Fingerprint(label=label):
            return label
    return ""


def _role(place: Target | Fingerprint, found: Found | None) -> str:
    if found and found.element:
        return found.element.role
    return place.role if isinstance(place, Words | Fingerprint) else ""


def _find_mark(place: Target | Fingerprint, observation: Observation | None) -> Found | None:
    element: Element | None = None
    if isinstance(place, Mark) and observation is not None:
        element = observation.by_id(place.mark)
    return Found(element.box.center, element) if element else None


def _quote(text: str) -> str:
    shown = _SECRET.sub(lambda match: f"••• (secret {match[1]})" if match[1] else "•••", text)
    return f'"{shorten(shown, LONGEST_TEXT)}"'


def _holding(modifiers: tuple[str, ...]) -> str:
    return f" holding {keys(modifiers)}" if modifiers else ""


def _ways(down: int, right: int) -> str:
    ways = [f"{'down' if down > 0 else 'up'} {abs(down)} px"] if down else []
    if right:
        ways.append(f"{'right' if right > 0 else 'left'} {abs(right)} px")
    return " and ".join(ways) or "nowhere"
