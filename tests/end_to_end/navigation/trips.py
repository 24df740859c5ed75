"""Tasks over the town, in plain commands, and how many of them are lost.

    python -m tests.end_to_end.navigation.trips --runs 200 --load 10

runs them one after the other with the default settings and pictures, several in one browser, beside so many
busy processes, and counts.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from gui_agent import Settings, run
from gui_agent.computers.browser import BrowserComputer
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.trajectory import Ending
from gui_agent.settings import override
from tests.end_to_end.navigation.town import Town, town

WORK = """import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0))).start()
while True: pass
"""
"""Keeps a processor busy until this process is gone, which closes its standard input."""
PER_BROWSER = 20
"""Runs in one browser, unless one is lost."""
LOST = ("lost", "crashed")
FILL = 'type "{name}" into "Name", type "Rome" into "City", click "Register"'
THANKS = f'{FILL}, wait for "Thank you" up to 20 seconds'


@dataclass(frozen=True)
class Trip:
    """A task; `{name}` in it is another one in each run, `{site}` the address of the town."""

    start: str
    task: str
    registers: bool = False

    @property
    def name(self) -> str:
        return self.start.strip("/") or "links"


def _form(start: str, task: str = THANKS) -> Trip:
    return Trip(f"/forms/{start}", task, registers=True)


LINKS = Trip("/", 'click "Street 7", click "Street 9", click "Street 11", check the title is "Street 11"')
POST = _form("plain")
TRIPS = (
    LINKS,
    POST,
    *(_form(kind) for kind in ("302", "303", "307", "meta", "script", "chain", "slow")),
    _form("plain", THANKS + ', click "Home", click "Street 3", go back, go back, check "Thank you" is shown'),
    Trip("/forms/get", 'type "{name}" into "Name", press Enter, check the title is "{name}"'),
    _form("framed", f'{FILL}, wait 0.3 seconds, check "Register" is shown'),
    _form("leaving", f'{FILL}, click "Leave", wait for "Thank you"'),
    Trip("/elsewhere", 'click "Abroad", check the title is "Abroad", click "Street 5", go back, go back'),
    Trip("/slow", 'click "Late headers", check the title is "Late headers", click "Home"'),
    Trip("/slow", 'click "Late body", wait for "End", check the title is "Late body"'),
    Trip("/slow", 'click "Late picture", check the title is "Late picture", go back'),
    Trip("/later", 'click "Later", wait for "Street 1", check the title is "Later"'),
    Trip("/later", 'click "Much later", wait for "Street 1", check the title is "Evening"'),
    Trip("/scripts", 'click "Push", check "Tower" is shown, go back, click "Fragment", click "Replace"'),
    Trip("/scripts", 'click "Write", check "Written" is shown'),
    Trip("/tabs", 'click "Blank", check the title is "Blank", close the tab, click "Window"'),
    Trip("/tabs", 'click "Closing", click "Done", click "Blank", click "Street 4"'),
    Trip("/tabs", f'{FILL}, wait for "Thank you", close the tab, check "Closing" is shown', registers=True),
    Trip("/files", 'click "Report", click "Nothing", click "Home", check the title is "Home"'),
    Trip("/reloading", 'click "Again", reload the page, click "Again"'),
    Trip("/restless", 'wait 1 second, click "Quiet", check the title is "Quiet"'),
    Trip("/forever", 'go to "{site}/place?name=Away", check the title is "Away"'),
    Trip("/rebuilt", 'click "Harbour", check the title is "Harbour"'),
    Trip("/high", 'click "Climb", wait for "Summit"'),
    Trip("/unsaved", 'type "{name}" into "Note", click "Leave", click "Leave", check the title is "Left"'),
)


def travel(trip: Trip, site: Town, computer: BrowserComputer, name: str, folder: str) -> Ending:
    """Do the task once as a user's program does, with the default settings; nothing is asked."""
    task = trip.task.replace("{name}", name).replace("{site}", site.address)
    try:
        settings, start = override(Settings(), {"trace": {"folder": folder}}), site.address + trip.start
        ending = run(task, url=start, computer=computer, yes=True, settings=settings).ending
    except GuiAgentError as error:
        return Ending("crashed", str(error))
    if ending.kind == "done" and trip.registers and site.registered.get(name) != 1:
        return Ending("not_done", f"registered {site.registered.get(name, 0)} times")
    return ending


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that use what computing power they get, ended in any case."""
    command = [sys.executable, "-c", WORK]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def measure(runs: int, trips: tuple[Trip, ...] = TRIPS) -> list[tuple[Trip, Ending, float]]:
    """Do the trips in turn until there are so many; a browser in which one is lost is not used again."""
    ended: list[tuple[Trip, Ending, float]] = []
    turns = itertools.islice(itertools.cycle(trips), runs)
    with town() as site, tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        computer = None
        for number, trip in enumerate(turns):
            if computer is None or number % PER_BROWSER == 0 or ended[-1][1].kind in LOST:
                stack.close()
                computer = stack.enter_context(BrowserComputer(downloads=folder))
            began = time.monotonic()
            ending = travel(trip, site, computer, f"Ada {number}", folder)
            ended.append((trip, ending, time.monotonic() - began))
    return ended


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--load", type=int, default=0, help="busy processes beside it")
    parser.add_argument("--only", default="", help="trips whose name contains this")
    options = parser.parse_args()
    trips = tuple(trip for trip in TRIPS if options.only in trip.name)
    with busy(options.load):
        ended = measure(options.runs, trips)
        load = os.getloadavg()[0]
    for trip, ending, seconds in ended:
        if ending.kind != "done":
            print(f"{trip.name}: {ending.kind} after {seconds:.1f} s: {ending.reason}")
    kinds = Counter(ending.kind for _, ending, _ in ended)
    slowest, longest = max((seconds, trip.name) for trip, _, seconds in ended)
    print(f"{len(ended)} runs at load {load:.1f}, the slowest {slowest:.1f} s ({longest}): {dict(kinds)}")
    lost = sum(kinds[kind] for kind in LOST)
    print(f"lost: {lost}")
    return min(1, lost)


if __name__ == "__main__":
    sys.exit(main())
