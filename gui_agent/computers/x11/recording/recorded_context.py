"""What surrounds an input event of a person: the meaning of its keys, the screen, the windows visited."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from Xlib import XK

from gui_agent.computers.recording.events import Spot, Typed, Typing
from gui_agent.computers.x11.keymap import NAMED, UNICODE
from gui_agent.computers.x11.recording.listening import ALT, CONTROL, GROUP, LEVEL3, META, SHIFT, InputEvent
from gui_agent.core.observation import Element, Observation

if TYPE_CHECKING:
    from gui_agent.computers.desktop.computer import DesktopComputer


KEYS = {XK.string_to_keysym(name): key for key, name in NAMED.items()} | {
    XK.string_to_keysym("KP_Enter"): "enter",
    XK.string_to_keysym("ISO_Left_Tab"): "tab",
    XK.string_to_keysym("Delete"): "delete",
}
HELD = ((CONTROL, "ctrl"), (ALT, "alt"), (META, "meta"))
"""Modifiers that make a key a command."""


def held_modifiers(pressed: InputEvent, *, shift: bool = False) -> tuple[str, ...]:
    """Names of the modifiers that were held, `shift` only if asked for."""
    bits = (*HELD, (SHIFT, "shift")) if shift else HELD
    return tuple(name for bit, name in bits if pressed.state & bit)


def typed_character(pressed: InputEvent) -> str:
    """What the key typed; empty for keys that type nothing."""
    symbol = _symbol(pressed)
    if 0x20 <= symbol <= 0x7E or 0xA0 <= symbol <= 0xFF:
        return chr(symbol)
    if symbol & 0xFF000000 == UNICODE:
        return chr(symbol & 0xFFFFFF)
    pad = symbol - 0xFFB0  # the digits of the number pad
    return str(pad) if 0 <= pad <= 9 else ""


def key_name(pressed: InputEvent) -> str:
    """The canonical name of a key; its character for those without; empty for modifiers alone."""
    first = pressed.symbols[0] if pressed.symbols else 0
    key = KEYS.get(first, "")
    if key in ("ctrl", "alt", "shift", "meta", "altgr", "capslock"):
        return ""
    typed = typed_character(pressed)
    if key and key != "space":
        return key
    return "space" if typed == " " else typed


def _symbol(pressed: InputEvent) -> int:
    symbols = pressed.symbols
    if not symbols:
        return 0
    group = 2 if (pressed.state >> GROUP) & 3 else 0
    index = group + (4 if pressed.state & LEVEL3 else 0) + (1 if pressed.state & SHIFT else 0)
    plain = symbols[index - 1] if index and index <= len(symbols) else 0
    found = symbols[index] if index < len(symbols) else 0
    return found or (plain if pressed.state & SHIFT else 0) or symbols[0]


QUIET = 0.12
"""Seconds after the last input before a look."""
APART = 0.06
"""Seconds between two pictures that must be the same."""
LONGEST = 1.5
"""Seconds after which a screen that never rests, as with a blinking mark, is looked at all the same."""
KEPT = 4


class Looks:
    """Knows what the person saw when they did something."""

    def __init__(self, computer: DesktopComputer) -> None:
        self._computer = computer
        self._kept: deque[tuple[float, float, Observation]] = deque(maxlen=KEPT)
        """When a look began and ended, and what was seen."""
        self._input = 0.0
        self._before: bytes | bytearray = b""
        self._compared = 0.0
        self.due = True
        """Whether something has happened since the last look."""

    @property
    def latest(self) -> Observation | None:
        """The last look; None before the first one."""
        return self._kept[-1][2] if self._kept else None

    def note(self, seconds: float) -> None:
        """Take note that the person did something at that time."""
        self._input, self.due = seconds, True

    def since(self, seconds: float) -> bool:
        """Whether there was a look that began after that time."""
        return bool(self._kept) and self._kept[-1][0] > seconds

    def before(self, seconds: float) -> Observation:
        """The last look that had ended by that time."""
        for _, ended, seen in reversed(self._kept):
            if ended <= seconds:
                return seen
        return self._kept[0][2]

    def take(self) -> None:
        """Look now.

        Raises:
            ComputerLost: the display is gone.
        """
        began = time.monotonic()
        seen = self._computer.observe(picture=False)
        self._kept.append((began, time.monotonic(), seen))
        self.due = False

    def take_if_quiet(self, nothing_heard: Callable[[], bool]) -> bool:
        """Look when the person pauses and the picture stands still; whether it was done."""
        now = time.monotonic()
        if now - self._input < QUIET or now - self._compared < APART:
            return False
        picture = self._computer.device.pixels()
        same, self._before, self._compared = picture == self._before, picture, now
        if not nothing_heard() or not (same or now - self._input > LONGEST):
            return False
        self.take()
        return True


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
