"""What a page puts in the way that is for a person and no program: captchas, logins, one-time codes.

They are recognised, never solved: an action on a captcha is refused, and a run that cannot go on behind one
of them is handed to the person.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Element, Observation, Point
from gui_agent.elements.roles import EMBEDDED, FIELDS, GRAPHIC

LONGEST = 120
"""Letters of a text that may be the label of a captcha; a longer one only speaks of them."""
LARGEST = 0.5
"""Share of the screen that a captcha may take; what is larger holds more than that."""
TELLING = ("src", "title", "class", "id", "alt")
"""Attributes whose text tells what a frame or picture is."""
QUESTIONS = {
    "captcha": "the page wants to know whether a person is there (captcha); only you can answer it",
    "code": "the page asks for a one-time code that only you can get",
    "login": "the page asks to log in",
}


def obstacle(screen: Observation) -> str:
    """What of the screen only a person can do, in words; empty when there is nothing of the kind."""
    if any(is_captcha(element, screen) for element in screen.elements):
        return QUESTIONS["captcha"]
    fields = [element for element in screen.elements if element.role in FIELDS and not element.value]
    filled = (field.attributes.get("autocomplete", "") for field in fields)
    if any("one-time-code" in what for what in filled) or any(_says(field.name, "code") for field in fields):
        return QUESTIONS["code"]
    passwords = [field for field in fields if "password" in field.states]
    # Two of them are for a new password, which is a registration and no login.
    if len(passwords) == 1 and "new-password" not in passwords[0].attributes.get("autocomplete", ""):
        return QUESTIONS["login"]
    return ""


def refuse_captcha(element: Element | None, point: Point, screen: Observation) -> None:
    """Keep hands off a captcha."""
    there = [one for one in screen.elements if one.box.contains(point)]
    if any(is_captcha(one, screen) for one in ([element] if element else []) + there):
        raise ActionFailed(f"{QUESTIONS['captcha']}; ask the person")


def is_captcha(element: Element, screen: Observation) -> bool:
    """Whether an element is a captcha, or the part of one that is to be clicked or read."""
    if element.box.area > LARGEST * screen.size.width * screen.size.height:
        return False
    if _says(element.name[: LONGEST + 1], "captcha") and len(element.name) <= LONGEST:
        return element.role != "link"
    told = " ".join(element.attributes.get(name, "") for name in TELLING)
    return element.role in EMBEDDED | GRAPHIC and _says(told, "captcha")


def _says(text: str, kind: str) -> bool:
    lower = text.casefold()
    return any(word in lower for word in _words()[kind])


@lru_cache(maxsize=1)
def _words() -> dict[str, tuple[str, ...]]:
    read = tomllib.loads(Path(__file__).with_name("obstacles.toml").read_text(encoding="utf-8"))
    return {kind: tuple(words) for kind, words in read.items()}
