"""Measures rows per second on a form of six fields with POST, in turns with hand-written Playwright.

    python eval/bench/bench_rows.py --rows 12

Each way fills in the same form in a browser of its own and waits for the page that answers. Times are medians
in milliseconds, with the load of the machine, and every row that arrived wrong is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs

from gui_agent import Browser, BrowserComputer, Memory, learn, run
from gui_agent.computers.browser.launch import Launch, find_executable
from gui_agent.core.observation import Size

FIELDS = ("Name", "Email", "City", "Country", "Amount", "Note")
COUNTRIES = ("Canada", "Japan", "Kenya", "Norway")
FORM = (
    "<!doctype html><title>Register</title><h1>Register</h1><form method=post action=/done>"
    + "".join(
        f"<p><label>{name} "
        + (
            f"<select name={name}>{''.join(f'<option>{one}' for one in COUNTRIES)}</select>"
            if name == "Country"
            else f"<input name={name}>"
        )
        + "</label></p>"
        for name in FIELDS
    )
    + "<button>Register</button></form>"
)
TASK = "Register {Name}, {Email}, of {City} in {Country} with {Amount} and the note '{Note}'"
COMMANDS = (
    'type "{Name}" into "Name", type "{Email}" into "Email", type "{City}" into "City", choose "{Country}" '
    'in "Country", type "{Amount}" into "Amount", type "{Note}" into "Note", click "Register", '
    'check "Thank you" is shown'
)
BARS = {"learned, no trace": 1.5, "learned, trace": 2.0}
"""Maximum ratio of a way's time to Playwright's."""
Way = Callable[[Mapping[str, str]], None]


class Register(BaseHTTPRequestHandler):
    """The form, and the page that answers it; keeps the posted rows."""

    came: ClassVar[list[dict[str, str]]] = []

    def do_GET(self) -> None:
        self._answer(FORM)

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode(), keep_blank_values=True)
        self.came.append({name: values[0] for name, values in sent.items()})
        self._answer("<!doctype html><title>Done</title><h1>Thank you</h1><p><a href=/>Another</a></p>")

    def log_message(self, *_: object) -> None:
        """Prints nothing."""

    def _answer(self, page: str) -> None:
        body = page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def served() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Register)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def rows(count: int) -> Iterator[dict[str, str]]:
    for n in range(count):
        yield {
            "Name": f"Person {n}",
            "Email": f"p{n}@example.org",
            "City": ("Oslo", "Kyoto", "Nairobi")[n % 3],
            "Country": COUNTRIES[n % 4],
            "Amount": str(100 + 7 * n),
            "Note": f"row {n}, seen",
        }


def by_hand(url: str, stack: ExitStack) -> Way:
    """Eight calls of Playwright, as a programmer would write them."""
    from playwright.sync_api import sync_playwright

    driver = stack.enter_context(sync_playwright())
    launch = Launch(True, Size(1280, 800), 1, 1, "", "", "", "", "", ())
    browser = driver.chromium.launch(executable_path=find_executable("", ""), args=launch.flags())
    stack.callback(browser.close)
    page = browser.new_page(viewport={"width": 1280, "height": 800})

    def way(row: Mapping[str, str]) -> None:
        page.goto(url)
        for name in FIELDS:
            if name == "Country":
                page.get_by_label(name).select_option(row[name])
            else:
                page.get_by_label(name).fill(row[name])
        page.get_by_role("button", name="Register").click()
        page.get_by_text("Thank you").wait_for()

    return way


def ways(url: str, stack: ExitStack, folder: Path) -> dict[str, Way]:
    """All ways, in the order of their turns."""
    memory = {"path": str(folder / "memory.db")}
    example = next(rows(1))
    shown = run(COMMANDS.format(**example), url=url, trace={"folder": str(folder / "shown")}, yes=True)
    shown.raise_for_status()
    learn(shown.folder, task=TASK.format(**example), memory=Memory(memory["path"]))
    shared = stack.enter_context(BrowserComputer(url))
    page = stack.enter_context(Browser(url, yes=True))

    def learned(trace: str) -> Way:
        def way(row: Mapping[str, str]) -> None:
            told = {"folder": trace}
            run(
                TASK.format(**row), url=url, computer=shared, yes=True, memory=memory, trace=told
            ).raise_for_status()

        return way

    def steps(row: Mapping[str, str]) -> None:
        page.computer.start(url)
        page.act(COMMANDS.format(**row))

    return {
        "playwright": by_hand(url, stack),
        "learned, no trace": learned(""),
        "learned, trace": learned(str(folder / "runs")),
        "small steps": steps,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--profile", help="a way to profile, such as 'learned, no trace'")
    given = parser.parse_args()
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        url = stack.enter_context(served())
        all_ways = ways(url, stack, Path(folder))
        if given.profile:
            return _profiled(all_ways[given.profile], given.rows)
        taken: dict[str, list[float]] = {name: [] for name in all_ways}
        wrong = dict.fromkeys(all_ways, 0)
        for row in rows(given.rows):
            for name, way in all_ways.items():
                Register.came.clear()
                began = time.perf_counter()
                way(row)
                taken[name].append(1000 * (time.perf_counter() - began))
                wrong[name] += Register.came != [row]
        medians = {name: statistics.median(times) for name, times in taken.items()}
    shares = {name: round(time / medians["playwright"], 2) for name, time in medians.items()}
    told = {
        "ms": {name: round(time) for name, time in medians.items()},
        "times_playwright": shares,
        "wrong": wrong,
    }
    print(json.dumps({**told, "load": os.getloadavg()[0]}, indent=1))
    return int(any(wrong.values()) or any(shares[name] > bar for name, bar in BARS.items()))


def _profiled(way: Way, count: int) -> int:
    import cProfile
    import pstats

    first, *others = rows(count + 1)
    way(first)  # Loads what is loaded only once.
    with cProfile.Profile() as profile:
        for row in others:
            way(row)
    pstats.Stats(profile).sort_stats("cumulative").print_stats(70)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
