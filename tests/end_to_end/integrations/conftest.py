"""A small site that counts what is sent to it, and a home of its own for each test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

PAGE = """<!doctype html><title>Orders</title><h1>Orders</h1>
<label>Name <input id=name></label>
<form method=post action=/sent><label>Message <input name=message></label><button>Send message</button></form>
<button onclick="document.title='Pressed'; this.textContent='Pressed'">Press me</button>
<p><label>Total <output>EUR 12.50</output></label></p>"""


LOGIN = """<!doctype html><title>Log in</title><label>User <input></label>
<label>PIN <input type=password></label>"""


class Site(ThreadingHTTPServer):
    """Serves one page, and keeps what was posted."""

    posted: list[str]

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_address[1]}/"


@pytest.fixture
def site() -> Iterator[Site]:
    """A site of its own for a test."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(LOGIN if self.path == "/login" else PAGE)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            server.posted.append(body)
            self._send("<!doctype html><title>Sent</title><p>Thank you")

        def _send(self, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None: ...

    server = Site(("127.0.0.1", 0), Handler)
    server.posted = []
    worker = threading.Thread(target=server.serve_forever, daemon=True)
    worker.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, a temporary folder and a working folder that are the test's alone."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return tmp_path
