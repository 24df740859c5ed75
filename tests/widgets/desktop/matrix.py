"""The desktop half of the widget matrix: each kind of widget in each toolkit, set by plain commands.

What became of it is read back from the state that the program itself writes.

`python -m tests.widgets.desktop.matrix --install` runs it; each line of the result is one cell, as in
`{"library": "GTK 4", "kind": "slider", "result": "right", "reason": "", "seconds": 1.2}`.
"""

from __future__ import annotations

import argparse
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
PYTHON = "/usr/bin/python3"
"""That of the system, which has the bindings of the toolkits."""
TIME = 120.0
"""Seconds that one cell may take."""

Told = dict[str, Any]
KINDS: dict[str, tuple[str, Told]] = {
    "text": ('type "Oslo" into "City"', {"city": "Oslo"}),
    "textarea": (r'type "first line\nsecond line" into "Notes"', {"notes": "first line\nsecond line"}),
    "number": ('set "Copies" to 12', {"copies": 12}),
    "checkbox": ('tick "Urgent"', {"urgent": True}),
    "radio": ('select "Express"', {"delivery": "Express"}),
    "dropdown": ('choose "Norway" in "Country"', {"country": "Norway"}),
    "listbox": ('select "Plum"', {"fruit": "Plum"}),
    "tree": ('expand "Animals", click "Dog"', {"nature": "Dog"}),
    "table": ('double click "1.20", press ctrl+a, type "1.35", press Enter', {"tea": "1.35"}),
    "tabs": ('click the "Privacy" tab, tick "Privacy extras"', {"privacy": True}),
    "slider": ('set "Volume" to 70', {"volume": 70}),
    "menu": ("choose Insert > Shape > Circle", {"menu": "Circle"}),
    "dialog": ('click "Rename", type "Report" into "New name", click "OK"', {"answer": "Report"}),
    "file": ('upload "{file}" to "Picture"', {"file": "{file}"}),
    "date": ('set "Date" to 2024-05-17', {"date": "2024-05-17"}),
    "switch": ('turn on "Notifications"', {"notifications": True}),
}
"""What is said for each kind, and what the program must then tell."""
ELSEWHERE: dict[tuple[str, str], tuple[str, Told]] = {
    ("GTK 3", "date"): ('click "17"', {"date": "2024-05-17"}),
    ("GTK 4", "date"): ('click "17"', {"date": "2024-05-17"}),
    ("Tk", "table"): ('type "1.35" into the text field in the row of "Tea"', {"tea": "1.35"}),
    ("Chromium", "table"): ('type "1.35" into the text field in the row of "Tea"', {"tea": "1.35"}),
    ("Firefox", "table"): ('type "1.35" into the text field in the row of "Tea"', {"tea": "1.35"}),
    ("Chromium", "file"): ('upload "{file}" to "Picture"', {"file": "picture.png"}),
    ("Firefox", "file"): ('upload "{file}" to "Picture"', {"file": "picture.png"}),
    ("LibreOffice", "table"): ("type 1.35 into cell B3", {"tea": "1.35"}),
    ("LibreOffice", "menu"): ("choose Styles > Heading 2", {"menu": "Heading 2"}),
    ("LibreOffice", "file"): ('press ctrl+o, type "{file}", press Enter', {"file": "{file}"}),
}
"""Where a toolkit has the kind in another form: calendars with days, tables of fields, real documents."""
LACKING = {("Tk", "date"): "Tk has no field for dates"}


@dataclass(frozen=True, slots=True)
class Toolkit:
    """How a program of ours is started, and what that needs."""

    command: str
    packages: tuple[str, ...]
    needs: str
    """A module of the system's Python, or a program."""


