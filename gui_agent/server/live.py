"""A small web server on this machine alone: the page of a run, its steps, and the screen as a stream."""

from __future__ import annotations

import hmac
import io
import json
import secrets
import threading
import time
from collections.abc import Callable
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.parsing import parse_json
from gui_agent.core.protocols import Closing
from gui_agent.server import feed

if TYPE_CHECKING:
    from PIL.Image import Image

HOST = "127.0.0.1"
COOKIE = "guiagent"
FRAMES = 8
"""Pictures per second at most; only those that changed are sent."""
ALIVE = 5.0
"""Seconds after which a picture is sent again, so that a closed page is noticed."""
WIDEST = 1280
BOUNDARY = "picture"
PAGE = Path(__file__).with_name("live.html")
POLICY = (
    "default-src 'none'; img-src 'self' data:; connect-src 'self'; "
    "style-src 'unsafe-inline'; script-src 'nonce-{0}'"
)


class LiveServer(Closing):
    """Serves the live view until it is closed.

    Only who has the token sees anything. Requests for other hosts than this machine are refused, so that no
    page of the web can reach it through a name that leads here.
    """

    def __init__(self, folder: Path, picture: Callable[[], Image], title: str, port: int = 0) -> None:
        """Begin to serve.

        Args:
            folder: where the run tells what it does (`Feed`).
            picture: the screen now; called from several threads.
            port: 0 takes a free one.
        """
        self.token = secrets.token_urlsafe(24)
        self.folder = folder
        self.picture = picture
        self.title = title
        self.closed = threading.Event()
        handler = type("Bound", (_Handler,), {"live": self})
        try:
            self._server = ThreadingHTTPServer((HOST, port), handler)
        except OSError as error:
            why = f"port {port} cannot be used ({error.strerror})"
            raise ConfigError(f"{why}; take another with --port") from error
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def close(self) -> None:
        """End serving; safe to call twice."""
        if not self.closed.is_set():
            self.closed.set()
            self._server.shutdown()
            self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    live: LiveServer
    protocol_version = "HTTP/1.1"
    server_version = "guiagent"
    timeout = 30.0
    sys_version = ""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if not self._is_for_us():
            return
        given = parse_qs(address.query).get("token", [""])[0]
        if given and address.path == "/" and self._is_token(given):
            self._enter()
        elif not self._is_token(self._cookie()):
            self._send(403, "text/plain", b"The address with the token is needed; guiagent prints it.\n")
        elif address.path == "/":
            self._page()
        elif address.path == "/steps":
            self._send(200, "application/json", json.dumps(feed.state(self.live.folder)).encode())
        elif address.path == "/stream":
            self._stream()
        else:
            self._send(404, "text/plain", b"There is no such page.\n")

    def do_POST(self) -> None:
        """What the person asks of the run: hold, go on, end, a message, a click."""
        told = self.headers.get("Content-Length", "")
        length = int(told) if told.isascii() and told.isdecimal() else -1
        if not 0 <= length <= feed.LARGEST:
            self.close_connection = True
            self._send(413, "text/plain", b"Too long, or of unknown length.\n")
            return
        body = self.rfile.read(length)
        if not self._is_for_us():
            return
        # A page of another origin can send a form here, but not with this header.
        own = self.headers.get("X-Guiagent") == "1" and self._is_token(self._cookie())
        try:
            asked = parse_json(body)
        except ValueError:
            asked = None
        if not own:
            self._send(403, "text/plain", b"Not allowed.\n")
        elif self.path != "/do":
            self._send(404, "text/plain", b"There is no such page.\n")
        elif not isinstance(asked, dict):
            self._send(400, "text/plain", b"A request is a JSON object.\n")
        elif not feed.ask(self.live.folder, asked):
            self._send(409, "text/plain", b"No run listens.\n")
        else:
            self._send(200, "application/json", b"{}")

    def log_message(self, *_: object) -> None:
        """Requests are no news for the terminal."""

    def _is_for_us(self) -> bool:
        allowed = {f"{name}:{self.live.port}" for name in (HOST, "localhost")}
        if self.headers.get("Host", "") in allowed:
            return True
        self._send(421, "text/plain", b"This server is for this machine alone.\n")
        return False

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.live.token.encode())

    def _cookie(self) -> str:
        found = SimpleCookie(self.headers.get("Cookie", "")).get(f"{COOKIE}-{self.live.port}")
        return found.value if found else ""

    def _enter(self) -> None:
        """Take the token out of the address, where histories and screenshots would keep it."""
        self.send_response(303)
        self.send_header("Location", "/")
        cookie = f"{COOKIE}-{self.live.port}={self.live.token}; HttpOnly; SameSite=Strict; Path=/"
        self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _page(self) -> None:
        from html import escape

        nonce = secrets.token_urlsafe(12)
        page = PAGE.read_text(encoding="utf-8").replace("{{title}}", escape(self.live.title))
        policy = POLICY.format(nonce)
        self._send(200, "text/html; charset=utf-8", page.replace("{{nonce}}", nonce).encode(), policy)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        last, sent = b"", 0.0
        try:
            while not self.live.closed.wait(1 / FRAMES):
                picture = self.live.picture()
                raw = picture.tobytes()
                if raw == last and time.monotonic() - sent < ALIVE:
                    continue
                last, sent = raw, time.monotonic()
                data = jpeg(picture)
                head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                self.wfile.write(head.encode() + data + b"\r\n")
        except (OSError, ComputerLost):
            self.close_connection = True

    def _send(self, code: int, kind: str, body: bytes, policy: str = "default-src 'none'") -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(body)


def jpeg(picture: Image) -> bytes:
    """A picture for a view: JPEG, at most `WIDEST` wide."""
    if picture.width > WIDEST:
        picture = picture.resize((WIDEST, round(picture.height * WIDEST / picture.width)))
    sink = io.BytesIO()
    picture.save(sink, "JPEG", quality=70)
    return sink.getvalue()
