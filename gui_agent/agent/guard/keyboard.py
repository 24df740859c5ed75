"""What keys do on the present screen: Enter presses the default button, Delete removes what is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gui_agent.agent.guard import context, words
from gui_agent.core.observation import Element, Observation

_NAMES = {"return": "enter", "kp_enter": "enter", "numpadenter": "enter", "del": "delete", "control": "ctrl"}
_NAMES |= {
    "controlormeta": "ctrl",
    "cmd": "meta",
    "command": "meta",
    "super": "meta",
    "win": "meta",
    " ": "space",
}
_SENDING = ({"ctrl", "enter"}, {"meta", "enter"}, {"alt", "s"}, {"ctrl", "shift", "enter"})


@dataclass(frozen=True, slots=True)
class Effect:
    """What a key does: it activates an element, or has a meaning of its own."""

    element: Element | None = None
    meaning: str = ""
    subject: str = ""
    because: str = ""


def effects(keys: Sequence[str], observation: Observation) -> Iterable[Effect]:
    """What pressing these keys together would do."""
    chord = {_NAMES.get(key.lower(), key.lower()) for key in keys}
    focus = context.focused(observation)
    if chord in _SENDING:
        yield from _on_sending(focus, observation)
    elif chord == {"enter"}:
        yield from on_enter(focus, observation)
    elif chord == {"space"} and focus is not None and not context.editable(focus):
        yield Effect(focus, because="Space activates it")
    elif "delete" in chord or chord == {"meta", "backspace"}:
        yield from _on_delete(focus, observation)


def on_enter(focus: Element | None, observation: Observation) -> Iterable[Effect]:
    """What Enter would activate."""
    if context.is_terminal(focus, observation.place):
        yield Effect(focus, "terminal", "the terminal", "Enter runs the command")
        return
    if focus is None or focus.role in context.DIALOGS:
        for option in context.dialog_buttons(observation):
            if not words.refuses(option.name):
                yield Effect(option, because="Enter may press it")
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
    buttons = [e for e in observation.elements if e.role in context.BUTTONS and context.sends_off(e)]
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
    rows = [e for e in observation.elements if e.role in context.ROWS and "selected" in e.states]
    if focus is not None and focus.role in context.ROWS and focus not in rows:
        rows.append(focus)
    if rows:
        more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        yield Effect(rows[0], "delete", f"{rows[0]}{more}", "it is selected")
