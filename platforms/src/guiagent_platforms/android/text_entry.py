"""Types on a phone, ASCII as keys and other text through a special keyboard, and verifies the result."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from gui_agent.computers.desktop.parts import Node
from gui_agent.core import deadline
from gui_agent.core.aiming import sole
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Point
from gui_agent.core.os_errors import replace_file, why
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import shorten
from gui_agent.elements.roles import TEXT_FIELDS
from guiagent_platforms.android.client import AdbDevice, refusal
from guiagent_platforms.android.hierarchy import BULLETS, Display
from guiagent_platforms.android.screen import MAIN, PhoneLook, PhoneScreen, node_at

KEYBOARD = ("secure", "default_input_method")
ANIMATIONS = tuple(
    ("global", f"{name}_scale") for name in ("window_animation", "transition_animation", "animator_duration")
)
ENABLED = "enabled keyboard"
UNSET = "null"


class ChangedSettings:
    """Changes settings of one phone and saves the original values in a file, so that a kill loses nothing."""

    def __init__(self, device: AdbDevice, folder: Path) -> None:
        self._device = device
        self._file = folder / f"{re.sub(r'[^A-Za-z0-9.-]', '_', device.serial)}.json"
        self._before: dict[str, str] = self._read()

    def put(self, space: str, key: str, value: str) -> None:
        """Change a setting. Raises ActionFailed if the phone refuses; the message says what allows it."""
        was = self._device.look("settings", "get", space, key).text
        if was != value:
            self._note(name := f"{space} {key}", was)
            done = self._device.act(("settings", "put", space, key, value))
            if done.code:
                self._forget(name)
                raise ActionFailed(f"{key} cannot be changed: {refusal(done.text)}")

    def use_keyboard(self, name: str) -> None:
        was = self._device.look("settings", "get", *KEYBOARD).text
        if was == name:
            return
        if name not in self._device.look("ime", "list", "-s").text.split():
            self._note(ENABLED, name)
            self._device.act(("ime", "enable", name))
        self._note(" ".join(KEYBOARD), was)
        done = self._device.act(("ime", "set", name))
        if done.code:
            raise ActionFailed(f"the phone does not accept the keyboard {name}: {refusal(done.text)}")

    def keyboard_back(self) -> None:
        """Restore the user's own keyboard if another one is active."""
        self._restore(" ".join(KEYBOARD))
        self._restore(ENABLED)

    def restore(self) -> None:
        """Restore everything; what fails, because the phone is gone or refuses, stays recorded."""
        for key in reversed(tuple(self._before)):
            self._restore(key)

    def _restore(self, key: str) -> None:
        was = self._before.get(key)
        if was is None:
            return
        space, _, name = key.partition(" ")
        command: tuple[str, ...]
        if key == ENABLED:
            command = ("ime", "disable", was)
        elif (space, name) == KEYBOARD:
            command = ("ime", "set", was)
        elif was == UNSET:
            command = ("settings", "delete", space, name)
        else:
            command = ("settings", "put", space, name, was)
        try:
            if self._device.act(command).code:
                return
        except (ComputerLost, ActionFailed):
            return
        self._forget(key)

    def _forget(self, key: str) -> None:
        del self._before[key]
        self._write()

    def _note(self, key: str, was: str) -> None:
        if key not in self._before:
            self._before[key] = was
            self._write()

    def _read(self) -> dict[str, str]:
        try:
            held = parse_json(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(key): str(value) for key, value in held.items()} if isinstance(held, dict) else {}

    def _write(self) -> None:
        try:
            if self._before:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._file, json.dumps(self._before).encode())
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{self._file}: cannot be written: {why(error)}; the phone was not changed"
            ) from error


FOCUSING = 2.5
"""Maximum seconds for a tapped field to get the focus."""
ARRIVING = 2.0
"""Maximum seconds for typed text to appear in its field."""
POLL = 0.05
ENTER, MOVE_END, DELETE = "66", "123", "67"
TYPISTS = {
    "com.android.adbkeyboard/.AdbIME": ("ADB_INPUT_B64", "msg", "ADB_EDITOR_CODE"),
    "com.github.uiautomator/.AdbKeyboard": ("ADB_KEYBOARD_INPUT_TEXT", "text", "ADB_KEYBOARD_EDITOR_CODE"),
}
"""Keyboards controlled by broadcasts, with those for text and for a field's action."""
_ACTION = re.compile(r"imeOptions=(?:0x)?([0-9a-fA-F]+)")
MASK = 0xFF
_ASCII = re.compile(r"[\x20-\x7e]*")


