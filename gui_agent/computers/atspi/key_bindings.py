"""Key bindings, as toolkits write them and as they are called here."""

from __future__ import annotations

import re

from gui_agent.core.keys import MODIFIERS

_PART = re.compile(r"<([^<>]+)>|([^<>+]+|\+$)")
_MODIFIERS = {
    "primary": "ctrl",
    "control": "ctrl",
    "ctrl": "ctrl",
    "alt": "alt",
    "mod1": "alt",
    "shift": "shift",
    "super": "meta",
    "meta": "meta",
}


def spoken(bindings: str) -> str:
    """The binding that works everywhere: `s;<Alt>f:s;<Control>s` is `ctrl+s`.

    Empty when there are only access keys inside of a menu.
    """
    for binding in reversed(bindings.split(";")):
        if ":" in binding:
            continue
        parts = [given or key for given, key in _PART.findall(binding)]
        modifiers = [_MODIFIERS[part.casefold()] for part in parts[:-1] if part.casefold() in _MODIFIERS]
        if parts and (modifiers or re.fullmatch(r"[Ff]\d\d?", parts[-1])):
            ordered = [modifier for modifier in MODIFIERS if modifier in modifiers]
            return "+".join((*ordered, parts[-1].casefold()))
    return ""
