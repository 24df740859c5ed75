"""The browser of benchmarks and tests: quicker ways to its pages, and JavaScript in them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from gui_agent.computers.browser import BrowserComputer
from gui_agent.computers.browser.cdp.driver_errors import translated
from gui_agent.computers.browser.cdp.sender import Limited, Sender
from gui_agent.eval.cdp_connection import CdpConnection, free_port

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser.controller import Browsing

T = TypeVar("T")
FAST_FRAMES = ("--disable-frame-rate-limit", "--enable-features=SkipListAccountsWithoutGaiaCookies")
"""The second one undoes the driver's choice of a new surface for each picture: 7 ms more."""


class PageComputer(BrowserComputer):
    """A browser whose pages can also be reached past mouse and keyboard; the agent never uses that."""

    def __init__(
        self,
        url: str = "",
        *,
        fast_frames: bool = False,
        direct: bool = False,
        arguments: tuple[str, ...] = (),
        **options: Any,
    ) -> None:
        """
        Args:
            fast_frames: draw without waiting for the screen's rhythm: pictures come sooner, but animations
                use all the computing power they can get; for still pages.
            direct: speak to the pages over a port of this machine, past the driver: several times quicker,
                but every program on this machine could use that port.
            options: those of `BrowserComputer`.

        Raises:
            As `BrowserComputer`.
        """
        self._port = free_port() if direct else 0
        drawing = FAST_FRAMES if fast_frames else ()
        listening = (f"--remote-debugging-port={self._port}",) if direct else ()
        super().__init__(url, arguments=(*drawing, *listening, *arguments), **options)

    def call(self, work: Callable[..., Awaitable[T]], *arguments: Any, timeout: float = 60.0) -> T:
        """Run `work(page, *arguments)` on the private loop, with Playwright's asynchronous page.

        Raises:
            ActionFailed: the driver failed.
            ComputerLost: the browser is gone, or the work took longer than `timeout` seconds.
        """

        async def run(browsing: Browsing) -> T:
            await browsing.preview.drop()
            with translated("the work failed"):
                return await work(browsing.session.current.page, *arguments)

        return self.on_loop(run, timeout)

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """The value of a JavaScript expression or function in the page.

        Raises:
            ActionFailed: the script failed.
            ComputerLost: the browser is gone.
        """
        return self.call(lambda page: page.evaluate(script, argument))

    @property
    def page(self) -> Page:
        """Playwright's asynchronous page of the current tab; use it only inside `call`."""
        return self._open.session.current.page

    @property
    def line(self) -> Sender:
        """The quickest way for messages to the current tab; use it only inside `call`."""
        return self._open.session.current.line

    def forget_elements(self) -> None:
        """Forget the elements known so far, so that none of the next ones counts as new or the same."""
        self._open.snapshot.forget()

    async def put_pointer(self, x: int, y: int) -> None:
        """Put the pointer there at once; to be awaited on the private loop.

        A button that is let go takes the pointer along at once. Of a mere movement the page hears with its
        next frame only, and a picture waits for one as well (16 ms).
        """
        tab = self._open.session.current
        tab.pointer = (x, y)
        event = {"type": "mouseReleased", "button": "middle", "clickCount": 1, "x": x, "y": y}
        await tab.line.send("Input.dispatchMouseEvent", event)

    async def _open_line(self, cdp: Limited) -> Limited:
        if not self._port:
            return cdp
        told = await cdp.send("Target.getTargetInfo")
        line = await CdpConnection.open(self._port, told["targetInfo"]["targetId"])
        return Limited(line) if line else cdp
