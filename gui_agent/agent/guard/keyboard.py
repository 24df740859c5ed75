"""What keys do on the present screen: Enter presses the default button, Delete removes what is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gui_agent.agent.guard import context, words
from gui_agent.core.keys import MODIFIERS, RELOADING, chord
from gui_agent.core.observation import Element, Observation
from gui_agent.elements.roles import BUTTONS, NOTICES, ROWS

_HELD = {*MODIFIERS, "altgr"}
_ACTING = {"enter", "space", "delete"}
"""Keys that activate or remove what has the focus."""
_COMMANDING = ({"ctrl", "j"}, {"ctrl", "m"}, {"ctrl", "o"}, {"ctrl", "shift", "v"}, {"shift", "insert"})
"""Chords that enter a line into a terminal, or paste one."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a key does: it activates an element, or has a meaning of its own."""

    element: Element | None = None
    meaning: str = ""
    subject: str = ""
    because: str = ""
    repeats: bool = False
    """Whether it does once more what was done already."""


def effects(keys: Sequence[str], observation: Observation) -> Iterable[Effect]:
    """What pressing these keys together would do.

    Raises:
        ActionFailed: one of them is no key.
    """
    pressed = chord(keys)
    held = {key for key in pressed if key in _HELD}
    others = [key for key in pressed if key not in _HELD]
    focus = context.focused(observation)
    if len(others) > 1 and not _ACTING.isdisjoint(others):
        yield Effect(None, "unclear", f"the keys {'+'.join(pressed)}", "one of them may move the focus")
    elif pressed in RELOADING and observation.place.posted:
        again = "loading it again sends it again"
        yield Effect(None, "submit", "the form that this page came from", again, repeats=True)
    elif "enter" in others:
        if held & {"ctrl", "meta"}:
            yield from _on_sending(focus, observation)
        if not _breaks_line(held, focus):
            yield from on_enter(focus, observation)
    elif held == {"alt"} and others == ["s"]:
        yield from _on_sending(focus, observation)
    elif "space" in others and not context.is_terminal(focus, observation.place):
        if focus is None or focus.role in NOTICES:
            yield from on_enter(focus, observation)
        elif not context.editable(focus):
            yield Effect(focus, because="Space activates it")
    elif "delete" in others or (others == ["backspace"] and "meta" in held):
        yield from _on_delete(focus, observation)
    elif _commands(pressed) and context.is_terminal(focus, observation.place):
        yield Effect(focus, "terminal", "the terminal", "the keys enter a line")


def _breaks_line(held: set[str], focus: Element | None) -> bool:
    """Whether Enter with these keys begins a new line, as Shift+Enter does where a text may have several."""
    return (
        held == {"shift"} and focus is not None and focus.role != "terminal" and "multiline" in focus.states
    )


def _commands(pressed: Sequence[str]) -> bool:
    keys = {key.lower() for key in pressed}
    return any(chord_ <= keys for chord_ in _COMMANDING)


def on_enter(focus: Element | None, observation: Observation) -> Iterable[Effect]:
    """What Enter would activate."""
    if context.is_terminal(focus, observation.place):
        yield Effect(focus, "terminal", "the terminal", "Enter runs the command")
        return
    if focus is None or focus.role in NOTICES:
        for option in context.dialog_buttons(observation):
            if not words.refuses(option.name):
                yield Effect(option, because="the key may press it")
        return
    if not context.editable(focus) and focus.role != "combobox":
        yield Effect(focus, because="Enter activates it")
        return
    kind = context.field_kind(focus, observation)
    plain_area = focus.attributes.get("tag") == "textarea"
    if kind == "search" or ("multiline" in focus.states and (plain_area or kind != "message")):
        return
    button = context.default_button(focus, observation)
    if button is not None:
        yield Effect(button, because="Enter presses it")
        return
    meaning = {"password": "submit-credentials", "card": "pay", "message": "send"}.get(kind, "")
    if not meaning and "password" in context.fields_with(focus, observation).kinds:
        meaning = "submit-credentials"
    if meaning:
        yield Effect(focus, meaning, str(focus), "Enter sends it off")


def _on_sending(focus: Element | None, observation: Observation) -> Iterable[Effect]:
    """Ctrl+Enter and the like: the button that sends, wherever it is, else the default one."""
    buttons = [e for e in observation.elements if e.role in BUTTONS and context.sends_off(e)]
    if buttons:
        yield Effect(buttons[0], because="the shortcut stands for it")
    elif focus is not None and context.editable(focus):
        kinds = context.fields_with(focus, observation)
        named = [name for field in kinds.all for name in words.field_kinds(field.name)]
        mail = (
            "recipient" in named
            or "message" in kinds.kinds
            or context.field_kind(focus, observation) == "message"
        )
        default = context.default_button(focus, observation)
        if mail:
            yield Effect(focus, "send", str(focus), "the shortcut sends it")
        elif default is not None:
            yield Effect(default, because="the shortcut stands for it")


def _on_delete(focus: Element | None, observation: Observation) -> Iterable[Effect]:
    """Delete removes a row that is selected or has the focus; in a field it removes a letter."""
    if focus is not None and context.editable(focus):
        return
    rows = [e for e in observation.elements if e.role in ROWS and "selected" in e.states]
    if focus is not None and focus.role in ROWS and focus not in rows:
        rows.append(focus)
    if rows:
        more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        yield Effect(rows[0], "delete", f"{rows[0]}{more}", "it is selected")
