"""What keys would do on the current screen: Enter presses a button, Delete removes a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gui_agent.agent.guard import _context as context
from gui_agent.agent.guard import words
from gui_agent.agent.guard._consequences import meanings_of_activating
from gui_agent.agent.guard._context import companions, is_inside, submits
from gui_agent.agent.guard._lexicon import editable, is_terminal
from gui_agent.agent.guard.fields import field_kind, field_kinds
from gui_agent.agent.guard.vocabulary import ActionMeaning, meaning_of_element
from gui_agent.core.keys import MODIFIERS, chord
from gui_agent.core.observation import Effects, Element, Observation
from gui_agent.elements.roles import BRANCHES, BUTTONS, INERT, NOTICES, ROWS, TAKES_TEXT, word_set
from gui_agent.scene import Scene
from gui_agent.scene.structure import DIALOGS

_HELD = {*MODIFIERS, "altgr"}
_ACTING = {"enter", "space", "delete"}
"""Keys that activate or remove the focused element."""
ONE_LINE = 80
"""Largest height (px) at which a multi-line field still looks like a chat input."""
_SENDING = frozenset({"send", "pay", "transfer", "sign", "publish", "share", "submit", "submit-credentials"})
"""Meanings of buttons that send the fields next to them."""
_COMMANDING = tuple(map(word_set, ("ctrl d", "ctrl j", "ctrl m", "ctrl o", "ctrl shift v", "shift insert")))
"""Chords that enter a line into a terminal, end its input, or paste a line."""
_CELL = re.compile(r"[A-Z]{1,3}\d+")
"""A cell of a spreadsheet, of which Delete only clears the contents."""
_ASKED_LINE = re.compile(r"\?\s*$|\[[yYjJoOsSnN]/[yYjJoOsSnN]\]|\([yYjJoOsS](?:es)?/[nN]")
"""A line of a terminal that waits for an answer, maybe for a single key."""


def meanings_of_text_keys(
    text: str, target: Element | None, observation: Observation
) -> Iterator[ActionMeaning]:
    """What the keys in a typed text would do: its line breaks, its tabs, and its blanks outside fields."""
    takes = target is not None and (editable(target) or target.role in TAKES_TEXT)
    breaks = "\n" in text or "\r" in text
    if breaks:
        yield from (
            meanings_of_enter(target, observation) if takes else meanings_of_keys(("enter",), observation)
        )
    if not takes and " " in text:
        yield from meanings_of_keys(("space",), observation)
    _, tab, after = text.partition("\t")
    keeps = target is not None and ("multiline" in target.states or target.role in TAKES_TEXT - {"combobox"})
    if tab and not keeps and not {" ", "\n", "\r"}.isdisjoint(after):
        yield ActionMeaning("unclear", "the keys after a tab", because="the focus is unknown after it")


def meanings_of_keys(
    keys: Sequence[str], observation: Observation, held: bool = False
) -> Iterator[ActionMeaning]:
    """What pressing these keys together would do; if they are `held`, the last one repeats."""
    pressed = chord(keys)
    others = [key for key in pressed if key not in _HELD]
    focus = context.focused_element(observation)
    if focus is not None and _types_text(pressed, others):
        yield from _meanings_of_typing_key(focus, observation)
    yield from _meanings_of_shortcuts(pressed, observation)
    repeats = held and not {"enter", "space"}.isdisjoint(others)
    if repeats and focus is not None and not editable(focus):
        yield meaning_of_element("unclear", focus, "a held key repeats on the next screen too")
    if len(others) > 1 and not _ACTING.isdisjoint(others):
        yield ActionMeaning(
            "unclear", f"the keys {'+'.join(pressed)}", because="one of them may move the focus"
        )
    else:
        yield from _meanings_of_acting_keys(_HELD.intersection(pressed), others, focus, observation)
    if is_terminal(focus, observation.place):
        yield from _meanings_in_terminal(pressed, focus, observation)


def _types_text(pressed: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a chord types a letter or pastes; `others` are its keys that are not modifiers."""
    if len(others) == 1 and len(others[0]) == 1 and not {"ctrl", "alt", "meta"}.intersection(pressed):
        return True
    return {"ctrl", "v"}.issubset(pressed) or tuple(pressed) == ("shift", "insert")


def _meanings_in_terminal(
    pressed: Sequence[str], focus: Element | None, observation: Observation
) -> Iterator[ActionMeaning]:
    if len(pressed) == 1 and len(pressed[0]) == 1 and _is_asked_in_line(observation):
        yield ActionMeaning(
            "terminal", "the terminal", focus, "a program in the terminal waits for an answer"
        )
    if enters_line(pressed):
        yield ActionMeaning("terminal", "the terminal", focus, "the keys enter a line")


