"""What a side effect is known by: its target, its form, what that holds, and what stands around it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from gui_agent.agent.guard import context
from gui_agent.agent.guard.context import ActionMeaning
from gui_agent.agent.guard.ledger import MONEY
from gui_agent.core.observation import Observation
from gui_agent.core.texts import normal
from gui_agent.elements.fingerprints import label_for, neighbours

_AGAIN = re.compile(r"\bagain\b|\(\d+\)|[.!…]+$")
_TICKING = re.compile(
    r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?z?"  # 2026-11-23T13:04:34.271Z
    r"|\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"  # 13:04:34, 0:59
    r"|\b1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?\b"  # since 1970
    r"|\b\d+(?:\.\d+)? ?(?:ms|s|sec|secs|seconds?|min|mins|minutes?)\b"
    r"|\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{12,}\b|\b0?\.\d{9,}\b"
)
"""What is new each time: clocks, countdowns, seconds since 1970, identifiers and numbers made at random."""


_NUMBERS = re.compile(r"[^\s=]*\d[^\s=]*")
"""Words with digits in them."""


def _without_count(name: str) -> str:
    """A name without what says how often it was used."""
    return _AGAIN.sub("", normal(name)).strip()


def key_of(reading: ActionMeaning, observation: Observation) -> str:
    """The identity of a side effect: what is touched, where, and what the form holds."""
    element = reading.element
    place = observation.place
    address = urlsplit(place.url)
    where = [address.netloc or place.app, address.path, address.query, "" if place.url else place.title]
    filled: list[str] = []
    if element is None:
        target = [reading.subject]
        contents: list[str] = sorted(normal(e.value) for e in observation.elements if e.value)
    else:
        target = [element.role, _without_count(element.name or label_for(element, observation)), element.path]
        fields = context.fields_with(element, observation).all
        values = [(field, _TICKING.sub("", normal(field.value)).strip()) for field in fields]
        filled = [f"{field.path}|{normal(field.name)}={value}" for field, value in values if value]
        near = context.companions(element, observation)
        ticked = [f"{e.path}|{normal(e.name)}" for e in near if "checked" in e.states]
        contents = sorted([*filled, *ticked]) or list(neighbours(element, observation))
    if reading.meaning == "send" and element is not None and filled:
        target = []  # the same letter, whether by its button or by a key
    contents = [_TICKING.sub("", one) for one in contents]
    parts = [reading.meaning, where, target, contents]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]


def form_of(reading: ActionMeaning, observation: Observation) -> str:
    """The identity of what a side effect sends off, whatever that holds: its fields, or its target."""
    element, address = reading.element, urlsplit(observation.place.url)
    where = [address.netloc or observation.place.app, address.path]
    fields = context.fields_with(element, observation).all if element is not None else ()
    what = sorted(f"{field.path}|{normal(field.name)}" for field in fields)
    target = [element.role, _without_count(element.name), element.path] if element else [reading.subject]
    return hashlib.sha256(json.dumps([where, what or target], ensure_ascii=False).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Reached:
    """What was touched to send something, and what stood around it but for numbers, which may be counted."""

    what: str
    where: tuple[str, ...]
    ticks: frozenset[str]
    around: frozenset[str]
    paid: tuple[str, ...] = ()
    """For money, the control alone, by the site that it is on."""

    def repeats(self, before: Reached) -> bool:
        """Whether it is the same once more: all that stood there stands there still, with the same ticks.

        Money is not moved twice by one control, whatever the page has changed around it by itself.
        """
        if self.paid and self.paid == before.paid:
            return True
        return (self.where, self.ticks) == (before.where, before.ticks) and before.around <= self.around


def touched(reading: ActionMeaning, observation: Observation, what: str) -> Reached | None:
    """The same for a reading; None when it is of no known element."""
    element, place = reading.element, observation.place
    if element is None or element.id < 0:
        return None
    near = context.companions(element, observation)
    fields = [f"{one.path}={one.value}" for one in near if one.value and context.editable(one)]
    ticks = frozenset(f"{one.path}={one.name}" for one in near if "checked" in one.states)
    texts = [_NUMBERS.sub("", one).strip() for one in neighbours(element, observation)]
    values = [_NUMBERS.sub("", _TICKING.sub("", normal(one))).rstrip(" =") for one in fields]
    around = frozenset(filter(None, (*texts, *values)))
    where = (reading.meaning, place.url or place.app, str(place.posted), str(element.id), element.role)
    money = reading.meaning in MONEY
    paid = (reading.meaning, urlsplit(place.url).netloc or place.app, str(element.id)) if money else ()
    return Reached(what, where, ticks, around, paid)
