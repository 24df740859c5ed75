"""Proxies for Playwright objects of a browser on a private loop, for use from other threads and loops."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any

_HANDLERS = frozenset(
    [
        "on",
        "once",
        "remove_listener",
        "route",
        "unroute",
        "expose_function",
        "expose_binding",
        "add_locator_handler",
    ]
)
"""Methods with callbacks, which may themselves use the page."""
MAKING = 10.0
"""Seconds for the driver's loop to create an object."""


class DriverProxy:
    """A proxy for one driver object: its calls run on the driver's loop, and results are wrapped again."""

    def __init__(
        self, target: Any, call: Callable[[Any], Any], loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        """
        Args:
            call: runs a coroutine on the driver's loop and returns its result.
            loop: the driver's loop, for callers that await the calls; None for blocking callers.
        """
        self._target, self._call, self._loop = target, call, loop
        self._handlers: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if inspect.isawaitable(value):  # for example the value of an awaited event
            return self._await(value)
        if callable(value) and name in _HANDLERS:
            return lambda *given, **named: self._do(
                value,
                *(self._handler(one) if callable(one) else one for one in given),
                **{key: self._handler(one) if callable(one) else one for key, one in named.items()},
            )
        if inspect.ismethod(value):
            return lambda *given, **named: self._do(value, *given, **named)
        return self._wrap(value)

    def __enter__(self) -> Any:
        return self._wrap(self._call(self._target.__aenter__()))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call(self._target.__aexit__(kind, error, trace))

    async def __aenter__(self) -> Any:
        return await self._await(self._target.__aenter__())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._await(self._target.__aexit__(kind, error, trace))

    def __repr__(self) -> str:
        return repr(self._target)

    def _do(self, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        given = tuple(_bare(one) for one in given)
        named = {key: _bare(one) for key, one in named.items()}

        async def on_loop() -> Any:
            result = work(*given, **named)
            return await result if inspect.isawaitable(result) else result

        if self._loop is None:
            return self._wrap(self._call(on_loop()))
        if inspect.iscoroutinefunction(work):
            return self._await(on_loop())

        async def make() -> Any:
            return work(*given, **named)

        # The awaitable of an event belongs to the loop that creates it.
        result = asyncio.run_coroutine_threadsafe(make(), self._loop).result(MAKING)
        return self._await(result) if inspect.isawaitable(result) else self._wrap(result)

    def _await(self, work: Any) -> Any:
        async def whole() -> Any:
            return self._wrap(await work)

        if self._loop is None:
            return self._call(whole())
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(whole(), self._loop))

    def _wrap(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._wrap(one) for one in value]
        ours = type(value).__module__.startswith("playwright.") and not isinstance(value, Exception | dict)
        return DriverProxy(value, self._call, self._loop) if ours else value

    def _handler(self, function: Any) -> Any:
        """A function that the driver calls; it runs in its own thread, since it may use the page."""

        @wraps(function)
        async def handler(*given: Any) -> Any:
            return _bare(await asyncio.to_thread(function, *map(self._wrap, given)))

        return self._handlers.setdefault(function, handler)


def _bare(value: Any) -> Any:
    return value._target if isinstance(value, DriverProxy) else value
