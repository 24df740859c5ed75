"""The computer works from any kind of caller, and leaves no browser behind whatever becomes of it."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from gui_agent.computers.browser import BrowserComputer
from gui_agent.computers.browser.launch import start_driver
from gui_agent.core.protocols import Computer

CHILD = """
import sys, time
from gui_agent.computers.browser import BrowserComputer
from gui_agent.computers.browser.launch import start_driver
computer = BrowserComputer(arguments=("--user-agent=" + sys.argv[1],))
computer.start("about:blank")
print("ready", flush=True)
{then}
"""


def test_it_is_a_computer(own_desk: Any) -> None:
    computer: Computer = own_desk().computer
    assert isinstance(computer, Computer)
    assert computer.platform == "browser"


def test_inside_a_running_event_loop(own_desk: Any) -> None:
    async def cell() -> str:
        desk = own_desk()
        desk.open("second.html")
        return str(desk.seen.place.title)

    assert asyncio.run(cell()) == "Second tab"


@pytest.mark.nightly
def test_from_a_worker_thread_and_closed_from_another(own_desk: Any) -> None:
    titles: list[str] = []
    desk = own_desk()

    def work() -> None:
        desk.open("second.html")
        titles.append(desk.seen.place.title)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join(30)
    closer = threading.Thread(target=desk.computer.close)
    closer.start()
    closer.join(30)
    assert titles == ["Second tab"]
    assert not closer.is_alive()


def test_what_benchmarks_need_is_no_part_of_the_product() -> None:
    names = {name for name in dir(BrowserComputer) if not name.startswith("_")}
    acting = {"close", "observe", "perform", "platform", "settle", "start"}
    assert names == acting | {
        "call_page_tool",
        "clipboard",
        "confine",
        "driver_page",
        "has_window",
        "held_requests",
        "hold",
        "means",
        "on_loop",
        "opening",
        "page_tools",
        "release",
        "text",
    }
    assert not {"direct", "fast_frames"} & set(inspect.signature(BrowserComputer).parameters)


@pytest.mark.nightly
def test_benchmarks_reach_the_page(own_desk: Any) -> None:
    desk = own_desk()
    desk.open("second.html")
    assert desk.computer.evaluate("(n) => n + 1", 41) == 42

    async def title(page: Any, suffix: str) -> str:
        return await page.title() + suffix

    assert desk.computer.call(title, "!") == "Second tab!"
    assert desk.computer.page.url.endswith("second.html")
    before = desk.find("Press").id
    desk.computer.forget_elements()
    assert "new" not in desk.look().elements[0].states
    assert desk.find("Press").id > 0
    assert before > 0


@pytest.mark.nightly
def test_a_profile_keeps_what_a_page_stores(own_desk: Any, tmp_path: Path) -> None:
    for stored in ("null", '"kept"'):
        desk = own_desk(profile=str(tmp_path / "profile"))
        desk.open("second.html")
        assert desk.js("JSON.stringify(localStorage.getItem('note'))") == stored
        desk.js("localStorage.setItem('note', 'kept')")
        desk.computer.close()


def test_attaching_to_a_running_browser_leaves_it_running(
    own_desk: Any, address: str, tmp_path: Path
) -> None:
    command = ["chromium", "--headless=new", "--no-sandbox", "--remote-debugging-port=0"]
    arguments = [*command, f"--user-data-dir={tmp_path / 'running'}", f"{address}/second.html"]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "DevTools listening on" in line)
        endpoint = line.split("DevTools listening on ", 1)[1].strip()
        for _ in range(2):
            with BrowserComputer(attach=endpoint) as computer:
                while computer.observe(picture=False).place.title != "Second tab":
                    computer.settle()
                assert computer.observe().screenshot is not None
        assert process.poll() is None
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize(
    ("then", "signal_sent"),
    [
        ("time.sleep(60)", signal.SIGKILL),
        ("time.sleep(60)", signal.SIGINT),
        ("raise RuntimeError('a bug')", None),
        ("pass", None),
    ],
    ids=["killed", "interrupted", "crashed", "forgotten"],
)
def test_no_browser_is_left_behind(then: str, signal_sent: int | None, tmp_path: Path) -> None:
    mark = f"left-behind-{os.getpid()}-{time.monotonic_ns()}"
    script = tmp_path / "child.py"
    script.write_text(CHILD.format(then=then))
    child = subprocess.Popen(
        [sys.executable, str(script), mark], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    if signal_sent is not None:
        assert marked(mark)
        child.send_signal(signal_sent)
    child.wait(60)
    end = time.monotonic() + 60
    while marked(mark) and time.monotonic() < end:
        time.sleep(0.05)
    assert marked(mark) == []


def marked(mark: str) -> list[int]:
    """Processes, other than the test's child, with the mark on their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if f"--user-agent={mark}" in command:
                found.append(int(entry.name))
    return found


def test_a_driver_that_was_started_is_used_by_the_next_browser(own_desk: Any) -> None:
    def drivers() -> set[str]:
        children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        return {
            one
            for found in children
            for one in found.read_text().split()
            if b"playwright/driver" in Path(f"/proc/{one}/cmdline").read_bytes()
        }

    own_desk()  # takes the driver that a command of another test may have left waiting
    before = drivers()
    start_driver()
    start_driver()  # as by a second command of one process, after a first one that was refused
    desk = own_desk()
    desk.open("second.html")
    assert desk.seen.place.title == "Second tab"
    assert len(drivers() - before) == 1
