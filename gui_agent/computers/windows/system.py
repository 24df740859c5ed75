"""What is asked of Windows, as values and a protocol: its decisions can be tested on any platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gui_agent.computers.windows.events import Event
from gui_agent.core.geometry import Box, Point


@dataclass(frozen=True, slots=True)
class Handle:
    """What Windows says of a top-level window, in its own coordinates."""

    id: int
    title: str
    kind: str
    """The name of its window class; `#32768` is a menu."""
    pid: int
    program: str
    """The path of its program; empty when that is not told."""
    inside: Box
    frame: Box
    """As it is seen, without the invisible border for the mouse."""
    captioned: bool
    owner: int = 0
    minimised: bool = False


class System(Protocol):
    """Windows as far as it is used; places are physical pixels from the corner of the main monitor."""

    def send(self, events: Sequence[Event]) -> int:
        """Feed events to mouse and keyboard; how many it took."""

    def layout(self, character: str) -> int:
        """Which key makes a character, as `VkKeyScanW` says it; -1 when none does."""

    @property
    def pointer(self) -> Point: ...

    @property
    def desk(self) -> tuple[int, ...]:
        """Numbers that differ after any change of the monitors: their count, sizes and places."""

    def windows(self) -> Sequence[Handle]:
        """The windows that are shown or minimised, highest first."""

    @property
    def foreground(self) -> int:
        """The window that has the keyboard."""

    def activate(self, window: int) -> bool:
        """Bring a window to the front; False when Windows did not let it."""

    def answers(self, window: int, seconds: float) -> bool:
        """Whether the program of a window takes messages within a time."""

    def protected(self, window: int) -> bool:
        """Whether Windows drops all input to a window: its program has higher rights than this one."""

    def focused_text(self) -> tuple[int, str] | None:
        """The control that has the keyboard and its text; None where it does not tell, or hides it."""

    def ask_to_close(self, window: int) -> None: ...

    def open(self, file: str, arguments: str = "") -> int:
        """Open a program, a file or an address as a double click does; above 32 when it worked."""

    def start_menu(self) -> Sequence[Path]:
        """The folders of the start menu: the person's and that of all people."""

    def get_clipboard(self) -> str: ...

    def set_clipboard(self, text: str) -> None: ...
