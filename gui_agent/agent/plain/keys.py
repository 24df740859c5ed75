"""Reading key presses such as `ctrl+s`, `Page Down` or `alt F4`."""

from __future__ import annotations

import re

MODIFIERS = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "alt": "alt",
    "option": "alt",
    "shift": "shift",
    "meta": "meta",
    "cmd": "meta",
    "command": "meta",
    "win": "meta",
    "windows": "meta",
    "super": "meta",
}
SPELLED = {
    ",": "comma",
    ";": "semicolon",
    ".": "period",
    ":": "colon",
    '"': "quote",
    "'": "apostrophe",
    "+": "plus",
    "-": "minus",
}
"""Keys whose marks mean something in a sentence, by the word for them."""
_NAMED = {
    "enter": "enter",
    "return": "enter",
    "tab": "tab",
    "escape": "escape",
    "esc": "escape",
    "space": "space",
    "spacebar": "space",
    "space bar": "space",
    "backspace": "backspace",
    "delete": "delete",
    "del": "delete",
    "insert": "insert",
    "home": "home",
    "end": "end",
    **{name: mark for mark, name in SPELLED.items()},
    "dot": ".",
    "page up": "pageup",
    "pageup": "pageup",
    "page down": "pagedown",
    "pagedown": "pagedown",
    **{f"f{number}": f"f{number}" for number in range(1, 13)},
    **{
        spelled: way
        for way in ("up", "down", "left", "right")
        for spelled in (way, f"{way} arrow", f"arrow {way}", f"arrow{way}")
    },
}
_JOINT = re.compile(r"(?<=[^\s+-])\s*[+-]\s*(?=\S)")


def read_keys(text: str) -> tuple[str, ...]:
    """The keys of one chord, modifiers first, in the project's names; empty when the text is not keys."""
    words = text.strip()
    if words.casefold().startswith("the "):
        words = words[4:]
    for ending in (" keys", " key"):
        words = words.removesuffix(ending)
    parts = _JOINT.split(words)
    if len(parts) == 1 and words.split(" ", 1)[0].casefold() in MODIFIERS:
        parts = words.split(" ", 1)
    *held, last = (part.strip() for part in parts)
    modifiers = [MODIFIERS.get(part.casefold(), "") for part in held]
    if not all(modifiers):
        return ()
    key = _key(last, alone=not held)
    return (*modifiers, key) if key else ()


def _key(text: str, *, alone: bool) -> str:
    folded = text.casefold()
    if folded in _NAMED:
        return _NAMED[folded]
    if folded in MODIFIERS:
        return MODIFIERS[folded]
    if len(text) == 1 and text.isprintable() and not text.isspace():
        return text if alone else folded
    return ""