def _is_asked_in_line(observation: Observation) -> bool:
    shown = "\n".join(f"{one.name}\n{one.value}" for one in observation.elements)
    return any(map(_ASKED_LINE.search, shown.splitlines()))


def _meanings_of_typing_key(focus: Element, observation: Observation) -> Iterator[ActionMeaning]:
    kind = field_kind(focus, observation)
    if kind in ("password", "card"):
        yield meaning_of_element(kind, focus, "the key types into it")


def _meanings_of_shortcuts(pressed: Sequence[str], observation: Observation) -> Iterator[ActionMeaning]:
    letter = pressed[-1].casefold()
    if not observation.place.url and len(pressed) == 2 and "alt" in pressed and len(letter) == 1:
        for one in observation.elements:
            if one.role == "button" and letter in one.name.casefold():
                yield from meanings_of_activating(one, observation, "the keys may press it")


def _meanings_of_acting_keys(
    down: set[str], others: Sequence[str], focus: Element | None, observation: Observation
) -> Iterator[ActionMeaning]:
    if "enter" in others:
        if down & {"ctrl", "meta"}:
            yield from _meanings_of_sending_keys(focus, observation)
        if not _breaks_line(down, focus):
            yield from meanings_of_enter(focus, observation)
    elif down == {"alt"} and others == ["s"]:
        yield from _meanings_of_sending_keys(focus, observation)
    elif "space" in others and not is_terminal(focus, observation.place):
        if focus is None or focus.role in NOTICES:
            yield from meanings_of_enter(focus, observation)
        elif not editable(focus):
            yield from meanings_of_activating(focus, observation, "Space activates it")
    elif "delete" in others or ("backspace" in others and down):  # alone, Backspace at most leads back
        yield from _meanings_of_delete(focus, observation)


def _breaks_line(held: set[str], focus: Element | None) -> bool:
    return (
        held == {"shift"} and focus is not None and focus.role != "terminal" and "multiline" in focus.states
    )


def enters_line(pressed: Sequence[str]) -> bool:
    """Whether a chord enters a line into a terminal."""
    keys = {key.lower() for key in pressed}
    return any(chord_ <= keys for chord_ in _COMMANDING)


def meanings_of_enter(focus: Element | None, observation: Observation) -> Iterator[ActionMeaning]:
    """What Enter would activate."""
    if is_terminal(focus, observation.place):
        yield ActionMeaning("terminal", "the terminal", focus, "Enter runs the command")
        return
    if focus is None or focus.role in NOTICES:
        yield from _meanings_in_dialog(observation)
        return
    form = focus.does.form
    if focus.role == "generic" and not focus.name + focus.value:
        yield meaning_of_element("unclear", focus, "the focused element inside it is unknown")
    elif not editable(focus) and focus.role != "combobox":
        if focus.role not in BRANCHES:
            yield from meanings_of_activating(focus, observation, "Enter activates it")
    elif form.submits:
        yield from _meanings_of_submitting(focus, observation)
    elif "multiline" in focus.states:
        if _sends_on_enter(focus, observation):
            yield meaning_of_element("send", focus, "Enter sends it")
    elif form.sends or form.default is not None:
        yield from _meanings_of_submitting(focus, observation)
    elif field_kind(focus, observation) != "search":
        yield from _meanings_without_form(focus, observation)


def _meanings_in_dialog(observation: Observation) -> Iterator[ActionMeaning]:
    options = _dialog_buttons(observation)
    for option in options:
        if not words.refuses(option.name):
            yield from meanings_of_activating(option, observation, "the key may press it")
    for meaning in words.mentions("" if options else context.small_window(observation)):
        subject = f'the window "{observation.place.title}"'
        yield ActionMeaning(meaning, subject, because="its text mentions that")


def _meanings_without_form(focus: Element, observation: Observation) -> Iterator[ActionMeaning]:
    """What Enter would do in a field without a known form: press the likely default button."""
    button = _default_button(focus, observation)
    if button is not None:
        yield from meanings_of_activating(button, observation, "Enter presses it")
        return
    kind = field_kind(focus, observation)
    meaning = {"password": "submit-credentials", "card": "pay", "message": "send"}.get(kind, "")
    if not meaning and "password" in context.fields_with(focus, observation).kinds:
        meaning = "submit-credentials"
    if meaning:
        yield meaning_of_element(meaning, focus, "Enter sends it")


