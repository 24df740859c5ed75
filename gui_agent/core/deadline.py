"""The moment at which the present work must be over; every wait asks here how long it may still take.

It is handed down through the context of the calling thread, so that a wait deep in a driver, a model's
transport or a database is bounded by the limit of the run, and no signature in between has to carry it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_END: ContextVar[float] = ContextVar("deadline", default=math.inf)


@contextmanager
def ends_in(seconds: float) -> Iterator[None]:
    """Bound all waits inside the block; an earlier end that holds already stays."""
    token = _END.set(min(_END.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _END.reset(token)


def left(limit: float = math.inf, least: float = 0.0) -> float:
    """Seconds that a wait with its own `limit` may take.

    Args:
        least: what cleaning up gets even when the time is over.
    """
    return min(limit, max(_END.get() - time.monotonic(), least))


def over() -> bool:
    """Whether the time is used up."""
    return left() <= 0


def sleep(seconds: float) -> None:
    """Sleep, but not beyond the end."""
    time.sleep(left(seconds))
