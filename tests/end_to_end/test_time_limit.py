"""The limit of a run's time bounds everything that it waits for: pages, models, programs and locks."""

from __future__ import annotations

import contextlib
import gc
import http.server
import os
import signal
import socket
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from private import needs

from gui_agent import wiring
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser import BrowserComputer
from gui_agent.core.actions import Hold, LongPress, Press
from gui_agent.core.errors import ExitCode, LimitReached, Unavailable
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Result
from gui_agent.settings import load
from gui_agent.testing import OpenGuard, ScriptedPlanner, do, give_up

LIMIT = 8.0
"""Seconds for a run on a screen that is there already, unless a test says otherwise."""
LONG = 100.0
"""Seconds for what ends by other means; a browser may take its time to start where others use the machine."""
SPARE = 20.0
"""Seconds for the end of a run on a busy machine; without its limit each of these runs takes 30 and more."""
PAGES = {
    "/hang": '<button onclick="while (true) {}">Go</button>',
    "/popups": '<button onclick="for (let i = 0; i < 200; i++) window.open(`/plain?${i}`)">Go</button>',
    "/buttons": "<button>Go</button>" + "<button>More of it</button>" * 50_000,
    "/field": '<button>Go</button><textarea id=a></textarea><script>a.value = "x".repeat(1e7)</script>',
    "/plain": "<h1>Plain</h1>",
}


