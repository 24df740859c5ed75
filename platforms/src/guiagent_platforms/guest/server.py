"""The server inside a guest: OSWorld's routes, and faster ones of our own with typed actions."""

from __future__ import annotations

import contextlib
import hmac
import json
import socket
import struct
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gui_agent import plugins
from gui_agent.core import codec, deadline
from gui_agent.core.actions import Action, Open
from gui_agent.core.aiming import limit_violation
from gui_agent.core.errors import ActionFailed, ConfigError, GuiAgentError, MissingExtra, Stale
from gui_agent.core.observation import Element, Observation, Screenshot
from gui_agent.core.protocols import Opening, Settled
from gui_agent.core.validation_errors import explain

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from gui_agent.computers.desktop.computer import DesktopComputer
    from guiagent_platforms.guest.xml_tree import XmlTree

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
TOO_LARGE = 413


class Door:
    """Admits requests with the token, refuses those of web pages, and limits the size of bodies."""

    def __init__(self, app: App, token: str, most: int) -> None:
        self._app, self._token, self._most = app, token.encode(), most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refused = self._refusal(headers)
        if refused:
            if refused[0] == TOO_LARGE:  # a client that sends without reading would not see the answer
                await _drain(receive, 8 * self._most)
            await _say(send, *refused)
            return
        came, started = 0, False

        async def count_bytes() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > self._most:
                raise _TooMuch
            return message

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, count_bytes, sending)
        except _TooMuch:
            if not started:
                await _say(send, TOO_LARGE, f"more than {self._most} bytes; raise --max-upload")

    def _refusal(self, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._most:
            return TOO_LARGE, f"more than {self._most} bytes; raise --max-upload"
        if b"origin" in headers or headers.get(b"sec-fetch-site", b"none") != b"none":
            return 403, "requests of web pages are refused"
        if not self._token:
            # Without a token, a page could still reach this server under its own name (DNS rebinding).
            return None if _is_address(headers.get(b"host", b"")) else (403, "use the address, not a name")
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"bearer" or not hmac.compare_digest(unquote_to_bytes(given), self._token):
            return 401, "the token is missing or wrong; send Authorization: Bearer TOKEN"
        return None


async def _drain(receive: Receive, most: int) -> None:
    more = True
    while more and most > 0:
        message = await receive()
        most -= len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)


class _TooMuch(Exception):
    """The body is larger than allowed."""


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


FORMAT = "guiagent-guest-1"
LENGTH = struct.Struct(">I")
RUNS = ("command", "executable")
"""Kinds of opening that are forbidden unless clients may run programs."""
REMEMBERED = 64
"""Number of answers to requests with side effects that are kept in case of a retry."""
MOST = 256 * 1024 * 1024
"""Maximum bytes of one upload, unless another limit is given."""
LONGEST = 400
"""Maximum letters of an error message."""
NOT_ALLOWED = "running commands is off; start the server with --allow-execute, in a guest for benchmarks only"


class Nothing(BaseModel):
    """An empty request."""


class GuestRequest(BaseModel):
    """A request to the guest; unknown keys are ignored, as in OSWorld's server."""

    model_config = ConfigDict(extra="ignore")


class Perform(GuestRequest):
    """An action of the vocabulary, and its target element."""

    action: dict[str, Any]
    expected: dict[str, Any] | None = None


class Named(GuestRequest):
    """A program, file or address."""

    name: str = Field(max_length=4096)


@dataclass(frozen=True, slots=True)
class GuestRoute:
    """One route of the server."""

    method: str
    path: str
    model: type[BaseModel]
    handler: Callable[[Any, Any], Any]
    """Called in a thread with the guest and the request; returns text, JSON values or a response."""
    form: bool = False
    """Whether the request consists of form fields instead of JSON."""
    runs: bool = False
    """Whether the route runs commands, so that it is off unless allowed."""


