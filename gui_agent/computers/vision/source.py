"""The vision source: finds elements in the picture alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import count, product
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gui_agent.computers.desktop.parts import Node, ScreenReading, Window, is_in_any
from gui_agent.computers.vision._controls import (
    FRAMED,
    in_outline,
    named_controls,
    rectangles,
    sheet_cells,
    square_tick,
)
from gui_agent.computers.vision.detection import (
    Pixels,
    changed_areas,
    grow,
    merge,
)
from gui_agent.computers.vision.network import AROUND, Detector, SeenControl, without_overlaps
from gui_agent.computers.vision.ocr import TextLine, TextReader, grey_of
from gui_agent.core.observation import Box, Point, Size
from gui_agent.elements.words import letters_alike

if TYPE_CHECKING:
    from PIL.Image import Image


class VisionSource:
    """Reads the texts of a screen and finds its buttons, fields, check boxes and icons.

    Only areas changed since the last look are read again. A first look at a full screen takes seconds,
    a look at an unchanged one hundredths of a second.
    """

    def __init__(self, *, grab: Callable[[], Image] | None = None, reader: TextReader | None = None) -> None:
        self._grab = grab
        self._reader = reader or TextReader()
        self._identity = Identity()
        self._pixels: Pixels | None = None
        self._seen_areas: Sequence[Box] = []
        self._windows: list[Window] = []
        self._lines: list[TextLine] = []
        self._detector = Detector()
        self._found: list[SeenControl] = []
        self._shapes: list[Box] = []
        self._nodes: tuple[Node, ...] = ()

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """Read the whole picture; ignores `seconds`, as a partial reading is worse than a late one."""
        return self.look(windows, picture, seconds, [Size(*picture.size).box])

    def look(
        self, windows: Sequence[Window], picture: Image, seconds: float, areas: Sequence[Box]
    ) -> ScreenReading:
        """Look at some areas of the picture; see `read`."""
        pixels = np.ascontiguousarray(np.asarray(picture.convert("RGB"))[:, :, ::-1])
        frame = Size(*picture.size).box
        inside = [part for area in areas if (part := area.intersect(frame)) is not None]
        changed, stale = self._stale_areas(pixels, inside, frame)
        if stale:
            self._read_again(pixels, changed, stale, frame)
        if stale or list(windows) != self._windows:
            self._windows = list(windows)
            self._nodes = self._looked_at(pixels, inside, windows)
        return ScreenReading(self._nodes)

    def _looked_at(
        self, pixels: Pixels, inside: Sequence[Box], windows: Sequence[Window]
    ) -> tuple[Node, ...]:
        cells = sheet_cells(self._shapes, self._lines)
        covered = [cell.box for cell in cells]
        seen = [one for one in self._found if not is_in_any(one.box, covered)]
        named = named_controls(seen, self._lines, pixels, self._reader, self._detector)
        made = [thing for thing in (*cells, *named) if is_in_any(thing.box, inside)]
        framed = [window.whole for window in windows]
        return tuple(
            node
            for node in self._with_windows(made, windows)
            if node.window or not windows or (node.role == "text" and not is_in_any(node.box, framed))
        )

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """The node at a point: controls before texts, the smallest first."""
        if self._grab is not None and self._seen_areas:
            self.look(windows, self._grab(), 0.0, self._seen_areas)
        there = [node for node in self._nodes if node.box.contains(point)]
        return min(there, key=lambda node: (node.role == "text", node.box.area), default=None)

    def close(self) -> None:
        """Do nothing, as nothing is held open."""

    def _stale_areas(
        self, pixels: Pixels, inside: Sequence[Box], frame: Box
    ) -> tuple[Sequence[Box], Sequence[Box]]:
        """The areas that have changed since the last picture, and these with all that they touch."""
        if self._seen_areas != inside:
            self._pixels, self._seen_areas = None, inside
        if self._pixels is None or self._pixels.shape != pixels.shape:
            self._lines, self._found = [], []
            changed = inside
        else:
            changes = product(changed_areas(self._pixels, pixels), inside)
            changed = [part for box, area in changes if (part := box.intersect(area))]
        self._pixels = pixels
        stale = changed
        boxes = [*(line.box for line in self._lines), *(one.box for one in self._found)]
        while touched := [box for box in boxes if _touches_any(box, stale)]:
            boxes = [box for box in boxes if box not in touched]
            stale = merge([*stale, *(grow(box, 4, frame) for box in touched)])
        return changed, stale

    def _read_again(self, pixels: Pixels, changed: Sequence[Box], stale: Sequence[Box], frame: Box) -> None:
        """Find the controls where something changed, and the texts around it, again.

        A control that only borders on a change is still there, even if less is seen of its surroundings.
        """
        self._found = [one for one in self._found if not _touches_any(one.box, changed)]
        self._lines = [line for line in self._lines if not _touches_any(line.box, stale)]
        grey = grey_of(pixels)
        self._shapes = rectangles(grey)
        for area in stale:
            around = grow(area, AROUND, frame)
            shapes = [box for box in self._shapes if box.intersect(around)]
            seen = [in_outline(one, shapes) for one in self._detector.find(pixels, around)]
            seen += filter(None, [square_tick(grey, box, seen) for box in shapes])
            fresh = (one for one in seen if _touches_any(one.box, changed))
            self._found = without_overlaps((*self._found, *fresh))
            boxes = [one.box for one in self._found]
            frames = [one.box for one in self._found if one.role in FRAMED]
            self._lines += self._reader.lines(pixels, area, boxes, frames)

    def _with_windows(self, made: Sequence[Node], windows: Sequence[Window]) -> list[Node]:
        placed = [replace(one, window=_window_at(one.box.center, windows)) for one in made]
        keys = self._identity.keys(placed)
        return [replace(one, key=key) for key, one in zip(keys, placed, strict=True)]


def _touches_any(box: Box, areas: Sequence[Box]) -> bool:
    return any(map(box.intersect, areas))


def _window_at(point: Point, windows: Sequence[Window]) -> int:
    return next((window.id for window in reversed(windows) if window.box.contains(point)), 0)


SIMILAR = 0.6
"""Minimum share of common letters in two readings of one name."""
STAYED = 12
"""Maximum pixels that an unmoved control may shift between two looks."""


class Identity:
    """Gives each detected control a key, which it keeps while it is there."""

    def __init__(self) -> None:
        self._before: dict[Hashable, Node] = {}
        self._numbers = count(1)

    def keys(self, sights: Sequence[Node]) -> list[Hashable]:
        """The keys of the controls of one look, all different.

        A control is an earlier one if it has the same role, name and window in the same place; or if there is
        only one of the kind before and now; or if a control of the same role had exactly the same box and a
        name with mostly the same letters, as when one letter was misread.
        """
        given: dict[int, Hashable] = {}
        left = self._before
        for group, chosen in ((_alike, _nearest), (_alike, _only), (_in_place, _reread)):
            known = _group_sights(left.items(), group)
            now = _group_sights(((i, one) for i, one in enumerate(sights) if i not in given), group)
            for what, places in now.items():
                for place, key in chosen(places, known.get(what, {})):
                    given[place] = key
                    del left[key]
        keys = [given.get(place) or next(self._numbers) for place in range(len(sights))]
        self._before = dict(zip(keys, sights, strict=True))
        return keys


_Key = TypeVar("_Key", bound=Hashable)
_Keyed = dict[Hashable, Node]
_Pairs = Iterable[tuple[int, Hashable]]


def _alike(sight: Node) -> Hashable:
    return sight.role, sight.name, sight.window


def _in_place(sight: Node) -> Hashable:
    return sight.role, sight.box, sight.window


def _group_sights(
    sights: Iterable[tuple[_Key, Node]], group: Callable[[Node], Hashable]
) -> dict[Hashable, dict[_Key, Node]]:
    groups: defaultdict[Hashable, dict[_Key, Node]] = defaultdict(dict)
    for key, sight in sights:
        groups[group(sight)][key] = sight
    return groups


def _nearest(places: dict[int, Node], known: _Keyed) -> _Pairs:
    """Pairs of unmoved controls, the nearest first, each control only once."""
    pairs = sorted(
        (shift, place, key)
        for (place, sight), (key, before) in product(places.items(), known.items())
        if (shift := _shift(sight.box, before.box)) <= STAYED
    )
    used: set[Hashable] = set()
    taken: set[int] = set()
    for _, place, key in pairs:
        if place not in taken and key not in used:
            taken.add(place)
            used.add(key)
            yield place, key


def _only(places: dict[int, Node], known: _Keyed) -> _Pairs:
    return zip(places, known, strict=True) if len(places) == len(known) == 1 else ()


def _reread(places: dict[int, Node], known: _Keyed) -> _Pairs:
    for place, key in _only(places, known):
        now, before = places[place].name, known[key].name
        if not now or not before or letters_alike(now, before) >= SIMILAR:
            yield place, key


def _shift(box: Box, other: Box) -> int:
    return max(abs(a - b) for a, b in zip(box.corner, other.corner, strict=True))
