"""A page of MiniWoB++ in the browser: beginning episodes in it, and hearing how they end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gui_agent.computers.browser.cdp.sender import translate_errors, value_of
from gui_agent.core.actions import Action
from gui_agent.core.errors import ActionFailed, BenchmarkError, GuiAgentError
from gui_agent.core.geometry import Size
from gui_agent.core.observation import Observation
from guiagent_eval.page_computer import PageComputer

if TYPE_CHECKING:
    from gui_agent.computers.browser.controller import Browsing

T = TypeVar("T")
Script = Callable[[Observation], Action | None]
"""What to do on a screen; None when there is nothing to do. Called in the thread of the browser."""
ANSWERING = 30.0
"""Seconds within which a page must answer."""
PLAYING = 300.0
"""Seconds that a script may take; the pages themselves end episodes sooner."""
SAYING = 0.001
"""Seconds in which a page mostly says that an action has ended its episode."""
BINDING = "episodeEnded"
"""The function by which a page says that its episode has ended."""
_HERE = 'window[Symbol.for("gui_agent.miniwob")]'
_ASK = "typeof core === 'undefined' || !%s ? null : %s.%s"


class TaskPage:
    """A loaded task page; it answers in the background, too, and says when its episode has ended."""

    def __init__(self, computer: PageComputer, size: Size) -> None:
        self.ended: dict[str, Any] | None = None
        """How the episode under way has ended, as the page said by itself."""
        self._computer = computer
        self._page = computer.page
        self._line = computer.line
        self._corner = (size.width - 1, size.height - 1)
        self._number = 0
        self._ending: asyncio.Future[None]

        self._line.on("Runtime.bindingCalled", self._told)

    def is_of(self, computer: PageComputer) -> bool:
        """Whether it is what this computer shows."""
        return self._computer is computer and not self._page.is_closed() and self._line is computer.line

    @property
    def usable(self) -> bool:
        """Whether it is the only page and still open."""
        return not self._page.is_closed() and len(self._page.context.pages) == 1

    def prepare(self, slowness: float) -> bool:
        """Make the document that has been loaded ready for episodes.

        Args:
            slowness: factor on the page's own time limit.

        Returns:
            Whether it is a task's page, and ready.

        Raises:
            BenchmarkError: the page does not answer.
        """

        async def prepare(_: Browsing) -> bool:
            await self._line.send("Runtime.addBinding", {"name": BINDING})  # a new document has none
            return bool(await self._value(f"prepare({slowness})"))

        return bool(self._do(prepare))

    def start(self, seed: int, mode: str, *, fresh: bool) -> dict[str, Any] | None:
        """Put the pointer out of the way and begin an episode.

        Returns:
            None when the page must be loaded anew first.

        Raises:
            BenchmarkError: the page does not answer.
        """
        self._number += 1
        self.ended = None
        given = ", ".join(json.dumps(one) for one in (self._number, seed, mode, fresh))

        async def start(browsing: Browsing) -> Any:
            self._ending = asyncio.get_running_loop().create_future()
            await browsing.preview.drop()
            away = self._computer.put_pointer(*self._corner)
            began, _ = await asyncio.gather(self._value(f"start({given})"), away)
            return began

        return cast("dict[str, Any] | None", self._do(start))

    def play(self, script: Script, *, picture: bool) -> None:
        """Let a script act on what it sees until the episode has ended or it has nothing to do.

        Raises:
            As `Computer.perform` and `Computer.observe`, and whatever the script raises.
        """

        async def play(browsing: Browsing) -> None:
            screen: Observation | None = await browsing.observe(picture)
            while screen is not None and (action := script(screen)) is not None:
                await browsing.perform(action, None)
                screen = await self._seen(browsing.observe(picture), SAYING if picture else 0.0)

        self._computer.on_loop(play, PLAYING)

    async def _seen(self, look: Coroutine[Any, Any, Observation], before: float) -> Observation | None:
        """What a look gives; None when the episode has ended.

        Nobody asks whether it has: the page's word comes before its answer to the look.

        Args:
            before: seconds to wait for the word first, as a needless picture would hold up the next episode.
        """
        if before:
            await asyncio.wait((self._ending,), timeout=before)
        looking = asyncio.ensure_future(look)
        if not self._ending.done():
            await asyncio.wait((looking, self._ending), return_when=asyncio.FIRST_COMPLETED)
        if not self._ending.done():
            return looking.result()
        looking.cancel()
        return None

    def ask(self, question: str) -> Any:
        """What the page's part of the harness answers; None when it is gone.

        Raises:
            BenchmarkError: the page does not answer.
        """
        return None if self._page.is_closed() else self._do(lambda _: self._value(question))

    def _value(self, question: str) -> Coroutine[Any, Any, Any]:
        return value_of(self._line, _ASK % (_HERE, _HERE, question))

    def _told(self, event: dict[str, Any]) -> None:
        if event["name"] != BINDING:
            return
        number, state = json.loads(event["payload"])
        if number == self._number:
            self.ended = state
            self._ending.set_result(None)

    def _do(self, work: Callable[[Browsing], Coroutine[Any, Any, Any]]) -> Any:
        """The result of work on the browser's own loop; what it has prepared for its next look stays."""

        async def done(browsing: Browsing) -> Any:
            with translate_errors("the page's part of the harness failed"):
                return await work(browsing)

        return answered(lambda: self._computer.on_loop(done, ANSWERING))


def answered(work: Callable[[], T]) -> T:
    """The result of work with the browser.

    Raises:
        BenchmarkError: it failed.
    """
    try:
        return work()
    except ActionFailed as error:
        raise BenchmarkError(f"the page does not answer: {error}") from error
    except GuiAgentError as error:
        raise BenchmarkError(f"the browser does not answer: {error}") from error
