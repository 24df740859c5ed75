"""Measures one look at real programs on a private display: screenshot and pruned accessibility tree.

    python eval/bench/bench_atspi.py --rounds 15
    python eval/bench/bench_atspi.py --only mousepad

Each program is looked at repeatedly while it does not change. For comparison, a walk asks one object
after the other, one question at a time, as accessibility libraries do it: only names, roles, states and
places, and nothing of a table's cells. Milliseconds are medians; the processor time is that of this process,
and of the program.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gui_agent.computers.atspi.bus import Bus, CallFailed, Reference, ask, get
from gui_agent.computers.atspi.program import MANY, introduce, running
from gui_agent.computers.atspi.source import AtspiSource
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay
from gui_agent.computers.x11.device import X11Device
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Size

SCREEN = Size(1920, 1080)
STARTING = 40.0
"""Seconds within which a program must show its window."""
SECONDS = 5.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Subject:
    """A program to look at, the file to open in it, and the time that a look may take."""

    name: str
    command: Callable[[Path], str]
    bar: float
    least: int
    """Minimum number of elements that the program shows once it is ready."""


def _text(folder: Path) -> str:
    (folder / "notes.txt").write_text("A few lines\n" * 30)
    return f"mousepad --disable-server {folder}/notes.txt"


def _sheet(folder: Path) -> str:
    """A spreadsheet of 60 rows and 20 columns, two thirds of them filled, as a flat document."""
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    rows = "".join(
        "<table:table-row>"
        + "".join(cell.format(f"r{r}c{c}" if (r + c) % 3 else "") for c in range(20))
        + "</table:table-row>"
        for r in range(60)
    )
    spaces = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for short, name in (("office", "office"), ("table", "table"), ("text", "text"))
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    (folder / "sheet.fods").write_text(
        f'<?xml version="1.0"?><office:document {spaces} office:version="1.2" office:mimetype="{kind}">'
        f'<office:body><office:spreadsheet><table:table table:name="Sheet">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document>"
    )
    return f"soffice --norestore --nologo --calc {folder}/sheet.fods"


SUBJECTS = (
    Subject("mousepad", _text, 40.0, 6),
    Subject("calc", _sheet, 120.0, 500),
    Subject("gimp", lambda _: "gimp --no-splash", 100.0, 60),
)


def naive(session: str, pid: int) -> tuple[float, int]:
    """Milliseconds and number of objects of a walk that asks one question at a time."""

    async def walk() -> tuple[float, int]:
        bus = await Bus.connect(session)
        try:
            programs = [await introduce(bus, root) for root in await running(bus)]
            root = next(program.root for program in programs if program.pid == pid)
            began = time.perf_counter()
            count = await _walk(bus, root)
            return 1000 * (time.perf_counter() - began), count
        finally:
            bus.close()

    return asyncio.run(walk())


async def _walk(bus: Bus, at: Reference) -> int:
    seen = 0
    waiting = [at]
    while waiting:
        at = waiting.pop()
        seen += 1
        questions = (
            get(at, "Accessible", "Name"),
            ask(at, "Accessible", "GetRole"),
            ask(at, "Accessible", "GetState"),
            ask(at, "Component", "GetExtents", "u", 0),
        )
        for question in questions:
            await bus.many([question])
        (count,) = await bus.many([get(at, "Accessible", "ChildCount")])
        if not 0 < (count or 0) <= MANY:
            continue
        for number in range(count):
            try:
                (child,) = await bus.call(ask(at, "Accessible", "GetChildAtIndex", "i", number))
            except CallFailed:
                continue
            if not child[1].endswith("/null"):
                waiting.append((child[0], child[1]))
    return seen


def cpu(pid: int) -> float:
    """Milliseconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / TICKS


def measure(subject: Subject, rounds: int, folder: Path) -> None:
    """Measure looks at one program and print a line."""
    with PrivateDisplay(SCREEN, home="fresh") as private:
        device = X11Device(private.running.display, KeptLauncher(private.running), wait=10.0)
        device.wait_for_manager(10.0)
        source = AtspiSource(private.running.bus)
        try:
            try:
                device.launch(subject.command(folder))
            except ActionFailed as error:
                print(f"{subject.name:10} is not installed: {error}")
                return
            first = _ready(device, source, subject)
            window = device.windows()[-1]
            looks, own, theirs = [], [], []
            for _ in range(rounds):
                before, cpu_before = cpu(window.pid), time.process_time()
                began = time.perf_counter()
                picture = device.grab()
                reading = source.read(device.windows(), picture, SECONDS)
                looks.append(1000 * (time.perf_counter() - began))
                own.append(1000 * (time.process_time() - cpu_before))
                theirs.append(cpu(window.pid) - before)
            slow, objects = naive(private.running.bus, window.pid)
        finally:
            source.close()
            device.close()
    median = statistics.median(looks)
    print(
        f"{subject.name:10} {len(reading.nodes):5} elements   look {median:6.1f} ms (min {min(looks):6.1f},"
        f" first {first:6.0f}, bar {subject.bar:.0f})"
        f"   cpu {statistics.median(own):5.1f} + {statistics.mean(theirs):5.1f} ms"
        f"   walk one by one {slow:7.0f} ms, {objects} objects   {slow / median:5.1f} x"
        f"{'' if median < subject.bar else '   OVER THE BAR'}"
    )


def _ready(device: X11Device, source: AtspiSource, subject: Subject) -> float:
    """Wait until the program shows itself and settles; returns the milliseconds of the first whole look."""
    deadline = time.monotonic() + STARTING
    enough, steady, first = 0, -1, 0.0
    while time.monotonic() < deadline:
        began = time.perf_counter()
        reading = source.read(device.windows(), device.grab(), SECONDS)
        took = 1000 * (time.perf_counter() - began)
        if len(reading.nodes) >= subject.least:
            first = first or took
            enough += 1
            if enough > 3 and len(reading.nodes) == steady:
                return first
        steady = len(reading.nodes)
        time.sleep(0.3)
    raise SystemExit(f"{subject.name} shows only {steady} elements")


def main() -> int:
    """Measure all programs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=[subject.name for subject in SUBJECTS])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chosen = [subject for subject in SUBJECTS if options.only in (None, subject.name)]
        for subject in chosen:
            measure(subject, options.rounds, Path(folder))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
