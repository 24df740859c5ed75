"""Async versions of the screens, whose awaited methods run in a separate thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace, TracebackType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar, cast, overload

from gui_agent.agent.limits import RunControl
from gui_agent.api.long_tables import TableRow
from gui_agent.api.screen import Browser, Desktop, DrivesPlaywright, LiveScreen, Phone
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Found, Result, Step, Task, Turn
from gui_agent.planners.commands.read_values import Value
from gui_agent.wiring.running import run

if TYPE_CHECKING:
    from playwright.async_api import Page as AsyncPage

    from gui_agent.skills import Skill

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=LiveScreen)


class AsyncScreen(Generic[S]):
    """A screen with awaited methods: `async with AsyncBrowser() as page: await page.act("...")`.

    Cancelling an await ends the step before its next action. One step runs at a time.
    """

    def __init__(self, make: Callable[[], S]) -> None:
        self._make = make
        self._pool = ThreadPoolExecutor(1, "gui_agent.screen")
        self._made: S | None = None

    @property
    def screen(self) -> S:
        """The underlying screen, for its settings, control and computer; do not operate it from here."""
        if self._made is None:
            raise RuntimeError("use it as: async with AsyncBrowser() as page")
        return self._made

    @property
    def playwright(self) -> AsyncPage:
        """See `LiveScreen.playwright`; a page of the async API."""
        if not isinstance(self.screen.computer, DrivesPlaywright):
            raise ConfigError("only a browser has a Playwright page")
        return cast("AsyncPage", self.screen.computer.driver_page(awaited=True))

    async def open(self, where: str) -> None:
        """See `LiveScreen.open`."""
        await self._call(self.screen.open, where)

    async def act(self, command: str, **values: object) -> Result:
        """See `LiveScreen.act`."""
        return await self._call(self.screen.act, command, **values)

    async def check(self, statement: str) -> Result:
        """See `LiveScreen.check`."""
        return await self._call(self.screen.check, statement)

    async def find(self, what: str) -> Found:
        """See `LiveScreen.find`."""
        return await self._call(self.screen.find, what)

    @overload
    async def read(self, what: str) -> Value: ...

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
        made = self._made
        return await _in_thread(lambda: work(*given, **named), made.control if made else None, self._pool)


async def _in_thread(
    work: Callable[[], T], control: RunControl | None, pool: ThreadPoolExecutor | None = None
) -> T:
    context = copy_context()
    future = asyncio.get_running_loop().run_in_executor(pool, lambda: context.run(work))
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        if control is not None:
            control.stop()
        await asyncio.wait([future])
        if not future.cancelled():
            future.exception()  # it was stopped on purpose
        raise


async def arun(task: Task | str, *, control: RunControl | None = None, **options: Any) -> Result:
    """`run`, awaited and run in a thread; cancelling the await stops it before its next action."""
    control = control or RunControl()
    return await _in_thread(lambda: run(task, control=control, **options), control)


def stream(
    task: Task | str, *, control: RunControl | None = None, observers: Sequence[object] = (), **options: Any
) -> Iterator[Turn | Step | Result]:
    """`run`, one event at a time: each `Turn` when decided, each `Step` when done, then the `Result`.

    Leaving the loop early stops the run before its next action.
    """
    control = control or RunControl()
    events: SimpleQueue[Turn | Step | Result | BaseException] = SimpleQueue()
    watching = (*observers, SimpleNamespace(decided=events.put, stepped=events.put))

    def work() -> None:
        try:
            events.put(run(task, control=control, observers=watching, **options))
        except BaseException as error:  # noqa: BLE001 - raised again by the loop over the events
            events.put(error)

    thread = Thread(target=copy_context().run, args=(work,), name="gui_agent.stream", daemon=True)
    thread.start()
    try:
        while True:
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            yield event
            if isinstance(event, Result):
                return
    finally:
        control.stop()
        thread.join()


class AsyncBrowser(AsyncScreen[Browser]):
    """The async version of `Browser`."""

    def __init__(self, url: str = "", **options: Any) -> None:
        super().__init__(lambda: Browser(url, **options))


class AsyncDesktop(AsyncScreen[Desktop]):
    """The async version of `Desktop`."""

    def __init__(self, open: str = "", **options: Any) -> None:
        super().__init__(lambda: Desktop(open, **options))


class AsyncPhone(AsyncScreen[Phone]):
    """The async version of `Phone`."""

    def __init__(self, serial: str = "", **options: Any) -> None:
        super().__init__(lambda: Phone(serial, **options))
