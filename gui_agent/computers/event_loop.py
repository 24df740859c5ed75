"""A private thread with its own event loop, so that an async driver serves callers of any kind."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import logging
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from gui_agent.core import deadline
from gui_agent.core.errors import ComputerLost

T = TypeVar("T")
_LOG = logging.getLogger(__name__)


async def turns(seconds: float, pause: float, least: int = 0) -> AsyncIterator[int]:
    """Like `deadline.turns`, for work on an event loop."""
    until = time.monotonic() + seconds
    for turn in itertools.count():
        if turn >= least and time.monotonic() >= until:
            return
        yield turn
        await asyncio.sleep(pause)


class LoopThread:
    """A daemon thread that runs one event loop; callers pass it coroutines and wait for the results.

    It works from scripts, notebooks, other threads and inside a running event loop, because the caller's
    own loop is never touched.

    Args:
        name: name of the thread.
        driven: the object that the work drives, as named in errors.
        loop: an existing loop in another thread, which stays untouched at the end.
    """

    def __init__(
        self, name: str, driven: str = "the browser", loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        self._driven = driven
        self._over = False
        self.loop = loop or asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True) if loop is None else None
        if self._thread is not None:
            self._thread.start()

    def call(self, work: Coroutine[Any, Any, T], timeout: float, least: float = 0.0) -> T:
        """Run the coroutine on the loop and return its result; interrupting the caller cancels it.

        Args:
            least: minimum seconds for it, even after the run's deadline.
        """
        timeout = deadline.remaining(timeout, least)
        if not self.running:
            work.close()
            raise ComputerLost(f"{self._driven} is closed; open a new one")
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            concurrent.futures.wait([future], timeout)
            if not future.done():
                raise ComputerLost(
                    f"{self._driven} did not answer within {timeout:.3g} s; close it and start again"
                )
            try:
                return future.result()
            except concurrent.futures.CancelledError as error:
                raise ComputerLost(f"{self._driven} was closed meanwhile; open a new one") from error
        finally:
            if not future.done():
                future.cancel()

    @property
    def running(self) -> bool:
        alive = self._thread.is_alive() if self._thread is not None else not self._over
        return alive and not self.loop.is_closed()

    def stop(self) -> None:
        """End the loop and the thread; safe to call twice."""
        self._over = True
        if self._thread is None or not self.running:
            return
        self.loop.call_soon_threadsafe(self.loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        # The failure of an abandoned task, such as a key for a closed window, is not reported.
        self.loop.set_exception_handler(lambda _, context: _LOG.debug("%s", context))
        try:
            self.loop.run_forever()
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            self.loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        finally:
            self.loop.close()
