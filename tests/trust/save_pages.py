"""A server with a form for each way in which pages save, which counts what was stored."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import struct
import threading
from typing import Any
from urllib.parse import parse_qsl, urlsplit

FORM = """<!doctype html><meta charset=utf-8><title>New note</title><h1>New note</h1>
<KIND id="note" method="post" action="/form">
<label>Name <input id="name" name="name" autocomplete="off"></label>
<label>City <input id="city" name="city" autocomplete="off"></label>
<button id="save">Save</button></KIND><p id="said" role="status"></p>
<script>
const field = (id) => document.getElementById(id);
const values = () => ({name: field("name").value, city: field("city").value});
const told = () => { field("name").value = field("city").value = ""; said.textContent = "Note saved" };
const way = "WAY";
const ways = {
  fetch: () => fetch("/api/notes", {method: "POST", body: JSON.stringify(values())}).then(told),
  xhr: () => { const x = new XMLHttpRequest(); x.open("POST", "/notes/add"); x.onload = told;
    x.send(new URLSearchParams(values())) },
  graphql: () => fetch("/graphql", {method: "POST", body: JSON.stringify({
    query: "mutation Add($n: NoteInput!) { addNote(input: $n) { id } }",
    variables: {n: values()}})}).then(told),
  beacon: () => { navigator.sendBeacon("/keep", JSON.stringify(values())); told() },
  socket: () => { const s = new WebSocket("ws://" + location.host + "/live");
    s.onopen = () => { s.send(JSON.stringify({op: "addNote", ...values()})) }; s.onmessage = told },
};
if (way !== "form") field("save").addEventListener("click", () => ways[way]());
</script>"""
SAVED = "<!doctype html><meta charset=utf-8><title>Saved</title><h1>Note saved</h1><a href=/form>Another</a>"
WAYS = ("form", "fetch", "xhr", "graphql", "beacon", "socket")


class NoteServer:
    """Serves the form of each way at `/WAY`, and keeps what was stored."""

    def __init__(self) -> None:
        self.notes: list[dict[str, str]] = []
        self.has_stored = threading.Event()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if self.headers.get("upgrade", "").lower() == "websocket":
                    self.talk()
                else:
                    way = urlsplit(self.path).path.strip("/")
                    kind = "form" if way == "form" else "div"
                    self.give(FORM.replace("WAY", way).replace("KIND", kind))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                server.store(json.loads(body) if body.startswith("{") else dict(parse_qsl(body)))
                self.give(SAVED if self.path == "/form" else "{}")

            def talk(self) -> None:
                """Shake hands, store the first message and answer it."""
                key = self.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
                self.send_response(101)
                for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade")):
                    self.send_header(name, value)
                self.send_header("Sec-WebSocket-Accept", accept)
                self.end_headers()
                head = self.rfile.read(2)
                if len(head) < 2:
                    return
                length = head[1] & 127
                length = struct.unpack(">H", self.rfile.read(2))[0] if length == 126 else length
                mask, masked = self.rfile.read(4), self.rfile.read(length)
                server.store(json.loads(bytes(one ^ mask[i % 4] for i, one in enumerate(masked))))
                self.wfile.write(b"\x81\x02ok")
                self.close_connection = True

            def give(self, text: str) -> None:
                body = text.encode()
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def store(self, sent: dict[str, Any]) -> None:
        note = sent.get("variables", {}).get("n", sent)
        self.notes.append({"name": note.get("name", ""), "city": note.get("city", "")})
        self.has_stored.set()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
