"""`guiagent serve` as programs and people meet it: real server, real browser, many clients, any input."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import sync_playwright
from starlette.routing import Route

from gui_agent.cli import call
from gui_agent.computers.browser.launch import find_executable
from gui_agent.integrations.http import Api, description
from gui_agent.integrations.local import LocalApp
from gui_agent.integrations.runs import ServedRun
from gui_agent.integrations.session_registry import SessionRegistry
from gui_agent.settings import load
from gui_agent.testing import FakeComputer, button, field, screen
from tests.end_to_end.integrations.conftest import Site

SEND = 'type "hello" into "Message", click "Send message", wait for "Thank you"'


class Served:
    """A server of this process, and a client that has its token."""

    def __init__(self, **sections: Any) -> None:
        self.registry = SessionRegistry(load(usual=sections), attended=True)
        self.app = LocalApp(Api(self.registry).app())
        self._thread = threading.Thread(target=self.app.serve, daemon=True)
        self._thread.start()
        self.base = f"http://127.0.0.1:{self.app.port}"
        self.token = {"Authorization": f"Bearer {self.app.token}"}
        self.web = httpx2.Client(base_url=self.base, headers=self.token, timeout=60)

    def ended(self, run: str) -> dict[str, Any]:
        """The run once it has ended."""
        until = time.monotonic() + 200
        while (now := self.web.get(f"/runs/{run}").json())["status"] != "ended":
            assert time.monotonic() < until, now
            time.sleep(0.05)
        return dict(now)

    def asks(self, run: str) -> str:
        """The question that a run waits with."""
        until = time.monotonic() + 200
        while (now := self.web.get(f"/runs/{run}").json())["status"] != "waiting":
            assert now["status"] != "ended" and time.monotonic() < until, now
            time.sleep(0.05)
        return str(now["question"]["id"])

    def close(self) -> None:
        """End it."""
        self.web.close()
        self.app.close()
        self._thread.join(60)
        self.registry.shut()
        assert not self._thread.is_alive()


@pytest.fixture
def served() -> Iterator[Served]:
    """A server with a real browser."""
    made = Served()
    yield made
    made.close()


@pytest.fixture
def bare() -> Iterator[Served]:
    """A server whose runs see no screen, for everything but runs."""
    made = Served(computer={"kind": "gui_agent.planners.cascade:NullComputer"}, trace={"folder": ""})
    yield made
    made.close()


def events(text: str) -> list[dict[str, Any]]:
    """The data of server-sent events."""
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_a_task_is_begun_once_answered_once_and_followed_over_a_reconnect(served: Served, site: Site) -> None:
    web, key = served.web, {"Idempotency-Key": "order-7"}
    begun = web.post("/runs", json={"task": SEND, "url": site.url}, headers=key)
    assert begun.status_code == 201
    run = begun.json()["run"]
    assert begun.headers["location"] == f"/runs/{run}"
    assert web.post("/runs", json={"task": SEND, "url": site.url}, headers=key).json()["run"] == run
    other = web.post("/runs", json={"task": 'click "x"', "url": site.url}, headers=key)
    assert other.status_code == 409 and other.headers["content-type"] == "application/problem+json"
    question = served.asks(run)
    answer = {"question": question, "answer": "yes"}
    assert web.post(f"/runs/{run}/answers", json=answer).status_code == 202
    assert web.post(f"/runs/{run}/answers", json=answer).status_code == 409
    assert served.ended(run)["result"]["ok"] and site.posted == ["message=hello"]
    whole = events(web.get(f"/runs/{run}/events").text)
    assert [one["id"] for one in whole] == list(range(1, len(whole) + 1))
    assert whole[0]["kind"] == "started" and whole[-1]["kind"] == "result"
    rest = events(web.get(f"/runs/{run}/events", headers={"Last-Event-ID": "3"}).text)
    assert rest == whole[3:]
    report = web.get(f"/runs/{run}/report")
    assert "<html" in report.text and "sandbox" in report.headers["content-security-policy"]
    assert web.post(f"/runs/{run}/pause").status_code == 409


@pytest.mark.nightly
def test_a_screen_stays_for_several_runs_and_does_one_at_a_time(served: Served, site: Site) -> None:
    web = served.web
    screen = web.post("/screens", json={"url": site.url}).json()["screen"]
    slow = web.post("/runs", json={"task": "wait 30 seconds", "screen": screen}).json()["run"]
    busy = web.post("/runs", json={"task": 'click "Press me"', "screen": screen})
    assert busy.status_code == 409 and "another task" in busy.json()["title"]
    web.post(f"/runs/{slow}/stop")
    assert served.ended(slow)["result"]["ending"] == "stopped"
    lease = web.post("/runs", json={"task": "wait 1 second, wait 1 second", "screen": screen}).json()["run"]
    mine = web.post(f"/runs/{lease}/lease", json={"seconds": 1}).json()["lease"]
    assert web.post(f"/runs/{lease}/lease", json={}).status_code == 409
    assert web.post(f"/runs/{lease}/resume").status_code == 409
    assert web.post(f"/runs/{lease}/lease", json={"seconds": 1, "lease": mine}).status_code == 201
    assert served.ended(lease)["result"]["ok"]  # nobody renewed it, so the run went on by itself
    assert web.delete(f"/screens/{screen}").status_code == 204
    assert web.delete(f"/screens/{screen}").status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
    ],
)
def test_only_this_machine_with_the_token_gets_in(bare: Served, headers: dict[str, str], status: int) -> None:
    own = {} if "Authorization" in headers or not headers else bare.token
    for path in ("/runs", "/openapi.json", "/", "/runs/r-1/view/stream"):
        refused = httpx2.get(bare.base + path, headers={**own, **headers})
        assert refused.status_code == status
        assert refused.headers["content-type"] == "application/problem+json"


def test_a_page_needs_more_than_the_cookie_to_change_anything(bare: Served) -> None:
    with httpx2.Client(base_url=bare.base) as page:
        entered = page.get(f"/?token={bare.app.token}")
        assert entered.status_code == 303 and "HttpOnly" in entered.headers["set-cookie"]
        assert page.get("/").status_code == 200
        assert page.post("/runs", json={"task": "wait 1 second"}).status_code == 403
        assert page.post("/runs", json={"task": ""}, headers={"X-Guiagent": "1"}).status_code == 422


def test_an_answer_for_good_is_kept_shown_in_the_report_and_withdrawn(
    served: Served, site: Site, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def begin() -> str:
        return str(served.web.post("/runs", json={"task": SEND, "url": site.url}).json()["run"])

    name = f"send@{site.url.split('/')[2]}"
    with sync_playwright() as playwright:
        found = find_executable("", playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(served.app.url)
        served.asks(first := begin())
        page.goto(f"{served.base}/runs/{first}/view/")
        page.get_by_role("button", name=f"Always: {name.replace('@', ' on ')}").wait_for(timeout=30_000)
        page.screenshot(path=home / "always.png")
        page.get_by_role("button", name="Always").click()
        assert served.ended(first)["result"]["ending"] == "done"
        browser.close()
    again = begin()
    assert served.ended(again)["result"]["ending"] == "done"
    assert f"allowed by your kept answer {name}" in served.web.get(f"/runs/{again}/report").text
    assert call(["policy", "list"]) == 0 and name in capsys.readouterr().out
    assert call(["policy", "remove", name]) == 0
    served.asks(last := begin())
    served.web.post(f"/runs/{last}/stop")
    assert site.posted == ["message=hello"] * 2


@pytest.mark.nightly
def test_a_person_begins_allows_and_watches_a_run_on_a_phone(served: Served, site: Site, home: Path) -> None:
    with sync_playwright() as playwright:
        found = find_executable("", playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
        page.goto(served.app.url)
        assert "token" not in page.url
        page.get_by_label("Task").fill(SEND)
        page.get_by_label("Address to begin at").fill(site.url)
        page.screenshot(path=home / "begin.png")
        page.get_by_role("button", name="Run").tap()
        page.get_by_role("button", name="Allow once").wait_for(timeout=30_000)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390
        for button in page.get_by_role("button").all():
            box = button.bounding_box()
            assert box is None or (box["height"] >= 44 and box["x"] + box["width"] <= 390)
        page.screenshot(path=home / "asked.png")
        page.get_by_role("button", name="Allow once").tap()
        page.get_by_text("done", exact=True).wait_for(timeout=30_000)
        assert page.locator("#steps li").count() >= 2
        assert page.evaluate("document.getElementById('screen').naturalWidth") > 0
        page.screenshot(path=home / "done.png")
        page.goto(f"{served.base}/")
        page.locator("#ended").get_by_text("Done").wait_for(timeout=10_000)
        browser.close()
    assert site.posted == ["message=hello"] and wrong == []


FOLLOWERS = """
import asyncio, json, re, sys
host, port, token, run, clients = sys.argv[1:]
cuts = []

