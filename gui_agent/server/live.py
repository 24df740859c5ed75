"""A live view of a run in the browser, and the feed that connects it with the run."""

from __future__ import annotations

import contextlib
import hmac
import io
import json
import os
import queue
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from gui_agent.agent.limits import RunControl
from gui_agent.core.actions import (
    Action,
    Back,
    Button,
    Click,
    Drag,
    LongPress,
    Press,
    Scroll,
    Swipe,
    TypeText,
)
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.observation import Point, Size
from gui_agent.core.os_errors import replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.protocols import Closing
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import PERSON, Trajectory
from gui_agent.trace.events import Event, Events

if TYPE_CHECKING:
    from PIL.Image import Image

STATE, SOCKET = "run.json", "requests"
SHOWN = 200
"""Most steps that the view shows; the report has all."""
LARGEST = 1 << 14
"""Most bytes of a request."""
WHEEL = 5_000
"""Most pixels that one request may scroll."""
FINISHING = "finishing what is under way"
_HERE: dict[Path, queue.SimpleQueue[Any]] = {}
"""Queues of requests to the runs of this process."""


class Feed(Events):
    """An observer that writes events for the view, and steers the run on requests from the view."""

    def __init__(
        self,
        folder: Path,
        *,
        attended: bool = False,
        recorded: bool = False,
        phone: bool = False,
        replies: Callable[[str, str], None] | None = None,
    ) -> None:
        """
        Args:
            folder: private to this user; files of an earlier run in it are removed.
            attended: whether a person watches the view, so that the run may wait for them.
            recorded: whether their actions become a demonstration, which the page then says.
            phone: whether the screen is a touch screen with a Back button.
            replies: takes the person's answer to a question of the run, by the question's id.
        """
        super().__init__(self.put_event)
        self._folder, self.attended, self._replies, self._recorded = folder, attended, replies, recorded
        self._state: dict[str, Any] = {"task": "", "steps": [], "next": "", "state": "waiting", "ending": ""}
        self._state |= {"said": "", "recorded": recorded, "phone": phone}
        self._asked = _HERE[folder.resolve()] = queue.SimpleQueue()
        self._socket = _listening_socket(folder)
        self._write()

    def steer(self, control: RunControl) -> None:
        control.listen(self._obey)

    def ended(self, trajectory: Trajectory) -> None:
        """The run has ended; stop listening."""
        super().ended(trajectory)
        self.close()

    def close(self) -> None:
        """Stop listening; safe to call twice."""
        _HERE.pop(self._folder.resolve(), None)
        if self._socket is not None:
            self._socket.close()
            (self._folder / SOCKET).unlink(missing_ok=True)

    def put_event(self, event: Event) -> None:
        """Add an event to the state that the page shows."""
        state, said = self._state, shorten(event.text, 200)
        match event.kind:
            case "started":
                state |= {"task": shorten(event.text, 400), "steps": [], "state": "running"}
            case "decision":
                state["next"] = "; ".join(event.data["planned"])
                if event.data["planner"] == PERSON and event.data["thought"]:
                    state["said"] = f"you said: {said}"
            case "step":
                state["steps"] = [*state["steps"], event.as_dict()][-SHOWN:]
                state["next"] = ""
            case "said":
                state["said"] = said
                state["steps"] = state["steps"][: -1 if event.data.get("undone") else None]
            case "question":
                state["question"] = {"id": event.data.get("id", ""), "text": event.text, **event.data}
            case "answered":
                state["question"] = None
            case "ended" | "result":  # a run that could not begin has a result only
                state |= {"state": "ended", "ending": shorten(event.text, 400), "next": "", "said": ""}
        self._write()

    def _obey(self, control: RunControl) -> None:
        for asked in self._requests():
            match asked.get("do"):
                case "pause":
                    control.pause()
                case "take":
                    control.take_over()
                case "go":
                    control.resume()
                case "stop":
                    control.stop()
                case "answer" if self._replies is not None:
                    with contextlib.suppress(ConfigError):
                        self._replies(str(asked.get("question")), str(asked.get("answer")))
                case "say" if isinstance(asked.get("text"), str):
                    control.tell(asked["text"])
                case _ if (action := action_of(asked, control.size)) is not None:
                    control.act(action)
        state = control.granted or "running"
        if self._state["state"] not in (state, "ended"):
            self._state |= {"state": state, "recorded": self._recorded or control.records}
            self._write()
        elif control.held and not control.granted and self._state["said"] != FINISHING:
            self.tell(FINISHING)

    def _requests(self) -> Iterator[Mapping[str, Any]]:
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._asked.get_nowait()
        with contextlib.suppress(OSError):
            while self._socket is not None:
                with contextlib.suppress(ValueError):
                    asked = parse_json(self._socket.recv(LARGEST))
                    if isinstance(asked, dict):
                        yield asked

    def _write(self) -> None:
        replace_file(self._folder / STATE, json.dumps(self._state, ensure_ascii=False).encode())


