"""What a key meant when it was pressed: a character, a key with a name, or only a modifier."""

from __future__ import annotations

from Xlib import XK

from gui_agent.computers.x11.keymap import NAMED, UNICODE
from gui_agent.computers.x11.recording.listening import ALT, CONTROL, GROUP, LEVEL3, META, SHIFT, Input

KEYS = {XK.string_to_keysym(name): key for key, name in NAMED.items()} | {
    XK.string_to_keysym("KP_Enter"): "enter",
    XK.string_to_keysym("ISO_Left_Tab"): "tab",
    XK.string_to_keysym("Delete"): "delete",
}
HELD = ((CONTROL, "ctrl"), (ALT, "alt"), (META, "meta"))
"""Modifiers that make a key a command."""


def held(pressed: Input, *, shift: bool = False) -> tuple[str, ...]:
    """Names of the modifiers that were held, `shift` only if asked for."""
    bits = (*HELD, (SHIFT, "shift")) if shift else HELD
    return tuple(name for bit, name in bits if pressed.state & bit)


def character(pressed: Input) -> str:
    """What the key typed; empty for keys that type nothing."""
    symbol = _symbol(pressed)
    if 0x20 <= symbol <= 0x7E or 0xA0 <= symbol <= 0xFF:
        return chr(symbol)
    if symbol & 0xFF000000 == UNICODE:
        return chr(symbol & 0xFFFFFF)
    pad = symbol - 0xFFB0  # the digits of the number pad
    return str(pad) if 0 <= pad <= 9 else ""


def name(pressed: Input) -> str:
    """The canonical name of a key; its character for those without; empty for modifiers alone."""
    first = pressed.symbols[0] if pressed.symbols else 0
    key = KEYS.get(first, "")
    if key in ("ctrl", "alt", "shift", "meta", "altgr", "capslock"):
        return ""
    typed = character(pressed)
    if key and key != "space":
        return key
    return "space" if typed == " " else typed


def _symbol(pressed: Input) -> int:
    symbols = pressed.symbols
    if not symbols:
        return 0
    group = 2 if (pressed.state >> GROUP) & 3 else 0
    index = group + (4 if pressed.state & LEVEL3 else 0) + (1 if pressed.state & SHIFT else 0)
    plain = symbols[index - 1] if index and index <= len(symbols) else 0
    found = symbols[index] if index < len(symbols) else 0
    return found or (plain if pressed.state & SHIFT else 0) or symbols[0]
