"""Proposes the one command that does what a freely worded wish says, no more and no less."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from gui_agent.core.actions import Click
from gui_agent.core.observation import Element, Observation, Words
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import normal
from gui_agent.elements import roles
from gui_agent.elements.text import is_question, name_words, singular_words
from gui_agent.planners.commands._advice import verified_wording
from gui_agent.planners.commands.commands import Do
from gui_agent.scene import Scene

_WORDS: dict[str, str] = tomllib.loads(
    files("gui_agent.planners.commands").joinpath("wishes.toml").read_text("utf-8")
)
_PHRASES = sorted((" ".join(one.split()) for one in _WORDS["polite"].split(",")), key=len, reverse=True)
_POLITE = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, _PHRASES))})(?![\w'])")
_PRESS, _OTHER = (frozenset(_WORDS[name].split()) for name in ("press", "other"))
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
    for element in (scene.layers.entries or screen.controls) if said else ():
        target = _target_said(said, element, scene) if element.role in _CONTROLS else None
        if target is None:
            continue
        text = verified_wording(Do(Click(target)), target, element, screen, grounder, "click")
        if text:
            found.append((text, element))
    return found


def _target_said(said: frozenset[str], element: Element, scene: Scene) -> Words | None:
    """An element in the words of a wish, where needed with the key of its record; None if it is not meant."""
    own = _words_said(element.name)
    if not own or not own <= said:
        return None
    nouns = {one for one, role in roles.NOUNS.items() if role == element.role}
    # Where the name itself is a verb, as in "Open", what else is said is no mere noun for it.
    rest = said - own - (frozenset() if own <= _PRESS else _PRESS | nouns)
    if not rest:
        return Words(element.name)
    record = scene.records.record_of(element)
    key = record.keys[0].name if record is not None and element not in record.keys else ""
    return Words(element.name, near=key, relation="in the row of") if _words_said(key) == rest else None


def _content_words(wish: str) -> frozenset[str]:
    """The words that say what is wished; none where the sentence asks or denies."""
    text = normal(wish)
    if is_question(text) or not _OTHER.isdisjoint(name_words(text)):
        return frozenset()
    return _words_said(text)


def _words_said(text: str) -> frozenset[str]:
    return singular_words(_POLITE.sub(" ", normal(text)))
