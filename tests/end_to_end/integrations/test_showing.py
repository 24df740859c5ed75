"""A goal that no planner understands is shown once on the open screen, through every door, and then known."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import sync_playwright

from gui_agent import Browser
from gui_agent.computers.browser import BrowserComputer
from tests.end_to_end.integrations.test_http import Served
from tests.end_to_end.integrations.test_mcp import over_stdio, told
from tests.end_to_end.integrations.test_questions import number_of
from tests.goals.bed import HERE

PAGE = (HERE / "pages" / "groceries.html").as_uri()
SAY, THEN = "We've got the eggs already", "We've got the butter already"
YOURS = "The screen is yours"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without anything learned."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TERM", "xterm")
    return tmp_path


@pytest.fixture
def port(home: Path) -> int:
    """A port of the browser, by which the person reaches the page."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        number = int(found.getsockname()[1])
    settings = home / ".config/guiagent/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[computer.options]\narguments = ["--remote-debugging-port={number}"]\n')
    return number


def tick_eggs(port: int) -> None:
    """What the person does on the page."""
    with sync_playwright() as driver:
        page = driver.chromium.connect_over_cdp(f"http://127.0.0.1:{port}").contexts[0].pages[-1]
        page.locator("text=eggs").click()
        page.wait_for_timeout(800)


def guiagent(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gui_agent", *words],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip


def is_known() -> None:
    """The same sentence runs by itself with another value."""
    done = guiagent("run", THEN, "--url", PAGE)
    assert done.returncode == 0, done.stderr
    assert 'checkbox "butter"' in done.stderr + done.stdout


@pytest.mark.parametrize("end", ["", "done", "in the view"])
def test_at_a_terminal(port: int, end: str) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "gui_agent", "run", SAY, "--url", PAGE]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        shown, answers, stop = "", ["show", end], time.monotonic() + 120
        waited = {"show": "show or stop:", end: r"live view: \S+\s"}
        while time.monotonic() < stop:
            try:
                shown += os.read(ours, 4096).decode(errors="replace")
            except OSError:  # the other side is closed
                break
            since = shown if len(answers) == 2 else shown.partition(YOURS)[2]
            if answers and re.search(waited[answers[0]], since):
                if end == "in the view" and len(answers) == 1:
                    answers.clear()
                    work_in_view(re.findall(r"live view: (\S+)", shown)[-1])
                    continue
                if len(answers) == 1:
                    tick_eggs(port)
                os.write(ours, f"{answers.pop(0)}\n".encode())
        code = process.wait(timeout=60)
    os.close(ours)
    assert code == 0, shown
    assert f'learned as "{SAY}"' in shown
    is_known()


def test_later_by_resume() -> None:
    first = guiagent("run", "My contracts, please", "--url", (HERE / "pages" / "account.html").as_uri())
    assert first.returncode == 4
    offered = 'instead: 1 click "Contracts", 2 show'
    assert offered in first.stdout + first.stderr, first.stderr
    then = guiagent("resume", "last", "--answer", "1", "--json")
    assert then.returncode == 0, then.stderr
    again = guiagent("run", "My invoices, please", "--url", (HERE / "pages" / "account.html").as_uri())
    assert again.returncode == 0, again.stderr


@pytest.fixture
def served(home: Path) -> Iterator[Served]:
    made = Served()
    yield made
    made.close()


def yours(served: Served, run: str) -> str:
    """The question that is open while the person shows it."""
    until = time.monotonic() + 60
    while True:
        question = served.asks(run)
        if YOURS in served.web.get(f"/runs/{run}").json()["question"]["text"]:
            return question
        assert time.monotonic() < until
        time.sleep(0.05)


def click_on_eggs() -> dict[str, Any]:
    """A click there in a live view, as its page sends it."""
    with BrowserComputer(PAGE) as other:
        seen = other.observe(picture=False)
        eggs = next(one for one in seen.elements if one.role == "checkbox" and one.name == "eggs").box.center
    return {"do": "click", "x": eggs.x / seen.size.width, "y": eggs.y / seen.size.height}


def click_eggs(served: Served, run: str) -> None:
    """Click there in the live view."""
    assert served.web.post(f"/runs/{run}/view/do", json=click_on_eggs()).status_code == 200
    time.sleep(1.5)


def work_in_view(address: str) -> None:
    """Click there on the page that a run at a terminal serves, and then its button `Done`."""
    with httpx2.Client(base_url=address.partition("?")[0], follow_redirects=True) as web:
        web.get(address)
        for request in (click_on_eggs(), {"do": "go"}):
            assert web.post("/do", json=request, headers={"X-Guiagent": "1"}).status_code == 200
            time.sleep(1.5)


def test_over_http(served: Served) -> None:
    began = served.web.post("/runs", json={"task": SAY, "url": PAGE}).json()["run"]
    question = served.asks(began)
    now = served.web.get(f"/runs/{began}").json()["question"]
    assert now["choices"][-1]["text"].startswith("show") and now["choices"][-1]["box"] is None
    served.web.post(
        f"/runs/{began}/answers", json={"question": question, "answer": number_of(now["text"], "show")}
    )
    question = yours(served, began)
    click_eggs(served, began)
    served.web.post(f"/runs/{began}/answers", json={"question": question, "answer": "done"})
    result = served.ended(began)["result"]
    assert result["ending"] == "done", result
    again = served.web.post("/runs", json={"task": THEN, "url": PAGE}).json()["run"]
    assert served.ended(again)["result"]["ending"] == "done"


def test_in_the_workbench(served: Served) -> None:
    began = served.web.post("/runs", json={"task": SAY, "url": PAGE}).json()["run"]
    served.asks(began)
    with Browser(served.app.url, yes=True) as person:
        person.run(f'open "{served.base}/", click "I do it myself", open "{served.base}/runs/{began}/view/"')
        person.run(f'check "{YOURS}" is shown')
        click_eggs(served, began)
        person.run('click "Done"')
    assert served.ended(began)["result"]["ending"] == "done"
    again = served.web.post("/runs", json={"task": THEN, "url": PAGE}).json()["run"]
    assert served.ended(again)["result"]["ending"] == "done"


def test_over_mcp(port: int) -> None:
    from mcp_types import ElicitResult

    async def answer(_context: object, asked: object) -> ElicitResult:
        text = str(getattr(asked, "message", ""))
        if YOURS in text:
            await asyncio.to_thread(tick_eggs, port)
        return ElicitResult(action="accept", content={"answer": "done" if YOURS in text else "show"})

    async def work() -> dict[str, Any]:
        async with over_stdio("2026-07-28", answer) as client:
            return dict(told(await client.call_tool("run_task", {"task": SAY, "url": PAGE})))

    assert asyncio.run(work())["result"]["ending"] == "done"
    is_known()


def test_what_is_shown_once_is_not_learned_if_the_person_says_so(port: int) -> None:
    first = guiagent("run", SAY, "--url", PAGE, "--answer", "show", "--answer", "only this once")
    assert first.returncode == 0
    assert json.loads(guiagent("memory", "list", "--json").stdout or "[]") == []
