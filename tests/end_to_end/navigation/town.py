"""A small site with every kind of navigation, served from this machine; pages answer as quickly as they can.

`python -m tests.end_to_end.navigation.town` serves it until Ctrl+C, for a look at it by hand.
"""

from __future__ import annotations

import contextlib
import http.server
import threading
import time
from collections.abc import Callable, Iterator
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

LINKS = 150
"""On a page, as a list of products or messages has."""
HOPS = 6
"""Of a chain of redirects, each by another means."""


def link(to: str, words: str, more: str = "") -> str:
    return f'<p><a href="{escape(to)}" {more}>{words}</a>'


def form(to: str, method: str = "post", more: str = "") -> str:
    return (
        f'<form action="{to}" method="{method}" {more}><label>Name <input name="name"></label>'
        '<label>City <input name="city"></label><button>Register</button></form>'
    )


def button(words: str, script: str) -> str:
    return f'<p><button type="button" onclick="{escape(script)}">{words}</button>'


def go(to: str) -> str:
    return f"location.href = '{to}'"


REBUILT = """<div id="list"></div><script>
  const make = () => document.getElementById("list").innerHTML = Array.from({length: 800},
    (_, n) => `<p>Row ${n} <a href="/place?name=Harbour">x${n}</a>`).join("");
  make(); setInterval(make, 15);
</script>"""
WRITTEN = "document.open(); document.write('<!doctype html><h1>Written</h1>'); document.close()"
UNSAVED = "<script>addEventListener('beforeunload', (event) => event.preventDefault())</script>"
PUSHED = "history.pushState({}, '', '/place?name=Tower'); document.querySelector('h1').textContent = 'Tower'"
CLIMBING = """<script>
  const step = Number(new URLSearchParams(location.search).get("step") || 0);
  if (step < 25) location.replace("/climb?step=" + (step + 1)); else location.replace("/place?name=Summit");
</script>"""

PAGES: dict[str, str] = {
    "/": "".join(link(f"/place?name=Street {n}", f"Street {n}") for n in range(1, LINKS + 1)),
    "/forms/plain": form("/register?then=plain"),
    "/forms/302": form("/register?then=302"),
    "/forms/303": form("/register?then=303"),
    "/forms/307": form("/register?then=307"),
    "/forms/meta": form("/register?then=meta"),
    "/forms/script": form("/register?then=script"),
    "/forms/chain": form("/register?then=chain"),
    "/forms/slow": form("/register?then=slow"),
    "/forms/get": form("/place", "get"),
    "/forms/framed": form("/register?then=plain", more='target="inside"') + '<iframe name="inside"></iframe>',
    "/forms/leaving": form("/register?then=plain") + UNSAVED,
    "/elsewhere": link("/other-host?name=Abroad", "Abroad"),
    "/slow": link("/late/headers", "Late headers")
    + link("/late/body", "Late body")
    + link("/late/picture", "Late picture"),
    "/later": button("Later", f"setTimeout(() => {{ {go('/place?name=Later')} }}, 400)")
    + button("Much later", f"setTimeout(() => {{ {go('/place?name=Evening')} }}, 1500)"),
    "/scripts": button("Push", PUSHED)
    + button("Replace", "location.replace('/place?name=Replaced')")
    + button("Write", WRITTEN)
    + link("#below", "Fragment")
    + '<p id="below">Below',
    "/tabs": link("/place?name=Blank", "Blank", 'target="_blank"')
    + button("Window", "window.open('/place?name=Window')")
    + button("Closing", "window.open('/closing')")
    + button("Posted", "document.forms[0].submit()")
    + form("/register?then=303", more='target="_blank"'),
    "/closing": button("Done", "window.close()"),
    "/files": link("/download", "Report") + link("/nothing", "Nothing") + link("/place?name=Home", "Home"),
    "/reloading": button("Again", "location.reload()"),
    "/restless": '<meta http-equiv="refresh" content="2">' + link("/place?name=Quiet", "Quiet"),
    "/forever": '<meta http-equiv="refresh" content="0">',
    "/rebuilt": link("/place?name=Harbour", "Harbour") + REBUILT,
    "/climb": CLIMBING,
    "/high": link("/climb", "Climb"),
    "/hanging": button("Hang", "for (;;);") + link("/place?name=Home", "Home"),
    "/unsaved": f"{UNSAVED}<label>Note <input></label>" + link("/place?name=Left", "Leave"),
}


