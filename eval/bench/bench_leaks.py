"""Counts what many runs leave behind: threads, processes, open files, temporary files and memory.

    python eval/bench/bench_leaks.py --kind browser --runs 100

Each run opens a screen, does a step and closes it. What is there after the first three runs, which load
libraries, is compared with what is there at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from gui_agent import Browser, Desktop, LiveScreen
from gui_agent.content import content
from gui_agent.testing import FakeComputer, button, field, screen

WARM = 3
GROWTH = 25.0
"""Megabytes by which the memory may differ; less is the noise of the allocator."""
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


def virtual() -> None:
    with Desktop() as desktop:
        desktop.act("wait 0.1 seconds")


def fake() -> None:
    LiveScreen(FakeComputer(screen(field("Name"), button("Next")))).act('type "Ada" into "Name"')


def standing() -> dict[str, float]:
    """What there is now."""
    children = [pid for pid in Path("/proc").glob("[0-9]*/stat") if _parent(pid) == os.getpid()]
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "threads": threading.active_count(),
        "processes": len(children),
        "handles": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "files": sum(1 for _ in Path(tempfile.gettempdir()).iterdir()),
        "megabytes": round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1),
    }


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=("browser", "shared", "virtual", "fake"), default="browser")
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    alone = {"browser": browser, "virtual": virtual, "fake": fake}
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        once = alone.get(given.kind) or shared()
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
