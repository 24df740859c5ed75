"""Proposes the one command that does what a freely worded wish says, no more and no less."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from gui_agent.core.actions import Click
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Observation, Words
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import normal
from gui_agent.elements import roles
from gui_agent.elements.text import name_words, singular_words
from gui_agent.planners.commands.commands import Do
from gui_agent.planners.commands.parser import parse
from gui_agent.planners.commands.unparse import say
from gui_agent.scene import Scene

_WORDS: dict[str, str] = tomllib.loads(
    files("gui_agent.planners.commands").joinpath("wishes.toml").read_text("utf-8")
)
_PHRASES = sorted((" ".join(one.split()) for one in _WORDS["polite"].split(",")), key=len, reverse=True)
_POLITE = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, _PHRASES))})(?![\w'])")
_PRESS, _OTHER, _REQUESTS = (frozenset(_WORDS[name].split()) for name in ("press", "other", "requests"))
_CONTROLS = roles.PRESSED | {"link"}
"""Roles that a click is all there is to."""


def commands_for_wish(wish: str, screen: Observation, grounder: Grounder) -> list[tuple[str, Element]]:
    """The commands that do what a wish says on this screen, each with its element.

    Every word of the wish is a part of the command's target, asks politely, or says no more than to press it;
    and the command names nothing that the wish does not. Each command is read and found on this very screen.
    """
    said = _content_words(wish)
    scene = Scene.from_screen(screen)
    found: list[tuple[str, Element]] = []
    for element in scene.layers.entries if said else ():
        own = singular_words(element.name)
        if element.role not in _CONTROLS or not own or not own <= said:
            continue
        target = Words(element.name)
        rest = said - own - _PRESS - {one for one, role in roles.NOUNS.items() if role == element.role}
        if rest:
            record = scene.records.record_of(element)
            key = record.keys[0].name if record is not None and element not in record.keys else ""
            if singular_words(key) != rest:
                continue
            target = Words(element.name, near=key, relation="in the row of")
        text = say(Do(Click(target)))
        if parse(text) == (Do(Click(target)),) and _is_found(target, element, screen, grounder):
            found.append((text, element))
    return found


def _content_words(wish: str) -> frozenset[str]:
    """The words that say what is wished; none where the sentence asks or denies."""
    text = normal(wish)
    asks = text.rstrip().endswith("?") and _REQUESTS.isdisjoint(name_words(text)[:1])
    if asks or not _OTHER.isdisjoint(name_words(text)):
        return frozenset()
    return singular_words(_POLITE.sub(" ", text))


def _is_found(target: Words, element: Element, screen: Observation, grounder: Grounder) -> bool:
    try:
        found = grounder.locate(target, screen, verb="click").element
    except (NotFound, Ambiguous):
        return False
    return found is not None and found.id == element.id
