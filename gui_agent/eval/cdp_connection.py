"""A direct line to a page: the browser's protocol over a local WebSocket, without the driver in between.

The driver passes every message through a process of its own; for the few messages of each look and action
that costs more than what the browser does with them. Pages, dialogs and downloads stay the driver's.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import socket
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from gui_agent.computers.browser.cdp.driver_errors import errors

HOST = "127.0.0.1"
PATIENCE = 5.0
"""Seconds for the browser to take up the line."""
_TEXT, _CLOSING, _PING, _PONG = 0x1, 0x8, 0x9, 0xA
_LAST, _MASKED = 0x80, 0x80
_NO_MASK = b"\0\0\0\0"
"""The mask is there for proxies between client and server; here is none."""


class CdpConnection(asyncio.Protocol):
    """An open line; it ends with its page.

    What is sent in one turn of the loop goes out together.
    """

    def __init__(self) -> None:
        self._outgoing = bytearray()
        self._incoming = bytearray()
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
                _, line = await loop.create_connection(cls, HOST, port)
                line._write(_greeting(port, target))
                if await line._taken_up:
                    return line
                line.close()
        return None

    def send(self, method: str, params: dict[str, Any] | None = None) -> asyncio.Future[Any]:
        """Send a message in this turn of the loop; the result comes with the future."""
        self._last += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self._transport is None or self._transport.is_closing():
            answer.set_exception(errors()("Target page has been closed"))
            return answer
        self._waiting[self._last] = answer
        message = {"id": self._last, "method": method, "params": params or {}}
        self._write(frame(json.dumps(message).encode()))
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
        made = transport.get_extra_info("socket")
        if made is not None:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        """Take what has come so far apart."""
        self._incoming += data
        if not self._taken_up.done():
            head, end, rest = self._incoming.partition(b"\r\n\r\n")
            if not end:
                return
            self._incoming = rest
            self._taken_up.set_result(head.split(b" ", 2)[1:2] == [b"101"])
        while (taken := unframed(self._incoming)) is not None:
            kind, last, payload, size = taken
            del self._incoming[:size]
            self._take(kind, last, payload)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody answers any more."""
        if not self._taken_up.done():
            self._taken_up.set_result(False)
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(errors()("Target page has been closed"))

    def _take(self, kind: int, last: bool, payload: bytes) -> None:
        if kind == _PING:
            self._write(frame(payload, _PONG))
        elif kind == _CLOSING:
            self.close()
        elif kind != _PONG:  # a text, or a further part of one
            self._parts += payload
            if last:
                whole, self._parts = self._parts, bytearray()
                self._heard(json.loads(whole))

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

    def _write(self, data: bytes) -> None:
        if not self._outgoing:
            asyncio.get_running_loop().call_soon(self._flush)
        self._outgoing += data

    def _flush(self) -> None:
        data, self._outgoing = bytes(self._outgoing), bytearray()
        if data and self._transport is not None:
            self._transport.write(data)


def frame(payload: bytes, kind: int = _TEXT) -> bytes:
    """A message as a client sends it (RFC 6455)."""
    size = len(payload)
    if size < 126:
        head = bytes((_LAST | kind, _MASKED | size))
    elif size < 1 << 16:
        head = bytes((_LAST | kind, _MASKED | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((_LAST | kind, _MASKED | 127)) + size.to_bytes(8, "big")
    return head + _NO_MASK + payload


def unframed(data: bytes | bytearray) -> tuple[int, bool, bytes, int] | None:
    """The first frame that a server sent: kind, whether it is the last part, content and size of all.

    Returns:
        None while it is not complete.
    """
    if len(data) < 2:
        return None
    size, start = data[1] & 0x7F, 2
    if size >= 126:
        start = 4 if size == 126 else 10
        if len(data) < start:
            return None
        size = int.from_bytes(data[2:start], "big")
    if len(data) < start + size:
        return None
    return data[0] & 0x0F, bool(data[0] & _LAST), bytes(data[start : start + size]), start + size


def free_port() -> int:
    """A port of this machine that nobody listens on at the moment."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        port: int = found.getsockname()[1]
        return port


def _greeting(port: int, target: str) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET /devtools/page/{target} HTTP/1.1\r\nHost: {HOST}:{port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()
