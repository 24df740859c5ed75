"""The languages of the pages: catalogues of gettext, read as they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "de")
_LINE = re.compile(r'^(?:(msgid|msgid_plural|msgstr)(?:\[(\d)\])? )?(".*")$')


@cache
def catalogue(language: str) -> Mapping[str, tuple[str, ...]]:
    """The translations of a language by the English text, several for its plurals; empty for English."""
    if language == LANGUAGES[0]:
        return {}
    text = (files("gui_agent.integrations") / "locale" / f"{language}.po").read_text("utf-8")
    found = {}
    for block in text.split("\n\n"):
        parts: dict[str, str] = {}
        part = ""
        for line in filter(None, map(_LINE.match, block.splitlines())):
            part = f"{line[1]}{line[2] or ''}" if line[1] else part
            parts[part] = parts.get(part, "") + json.loads(line[3])
        if parts.get("msgid"):
            found[parts["msgid"]] = tuple(text for part, text in parts.items() if part.startswith("msgstr"))
    return found


def language_of(accepted: str) -> str:
    """The language for an `Accept-Language` header: the first one known, else English."""
    wanted = [one.split(";q=") for one in accepted.lower().replace(" ", "").split(",")]
    ranked = sorted(wanted, key=lambda one: -float(one[1]) if len(one) > 1 and _is_weight(one[1]) else -1.0)
    return next((name[:2] for name, *_ in ranked if name[:2] in LANGUAGES), LANGUAGES[0])


def _is_weight(text: str) -> bool:
    return re.fullmatch(r"[01](\.\d{0,3})?", text) is not None


def say(language: str, text: str) -> str:
    """The text in a language; a text without a translation stays English."""
    return catalogue(language).get(text, (text,))[0]


def say_count(language: str, one: str, many: str, count: int) -> str:
    """The text for one or many in a language."""
    return catalogue(language).get(one, (one, many))[count != 1]
