"""Things detected on a picture, and which of them are the entries of a menu."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gui_agent.computers.desktop.parts import Window
from gui_agent.core.geometry import Box


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing seen, before it is known whether it was seen before."""

    role: str
    name: str
    box: Box
    value: str = ""
    states: frozenset[str] = frozenset()
    source: str = "vision"
    """Who found it: `ocr` the words, `vision` the outline, `vision+ocr` both."""


HIGH = 48
"""Pixels from the top of a window within which its menu bar is."""
BEGINS = 30
"""Pixels from the left of a window or menu within which its first entry begins."""
APART = (6, 45)
"""Pixels between the texts of a menu bar."""
LEAST = 3
"""Entries that make a menu bar."""
LONGEST = 24
"""Letters of an entry of a menu bar."""


def as_entries(made: Sequence[Thing], windows: Sequence[Window]) -> list[Thing]:
    """The things, with those texts that stand like a menu bar or in a menu as entries of it."""
    entries: set[int] = set()
    for window in windows:
        texts = [thing for thing in made if thing.role == "text" and window.box.contains(thing.box.center)]
        entries |= _of_menu(texts, window.box) if window.popup else _of_bar(texts, window.box)
    return [replace(thing, role="menuitem") if id(thing) in entries else thing for thing in made]


def _of_bar(texts: Sequence[Thing], window: Box) -> set[int]:
    """A row of short texts along the top, evenly apart."""
    high = [one for one in texts if one.box.center.y - window.top <= HIGH and len(one.name) <= LONGEST]
    for first in high:
        if first.box.left - window.left > BEGINS:
            continue
        row = sorted(
            (one for one in high if abs(one.box.center.y - first.box.center.y) <= first.box.height / 3),
            key=lambda one: one.box.left,
        )
        run = row[:1]
        for one in row[1:]:
            if not APART[0] <= one.box.left - run[-1].box.right + 8 <= APART[1]:
                break
            run.append(one)
        if len(run) >= LEAST:
            return {id(one) for one in run}
    return set()


def _of_menu(texts: Sequence[Thing], menu: Box) -> set[int]:
    """Texts that begin at the left, one below the other; keys on the right are no entries."""
    left = min((one.box.left for one in texts), default=0)
    entries = {id(one) for one in texts if one.box.left - left <= BEGINS}
    return entries if len(entries) > 1 else set()