class PhoneTextEntry:
    """Types into fields of any app."""

    def __init__(
        self, device: AdbDevice, screen: PhoneScreen, changed: ChangedSettings, display: Display = MAIN
    ) -> None:
        self._device, self._screen, self._changed = device, screen, changed
        self._input = display.input

    def type_into(self, text: str, at: Point | None, replace: bool) -> None:
        """Type text into the field at a point, which is tapped first, or at the focus."""
        field = self._focused_field(at)
        if field is None:
            raise ActionFailed("no field has the focus; tap the field first, or aim at it")
        before = "" if replace else field.value
        if replace or (field.value and not text):
            self._clear(field)
        if not text:
            return
        if before:
            self._device.act(
                (*self._input, "keyevent", MOVE_END)
            )  # the tap may have put the caret inside the text
        if self._type(text) and (self._has_arrived(field, before + text) or self._was_empty(field, text)):
            return
        # The user's keyboard changed or lost some of it: try again with one that changes nothing.
        typist = self._typist()
        if typist and _ASCII.fullmatch(text):
            self._clear(self._again(field))
            self._through(typist, before + text)
            if self._has_arrived(field, before + text):
                return
        now = self._again(field)
        held = "something else" if "password" in field.states else f'"{shorten(now.value, 60)}"'
        raise ActionFailed(f"the field holds {held} after typing; the phone's keyboard changes typed text")

    def _was_empty(self, field: Node, text: str) -> bool:
        """Whether the text that a field seemed to have was its hint, as the typing shows."""
        if not field.value or field.value != field.name or self._again(field).value != text:
            return False
        self._screen.hints.note_emptied(field.attributes["field"], field.value)
        return True

    def _type(self, text: str) -> bool:
        """Type in the way that suits the text. Returns whether it is likely to have arrived."""
        if _ASCII.fullmatch(text.replace("\n", "")):
            commands = [(*self._input, *words) for words in _keys(text)]
            done = self._device.act(*commands)
            return not done.code
        typist = self._typist()
        if not typist:
            raise ActionFailed(
                "adb cannot type all characters of this text; install the app ADBKeyboard on the phone,"
                " which is then used for such texts"
            )
        self._through(typist, text)
        return True

    def act(self) -> None:
        """Press the action key of the keyboard for the focused field: send, search, next, done."""
        said = self._device.look("dumpsys", "input_method").text
        if "mInputShown=true" not in said:
            raise ActionFailed("no field has the focus; tap the field first")
        found = _ACTION.search(said)
        action = int(found[1], 16) & MASK if found else 0
        typist = self._typist() if action > 1 else ""
        if typist:
            self._broadcast(typist, (TYPISTS[typist][2], "--ei", "code", str(action)))
        else:  # a single-line field uses Enter as its action
            self._device.act((*self._input, "keyevent", ENTER))

    def _typist(self) -> str:
        installed = self._device.look("ime", "list", "-s", "-a").text.split()
        return next((name for name in TYPISTS if name in installed), "")

    def _through(self, keyboard: str, text: str) -> None:
        action, extra, _ = TYPISTS[keyboard]
        self._broadcast(keyboard, (action, "--es", extra, base64.b64encode(text.encode()).decode()))

    def _broadcast(self, keyboard: str, told: tuple[str, ...]) -> None:
        """Control a keyboard by a broadcast to its app only; then restore the user's keyboard."""
        self._changed.use_keyboard(keyboard)
        try:
            package, (action, *rest) = keyboard.partition("/")[0], told
            words = ("am", "broadcast", "-a", action, "-p", package, *rest)
            # A newly chosen keyboard needs a moment until it listens.
            looks = deadline.turns(deadline.remaining(ARRIVING), POLL, least=1)
            if not any("result=-1" in self._device.act(words).text for _ in looks):
                raise ActionFailed(
                    "the keyboard ADBKeyboard does not listen; open it once on the phone and try again"
                )
        finally:
            self._changed.keyboard_back()

    def _focused_field(self, at: Point | None) -> Node | None:
        first = self._screen.look(picture=False)
        wanted = _field_to_fill(first, at)
        if at is None and wanted is not None:
            at = wanted.box.center
        if at is not None and (wanted is None or "focused" not in wanted.states):
            self._device.act((*self._input, "tap", str(at.x), str(at.y)))
        for look in chain((first,), self._screen.looks(FOCUSING) if at is not None else ()):
            found = next((one for one in _fields(look) if "focused" in one.states), None)
            if found is not None and (wanted is None or found.key == wanted.key):
                return found
        return None

    def _again(self, field: Node) -> Node:
        return self._screen.look(picture=False).node(field.key) or field

    def _clear(self, field: Node) -> None:
        if not field.value:
            return
        self._device.act((*self._input, "keyevent", MOVE_END, *[DELETE] * (len(field.value) + 1)))
        if "password" not in field.states:  # what is left is the hint; the previous text may have been it
            self._again(field)
            self._screen.hints.note_emptied(field.attributes["field"])

    def _has_arrived(self, field: Node, text: str) -> bool:
        for look in self._screen.looks(ARRIVING):
            now = look.node(field.key)
            if now is None or text.endswith("\n"):
                return text.endswith("\n")  # a submitted text may have removed the field
            if len(now.value) >= len(text):
                hidden = "password" in now.states and BULLETS.issuperset(now.value)
                return now.value == text or (hidden and len(now.value) == len(text))
        return False


def _fields(look: PhoneLook) -> list[Node]:
    return [one for one in look.nodes if one.role in TEXT_FIELDS]


def _field_to_fill(look: PhoneLook, at: Point | None) -> Node | None:
    """The field at a point, or the only one. Raises ActionFailed if it takes no text."""
    if at is None:
        fields = _fields(look)
        return sole(fields)
    node = node_at(look, at)
    if node is not None and node.role not in TEXT_FIELDS:
        raise ActionFailed(f'{node.role} "{shorten(node.name, 60)}" takes no text; aim at a text field')
    return node


def _keys(text: str) -> Iterator[tuple[str, ...]]:
    """Arguments of `input` for an ASCII text; splits `%s`, which would become a space."""
    for number, line in enumerate(text.split("\n")):
        if number:
            yield "keyevent", ENTER
        for part in re.split(r"(?<=%)(?=s)", line):
            if part:
                yield "text", part.replace(" ", "%s")
