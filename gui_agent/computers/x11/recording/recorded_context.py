"""What surrounds an input event of a person: the meaning of its keys, the screen, the windows visited."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from Xlib import XK, X, error
from Xlib.ext import record
from Xlib.protocol import rq

from gui_agent.computers.recording.events import Spot, Typed, Typing
from gui_agent.computers.x11.connection import Connection
from gui_agent.computers.x11.keyboard import UNICODE, X_NAMES
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Element, Observation

KEYS = {XK.string_to_keysym(name): key for key, name in X_NAMES.items()} | {
    XK.string_to_keysym("KP_Enter"): "enter",
    XK.string_to_keysym("ISO_Left_Tab"): "tab",
    XK.string_to_keysym("Delete"): "delete",
}


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


Kind = Literal["button down", "button up", "key down"]
KINDS: dict[int, Kind] = {X.ButtonPress: "button down", X.ButtonRelease: "button up", X.KeyPress: "key down"}
SHIFT, CONTROL, ALT, META, LEVEL3 = 1, 4, 8, 64, 128
"""Bits of the state of an event."""
GROUP = 13
"""Where the state tells which layout is set."""
HELD = ((CONTROL, "ctrl"), (ALT, "alt"), (META, "meta"))
"""Modifiers that make a key a command."""


@dataclass(frozen=True, slots=True)
class InputEvent:
    """One thing that the person did with mouse or keyboard."""

    kind: Kind
    code: int
    """Number of the button, or of the key."""
    state: int
    """Modifiers that were held, as bits."""
    at: Point
    seconds: float
    """When it was heard, by `time.monotonic`."""
    symbols: tuple[int, ...] = ()
    """Of a key, its keysyms on all levels at that moment."""


class XListener:
    """Listens in a thread of its own from the moment it is made until it is closed."""

    def __init__(self, display: str, tell: Callable[[InputEvent], None]) -> None:
        """
        Args:
            display: its name, such as `:1`.
            tell: is called in the listening thread, in the order of what happened.

        Raises:
            ComputerLost: there is no such display.
            ConfigError: it does not tell what happens on it.
        """
        self._tell = tell
        self._control, self._data = Connection(display), Connection(display)
        with self._control.use():
            if not self._control.display.has_extension("RECORD"):
                raise ConfigError(
                    f"the display {display} has no RECORD extension; a person cannot be recorded"
                )
            heard = {"device_events": (X.KeyPress, X.ButtonRelease)}
            nothing: dict[str, Any] = {
                "core_requests": (0, 0),
                "core_replies": (0, 0),
                "ext_requests": (0, 0, 0, 0),
                "ext_replies": (0, 0, 0, 0),
                "delivered_events": (0, 0),
                "errors": (0, 0),
                "client_started": False,
                "client_died": False,
            }
            self._context: int = self._data.display.record_create_context(
                0, [record.AllClients], [{**nothing, **heard}]
            )
            self._data.display.sync()
        self._fields = rq.EventField(None)
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="x11-recording", daemon=True)
        self._thread.start()
        self._begun.wait(5.0)

    @property
    def lost(self) -> bool:
        """Whether the display has gone away."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Hear no more; safe to call twice."""
        with contextlib.suppress(Exception), self._control.use():  # the display may be gone by now
            self._control.display.record_disable_context(self._context)
        self._thread.join(2.0)
        for connection in (self._control, self._data):
            connection.close()

    def _listen(self) -> None:
        # Returns when the context is disabled; a display that is gone ends it with an error.
        with contextlib.suppress(error.ConnectionClosedError, error.DisplayError, OSError, ValueError):
            self._data.display.record_enable_context(self._context, self._hear)

    def _hear(self, reply: Any) -> None:
        self._begun.set()
        if reply.category != record.FromServer or reply.client_swapped:
            return
        now, data = time.monotonic(), reply.data
        while data:
            event, data = self._fields.parse_binary_value(data, self._data.display.display, None, None)
            kind = KINDS.get(event.type)
            if kind is not None:
                symbols = self._symbols(event.detail) if kind == "key down" else ()
                place = Point(max(0, event.root_x), max(0, event.root_y))
                self._tell(InputEvent(kind, event.detail, event.state, place, now, symbols))

    def _symbols(self, code: int) -> tuple[int, ...]:
        with self._control.use():
            return tuple(int(one) for one in self._control.display.get_keyboard_mapping(code, 1)[0])