async def follow(number):
    seen = 0
    while True:
        stream, out = await asyncio.open_connection(host, int(port))
        out.write(f"GET /runs/{run}/events HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n"
                  f"Authorization: {token}\\r\\nLast-Event-ID: {seen}\\r\\n\\r\\n".encode())
        rest, until = b"", seen + 500 + 10 * number
        while data := await stream.read(65536):
            *whole, rest = (rest + data).split(b"\\n\\n")
            for event in whole:
                found = re.search(rb"^id: (\\d+)$", event, re.M)
                if found is None:
                    continue
                assert int(found[1]) == seen + 1, (found[1], seen)
                seen += 1
                if b"event: result" in event:
                    out.close()
                    return seen
                if seen >= until:
                    break
            if seen >= until:
                cuts.append(number)
                break
        out.close()

async def main():
    print("ready", flush=True)
    return await asyncio.gather(*map(follow, range(int(clients))))

print(json.dumps({"seen": asyncio.run(main()), "cut": len(cuts)}))
"""
"""Programs in a process of their own that follow a run, and are cut off in the middle now and then."""


@pytest.mark.nightly
def test_fifty_clients_lose_nothing_of_a_thousand_events_a_second(bare: Served, home: Path) -> None:
    clients, total, rate = 50, 3000, 1000
    (home / "run").mkdir()
    run = ServedRun("r-load", "load", home / "run", 10)
    run.feed.happened = lambda event: None  # type: ignore[method-assign] # its file is for one page
    bare.registry._runs[run.id] = run

    began = [0.0]

    def speak() -> None:
        began[0] = time.monotonic()
        for number in range(total):
            time.sleep(max(0.0, began[0] + number / rate - time.monotonic()))
            run.say("said", f"event {number}", payload="x" * 100)
        run.finish({"ending": "done", "reason": "", "seconds": time.monotonic() - began[0]})

    worker = threading.Thread(target=speak)
    address = ["127.0.0.1", str(bare.app.port), bare.token["Authorization"], run.id, str(clients)]
    followers = subprocess.Popen(
        [sys.executable, "-c", FOLLOWERS, *address], stdout=subprocess.PIPE, text=True
    )
    assert followers.stdout is not None and followers.stdout.readline() == "ready\n"
    worker.start()
    found = json.loads(followers.communicate(timeout=100)[0])
    worker.join()
    assert found["seen"] == [total + 1] * clients
    assert found["cut"] > 2 * clients, "each was cut off and came back more than once"
    assert run.result is not None
    seconds = run.result["seconds"], time.monotonic() - began[0]
    print(f"{total} events said in {seconds[0]:.1f} s, with {clients} followers after {seconds[1]:.1f} s")


def test_the_document_describes_every_route_for_programs_and_no_other() -> None:
    served = {
        (route.path.replace("{do}", do), method.lower())
        for route in Api(SessionRegistry(load())).app().routes
        if isinstance(route, Route) and isinstance(getattr(route.endpoint, "__self__", None), Api)
        for method in (route.methods or ())
        for do in (("pause", "resume", "stop") if "{do}" in route.path else ("",))
    }
    described = {(path, method) for path, item in description()["paths"].items() for method in item}
    assert described <= served
    rest = {path for path, method in served - described if method != "head" and "/view/" not in path}
    assert rest == {"/openapi.json"}


@pytest.mark.nightly
def test_no_request_makes_the_server_fail(bare: Served) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{bare.base}/openapi.json"),
            *("-H", f"Authorization: {bare.token['Authorization']}", "--max-examples", "30", "--seed", "1"),
            *("--checks", "not_a_server_error,status_code_conformance,content_type_conformance"),
            *("--checks", "response_schema_conformance", "--request-timeout", "10"),
        ],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


def form() -> FakeComputer:
    """A screen with a field, which a list works on."""
    return FakeComputer(screen(field("Name"), button("Send")))


def test_a_list_is_begun_watched_and_shown_as_a_page(tmp_path: Path) -> None:
    served = Served(computer={"kind": f"{__name__}:form"}, trace={"folder": str(tmp_path)})
    try:
        rows = [{"name": "Ada"}, {"name": "Bo"}]
        wanted = {"task": 'type "{name}" into "Name", read "Name" as said', "rows": rows}
        begun = served.web.post("/lists", json=wanted).json()
        until = time.monotonic() + 200
        while (now := served.web.get(f"/lists/{begun['list']}").json())["status"] != "ended":
            assert time.monotonic() < until, now
            time.sleep(0.05)
        assert (now["done"], now["left"], now["reason"]) == (2, 0, ""), now
        assert [row["said"] for row in now["rows"]] == ["Ada", "Bo"]
        assert served.web.get("/lists").json()["lists"][0]["list"] == begun["list"]
        page = served.web.get(f"/lists/{begun['list']}/report")
        assert "2 done" in page.text and "sandbox" in page.headers["content-security-policy"]
        for misfit, why in (
            ({"task": 'click "{mail}"', "rows": rows}, 'no column "mail"'),
            (wanted | {"check": "nothing to see"}, "nothing to verify"),
            (wanted | {"click": "Send"}, 'unknown key "click"'),  # also the name of an action
        ):
            refused = served.web.post("/lists", json=misfit)
            assert refused.status_code == 422 and why in refused.json()["title"], refused.text
        assert len(served.web.get("/lists").json()["lists"]) == 1
        assert served.web.get("/lists/l-0").status_code == 404
    finally:
        served.close()
