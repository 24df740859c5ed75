"""Waiting until a screen has changed and come to rest, seen from its pictures alone."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from gui_agent.computers.desktop.parts import PixelDevice, Window
from gui_agent.computers.desktop.picture_diff import TINY, Restless, differences
from gui_agent.core.protocols import Settled

POLL = 0.02
"""Seconds between two looks; a look costs about half a millisecond."""
AGAIN = 0.2
"""Seconds for a program that did not answer before to do so."""


class Settling:
    """Compares pictures of the screen until they stay the same."""

    def __init__(self, device: PixelDevice, patience: SettleTimes) -> None:
        self._device = device
        self._patience = patience
        self._restless = Restless()
        self.frozen = ""
        """The program that did not answer the last time it was asked."""
        self._rest: bytes | bytearray | None = None
        """The picture on which the screen last came to rest."""
        self._base: bytes | bytearray | None = None
        """The picture before the last action."""

    def arm(self) -> None:
        """Remember what the screen shows just before an action."""
        now = self._device.pixels()
        if self._rest is not None:
            counts = differences(self._rest, now, self._device.size)
            if counts is not None:
                self._restless.idle(counts, time.monotonic())
        self._base = now
        self._restless.begin()

    def still_frozen(self, window: Window) -> bool:
        """Whether the program of a window, which did not answer after the last action, still does not."""
        if self.frozen == window.app and self._device.caught_up(window, AGAIN) is not False:
            self.frozen = ""
        return self.frozen == window.app != ""

    def settle(self, window: Window | None) -> Settled:
        """Wait until the program has taken the input, for a first change, then for quiet, up to a cap.

        Args:
            window: the one in front, whose program's habits decide how long is waited.
        """
        app = window.app if window is not None else ""
        waits = self._patience.waits(app)
        size = self._device.size
        began = time.monotonic()
        last_change, changed = began, False
        before = self._base if self._base is not None else self._device.pixels()
        if window is not None and self._base is not None:
            # A busy program shows nothing yet; only from its answer on does silence mean anything.
            answered = self._device.caught_up(window, waits.cap)
            self.frozen = app if answered is False else ""
            last_change = time.monotonic()
        while True:
            now = time.monotonic()
            frame = self._device.pixels()
            counts = differences(before, frame, size)
            if counts is not None:
                self._restless.note(counts, frame, size, now)
                left = int(self._restless.without(counts, now).sum())
                if left > TINY or (left and not changed):
                    last_change = now
                changed = changed or left > 0
                before = frame
            quiet_for = now - last_change
            if quiet_for >= (waits.quiet if changed else max(waits.grace, waits.quiet)):
                break
            if now - began >= waits.cap:
                self._rest = frame
                return Settled(now - began, quiet=False, changed=changed)
            time.sleep(POLL)
        self._rest, self._base = frame, None
        seconds = time.monotonic() - began
        if changed:
            self._patience.note(app, seconds - quiet_for)
        return Settled(seconds, quiet=True, changed=changed)


SAMPLES = 40
ENOUGH = 5
"""Answers of a program after which what it usually does is known."""
SHORTEST = 1.0
"""Seconds; no cap becomes shorter."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds to wait for one program."""

    grace: float
    """For a first change; when none comes until then, none is expected."""
    quiet: float
    """Without a change, after which the screen is at rest."""
    cap: float
    """Altogether, for a screen that never is."""


class SettleTimes:
    """Starts with a careful cap for every program and lowers it for those that come to rest quickly.

    It becomes twice the time that nine of ten answers of the program took. Only what was seen counts, and it
    never becomes longer than the one that was set.
    """

    def __init__(self, waits: Waits, known: Mapping[str, float] | None = None) -> None:
        """Args: known: seconds within which programs came to rest in earlier runs, by application."""
        self._waits = waits
        self._known = dict(known or {})
        self._seen: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=SAMPLES))

    def waits(self, app: str) -> Waits:
        """How long to wait for a program now."""
        usual = usually(self._seen[app]) if len(self._seen.get(app, ())) >= ENOUGH else self._known.get(app)
        if usual is None:
            return self._waits
        return replace(self._waits, cap=min(self._waits.cap, max(SHORTEST, 2 * usual)))

    def note(self, app: str, seconds: float) -> None:
        """Take note of how long a program took until it was at rest."""
        self._seen[app].append(seconds)


def usually(seen: Collection[float]) -> float:
    """What nine of ten of these times stayed under."""
    ordered = sorted(seen)
    return ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
