"""A person lends one tab of an open browser to a run, by the real extension, and takes it back."""

from __future__ import annotations

import http.server
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from guiagent_platforms.own_browser.computer import OwnBrowserComputer
from guiagent_platforms.own_browser.relay import TabRelay
from person_browser import PersonBrowser, person_browser
from playwright.sync_api import Error
from private import until

from gui_agent import LiveScreen
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.protocols import Computer
from gui_agent.testing import check_computer

PAGES = {
    "/": "<title>Form</title><label>Name <input></label><button onclick=\"fetch('/sent').then(() =>"
    " out.textContent = 'Saved ' + document.querySelector('input').value)\">Save</button><p id=out></p>"
    "<a href=/second>Second</a> <a href=/elsewhere target=_blank>Elsewhere</a>"
    "<form method=post action=/order target=_blank id=f></form><button onclick=f.submit()>Show</button>",
    "/second": "<title>Second</title><h1>Second page</h1><a href=/>Back</a> "
    "<a href=/second target=_blank>Also</a>",
    "/outer": "<title>Outer</title><iframe src='FAR/' width=600 height=200></iframe>",
}
SENT: list[str] = []
"""What came from tabs that the page opened."""


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the pages; FAR is this server under another name, so a frame of it has its own process."""

    def do_POST(self) -> None:
        SENT.append(self.path)
        self.send_error(404)

    def do_GET(self) -> None:
        if self.path == "/elsewhere":
            SENT.append(self.path)
        far = f"http://localhost:{self.server.server_address[1]}"
        body = f"<!doctype html>{PAGES.get(self.path, '')}".replace("FAR", far).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "signed=in")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None: ...


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonBrowser]:
    with person_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def person(browser: PersonBrowser) -> Iterator[PersonBrowser]:
    yield browser
    browser.close_tabs()


def test_a_run_uses_the_lent_tab_and_gives_it_back(
    person: PersonBrowser, address: str, tmp_path: Path
) -> None:
    page, tab = person.open_tab(address)
    mine, _ = person.open_tab(f"{address}/second")
    task = 'type "Ada" into "Name", click "Save", wait for "Saved Ada"'
    command = [sys.executable, "-m", "gui_agent", "run", task, "--on", "own-browser", "--runs", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        code = next(found[0] for line in run.stderr if (found := re.search(r"\d+-[0-9a-f]{24}", line)))
        assert person.lend(tab, code) == ""
        assert person.badge(tab) == "ON"
        said = run.stderr.read()
        assert run.wait(60) == 0, said
    assert page.inner_text("#out") == "Saved Ada"
    assert (mine.title(), mine.url) == ("Second", f"{address}/second")
    until(lambda: person.badge(tab) == "", "the end of the badge")
    assert "No run waits" in person.lend(tab, code)


def test_the_lent_tab_keeps_the_promises_of_a_computer(person: PersonBrowser, address: str) -> None:
    page, tab = person.open_tab(address)

    def make() -> Computer:
        page.goto(address)
        return contexts.enter_context(person.lent(tab))

    with ExitStack() as contexts:
        check_computer(make)


def test_frames_of_other_sites_in_the_tab_are_used(person: PersonBrowser, address: str) -> None:
    page, tab = person.open_tab(f"{address}/outer")
    with person.lent(tab) as computer:
        assert LiveScreen(computer).act('type "Bo" into "Name", click "Save", wait for "Saved Bo"').ok
    assert page.frames[1].inner_text("#out") == "Saved Bo"


def test_the_tab_follows_links_and_stays_as_it_is_when_the_run_ends(
    person: PersonBrowser, address: str
) -> None:
    page, tab = person.open_tab(address)
    size = page.evaluate("[innerWidth, innerHeight, devicePixelRatio]")
    with person.lent(tab) as computer:
        steps = LiveScreen(computer)
        assert steps.act('click "Second"').ok and steps.check("Second page").ok
        assert steps.act('click "Back"').ok
        assert person.badge(tab) == "ON"
    assert page.title() == "Form" and not page.is_closed()
    page.reload()
    assert page.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == size
    assert "[native code]" in page.evaluate("Element.prototype.attachShadow.toString()")


def test_a_tab_behind_another_one_is_used_and_stays_behind(person: PersonBrowser, address: str) -> None:
    page, tab = person.open_tab(address)
    with person.lent(tab) as computer:
        mine, _ = person.open_tab(f"{address}/second")
        assert LiveScreen(computer).act('type "Cy" into "Name", click "Save", wait for "Saved Cy"').ok
        assert computer.observe().screenshot is not None
        front = person.worker.evaluate("async () => (await chrome.tabs.query({active: true}))[0].id")
        assert front != tab
    assert page.inner_text("#out") == "Saved Cy" and mine.title() == "Second"


def test_nothing_but_the_tab_can_be_reached(person: PersonBrowser, address: str) -> None:
    person.open_tab(f"{address}/second")
    _, tab = person.open_tab(address)
    with person.lent(tab) as computer:

        async def reach() -> list[str]:
            session = computer._open.session
            context, cdp = session.opened.context, session.current.cdp
            found = [page.url for page in context.pages]
            for work in (
                context.cookies(),
                context.new_page(),
                cdp.send("Network.getAllCookies"),
                cdp.send("Network.getCookies", {"urls": [address]}),
                cdp.send("Storage.getCookies"),
                cdp.send("Target.createTarget", {"url": address}),
                cdp.send("Browser.close"),
            ):
                with pytest.raises(Error, match=r"not possible|not lent"):
                    await work
            return found

        assert computer.on_loop(lambda _: reach()) == [f"{address}/"]


def test_the_page_sends_nothing_from_a_new_tab_and_the_person_still_opens_tabs(
    person: PersonBrowser, address: str
) -> None:
    _, tab = person.open_tab(address)
    SENT.clear()
    with person.lent(tab) as computer:
        before = len(person.context.pages)
        for name in ("Elsewhere", "Show"):
            with pytest.raises(ActionFailed, match="in a new tab, which is not lent; go to it"):
                LiveScreen(computer).act(f'click "{name}"')
        until(lambda: len(person.context.pages) == before, "the end of the page's tabs")
        mine, _ = person.open_tab(f"{address}/second")
        with person.context.expect_page() as opened:
            mine.click("text=Also")
        assert opened.value.inner_text("h1") == "Second page"
    assert SENT == []


@pytest.mark.parametrize(("how", "reason"), [("button", "you ended it"), ("close", "you closed the tab")])
def test_the_person_ends_it_at_any_time(person: PersonBrowser, address: str, how: str, reason: str) -> None:
    page, tab = person.open_tab(address)
    with person.lent(tab) as computer:
        computer.observe()
        page.close() if how == "close" else person.end(tab)
        until(lambda: computer._session is None or computer._session.lost, "the end")
        with pytest.raises(ComputerLost, match=f"{reason}; start again and lend it once more"):
            computer.observe()


def test_another_code_or_another_caller_is_refused(person: PersonBrowser, address: str) -> None:
    page, tab = person.open_tab(address)
    relay = TabRelay(str)
    try:
        assert "This is not a code" in person.lend(tab, "secret")
        assert "No run waits" in person.lend(tab, f"{relay.code[:-1]}x")
        knocks = "(to) => new Promise(said => {const s = new WebSocket(to);"
        knocks += "s.onopen = () => said('open'); s.onerror = () => said('refused')})"
        port, key = relay.code.split("-")
        assert page.evaluate(knocks, f"ws://127.0.0.1:{port}/{key}") == "refused"
        assert page.evaluate(knocks, relay.address) == "refused"
        assert person.lend(tab, relay.code) == ""
        _, another = person.open_tab(address)
        assert "No run waits" in person.lend(another, relay.code)
        assert person.badge(tab) == "ON"
    finally:
        relay.close()
    until(lambda: person.badge(tab) == "", "the end of the badge")


def test_a_page_of_the_browser_itself_cannot_be_lent(person: PersonBrowser) -> None:
    _, tab = person.open_tab("chrome://version")
    relay = TabRelay(str)
    try:
        assert "cannot be lent" in person.lend(tab, relay.code)
        with pytest.raises(ComputerLost, match=r"no tab was lent within 0.1 s; start again"):
            relay.wait_for_tab(0.1)
    finally:
        relay.close()


def test_a_run_that_gets_no_tab_ends() -> None:
    with pytest.raises(ComputerLost, match="no tab was lent"):
        OwnBrowserComputer(wait=0.1, tell_code=lambda code: None)
