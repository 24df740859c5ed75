"""A direct line to a page: the browser's protocol over a local WebSocket, without the driver in between.

The driver passes every message through a process of its own; for the few messages of each look and action
that costs more than what the browser does with them. Pages, dialogs and downloads stay the driver's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from gui_agent.computers.browser.cdp.driver_errors import errors
from gui_agent.core.errors import ComputerLost

HOST = "127.0.0.1"
PATIENCE = 5.0
"""Seconds for the browser to take up the line."""
ANSWERING = 15.0
"""Seconds a page may take to answer a message; one that is busy for longer is taken for dead."""


class Silent(ComputerLost):
    """A page or frame has not answered in time."""


class Sender(Protocol):
    """What takes messages of the protocol for one page: a line, or a session of the driver."""

    def send(self, method: str, params: dict[str, Any] | None = None) -> Awaitable[Any]:
        """Send a message; its result can be awaited. Messages arrive in the order in which they were sent.

        Raises:
            The driver's errors.
        """

    def on(self, event: str, f: Callable[[Any], Any]) -> None:
        """Call `f` with the parameters of every event of this name."""

    def remove_listener(self, event: str, f: Callable[[Any], Any]) -> None:
        """Do not call `f` any more."""


class Limited:
    """A sender that waits for no answer longer than so many seconds, except while a dialog stands open."""

    def __init__(self, sender: Sender, seconds: float | None = None) -> None:
        self.silent = False
        """Whether the last answer did not come in time."""
        self.on = sender.on
        self.remove_listener = sender.remove_listener
        self._sender = sender
        self._seconds = seconds or ANSWERING
        self._held = False
        self._waits: set[asyncio.Timeout] = set()

    async def send(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """The answer to a message.

        Raises:
            Silent: there is none in time.
            The driver's errors.
        """
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
        """Do not count the time from now on: the page stands still until its dialog is answered."""
        self._limit(None)

    def release(self) -> None:
        """Count the time again, from the beginning."""
        self._limit(asyncio.get_running_loop().time() + self._seconds)

    def _limit(self, when: float | None) -> None:
        self._held = when is None
        for limit in self._waits:
            if not limit.expired():
                limit.reschedule(when)


async def value_of(sender: Sender, expression: str) -> Any:
    """What an expression gives in the main world of a page's main frame; promises are waited for.

    Raises:
        The driver's errors, also for an exception in the page.
    """
    asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    answer = await sender.send("Runtime.evaluate", asked)
    if "exceptionDetails" in answer:
        thrown = answer["exceptionDetails"].get("exception", {})
        raise errors()(str(thrown.get("description") or thrown.get("value") or "an error in the page"))
    return answer["result"].get("value")


class CdpConnection(asyncio.Protocol):
    """An open line; it ends with its page.

    What is sent in one turn of the loop goes out together.
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
        """The line to a page of the browser that listens on a port; None when there is none."""
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

    def on(self, event: str, f: Callable[[Any], Any]) -> None:
        """Call `f` with the parameters of every event of this name."""
        self._listeners[event].append(f)

    def remove_listener(self, event: str, f: Callable[[Any], Any]) -> None:
        """Do not call `f` any more."""
        self._listeners[event].remove(f)

    def close(self) -> None:
        """Hang up."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Hand on the messages that are whole, and answer pings."""
        self._socket.receive_data(data)
        if not self._taken_up.done() and (self._socket.state is State.OPEN or self._socket.handshake_exc):
            self._taken_up.set_result(self._socket.state is State.OPEN)
        for event in self._socket.events_received():
            if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.CONT):
                self._parts += event.data
                if event.fin:
                    whole, self._parts = self._parts, bytearray()
                    self._heard(json.loads(whole))
        if not self._flushing:
            self._flush()
        if self._taken_up.done() and self._socket.state is not State.OPEN:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody answers any more."""
        if not self._taken_up.done():
            self._taken_up.set_result(False)
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(errors()("Target page has been closed"))

    def _heard(self, message: dict[str, Any]) -> None:
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


def free_port() -> int:
    """A port of this machine that nobody listens on at the moment."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        port: int = found.getsockname()[1]
        return port
