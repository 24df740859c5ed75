"""Limits of a run, what keeps it from going in circles, the switch that stops it, and who is told of it."""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from gui_agent.core import deadline
from gui_agent.core.actions import Action, Wait
from gui_agent.core.codec import encode
from gui_agent.core.errors import ActionFailed, ConfigError, LimitReached, Unavailable
from gui_agent.core.observation import Observation, Size
from gui_agent.core.trajectory import Ending, Step

ASKING = 0.2
"""Seconds after which a run that waits asks the person again."""
STOPPED = Ending("stopped", "stopped by the person")


def out_of_time(seconds: float, during: str = "") -> str:
    """What is told when the time of a run is over, perhaps in the middle of something."""
    reached = f"the limit of {seconds:g} s is reached; raise limits.seconds (--max-seconds)"
    return reached + (f" ({during})" if during else "")


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound all of a run by its time; what had not started when that was over is told as this limit."""
    with deadline.ends_in(seconds):
        try:
            yield
        except Unavailable as error:
            if not deadline.over():
                raise
            raise LimitReached(out_of_time(seconds, "the screen was starting")) from error


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
    proof: Literal["strict", "lenient"] = "strict"
    """What "done" takes of a run that no model decided: an effect of each action, or only no objection."""
    held: float = 1800.0
    """Seconds that the person may hold the run altogether, paused or taken over; they count nowhere else."""
    asked: float = 1800.0
    """Seconds that the person may take for an answer; they do not count as the run's time."""


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
        self._unslept = 0.0

    def listen(self, source: Callable[[RunControl], None]) -> None:
        """Have `source` called whenever the run asks; it calls the other methods for the person."""
        self._sources.append(source)

    def poll(self) -> None:
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
    def has_message(self) -> bool:
        """Whether the person holds the run or has said something."""
        return bool(self.held) or not self.messages.empty()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the person; wakes up when they let the run go on or end it."""
        self._woken.wait(seconds)
        self._woken.clear()

    def sleep(self, seconds: float) -> None:
        """Sleep, but wake up when the run is stopped, its time is over, or it is to be held."""
        until = time.monotonic() + seconds
        while (left := deadline.remaining(until - time.monotonic())) > 0 and not self.is_stopped:
            self._stopped.wait(min(left, ASKING))
            self.poll()
            if self.held and seconds > ASKING:
                self._unslept = until - time.monotonic()
                return

    def sleep_on(self) -> bool:
        """Sleep what was left when the person held the run: their time is no wait; whether any was."""
        left, self._unslept = self._unslept, 0.0
        self.sleep(left)
        return left > 0

    def clear(self) -> None:
        """Forget a stop or pause; called when a run has ended, so that one said before it begins counts."""
        self._stopped.clear()
        self._woken.clear()
        self.held, self.granted, self._unslept = "", "", 0.0


_IN_USE: dict[int, int] = {}
"""The computers on which something runs, and the threads that run it."""
_TAKING = threading.Lock()


def in_use(computer: object) -> bool:
    """Whether another thread runs something on this computer."""
    return _IN_USE.get(id(computer), threading.get_ident()) != threading.get_ident()


@contextmanager
def exclusive_use(computer: object) -> Iterator[None]:
    """Keeps other threads from the computer; whoever has it may take it again, as an own tool does."""
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
        now = time.perf_counter()
        self.parts[part] = self.parts.get(part, 0.0) + now - self._last
        self._last = now


USELESS = 2
"""How often an action may change nothing on the very same screen before it is refused there."""
LONGEST_CYCLE = 4
HINT_AFTER = 2
"""Rounds of the same cycle after which the planner is told."""
REFUSE_AFTER = 3
"""Rounds after which the action that would start another one is refused."""


def identity(observation: Observation) -> str:
    """A short name for a screen: equal for screens that a person would call the same.

    Focus, newness and movements of a few pixels do not count; where there are no elements the picture
    decides.
    """
    digest = hashlib.blake2b(digest_size=10)
    digest.update(f"{observation.place.app}|{observation.place.url}|{observation.place.title}".encode())
    for element in observation.elements:
        states = ",".join(sorted(element.states - {"focused", "new"}))
        left, top = element.box.corner
        place = f"{left // 8},{top // 8}"
        digest.update(f"{element.role}|{element.name}|{element.value}|{states}|{place}\n".encode())
    if not observation.elements and observation.screenshot is not None:
        digest.update(observation.screenshot.data)
    digest.update(str(sorted(observation.more.items())).encode())
    return digest.hexdigest()


def action_key(action: Action | Wait) -> str:
    """A name for an action; two clicks on the same place are the same action."""
    return encode(action).decode()


class LoopDetector:
    """The (screen, action) pairs of a run so far, with what has proved useless on each screen."""

    def __init__(self) -> None:
        self._pairs: list[tuple[str, str]] = []
        self._useless: Counter[tuple[str, str]] = Counter()

    def refuse_useless(self, action: Action, screen: Observation) -> None:
        """Stop an action that changed nothing twice on this very screen, or that starts a cycle anew."""
        pair = identity(screen), action_key(action)
        useless = self._useless[pair]
        if useless >= USELESS:
            nothing = f"not sent: it changed nothing {useless} times on this very screen"
            raise ActionFailed(f"{nothing}; try another way")
        length, rounds = cycle([*self._pairs, pair])
        if length > 1 and rounds >= REFUSE_AFTER:
            around = f"the last {length} actions went round {rounds - 1} times"
            raise ActionFailed(f"not sent: {around} to no effect")

    def note(self, step: Step) -> None:
        """Remember a step that was sent to the device."""
        if step.action is None or step.error or isinstance(step.action, Wait):
            return
        pair = identity(step.before), action_key(step.action)
        self._pairs = [*self._pairs, pair][-LONGEST_CYCLE * (REFUSE_AFTER + 1) :]
        if step.outcome.kind == "no_change":
            self._useless[pair] += 1
        else:
            del self._useless[pair]

    def advice(self) -> str:
        """A hint for the planner when the run has begun to go in circles, else an empty text."""
        length, rounds = cycle(self._pairs)
        again = f"The last {length} action(s) were done {rounds} times on the same screen(s)"
        return f"{again}: try something else." if rounds >= HINT_AFTER else ""


def cycle(trail: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """The shortest cycle at the end of a trail of (screen, action): its length and number of rounds.

    Returns (0, 0) when the end of the trail does not repeat what was just before it.
    """
    for length in range(1, LONGEST_CYCLE + 1):
        last = list(trail[-length:])
        rounds = 1
        while list(trail[-length * (rounds + 1) : -length * rounds]) == last and last:
            rounds += 1
        if rounds > 1:
            return length, rounds
    return 0, 0


def notify(observers: Iterable[object], event: str, value: object) -> None:
    for observer in observers:
        if (method := getattr(observer, event, None)) is not None:
            method(value)
