"""Sends protocol messages to one page with a timeout, and interprets the driver's errors."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Protocol

from gui_agent.core.errors import ActionFailed, ComputerLost

ANSWERING = 15.0
"""Seconds for a page to answer a message; a page that is busy for longer counts as dead."""


class Silent(ComputerLost):
    """A page or frame has not answered in time."""


class Sender(Protocol):
    """Accepts protocol messages for one page: a socket, or a session of the driver."""

    def send(self, method: str, params: dict[str, Any] | None = None) -> Awaitable[Any]:
        """Send a message and return its awaitable result. Messages arrive in the order of sending."""

    def listen(self, event: str, f: Callable[[Any], Any]) -> None:
        """Call `f` with the parameters of every event of this name."""

    def remove_listener(self, event: str, f: Callable[[Any], Any]) -> None:
        """Stop calling `f`."""


class Limited:
    """A sender with a timeout for answers, which a dialog suspends."""

    def __init__(self, session: Any, seconds: float | None = None) -> None:
        """Args: session: of the driver, or a socket with its methods `send`, `on`, `remove_listener`."""
        self.silent = False
        """Whether the last answer did not arrive in time."""
        self.listen = session.on
        self.remove_listener = session.remove_listener
        self._sender = session
        self._seconds = seconds or ANSWERING
        self._held = False
        self._waits: set[asyncio.Timeout] = set()

    async def send(self, method: str, params: dict[str, Any] | None = None) -> Any:
        try:
            async with asyncio.timeout(None if self._held else self._seconds) as limit:
                self._waits.add(limit)
                answer = await self._sender.send(method, params)
        except TimeoutError as error:
            self.silent = True
            raise Silent(f"the page has not answered for {self._seconds:g} s; start again") from error
        finally:
            self._waits.discard(limit)
        self.silent = False
        return answer

    def hold(self) -> None:
        """Suspend the timeout: the page is blocked until its dialog is answered."""
        self._limit(None)

    def release(self) -> None:
        """Restart the timeout."""
        self._limit(asyncio.get_running_loop().time() + self._seconds)

    def _limit(self, when: float | None) -> None:
        self._held = when is None
        for limit in self._waits:
            if not limit.expired():
                limit.reschedule(when)


async def value_of(sender: Sender, expression: str, *, console: bool = False) -> Any:
    """The value of an expression in a page's main frame; `console` adds the functions of consoles."""
    asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    asked |= {"includeCommandLineAPI": True} if console else {}
    answer = await sender.send("Runtime.evaluate", asked)
    if "exceptionDetails" in answer:
        thrown = answer["exceptionDetails"].get("exception", {})
        raise errors()(str(thrown.get("description") or thrown.get("value") or "an error in the page"))
    return answer["result"].get("value")


def errors() -> type[Exception]:
    """The base class of the driver's errors."""
    from playwright.async_api import Error

    return Error


def first_line(error: BaseException) -> str:
    """The message of a driver's error, on one line and without its call log."""
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
    """Whether the page or browser no longer exists."""
    return any(sign in str(error) for sign in GONE)


def is_moved_on(error: BaseException) -> bool:
    """Whether the document changed during a script; then the request can be repeated in the new document."""
    return any(sign in str(error) for sign in MOVED_ON)


@contextlib.contextmanager
def translate_errors(doing: str) -> Iterator[None]:
    """Turn the driver's errors into the project's."""
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
