"""Carries DevTools messages between a driver and the one tab that a person lends by the extension."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.errors import ComputerLost
from guiagent_platforms.own_browser.shared_tab import SharedTab, To

EXTENSION = Path(__file__).parent / "extension"
"""The folder to load into the browser once."""
STARTING, GREETING = 10.0, 10.0
"""Seconds for the relay to start or end, and for the extension to name its tab after it has connected."""
LARGEST = 256 * 2**20
"""Bytes of the largest message, such as a screenshot."""


def extension_origin() -> str:
    """The origin of the extension, which Chrome derives from the key in its manifest."""
    key = json.loads((EXTENSION / "manifest.json").read_text("utf-8"))["key"]
    digits = hashlib.sha256(base64.b64decode(key)).hexdigest()[:32]
    return f"chrome-extension://{''.join('abcdefghijklmnop'[int(digit, 16)] for digit in digits)}"


class TabRelay:
    """Listens on this machine alone, for one extension that knows the code, and for one driver."""

    def __init__(self, tell_end: Callable[[str], None]) -> None:
        """
        Args:
            tell_end: called with the reason when the lent tab goes away.
        """
        self._tell_end = tell_end
        self._code, self._key = secrets.token_hex(12), secrets.token_hex(24)
        self._origin = extension_origin()
        self._sockets: dict[To, ServerConnection] = {}
        self._shared: SharedTab | None = None
        self._lent = asyncio.Event()
        self._thread = LoopThread("gui_agent.own_browser", "the relay")
        self._server: Server = self._thread.call(self._start(), STARTING)
        self._port: int = next(iter(self._server.sockets)).getsockname()[1]

    @property
    def code(self) -> str:
        """What the person gives to the extension; it works once."""
        return f"{self._port}-{self._code}"

    @property
    def address(self) -> str:
        """Where the driver attaches."""
        return f"ws://127.0.0.1:{self._port}/{self._key}"

    def wait_for_tab(self, seconds: float) -> None:
        """Wait until the person has lent a tab.

        Raises:
            ComputerLost: the person did not within these seconds.
        """
        self._thread.call(self._wait(seconds), seconds + STARTING)

    def close(self) -> None:
        """Give the tab back; may be called twice."""
        if self._thread.running:
            self._thread.call(self._stop(), STARTING, least=1.0)
        self._thread.stop()

    async def _start(self) -> Server:
        return await serve(
            self._serve, "127.0.0.1", 0, process_request=self._refusal, max_size=LARGEST, ping_interval=None
        )

    async def _wait(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._lent.wait(), seconds)
        except TimeoutError as error:
            raise ComputerLost(
                f"no tab was lent within {seconds:g} s; start again and give the new code to the extension"
            ) from error

    async def _stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    def _refusal(self, connection: ServerConnection, request: Request) -> Response | None:
        """The refusal of a stranger, or None: every page and program on this machine can knock here."""
        paths = {To.TAB: (f"/{self._code}", self._origin), To.DRIVER: (f"/{self._key}", None)}
        for whose, (path, origin) in paths.items():
            is_known = secrets.compare_digest(request.path.encode(), path.encode())
            if is_known and request.headers.get("Origin") == origin and whose not in self._sockets:
                self._sockets[whose] = connection
                return None
        return connection.respond(HTTPStatus.FORBIDDEN, "this code is wrong or was used before\n")

    async def _serve(self, socket: ServerConnection) -> None:
        is_tab = socket is self._sockets.get(To.TAB)
        try:
            with suppress(ConnectionClosed):
                await (self._serve_tab(socket) if is_tab else self._serve_driver(socket))
        finally:
            if is_tab and self._shared is not None:
                self._tell_end(socket.close_reason or "its browser was closed")
            other = self._sockets.get(To.DRIVER if is_tab else To.TAB)
            if other is not None:
                await other.close(reason="the run is over")

    async def _serve_tab(self, socket: ServerConnection) -> None:
        greeting = json.loads(await asyncio.wait_for(socket.recv(), GREETING))
        shared = self._shared = SharedTab(greeting["targetInfo"], greeting["userAgent"])
        self._lent.set()
        async for text in socket:
            for to, message in shared.take_from_tab(json.loads(text)):
                await self._send(to, message)

    async def _serve_driver(self, socket: ServerConnection) -> None:
        async for text in socket:
            assert self._shared is not None, "the driver attaches after the tab was lent"
            for to, message in self._shared.take_from_driver(json.loads(text)):
                await self._send(to, message)

    async def _send(self, to: To, message: dict[str, Any]) -> None:
        if to in self._sockets:
            await self._sockets[to].send(json.dumps(message))
