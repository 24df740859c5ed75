"""Who may ask the server of a guest, and how much may come in with it."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote_to_bytes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


TOO_LARGE = 413


class Door:
    """Lets in who has the token, refuses what web pages send, and measures what comes in."""

    def __init__(self, app: App, token: str, most: int) -> None:
        self._app, self._token, self._most = app, token.encode(), most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refused = self._refused(headers)
        if refused:
            if refused[0] == TOO_LARGE:  # who sends without looking would not see the answer
                await _drained(receive, 8 * self._most)
            await _say(send, *refused)
            return
        came = 0

        async def measured() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > self._most:
                raise _TooMuch
            return message

        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, measured, sending)
        except _TooMuch:
            if not started:
                await _say(send, TOO_LARGE, f"more than {self._most} bytes; raise --max-upload")

    def _refused(self, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._most:
            return TOO_LARGE, f"more than {self._most} bytes; raise --max-upload"
        if b"origin" in headers or headers.get(b"sec-fetch-site", b"none") != b"none":
            return 403, "requests of web pages are refused"
        if not self._token:
            # Without a token a page could still reach this server under a name of its own (DNS rebinding).
            return None if _is_address(headers.get(b"host", b"")) else (403, "use the address, not a name")
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"bearer" or not hmac.compare_digest(unquote_to_bytes(given), self._token):
            return 401, "the token is missing or wrong; send Authorization: Bearer TOKEN"
        return None


async def _drained(receive: Receive, most: int) -> None:
    more = True
    while more and most > 0:
        message = await receive()
        most -= len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)


class _TooMuch(Exception):
    """More was sent than is taken."""


def _is_address(host: bytes) -> bool:
    name = host.decode("ascii", "replace")
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    try:
        ip_address(name)
    except ValueError:
        return name in ("localhost", "")
    return True


async def _say(send: Send, status: int, why: str) -> None:
    body = json.dumps({"status": "error", "message": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
