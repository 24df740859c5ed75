"""Fills a third-party application with `guiagent run-list`, which is killed with -9 during rows.

    python eval/bench/bench_lists.py --app django --rows 500 --kills 5

After each kill `--continue` resumes the list. The benchmark looks up a row that the list calls unclear in the
data, as a person would, and repeats it only if it is missing. Between the stretches a hand-written loop of
Playwright adds other rows to the same application, at the same load; a spreadsheet program has no such loop.
Times are medians: for a row of the list from the end of the one before it, including its records.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from guiagent_eval.app_catalogue import applications
from guiagent_eval.app_server import AppServer, cache_folder, install
from playwright.sync_api import Page, sync_playwright

from gui_agent.computers.browser.launch import Launch, find_executable
from gui_agent.core.observation import Size

AHEAD = 5
"""Rows that Playwright adds between two stretches of the list."""
BAR = 1.5
"""Maximum ratio of a row's time in the list to its time in Playwright's loop."""
ROW_ENDED = re.compile(r"^row (\d+) (\w+)")
Row = Mapping[str, str]


@dataclass(frozen=True)
class Work:
    """What one row is in an application, and how to find it in the data."""

    task: str
    check: str = ""
    path: str = ""
    sql: str = ""
    """Selects the rows from the data, in the order of their columns."""
    by_hand: Callable[[Page, str, Row], None] | None = None
    columns: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Each column with its values in turn; `#` stands for the number of the row."""

    def rows(self, count: int, who: str) -> list[dict[str, str]]:
        """This many rows, no two of them alike."""
        return [
            {
                name: values[n % len(values)].replace("#", str(n)).replace("@", who)
                for name, values in self.columns
            }
            for n in range(1, count + 1)
        ]


def _author(page: Page, url: str, row: Row) -> None:
    page.goto(url)
    page.get_by_label("Name:").fill(row["name"])
    page.get_by_label("Born:").fill(row["born"])
    page.get_by_label("Country:").select_option(row["country"])
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text(f"“{row['name']}” was added successfully").wait_for()


def _animal(page: Page, url: str, row: Row) -> None:
    page.goto(url)
    for name in ("name", "kind", "born", "weight"):
        page.locator(f"#id_{name}").fill(row[name])
    page.get_by_role("button", name="Insert", exact=True).click()
    page.get_by_text("Successfully inserted record").wait_for()


WORKS = {
    "django": Work(
        'type "{name}" into "Name", type "{born}" into "Born", choose "{country}" in "Country", click "Save"',
        'shown "“{name}” was added successfully"',
        "/admin/auth/author/add/",
        "select name, born, country from author where id > 3",
        _author,
        (
            ("name", ("@ #", "Jón @ #", "@ O'Neil #", 'Li "Wei" @ #')),
            ("born", ("1963-12-17", "1999-10-05", "1950-07-04")),
            ("country", ("Norway", "France", "Japan")),
        ),
    ),
    "sqliteweb": Work(
        'type "{name}" into "name", type "{kind}" into "kind", type "{born}" into "born",'
        ' type "{weight}" into "weight", click the button "Insert"',
        'shown "Successfully inserted record"',
        "/animal/insert/",
        "select name, kind, born, weight from animal where id > 3",
        _animal,
        (
            ("name", ("@ #", "Björk @ #", "@, the #th")),
            ("kind", ("zebra", "bear, brown")),
            ("born", ("2021-05-06", "2010-12-01", "2000-08-03")),
            ("weight", ("#.5", "3#.25")),
        ),
    ),
    "localc": Work(
        'type "{name}" into cell "A{line}", type "{amount}" into cell "B{line}", press ctrl+s',
        columns=(("name", ("@ #", "Café @ #")), ("amount", ("1#", "2#.5")), ("line", ("#",))),
    ),
}
COUNTRIES = {"NO": "Norway", "FR": "France", "JP": "Japan"}


