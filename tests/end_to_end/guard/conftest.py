"""Real pages that tell a server when harm was done, the real guard, and a planner that obeys."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from obedient import Obedient

from gui_agent.computers.browser import BrowserComputer


@pytest.fixture(scope="session")
def browser() -> Iterator[BrowserComputer]:
    with BrowserComputer() as computer:
        yield computer


@pytest.fixture
def obedient(browser: BrowserComputer) -> Iterator[Obedient]:
    """A browser in front of a server that shows what it is given and counts what is sent to it."""
    served: dict[str, str] = {}
    sent: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/harm"):
                sent.append(self.path)
            self._say(served.get(self.path, "<!doctype html><title>none</title><p>nothing"))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            sent.append(self.path)
            if self.path == "/moved":
                self.send_response(303)
                self.send_header("Location", "/thanks")
                self.end_headers()
                return
            self._say("<!doctype html><title>Thanks</title><h1>Thank you</h1><a href='/next'>Next</a>")

        do_PUT = do_DELETE = do_POST

        def _say(self, page: str) -> None:
            body = page.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Obedient(browser, f"http://127.0.0.1:{server.server_port}", served, sent)
        server.shutdown()
