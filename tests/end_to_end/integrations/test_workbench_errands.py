"""Twenty errands in the workbench by a person who uses only its pages, wide and narrow, in a real browser."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, Locator, Page, sync_playwright

from gui_agent.computers.browser.launch import find_executable
from gui_agent.integrations.runs import PagePicture
from gui_agent.procedures.library.memory import open_memory
from tests.end_to_end.integrations.test_http import Served
from tests.recorded_bar import at_button

FORM = """<!doctype html><html lang=en><title>Visits</title><h1>Visits</h1>
<form><label>Name <input name=name></label> <label>City <input name=city></label> <button>Save</button></form>
<p id=out>{said}</p><p><label>Total <output>EUR 12.50</output></label></p>
<form action=/sent><button>Send</button></form>"""
LOGIN = """<!doctype html><html lang=en><title>Log in</title>
<form action=/in><label>User <input name=user></label> <button>Enter</button></form>"""
WIDTHS = pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
PAGES = (
    "/",
    "/learned",
    "/learned?name=note-visit",
    "/learned/note-visit/correct",
    "/rows",
    "/schedules",
    "/logins",
)
EXPECTED = re.compile(r"status of 422")
"""What the browser says when the server refuses something with a reason, which the page then shows."""


class Visits(BaseHTTPRequestHandler):
    """A small site: a form that says what it saved, and a page behind a login."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        told = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
        said = f"Saved {told['name']} from {told['city']}" if told.get("name") else ""
        body = FORM.replace("{said}", "Sent" if path == "/sent" else said)
        if path in ("/private", "/in"):
            known = path == "/in" or "user=" in self.headers.get("Cookie", "")
            body = "<!doctype html><html lang=en><title>In</title><h1>Welcome back</h1>" if known else LOGIN
        data = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        if path == "/in":
            self.send_header("Set-Cookie", "user=Ada; Path=/; Max-Age=86400")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def visits() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Visits)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


