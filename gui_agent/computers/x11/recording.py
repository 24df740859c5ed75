"""Records a person's work on an X display, private or their own."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from Xlib import XK, X, error
from Xlib.ext import record
from Xlib.protocol import rq

from gui_agent.computers.recording.events import (
    Double,
    Down,
    Moved,
    Pressed,
    Spot,
    Typed,
    Typing,
    Up,
    focused_field,
    kind_of_front,
    spot_at,
)
from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.computers.recording.steps import LookingRecorder
from gui_agent.computers.x11.device import X11Device
from gui_agent.computers.x11.keyboard import UNICODE, X_NAMES
from gui_agent.computers.x11.windows import Connection
from gui_agent.core.actions import Button, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element, Observation, Point

if TYPE_CHECKING:
    from gui_agent.computers.desktop.computer import DesktopComputer

KEYS = {XK.string_to_keysym(name): key for key, name in X_NAMES.items()} | {
    XK.string_to_keysym("KP_Enter"): "enter",
    XK.string_to_keysym("ISO_Left_Tab"): "tab",
    XK.string_to_keysym("Delete"): "delete",
}


def held_modifiers(pressed: InputEvent, *, shift: bool = False) -> tuple[str, ...]:
    """Names of the held modifiers; `shift` only on request."""
    bits = (*HELD, (SHIFT, "shift")) if shift else HELD
    return tuple(name for bit, name in bits if pressed.state & bit)


def typed_character(pressed: InputEvent) -> str:
    """The character that the key typed; empty for other keys."""
    symbol = _symbol(pressed)
    if 0x20 <= symbol <= 0x7E or 0xA0 <= symbol <= 0xFF:
        return chr(symbol)
    if symbol & 0xFF000000 == UNICODE:
        return chr(symbol & 0xFFFFFF)
    pad = symbol - 0xFFB0  # the digits of the number pad
    return str(pad) if 0 <= pad <= 9 else ""


def key_name(pressed: InputEvent) -> str:
    """The canonical name of a key; its character if it has none; empty for modifiers alone."""
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
"""Keys after which only the field itself shows its text."""


class Visit:
    """The text typed into one field, derived from the keys if possible, otherwise read from the field."""

    def __init__(self, name: str, field: Element, before: Observation) -> None:
        self._name = name
        self._before = before
        self._typed = ""
        self._shown: str | None = None
        self.field = field
        self.seen = field.source.startswith(("vision", "ocr"))
        """Whether the field was found by vision: letters may be misread, so the keys are more reliable."""
        self.unsure = bool(field.value)
        """Whether the keys alone do not determine the field's text."""
        self.touched = time.monotonic()

    @property
    def secret(self) -> bool:
        """Whether the field hides its text."""
        return "password" in self.field.states

    def takes(self, key: str, typed: str) -> bool:
        """Add a key to the text; False for a key that does something else."""
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
        """Note the field's value after typing. Returns whether it matters."""
        if self.secret or self.seen or not self.unsure or value in (self.field.value, self._shown):
            return False
        self._shown = value
        return True

    def typing(self) -> Typing:
        was = "" if self.secret or self.seen else self.field.value
        text = self._shown if self._shown is not None else was + self._typed
        spot = Spot(self._before, (self.field.id,), self.field.box.center)
        return Typing(spot, self._name, was, text, self.secret, "text")

    def ended(self) -> Typed:
        """The event that the person has left the field."""
        return Typed(self._name)


Kind = Literal["button down", "button up", "key down"]
KINDS: dict[int, Kind] = {X.ButtonPress: "button down", X.ButtonRelease: "button up", X.KeyPress: "key down"}
SHIFT, CONTROL, ALT, META, LEVEL3 = 1, 4, 8, 64, 128
"""Bits of an event's state."""
GROUP = 13
"""Bit position of the active layout in the state."""
HELD = ((CONTROL, "ctrl"), (ALT, "alt"), (META, "meta"))
"""Modifiers that make a key a command."""


@dataclass(frozen=True, slots=True)
class InputEvent:
    """One mouse or keyboard event of the person."""

    kind: Kind
    code: int
    state: int
    """Held modifiers, as bits."""
    at: Point
    seconds: float
    """When it was received, by `time.monotonic`."""
    symbols: tuple[int, ...] = ()
    """For a key, its keysyms on all levels at that moment."""


class XListener:
    """Listens in its own thread from its creation until it is closed."""

    def __init__(self, display: str, tell: Callable[[InputEvent], None]) -> None:
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
    def is_lost(self) -> bool:
        return not self._thread.is_alive()

    def close(self) -> None:
        with contextlib.suppress(Exception), self._control.use():  # the display may be gone by now
            self._control.display.record_disable_context(self._context)
        self._thread.join(2.0)
        for connection in (self._control, self._data):
            connection.close()

    def _listen(self) -> None:
        # returns when the context is disabled; a lost display ends it with an error
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


