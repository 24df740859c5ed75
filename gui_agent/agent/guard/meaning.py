"""Classifies what an action would mean, from its target and the context around the target."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from gui_agent.agent.guard import _consequences as consequences
from gui_agent.agent.guard import _context as context
from gui_agent.agent.guard import _keyboard as keyboard
from gui_agent.agent.guard import addresses, shell
from gui_agent.agent.guard._consequences import meanings_of_activating
from gui_agent.agent.guard._lexicon import editable, is_terminal
from gui_agent.agent.guard.fields import field_kind
from gui_agent.agent.guard.vocabulary import MEANINGS, PLAIN, ActionMeaning
from gui_agent.core import actions as do
from gui_agent.core.actions import Action, Open, TypeText
from gui_agent.core.keys import chord
from gui_agent.core.observation import Element, Observation, Point
from gui_agent.core.private_data import passes_luhn
from gui_agent.core.protocols import Opening
from gui_agent.core.trajectory import Found, found_element

HARMLESS = frozenset({"move", "scroll", "swipe", "back", "switch", "wait"})
"""Kinds of actions that only look around."""
_CARD_DIGITS = re.compile(r"(?<![\d.])(?!20\d\d[01]\d[0-3]|1[5-9]\d{11}\b)(?:\d[ .-]?){12,18}\d(?!\d|\.\d)")
_SECRET = re.compile(r"\$\{secret:")
_KEYS_IN_TEXT = re.compile(r"[\t\r\n]")
_KEY_TEXT = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|sk-(?:ant-|proj-)?)\w{16,}"
)
"""Private keys, and tokens with a known prefix."""


def classify(
    action: Action,
    found: Mapping[str, Found],
    observation: Observation,
    opening: Callable[[str], Opening] | None = None,
    line: str = "",
) -> tuple[ActionMeaning, ...]:
    """Everything the action would mean, gravest first; never empty.

    The kind of action alone means nothing: a click means what its target does, and Enter means what the
    default button does.

    Args:
        opening: returns what the device would start to open something; without it, that is unknown.
        line: what was typed into the terminal in front and not entered yet.
    """
    if isinstance(action, Open):
        found_out = [*_meanings_of_open(action.name, opening)]
    else:
        found_out = [
            *_readings(action, found, observation),
            *_typed_command(action, found, observation, line),
        ]
    readings = found_out or [ActionMeaning(PLAIN, action.kind)]
    if any(reading.meaning != PLAIN for reading in readings):
        readings = [reading for reading in readings if reading.meaning != PLAIN or reading.url]
    order = list(MEANINGS)
    return tuple(sorted(dict.fromkeys(readings), key=lambda reading: order.index(reading.meaning)))


def _meanings_of_open(name: str, opening: Callable[[str], Opening] | None) -> Iterator[ActionMeaning]:
    """What opening something would mean. An address that carries code is not looked up."""
    known = Opening("unknown")
    if opening is not None and not addresses.carries_code(name):
        known = opening(name)
    yield from addresses.meanings_of_opening(name, known)
    command = shlex.join(known.command)
    if known.kind in ("executable", "command") and shell.destroys(command):
        yield ActionMeaning("destructive-command", f"the command {command}")


def _typed_command(
    action: Action, found: Mapping[str, Found], observation: Observation, line: str
) -> Iterator[ActionMeaning]:
    """The meaning of typing into a terminal, if the line would then destroy something."""
    more = typed_keys(action)
    target = found_element(found) or context.focused_element(observation)
    if more and is_terminal(target, observation.place) and shell.destroys(line + more):
        yield ActionMeaning("destructive-command", "the terminal", target)


def typed_keys(action: Action) -> str:
    """The text that an action adds to a line being typed: its text, a single character, or a line end."""
    if isinstance(action, TypeText):
        return action.text
    if not isinstance(action, do.Press | do.Hold):
        return ""
    keys = [key for key in chord(action.keys) if key not in ("shift", "altgr")]
    if keys == ["space"]:
        return " "
    if len(keys) == 1 and len(keys[0]) == 1:
        return keys[0]
    return "\n" if "enter" in keys or keyboard.enters_line(keys) else ""


def _readings(
    action: Action, found: Mapping[str, Found], observation: Observation
) -> Iterable[ActionMeaning]:
    element = found_element(found)
    match action:
        case do.Move() | do.Select() | do.Scroll() | do.Back() | do.Switch() | do.Close() | do.Open():
            return ()
        case do.Pinch() | do.Rotate() | do.Click(button="right"):
            return ()
        case do.Click() | do.LongPress() | do.Check():
            return consequences.meanings_at_place(action.at, element, observation)
        case do.Choose():
            return consequences.meanings_of_choice(action, element, observation)
        case do.Drag() | do.Swipe():
            return consequences.meanings_of_drag(found.get("at"), found.get("to"), observation)
        case do.TypeText():
            return _meanings_of_typing(action, element, observation)
        case do.Upload():
            opens = element is not None and element.attributes.get("type") != "file"
            touched = meanings_of_activating(element, observation) if element is not None and opens else ()
            return (*addresses.meanings_of_upload(action), *touched)
        case do.Press() | do.Hold():
            return keyboard.meanings_of_keys(action.keys, observation, isinstance(action, do.Hold))
        case do.Navigate():
            return addresses.meanings_of_visit(action.url)
        case _:
            assert_never(action)


def _meanings_of_typing(
    action: TypeText[Point], element: Element | None, observation: Observation
) -> Iterable[ActionMeaning]:
    clicked = element
    if clicked is None and action.at is not None:
        clicked = context.at_point(action.at, observation)
    if clicked is not None:
        yield from _meanings_of_focusing(clicked, observation)
    target = clicked or context.focused_element(observation)
    kind = field_kind(target, observation) if target else "address" * addresses.carries_code(action.text)
    subject = str(target or "where the focus is")
    readings = [ActionMeaning(meaning, subject, target, why) for meaning, why in _contents(action.text, kind)]
    if kind == "address":
        visits = addresses.meanings_of_visit(action.text)
        readings += [replace(one, element=target) for one in visits]
    if is_terminal(target, observation.place):
        readings.append(ActionMeaning("terminal", subject, target))
    elif target is None or not editable(target) or _KEYS_IN_TEXT.search(action.text):
        readings += keyboard.meanings_of_text_keys(action.text, target, observation)
    yield from readings


def _meanings_of_focusing(clicked: Element, observation: Observation) -> Iterator[ActionMeaning]:
    """What the click would mean that gives the text its focus; a click on a slider sets it."""
    if clicked.role == "slider":
        yield from consequences.meanings_of_sliding(clicked, observation)
    elif not editable(clicked):
        yield from meanings_of_activating(clicked, observation, "it is clicked first")


def _contents(text: str, kind: str) -> Iterable[tuple[str, str]]:
    if kind in ("password", "card"):
        yield kind, ""
    elif _SECRET.search(text):
        yield "secret", ""
    elif _KEY_TEXT.search(text):
        yield "secret", "the text is a key"
    if kind != "card" and has_card(text):
        yield "card", "the text is a card number"


def has_card(text: str) -> bool:
    """Whether a text contains the number of a payment card, in any grouping."""
    return any(passes_luhn(match.group()) for match in _CARD_DIGITS.finditer(text))