class Errands:
    """A person with a browser, who does one errand after another."""

    def __init__(self, page: Page, folder: Path, site: str) -> None:
        self.page, self.folder, self.site = page, folder, site
        self.faults: list[str] = []
        self.done: list[str] = []
        page.on("console", lambda told: self._note(told.type, told.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.served = self._serve()

    def _note(self, kind: str, text: str) -> None:
        if kind == "error" and not EXPECTED.search(text):
            self.faults.append(text)

    def _serve(self) -> Served:
        made = Served(
            trace={"folder": str(self.folder / "runs")},
            memory={"path": str(self.folder / "memory.db"), "embedder": "lexical"},
        )
        self.page.goto(made.app.url)
        return made

    def restarts_the_server(self) -> None:
        self.page.goto("about:blank")
        self.served.close()
        self.served = self._serve()

    def goes(self, name: str) -> None:
        """Follow a link of the page, or of the one that lists all runs."""
        if "/view/" in self.page.url:
            self.page.get_by_role("link", name="All runs").click()
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def fills(self, name: str, text: str) -> None:
        self.page.get_by_role("textbox", name=re.compile(f"^{re.escape(name)}")).first.fill(text)

    def presses(self, name: str) -> None:
        self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).first.click()

    def opens(self, name: str) -> None:
        """Open what is folded under a line."""
        self.page.locator("summary").filter(has_text=name).first.click()

    def sees(self, text: str, seconds: float = 60) -> Locator:
        found = self.page.get_by_text(text).first
        found.wait_for(timeout=1000 * seconds)
        return found

    def waits_for_run(self) -> dict[str, Any]:
        """Wait until the run of this view has ended; its state as the page's address gives it."""
        self.page.wait_for_url("**/view/", wait_until="commit")
        run = self.page.url.rstrip("/").split("/")[-2]
        return dict(self.served.ended(run)["result"])

    def checks_off(self, errand: str) -> None:
        self.waits("document.readyState === 'complete' && document.documentElement.scrollWidth <= innerWidth")
        assert self.faults == [], errand
        self.done.append(errand)

    def looks(self, where: Callable[[Any], Any]) -> tuple[float, float]:
        """Where something is in the picture of the live view, as a person sees it."""
        self.page.wait_for_url("**/view/")
        run = next(one for one in reversed(self.served.registry.runs) if one.result is None)
        until = time.monotonic() + 30
        while run._grab is None or run.control.granted is None:
            assert time.monotonic() < until, "no screen came"
            time.sleep(0.1)
        browser = cast("PagePicture", run._grab)._browser

        async def place(browsing: Any) -> tuple[float, float]:
            page = browsing.session.current.page
            x, y = await where(page)
            size = await page.evaluate("[innerWidth, innerHeight]")
            return x / size[0], y / size[1]

        return browser.on_loop(place, 20)

    def touches(self, where: Callable[[Any], Any]) -> None:
        """Click something in the picture."""
        x, y = self.looks(where)
        picture = self.page.get_by_role("img", name="The screen as it is now")
        self.waits("document.body.classList.contains('yours')")
        self.waits("document.getElementById('screen').naturalWidth > 0")
        box = picture.bounding_box()
        assert box is not None
        self.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        time.sleep(0.5)

    def waits(self, script: str, arg: Any = None) -> None:
        """Wait until something holds in the page, whose policy allows no waiting inside."""
        until = time.monotonic() + 60
        holds = False
        while not holds:
            assert time.monotonic() < until, script
            with contextlib.suppress(Error):  # the page is being replaced by another
                holds = self.page.evaluate(script, arg)
            time.sleep(0.1)

    def types(self, text: str) -> None:
        self.page.keyboard.type(text)
        time.sleep(0.8)


def field(name: str) -> Callable[[Any], Any]:
    async def where(page: Any) -> tuple[float, float]:
        found = page.get_by_label(name).or_(page.get_by_role("button", name=name)).first
        box = await found.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    return where


def text(said: str) -> Callable[[Any], Any]:
    async def where(page: Any) -> tuple[float, float]:
        box = await page.get_by_text(said).first.bounding_box()
        return box["x"] + min(20, box["width"] / 2), box["y"] + box["height"] / 2

    return where


def bar(act: str) -> Callable[[Any], Any]:
    return lambda page: at_button(page, act)


@pytest.fixture
def errands(
    request: pytest.FixtureRequest, tmp_path: Path, visits: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Errands]:
    monkeypatch.setenv("GUIAGENT_SECRET_SHOP", "a-secret-of-the-shop")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_executable("", playwright.chromium.executable_path)
        )
        width, height = request.getfixturevalue("size")
        page = browser.new_page(
            viewport={"width": width, "height": height}, reduced_motion="reduce", locale="en"
        )
        page.set_default_timeout(30_000)
        person = Errands(page, tmp_path, visits)
        yield person
        person.served.close()
        browser.close()


def run_tasks(do: Errands) -> None:
    do.fills("Task", 'read "Total" as total')
    do.fills("Address", do.site)
    do.page.keyboard.press("Control+Enter")
    assert do.waits_for_run()["notes"] == {"total": "EUR 12.50"}
    do.checks_off("run a task by Ctrl+Enter in any field")
    do.goes("Runs")
    do.page.get_by_role("searchbox", name="Find a run").fill("total")
    do.page.keyboard.press("Enter")
    do.page.get_by_role("link", name=re.compile("^Report")).first.click()
    do.sees("Run report")
    do.checks_off("find a run and read its report")
    do.page.goto(f"{do.served.base}/")
    do.presses("Run again")
    assert do.waits_for_run()["ok"]
    do.checks_off("run it again")
    do.goes("Runs")
    do.fills("Task", 'click "Send"')
    do.fills("Address", do.site)
    do.presses("Run")
    do.page.wait_for_url("**/view/")
    do.goes("Runs")
    do.presses("Allow once")
    do.page.locator("#going li").wait_for(state="detached")
    do.checks_off("answer a question")


def choose_for_a_run(do: Errands) -> None:
    do.page.goto(f"{do.served.base}/")
    do.fills("Task", 'click "Send"')
    do.fills("Address", do.site)
    do.opens("Screen, login, model")
    do.page.get_by_role("checkbox", name=re.compile("^May send and submit")).check()
    do.presses("Run")
    do.waits_for_run()
    assert not any(event.kind == "question" for event in do.served.registry.runs[-1].events)
    do.checks_off("let a run send without asking")
    do.goes("Runs")
    do.fills("Task", 'type into "Name" the text ')
    do.opens("Screen, login, model")
    do.presses("SHOP")
    assert do.page.get_by_role("textbox", name=re.compile("^Task")).input_value().endswith("${secret:SHOP}")
    assert "a-secret-of-the-shop" not in do.page.content()
    do.checks_off("name a secret in a task")


