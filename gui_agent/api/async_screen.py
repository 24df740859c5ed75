"""The async twins of screens: the same verbs, each awaited; the work runs in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar, overload

from gui_agent.api.screen import Browser, Desktop, LiveScreen, Phone
from gui_agent.api.tables import TableRow
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Found, Result, Task

if TYPE_CHECKING:
    from gui_agent.skills import Skill

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=LiveScreen)


class AsyncScreen(Generic[S]):
    """A screen whose verbs are awaited: `async with AsyncBrowser() as page: await page.act("...")`.

    Cancelling an await ends the step before its next action. One step runs at a time.
    """

    def __init__(self, make: Callable[[], S]) -> None:
        """
        Args:
            make: opens the screen; called in the thread that uses it.
        """
        self._make = make
        self._pool = ThreadPoolExecutor(1, "gui_agent.screen")
        self._made: S | None = None

    @property
    def screen(self) -> S:
        """The screen itself, for settings, control and computer; not to be operated from here."""
        if self._made is None:
            raise RuntimeError("use it as: async with AsyncBrowser() as page")
        return self._made

    async def open(self, where: str) -> None:
        """See `LiveScreen.open`."""
        await self._call(self.screen.open, where)

    async def act(self, command: str) -> Result:
        """See `LiveScreen.act`."""
        return await self._call(self.screen.act, command)

    async def check(self, statement: str) -> Result:
        """See `LiveScreen.check`."""
        return await self._call(self.screen.check, statement)

    async def find(self, what: str) -> Found:
        """See `LiveScreen.find`."""
        return await self._call(self.screen.find, what)

    @overload
    async def read(self, what: str) -> str: ...

    @overload
    async def read(self, what: str = "", *, schema: type[T]) -> T: ...

    async def read(self, what: str = "", *, schema: Any = str) -> Any:
        """See `LiveScreen.read`."""
        return await self._call(lambda: self.screen.read(what, schema=schema))

    @overload
    async def table(self, what: str = "") -> list[TableRow]: ...

    @overload
    async def table(self, what: str = "", *, schema: type[T]) -> list[T]: ...

    async def table(self, what: str = "", *, schema: Any = None) -> Any:
        """See `LiveScreen.table`."""
        return await self._call(lambda: self.screen.table(what, schema=schema))

    async def run(self, what: Task | Skill | str, **values: object) -> Result:
        """See `LiveScreen.run`."""
        return await self._call(lambda: self.screen.run(what, **values))

    async def observe(self, *, picture: bool = True) -> Observation:
        """See `LiveScreen.observe`."""
        return await self._call(lambda: self.screen.observe(picture=picture))

    async def close(self) -> None:
        """Close the screen if it was opened here; safe to call twice."""
        made, self._made = self._made, None
        if made is not None:
            await asyncio.to_thread(made.close)
        self._pool.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        self._made = await self._call(self._make)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _call(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Work in the screen's thread; when the await is cancelled, the step is stopped and waited for."""
        context = copy_context()
        future = asyncio.get_running_loop().run_in_executor(
            self._pool, lambda: context.run(work, *given, **named)
        )
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if self._made is not None:
                self._made.control.stop()
            await asyncio.wait([future])
            if not future.cancelled():
                future.exception()  # it was stopped on purpose
            raise


class AsyncBrowser(AsyncScreen[Browser]):
    """The async twin of `Browser`."""

    def __init__(self, url: str = "", **options: Any) -> None:
        """See `Browser`."""
        super().__init__(lambda: Browser(url, **options))


class AsyncDesktop(AsyncScreen[Desktop]):
    """The async twin of `Desktop`."""

    def __init__(self, open: str = "", **options: Any) -> None:
        """See `Desktop`."""
        super().__init__(lambda: Desktop(open, **options))


class AsyncPhone(AsyncScreen[Phone]):
    """The async twin of `Phone`."""

    def __init__(self, serial: str = "", **options: Any) -> None:
        """See `Phone`."""
        super().__init__(lambda: Phone(serial, **options))