class Town(http.server.ThreadingHTTPServer):
    """The server; it counts what was registered, by name, so that nothing can be lost or done twice."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Visit)
        self.registered: dict[str, int] = {}
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up in the midst of an answer is no fault."""


@contextlib.contextmanager
def town() -> Iterator[Town]:
    """A town that is open for as long as it is used."""
    with Town() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class _Visit(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Town

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        special: dict[str, Callable[[dict[str, str]], None]] = {
            "/place": lambda query: self._page(query.get("name", "?"), PAGES["/"]),
            "/hop": self._hop,
            "/other-host": self._other_host,
            "/late/headers": self._late_headers,
            "/late/body": self._late_body,
            "/late/picture": lambda _: self._page("Late picture", '<img src="/picture" alt="A picture">'),
            "/picture": self._late_headers,
            "/download": lambda _: self._send(b"a,b\n1,2\n", "text/csv", attachment=True),
            "/nothing": lambda _: self._send(b"", status=204),
        }
        if parts.path in special:
            special[parts.path](query)
        elif parts.path in PAGES:
            self._page(parts.path, PAGES[parts.path])
        else:
            self._send(b"<!doctype html><h1>Not found", status=404)

    def do_POST(self) -> None:
        told = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        name, then = told.get("name", [""])[0], self.path.partition("then=")[2]
        if then == "307":
            return self._redirect("/register?then=303", 307)
        with self.server.lock:
            self.server.registered[name] = self.server.registered.get(name, 0) + 1
        match then:
            case "302" | "303":
                self._redirect("/place?name=Thank you", int(then))
            case "meta" | "script" | "chain":
                self._hop({"left": str(HOPS if then == "chain" else 1), "by": then})
            case "slow":
                time.sleep(0.8)
                self._page("Thank you", link("/", "Home"))
            case _:
                self._page("Thank you", link("/", "Home"))

    def _hop(self, query: dict[str, str]) -> None:
        """One redirect of a chain; each page of it uses another way to send the browser on."""
        left, by = int(query["left"]), query.get("by", "chain")
        to = f"/hop?left={left - 1}" if left > 1 else "/place?name=Thank you"
        ways = ("302", "meta", "script")
        match ways[left % 3] if by == "chain" else by:
            case "302":
                self._redirect(to, 302)
            case "meta":
                self._page("Wait", f'<meta http-equiv="refresh" content="0; url={escape(to)}">')
            case _:
                self._page("Wait", f"<script>{go(to)}</script>")

    def _other_host(self, query: dict[str, str]) -> None:
        """The same server under another name: another site, and so another process of the browser."""
        self._redirect(f"http://localhost:{self.server.server_address[1]}/place?name={query['name']}", 302)

    def _late_headers(self, _query: dict[str, str]) -> None:
        time.sleep(1.2)
        self._page("Late headers", link("/", "Home"))

    def _late_body(self, _query: dict[str, str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        parts = (
            "<!doctype html><title>Late body</title><h1>Late ",
            "body</h1>",
            "<p>One",
            "<p>Two",
            "<p>End",
        )
        for part in parts:
            self.wfile.write(part.encode())
            self.wfile.flush()
            time.sleep(0.25)
        self.close_connection = True

    def _page(self, title: str, body: str) -> None:
        title = escape(title)
        page = f"<!doctype html><meta charset=utf-8><title>{title}</title><h1>{title}</h1>{body}"
        self._send(page.encode())

    def _redirect(self, to: str, status: int) -> None:
        self._send(b"", status=status, more={"Location": to.replace(" ", "%20")})

    def _send(
        self,
        body: bytes,
        kind: str = "text/html",
        *,
        status: int = 200,
        attachment: bool = False,
        more: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), **(more or {})}
        if attachment:
            headers["Content-Disposition"] = 'attachment; filename="report.csv"'
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


if __name__ == "__main__":
    with Town(8000) as served:
        print(f"{served.address} until Ctrl+C")
        with contextlib.suppress(KeyboardInterrupt):
            served.serve_forever()