def fail_and_restart(do: Errands) -> None:
    do.page.goto(f"{do.served.base}/")
    do.fills("Task", 'check "Nothing of the kind" is shown')
    do.fills("Address", do.site)
    do.presses("Run")
    assert not do.waits_for_run()["ok"]
    do.restarts_the_server()
    do.sees('"Nothing of the kind" is shown does not hold')
    do.checks_off("read why a run failed, after a restart")


def log_in(do: Errands) -> None:
    do.goes("Logins")
    do.fills("Name", "work")
    do.fills("Address of the site", f"{do.site}private")
    do.presses("Log in")
    do.touches(field("User"))
    do.types("Ada")
    do.touches(field("Enter"))
    do.presses("Hand back")
    assert do.waits_for_run()["ok"]
    do.checks_off("log in")
    do.goes("Runs")
    do.fills("Task", 'check "Welcome back" is shown')
    do.fills("Address", f"{do.site}private")
    do.opens("Screen, login, model")
    do.page.get_by_role("combobox", name="Login").select_option("work")
    do.presses("Run")
    assert do.waits_for_run()["ok"]
    do.checks_off("run a task behind the login")
    do.goes("Logins")
    do.sees("127.0.0.1")
    do.opens("Forget it")
    do.page.get_by_role("button", name="Forget it").first.click()
    do.sees("No login is kept.")
    do.checks_off("forget a login")


def teach(do: Errands) -> None:
    do.goes("Learned")
    do.fills("Task", "Note a visit of 'Ada' from 'Oslo'")
    do.fills("Address", do.site)
    do.fills("Name", "visit")
    do.presses("Show it")
    do.touches(field("Name"))
    do.types("Ada")
    do.touches(field("City"))
    do.types("Oslo")
    do.touches(field("Save"))
    do.touches(bar("check"))
    do.touches(text("Saved Ada"))
    do.sees('check "Saved Ada from Oslo" is shown')
    do.touches(bar("done"))
    told = do.waits_for_run()
    assert told["ok"] and told["reason"] == "learned as visit"
    do.checks_off("teach a task with a check")
    do.page.get_by_role("link", name="Learned").click()
    do.sees("Note a visit of '{name}' from '{city}'")
    do.page.get_by_role("link", name="visit", exact=True).click()
    do.fills("Name", "Grace")
    do.fills("City", "Rome")
    do.presses("Run")
    assert do.waits_for_run()["ok"]
    do.checks_off("run it with other values")


def correct(do: Errands) -> None:
    do.goes("Learned")
    do.goes("visit")
    do.goes("Correct it")
    second = do.page.get_by_role("textbox", name="Step 2")
    was = second.input_value()
    second.fill("Frobnicate the city")
    do.presses("Keep these steps")
    do.sees("is not a plain command")
    do.checks_off("be told beside its line what is not understood")
    second.fill('type "{city} (home)" into "City"')
    do.opens("Values and address for a try")
    do.fills("Name", "Kim")
    do.fills("City", "Bonn")
    do.presses("Try them")
    do.waits_for_run()
    do.goes("Learned")
    do.goes("visit")
    do.goes("Correct it")
    do.sees("This draft was tried")
    assert do.page.get_by_role("textbox", name="Step 2").input_value() == 'type "{city} (home)" into "City"'
    do.checks_off("try a draft, and find it again")
    do.presses("Keep these steps")
    do.sees('Type {city} + " (home)"')
    do.checks_off("keep a correction")
    do.goes("Correct it")
    do.presses("Use what was learned")
    do.waits("(was) => document.querySelectorAll('textarea')[1]?.value === was", arg=was)
    do.checks_off("go back to what was learned")


def keep_in_order(do: Errands) -> None:
    do.goes("Learned")
    do.goes("visit")
    do.fills("Another name", "note-visit")
    do.presses("Rename")
    do.page.get_by_role("heading", name="note-visit").wait_for()
    do.checks_off("rename a procedure")
    do.presses("Promote to a skill")
    do.page.locator("#known").get_by_text("Skill", exact=True).first.wait_for()
    do.checks_off("promote it to a skill")
    memory = open_memory(do.served.registry.settings)
    entry = memory.procedure("note-visit").entries[0]
    assert entry.demonstration is not None
    memory.keep(entry.demonstration, "from-a-friend", kind="import", reason="imported from a file")
    memory.close()
    do.goes("Learned")
    do.presses("Approve")
    do.page.get_by_role("link", name="from-a-friend").click()
    do.checks_off("approve what came from somebody else")
    do.opens("Forget it")
    do.page.get_by_role("button", name="Forget it").first.click()
    do.page.get_by_role("link", name="from-a-friend").wait_for(state="detached")
    do.checks_off("forget a procedure")


