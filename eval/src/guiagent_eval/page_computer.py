"""The browser of benchmarks and tests, with faster ways to its pages and JavaScript in them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from gui_agent.computers.browser.cdp.sender import Limited, Sender, errors, translate_errors
from gui_agent.computers.browser.computer import BrowserComputer
from guiagent_eval.app_server import free_ports

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser.controller import Browsing

T = TypeVar("T")
FAST_FRAMES = ("--disable-frame-rate-limit", "--enable-features=SkipListAccountsWithoutGaiaCookies")
"""The second one undoes the driver's choice of a new surface for each picture, which costs 7 ms."""


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
            fast_frames: draw without waiting for the screen's rhythm: pictures arrive sooner, but animations
                use all the computing power they can get; for still pages.
            direct: talk to the pages over a port of this machine, past the driver: several times faster,
                but every program on this machine could use that port.
            options: those of `BrowserComputer`.

        Raises:
            As `BrowserComputer`.
        """
        self._port = free_ports()[0] if direct else 0
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
            with translate_errors("the work failed"):
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
        """The fastest channel for messages to the current tab; use it only inside `call`."""
        return self._open.session.current.line

    def forget_elements(self) -> None:
        """Forget the elements known so far, so that none of the next ones counts as new or the same."""
        self._open.snapshot.forget()

    async def put_pointer(self, x: int, y: int) -> None:
        """Move the pointer there at once; to be awaited on the private loop.

        A released button moves the pointer at once. A mere movement reaches the page only with its
        next frame, and a picture waits for one as well (16 ms).
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


HOST = "127.0.0.1"
PATIENCE = 5.0
"""Seconds for the browser to accept the connection."""


class CdpConnection(asyncio.Protocol):
    """An open channel, which ends with its page.

    Messages sent in one turn of the loop go out together.
    """

    def __init__(self, address: str) -> None:
        self._socket = ClientProtocol(parse_uri(address), max_size=None)
        self._flushing = False
        self._parts = bytearray()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._listeners: defaultdict[str, list[Callable[[Any], Any]]] = defaultdict(list)
        self._last = 0
        self._transport: asyncio.WriteTransport | None = None
        self._taken_up: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(cls, port: int, target: str) -> CdpConnection | None:
        """The channel to a page of the browser that listens on a port; None if there is none."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(PATIENCE):
                address = f"ws://{HOST}:{port}/devtools/page/{target}"
                _, line = await loop.create_connection(lambda: cls(address), HOST, port)
                line._socket.send_request(line._socket.connect())
                line._flush()
                if await line._taken_up:
                    return line
                line.close()
        return None

    def send(self, method: str, params: dict[str, Any] | None = None) -> asyncio.Future[Any]:
        """Send a message in this turn of the loop; the result comes with the future."""
        self._last += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self._transport is None or self._transport.is_closing() or self._socket.state is not State.OPEN:
            answer.set_exception(errors()("Target page has been closed"))
            return answer
        self._waiting[self._last] = answer
        message = {"id": self._last, "method": method, "params": params or {}}
        self._socket.send_text(json.dumps(message).encode())
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self._flush)
        return answer

    def listen(self, event: str, f: Callable[[Any], Any]) -> None:
        """Call `f` with the parameters of every event of this name."""
        self._listeners[event].append(f)

    on = listen
    """The name that the driver's sessions have for it."""

    def remove_listener(self, event: str, f: Callable[[Any], Any]) -> None:
        """Stop calling `f`."""
        self._listeners[event].remove(f)

    def close(self) -> None:
        """Close the connection."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Deliver complete messages, and answer pings."""
        self._socket.receive_data(data)
        if not self._taken_up.done() and (self._socket.state is State.OPEN or self._socket.handshake_exc):
            self._taken_up.set_result(self._socket.state is State.OPEN)
        for event in self._socket.events_received():
            if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.CONT):
                self._parts += event.data
                if event.fin:
                    whole, self._parts = self._parts, bytearray()
                    self._hear(json.loads(whole))
        if not self._flushing:
            self._flush()
        if self._taken_up.done() and self._socket.state is not State.OPEN:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the pending messages: the other side is gone."""
        if not self._taken_up.done():
            self._taken_up.set_result(False)
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(errors()("Target page has been closed"))

    def _hear(self, message: dict[str, Any]) -> None:
        for told in tuple(self._listeners.get(message.get("method", ""), ())):
            told(message["params"])
        answer = self._waiting.pop(message.get("id", 0), None)
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(errors()(f"Protocol error: {message['error'].get('message', '')}"))
        else:
            answer.set_result(message["result"])

    def _flush(self) -> None:
        self._flushing = False
        data = b"".join(self._socket.data_to_send())
        if data and self._transport is not None:
            self._transport.write(data)
