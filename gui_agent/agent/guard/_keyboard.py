"""What keys would do on the current screen: Enter presses a button, Delete removes a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gui_agent.agent.guard import _context as context
from gui_agent.agent.guard import words
from gui_agent.agent.guard._consequences import meanings_of_activating
from gui_agent.agent.guard._context import companions, is_inside, submits
from gui_agent.agent.guard._lexicon import editable, is_terminal
from gui_agent.agent.guard.fields import field_kind
from gui_agent.agent.guard.vocabulary import ActionMeaning, meaning_of_element
from gui_agent.core.keys import MODIFIERS, chord
from gui_agent.core.observation import Element, Observation
from gui_agent.elements.roles import BRANCHES, BUTTONS, INERT, NOTICES, ROWS, TAKES_TEXT, word_set
from gui_agent.scene import Scene
from gui_agent.scene.structure import DIALOGS

_HELD = {*MODIFIERS, "altgr"}
_ACTING = {"enter", "space", "delete"}
"""Keys that activate or remove the focused element."""
ONE_LINE = 80
"""Largest height (px) at which a multi-line field still looks like a chat input."""
_SENT_ALONE = {"password": "submit-credentials", "card": "pay", "message": "send"}
"""What Enter does in a field of a kind if no button is known."""
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
    acts = not _ACTING.isdisjoint(others)
    if focus is not None and _types_text(pressed, others):
        kind = field_kind(focus, observation)
        if kind in ("password", "card"):
            yield meaning_of_element(kind, focus, "the key types into it")
    yield from _meanings_of_shortcuts(pressed, observation)
    if acts and (len(others) > 1 or (held and focus is not None and not editable(focus))):
        why = "it repeats on the next screen too, or another key may move the focus"
        yield ActionMeaning("unclear", f"the keys {'+'.join(pressed)}", focus, why)
    if len(others) == 1:
        yield from _meanings_of_acting_key(_HELD.intersection(pressed), others[0], focus, observation)
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


def _meanings_of_shortcuts(pressed: Sequence[str], observation: Observation) -> Iterator[ActionMeaning]:
    letter = pressed[-1].casefold()
    if not observation.place.url and len(pressed) == 2 and "alt" in pressed and len(letter) == 1:
        for one in observation.elements:
            if one.role == "button" and letter in one.name.casefold():
                yield from meanings_of_activating(one, observation, "the keys may press it")


def _meanings_of_acting_key(
    down: set[str], key: str, focus: Element | None, observation: Observation
) -> Iterator[ActionMeaning]:
    in_terminal = is_terminal(focus, observation.place)
    if (key == "enter" and down & {"ctrl", "meta"}) or (key == "s" and down == {"alt"}):
        yield from _meanings_of_sending_keys(focus, observation)
    elif key == "enter" and (in_terminal or not _breaks_line(down, focus)):
        yield from meanings_of_enter(focus, observation)
    elif key == "space" and not (in_terminal or (focus is not None and editable(focus))):
        yield from _meanings_of_pressing(focus, observation, "Space activates it")
    elif key == "delete" or (key == "backspace" and down):  # alone, Backspace at most leads back
        yield from _meanings_of_delete(focus, observation)


def _breaks_line(held: set[str], focus: Element | None) -> bool:
    return held == {"shift"} and focus is not None and "multiline" in focus.states


def enters_line(pressed: Sequence[str]) -> bool:
    """Whether a chord enters a line into a terminal."""
    keys = {key.lower() for key in pressed}
    return any(chord_ <= keys for chord_ in _COMMANDING)


def meanings_of_enter(focus: Element | None, observation: Observation) -> Iterator[ActionMeaning]:
    """What Enter would activate."""
    if is_terminal(focus, observation.place):
        yield ActionMeaning("terminal", "the terminal", focus, "Enter runs the command")
    elif focus is not None and (editable(focus) or focus.role == "combobox"):
        if "multiline" not in focus.states or _sends_on_enter(focus, observation):
            yield from _meanings_of_entering(focus, observation)
    elif focus is None or focus.role not in BRANCHES:
        yield from _meanings_of_pressing(focus, observation, "Enter activates it")


def _meanings_of_pressing(
    focus: Element | None, observation: Observation, because: str
) -> Iterator[ActionMeaning]:
    """What a key does that presses the focused control, or what a dialog offers."""
    if focus is not None and focus.role == "generic" and not focus.name + focus.value:
        yield meaning_of_element("unclear", focus, "the focused element inside it is unknown")
    elif focus is not None and focus.role not in NOTICES:
        yield from meanings_of_activating(focus, observation, because)
    else:
        buttons = _dialog_buttons(observation)
        for one in buttons:
            if not words.refuses(one.name):
                yield from meanings_of_activating(one, observation, "the key may press it")
        for meaning in words.mentions("" if buttons else context.small_window(observation)):
            subject = f'the window "{observation.place.title}"'
            yield ActionMeaning(meaning, subject, because="its text mentions that")


def _sends_on_enter(focus: Element, observation: Observation) -> bool:
    """Whether Enter in a multi-line field sends its text, as in a chat, instead of starting a new line."""
    if focus.does.form.submits:
        return True
    if focus.box.height > ONE_LINE or context.has_recipient(focus, observation):
        return False
    near = companions(focus, observation)
    writes = field_kind(focus, observation) == "message" or any(map(_is_sending_button, near))
    return writes and not any(map(submits, near))


def _meanings_of_entering(focus: Element, observation: Observation) -> Iterator[ActionMeaning]:
    """What Enter in a field would do: press the likely default button, or send what is written."""
    kind = field_kind(focus, observation)
    if kind == "search":
        return
    if button := _default_button(focus, observation):
        yield from meanings_of_activating(button, observation, "Enter presses it")
        return
    if not kind and "password" in context.fields_with(focus, observation).kinds:
        kind = "password"
    if meaning := _SENT_ALONE.get(kind):
        yield meaning_of_element(meaning, focus, "Enter sends it")
    elif focus.does.form.posts and not focus.does.form.default:
        yield meaning_of_element("unclear", focus, "Enter sends a form that no button names")


def _meanings_of_sending_keys(focus: Element | None, observation: Observation) -> Iterator[ActionMeaning]:
    """What Ctrl+Enter and the like would do: press the sending button anywhere, or send what is written."""
    if button := next(filter(_is_sending_button, observation.elements), None):
        yield from meanings_of_activating(button, observation, "the shortcut stands for it")
    elif focus is not None and ("multiline" in focus.states or context.has_recipient(focus, observation)):
        yield meaning_of_element("send", focus, "the shortcut sends it")
    else:
        yield from meanings_of_enter(focus, observation)


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


def _rows_to_delete(focus: Element | None, observation: Observation) -> list[Element]:
    """The selected rows and the focused row."""
    rows = [one for one in observation.elements if one.role in ROWS and "selected" in one.states]
    if focus is None or focus in rows:
        return rows
    return [*rows, focus] if focus.role in ROWS or "selected" in focus.states else rows


def _lists(observation: Observation) -> bool:
    """Whether a program shows things that may be selected: rows, or what one of its buttons deletes."""
    shown = observation.elements
    return any(one.role in ROWS or "delete" in words.commands(one.name) for one in shown)


def _dialog_buttons(observation: Observation) -> tuple[Element, ...]:
    """The buttons of the dialog in front."""
    dialog = next((one for one in reversed(observation.elements) if one.role in NOTICES), None)
    buttons = (one for one in observation.elements if one.role in BUTTONS)
    return tuple(one for one in buttons if dialog is not None and is_inside(one, dialog))


def _default_button(field: Element, observation: Observation) -> Element | None:
    """The button that Enter in a field activates: the first that submits, else the first that sends.

    In a dialog, it may also be the button that agrees.
    """
    near = companions(field, observation)
    buttons = [one for one in near if one.role in BUTTONS - {"link"} and "disabled" not in one.states]
    found = next(filter(submits, buttons), None) or next(filter(_is_sending_button, buttons), None)
    scene = Scene.from_screen(observation)
    in_dialog = scene.tree.part_around(field, DIALOGS) or scene.layers.notice_at(field.box.center)
    if found is None and (in_dialog or field.does.question):
        found = next((one for one in buttons if words.agrees(one.name)), None)
    return found


def _is_sending_button(element: Element) -> bool:
    meant = (*words.commands(element.name), *context.icon_meanings(element))
    return element.role in BUTTONS and not _SENDING.isdisjoint(meant)