TOOLKITS = {
    "GTK 3": Toolkit(
        f"{PYTHON} {PROGRAMS}/gtk3.py {{kind}} {{state}}", ("python3-gi", "gir1.2-gtk-3.0"), "gi"
    ),
    "GTK 4": Toolkit(
        f"{PYTHON} {PROGRAMS}/gtk4.py {{kind}} {{state}}", ("python3-gi", "gir1.2-gtk-4.0"), "gi"
    ),
    "Qt 5": Toolkit(f"{PYTHON} {PROGRAMS}/qt.py {{kind}} {{state}} PyQt5", ("python3-pyqt5",), "PyQt5"),
    "Qt 6": Toolkit(f"{PYTHON} {PROGRAMS}/qt.py {{kind}} {{state}} PyQt6", ("python3-pyqt6",), "PyQt6"),
    "wxWidgets": Toolkit(f"{PYTHON} {PROGRAMS}/wxwidgets.py {{kind}} {{state}}", ("python3-wxgtk4.0",), "wx"),
    "Tk": Toolkit(f"{PYTHON} {PROGRAMS}/tk.py {{kind}} {{state}}", ("python3-tk",), "tkinter"),
    "Swing": Toolkit(
        "java -cp {cache} Swing {kind} {state}",
        ("openjdk-17-jdk", "libatk-wrapper-java-jni"),
        "javac",
    ),
    "Chromium": Toolkit("chromium --app={address}?kind={kind}", ("chromium",), "chromium"),
    "Firefox": Toolkit("firefox-esr --new-window {address}?kind={kind}", ("firefox-esr",), "firefox-esr"),
    "LibreOffice": Toolkit(
        f"{PYTHON} {PROGRAMS}/office.py {{kind}} {{state}}",
        ("libreoffice-gtk3", "libreoffice-writer", "libreoffice-calc", "python3-uno"),
        "uno",
    ),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of one kind in one toolkit."""

    library: str
    kind: str
    result: str
    """`right`, `refused`, `wrong`, or `none` where the toolkit has no such thing."""
    reason: str
    seconds: float


def run(library: str, kind: str, cache: Path) -> Cell:
    """Start the program on a private display, do what is said, and compare with what the program tells."""
    if (library, kind) in LACKING:
        return Cell(library, kind, "none", LACKING[library, kind], 0.0)
    with tempfile.TemporaryDirectory(prefix="widgets-") as folder:
        picture = Path(folder, "picture.png")
        picture.write_bytes(b"\x89PNG")
        state = Path(folder, "state.json")
        said, wanted = ELSEWHERE.get((library, kind)) or KINDS[kind]
        said = said.replace("{file}", str(picture))
        wanted = {key: str(picture) if value == "{file}" else value for key, value in wanted.items()}
        with served(state) as address:
            command = TOOLKITS[library].command.format(kind=kind, state=state, cache=cache, address=address)
            began = time.monotonic()
            code, output = guiagent(said, command, Path(folder, "runs"))
            seconds = round(time.monotonic() - began, 1)
        told = json.loads(state.read_text()) if state.exists() else {}
    if told == wanted:
        return Cell(
            library, kind, "right", "" if code == 0 else f"reported as not done: {last(output)}", seconds
        )
    if code == 0:
        return Cell(library, kind, "wrong", f"the program tells {told}", seconds)
    return Cell(library, kind, "refused", last(output), seconds)


def guiagent(said: str, command: str, runs: Path) -> tuple[int, str]:
    """Run plain commands on a program of its own display."""
    options = ["--on", "virtual", "--url", command, "--yes", "--runs", str(runs), "--max-seconds", "90"]
    options += ["--set", "computer.options.home=fresh", "--set", "memory.enabled=false"]
    try:
        done = subprocess.run(
            [str(Path(sys.executable).with_name("guiagent")), "run", said, *options],
            capture_output=True,
            text=True,
            timeout=TIME,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, "the run did not end in time"
    return done.returncode, done.stdout + done.stderr


def last(output: str) -> str:
    """The line of a run's output that says what it ended with."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("✗")]
    return (told or lines or ["it said nothing"])[-1][:300]


@contextmanager
def served(state: Path) -> Iterator[str]:
    """The page, and a place that it tells its state to."""

    lock, turns = threading.Lock(), [0]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((PROGRAMS / "page.html").read_bytes())

        def do_POST(self) -> None:
            told = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:  # what was told first may arrive last
                if int(self.path[1:]) > max(turns):
                    turns.append(int(self.path[1:]))
                    state.write_bytes(told)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nobody wants to know."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def present(toolkit: Toolkit) -> bool:
    """Whether what a toolkit needs is installed."""
    if shutil.which(toolkit.needs):
        return True
    found = subprocess.run([PYTHON, "-c", f"import {toolkit.needs}"], capture_output=True, check=False)
    return found.returncode == 0


def prepare(cache: Path, install: bool) -> list[str]:
    """The toolkits that can be tried; what is missing is installed from Debian when that is asked for."""
    if install:
        packages = sorted({package for toolkit in TOOLKITS.values() for package in toolkit.packages})
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *packages], check=True)
    cache.mkdir(parents=True, exist_ok=True)
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", str(cache), str(PROGRAMS / "Swing.java")], check=True)
    return [name for name, toolkit in TOOLKITS.items() if present(toolkit)]


def cells(
    libraries: list[str], kinds: list[str], show: Callable[[Any], None]
) -> Iterator[tuple[str, list[Any]]]:
    """What `scripts/widgets desktop` asks for: the cells of each toolkit, one toolkit after the other."""
    from tests.widgets.report import Cell as Reported

    cache = Path.home() / ".cache" / "guiagent-widgets"
    for library in libraries or prepare(cache, install=False):
        done = []
        for cell in (run(library, kind, cache) for kind in kinds or KINDS):
            if cell.result != "none":
                said = (ELSEWHERE.get((library, cell.kind)) or KINDS[cell.kind])[0]
                done.append(Reported(library, cell.kind, cell.result, said, cell.reason, cell.seconds))
                show(done[-1])
        yield library, done


def main() -> None:
    """Fill the matrix, and write and print one line for each cell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="install the toolkits from Debian first")
    parser.add_argument(
        "--only", action="append", default=[], help="a toolkit, or a toolkit and a kind: 'Tk/menu'"
    )
    parser.add_argument("--jobs", type=int, default=2, help="cells at the same time")
    parser.add_argument("-o", "--out", type=Path, default=Path("widgets-desktop.jsonl"))
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "guiagent-widgets")
    given = parser.parse_args()
    libraries = prepare(given.cache, given.install)
    cells = [(library, kind) for library in libraries for kind in KINDS]
    cells = [
        c
        for c in cells
        if not given.only or c[0] in given.only or "/".join(c) in given.only or c[1] in given.only
    ]
    with given.out.open("w", encoding="utf-8") as out, ThreadPoolExecutor(given.jobs) as pool:
        for cell in pool.map(lambda one: run(*one, given.cache), cells):
            line = json.dumps(asdict(cell), ensure_ascii=False)
            print(line, flush=True)
            print(line, file=out, flush=True)
    results = [json.loads(line) for line in given.out.read_text(encoding="utf-8").splitlines()]
    tried = [one for one in results if one["result"] != "none"]
    counts = {word: sum(one["result"] == word for one in tried) for word in ("right", "refused", "wrong")}
    print(f"{len(tried)} cells: {counts}", file=sys.stderr)


if __name__ == "__main__":
    main()
