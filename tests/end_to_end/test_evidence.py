"""A run is done only where each action had an effect that it explains, or a later one proves it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gui_agent import Agent, BrowserComputer
from gui_agent.agent.limits import Limits
from gui_agent.core.trajectory import Result, Task
from gui_agent.planners.commands import PlainPlanner

PAGES = {
    "dead": "<button>Save</button> <label>Name <input></label>",
    "toggle": "<button onclick=\"this.setAttribute('aria-pressed', 'true')\">Bold</button>",
    "late": "<button onclick=\"setTimeout(() => document.body.append('Stored'), 900)\">Save</button>",
    "sent": "<button onclick=\"fetch('/store', {method: 'POST'})\">Save</button>",
    "refused": "<button onclick=\"fetch('/no', {method: 'POST'})\">Save</button>",
    "poll": "<button>Save</button><script>setInterval(() => fetch('/beat', {method: 'POST'}), 150)</script>",
    "ping": """<button onclick="fetch('/store', {method: 'POST'})">Save</button>
        <script>setInterval(() => fetch('/no', {method: 'POST'}), 150)</script>""",
    "next": "<p>Saved</p><script>fetch('/no', {method: 'POST'})</script>",
    "leave": "<button onclick=\"location = '/next'\">Save</button>",
    "menu": """<button onclick="setTimeout(() => rename.hidden = false, 2600)">More</button>
        <button id=rename hidden onclick="document.title = 'Renaming'">Rename</button>""",
    "below": """<button onclick="count.textContent = '1 in the cart'">Add</button>
        <div style="height: 3000px"></div><p id=count>The cart is empty</p>""",
    "moving": "<p id=a>Honey</p><p id=b>Milk</p>",
    "tabs": """<div role=tablist><button role=tab aria-selected=true>Home</button>
        <button role=tab aria-selected=false>News</button></div>""",
    "enter": "<label>Name <input onkeydown=\"if (event.key === 'Enter') m.focus()\"></label><input id=m>",
    "folded": """<div role=tree><div role=treeitem aria-expanded=false id=docs style="padding-left: 30px">
        <span onclick="docs.setAttribute('aria-expanded', 'true')" style="position: absolute; left: 10px;
        width: 20px">▸</span><span>Documents</span></div></div>""",
    "value": """<button onclick="setTimeout(() => total.textContent = '42', 2600)">Sum</button>
        <p>Total: <b id=total></b></p>""",
}
SHAPES = {
    'click "Save"': ("dead", False),
    'click "Save", type "Ada" into "Name"': ("dead", False),
    'click "Name"': ("dead", True),
    "press Enter, press ctrl+s": ("dead", False),
    "press Escape, press Tab": ("dead", True),
    'click "Save", check "Save" is shown': ("dead", True),
    'click "Bold"': ("toggle", True),
    'click "Save" ': ("late", True),
    ' click "Save"': ("sent", True),
    ' click "Save" ': ("refused", False),
    'wait 2 seconds, click "Save"': ("poll", False),
    'wait 2 seconds, click "Save" ': ("ping", True),
    '  click "Save"': ("leave", True),
    'click "More", click "Rename"': ("menu", True),
    'click "Add"': ("below", True),
    'drag "Honey" below "Milk"': ("moving", False),
    'click "Home"': ("tabs", True),
    'click "News"': ("tabs", False),
    'type "Ada" into "Name", press Enter': ("enter", False),
    'click "Sum", read "Total"': ("value", True),
    'expand "Documents"': ("folded", True),
    'click "Documents", click "Documents"': ("folded", False),
}


class _Server(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = PAGES.get(self.path[1:], "")
        self._answer(200, f"<!doctype html><title>Page</title><body>{page}".encode())

    def do_POST(self) -> None:
        self._answer(404 if self.path == "/no" else 200, b"{}")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserComputer]:
    with BrowserComputer(size=(800, 600)) as computer:
        yield computer


def result_of(browser: BrowserComputer, address: str, task: str, limits: Limits | None = None) -> Result:
    return Agent(browser, PlainPlanner(), limits=limits).run(Task(task.strip(), start=address))


@pytest.mark.parametrize("task", SHAPES)
def test_no_effect_no_done(browser: BrowserComputer, site: str, task: str) -> None:
    page, proven = SHAPES[task]
    result = result_of(browser, site + page, task)
    assert result.ok is proven, result.ending
    assert proven or result.ending.reason


def test_who_wants_it_is_told_done_with_a_remark(browser: BrowserComputer, site: str) -> None:
    result = result_of(browser, site + "dead", 'click "Save"', Limits(proof="lenient"))
    assert result.ok
    assert "nothing proves that it worked" in result.ending.reason