BUTTONS: dict[int, Button] = {1: "left", 2: "middle", 3: "right"}
DOUBLE = (0.4, 5)
"""Maximum seconds and pixels between the clicks of a double click."""
EDITING = frozenset(("a", "c", "v", "x", "z", "y", "left", "right", "home", "end", "backspace", "delete"))
"""Keys that, with ctrl held, only edit their field."""


class X11Recorder(LookingRecorder[InputEvent]):
    """Records a person's actions on a display, from its creation on.

    No other program may act on it meanwhile.
    """

    def __init__(self, computer: DesktopComputer, secrecy: Secrecy | None = None) -> None:
        device = computer.device
        if not isinstance(device, X11Device):
            raise ConfigError(
                f"a person cannot be recorded on {computer.platform}; use --on virtual on Linux"
            )
        super().__init__(computer, secrecy, device.pixels)
        self._visit: Visit | None = None
        self._visits = 0
        self._blind: tuple[Observation, str] | None = None
        """The text being typed without a known field, and the screen before."""
        self._field: int = 0
        """Id of the focused field; 0 for none."""
        self._clicked: InputEvent | None = None
        """The last released button, for double clicks."""
        self._listener = XListener(device.display, self._heard.put)
        self._follow_focus()

    def _use_look(self) -> None:
        self._follow_focus()
        self._read_back()

    def _hear(self, event: InputEvent) -> None:
        self._looks.note(event.seconds)
        match event.kind:
            case "button down" if event.code in BUTTONS:
                self._leave()
                self._take_press(event)
            case "button up" if event.code in BUTTONS:
                self._take_release(event)
            case "key down":
                self._key(event)

    def _take_press(self, done: InputEvent) -> None:
        before = self._looks.last_before(done.seconds)
        spot = spot_at(done.at, before)
        button, modifiers = BUTTONS[done.code], held_modifiers(done, shift=True)
        press = Down(spot, button, modifiers, kind_of_front(spot), done.seconds)
        self._field = spot.ids[0] if press.field == "text" else 0
        self._steps.hear(press)

    def _take_release(self, done: InputEvent) -> None:
        self._steps.hear(Up(done.at))
        last, self._clicked = self._clicked, done
        if last is None or last.code != done.code or done.seconds - last.seconds > DOUBLE[0]:
            return
        if max(abs(last.at.x - done.at.x), abs(last.at.y - done.at.y)) <= DOUBLE[1]:
            self._steps.hear(Double())
            self._clicked = None

    def _key(self, done: InputEvent) -> None:
        key, typed, modifiers = key_name(done), typed_character(done), held_modifiers(done)
        if not key:
            return
        before = self._looks.last_before(done.seconds)
        field = before.by_id(self._field) or focused_field(before)
        if modifiers:
            if field is not None and modifiers == ("ctrl",) and key.lower() in EDITING:
                self._visit_of(field, before).unsure = True
                return
            self._press(done, key.lower() if len(key) == 1 else key, field, before)
        elif field is not None and self._visit_of(field, before).takes(key, typed):
            self._tell_visit()
        elif field is not None or not self._type_blindly(key, typed, before):
            self._press(done, key, field, before)

    def _type_blindly(self, key: str, typed: str, before: Observation) -> bool:
        """Collect text typed without a known field. Returns whether the key belongs to it."""
        start, text = self._blind or (before, "")
        if typed and (typed != " " or self._blind):
            text += typed
        elif text and key == "backspace":
            text = text[:-1]
        else:
            return False
        self._blind = start, text
        return True

    def _press(self, done: InputEvent, key: str, field: Element | None, before: Observation) -> None:
        self._leave()
        ids = (field.id,) if field is not None else ()
        shift = len(key) > 1 or bool(held_modifiers(done))
        pressed = (*held_modifiers(done, shift=shift), key)
        self._steps.hear(Pressed(Spot(before, ids), pressed, False, done.seconds))
        self._field = 0

    def _visit_of(self, field: Element, before: Observation) -> Visit:
        if self._visit is None or self._visit.field.id != field.id:
            self._leave()
            self._visits += 1
            self._visit = Visit(str(self._visits), field, before)
        self._field = field.id
        return self._visit

    def _leave(self) -> None:
        if self._visit is not None:
            self._read_back()
            self._steps.hear(self._visit.ended())
            self._visit = None
        if self._blind is not None:
            before, text = self._blind
            self._blind = None
            if text:
                self._steps.hear(Moved(TypeText(text), before))

    def _read_back(self) -> None:
        """Use the field's value as the typed text if the keys alone do not determine it."""
        latest = self._looks.latest
        if self._visit is not None and latest is not None and self._looks.since(self._visit.touched):
            now = latest.by_id(self._visit.field.id)
            if now is not None and self._visit.shows(now.value):
                self._tell_visit()

    def _tell_visit(self) -> None:
        if self._visit is not None:
            self._steps.hear(self._visit.typing())

    def _follow_focus(self) -> None:
        latest = self._looks.latest
        focused = None if latest is None else focused_field(latest)
        if focused is not None:
            self._field = focused.id