def state(folder: Path) -> dict[str, Any]:
    """The last state of the run in a folder; empty if there was none."""
    with contextlib.suppress(OSError, ValueError):
        told: dict[str, Any] = parse_json((folder / STATE).read_text(encoding="utf-8"))
        return told
    return {}


def ask(folder: Path, request: Mapping[str, Any]) -> bool:
    """Send a request to the run in a folder. Returns False if no run listens there.

    Args:
        request: `do` is pause, go, stop, take, say (`text`), or an action of the person: click, drag, scroll
            (`x`, `y` as fractions of the picture), type (`text`), press (`keys`).
    """
    here = _HERE.get(folder.resolve())
    if here is not None:
        here.put(dict(request))
        return True
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, _address(folder) as address:
            sender.sendto(json.dumps(request).encode(), address)
    except (OSError, AttributeError):
        return False
    return True


def action_of(asked: Mapping[str, Any], size: Size) -> Action | None:
    def point(across: str = "x", down: str = "y") -> Point:
        x, y = float(asked[across]), float(asked[down])
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise ValueError(across)
        return Point(min(int(x * size.width), size.width - 1), min(int(y * size.height), size.height - 1))

    def pixels(name: str) -> int:
        return max(-WHEEL, min(WHEEL, round(float(asked.get(name, 0)))))

    buttons: dict[object, Button] = {"left": "left", "middle": "middle", "right": "right"}
    with contextlib.suppress(KeyError, TypeError, ValueError, OverflowError):
        match asked["do"]:
            case "click":
                return Click(point(), buttons[asked.get("button", "left")], 2 if asked.get("twice") else 1)
            case "hold":
                return LongPress(point())
            case "swipe":
                return Swipe(point(), point("to_x", "to_y"))
            case "back":
                return Back()
            case "drag":
                return Drag(point(), point("to_x", "to_y"))
            case "scroll":
                return Scroll(point(), pixels("down"), pixels("right"))
            case "type":
                return TypeText(_texts([asked["text"]])[0])
            case "press":
                return Press(_texts(asked["keys"]))
    return None


def _texts(given: Iterable[Any]) -> tuple[str, ...]:
    texts = tuple(given)
    if not texts or not all(isinstance(one, str) and one for one in texts):
        raise ValueError(given)
    return texts


@contextlib.contextmanager
def _address(folder: Path) -> Iterator[str]:
    """The address of a folder's socket; a long path is replaced by a short one, because addresses are
    limited.
    """
    path = folder / SOCKET
    if len(os.fsencode(path)) < 100:
        yield str(path)
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{handle}/{SOCKET}"
    finally:
        os.close(handle)


def _listening_socket(folder: Path) -> socket.socket | None:
    """A socket for requests of other processes, if the system supports it."""
    try:
        (folder / SOCKET).unlink(missing_ok=True)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    except (OSError, AttributeError):
        return None
    try:
        made.setblocking(False)
        with _address(folder) as address:
            made.bind(address)
        (folder / SOCKET).chmod(0o600)
    except OSError:
        made.close()
        return None
    return made


HOST = "127.0.0.1"
COOKIE = "guiagent"
FRAMES = 8
"""Most pictures per second; only changed ones are sent."""
ALIVE = 5.0
"""Seconds after which an unchanged picture is sent again, so that a closed page is noticed."""
WIDEST = 1280
"""Largest width in pixels of a picture in the view."""
BOUNDARY = "picture"
PAGE = Path(__file__).with_name("live.html")
POLICY = (
    "default-src 'none'; img-src 'self' data:; connect-src 'self'; "
    "style-src 'unsafe-inline'; script-src 'nonce-{0}'; frame-ancestors 'none'"
)
"""No other program's page may show ours in a frame, where a click meant for it could answer a question."""
SAFE = {
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}  # fmt: skip
"""Headers of every response except the picture stream."""


