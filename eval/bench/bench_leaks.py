"""Counts the threads, processes, open files, temporary files and memory that many runs leave behind.

    python eval/bench/bench_leaks.py --kind browser --runs 100

Each run opens a screen, does a step and closes it. The state after the first ten runs, which load
libraries and fill caches, is compared with the state at the end.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from gui_agent import Browser, Desktop, LiveScreen
from gui_agent.content import content
from gui_agent.core.observation import Size
from gui_agent.testing import FakeComputer, button, field, screen

WARM = 10
SUBREAPER = 36
"""Linux's PR_SET_CHILD_SUBREAPER."""
GROWTH = 25.0
"""Megabytes by which the memory may grow; a smaller growth is noise of the allocator."""
PAGE = str(content("examples/contact.html"))


def browser() -> None:
    with Browser(PAGE) as page:
        page.act('type "Ada" into "Name"')


def shared() -> Callable[[], None]:
    page = Browser(PAGE)

    def once() -> None:
        page.open(PAGE)
        page.act('type "Ada" into "Name"')

    return once


def own_page(stack: ExitStack) -> Callable[[], None]:
    """A page of the caller's own Playwright, in one browser of theirs for all runs."""
    from playwright.sync_api import sync_playwright

    from gui_agent import from_page
    from gui_agent.computers.browser.launch import find_executable

    driver = stack.enter_context(sync_playwright())
    theirs = driver.chromium.launch(executable_path=find_executable("", ""), args=["--no-sandbox"])
    stack.callback(theirs.close)

    def once() -> None:
        page = theirs.new_page()
        page.goto(Path(PAGE).as_uri())
        with from_page(page) as steps:
            steps.act('type "Ada" into "Name"')
        page.close()

    return once


def virtual() -> None:
    with Desktop() as desktop:
        desktop.act("wait 0.1 seconds")


def fake() -> None:
    LiveScreen(FakeComputer(screen(field("Name"), button("Next")))).act('type "Ada" into "Name"')


def phone(port: int) -> Callable[[], None]:
    """A simulated phone behind an adb server that serves all runs."""
    from guiagent_eval.phone import PhoneServer
    from guiagent_eval.phone import SimulatedPhone as Simulated

    from gui_agent import Phone

    os.environ["ANDROID_ADB_SERVER_PORT"] = str(port)  # noqa: TID251 - adb itself reads it

    def once() -> None:
        with tempfile.TemporaryDirectory() as kept, PhoneServer(Simulated()) as server:
            options = {"kept": kept, "backend": "stock", "observe": "tree"}
            with Phone(server.address, options=options) as screen:
                screen.act('open "Settings"')

    return once


def guest() -> None:
    """A guest of the run's own: started, used and stopped."""
    from guiagent_platforms.guest import guests
    from guiagent_platforms.remote.computer import GuestComputer

    kept = guests.start("leaks", Size(1280, 800))
    try:
        with GuestComputer("leaks") as computer:
            LiveScreen(computer).act("wait 0.1 seconds")
    finally:
        kept.stop()


@contextmanager
def adb() -> Iterator[int]:
    """An adb server of this benchmark's own, so that the machine's servers are not disturbed."""
    import adbutils

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = [str(Path(adbutils.__file__).parent / "binaries" / "adb"), "-L", f"tcp:localhost:{port}"]
    quiet = subprocess.DEVNULL
    server = subprocess.Popen([*command, "server", "nodaemon"], stdout=quiet, stderr=quiet)
    try:
        yield port
    finally:
        server.kill()
        server.wait(10)


def standing() -> dict[str, float]:
    """The current counts, after the allocator has returned unused memory."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:  # Processes that ended after their parents.
            pass
    children = [pid for pid in Path("/proc").glob("[0-9]*/stat") if _parent(pid) == os.getpid()]
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "threads": threading.active_count(),
        "processes": len(children),
        "handles": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "files": sum(1 for _ in Path(tempfile.gettempdir()).rglob("*")),
        "megabytes": round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1),
    }


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--kind",
        choices=("browser", "shared", "own-page", "virtual", "guest", "phone", "fake"),
        default="browser",
    )
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    alone = {"browser": browser, "virtual": virtual, "guest": guest, "fake": fake}
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SUBREAPER, 1)  # Orphaned processes become children of this process.
    with ExitStack() as stack:
        port = stack.enter_context(adb()) if given.kind == "phone" else 0
        tempfile.tempdir = stack.enter_context(tempfile.TemporaryDirectory())
        once = alone.get(given.kind) or (phone(port) if port else None)
        once = once or (own_page(stack) if given.kind == "own-page" else shared())
        for _ in range(WARM):
            once()
        time.sleep(1)
        before = standing()
        for _ in range(given.runs):
            once()
        time.sleep(1)
        after = standing()
    print(json.dumps({"kind": given.kind, "runs": given.runs, "before": before, "after": after}))
    grown = any(after[name] > before[name] for name in before if name != "megabytes")
    return int(grown or after["megabytes"] - before["megabytes"] > GROWTH)


if __name__ == "__main__":
    raise SystemExit(main())
