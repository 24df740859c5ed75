"""A simulated iPhone behind WebDriverAgent's HTTP interface: one app with a form and a long list.

It speaks the wire format of the public project appium/WebDriverAgent; it is no proof about a real device.
"""

from __future__ import annotations

import base64
import io
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from xml.sax.saxutils import quoteattr

from PIL import Image, ImageDraw

WIDTH, HEIGHT, SCALE = 390, 844, 2
TOP, ROW, ROWS, BOTTOM = 400, 44, 40, 800
"""Points: where the list begins and ends, and the height of its rows."""
APP, SETTINGS = "com.example.orders", "com.apple.Preferences"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which W3C WebDriver returns an element."""

Place = tuple[int, int, int, int]
FIELDS: dict[str, tuple[str, Place]] = {
    "Name": ("TextField", (20, 120, 350, 40)),
    "Code": ("SecureTextField", (20, 180, 350, 40)),
}
SWITCH: Place = (300, 240, 60, 32)
SEND: Place = (20, 300, 350, 50)
OK: Place = (100, 450, 190, 44)


@dataclass
class Iphone:
    """The state of the phone, changed by what arrives over HTTP."""

    app: str = APP
    texts: dict[str, str] = field(default_factory=lambda: dict.fromkeys(FIELDS, ""))
    focus: str = ""
    agreed: bool = False
    alert: str = ""
    opened: str = ""
    """The row of the list that was tapped."""
    offset: int = 0
    """Points by which the list is scrolled."""
    locked: bool = False
    session: int = 0
    touches: list[list[dict[str, Any]]] = field(default_factory=list)

    def source(self) -> str:
        parts = "".join(self._content())
        return (
            f'<?xml version="1.0"?>{_open("Application", "Orders", (0, 0, WIDTH, HEIGHT))}'
            f"{_open('Window', '', (0, 0, WIDTH, HEIGHT))}{parts}"
            "</XCUIElementTypeWindow></XCUIElementTypeApplication>"
        )

    def _content(self) -> list[str]:
        if self.app != APP:
            return [_one("StaticText", "Settings", (20, 60, 200, 30))]
        title = self.opened or "Orders"
        content = [
            _one(
                "NavigationBar", title, (0, 44, WIDTH, 50), inner=_one("StaticText", title, (160, 55, 70, 30))
            )
        ]
        if self.opened:
            return content
        for name, (kind, place) in FIELDS.items():
            text = "•" * len(self.texts[name]) if kind == "SecureTextField" else self.texts[name]
            content.append(
                _one(kind, name, place, value=text or name, more=f" placeholderValue={quoteattr(name)}")
            )
        content.append(_one("Switch", "I agree", SWITCH, value=str(int(self.agreed))))
        content.append(_one("Button", "Send", SEND, inner=_one("StaticText", "Send", SEND)))
        cells = []
        for number in range(ROWS):
            top = TOP + number * ROW - self.offset
            place, seen = (0, top, WIDTH, ROW), top >= TOP and top + ROW <= BOTTOM
            text = _one("StaticText", f"Item {number + 1}", place, seen=seen)
            cells.append(_one("Cell", "", place, inner=text, seen=seen))
        content.append(_one("Table", "", (0, TOP, WIDTH, BOTTOM - TOP), inner="".join(cells)))
        if self.focus:
            content.append(
                _one("Keyboard", "", (0, 600, WIDTH, 244), inner=_one("Key", "q", (0, 600, 39, 50)))
            )
        if self.alert:
            inner = _one("StaticText", self.alert, (100, 400, 190, 40)) + _one("Button", "OK", OK)
            content.append(_one("Alert", self.alert, (60, 380, 270, 130), inner=inner))
        return content

    def picture(self) -> bytes:
        image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), "white")
        words = [
            self.app,
            *self.texts.values(),
            str(self.agreed),
            self.alert,
            self.opened,
            str(self.offset),
            self.focus,
        ]
        ImageDraw.Draw(image).text((40, 130), "\n".join(words), fill="black")
        sink = io.BytesIO()
        image.save(sink, "PNG")
        return sink.getvalue()

    def touch(self, fingers: list[dict[str, Any]]) -> None:
        self.touches.append(fingers)
        moves = [one for one in fingers[0]["actions"] if one["type"] == "pointerMove"]
        start, end = (moves[0]["x"], moves[0]["y"]), (moves[-1]["x"], moves[-1]["y"])
        if abs(start[0] - end[0]) + abs(start[1] - end[1]) < 10:
            self._tap(*start)
        elif start[0] < 10 and end[0] > 80:
            self.opened = ""
        elif TOP <= start[1] <= BOTTOM:
            self.offset = max(0, min(ROWS * ROW - (BOTTOM - TOP), self.offset + start[1] - end[1]))

    def _tap(self, x: int, y: int) -> None:
        if self.alert:
            self.alert = "" if _within(OK, x, y) else self.alert
            return
        self.focus = next((name for name, (_, place) in FIELDS.items() if _within(place, x, y)), "")
        self.agreed ^= _within(SWITCH, x, y)
        if _within(SEND, x, y):
            self.alert = f"Sent for {self.texts['Name']}" if self.agreed else "Agree first"
        elif not self.focus and TOP <= y <= BOTTOM:
            self.opened = f"Item {(y - TOP + self.offset) // ROW + 1}"

    def type(self, letters: list[str]) -> None:
        for letter in letters:
            text = self.texts[self.focus]
            self.texts[self.focus] = text[:-1] if letter == "\b" else text + letter.strip("\n")

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Any:  # noqa: PLR0912 - one for each route
        """The value of a request, or an error as W3C names it."""
        if (method, path) == ("POST", "/session"):
            self.session += 1
            return {"sessionId": f"s{self.session}", "capabilities": {"device": "iphone"}}
        start = f"/session/s{self.session}"
        if not path.startswith(start):
            return 404, {"error": "invalid session id", "message": "Session does not exist"}
        match method, path.removeprefix(start):
            case "GET", "/source?format=xml":
                return self.source()
            case "GET", "/screenshot":
                return base64.b64encode(self.picture()).decode()
            case "GET", "/window/size":
                return {"width": WIDTH, "height": HEIGHT}
            case "GET", "/wda/activeAppInfo":
                return {"bundleId": self.app, "name": "Orders", "pid": 7}
            case "GET", "/wda/locked":
                return self.locked
            case "GET", "/element/active" if self.focus:
                return {ELEMENT: self.focus}
            case "POST", "/actions":
                self.touch(body["actions"])
            case "POST", "/wda/keys" if self.focus:
                self.type(body["value"])
            case "POST", "/wda/pressButton" if body["name"] == "home":
                self.app = "com.apple.springboard"
            case "POST", "/wda/apps/launch" if body["bundleId"] in (APP, SETTINGS):
                self.app = body["bundleId"]
            case "POST", "/element/Name/clear" | "/element/Code/clear":
                self.texts[self.focus] = ""
            case "DELETE", "":
                pass
            case _:
                return 404, {"error": "unknown command", "message": f"cannot {method} {path} now"}
        return None


class WdaServer:
    """Serves a phone on loopback until the block ends."""

    def __init__(self, phone: Iphone) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                value = phone.answer(self.command, self.path, json.loads(sent or b"{}"))
                status, value = value if isinstance(value, tuple) else (200, value)
                data = json.dumps({"value": value, "sessionId": f"s{phone.session}"}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_DELETE = do_GET

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> WdaServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _within(place: Place, x: int, y: int) -> bool:
    return place[0] <= x < place[0] + place[2] and place[1] <= y < place[1] + place[3]


def _open(kind: str, name: str, place: Place, value: str = "", seen: bool = True, more: str = "") -> str:
    kind = f"XCUIElementType{kind}"
    told = f" name={quoteattr(name)} label={quoteattr(name)}" if name else ""
    told += f" value={quoteattr(value)}" if value else ""
    sides = " ".join(
        f'{side}="{part}"' for side, part in zip(("x", "y", "width", "height"), place, strict=True)
    )
    return (
        f'<{kind} type="{kind}"{told} enabled="true" visible="{str(seen).lower()}" accessible="true"'
        f' {sides} index="0"{more}>'
    )


def _one(
    kind: str, name: str, place: Place, *, value: str = "", inner: str = "", seen: bool = True, more: str = ""
) -> str:
    return f"{_open(kind, name, place, value, seen, more)}{inner}</XCUIElementType{kind}>"
