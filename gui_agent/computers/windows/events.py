"""Events of mouse and keyboard as Windows takes them, made from what a person does; no system call here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Point, Size
from gui_agent.core.keys import PHONE_KEYS

EXTENDED, KEY_UP, UNICODE = 0x1, 0x2, 0x4
"""Flags of keyboard events."""
MOVE, WHEEL, WHEEL_ACROSS, WHOLE_DESK, ABSOLUTE = 0x1, 0x800, 0x1000, 0x4000, 0x8000
"""Flags of mouse events."""
PRESSED: dict[Button, int] = {"left": 0x2, "right": 0x8, "middle": 0x20}
RELEASED: dict[Button, int] = {"left": 0x4, "right": 0x10, "middle": 0x40}
RANGE = 65536
"""Steps into which Windows divides the width and the height of all monitors together."""
NOTCH = 120
"""What Windows calls one notch of the wheel."""
PIXELS = 100
"""Pixels that programs scroll by one notch, about."""

KEYS: dict[str, int] = {
    **{"ctrl": 0xA2, "alt": 0xA4, "shift": 0xA0, "meta": 0x5B, "altgr": 0xA5},
    **{"enter": 0x0D, "escape": 0x1B, "tab": 0x09, "space": 0x20, "backspace": 0x08},
    **{"delete": 0x2E, "insert": 0x2D, "home": 0x24, "end": 0x23, "pageup": 0x21, "pagedown": 0x22},
    **{"up": 0x26, "down": 0x28, "left": 0x25, "right": 0x27},
    **{"capslock": 0x14, "printscreen": 0x2C, "menu": 0x5D, "pause": 0x13},
    **{f"f{number}": 0x6F + number for number in range(1, 13)},
}
"""Virtual key codes of the keys with a name."""
_EXTENDED = frozenset(
    KEYS[name]
    for name in (
        *("meta", "altgr", "delete", "insert", "home", "end", "pageup", "pagedown"),
        *("up", "down", "left", "right", "printscreen", "menu"),
    )
)
_SHIFTS = {1: "shift", 2: "ctrl", 4: "alt"}
"""What a layout says must be held for a character, by bit."""
_LINES = {"\n": KEYS["enter"], "\t": KEYS["tab"]}


@dataclass(frozen=True, slots=True)
class KeyEvent:
    """A key going down or up: a virtual key, or with `UNICODE` a unit of text in `scan`."""

    code: int
    scan: int
    flags: int


@dataclass(frozen=True, slots=True)
class Mouse:
    """The pointer moving, a button going down or up, or the wheel turning."""

    x: int
    y: int
    data: int
    flags: int


Event = KeyEvent | Mouse


def key(name: str, layout: int, *, alone: bool = False) -> list[KeyEvent]:
    """The events that press a key with a canonical name; other keys that its character needs are among them.

    Args:
        layout: what the keyboard layout says of a character: the key in the low byte, what must be held in
            the high one, -1 when it has none. Ignored for keys with a name.
        alone: whether no other key is held: then it types the very character.

    Raises:
        ActionFailed: the layout has no such character.
    """
    if name in KEYS:
        return [_key(KEYS[name], True)]
    if name in PHONE_KEYS:
        raise ActionFailed(f"only phones have the key {name}; press another one")
    if layout == -1 and len(name) == 1 and name.isascii() and name.isalnum():
        # A Russian or Greek layout has no Latin letters, but the same keys: ctrl+c works there as everywhere.
        layout = ord(name.upper())
    if layout == -1:
        raise ActionFailed(f"the keyboard layout has no key {name!r}; type it as text instead")
    # Of a chord such as ctrl+A the case of the letter does not matter; a sign needs its shift.
    plain = name.isalpha() and not alone
    held = [] if plain else [KEYS[one] for bit, one in _SHIFTS.items() if (layout >> 8) & bit]
    return [_key(code, True) for code in (*held, layout & 0xFF)]


def let_go(pressed: Iterable[KeyEvent]) -> list[Event]:
    """The events that release what these have pressed, the last first."""
    return [replace(event, flags=event.flags | KEY_UP) for event in reversed(tuple(pressed))]


def text(typed: str) -> list[Event]:
    """The events that type any text, whatever the keyboard layout is."""
    events: list[Event] = []
    for character in typed.replace("\r\n", "\n").replace("\r", "\n"):
        if character in _LINES:
            events += [_key(_LINES[character], True), _key(_LINES[character], False)]
            continue
        raw = character.encode("utf-16-le", "surrogatepass")
        for unit in (int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)):
            events += [KeyEvent(0, unit, UNICODE), KeyEvent(0, unit, UNICODE | KEY_UP)]
    return events


def pointer_at(point: Point, size: Size) -> Mouse:
    """The pointer at a pixel of the picture of all monitors, which has this size."""
    x, y = _steps(point.x, size.width), _steps(point.y, size.height)
    return Mouse(x, y, 0, MOVE | ABSOLUTE | WHOLE_DESK)


def button(which: Button, *, down: bool, at: Mouse | None = None) -> Mouse:
    """A button of the mouse going down or up where the pointer is, or where a movement puts it."""
    flag = (PRESSED if down else RELEASED)[which]
    return replace(at, flags=at.flags | flag) if at is not None else Mouse(0, 0, 0, flag)


def wheel(down: int, right: int) -> list[Mouse]:
    """The wheel turned by about so many pixels."""
    turned = [(-down, WHEEL), (right, WHEEL_ACROSS)]
    return [Mouse(0, 0, round(pixels * NOTCH / PIXELS), flag) for pixels, flag in turned if pixels]


def _key(code: int, down: bool) -> KeyEvent:
    return KeyEvent(code, 0, (EXTENDED if code in _EXTENDED else 0) | (0 if down else KEY_UP))


def _steps(pixel: int, length: int) -> int:
    """The least step that Windows maps to this pixel, which it does by rounding down."""
    return -(-pixel * RANGE // length)
