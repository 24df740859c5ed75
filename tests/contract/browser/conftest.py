"""A browser for the tests, a small web server with the test pages, and a person's view of both."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent.core.actions import Action, Click, Navigate, TypeText
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Settled

PAGES = Path(__file__).parents[2] / "pages"


class PageServer(http.server.SimpleHTTPRequestHandler):
    """Serves the test pages; /slow answers late, /never not at all, /download gives a file."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, directory=str(PAGES), **named)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/slow":
            time.sleep(float(query["seconds"]))
            self._answer(f"<!doctype html><title>{query['title']}</title><h1>{query['title']}</h1>".encode())
        elif parts.path == "/never":
            time.sleep(20)
        elif parts.path.startswith("/download/"):
            self._answer(b"a,b\n1,2\n", "text/csv", attachment=True)
        else:
            super().do_GET()

    def _answer(self, body: bytes, kind: str = "text/html", *, attachment: bool = False) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if attachment:
            self.send_header("Content-Disposition", "attachment")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@dataclass
class Desk:
    """What a person at the browser does: open a page, look for a thing, use it, look again."""

    computer: PageComputer
    address: str
    seen: Observation | None = None
    settled: Settled | None = None
    downloads: Path = field(default_factory=Path)

    def open(self, page: str) -> Observation:
        self.computer.start(f"{self.address}/{page}")
        self.settled = self.computer.settle()
        return self.look()

    def look(self, *, picture: bool = False) -> Observation:
        self.seen = self.computer.observe(picture=picture)
        return self.seen

    def find(self, name: str, role: str = "") -> Element:
        assert self.seen is not None
        found = [
            e
            for e in self.seen.elements
            if e.name == name and (e.role == role or (not role and not e.is_text))
        ]
        assert found, f"no {role} {name!r} among {[str(e) for e in self.seen.elements]}"
        return found[0]

    def act(self, action: Action, expected: Element | None = None) -> Observation:
        self.computer.perform(action, expected)
        self.settled = self.computer.settle()
        return self.look()

    def use(self, name: str, make: Callable[..., Action] = Click, *rest: Any, role: str = "") -> Observation:
        element = self.find(name, role)
        return self.act(make(element.box.center, *rest), element)

    def type(self, name: str, text: str, replace: bool = False) -> Observation:
        element = self.find(name)
        return self.act(TypeText(text, element.box.center, replace), element)

    def text(self) -> str:
        assert self.seen is not None
        return " | ".join(element.name for element in self.seen.elements)

    def js(self, script: str) -> Any:
        return self.computer.evaluate(script)

    def value(self, identity: str) -> Any:
        return self.js(f"document.getElementById('{identity}').value")


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PageServer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PageComputer, Path]]:
    downloads = tmp_path_factory.mktemp("downloads")
    with PageComputer(size=(1000, 900), downloads=str(downloads)) as computer:
        yield computer, downloads


@pytest.fixture
def desk(shared_browser: tuple[PageComputer, Path], address: str) -> Iterator[Desk]:
    computer, downloads = shared_browser
    yield Desk(computer, address, downloads=downloads)
    while len(computer.observe(picture=False).place.others) > 0:
        computer.call(lambda page: page.close())
        computer.settle()
    computer.perform(Navigate("about:blank"))
    computer.observe(picture=False)


@pytest.fixture
def own_desk(address: str, tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Desks with a browser of their own, for tests that break it or need other settings."""
    opened: list[PageComputer] = []

    def make(**options: Any) -> Desk:
        options = {"size": (800, 600), "downloads": str(tmp_path / "downloads"), **options}
        computer = PageComputer(**options)
        opened.append(computer)
        return Desk(computer, address, downloads=tmp_path / "downloads")

    yield make
    for computer in opened:
        computer.close()
