"""Measures the client-side cost of a step on a phone, beside adbutils and uiautomator2.

    python eval/bench/bench_android.py --steps 40

A step is a picture, the elements and a tap. The phone is simulated, in a process of its own and
without any delay, so that only the clients are measured: a real phone adds its own time for each of
them. Prints medians in milliseconds as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from typing import Any

import adbutils
from guiagent_platforms.android.client import AdbServer
from guiagent_platforms.android.computer import AndroidComputer

from gui_agent.core.actions import Click
from gui_agent.core.observation import Point

PHONE = (
    "import sys\nfrom guiagent_eval.phone import Phone, PhoneServer\n"
    "with PhoneServer(Phone()) as server:\n"
    "    server.phone.launch('com.android.settings')\n"
    "    print(server.address, flush=True)\n    sys.stdin.read()\n"
)
AT = Point(270, 72)
"""Where to tap: the title, so that the screen does not change."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40)
    steps = parser.parse_args().steps
    with subprocess.Popen(
        [sys.executable, "-c", PHONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as phone:
        assert phone.stdout is not None and phone.stdin is not None
        address = phone.stdout.readline().strip()
        server = AdbServer()
        server.connect(address)
        try:
            found = {name: taken(begin, steps) for name, begin in ways(address).items()}
        finally:
            server.ask(f"host:disconnect:{address}")
            phone.stdin.close()
    print(json.dumps({"milliseconds": found, "steps": steps, "load": os.getloadavg()[0]}, indent=2))


def ways(address: str) -> dict[str, Callable[[], AbstractContextManager[Callable[[], object]]]]:
    """A step by each client, which starts on its turn: only one client may read the screen at a time."""
    device = adbutils.adb.device(address)

    @contextmanager
    def ours(backend: Any) -> Iterator[Callable[[], object]]:
        with AndroidComputer(
            name=address, kept=tempfile.mkdtemp(), observe="tree", backend=backend
        ) as computer:
            yield lambda: (computer.observe(), computer.perform(Click(AT)))

    @contextmanager
    def plain() -> Iterator[Callable[[], object]]:
        yield lambda: (device.screenshot(), device.dump_hierarchy(), device.click(AT.x, AT.y))

    @contextmanager
    def others() -> Iterator[Callable[[], object]]:
        import uiautomator2

        client = uiautomator2.connect(device)
        yield lambda: (client.screenshot(), client.dump_hierarchy(), client.click(AT.x, AT.y))
        client.stop_uiautomator()

    found = {"guiagent, stock": lambda: ours("stock"), "adbutils": plain}
    if find_spec("uiautomator2") is not None:
        found |= {"guiagent, u2": lambda: ours("u2"), "uiautomator2": others}
    return found


def taken(begin: Callable[[], AbstractContextManager[Callable[[], object]]], steps: int) -> float:
    """The median time of a step, in milliseconds."""
    times = []
    with begin() as step:
        step()
        for _ in range(steps):
            began = time.perf_counter()
            step()
            times.append(time.perf_counter() - began)
    return round(statistics.median(times) * 1000, 1)


if __name__ == "__main__":
    main()
