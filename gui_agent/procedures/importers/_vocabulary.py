"""Maps the commands of other tools to actions and conditions."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files

from gui_agent.core.actions import (
    Back,
    Check,
    Choose,
    Click,
    Close,
    Drag,
    Move,
    Press,
    Recorded,
    TypeText,
    Upload,
)
from gui_agent.core.conditions import Condition, Shown, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.observation import Fingerprint
from gui_agent.procedures.importers._selectors import read_selector, with_attributes
from gui_agent.procedures.importers.imported import Unsupported, plain_pattern

NAMES: Mapping[str, Mapping[str, str]] = tomllib.loads(
    files("gui_agent.procedures.importers").joinpath("vocabulary.toml").read_text("utf-8")
)
"""For each tool, its commands and their names here."""
ACTIONS: Mapping[str, Callable[[Fingerprint, str], Recorded]] = {
    "click": lambda at, text: Click(at),
    "double click": lambda at, text: Click(at, clicks=2),
    "right click": lambda at, text: Click(at, "right"),
    "fill": lambda at, text: TypeText(text, at, replace=True),
    "type": lambda at, text: TypeText(text, at),
    "secret": lambda at, text: TypeText(text, with_attributes(at, type="password"), replace=True),
    "tick": lambda at, text: Check(at),
    "untick": lambda at, text: Check(at, False),
    "hover": lambda at, text: Move(at),
    "upload": lambda at, text: Upload(at, (text,)),
    "choose": Choose,
    "drag": lambda at, text: Drag(at, read_selector(text)),
}
"""The action on an element with a text, by name."""
PAGE_ACTIONS: Mapping[str, Recorded] = {"back": Back(), "reload": Press(("f5",)), "close": Close()}
CONDITIONS: Mapping[str, Callable[[Fingerprint, str], Condition[Fingerprint]]] = {
    "shown": lambda at, text: Shown(at),
    "hidden": lambda at, text: Shown(at, False),
    "text": lambda at, text: TextShown(text),
    "no text": lambda at, text: TextGone(text),
    "value": ValueIs,
    "checked": lambda at, text: StateIs(at, "checked"),
    "unchecked": lambda at, text: StateIs(at, "checked", False),
    "disabled": lambda at, text: StateIs(at, "disabled"),
    "enabled": lambda at, text: StateIs(at, "disabled", False),
    "focused": lambda at, text: StateIs(at, "focused"),
    "title": lambda at, text: TitleIs(plain_pattern(text)),
    "address": lambda at, text: UrlIs(plain_pattern(text)),
    "part of the title": lambda at, text: TitleIs(f"*{plain_pattern(text)}*"),
    "part of the address": lambda at, text: UrlIs(f"*{plain_pattern(text)}*"),
}
"""The expected state of an element, or of the page, with a text, by name."""
_OPPOSITES = {"shown": "hidden", "text": "no text", "checked": "unchecked", "disabled": "enabled"}
_OPPOSITES |= {other: one for one, other in _OPPOSITES.items()}


def condition(
    tool: str, name: str, at: Fingerprint, text: str, *, positive: bool = True
) -> Condition[Fingerprint]:
    """The condition that another tool's command states.

    Raises:
        Unsupported: the command has no equivalent here.
    """
    kind = NAMES[tool].get(name, "")
    make = CONDITIONS.get(kind if positive else _OPPOSITES.get(kind, ""))
    if make is None:
        raise Unsupported(f"{'' if positive else 'not '}{name} has no counterpart")
    return make(at, text)
