"""How long to wait for a program after an action, learned from its earlier responses."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

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
