"""Settings of the phone that a run changes: written down first, put back at any end or the next start."""

from __future__ import annotations

import json
import re
from pathlib import Path

from gui_agent.computers.android.client import AdbDevice, refusal
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.os_errors import why
from gui_agent.core.parsing import parse_json

KEYBOARD = ("secure", "default_input_method")
ANIMATIONS = tuple(
    ("global", f"{name}_scale") for name in ("window_animation", "transition_animation", "animator_duration")
)
ENABLED = "enabled keyboard"
UNSET = "null"


class ChangedSettings:
    """Changes settings of one phone and keeps in a file what they were, so that a kill loses nothing."""

    def __init__(self, device: AdbDevice, folder: Path) -> None:
        """Args: folder: where the file of each phone is kept."""
        self._device = device
        self._file = folder / f"{re.sub(r'[^A-Za-z0-9.-]', '_', device.serial)}.json"
        self._before: dict[str, str] = self._read()

    def put(self, space: str, key: str, value: str) -> None:
        """Change a setting.

        Raises:
            ActionFailed: the phone refuses it; the message says what allows it.
            ConfigError: what it was cannot be written down, so it is not changed.
            ComputerLost: the phone is gone.
        """
        was = self._device.look("settings", "get", space, key).text
        if was != value:
            self._note(name := f"{space} {key}", was)
            done = self._device.act(("settings", "put", space, key, value))
            if done.code:
                self._forget(name)
                raise ActionFailed(f"{key} cannot be changed: {refusal(done.text)}")

    def use_keyboard(self, name: str) -> None:
        """Make an installed keyboard the one that types.

        Raises:
            ActionFailed: the phone refuses it.
        """
        was = self._device.look("settings", "get", *KEYBOARD).text
        if was == name:
            return
        if name not in self._device.look("ime", "list", "-s").text.split():
            self._note(ENABLED, name)
            self._device.act(("ime", "enable", name))
        self._note(" ".join(KEYBOARD), was)
        done = self._device.act(("ime", "set", name))
        if done.code:
            raise ActionFailed(f"the phone does not take the keyboard {name}: {refusal(done.text)}")

    def keyboard_back(self) -> None:
        """Give the person's own keyboard back, when another one is used."""
        self._restore(" ".join(KEYBOARD))
        self._restore(ENABLED)

    def restore(self) -> None:
        """Put everything back; what cannot be, because the phone is gone or refuses, stays written down."""
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
                whole = self._file.with_suffix(".new")
                whole.write_text(json.dumps(self._before), "utf-8")
                whole.replace(self._file)
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{self._file}: cannot be written: {why(error)}; nothing was changed on the phone"
            ) from error