def _sends_on_enter(focus: Element, observation: Observation) -> bool:
    """Whether Enter in a multi-line field sends its text, as in a chat, instead of starting a new line."""
    around = companions(focus, observation)
    native = focus.does.form.words or any(submits(one) for one in around)
    if native or field_kind(focus, observation) == "search":
        return False
    near = [one for one in around if one is not focus]
    is_letter = any("recipient" in field_kinds(one.name) for one in near if editable(one))
    if is_letter or focus.box.height > ONE_LINE:
        return False
    return field_kind(focus, observation) == "message" or any(
        one.role in BUTTONS and _is_sending_button(one) for one in near
    )


def _meanings_of_submitting(focus: Element, observation: Observation) -> Iterator[ActionMeaning]:
    form, name = focus.does.form, focus.does.form.default or ""
    near = (one for one in companions(focus, observation) if submits(one) and one.name == name)
    kept = Effects(form=replace(form, submits=False))
    unseen = Element(-1, "button", name, focus.box, path=focus.path, attributes={"type": "submit"}, does=kept)
    button = next(near, unseen if name or form.posts else None)
    if button is not None:
        yield from meanings_of_activating(button, observation, "Enter presses it")
    if button is unseen and not name and field_kind(focus, observation) != "search":
        yield meaning_of_element("unclear", focus, "Enter sends a form that no button names")


def _meanings_of_sending_keys(focus: Element | None, observation: Observation) -> Iterator[ActionMeaning]:
    """What Ctrl+Enter and the like would do: press the sending button anywhere, else the default button."""
    buttons = [e for e in observation.elements if e.role in BUTTONS and _is_sending_button(e)]
    if buttons:
        yield from meanings_of_activating(buttons[0], observation, "the shortcut stands for it")
    elif focus is not None and editable(focus):
        default = _default_button(focus, observation)
        writes = "message" in context.fields_with(focus, observation).kinds
        mail = writes or context.has_recipient(focus, observation)
        if default is not None and not mail:
            yield from meanings_of_activating(default, observation, "the shortcut stands for it")
        elif mail or (observation.place.url and "multiline" in focus.states):
            yield meaning_of_element("send", focus, "the shortcut sends it")


def _meanings_of_delete(focus: Element | None, observation: Observation) -> Iterator[ActionMeaning]:
    if focus is not None and (editable(focus) or _CELL.fullmatch(focus.name)):
        return
    rows = _rows_to_delete(focus, observation)
    acts = focus is not None and focus.role in BUTTONS | INERT
    if rows:
        more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        yield ActionMeaning("delete", f"{rows[0]}{more}", rows[0], "it is selected")
    elif not acts and any("atspi" in one.source for one in observation.elements) and _lists(observation):
        yield ActionMeaning("delete", "what is selected", focus, "the selection is not visible")


def _lists(observation: Observation) -> bool:
    """Whether a program shows things that may be selected: rows, or what one of its buttons deletes."""
    shown = observation.elements
    return any(one.role in ROWS or "delete" in words.commands(one.name) for one in shown)


def _rows_to_delete(focus: Element | None, observation: Observation) -> list[Element]:
    """The selected rows and the focused row; if there are none, a focused element that may be selected."""
    rows = [e for e in observation.elements if e.role in ROWS and "selected" in e.states]
    if focus is None or focus in rows:
        return rows
    chosen = "selected" in focus.states or focus.role == "generic"
    alone = chosen and not rows and focus.role not in BUTTONS | INERT
    return [*rows, focus] if alone or focus.role in ROWS else rows


def _dialog_buttons(observation: Observation) -> tuple[Element, ...]:
    tree = Scene.from_screen(observation).tree
    dialog = next((e for e in reversed(observation.elements) if e.role in NOTICES), None)
    buttons = (e for e in observation.elements if e.role in BUTTONS)
    if dialog is not None:
        return tuple(e for e in buttons if is_inside(e, dialog))
    return tuple(e for e in buttons if tree.part_around(e, DIALOGS))


def _default_button(field: Element, observation: Observation) -> Element | None:
    """The button that Enter in a field activates: the first that submits, else the first that sends.

    In a dialog, it may also be the button that agrees.
    """
    near = [e for e in companions(field, observation) if e.role in BUTTONS and "disabled" not in e.states]
    apart = [e for e in near if e.role != "link"]
    found = next(filter(submits, near), None) or next(filter(_is_sending_button, apart), None)
    scene = Scene.from_screen(observation)
    in_dialog = scene.tree.part_around(field, DIALOGS) or scene.layers.notice_at(field.box.center)
    if found is None and (in_dialog or field.does.question):
        found = next((e for e in apart if words.agrees(e.name)), None)
    return found


def _is_sending_button(element: Element) -> bool:
    return not _SENDING.isdisjoint((*words.commands(element.name), *context.icon_meanings(element)))