@dataclass(slots=True)
class Guest:
    """The served desktop, and the permissions on it."""

    desktop: DesktopComputer
    tree: XmlTree
    token: str = ""
    execute: bool = False
    most: int = MOST
    done: OrderedDict[str, tuple[int, Any]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def once(self, number: str, work: Callable[[], Any]) -> Any:
        """Do something once for each request number; a retry returns the first answer."""
        if not number:
            return work()
        with self.lock:
            if number not in self.done:
                try:
                    self.done[number] = (200, work())
                except (ActionFailed, Stale) as error:
                    self.done[number] = (409, error)
                while len(self.done) > REMEMBERED:
                    self.done.popitem(last=False)
            status, answer = self.done[number]
        if status != 200:
            raise answer
        return answer


def about(guest: Guest, _: Nothing) -> dict[str, Any]:
    """Information about this server."""
    size = guest.desktop.device.size
    where = {"platform": guest.desktop.platform, "size": [size.width, size.height]}
    return {"format": FORMAT, **where, "execute": guest.execute}


def observe(guest: Guest, _: Nothing) -> bytes:
    """Picture, elements and place in one answer: length of the JSON, JSON, picture."""
    return pack(guest.desktop.observe())


def observe_elements(guest: Guest, _: Nothing) -> bytes:
    """Elements and place without a picture."""
    return pack(guest.desktop.observe(picture=False))


def perform(guest: Guest, asked: Perform) -> dict[str, Any]:
    """Carry out one action."""
    try:
        action: Action = codec.decode(Action, json.dumps(asked.action), source="the action")
        expected: Element | None = None
        if asked.expected is not None:
            expected = codec.decode(Element, json.dumps(asked.expected), source="the element")
    except ConfigError as error:
        raise ActionFailed(str(error)) from error
    if too_much := limit_violation(action):
        raise ActionFailed(too_much)
    if isinstance(action, Open):
        _may_open(guest, action.name)
    guest.desktop.perform(action, expected)
    return {}


def settle(guest: Guest, _: Nothing) -> Any:
    """Wait until the screen has come to rest."""
    return codec.plain(guest.desktop.settle(), Settled)


def start(guest: Guest, asked: Named) -> dict[str, Any]:
    """Open the start of a task."""
    _may_open(guest, asked.name)
    guest.desktop.start(asked.name)
    return {}


def opening(guest: Guest, asked: Named) -> Any:
    """What opening a name would start."""
    return codec.plain(guest.desktop.opening(asked.name), Opening)


def programs(guest: Guest, _: Nothing) -> list[list[str]]:
    """The command lines of the programs with windows, in the order of their start."""
    shown = {window.pid for window in guest.desktop.device.windows() if window.pid > 0 and not window.popup}
    found = []
    for number in sorted(shown):
        with contextlib.suppress(OSError):  # it has just ended
            line = Path(f"/proc/{number}/cmdline").read_text(errors="replace")
            found.append(line.rstrip("\0").split("\0"))
    return found


def _may_open(guest: Guest, name: str) -> None:
    if name and not guest.execute and guest.desktop.opening(name).kind in RUNS:
        raise ActionFailed(f'"{name}" would run a command on the guest; {NOT_ALLOWED}')


OURS = (
    GuestRoute("GET", "/v1/about", Nothing, about),
    GuestRoute("GET", "/v1/observe", Nothing, observe),
    GuestRoute("GET", "/v1/elements", Nothing, observe_elements),
    GuestRoute("GET", "/v1/programs", Nothing, programs),
    GuestRoute("POST", "/v1/perform", Perform, perform),
    GuestRoute("POST", "/v1/settle", Nothing, settle),
    GuestRoute("POST", "/v1/start", Named, start),
    GuestRoute("POST", "/v1/opening", Named, opening),
)


def pack(seen: Observation) -> bytes:
    """An observation as bytes: the length of the JSON, the JSON, the picture."""
    shot = seen.screenshot
    told = codec.encode(replace(seen, screenshot=None))
    kind = (shot.media_type if shot else "").encode().ljust(16)
    return LENGTH.pack(len(told)) + told + (kind + shot.data if shot else b"")


def unpack(data: bytes) -> Observation:
    """An observation from bytes. Raises ConfigError if they are damaged."""
    if len(data) < LENGTH.size:
        raise ConfigError("the guest's answer is truncated; check that both sides have the same version")
    end = LENGTH.size + LENGTH.unpack_from(data)[0]
    seen: Observation = codec.decode(Observation, data[LENGTH.size : end], source="the guest's answer")
    rest = data[end:]
    if not rest:
        return seen
    kind = rest[:16].decode("ascii", "replace").strip()
    media: Any = kind if kind in ("image/png", "image/jpeg", "image/webp") else "image/png"
    return replace(seen, screenshot=Screenshot(rest[16:], seen.size, media))


def make_app(guest: Guest) -> Door:
    """The server of a guest as an ASGI application."""
    try:
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse
        from starlette.routing import Route as StarletteRoute
    except ImportError as error:
        raise MissingExtra("guest", "the server of a guest") from error
    routes = (
        *OURS,
        *chain.from_iterable(
            plugins.find("guest_routes", name)() for name in plugins.installed_parts("guest_routes")
        ),
    )
    described = _openapi(routes)

    async def openapi(_: Request) -> Response:
        return JSONResponse(described)

    app: Starlette = Starlette(
        routes=[
            StarletteRoute("/openapi.json", openapi, methods=["GET"]),
            *(StarletteRoute(one.path, _endpoint(guest, one), methods=[one.method]) for one in routes),
        ]
    )
    return Door(app, guest.token, guest.most)


def serve(
    listener: socket.socket,
    *,
    display: str = "",
    session: str = "",
    token: str = "",
    execute: bool = False,
    most: int = MOST,
    renamed: Mapping[str, str] | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve this process's desktop until the server is stopped.

    Args:
        listener: a listening socket.
        display: such as `:1`; empty for the environment's.
        session: address of the D-Bus session.
        renamed: names of programs in the XML tree.
        ready: called once requests will be answered.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtra("guest", "the server of a guest") from error
    from gui_agent.computers.x11.computer import X11Computer
    from guiagent_platforms.guest.xml_tree import XmlTree

    with X11Computer(
        display=display, session=session, panic_key="", corner_stop=False, observe="tree"
    ) as desktop:
        guest = Guest(desktop, XmlTree(session, renamed), token, execute, most)
        config = uvicorn.Config(
            make_app(guest),
            log_level="warning",
            access_log=False,
            timeout_keep_alive=600,
            lifespan="off",
            server_header=False,
        )
        ready()
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            guest.tree.close()


def _endpoint(guest: Guest, route: GuestRoute) -> Callable[[Request], Awaitable[Response]]:
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse, PlainTextResponse, Response

    async def endpoint(request: Request) -> Response:
        if route.runs and not guest.execute:
            return JSONResponse({"status": "error", "message": NOT_ALLOWED}, 403)
        try:
            asked = await _read(request, route)
        except (ValidationError, ValueError, RecursionError) as error:
            why = explain(error) if isinstance(error, ValidationError) else "the request is invalid"
            return JSONResponse({"status": "error", "message": why}, 400)
        number = request.headers.get("x-request-id", "") if route.method == "POST" and route in OURS else ""

        def work() -> Any:
            with deadline.ends_in(120.0) if route in OURS else deadline.ends_in(3600.0):
                return guest.once(number, lambda: route.handler(guest, asked))

        try:
            answer = await run_in_threadpool(work)
        except (ActionFailed, Stale) as error:
            return JSONResponse({"error": type(error).__name__, "message": str(error)}, 409)
        except GuiAgentError as error:
            return JSONResponse({"error": type(error).__name__, "message": str(error)}, 503)
        except (OSError, ValueError) as error:  # an invalid file name, an unreadable file ...
            return JSONResponse({"status": "error", "message": str(error)[:LONGEST]}, 500)
        if isinstance(answer, Response):
            return answer
        if isinstance(answer, bytes):
            return Response(answer, media_type="application/octet-stream")
        return PlainTextResponse(answer) if isinstance(answer, str) else JSONResponse(answer)

    return endpoint


async def _read(request: Request, route: GuestRoute) -> BaseModel:
    if route.model is Nothing:
        return Nothing()
    if route.form:
        from starlette.exceptions import HTTPException

        try:
            form = await request.form(max_files=4, max_fields=16)
        except (HTTPException, AssertionError, KeyError) as error:
            raise ValueError("no form") from error
        return route.model.model_validate(dict(form))
    body = await request.body()
    return route.model.model_validate_json(body or b"{}")


def _openapi(routes: tuple[GuestRoute, ...]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for route in routes:
        told: dict[str, Any] = {
            "summary": (route.handler.__doc__ or "").partition("\n")[0],
            "responses": {
                "200": {"description": "done"},
                "400": {"description": "the request is invalid"},
                "401": {"description": "the token is missing or wrong"},
                "403": {"description": "not allowed"},
                "404": {"description": "not found"},
                "409": {"description": "the action is not possible"},
                "500": {"description": "the action was tried and failed"},
            },
        }
        if route.model is not Nothing:
            schema = route.model.model_json_schema()
            kind = "multipart/form-data" if route.form else "application/json"
            told["requestBody"] = {"required": True, "content": {kind: {"schema": schema}}}
        paths.setdefault(route.path, {})[route.method.lower()] = told
    bearer = {"type": "http", "scheme": "bearer"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "guiagent guest", "version": FORMAT},
        "components": {"securitySchemes": {"token": bearer}},
        "security": [{"token": []}],
        "paths": paths,
    }
