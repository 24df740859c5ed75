"""A small process that lets go of keys and buttons when the one that held them was killed.

Windows keeps a key down whose press it was sent, whatever becomes of the sender. It waits at a pipe:
a word means an orderly end, its closing without one that nobody is left to release anything.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO

from gui_agent.computers.windows import events
from gui_agent.computers.windows.events import Event, KeyEvent
from gui_agent.core.actions import Button

ORDERLY = b"done"
ENDING = 2.0
"""Seconds within which it must go home."""
BUTTONS: dict[int, Button] = {0x01: "left", 0x02: "right", 0x04: "middle"}
"""Buttons of the mouse by the codes under which they are asked for."""
CODES = range(0x08, 0xFF)
BOTH_SIDES = frozenset((0x10, 0x11, 0x12))
"""Shift, Ctrl and Alt without a side: each is down because one of its sides is."""


class KeyGuard:
    """The process, as its owner sees it."""

    def __init__(self) -> None:
        """Start it; should the owner be killed before it has read its libraries, it lets go once it has."""
        command = [sys.executable, "-m", "gui_agent.computers.windows.keeper"]
        # Ctrl+C at the terminal is for the owner, who ends in order then.
        alone = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(
            subprocess, "CREATE_NO_WINDOW", 0
        )
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            creationflags=alone,
        )

    @property
    def waits(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def close(self) -> None:
        """Send it home; safe to call twice."""
        if self.waits:
            try:
                self._process.communicate(ORDERLY, timeout=ENDING)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                self._process.kill()
                self._process.wait()


def releases(is_down: Callable[[int], bool]) -> list[Event]:
    """The events that let go of all that is down."""
    keys = [KeyEvent(code, 0, 0) for code in CODES if code not in BOTH_SIDES and is_down(code)]
    buttons = [events.button(button, down=False) for code, button in BUTTONS.items() if is_down(code)]
    return [*events.let_go(keys), *buttons]


def keep(told: BinaryIO, is_down: Callable[[int], bool], send: Callable[[Sequence[Event]], int]) -> bool:
    """Wait for the end of the owner; whether something had to be released."""
    if told.read() == ORDERLY:
        return False
    held = releases(is_down)
    return bool(held) and send(held) == len(held)


def main() -> None:
    """Wait at the standard input."""
    from gui_agent.computers.windows.native import Native

    native = Native()
    keep(sys.stdin.buffer, native.is_down, native.send)


if __name__ == "__main__":
    main()