class Stalling(http.server.BaseHTTPRequestHandler):
    """Pages and a model that stall in their own ways."""

    over = threading.Event()
    asked = threading.Event()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/hang":
            self.asked.set()
        if path == "/silent":
            self.over.wait()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        if path == "/half":
            self.wfile.write(b"<h1>Ha")
            self.wfile.flush()
            self.over.wait()
        elif path == "/drip":
            while not self.over.wait(0.2):
                self.wfile.write(b"<p>drop</p>")
        elif path == "/frames":
            other = f"http://localhost:{self.server.server_address[1]}/plain"  # type: ignore[str-bytes-safe]
            self.wfile.write(b"<button>Go</button>" + f"<iframe src='{other}'></iframe>".encode() * 120)
        else:
            self.wfile.write(PAGES[path].encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/pressed"):  # what earlier runs have sent may still be coming
            self.asked.set()
        if self.path.startswith("/busy"):
            self.send_response(429)
            self.send_header("Retry-After", "3600")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")
        elif self.path.startswith("/headers"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "500")
            self.end_headers()
            self.wfile.flush()
            self.over.wait()
        elif self.path.startswith("/endless"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            with contextlib.suppress(OSError):
                while not self.over.is_set():
                    self.wfile.write(b" " * 65_536)
        elif self.path.startswith("/dripping"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            while not self.over.wait(0.2):
                self.wfile.write(b" ")
                self.wfile.flush()
        else:
            self.over.wait()

    def handle(self) -> None:
        with contextlib.suppress(OSError):  # whoever asked has given up
            super().handle()

    def log_message(self, *_: Any) -> None: ...


def nightly(*ways: str) -> list[Any]:
    return [pytest.param(way, marks=pytest.mark.nightly) for way in ways]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stalling)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    Stalling.over.set()
    server.shutdown()


def timed(task: str, tmp_path: Path, *, limit: float = LIMIT, **options: Any) -> tuple[Result, float]:
    sections = {
        "limits": {"seconds": limit},
        "trace": {"folder": str(tmp_path / "runs")},
        "memory": {"path": str(tmp_path / "memory.db")},
        **options.pop("sections", {}),
    }
    if "model" in sections:
        import openai  # noqa: F401  what is loaded once may take longer than a run on a busy machine
    with contextlib.ExitStack() as stack:
        if "computer" not in options and "settings" not in options:
            options["computer"] = stack.enter_context(BrowserComputer())
        began = time.monotonic()
        result = wiring.run(task, yes=True, **sections, **options)
        seconds = time.monotonic() - began
    return result, seconds


@pytest.mark.parametrize("page", ["hang", *nightly("popups", "buttons", "field", "frames")])
def test_a_page_that_does_not_answer_ends_with_the_run(page: str, address: str, tmp_path: Path) -> None:
    result, seconds = timed('click "Go", wait 60 s', tmp_path, url=f"{address}/{page}")
    assert result.ending.kind == "limit", result.ending
    assert "--max-seconds" in result.ending.reason
    assert seconds < LIMIT + SPARE


def test_a_time_that_is_spent_while_the_browser_starts_is_told_as_the_limit(tmp_path: Path) -> None:
    with pytest.raises(LimitReached, match=r"limit of 0\.2 s is reached.*--max-seconds") as caught:
        timed("wait 1 s", tmp_path, computer=None, limit=0.2)
    assert caught.value.exit_code == ExitCode.NOT_DONE


@pytest.mark.parametrize("page", ["silent", *nightly("half", "drip")])
def test_a_site_that_does_not_come_to_its_end_ends_with_the_run(
    page: str, address: str, tmp_path: Path
) -> None:
    result, seconds = timed(f"go to {address}/{page}, wait 60 s", tmp_path, url=f"{address}/plain")
    assert result.ending.kind == "limit", result.ending
    assert seconds < LIMIT + SPARE


@pytest.mark.parametrize("way", ["silent", *nightly("headers", "dripping", "endless")])
def test_a_model_that_does_not_answer_ends_with_the_run(way: str, address: str, tmp_path: Path) -> None:
    model = {"model": {"name": f"{address}/{way}#some-model"}, "planner": {"kind": "model"}}
    result, seconds = timed("buy milk", tmp_path, url=f"{address}/plain", sections=model)
    assert result.ending.kind == "limit", result.ending
    assert seconds < LIMIT + SPARE


def test_a_service_that_asks_for_more_time_than_is_left_is_not_waited_for(
    address: str, tmp_path: Path
) -> None:
    model = {"model": {"name": f"{address}/busy#some-model"}, "planner": {"kind": "model"}}
    result, seconds = timed("buy milk", tmp_path, limit=LONG, url=f"{address}/plain", sections=model)
    assert result.ending.kind == "lost", result.ending
    assert seconds < LONG


@pytest.mark.nightly
def test_a_model_that_refuses_every_connection_ends_the_run_in_time(address: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and never listening
        model = {"name": f"http://127.0.0.1:{taken.getsockname()[1]}/v1#some-model"}
        sections = {"model": model, "planner": {"kind": "model"}}
        result, seconds = timed("buy milk", tmp_path, url=f"{address}/plain", sections=sections)
    assert result.ending.kind in ("limit", "lost"), result.ending
    assert seconds < LIMIT + SPARE


@pytest.mark.nightly
def test_a_frozen_browser_ends_with_the_run(address: str, tmp_path: Path) -> None:
    frozen: list[int] = []
    others = set(browsers_of(os.getpid()))  # of other tests in this process

    Stalling.asked.clear()

    def freeze() -> None:
        Stalling.asked.wait(LIMIT)  # the browser is there, and so is its page
        for process in set(browsers_of(os.getpid())) - others:
            frozen.append(process)
            os.kill(process, signal.SIGSTOP)

    thread = threading.Thread(target=freeze)
    thread.start()
    result, seconds = timed('wait 2 s, click "Go"', tmp_path, url=f"{address}/hang")
    thread.join()
    assert frozen
    for process in frozen:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    assert result.ending.kind == "limit", result.ending
    assert seconds < LIMIT + SPARE


@pytest.mark.nightly
def test_a_memory_that_stays_locked_ends_with_the_run(address: str, tmp_path: Path) -> None:
    timed(
        "go to about:blank",
        tmp_path,
        sections={"memory": {"path": str(tmp_path / "memory.db"), "learn": "verified"}},
    )
    locked = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    locked.execute("PRAGMA locking_mode = EXCLUSIVE")
    locked.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    with contextlib.suppress(Unavailable, LimitReached), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        timed("order the usual thing", tmp_path, url=f"{address}/plain")
    locked.close()
    assert time.monotonic() - began < LIMIT + SPARE


@pytest.mark.parametrize(
    "action", [Press(("a",), times=10**7), Hold(("a",), 100_000.0), LongPress(Words("Go"), 100_000.0)]
)
def test_what_is_far_too_much_for_one_action_is_a_failed_step_that_names_the_limit(
    action: Any, address: str
) -> None:
    with BrowserComputer(f"{address}/plain") as browser:
        planner = ScriptedPlanner([do(action), give_up()])
        trajectory = Agent(browser, planner, guard=OpenGuard(), limits=Limits(seconds=LONG)).run("hold on")
    assert trajectory.steps[0].error == "ActionFailed"
    assert "at most" in trajectory.steps[0].outcome.summary


@pytest.mark.nightly
def test_keys_held_on_a_desktop_are_let_go_when_the_time_is_over(tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    result, seconds = timed(
        'open "mousepad", hold shift for 59 seconds', tmp_path, settings=load([], ["computer.kind=virtual"])
    )
    assert result.ending.kind == "limit", result.ending
    assert seconds < LIMIT + SPARE, "with the end of the display"


@pytest.fixture
def no_collection() -> Iterator[None]:
    """No garbage is collected: Hypothesis measures that in Python, where an interrupt is lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("where", ["hang", "plain"])
def test_ctrl_c_ends_a_run_that_waits_for_an_answer(where: str, address: str, tmp_path: Path) -> None:
    model = {"model": {"name": f"{address}/pressed#some-model"}, "planner": {"kind": "model"}}
    task, sections = ('click "Go"', {}) if where == "hang" else ("buy milk", model)
    Stalling.asked.clear()
    pressed: list[float] = []
    over = threading.Event()

    def press() -> None:
        if Stalling.asked.wait(LONG) and not over.wait(1.5):
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        result, _ = timed(task, tmp_path, limit=LONG, url=f"{address}/{where}", sections=sections)
        ended = time.monotonic()
    except KeyboardInterrupt:
        pytest.fail("the interrupt went past the run")
    finally:
        over.set()
        Stalling.asked.set()
        thread.join()
    assert result.ending.kind == "stopped", result.ending
    assert ended - pressed[0] < SPARE


def browsers_of(parent: int) -> list[int]:
    """The browser's processes below this one."""
    parents: dict[int, tuple[int, str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, rest = stat.read_text().split("(", 1)[1].rsplit(")", 1)
            parents[int(stat.parent.name)] = (int(rest.split()[1]), name)
    below, grown = {parent}, True
    while grown:
        more = {child for child, (above, _) in parents.items() if above in below} - below
        below, grown = below | more, bool(more)
    return [child for child in below if child != parent and "chrom" in parents[child][1].lower()]
