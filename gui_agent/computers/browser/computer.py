"""A browser as a `core.protocols.Computer`: synchronous on the outside, a private event loop inside."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Coroutine, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from gui_agent.computers.browser._har import HarFile
from gui_agent.computers.browser._opened import KEEPING, pasted_text
from gui_agent.computers.browser._session import Session
from gui_agent.computers.browser.act.navigation import address
from gui_agent.computers.browser.cdp.sender import Limited, translate_errors
from gui_agent.computers.browser.controller import Browsing
from gui_agent.computers.browser.launch import Launch, open_browser, take_driver
from gui_agent.computers.browser.lent import ExternalPage, RunsWork
from gui_agent.computers.browser.look.preview import Format, Preview
from gui_agent.computers.browser.look.settling import SettleLimits
from gui_agent.computers.browser.look.snapshot import Snapshot
from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.actions import Action
from gui_agent.core.aiming import input_of
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import Element, Observation, Size
from gui_agent.core.os_errors import user_path
from gui_agent.core.protocols import Closing, Opening, Outgoing, Settled

if TYPE_CHECKING:
    from concurrent.futures import Future

    from playwright.async_api import Playwright

    from gui_agent.computers.vision._drawn_page import DrawnPage

T = TypeVar("T")
STARTING = 60.0
"""Maximum seconds for a browser to start."""
ANSWERING = 30.0
"""Seconds for a page to answer a request; an endless script makes it silent."""


class BrowserComputer(Closing):
    """Chromium, Chrome or Edge, operated with real mouse and keyboard input.

    Usable from a script, a notebook, any one thread, or inside a running event loop. Points are
    pixels of the screenshot. `close` may be called from anywhere; when the process ends, even by
    `kill -9`, the browser ends with it.
    """

    platform = "browser"
    means = ""

    def __init__(  # noqa: PLR0913 - the signature is the schema of the settings
        self,
        url: str = "",
        *,
        headless: bool = True,
        size: tuple[int, int] = (1280, 800),
        scale: float = 1.0,
        zoom: float = 1.0,
        locale: str = "en-US",
        timezone: str = "",
        profile: str = "",
        login: str = "",
        attach: str = "",
        executable: str = "",
        arguments: tuple[str, ...] = (),
        downloads: str = "downloads",
        cap: int = 400,
        picture_format: Format = "png",
        navigation_timeout: float = 30.0,
        settle_grace: float = 0.04,
        settle_quiet: float = 0.02,
        settle_cap: float = 3.0,
        settle_timers: float = 0.5,
        har: str = "",
        observe: Literal["auto", "tree", "vision"] = "auto",
        page_tools: bool = False,
        hide: Callable[[str], str] | None = None,
        lent: ExternalPage | None = None,
    ) -> None:
        """Start a browser and open `url`.

        Args:
            headless: without a window; a headed browser uses the size of its window.
            size: of the page in screenshot pixels at scale 1.
            scale: device pixel ratio.
            zoom: page zoom, 1.0 is 100 %.
            locale: language of the pages and order of dates, such as en-US.
            timezone: such as Europe/Berlin; empty for the machine's.
            profile: folder for cookies and settings; empty for a fresh profile.
            login: file with a stored login, in the format of `guiagent login` and Playwright's storage state;
                updated at the end, and usable by several browsers at a time.
            attach: address of a running browser, such as http://127.0.0.1:9222; it stays open at the end.
            executable: path of the browser; empty for the first one found.
            arguments: more arguments for the browser's command line.
            downloads: folder for downloaded files.
            cap: maximum elements of an observation.
            navigation_timeout: seconds for a page to load.
            settle_grace: seconds to wait for a first change after an action.
            settle_quiet: seconds without a change after which the page counts as settled.
            settle_cap: maximum seconds to wait for a page that does not come to rest.
            settle_timers: wait for timers of up to this many seconds that a page sets while it handles input,
                such as the delay of a suggestion list; 0 ignores the page's timers.
            har: file for the network traffic, as HAR and without secrets; written at the end.
            observe: tree reads the elements from the page, vision from its picture alone; auto reads only
                what the page draws on a canvas from the picture. Both need the extra vision; without it, auto
                is the same as tree.
            page_tools: offer models the tools that a page declares for agents (WebMCP).
            hide: removes the run's secrets from a text, for `har`.
            lent: a page of the caller's Playwright to use instead of a new browser.
        """
        page, file = Size(*size), HarFile(har, hide or str) if har else None
        self._way, self._has_tools = observe, page_tools
        arguments += ("--enable-features=WebMCP",) if page_tools else ()
        self._drawn: DrawnPage | None = None
        self._launch = Launch(
            headless, page, scale, zoom, locale, timezone, profile, attach, executable, arguments, login, file
        )
        self._cap = cap
        self._format: Format = picture_format
        self._patience = SettleLimits(settle_grace, settle_quiet, settle_cap, navigation_timeout)
        self._follow_timers = settle_timers
        self._session: Session | None = None
        self._browsing: Browsing | None = None
        self._lent = lent
        self._driver: Future[Playwright] | None = None
        self._thread: RunsWork
        if lent is not None:
            self._thread = lent.loop
        else:
            self._thread, self._driver = take_driver()
        atexit.register(self.close)
        try:
            self._thread.call(self._begin(user_path(downloads).resolve()), STARTING)
            self.start(url)
        except BaseException:
            self.close()
            raise

    @property
    def has_window(self) -> bool:
        """Whether a person in front of this machine can see it."""
        return bool(not self._launch.headless or self._launch.attach or self._lent)

    def observe(self, *, picture: bool = True) -> Observation:
        """The elements in view and, unless `picture` is false, a screenshot taken at the same moment."""
        seen = self._thread.call(self._open.observe(picture or self._way == "vision"), ANSWERING)
        has_canvas = "canvas" in map(attrgetter("role"), seen.elements)
        if self._way == "vision" or (has_canvas and self._way == "auto"):
            self._drawn = self._drawn or self._make_drawn_page()
            return self._drawn.read(seen)
        return seen

    def perform(self, action: Action, expected: Element | None = None) -> None:
        if self._drawn is not None and expected is not None and expected.is_from_picture:
            self._drawn.perform(action, expected)
            return
        seconds = float(getattr(action, "seconds", 0.0)) + self._patience.navigation + ANSWERING
        by_script = self._thread.call(self._open.perform(action, expected), seconds)
        self.means = "script" if by_script else input_of(action)

    def _make_drawn_page(self) -> DrawnPage:
        from gui_agent.computers.vision._drawn_page import DrawnPage

        return DrawnPage(
            lambda: self._thread.call(self._open.observe(True), ANSWERING),
            self.perform,
            whole=self._way == "vision",
        )

    def settle(self) -> Settled:
        seconds = self._patience.navigation + self._patience.cap + ANSWERING
        return self._thread.call(self._open.settle(), seconds)

    def start(self, where: str) -> None:
        """Open an address, a host name or a file; an empty `where` leaves the page unchanged."""
        if where:
            self._thread.call(self._open.start(where), self._patience.navigation + ANSWERING)

    def text(self) -> str:
        """The complete text of the page, including parts out of view."""
        return self._thread.call(self._open.text(), ANSWERING)

    def clipboard(self) -> str:
        """The text on the browser's clipboard; no page notices that it is read.

        Raises:
            ActionFailed: it is that of a person's own browser.
        """
        opened = self._open.session.opened
        browser = opened.browser or opened.context.browser
        if self._launch.attach or self._lent or browser is None:
            raise ActionFailed("this browser was open before the run, and what people copy there is theirs")
        return self._thread.call(pasted_text(browser), ANSWERING)

    def page_tools(self) -> Sequence[Mapping[str, str]]:
        return (
            self._thread.call(self._open.session.current.world.call("pageTools()"), ANSWERING)
            if self._has_tools
            else ()
        )

    def call_page_tool(
        self, tool: Mapping[str, str], arguments: Mapping[str, Any], judge: Callable[[], bool]
    ) -> str:
        answer = self._thread.call(self._open.call_tool(tool, arguments), ANSWERING)
        while judge():
            pass
        self.settle()
        if "said" not in answer:
            raise ActionFailed(answer["fault"])
        return answer["said"]

    def opening(self, name: str) -> Opening:
        """The address that a name leads to: a browser opens nothing else."""
        return Opening("address", url=address(name))

    def confine(self, allowed: Callable[[str], bool] | None) -> None:
        """Block every navigation of tabs, frames and windows to other addresses, whatever causes it."""
        self._open.session.gate.allowed = allowed
        self._thread.call(self._open.session.gate.watch(), ANSWERING)

    def hold(self, leaves: Callable[[Outgoing], bool] | None) -> None:
        """Hold requests of pages from now on, such as forms and orders, unless `leaves` lets them pass."""
        self._open.session.gate.leaves = leaves
        self._thread.call(self._open.session.gate.watch(), ANSWERING)

    @property
    def held_requests(self) -> tuple[Outgoing, ...]:
        """The held requests that wait for a judgement."""
        return self._browsing.session.gate.held_requests if self._browsing is not None else ()

    def release(self, send: bool) -> None:
        """Send all held requests, or let them fail."""
        self._thread.call(self._open.release(send), ANSWERING)

    def close(self) -> None:
        """Close the browser (only disconnect an attached one); may be called twice and from any thread."""
        atexit.unregister(self.close)
        session, self._session, self._browsing = self._session, None, None
        try:
            if session is not None and self._thread.running:
                self._thread.call(session.close(), 10.0 + KEEPING, least=1.0)
        except ComputerLost:
            pass  # it did not close in time; the driver ends it with the loop
        finally:
            self._thread.stop()

    def on_loop(self, work: Callable[[Browsing], Coroutine[Any, Any, T]], timeout: float = ANSWERING) -> T:
        """The result of `work` on the private loop, for other parts of this package such as recorders.

        The argument of `work` must not be used anywhere else.
        """
        return self._thread.call(work(self._open), timeout)

    def driver_page(self, *, awaited: bool = False) -> Any:
        """The front page as a Playwright object: the lent one, or a proxy that works from any thread."""
        if self._lent is not None:
            return self._lent.given
        from gui_agent.computers.browser._driver_proxy import DriverProxy

        thread = self._thread
        loop = thread.loop if awaited and isinstance(thread, LoopThread) else None
        page = self._open.session.current.page
        return DriverProxy(page, lambda work: thread.call(work, self._patience.navigation + ANSWERING), loop)

    async def _open_line(self, cdp: Limited) -> Limited:
        """The channel for messages to the page, given the driver's session; a subclass may differ."""
        return cdp

    @property
    def _open(self) -> Browsing:
        if self._browsing is None:
            raise ComputerLost("the browser is closed; open a new one")
        return self._browsing

    async def _begin(self, downloads: Path) -> None:
        launch = self._launch
        if self._lent is None:
            opened = await open_browser(launch, self._driver)
            size = Size(round(launch.size.width * launch.scale), round(launch.size.height * launch.scale))
            density = launch.scale * launch.zoom
        else:
            opened, (width, height, density) = await self._lent.take_over()
            size = Size(round(width * density), round(height * density))
        session = self._session = Session(opened, downloads, self._follow_timers, self._open_line)
        with translate_errors("the browser did not open a page"):
            await session.begin()
        self._browsing = Browsing(
            session, Snapshot(self._cap, session.world), self._patience, Preview(self._format), size, density
        )