def view_page(title: str, nonce: str, language: str = "en", words: Mapping[str, str] | None = None) -> str:
    """The page of the live view.

    Args:
        words: the texts of the language by the English ones.
    """
    said = json.dumps(dict(words or {}), ensure_ascii=False).replace("<", "\\u003c")
    told = {"title": escape(title), "nonce": nonce, "language": language, "words": said}
    return re.sub(r"\{\{(\w+)\}\}", lambda place: told[place[1]], PAGE.read_text(encoding="utf-8"))


class LiveServer(Closing):
    """Serves the live view until it is closed.

    Only a browser with the token sees anything. Requests with another host name are refused, so that no web
    page can reach the server through a domain that points to this machine.
    """

    def __init__(self, folder: Path, picture: Callable[[], Image], title: str, port: int = 0) -> None:
        """Start to serve.

        Args:
            folder: the folder of the run's `Feed`.
            picture: returns the current screen; called from several threads.
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
        """Stop serving; safe to call twice."""
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
            self._send(200, "application/json", json.dumps(state(self.live.folder)).encode())
        elif address.path == "/stream":
            self._stream()
        else:
            self._send(404, "text/plain", b"There is no such page.\n")

    def do_POST(self) -> None:
        told = self.headers.get("Content-Length", "")
        length = int(told) if told.isascii() and told.isdecimal() else -1
        if not 0 <= length <= LARGEST:
            self.close_connection = True
            self._send(413, "text/plain", b"Too long, or of unknown length.\n")
            return
        body = self.rfile.read(length)
        if not self._is_for_us():
            return
        # A page of another origin can send a form here, but not this header.
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
        elif not ask(self.live.folder, asked):
            self._send(409, "text/plain", b"No run listens.\n")
        else:
            self._send(200, "application/json", b"{}")

    def log_message(self, *_: object) -> None:
        """Do not log requests in the terminal."""

    def _is_for_us(self) -> bool:
        allowed = {f"{name}:{self.live.port}" for name in (HOST, "localhost")}
        if self.headers.get("Host", "") in allowed:
            return True
        self._send(421, "text/plain", b"This server only answers on this machine.\n")
        return False

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.live.token.encode())

    def _cookie(self) -> str:
        found = SimpleCookie(self.headers.get("Cookie", "")).get(f"{COOKIE}-{self.live.port}")
        return found.value if found else ""

    def _enter(self) -> None:
        """Remove the token from the address, where histories and screenshots would keep it."""
        cookie = f"{COOKIE}-{self.live.port}={self.live.token}; HttpOnly; SameSite=Strict; Path=/"
        self._head(303, {"Location": "/", "Set-Cookie": cookie, "Content-Length": "0"})

    def _page(self) -> None:
        nonce = secrets.token_urlsafe(12)
        page = view_page(self.live.title, nonce)
        self._send(200, "text/html; charset=utf-8", page.encode(), POLICY.format(nonce))

    def _stream(self) -> None:
        parts = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
        self._head(200, {"Content-Type": parts, "Cache-Control": "no-store", "Connection": "close"})
        last, sent = b"", 0.0
        try:
            while not self.live.closed.wait(1 / FRAMES):
                picture = self.live.picture()
                raw = picture.tobytes()
                if raw == last and time.monotonic() - sent < ALIVE:
                    continue
                last, sent = raw, time.monotonic()
                self.wfile.write(stream_part(jpeg(picture)))
        except (OSError, ComputerLost):
            self.close_connection = True

    def _send(self, code: int, kind: str, body: bytes, policy: str = "default-src 'none'") -> None:
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        self._head(code, headers | SAFE)
        self.wfile.write(body)

    def _head(self, code: int, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def stream_part(data: bytes) -> bytes:
    """A picture of a stream, twice: a browser shows one only when the next one begins."""
    head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
    return (head.encode() + data + b"\r\n") * 2


def jpeg(picture: Image) -> bytes:
    """A picture for a view: JPEG, at most `WIDEST` pixels wide."""
    if picture.width > WIDEST:
        picture = picture.resize((WIDEST, round(picture.height * WIDEST / picture.width)))
    sink = io.BytesIO()
    picture.save(sink, "JPEG", quality=70)
    return sink.getvalue()
