"""A site on this machine whose answers a test makes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SmallSite:
    """Serves HTML until it is closed; `url` ends with a slash."""

    def __init__(self, get: Callable[[str], str], post: Callable[[str], str]) -> None:
        """
        Args:
            get: the answer to a GET, by its path.
            post: the answer to a POST, by its body.
        """

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(get(self.path))

            def do_POST(self) -> None:
                self.answer(post(self.rfile.read(int(self.headers["Content-Length"])).decode()))

            def answer(self, text: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
