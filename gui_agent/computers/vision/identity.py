"""Tells whether something seen is the same thing as before, since a picture has no names for its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from gui_agent.core.geometry import Box
from gui_agent.elements.matching import letters_alike

SIMILAR = 0.6
"""Share of letters that two readings of one name have in common."""
STAYED = 12
"""Pixels within which a thing may shift between two looks and still be in its place."""


class Signature(NamedTuple):
    """What a thing is told by."""

    role: str
    name: str
    box: Box
    window: int


class Identity:
    """Gives the things of each look keys; a thing keeps its key while it is there."""

    def __init__(self) -> None:
        self._before: dict[Hashable, Signature] = {}
        self._last = 0

    def keys(self, sights: Sequence[Signature]) -> list[Hashable]:
        """The keys of the things of one look, all different.

        A thing is the one before when it has the same role, name and window and is in its place; or when
        there was one like it and is one; or, when a thing of the same role had the very same box and a
        name of which most letters are the same, as when a letter was read differently.
        """
        given: dict[int, Hashable] = {}
        left = dict(self._before)
        for group, chosen in ((_alike, _nearest), (_alike, _only), (_in_place, _reread)):
            known = _grouped(left.items(), group)
            now = _grouped(((i, one) for i, one in enumerate(sights) if i not in given), group)
            for what, places in now.items():
                for place, key in chosen(places, known.get(what, {})):
                    given[place] = key
                    del left[key]
        for place in range(len(sights)):
            if place not in given:
                self._last += 1
                given[place] = ("seen", self._last)
        self._before = {given[place]: sight for place, sight in enumerate(sights)}
        return [given[place] for place in range(len(sights))]


_Key = TypeVar("_Key", bound=Hashable)
_Keyed = dict[Hashable, Signature]
_Pairs = Iterable[tuple[int, Hashable]]


def _alike(sight: Signature) -> Hashable:
    return sight.role, sight.name, sight.window


def _in_place(sight: Signature) -> Hashable:
    return sight.role, sight.box, sight.window


def _grouped(
    sights: Iterable[tuple[_Key, Signature]], group: Callable[[Signature], Hashable]
) -> dict[Hashable, dict[_Key, Signature]]:
    groups: defaultdict[Hashable, dict[_Key, Signature]] = defaultdict(dict)
    for key, sight in sights:
        groups[group(sight)][key] = sight
    return groups


def _nearest(places: dict[int, Signature], known: _Keyed) -> _Pairs:
    """Pairs of those that have stayed in place, the nearest first, each once."""
    pairs = sorted(
        (shift, place, key)
        for place, sight in places.items()
        for key, before in known.items()
        if (shift := _shift(sight.box, before.box)) <= STAYED
    )
    used: set[Hashable] = set()
    taken: set[int] = set()
    for _, place, key in pairs:
        if place not in taken and key not in used:
            taken.add(place)
            used.add(key)
            yield place, key


def _only(places: dict[int, Signature], known: _Keyed) -> _Pairs:
    return zip(places, known, strict=True) if len(places) == len(known) == 1 else ()


def _reread(places: dict[int, Signature], known: _Keyed) -> _Pairs:
    for place, key in _only(places, known):
        now, before = places[place].name, known[key].name
        if not now or not before or letters_alike(now, before) >= SIMILAR:
            yield place, key


def _shift(box: Box, other: Box) -> int:
    return max(abs(box.left - other.left), abs(box.top - other.top))
