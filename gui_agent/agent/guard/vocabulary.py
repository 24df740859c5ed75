"""The meanings that an action can have for the guard."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from typing import Any

from gui_agent.core.observation import Box, Element

PLAIN, UNKNOWN = "plain", "unknown"
MEANINGS: Mapping[str, str] = {
    "script-address": "follow an address that carries code",
    "secret-file": "show or hand over a file that holds secrets",
    "destructive-command": "run a destructive command",
    "format": "wipe a disk or device",
    "pay": "order or pay",
    "transfer": "move money",
    "sign": "sign something",
    "delete": "delete something",
    "unsubscribe": "end a subscription or account",
    "publish": "publish something",
    "send": "send something",
    "share": "share something",
    "install": "install or run a program",
    "permission": "give an app a permission",
    "card": "type payment details",
    "password": "type into a password field",
    "secret": "type a secret into a field that shows it",
    "terminal": "run a command",
    "upload": "hand over a file",
    "write": "write a file",
    "unclear": "do something with an unknown effect",
    "settings": "open the browser's own pages",
    "submit-credentials": "sign in",
    "submit": "submit a form",
    UNKNOWN: "touch something unknown",
    PLAIN: "act",
}
"""What an action can mean, gravest first, and how a person would say it."""


@dataclass(frozen=True, slots=True)
class ActionMeaning:
    """One thing that an action would mean."""

    meaning: str
    subject: str
    """The target, in words."""
    element: Element | None = None
    because: str = ""
    """Why it means that, if the subject does not say so itself."""
    file: str = ""
    url: str = ""
    spot: Box | None = None
    """Where it is done, if no element is known there."""

    @property
    def box(self) -> Box | None:
        """Where it is done, as far as that is known."""
        return self.element.box if self.element is not None else self.spot


def meaning_of_element(meaning: str, element: Element, because: str = "", url: str = "") -> ActionMeaning:
    """The meaning of acting on an element."""
    return ActionMeaning(meaning, str(element), element, because, url=url)


def read_table(name: str) -> dict[str, Any]:
    """The contents of a TOML file in this module's folder."""
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


def tagged_phrases(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each phrase of a table with its key; phrases may be listed by language."""
    for tag, phrases in table.items():
        languages = phrases.values() if isinstance(phrases, dict) else (phrases,)
        for phrase in chain.from_iterable(languages):
            yield phrase, tag
