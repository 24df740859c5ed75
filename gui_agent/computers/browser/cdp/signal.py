"""A level-less event: wakes those that wait for something to happen in the browser."""

from __future__ import annotations

import asyncio
from typing import Any


class Bell:
    """Wakes everyone who is waiting when it rings; check, then wait, and no ring is missed in between."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        """Wake all who wait now."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    async def wait(self, seconds: float | None = None, *, beside: asyncio.Future[Any] | None = None) -> None:
        """Wait for the next ring, at most so long, or until the work `beside` is done."""
        loop = asyncio.get_running_loop()
        ringing: asyncio.Future[None] = loop.create_future()

        def wake(_done: object = None) -> None:
            if not ringing.done():
                ringing.set_result(None)

        self._waiting.add(ringing)
        timer = None if seconds is None else loop.call_later(seconds, wake)
        if beside is not None:
            beside.add_done_callback(wake)
        try:
            await ringing
        finally:
            self._waiting.discard(ringing)
            if timer is not None:
                timer.cancel()
            if beside is not None:
                beside.remove_done_callback(wake)
