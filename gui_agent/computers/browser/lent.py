"""Uses a page of a program's own Playwright: works on its loop, and gives it back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from gui_agent.computers.browser._opened import Opened
from gui_agent.computers.browser.cdp.sender import errors
from gui_agent.computers.event_loop import LoopThread
from gui_agent.core import deadline
from gui_agent.core.errors import ComputerLost, ConfigError

if TYPE_CHECKING:
    from playwright import async_api, sync_api

T = TypeVar("T")
_MEASURE = "() => [innerWidth, innerHeight, devicePixelRatio]"


class RunsWork(Protocol):
    """Runs a browser's work for callers that wait for it; `LoopThread` is one implementation."""

    @property
    def running(self) -> bool: ...

    def call(self, work: Coroutine[Any, Any, T], timeout: float, least: float = 0.0) -> T:
        """The result of the work; see `LoopThread.call`."""

    def stop(self) -> None: ...


class ExternalPage:
    """A page of the caller's own Playwright, of its sync or its async API.

    A sync page is only used in its own thread; an async page from another thread than its loop's.
    """

    def __init__(self, page: sync_api.Page | async_api.Page) -> None:
        kind = type(page).__module__
        if not kind.startswith("playwright.") or type(page).__name__ != "Page":
            raise ConfigError(f"from_page takes a page of Playwright, not {type(page).__name__}")
        own: Any = page
        browser = own.context.browser
        if browser is not None and browser.browser_type.name != "chromium":
            raise ConfigError(f"only pages of Chromium can be used; this is {browser.browser_type.name}")
        self.sync = ".sync_api" in kind
        self.given = page
        self.loop: RunsWork = _Fiber(own) if self.sync else LoopThread("lent", loop=own._impl_obj._loop)
        self._page = _as_async(own)

    async def take_over(self) -> tuple[Opened, tuple[float, float, float]]:
        """The objects for the rest of the package, and the width, height and density of the page."""
        try:
            width, height, density = await self._page.evaluate(_MEASURE)
        except errors() as error:
            raise ComputerLost(f"the page cannot be used: {error}") from error
        metrics = {"width": width, "height": height, "deviceScaleFactor": density, "mobile": False}
        opened = Opened(None, None, self._page.context, metrics if density != 1 else None, self._page)
        return opened, (width, height, density)


class _Fiber:
    """The loop of the sync API, which runs only while its thread waits in a Playwright call."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._over = False

    @property
    def running(self) -> bool:
        return not self._over and not self._page._loop.is_closed()

    def call(self, work: Coroutine[Any, Any, T], timeout: float, least: float = 0.0) -> T:
        seconds = deadline.remaining(timeout, least)
        if not self.running:
            work.close()
            raise ComputerLost("the page was given back; take it again with from_page")
        try:
            done: T = self._page._sync(asyncio.wait_for(work, seconds))
        except TimeoutError as error:
            raise ComputerLost(f"the page did not answer within {seconds:.3g} s") from error
        return done

    def stop(self) -> None:
        self._over = True


def _as_async(page: Any) -> async_api.Page:
    """The same page in the async API, which shares everything below the surface with the sync one."""
    from playwright._impl._async_base import mapping

    import_module("playwright.async_api")  # from here on the mapping knows the async classes
    if _OWN not in vars(mapping):
        _keep_apart(mapping)
    return cast("async_api.Page", mapping.from_impl(page._impl_obj))


_OWN = "_guiagent_instance_"


def _keep_apart(mapping: Any) -> None:
    """Store async objects of a sync connection under a separate name.

    The driver caches one object for each browser object, whichever API asks for it first; otherwise the
    program would get async objects from its own calls.
    """
    usual = mapping.from_maybe_impl

    def from_maybe_impl(thing: Any, visited: Any = None) -> Any:
        kind = mapping._mapping.get(getattr(thing, "_api_impl_class", type(thing)))
        if kind is None or getattr(thing, "_dispatcher_fiber", None) is None:
            return usual(thing, visited)
        if not hasattr(thing, _OWN):
            setattr(thing, _OWN, kind(thing))
        return getattr(thing, _OWN)

    mapping.from_maybe_impl = from_maybe_impl
    setattr(mapping, _OWN, True)
