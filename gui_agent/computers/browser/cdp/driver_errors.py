"""The driver's errors: how to recognise them and what they are in the project's terms."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from gui_agent.core.errors import ActionFailed, ComputerLost


def errors() -> type[Exception]:
    """The root of the driver's own errors."""
    from playwright.async_api import Error

    return Error


def first_line(error: BaseException) -> str:
    """What a driver's error says, on one line and without its call log."""
    line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return line.split(": ", 1)[1] if line.startswith(("Page.", "Frame.", "Mouse.", "Keyboard.")) else line


GONE = ("has been closed", "Connection closed", "Browser closed", "browser has disconnected", "Target closed")
CRASHED = ("Target crashed", "Page crashed", "page crashed")
MOVED_ON = (
    "context was destroyed",
    "Cannot find context",
    "Cannot find default execution context",
    "Promise was collected",
    "navigat",
    "Frame was detached",
    "frame got detached",
    "Not attached to an active page",
)


def is_gone(error: BaseException) -> bool:
    """Whether the page or the browser that was spoken to is no longer there."""
    return any(sign in str(error) for sign in GONE)


def is_moved_on(error: BaseException) -> bool:
    """Whether the document changed under a script; asking the new document again is right."""
    return any(sign in str(error) for sign in MOVED_ON)


@contextlib.contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turn the driver's errors into the project's.

    Raises:
        ActionFailed: anything else; the message begins with `doing`.
    """
    try:
        yield
    except errors() as error:
        if any(sign in str(error) for sign in CRASHED):
            raise ComputerLost(
                "the page crashed; start again, with less on the page if it happens twice"
            ) from error
        if is_gone(error):
            raise ComputerLost("the browser or its page was closed; start again") from error
        raise ActionFailed(f"{doing}: {first_line(error)}") from error


async def through_navigation(ask: Callable[[], Awaitable[Any]], *, tries: int = 40) -> Any:
    """Ask a page something again while it is changing documents under the question."""
    for attempt in range(tries):
        try:
            return await ask()
        except errors() as error:
            if attempt == tries - 1 or not is_moved_on(error):
                raise
            await asyncio.sleep(0.025)
    raise AssertionError("unreachable")
