"""Names of keys, and the one parser of chords for planner, guard and device.

A key is one printable character (`a`, `A`, `+`, `é`) or one of the names in `NAMED`. Other common spellings
are understood: `Control`, `Return`, `Esc`, `PgUp`, `ArrowLeft`, `cmd`, `win` ...
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from gui_agent.core.errors import ActionFailed
from gui_agent.core.texts import table

MODIFIERS = ("ctrl", "alt", "shift", "meta")
_RELOADING = "f5 shift+f5 ctrl+f5 ctrl+r ctrl+shift+r meta+r shift+meta+r"
RELOADING = frozenset(tuple(keys.split("+")) for keys in _RELOADING.split())
"""Chords that reload a page."""
ACTING = re.compile(r"[\0-\x1f\x7f]")
"""Characters that act as keys when they are typed into a field of one line."""
_COPYING = "ctrl+c ctrl+x ctrl+insert ctrl+shift+c meta+c meta+x"
COPYING = frozenset(tuple(keys.split("+")) for keys in _COPYING.split())
"""Chords that copy what is selected to the clipboard."""

NAMED: dict[str, str] = table(
    "ctrl=Control alt=Alt shift=Shift meta=Meta altgr=AltGraph enter=Enter escape=Escape tab=Tab"
    " space=Space backspace=Backspace delete=Delete insert=Insert home=Home end=End pageup=PageUp"
    " pagedown=PageDown up=ArrowUp down=ArrowDown left=ArrowLeft right=ArrowRight capslock=CapsLock"
    " printscreen=PrintScreen menu=ContextMenu pause=Pause recentapps=AppSwitch powerbutton=Power"
    " wakeup=WakeUp keyboardaction=Execute"
) | {f"f{number}": f"F{number}" for number in range(1, 13)}
"""Canonical name to the name that browsers use."""
PHONE_KEYS = frozenset({"recentapps", "powerbutton", "wakeup", "keyboardaction"})
"""Keys that only phones have; `keyboardaction` is the key in place of Enter: send, search."""

ALIASES: dict[str, str] = table(
    "control=ctrl controlormeta=ctrl ctl=ctrl option=alt opt=alt cmd=meta command=meta win=meta"
    " windows=meta super=meta return=enter kpenter=enter numpadenter=enter esc=escape spacebar=space"
    " back=backspace bksp=backspace del=delete ins=insert pgup=pageup prior=pageup pgdn=pagedown"
    " pgdown=pagedown next=pagedown arrowup=up arrowdown=down arrowleft=left arrowright=right"
    " uparrow=up downarrow=down leftarrow=left rightarrow=right altgraph=altgr contextmenu=menu"
    " appswitch=recentapps overview=recentapps imeaction=keyboardaction apps=menu caps=capslock"
    " prtsc=printscreen plus=+ minus=-"
)


def canonical(key: str) -> str:
    """The project's name of a key. Raises ActionFailed: there is no such key."""
    if key == " ":
        return "space"
    if len(key) == 1 and key.isprintable():
        return key
    name = key.strip().lower().replace("_", "").replace("-", "").replace(" ", "")
    name = ALIASES.get(name, name)
    if name in NAMED or len(name) == 1:
        return name
    raise ActionFailed(
        f"there is no key called {key!r}; use one character or one of: {', '.join(sorted(NAMED))}"
    )


def chord(keys: Sequence[str]) -> tuple[str, ...]:
    """Canonical names of keys pressed together, modifiers first; `("Ctrl+Shift+T",)` is split. Raises
    ActionFailed.
    """
    parts = [*chain.from_iterable(map(_split_chord, keys))]
    if not parts:
        raise ActionFailed("no key was named; name at least one, such as enter")
    names = [*map(canonical, parts)]
    held = [name for name in MODIFIERS if name in names]
    return (*held, *(name for name in names if name not in MODIFIERS))


def modifiers(keys: Sequence[str]) -> tuple[str, ...]:
    """Canonical names of keys to hold during a click. Raises ActionFailed: one of them is not a modifier."""
    names = chord(keys) if keys else ()
    for name in names:
        if name not in MODIFIERS:
            raise ActionFailed(f"{name!r} cannot be held during a click; use {', '.join(MODIFIERS)}")
    return names


def web_name(key: str) -> str:
    """The name that browsers use for a canonical key: `ctrl` is `Control`, `up` is `ArrowUp`."""
    return NAMED.get(key, key)


def _split_chord(key: str) -> list[str]:
    """The keys in `ctrl+s`; a plus sign that is a key itself stays (`+`, `ctrl++`)."""
    if "+" not in key or len(key) == 1:
        return [key]
    last = "+" if key.endswith("+") else key.rsplit("+", 1)[1]
    before = key[: -len(last)].rstrip("+")
    return [*(part for part in before.split("+") if part), last]
