"""The stay of a person in a field, while they type."""

from __future__ import annotations

import time

from gui_agent.computers.recording.events import Spot, Typed, Typing
from gui_agent.core.observation import Element, Observation

MOVES = frozenset(("left", "right", "up", "down", "home", "end", "pageup", "pagedown", "delete", "insert"))
"""Keys after which only the field itself tells what stands in it."""


class Visit:
    """What was typed into one field, told by its keys as far as they do, and else by what it shows."""

    def __init__(self, name: str, field: Element, before: Observation) -> None:
        self._name = name
        self._before = before
        self._typed = ""
        self._shown: str | None = None
        self.field = field
        self.seen = field.source.startswith(("vision", "ocr"))
        """Whether the field was only seen: letters are misread, so that its keys are to be believed."""
        self.unsure = bool(field.value)
        """Whether the keys alone do not tell what the field holds."""
        self.touched = time.monotonic()

    @property
    def secret(self) -> bool:
        """Whether the field hides what is typed."""
        return "password" in self.field.states

    def takes(self, key: str, typed: str) -> bool:
        """Take a key into the text; False for a key that does something else."""
        self.touched = time.monotonic()
        if key == "enter" and "multiline" in self.field.states:
            self._typed += "\n"
        elif key == "backspace":
            self.unsure = self.unsure or not self._typed
            self._typed = self._typed[:-1]
        elif typed:
            self._typed += typed
        elif key in MOVES:
            self.unsure = True
        else:
            return False
        return True

    def shows(self, value: str) -> bool:
        """Note what the field shows after it was typed into; whether that matters."""
        if self.secret or self.seen or not self.unsure or value in (self.field.value, self._shown):
            return False
        self._shown = value
        return True

    def typing(self) -> Typing:
        """What was typed so far."""
        was = "" if self.secret or self.seen else self.field.value
        text = self._shown if self._shown is not None else was + self._typed
        spot = Spot(self._before, (self.field.id,), self.field.box.center)
        return Typing(spot, self._name, was, text, self.secret, "text")

    def ended(self) -> Typed:
        """That the person has left the field."""
        return Typed(self._name)
