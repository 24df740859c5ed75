"""Local guests: resets, snapshots, and a look at Calc over HTTP beside the same by OSWorld's routes."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import suppress

from gui_agent.computers.guest import guests
from gui_agent.computers.remote.client import GuestClient
from gui_agent.computers.remote.computer import GuestComputer
from gui_agent.core.actions import Move
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.geometry import Point, Size

NAME = "bench"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resets", type=int, default=10)
    rounds = parser.parse_args().resets
    with suppress(GuiAgentError):
        guests.running(NAME).stop()
    guest = guests.start(NAME, Size(1920, 1080), execute=True)
    try:
        told("reset to first screenshot", [taken(reset) for _ in range(rounds)])
        told("snapshot", [taken(lambda number=number: guest.snapshot(f"s{number}")) for number in range(3)])
        client = GuestClient(guest.address, guest.token)
        client.post("/setup/launch", {"command": ["soffice", "--calc"]})
        with GuestComputer(NAME) as computer:
            deadline = time.monotonic() + 90
            while len(computer.observe(picture=False).elements) < 200 and time.monotonic() < deadline:
                time.sleep(0.5)
            computer.settle()
            print(f"{len(computer.observe().elements)} elements of Calc")
            ours = told(
                "observe Calc, picture and elements", [taken(computer.observe) for _ in range(rounds)]
            )
            told(
                "one step: move", [taken(lambda: computer.perform(Move(Point(9, 9)))) for _ in range(rounds)]
            )
        theirs = told("the same by OSWorld's routes", [taken(lambda: both(client)) for _ in range(3)])
        print(f"ratio: {theirs / ours:.1f}")
    finally:
        guests.running(NAME).stop()


def reset() -> None:
    """A reset, until there is a screenshot."""
    guest = guests.running(NAME)
    guest.reset()
    assert GuestClient(guest.address, guest.token).get("/screenshot").data.startswith(b"\x89PNG")


def both(client: GuestClient) -> None:
    """What an agent of OSWorld asks for at each step."""
    client.get("/screenshot")
    client.get("/accessibility", limit=60.0)


def taken(work: Callable[[], object]) -> float:
    """Seconds that it took."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def told(what: str, times: list[float]) -> float:
    """Print the median, and give it back."""
    median = statistics.median(times)
    print(f"{what}: median {median:.3f} s, most {max(times):.3f} s of {len(times)}")
    return median


if __name__ == "__main__":
    main()
