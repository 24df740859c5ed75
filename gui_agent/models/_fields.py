"""Reads fields of a model's output, each of which may be missing, of the wrong type, or a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from gui_agent.core.actions import Proposal
from gui_agent.core.aiming import places
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point
from gui_agent.models.pictures import NOTCH, Space

_ENDLESS = 1e15
FEW = 20
"""A scroll amount up to this is in notches, a larger one in pixels."""
_DIRECTIONS = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def number(given: Mapping[str, Any], key: str, default: float | None = None) -> float:
    value = given.get(key, default)
    if isinstance(value, str):
        value = float(value) if _NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _ENDLESS:
        raise BadReply(f'"{key}" has to be a number')
    return value


def text(given: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = given.get(key, default)
    if not isinstance(value, str):
        raise BadReply(f'"{key}" has to be a text')
    return value


def pair(value: Any, name: str = "coordinate") -> tuple[float, float]:
    """Two numbers, from `[x, y]` or a text; of four, the centre of the box."""
    if isinstance(value, str):
        value = [float(found) for found in _NUMBER.findall(value)]
    if isinstance(value, Mapping):
        value = [value.get("x"), value.get("y")]
    if not isinstance(value, Sequence) or not all(
        isinstance(item, (int, float)) and not isinstance(item, bool) and abs(item) < _ENDLESS
        for item in value
    ):
        raise BadReply(f'"{name}" has to be [x, y]')
    match [float(item) for item in value]:
        case [x, y]:
            return x, y
        case [left, top, right, bottom]:
            return (left + right) / 2, (top + bottom) / 2
        case _:
            raise BadReply(f'"{name}" has to be [x, y]')


def place(given: Mapping[str, Any], key: str, space: Space, cursor: Point | None = None) -> Point:
    """The point of an action; the pointer's position if the action has none."""
    if given.get(key) is not None:
        return space.point(*pair(given[key], key))
    if cursor is None:
        raise BadReply(f'"{key}" is missing; say where')
    return cursor


def direction(given: Mapping[str, Any], key: str) -> tuple[int, int]:
    """How a direction in words goes down and to the right: 1, 0 or -1 each."""
    named = text(given, key).strip().lower()
    if named not in _DIRECTIONS:
        raise BadReply(f'"{key}" has to be up, down, left or right')
    return _DIRECTIONS[named]


def scrolled_pixels(given: Mapping[str, Any], key: str) -> int:
    """An amount to scroll in pixels; a small one is in notches."""
    amount = number(given, key)
    return round(amount * NOTCH if abs(amount) <= FEW else amount)


def last_point(proposals: Iterable[Proposal]) -> Point | None:
    """The pointer position after some actions; None if none has a point, or the last one has no fixed one."""
    last = None
    for proposal in proposals:
        last = next(reversed(places(proposal).values()), last)
    return last if isinstance(last, Point) else None


def keys(value: Any, name: str = "keys") -> tuple[str, ...]:
    """The keys of a chord, in lower case, from `ctrl+s`, `ctrl s` or a list."""
    if isinstance(value, str):
        value = _split_chord(value)
    if not isinstance(value, Sequence) or not value or not all(isinstance(key, str) and key for key in value):
        raise BadReply(f'"{name}" has to name keys')
    parts = chain.from_iterable(map(_split_chord, value))
    return tuple(part if len(part) == 1 else part.lower() for part in parts)


def _split_chord(chord: str) -> list[str]:
    if len(chord) == 1:
        return [chord]
    ends_in_plus = chord.endswith(("++", " +"))
    parts = [part for part in re.split(r"[+\s]+", chord) if part]
    return [*parts, "+"] if ends_in_plus else parts
