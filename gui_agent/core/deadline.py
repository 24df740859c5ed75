"""The deadline of the current work, which every wait asks how long it may still take.

It is passed on in the context of the calling thread, so that the run's limit also bounds a wait deep in a
driver, a model's transport or a database, without a parameter in every signature. While a person holds
the run, its clock is stopped.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class _End:
    at: float
    outer: _End | None = None
    held: float | None = None
    """When the clock was stopped, in seconds of `time.monotonic`."""

    @property
    def remaining(self) -> float:
        return self.at - (time.monotonic() if self.held is None else self.held)


_END: ContextVar[_End | None] = ContextVar("deadline", default=None)


@contextmanager
def ends_in(seconds: float) -> Iterator[None]:
    """Bound all waits inside the block; an earlier deadline stays in force."""
    token = _END.set(_End(time.monotonic() + remaining(seconds, -math.inf), _END.get()))
    try:
        yield
    finally:
        _END.reset(token)


@contextmanager
def stop_clock() -> Iterator[None]:
    """Stop the clock during the block: the person's time does not count for the run."""
    began, end = time.monotonic(), _END.get()
    stopped = []
    while end is not None:
        if end.held is None:
            end.held = began
            stopped.append(end)
        end = end.outer
    try:
        yield
    finally:
        for one in stopped:
            one.at, one.held = one.at + time.monotonic() - began, None


def remaining(limit: float = math.inf, least: float = 0.0) -> float:
    """Seconds that a wait with its own `limit` may take; cleanup always gets `least`."""
    end = _END.get()
    return limit if end is None else min(limit, max(end.remaining, least))


def is_over() -> bool:
    return remaining() <= 0


def turns(seconds: float, pause: float, least: int = 0) -> Iterator[int]:
    """Numbers from 0 for looks within these seconds, with pauses; at least `least` of them."""
    until = time.monotonic() + seconds
    for turn in itertools.count():
        if turn >= least and time.monotonic() >= until:
            return
        yield turn
        time.sleep(pause)


def sleep(seconds: float) -> None:
    """Sleep, but not beyond the deadline."""
    time.sleep(remaining(seconds))
