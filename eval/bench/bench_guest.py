"""Measures local guests: resets and leftovers, snapshots, forks, steps, and looks beside OSWorld's server.

With --peer FOLDER that server is started inside the guest: FOLDER holds its `main.py` and a Python with its
dependencies, `bin/python`, in a place that guests see, such as /opt. Without it the routes
of OSWorld's protocol on our server are measured.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from guiagent_platforms.guest import guests
from guiagent_platforms.remote.client import GuestClient
from guiagent_platforms.remote.computer import GuestComputer

from gui_agent.core.actions import Move
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Point, Size

NAME = "bench"
PEER = "import sys; sys.path.insert(0, {!r}); import main; main.app.run(host='127.0.0.1', port=8080)"
"""Starts OSWorld's server on the port that guests forward for VLC."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resets", type=int, default=10)
    parser.add_argument("--peer", default="", metavar="FOLDER", help="OSWorld's server and its Python.")
    given = parser.parse_args()
    with suppress(GuiAgentError):
        guests.running(NAME).stop()
    print(f"load {os.getloadavg()[0]:.1f}")
    guest = guests.start(NAME, Size(1920, 1080), execute=True)
    try:
        reset()
        before = left_over(guest)
        rest = told("reset to first screenshot", [taken(reset) for _ in range(given.resets)])
        print(f"resets per minute: {60 / rest:.0f}")
        time.sleep(2)  # The keeper removes the old layers in parallel.
        print(f"before and after {given.resets} resets: {before}, {left_over(guest)}")
        told("snapshot", [taken(lambda number=number: guest.snapshot(f"s{number}")) for number in range(3)])
        told("fork", [taken(lambda number=number: forked(guest, number)) for number in range(3)])
        looks(given.resets, given.peer)
    finally:
        guests.running(NAME).stop()


def looks(rounds: int, peer: str) -> None:
    """Looks at Calc and steps on it, by our route and by OSWorld's."""
    guest = guests.running(NAME)
    client = GuestClient(guest.address, guest.token)
    client.post("/setup/launch", {"command": ["soffice", "--calc"]})
    with GuestComputer(NAME) as computer:
        deadline = time.monotonic() + 90
        while len(computer.observe(picture=False).elements) < 200 and time.monotonic() < deadline:
            time.sleep(0.5)
        computer.settle()
        print(f"{len(computer.observe().elements)} elements of Calc")
        ours = told("observe Calc, picture and elements", [taken(computer.observe) for _ in range(rounds)])
        step = told("one step: move", [taken(lambda: step_of(computer)) for _ in range(rounds)])
        print(f"steps per second, each with a look: {1 / step:.1f}")
    theirs = told(
        "the same by OSWorld's routes on our server", [taken(lambda: both(client)) for _ in range(3)]
    )
    print(f"ratio: {theirs / ours:.1f}")
    if peer:
        python = f"{peer}/bin/python"
        client.post("/setup/launch", {"command": [python, "-c", PEER.format(peer)]})
        other = GuestClient(f"http://127.0.0.1:{guest.ports['vlc']}", "")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with suppress(GuiAgentError):
                if other.get("/platform").ok:
                    break
            time.sleep(0.5)
        told_size = len(other.get("/accessibility", limit=120.0).data)
        theirs = told("the same by OSWorld's own server", [taken(lambda: both(other)) for _ in range(3)])
        print(f"its tree has {told_size} bytes; ratio: {theirs / ours:.1f}")


def step_of(computer: GuestComputer) -> None:
    """One action and a look."""
    computer.perform(Move(Point(9, 9)))
    computer.observe()


def forked(guest: guests.LocalGuest, number: int) -> None:
    """Fork a guest until the new one answers, and check that the two are separate."""
    other = guest.fork(f"{NAME}-{number}", execute=True)
    try:
        assert GuestClient(other.address, other.token).get("/screenshot").ok
    finally:
        other.stop()


def left_over(guest: guests.LocalGuest) -> dict[str, int]:
    """The processes, mounts, open files, memory and disk of this machine that a guest uses."""
    state = {path.name: path.read_text() for path in [Path("/proc/mounts")]}
    keepers = [
        path
        for path in Path("/proc").glob("[0-9]*")
        if f'"folder": "{guest.folder}"' in _line(path / "cmdline")
    ]
    first = min(keepers, key=lambda path: int(path.name))
    resident = next(line for line in (first / "status").read_text().splitlines() if line.startswith("VmRSS"))
    sizes = [path.lstat().st_size for path in guest.folder.rglob("*") if path.is_file()]
    return {
        "processes": len(keepers),
        "mounts": state["mounts"].count(KEPT),
        "files": len(list((first / "fd").iterdir())),
        "keeper MB": int(resident.split()[1]) // 1024,
        "disk MB": sum(sizes) // 2**20,
    }


KEPT = "guiagent-guests"


def _line(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def reset() -> None:
    """Reset the guest and wait for a screenshot."""
    guest = guests.running(NAME)
    guest.reset()
    assert GuestClient(guest.address, guest.token).get("/screenshot").data.startswith(b"\x89PNG")


def both(client: GuestClient) -> None:
    """Request what an agent of OSWorld requests at each step."""
    client.get("/screenshot")
    client.get("/accessibility", limit=60.0)


def taken(work: Callable[[], object]) -> float:
    """The seconds that the work took."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def told(what: str, times: list[float]) -> float:
    """Print the median, and return it."""
    median = statistics.median(times)
    print(f"{what}: median {median:.3f} s, most {max(times):.3f} s of {len(times)}")
    return median


if __name__ == "__main__":
    main()