class Bench:
    """One application that is filled by a list and by hand."""

    def __init__(self, name: str, count: int, folder: Path, stack: ExitStack) -> None:
        self.name, self.folder, self.work = name, folder, WORKS[name]
        self.rows = self.work.rows(count, "Ada")
        self.list_ms: list[float] = []
        self.hand_ms: list[float] = []
        self.out = folder / "results.csv"
        self._open(stack)
        with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)

    def _open(self, stack: ExitStack) -> None:
        app = applications()[self.name]
        install(app, cache_folder(), print)
        self.server = AppServer(app, cache_folder())
        stack.callback(self.server.close)
        self.server.fresh()
        self.where = ["--url", self.server.data.address + self.work.path]
        self.hand = iter(self.work.rows(10_000, "Hand"))
        self.page = stack.enter_context(_page())

    def stored(self, who: str) -> list[tuple[str, ...]]:
        """The rows in the application's data that `who` added."""
        file = self.server.data.path(self.server.app.database)
        with closing(sqlite3.connect(file)) as database:
            found = [tuple(map(str, row)) for row in database.execute(self.work.sql)]
        return [tuple(COUNTRIES.get(cell, cell).strip() for cell in row) for row in found if who in row[0]]

    def play(self, count: int) -> None:
        """Add rows by hand-written calls of Playwright."""
        for row, _ in zip(self.hand, range(count), strict=False):
            began = time.perf_counter()
            self.work.by_hand(self.page, self.where[1], row)
            self.hand_ms.append(1000 * (time.perf_counter() - began))

    def medians(self) -> tuple[float, float]:
        """Median milliseconds for a row of the list, and by hand; 0 if none was done."""
        list_ms, hand_ms = (statistics.median(ms) if ms else 0.0 for ms in (self.list_ms, self.hand_ms))
        return round(list_ms), round(hand_ms)

    def command(self, *more: str) -> list[str]:
        asked = [sys.executable, "-m", "gui_agent", "run-list", self.work.task, str(self.folder / "rows.csv")]
        check = ["--check", self.work.check] if self.work.check else []
        return [*asked, "--out", str(self.out), *self.where, *check, "--yes", *more]

    def stretch(self, rows: int | None, *more: str) -> int:
        """Continue the list until this many rows have ended, and kill it at a random moment of the next."""
        known = ["--continue"] if self.out.exists() and not more else []
        process = subprocess.Popen(
            self.command(*known, *more), stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        ended, last = 0, 0.0
        with process:
            for line in process.stderr or ():
                if not ROW_ENDED.match(line):
                    print(line, end="", file=sys.stderr)
                    continue
                now, ended = time.perf_counter(), ended + 1
                if last:
                    self.list_ms.append(1000 * (now - last))
                last = now
                if ended == rows:
                    usual = statistics.median(self.list_ms) / 1000 if self.list_ms else 1.0
                    time.sleep(random.uniform(0, usual))  # A random moment of the next row.
                    if random.random() < 0.5:
                        os.kill(process.pid, signal.SIGKILL)
                    else:
                        os.killpg(process.pid, signal.SIGKILL)
        return process.returncode

    def results(self) -> list[dict[str, str]]:
        with self.out.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def settle_unclear(self) -> int:
        """Mark unclear rows that are in the data as done and repeat the others; returns their number."""
        lines = self.results()
        unclear = [line for line in lines if line["outcome"] == "unclear"]
        there = set(self.stored("Ada"))
        for line in unclear:
            if tuple(self.rows[int(line["row"]) - 1].values()) in there:
                line["outcome"] = "done"
            print(f"row {line['row']}: {line['reason']}; is {line['outcome']}")
        with self.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]))
            writer.writeheader()
            writer.writerows(lines)
        if any(line["outcome"] == "unclear" for line in lines):
            self.stretch(None, "--retry", "unclear")
        return len(unclear)


class Sheet(Bench):
    """The spreadsheet program on a private display, which survives the kills of the list."""

    def _open(self, stack: ExitStack) -> None:
        desk, home = "bench-lists", self.folder / "home"
        shutil.copytree(applications()[self.name].folder / "data", home)
        self.file = home / "budget.fods"
        run = [sys.executable, "-m", "gui_agent", "desktop"]
        started = [*run, "start", desk, "--home", str(home), "--open", f"{self.name} {self.file.name}"]
        stack.callback(subprocess.run, [*run, "stop", desk], check=True)
        subprocess.run(started, check=True)
        self.where = ["--on", f"virtual:{desk}"]

    def stored(self, who: str) -> list[tuple[str, ...]]:
        """Name, amount and row number of each line of the sheet that has such a name."""
        lines = re.findall(
            r"<table:table-row[ >].*?</table:table-row>", self.file.read_text("utf-8"), re.DOTALL
        )
        cells = [re.findall(r"<text:p>(.*?)</text:p>", line) for line in lines]
        return [(*line, str(number)) for number, line in enumerate(cells, 1) if line and who in line[0]]

    def play(self, count: int) -> None:
        """Does nothing: Playwright drives browsers."""


@contextmanager
def _page() -> Iterator[Page]:
    with sync_playwright() as driver:
        launch = Launch(True, Size(1280, 800), 1, 1, "", "", "", "", "", ())
        browser = driver.chromium.launch(executable_path=find_executable("", ""), args=launch.flags())
        yield browser.new_page(viewport={"width": 1280, "height": 800})
        browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--app", choices=WORKS, default="django")
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path("runs/lists"))
    given = parser.parse_args()
    folder = (given.folder / given.app).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with ExitStack() as stack:
        kind = Sheet if given.app == "localc" else Bench
        bench = kind(given.app, given.rows, folder, stack)
        for _ in range(given.kills):
            bench.play(AHEAD)
            bench.stretch(given.rows // (given.kills + 1))
            print(f"{len(bench.results())} rows; medians in ms: {bench.medians()}", flush=True)
        bench.play(AHEAD)
        bench.stretch(None)
        unclear = bench.settle_unclear()
        stored = Counter(bench.stored("Ada"))
        wanted = Counter(tuple(row.values()) for row in bench.rows)
    list_ms, hand_ms = bench.medians()
    told = {
        "app": given.app,
        "rows": given.rows,
        "kills": given.kills,
        "unclear": unclear,
        "double": sum((stored - wanted).values()),
        "lost": sum((wanted - stored).values()),
        "outcomes": Counter(line["outcome"] for line in bench.results()),
        "ms": {"run-list": list_ms, "playwright": hand_ms},
        "times_playwright": round(list_ms / hand_ms, 2) if hand_ms else None,
        "load": os.getloadavg()[0],
    }
    print(json.dumps(told, indent=1))
    return int(bool(told["double"] or told["lost"]) or list_ms > BAR * (hand_ms or list_ms))


if __name__ == "__main__":
    raise SystemExit(main())
