"""Limits of a run, and the switch that pauses and stops it from outside."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from gui_agent.core import deadline
from gui_agent.core.actions import Action
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Size
from gui_agent.core.trajectory import Ending

ASKING = 0.2
"""Seconds after which a run that waits asks the person again."""
STOPPED = Ending("stopped", "stopped by the person")


def out_of_time(seconds: float, during: str = "") -> str:
    """What is told when the time of a run is over, perhaps in the middle of something."""
    reached = f"the limit of {seconds:g} s is reached; raise limits.seconds (--max-seconds)"
    return reached + (f" ({during})" if during else "")


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
    held: float = 1800.0
    """Seconds that the person may hold the run altogether, paused or taken over; they count nowhere else."""


Held = Literal["", "paused", "yours"]
"""Whether the run goes on, waits, or has been taken over by the person."""


class RunControl:
    """What threads, terminals and views use to hold a run, to speak to it, to take it over and to end it.

    The run asks it before each decision and each action.
    """

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._woken = threading.Event()
        self._sources: list[Callable[[RunControl], None]] = []
        self.held: Held = ""
        self.why = ""
        """What the person is to do with the screen that is theirs, where the run asked for them."""
        self.granted: Held = ""
        """How it is held indeed: what was under way when the person asked for it is brought to its end."""
        self.messages: queue.SimpleQueue[str] = queue.SimpleQueue()
        """What the person has said and nobody has heard yet."""
        self.acts: queue.SimpleQueue[Action] = queue.SimpleQueue()
        """What the person does through a view while the screen is theirs."""
        self.size = Size(0, 0)
        """Of the screen that is theirs, in the pixels of its pictures."""
        self.ending = STOPPED
        """How a run that is stopped ends."""

    def listen(self, source: Callable[[RunControl], None]) -> None:
        """Have `source` called whenever the run asks; it calls the other methods for the person."""
        self._sources.append(source)

    def poll(self) -> None:
        """Ask all sources."""
        for source in self._sources:
            source(self)

    def stop(self, ending: Ending = STOPPED) -> None:
        """End the run before its next action."""
        self.ending = ending
        self._stopped.set()
        self._woken.set()

    def pause(self) -> None:
        """Hold the run before its next action."""
        self.held = "paused"

    def take_over(self, why: str = "") -> None:
        """Hold the run before its next action, and record what the person does until `resume`."""
        self.held, self.why = "yours", why

    def resume(self) -> None:
        """Let a held run go on, or hand it back."""
        self.held = ""
        self._woken.set()

    def tell(self, text: str) -> None:
        """Say something to the run; it is heard before the next decision."""
        if text.strip():
            self.messages.put(text.strip())

    def act(self, action: Action) -> None:
        """Do something on the screen in the person's name; counts only while it is theirs."""
        if self.granted == "yours":
            self.acts.put(action)

    @property
    def wanted(self) -> bool:
        """Whether the person holds the run or has said something."""
        return bool(self.held) or not self.messages.empty()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the person; wakes up when they let the run go on or end it."""
        self._woken.wait(seconds)
        self._woken.clear()

    def sleep(self, seconds: float) -> None:
        """Sleep, but wake up when the run is stopped, its time is over, or it is to be held."""
        until = time.monotonic() + seconds
        while (left := deadline.left(until - time.monotonic())) > 0 and not self.stopped:
            self._stopped.wait(min(left, ASKING))
            self.poll()
            if self.held and seconds > ASKING:
                return

    def clear(self) -> None:
        """Forget a stop or pause; called when a run has ended, so that one said before it begins counts."""
        self._stopped.clear()
        self._woken.clear()
        self.held = self.granted = ""


_IN_USE: dict[int, int] = {}
"""The computers on which something runs, and the threads that run it."""
_TAKING = threading.Lock()


def in_use(computer: object) -> bool:
    """Whether another thread runs something on this computer."""
    return _IN_USE.get(id(computer), threading.get_ident()) != threading.get_ident()


@contextmanager
def taken(computer: object) -> Iterator[None]:
    """Keeps other threads from the computer; whoever has it may take it again, as an own tool does.

    Raises:
        ConfigError: another thread has it.
    """
    with _TAKING:
        if in_use(computer):
            raise ConfigError("this computer is in use by another run; wait for that, or open another one")
        first = _IN_USE.setdefault(id(computer), threading.get_ident()) if id(computer) not in _IN_USE else 0
    try:
        yield
    finally:
        if first:
            del _IN_USE[id(computer)]


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
