"""A site that stores what its form is sent and counts it, and a scripted model that fills in that form."""

from __future__ import annotations

import html
import http.server
import json
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from tests.contract.models.conftest import chat

FORM = """<!doctype html><title>Entries</title><h1>New entry</h1>
<form method="post" action="/entries"><label>Name <input name="name" autocomplete="off"></label>
<label>Kind <select name="kind"><option>A</option><option>B</option></select></label>
<button>Save</button></form><ul>{}</ul>"""
DOWN = "<!doctype html><title>Entries</title><h1>Maintenance</h1><p>We are back at noon.</p>"
Entry = tuple[str, str]
"""What one submission held: name and kind."""


class Store:
    """The site; after each entry it leads back to the form, which is empty again."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.looks = 0
        """How often the form was given out."""
        self.is_down = False
        """Whether every page is that of the maintenance."""
        self.before_answer: Callable[[str], object] = lambda method: None
        """Called with GET or POST once what was sent is stored, and before anybody hears of it."""
        store = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                store.looks += self.path == "/"
                lines = "".join(
                    f"<li>Stored {html.escape(name)} as {kind}</li>" for name, kind in store.entries
                )
                body = (DOWN if store.is_down else FORM.format(lines)).encode()
                if self.path == "/":
                    store.before_answer("GET")
                self.send_response(200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                sent = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
                store.entries.append((sent.get("name", [""])[0], sent["kind"][0]))
                store.before_answer("POST")
                self.send_response(303)
                self.send_header("location", "/")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *arguments: Any) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def decides(number: int, **arguments: Any) -> Any:
    """An answer of a model that decides so."""
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    tool = {"id": f"call_{number}", "type": "function", "function": function}
    return chat(None, "tool_calls", tool_calls=[tool])


def commands(entries: list[Entry]) -> str:
    """Plain commands that store some entries."""
    one = 'type "{0}" into "Name", choose "{1}" in "Kind", click "Save", wait for "Stored {0} as {1}"'
    return ", ".join(one.format(*entry) for entry in entries)


def next_move(number: int, body: dict[str, Any], entries: list[Entry]) -> Any:
    """What a model does that believes what it is told of its run, and never looks at the fields again."""
    said = json.dumps(body["messages"], ensure_ascii=False)
    if "check whether it took effect" in json.dumps(body["messages"][-2:]):
        return decides(number, end={"kind": "give_up", "reason": "it may be stored already"})
    left = [(name, kind) for name, kind in entries if f"Stored {name} as {kind}" not in said]
    if not left:
        return decides(number, end={"kind": "finish"})
    calls = [
        call["function"]["arguments"] for one in body["messages"] for call in one.get("tool_calls") or ()
    ]
    filled = next((back for back, call in enumerate(reversed(calls)) if "Save" in call), len(calls))
    name, kind = left[0]
    action: dict[str, Any] = (
        {"kind": "type", "text": name, "at": {"text": "Name"}, "replace": True},
        {"kind": "choose", "option": kind, "at": {"text": "Kind"}},
        {"kind": "click", "at": {"text": "Save"}},
    )[min(filled, 2)]
    return decides(number, actions=[{"action": action}])
