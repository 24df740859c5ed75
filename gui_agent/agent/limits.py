"""The limits of a run, its loop detection, and the switch by which a person stops it."""

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
"""Seconds between two polls of the person while a run waits."""
STOPPED = Ending("stopped", "stopped by the person")


def out_of_time(seconds: float, during: str = "") -> str:
    """The message when a run's time is over; `during` says what was under way."""
    reached = f"the limit of {seconds:g} s is reached; raise limits.seconds (--max-seconds)"
    return reached + (f" ({during})" if during else "")


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """Limit the time of a whole run. Raises LimitReached if a part of it could not start in time."""
    with deadline.ends_in(seconds):
        try:
            yield
        except Unavailable as error:
            if not deadline.is_over():
                raise
            raise LimitReached(out_of_time(seconds, "the screen was starting")) from error


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run; when one is reached, the run ends with a complete trace."""

    steps: int = 50
    """Actions sent to the device."""
    seconds: float = 600.0
    """Wall clock; every wait of the run ends when it is over."""
    idle_decisions: int = 3
    """Decisions in a row that neither act nor end; more of them end the run."""
    patience: float = 2.0
    """Seconds an expected change may take after the screen has settled."""
    proof: Literal["strict", "lenient"] = "strict"
    """What "done" requires if no model decided: an effect of each action, or only no objection."""
    held: float = 1800.0
    """Seconds for which the person may hold the run in total; they do not count towards `seconds`."""
    asked: float = 1800.0
    """Seconds that the person may take for one answer; they do not count towards `seconds`."""


Held = Literal["", "paused", "yours"]
"""Whether the run goes on, waits, or has been taken over by the person."""


class RunControl:
    """Holds, messages, takes over or stops a run from threads, terminals and views.

    The run polls it before each decision and each action.
    """

    records = False
    """Whether what the person types on the screen is recorded too, because they show how it is done."""
    screen: object = None
    """The computer while the person shows something on it."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._woken = threading.Event()
        self._sources: list[Callable[[RunControl], None]] = []
        self.held: Held = ""
        self.why = ""
        """What the person should do on the screen, if the run itself asked for help."""
        self.granted: Held = ""
        """The state in effect: a requested hold begins when the current action has ended."""
        self.messages: queue.SimpleQueue[str] = queue.SimpleQueue()
        """Messages of the person that the run has not read yet."""
        self.acts: queue.SimpleQueue[Action] = queue.SimpleQueue()
        """Actions of the person through a view while they control the screen."""
        self.size = Size(0, 0)
        """Size of the screen under the person's control, in the pixels of its pictures."""
        self.ending = STOPPED
        self._unslept = 0.0

    def listen(self, source: Callable[[RunControl], None]) -> None:
        """Call `source` at each poll; it calls the other methods for the person."""
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
        """Let a held run go on, or give control back to it."""
        self.held = ""
        self._woken.set()

    def tell(self, text: str) -> None:
        """Send the run a message, which it reads before the next decision."""
        if text.strip():
            self.messages.put(text.strip())

    def act(self, action: Action) -> None:
        """Do something on the screen for the person; ignored unless they control it."""
        if self.granted == "yours":
            self.acts.put(action)

    @property
    def has_message(self) -> bool:
        """Whether the person holds the run or has sent a message."""
        return bool(self.held) or not self.messages.empty()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the person, until they resume or stop the run."""
        self._woken.wait(seconds)
        self._woken.clear()

    def sleep(self, seconds: float) -> None:
        """Sleep, but wake up when the run is stopped, its time is over, or the person holds it."""
        until = time.monotonic() + seconds
        while (left := deadline.remaining(until - time.monotonic())) > 0 and not self.is_stopped:
            self._stopped.wait(min(left, ASKING))
            self.poll()
            if self.held and seconds > ASKING:
                self._unslept = until - time.monotonic()
                return

    def sleep_on(self) -> bool:
        """Sleep the rest of a sleep that a hold interrupted. Returns whether any was left."""
        left, self._unslept = self._unslept, 0.0
        self.sleep(left)
        return left > 0

    def clear(self) -> None:
        """Forget a stop or pause when a run has ended; one given before the next run begins still counts."""
        self._stopped.clear()
        self._woken.clear()
        self.held, self.granted, self._unslept = "", "", 0.0


_IN_USE: dict[int, int] = {}
"""Running computers by their id, with the id of the thread that runs each."""
_TAKING = threading.Lock()


def in_use(computer: object) -> bool:
    """Whether another thread runs something on this computer."""
    return _IN_USE.get(id(computer), threading.get_ident()) != threading.get_ident()


@contextmanager
def exclusive_use(computer: object) -> Iterator[None]:
    """Keep other threads from the computer; the same thread may enter again, as the agent's own tools do."""
    with _TAKING:
        if in_use(computer):
            raise ConfigError(
                "this computer is in use by another run; wait until it ends, or open another one"
            )
        first = _IN_USE.setdefault(id(computer), threading.get_ident()) if id(computer) not in _IN_USE else 0
    try:
        yield
    finally:
        if first:
            del _IN_USE[id(computer)]


class Stopwatch:
    """Times the named parts of a step."""

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
"""Most actions of a cycle that is detected."""
HINT_AFTER = 2
"""Rounds of the same cycle after which the planner gets a hint."""
REFUSE_AFTER = 3
"""Rounds after which the action that would start another one is refused."""


def identity(observation: Observation) -> str:
    """A short identifier of a screen, equal for screens that a person would call the same.

    Focus, newness and movements of a few pixels do not count; a screen without elements is identified by
    its picture.
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
    """An identifier of an action; two clicks on the same place are the same action."""
    return encode(action).decode()


class LoopDetector:
    """The (screen, action) pairs of a run so far, and which actions had no effect on each screen."""

    def __init__(self) -> None:
        self._pairs: list[tuple[str, str]] = []
        self._useless: Counter[tuple[str, str]] = Counter()

    def refuse_useless(self, action: Action, screen: Observation) -> None:
        """Refuse an action that changed nothing twice on this very screen, or that starts a cycle again."""
        pair = identity(screen), action_key(action)
        useless = self._useless[pair]
        if useless >= USELESS:
            nothing = f"not sent: it changed nothing {useless} times on this very screen"
            raise ActionFailed(f"{nothing}; try another way")
        length, rounds = cycle([*self._pairs, pair])
        if length > 1 and rounds >= REFUSE_AFTER:
            around = f"the last {length} actions were repeated {rounds - 1} times"
            raise ActionFailed(f"not sent: {around} to no effect")

    def note(self, step: Step) -> None:
        """Store a step that was sent to the device."""
        if step.action is None or step.error or isinstance(step.action, Wait):
            return
        pair = identity(step.before), action_key(step.action)
        self._pairs = [*self._pairs, pair][-LONGEST_CYCLE * (REFUSE_AFTER + 1) :]
        if step.outcome.kind == "no_change":
            self._useless[pair] += 1
        else:
            del self._useless[pair]

    def advice(self) -> str:
        """A hint for the planner when the run has begun to go in circles, otherwise empty."""
        length, rounds = cycle(self._pairs)
        again = f"The last {length} action(s) were done {rounds} times on the same screen(s)"
        return f"{again}: try something else." if rounds >= HINT_AFTER else ""


def cycle(trail: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """The shortest cycle at the end of a trail of (screen, action): its length and number of rounds.

    Returns (0, 0) if the end of the trail does not repeat what was just before it.
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
