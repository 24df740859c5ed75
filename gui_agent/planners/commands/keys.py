"""Reading key presses such as `ctrl+s`, `Page Down` or `alt F4`."""

from __future__ import annotations

import re

from gui_agent.core.keys import ALIASES, MODIFIERS, NAMED

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
_BUTTONS = {"apps", "back", "caps", "menu", "next", "opt", "pause", "prior"}
"""Spellings of keys that in a sentence rather are the caption of a button."""
_NAMED = {
    **{name: name for name in NAMED if name not in _BUTTONS},
    **{spelling: name for spelling, name in ALIASES.items() if spelling not in _BUTTONS},
    **{name: mark for mark, name in SPELLED.items()},
    "dot": ".",
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
    if len(parts) == 1 and _named(words.split(" ", 1)[0]) in MODIFIERS:
        parts = words.split(" ", 1)
    *held, last = (part.strip() for part in parts)
    modifiers = [_named(part) for part in held]
    if not all(name in MODIFIERS for name in modifiers):
        return ()
    key = _key(last, alone=not held)
    return (*modifiers, key) if key else ()


def _named(text: str) -> str:
    return _NAMED.get(text.casefold().replace(" ", ""), "")


def _key(text: str, *, alone: bool) -> str:
    if len(text) == 1 and text.isprintable() and not text.isspace():
        return text if alone else text.casefold()
    return _named(text)
