"""A signal without memory, for those who wait for something to happen in the browser."""

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
        ringing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(ringing)
        waiting: set[asyncio.Future[Any]] = {ringing} if beside is None else {ringing, beside}
        try:
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting.discard(ringing)
            ringing.cancel()
