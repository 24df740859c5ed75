"""Limits of a run, and the switch that pauses and stops it from outside."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from gui_agent.core import deadline
from gui_agent.core.trajectory import Ending

STOPPED = Ending("stopped", "stopped by the person")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run; reaching one ends it with a finished trace."""

    steps: int = 50
    """Actions sent to the device."""
    seconds: float = 600.0
    """Wall clock; every wait of the run ends with it, whatever it waits for."""
    idle_decisions: int = 3
    """Decisions in a row that neither act nor end; more of them end the run."""
    patience: float = 2.0
    """Seconds an expected change may take after the screen came to rest."""


class RunControl:
    """The switch that other threads use to pause, resume and stop a run."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self.ending = STOPPED
        """How a run that is stopped ends."""

    def stop(self, ending: Ending = STOPPED) -> None:
        """End the run before its next action."""
        self.ending = ending
        self._stopped.set()
        self._running.set()

    def pause(self) -> None:
        """Hold the run before its next action."""
        self._running.clear()

    def resume(self) -> None:
        """Let a held run go on."""
        self._running.set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def wait_while_paused(self) -> None:
        """Block while the run is paused; returns at once after `stop`."""
        self._running.wait()

    def sleep(self, seconds: float) -> None:
        """Sleep, but wake up when the run is stopped or its time is over."""
        self._stopped.wait(deadline.left(seconds))

    def clear(self) -> None:
        """Forget an earlier stop or pause; called when a run begins."""
        self._stopped.clear()
        self._running.set()


class Stopwatch:
    """Times the parts of a step under their names."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, part: str) -> None:
        """Add the time since the last lap to a part."""
        now = time.perf_counter()
        self.parts[part] = self.parts.get(part, 0.0) + now - self._last
        self._last = now
