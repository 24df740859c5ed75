"""A real browser that looks at pages through the element list alone."""

from __future__ import annotations

import asyncio
import functools
import http.server
import os
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.async_api import Browser, Page, ViewportSize, async_playwright

from gui_agent.computers.browser.launch import find_executable
from gui_agent.computers.browser.look.snapshot import Seen, Snapshot, TopElement
from gui_agent.core.observation import Element, Point

T = TypeVar("T")
PAGES = Path(__file__).parents[3] / "pages"
SIZE: ViewportSize = {"width": 800, "height": 600}


class Eyes:
    """A headless browser on a loop of its own with a snapshot, and one page at a time."""

    def __init__(self, runner: asyncio.Runner, browser: Browser, blank: Page) -> None:
        self.runner = runner
        self.browser = browser
        self.blank: Page | None = blank
        """What the first page without an address is shown in: one of its own costs a second of computing."""
        self.snapshot = Snapshot()
        self.page: Page

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def show(self, html: str = "", *, name: str = "", url: str = "", **context: Any) -> None:
        """Show a page: its HTML, the name of a file in tests/pages, or an address."""
        plain = html and not context and self.blank
        self.page = plain or self.run(self.browser.new_page(**{"viewport": SIZE, **context}))
        self.blank = None if plain else self.blank
        if html:
            self.run(self.page.set_content(f"<!doctype html><title>Test</title>{html}"))
        else:
            self.run(self.page.goto(url or (PAGES / name).as_uri()))

    def look(self) -> Seen:
        return self.run(self.snapshot.take(self.page))

    def list(self) -> tuple[Element, ...]:
        return self.look().elements

    def names(self, role: str = "") -> list[str]:
        return [e.name for e in self.list() if not role or e.role == role]

    def one(self, name: str, role: str = "") -> Element:
        """The only element with this name (and role)."""
        elements = self.list()
        found = [e for e in elements if e.name == name and (not role or e.role == role)]
        assert len(found) == 1, f"{len(found)} of {role} {name!r} in {[str(e) for e in elements]}"
        return found[0]

    def by(self, value: str, key: str = "id") -> Element:
        """The only element with this value of an attribute."""
        found = [e for e in self.list() if e.attributes.get(key) == value]
        assert len(found) == 1, f"{len(found)} with {key}={value!r}"
        return found[0]

    def at(self, point: Point) -> TopElement | None:
        return self.run(self.snapshot.top_element(self.page, point))

    def js(self, expression: str) -> Any:
        return self.run(self.page.evaluate(expression))

    def click(self, element: Element, ratio: float = 1.0) -> None:
        """Click the centre of the element's box with the real mouse."""
        center = element.box.center
        self.run(self.page.mouse.click((center.x + 0.5) / ratio, (center.y + 0.5) / ratio))


@pytest.fixture(scope="session")
def seeing_browser() -> Iterator[tuple[asyncio.Runner, Browser, Page]]:
    with asyncio.Runner() as runner:
        playwright = runner.run(async_playwright().start())
        flags = ["--disable-frame-rate-limit"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        found = find_executable("", playwright.chromium.executable_path)
        browser = runner.run(playwright.chromium.launch(executable_path=found, args=flags))
        yield runner, browser, runner.run(browser.new_page(viewport=SIZE))
        runner.run(browser.close())
        runner.run(playwright.stop())


@pytest.fixture
def eyes(seeing_browser: tuple[asyncio.Runner, Browser, Page]) -> Iterator[Eyes]:
    looking = Eyes(*seeing_browser)
    blank = seeing_browser[2]
    yield looking
    looking.run(blank.goto("about:blank"))
    for context in looking.browser.contexts:
        if context is not blank.context:
            looking.run(context.close())


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves the test pages and says nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    """A web server with the test pages; `localhost` and `127.0.0.1` are two sites to a browser."""
    handler = functools.partial(Silent, directory=str(PAGES))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