def run_a_list(do: Errands) -> None:
    file = do.folder / "people.csv"
    file.write_text("name,city\nAda,Oslo\nBo,Rome\n")
    do.goes("Lists")
    task = 'type "{name}" into "Name", type "{city}" into "City", click "Save", check "from Oslo" is shown'
    do.fills("Task", task)
    do.page.get_by_label(re.compile("^Rows")).set_input_files(file)
    do.fills("Address", do.site)
    do.opens("Screen, login, model")
    do.page.locator("form.new").get_by_role("checkbox", name=re.compile("^Allow everything")).check()
    do.presses("Show the first row")
    do.sees('1. type "Ada" into "Name"')
    do.checks_off("see how the first row will be done")
    do.presses("Run the list")
    do.sees("1 row to look at", 120)
    do.sees("(Bo, Rome)")
    do.page.get_by_role("link", name="Report Row 2").click()
    do.sees("Run report")
    do.checks_off("run a list, and look at the row that failed")
    do.page.goto(f"{do.served.base}/")
    do.restarts_the_server()
    do.goes("Lists")
    do.sees("1 row to look at")
    begun = len(list(do.folder.glob("runs/l-*/results/0002-*")))
    do.presses("Try the failed rows again")
    do.waits("!document.querySelector('#lists').textContent.includes('Working')")
    until = time.monotonic() + 60
    while len(list(do.folder.glob("runs/l-*/results/0002-*"))) == begun:
        assert time.monotonic() < until
        time.sleep(0.2)
    do.checks_off("try the failed rows again, after a restart")


def schedule(do: Errands) -> None:
    do.goes("Schedules")
    do.fills("Task", 'read "Total" as total')
    do.page.get_by_role("combobox", name="How often").select_option("every Monday")
    do.fills("Address", do.site)
    do.fills("Name", "weekly")
    do.presses("Schedule it")
    do.sees("Next:")
    do.checks_off("schedule a task, and see its next times")
    do.presses("Run it now")
    do.page.get_by_role("list", name="Last results of weekly").get_by_text("Done").wait_for(timeout=90_000)
    do.checks_off("run it now, and see the result")
    do.opens("Remove")
    do.page.get_by_role("button", name="Remove").last.click()
    do.sees("Nothing is scheduled.")
    do.checks_off("remove a schedule")


def is_accessible(do: Errands) -> None:
    """No page has a serious fault, in either scheme."""
    for scheme in ("light", "dark"):
        do.page.emulate_media(color_scheme=cast("Any", scheme), reduced_motion="reduce")
        for path in PAGES:
            do.page.goto(f"{do.served.base}{path}")
            do.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            found = Axe().run(do.page).response["violations"]
            grave = [
                (one["id"], [node["target"] for node in one["nodes"]])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            assert grave == [], (scheme, path)
            if folder := os.environ.get("PICTURES"):
                wide = do.page.evaluate("innerWidth")
                name = re.sub(r"\W+", "-", path).strip("-") or "runs"
                do.page.screenshot(path=Path(folder) / f"{name}-{wide}-{scheme}.png", full_page=True)


ERRANDS = (
    *(run_tasks, choose_for_a_run, fail_and_restart, log_in, teach),
    *(correct, keep_in_order, run_a_list, schedule),
)


@pytest.mark.slow
@pytest.mark.timeout(900)
@WIDTHS
def test_twenty_errands_are_done(size: tuple[int, int], errands: Errands) -> None:
    for one in ERRANDS:
        one(errands)
    is_accessible(errands)
    assert len(errands.done) >= 20


@pytest.mark.parametrize("size", [(390, 844)], ids=["phone"])
def test_a_task_is_taught_and_run_by_the_pages_alone(size: tuple[int, int], errands: Errands) -> None:
    teach(errands)
    assert len(errands.done) == 2
