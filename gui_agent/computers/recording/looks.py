"""What a person saw when they did something: the screen is looked at whenever it has come to rest."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from gui_agent.computers.recording.steps import Steps
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Computer

QUIET = 0.12
"""Seconds after the last input before a look."""
APART = 0.06
"""Seconds between two pictures that must be the same."""
LONGEST = 1.5
"""Seconds after which a screen that never rests, as with a blinking mark, is looked at all the same."""
KEPT = 4
LISTENING = 0.03
"""Seconds between two looks into the queue of what was heard."""


class Looks:
    """Knows what the person saw when they did something."""

    def __init__(self, computer: Computer, pixels: Callable[[], bytes | bytearray]) -> None:
        """Args: pixels: gives the picture right now, for comparing."""
        self._computer, self._pixels = computer, pixels
        self._kept: deque[tuple[float, float, Observation]] = deque(maxlen=KEPT)
        """When a look began and ended, and what was seen."""
        self.last_input = 0.0
        """When the person last did something."""
        self._before: bytes | bytearray = b""
        self._compared = 0.0
        self.due = True
        """Whether something has happened since the last look."""

    @property
    def latest(self) -> Observation | None:
        """The last look; None before the first one."""
        return self._kept[-1][2] if self._kept else None

    def note(self, seconds: float) -> None:
        """Take note that the person did something at that time."""
        self.last_input, self.due = seconds, True

    def since(self, seconds: float) -> bool:
        """Whether there was a look that began after that time."""
        return bool(self._kept) and self._kept[-1][0] > seconds

    def before(self, seconds: float) -> Observation:
        """The last look that had ended by that time."""
        for _, ended, seen in reversed(self._kept):
            if ended <= seconds:
                return seen
        return self._kept[0][2]

    def take(self) -> None:
        """Look now."""
        began = time.monotonic()
        seen = self._computer.observe(picture=False)
        self._kept.append((began, time.monotonic(), seen))
        self.due = False

    def take_if_quiet(self, nothing_heard: Callable[[], bool]) -> bool:
        """Look when the person pauses and the picture stands still; whether it was done."""
        now = time.monotonic()
        if now - self.last_input < QUIET or now - self._compared < APART:
            return False
        picture = self._pixels()
        same, self._before, self._compared = picture == self._before, picture, now
        if not nothing_heard() or not (same or now - self.last_input > LONGEST):
            return False
        self.take()
        return True


class _Listener(Protocol):
    @property
    def lost(self) -> bool: ...
    def close(self) -> None: ...


class LookingRecorder:
    """What recorders share that look at the screen whenever it has come to rest."""

    _steps: Steps
    _listener: _Listener
    _lost: bool

    @property
    def open(self) -> bool:
        """Whether the screen is still there."""
        return not self._lost and not self._listener.lost

    @property
    def secrets(self) -> tuple[str, ...]:
        return self._steps.secrets

    @property
    def hidden(self) -> frozenset[str]:
        return self._steps.hidden

    def poll(self, seconds: float = 0.0) -> tuple[tuple[int, str], ...]:
        until = time.monotonic() + seconds
        while self._take():
            if time.monotonic() >= until:
                break
            time.sleep(LISTENING)
        return self._steps.finished()

    def _take(self) -> bool:
        """Take in what was heard, and look if it is due; whether the screen is still there."""
        raise NotImplementedError
