"""The page of a run's workers over real HTTP, from the command that serves it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.live import LIVE, WATCHED, LiveFile
from guiagent_eval.records import EvalFolder, Record
from guiagent_eval.schedule import Assignment
from PIL import Image

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.observation import Observation, Words
from gui_agent.core.trajectory import Task
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    screen,
)

TASKS = ["editor/undo", "web/<b>form</b>"]


class Browser:
    """A client that keeps cookies, as a browser does."""

    def __init__(self, url: str) -> None:
        self.home = f"http://{urlsplit(url).netloc}"
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar())).open

    def get(self, path: str, **headers: str) -> tuple[int, Any, bytes]:
        try:
            with self._open(urllib.request.Request(self.home + path, headers=headers), timeout=20) as told:
                return told.status, told.headers, told.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def state(self) -> Any:
        status, _, body = self.get("/state")
        assert status == 200
        return json.loads(body)


@contextmanager
def served(run: EvalFolder) -> Iterator[str]:
    command = [sys.executable, "-m", "gui_agent", "eval", "watch", str(run.folder), "--page"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert line.startswith("open http://127.0.0.1:"), line
        yield line.split()[1]
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[EvalFolder]:
    made = EvalFolder.create(tmp_path / "run", {"tasks": TASKS, "seeds": [0], "recipe": {"planner": "plain"}})
    yield made
    made.close()


class Screen(FakeComputer):
    """A computer that is captured beside the agent."""

    captured = 0

    def observe(self, *, picture: bool = True) -> Observation:
        """The screen as a planner gets it that wants no pictures."""
        return replace(super().observe(picture=picture), screenshot=None)

    def grab(self) -> Image.Image:
        self.captured += 1
        return Image.new("RGB", (1920, 1080), "navy")


def step(live: LiveFile) -> Screen:
    """Let an agent take a step that the worker reports."""
    computer = Screen({"page": screen(button("A"))}, [])
    live.look_at(computer)
    planner = ScriptedPlanner([do(Click(Words("A"))), done()])
    agent = Agent(computer, planner, grounder=ExactGrounder(), guard=OpenGuard(), observers=[live])
    agent.run(Task("x"))
    return computer


def test_all_workers_are_shown_with_their_last_pictures(run: EvalFolder) -> None:
    workers = [LiveFile(run.folder, name) for name in ("one", "two")]
    for live, task in zip(workers, TASKS, strict=True):
        live.begin(Assignment(Case(task, 0), 1))
    assert not step(workers[0]).captured, "a picture was taken, and no page is open"
    run.append(Record("editor/undo", 0, "wrong", reason="the file is empty"))
    with served(run) as url:
        browser = Browser(url)
        assert browser.get(urlsplit(url).path + "?" + urlsplit(url).query)[0] == 200
        first = browser.state()
        assert first["head"] == "plain, under way; 1/2 episodes, success 0.0 %"
        assert first["failures"] == ["editor/undo/0: wrong: the file is empty"]
        assert [(one["task"], one["picture"]) for one in first["workers"]] == [
            ("editor/undo/0", ""),
            ("web/<b>form</b>/0", ""),
        ]
        assert step(workers[1]).captured == 1, "not more than two pictures a second"
        (left, right) = browser.state()["workers"]
        assert left["picture"] == "" and right["steps"] == 1 and right["alive"]
        status, headers, data = browser.get(right["picture"])
        assert (status, headers["content-type"], headers["cache-control"]) == (200, "image/jpeg", "no-store")
        assert Image.open(io.BytesIO(data)).size == (800, 450)


def test_a_run_that_has_ended_still_shows_its_last_pictures(run: EvalFolder) -> None:
    live = LiveFile(run.folder, "one")
    live.begin(Assignment(Case("editor/undo", 0), 1))
    (run.folder / LIVE / WATCHED).touch()
    step(live)
    record = Record("editor/undo", 0, "success")
    run.append(record)
    live.finish(record)
    live.close()
    run.close()
    with served(run) as url:
        browser = Browser(url)
        browser.get("/?" + urlsplit(url).query)
        told = browser.state()
        assert told["head"] == "plain, not under way; 1/2 episodes, success 100.0 %" and not told["going"]
        (worker,) = told["workers"]
        assert (
            not worker["alive"] and worker["doing"] == "editor/undo/0: success" and worker["seconds"] is None
        )
        assert browser.get(worker["picture"])[0] == 200


def test_only_this_machine_with_the_token_sees_the_page(run: EvalFolder) -> None:
    (run.folder / LIVE).mkdir()
    (run.folder / "secret.jpg").write_bytes(b"not a picture of a worker")
    with served(run) as url:
        stranger = Browser(url)
        for path in ("/", "/state", "/picture/one", "/?token=wrong"):
            assert stranger.get(path)[0] == 401, path
        assert not (run.folder / LIVE / WATCHED).exists(), "a stranger made the workers take pictures"
        browser = Browser(url)
        entry = "/?" + urlsplit(url).query
        assert browser.get(entry, Host="example.org")[0] == 421
        assert browser.get(entry, Origin="https://example.org")[0] == 403
        status, headers, body = browser.get(entry)
        assert status == 200 and "default-src 'none'" in headers["content-security-policy"]
        text = body.decode()
        assert "://" not in text and 'src="//' not in text, "the page fetches something from elsewhere"
        assert 'content="light dark"' in text and "width=device-width" in text
        for path in ("/picture/none", "/picture/..%2Fsecret", "/picture/%2e%2e/secret", "/other"):
            assert browser.get(path)[0] == 404, path
        assert browser.state()["workers"] == []
