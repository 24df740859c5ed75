"""The shared part of local HTTP servers: access from this machine only with a token, bodies, own pages."""

from __future__ import annotations

import hmac
import json
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import SimpleCookie
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel, ConfigDict, StringConstraints
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gui_agent.core.errors import ConfigError
from gui_agent.core.parsing import parse_json
from gui_agent.server.live import HOST, POLICY, SAFE

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
NAMES = (HOST, "localhost")
LARGEST = 1 << 20
"""Maximum bytes of a request."""
SANDBOX = {"content-security-policy": "sandbox allow-scripts; connect-src 'none'; form-action 'none'"}
"""Sandbox for a report, which may not run scripts with access to this server."""
Text = Annotated[str, StringConstraints(max_length=20_000)]
Word = Annotated[str, StringConstraints(max_length=200)]
K = TypeVar("K", bound="Body")


class Body(BaseModel):
    """The allowed fields of a request; others are rejected."""

    model_config = ConfigDict(extra="forbid", strict=True)


class LocalApp:
    """An ASGI application around another, which passes on only requests from this machine with the token.

    Refuses pages from elsewhere. A browser gets the token once in the address and keeps it as a cookie;
    programs send it as a bearer token.
    """

    def __init__(self, app: App, port: int = 0, token: str = "") -> None:
        self.token = token or secrets.token_urlsafe(24)
        self._app = app
        self._socket = socket.socket()
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((HOST, port))
            self._socket.listen(128)
        except OSError as error:
            self._socket.close()
            why = f"port {port} is not available ({error.strerror})"
            raise ConfigError(f"{why}; choose another with --port") from error
        self.port: int = self._socket.getsockname()[1]
        self._hosts = {f"{name}:{self.port}" for name in NAMES}
        self._server: Any = None

    @property
    def url(self) -> str:
        """The address for a browser, with the token."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def serve(self) -> None:
        """Serve until `close`, or Ctrl+C."""
        import uvicorn

        config = uvicorn.Config(self, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
        self._server = uvicorn.Server(config)
        self._server.run(sockets=[self._socket])

    def close(self) -> None:
        """Stop serving; may be called from any thread."""
        if self._server is not None:
            self._server.should_exit = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if headers.get("host", "") not in self._hosts:
            await problem(send, 421, "This server is for this machine only")
        elif (origin := headers.get("origin")) and urlsplit(origin).netloc not in self._hosts:
            await problem(send, 403, "Requests of other pages are refused")
        elif given and scope["path"] == "/" and self._is(given):
            await self._enter(send)
        elif self._is(headers.get("authorization", "").removeprefix("Bearer ")):
            await self._app(scope, receive, send)
        elif not self._is(self._cookie(headers)):
            await problem(send, 401, "A token is required: Authorization: Bearer ...; guiagent prints it")
        elif scope["method"] not in ("GET", "HEAD") and headers.get("x-guiagent") != "1":
            await problem(send, 403, "A page must send the header X-Guiagent: 1")
        else:
            await self._app(scope, receive, send)

    def _is(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _cookie(self, headers: MutableMapping[str, str]) -> str:
        found = SimpleCookie(headers.get("cookie", "")).get(f"guiagent-{self.port}")
        return found.value if found else ""

    async def _enter(self, send: Send) -> None:
        """Remove the token from the address, where histories and screenshots would keep it."""
        cookie = f"guiagent-{self.port}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        await _send(send, 303, b"", [("location", "/"), ("set-cookie", cookie)])


async def problem(send: Send, status: int, title: str) -> None:
    """An error as `application/problem+json`."""
    body = json.dumps({"type": "about:blank", "title": title, "status": status}).encode()
    kind = ("content-type", "application/problem+json")
    await _send(send, status, body, [kind, *([("www-authenticate", "Bearer")] if status == 401 else [])])


async def _send(send: Send, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    sent = [*headers, ("content-length", str(len(body))), ("cache-control", "no-store")]
    coded = [(name.encode(), value.encode("latin-1")) for name, value in sent]
    await send({"type": "http.response.start", "status": status, "headers": coded})
    await send({"type": "http.response.body", "body": body})


async def read_json(request: Request) -> Any:
    """The body of a request. Raises HTTPException if it is not JSON, or too long."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST:
            raise HTTPException(413, f"a request may have at most {LARGEST} bytes")
    try:
        return parse_json(body or b"{}")
    except ValueError as error:
        raise HTTPException(400, "the body is not JSON") from error


async def read_body(request: Request, kind: type[K]) -> K:
    return kind.model_validate(await read_json(request))


def own_page(text: Callable[[str], str]) -> Response:
    """A page of ours, which runs only its own script."""
    nonce = secrets.token_urlsafe(12)
    page = text(nonce)
    return HTMLResponse(page, headers={**SAFE, "Content-Security-Policy": POLICY.format(nonce)})
