"""A Windows that exists only in memory: its input queue, windows, clipboard, and element trees."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from guiagent_platforms.windows.automation import UiaElement
from guiagent_platforms.windows.native import KEY_UP, UNICODE, Event, Handle, KeyEvent

from gui_agent.core.errors import Stale
from gui_agent.core.observation import Box, Point, Size


@dataclass
class FakeSystem:
    """Takes note of what it is asked."""

    handles: list[Handle] = field(default_factory=list)
    """Highest first."""
    folders: list[Path] = field(default_factory=list)
    programs: tuple[str, ...] = ()
    """What it can open besides files."""
    locked: bool = False
    sent: list[Event] = field(default_factory=list)
    opened: list[tuple[str, str]] = field(default_factory=list)
    clipboard: str = ""
    pointer: Point = field(default_factory=lambda: Point(0, 0))
    foreground: int = 0
    desk: tuple[int, ...] = (1280, 900, 1)
    hung: set[int] = field(default_factory=set)
    elevated: set[int] = field(default_factory=set)
    editor: str | None = None
    """The text of the editor that has the keyboard; None where no editor has it."""
    mixes_up: bool = False
    """Whether that editor doubles characters that come at once."""
    capitals: bool = False

    def send(self, events: Sequence[Event]) -> int:
        self.sent += [] if self.locked else events
        self._take([] if self.locked else events)
        return 0 if self.locked else len(events)

    def layout(self, character: str) -> int:
        return ord(character.upper()) if character.isascii() and character.isalnum() else -1

    def answers(self, window: int, seconds: float) -> bool:
        return window not in self.hung

    def is_protected(self, window: int) -> bool:
        return window in self.elevated

    def focused_text(self) -> tuple[int, str] | None:
        return None if self.editor is None else (77, self.editor)

    def _take(self, events: Sequence[Event]) -> None:
        if self.editor is None:
            return
        keys = [event for event in events if isinstance(event, KeyEvent) and not event.flags & KEY_UP]
        if [event.code for event in keys] == [0xA2, ord("A")]:
            self.editor = ""  # all is chosen, and what is typed next takes its place
        typed = "".join(chr(event.scan) for event in keys if event.flags & UNICODE)
        doubled = "".join(one * 2 for one in typed) if self.mixes_up and len(typed) > 1 else typed
        self.editor += doubled.upper() if self.capitals else doubled

    def windows(self) -> Sequence[Handle]:
        return self.handles

    def activate(self, window: int) -> bool:
        self.handles = [replace(one, minimised=one.minimised and one.id != window) for one in self.handles]
        self.foreground = 0 if self.locked else window
        return not self.locked

    def ask_to_close(self, window: int) -> None:
        self.handles = [handle for handle in self.handles if handle.id != window]

    def open(self, file: str, arguments: str = "") -> int:
        known = file in self.programs or Path(file).exists() or "://" in file
        if known:
            self.opened.append((file, arguments))
        return 42 if known else 2

    def start_menu(self) -> Sequence[Path]:
        return self.folders

    def get_clipboard(self) -> str:
        return self.clipboard


@dataclass
class FakeScreen:
    """Two monitors, the second one left of the main one."""

    corner: tuple[int, int] = (-800, 0)
    closed: bool = False
    size: Size = field(default_factory=lambda: Size(1800, 600))
    changes: int = 0

    def note_change(self) -> None:
        self.changes += 1
        self.size = Size(900, 600)

    @property
    def monitors(self) -> tuple[Box, ...]:
        return Box(0, 0, 800, 600), Box(800, 0, 1000, 600)

    def close(self) -> None:
        self.closed = True


class FakeAutomation:
    """Trees by window; a window may be gone or frozen."""

    def __init__(self, trees: dict[int, UiaElement]) -> None:
        self.trees = trees
        self.gone: set[int] = set()
        self.frozen: set[int] = set()
        self.thaw = threading.Event()

    def tree(self, window: int) -> UiaElement:
        if window in self.frozen:
            self.thaw.wait(20)
        if window in self.gone or window not in self.trees:
            raise Stale("the element is no longer there; look at the screen again")
        return self.trees[window]

    def element_at(self, point: Point) -> UiaElement | None:
        there = [found for tree in self.trees.values() for found in tree.all() if found.box.contains(point)]
        return min(there, key=lambda found: found.box.area, default=None)


def element(
    number: int, control: int, name: str, box: Box, *children: UiaElement, patterns: str = "", **told: Any
) -> UiaElement:
    """An element with this runtime id."""
    return UiaElement(
        (42, number), control, box, {"name": name, **told}, frozenset(patterns.split()), children
    )
