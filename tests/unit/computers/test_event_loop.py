"""The private loop."""

from __future__ import annotations

import asyncio
import threading

import pytest

from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.errors import ActionFailed, ComputerLost


async def answer(value: int) -> int:
    return value


async def fail() -> None:
    raise ActionFailed("no")


def test_results_and_errors_come_back() -> None:
    thread = LoopThread("test")
    assert thread.call(answer(3), 5) == 3
    with pytest.raises(ActionFailed, match="no"):
        thread.call(fail(), 5)
    thread.stop()


def test_it_serves_a_caller_inside_a_running_loop() -> None:
    thread = LoopThread("test")

    async def outer() -> int:
        return thread.call(answer(4), 5)

    assert asyncio.run(outer()) == 4
    thread.stop()


def test_work_that_takes_too_long_is_cancelled() -> None:
    thread = LoopThread("test")
    cancelled = threading.Event()

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    with pytest.raises(ComputerLost, match=r"did not answer within 0\.05 s"):
        thread.call(long(), 0.05)
    assert cancelled.wait(60)
    thread.stop()


def test_after_the_end_it_says_so() -> None:
    thread = LoopThread("test")
    thread.stop()
    thread.stop()
    with pytest.raises(ComputerLost, match="closed"):
        thread.call(answer(1), 5)


def test_stopping_cancels_what_is_under_way() -> None:
    thread = LoopThread("test")
    told: list[str] = []
    begun = threading.Event()

    async def long() -> None:
        begun.set()
        await asyncio.sleep(600)

    def wait() -> None:
        try:
            thread.call(long(), 700)
        except ComputerLost as error:
            told.append(str(error))

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(60)
    thread.stop()
    waiting.join(60)
    assert not waiting.is_alive()
    assert told == ["the browser was closed meanwhile; open a new one"]
