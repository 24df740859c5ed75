"""A private display with real programs for the source of elements."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gui_agent.computers.atspi.source import AtspiSource
from gui_agent.computers.desktop.parts import Node, ScreenReading
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay
from gui_agent.computers.x11.device import X11Device
from gui_agent.core.observation import Size

SECONDS = 100.0


@dataclass(frozen=True)
class Bench:
    """A display, and what is read of it."""

    device: X11Device
    source: AtspiSource
    home: Path

    def look(self, seconds: float = 2.0) -> ScreenReading:
        """What the source sees now."""
        return self.source.read(self.device.windows(), self.device.grab(), seconds)

    def until(self, holds: Callable[[ScreenReading], object]) -> ScreenReading:
        """Look until something holds, and tell what was seen then."""
        deadline = time.monotonic() + SECONDS
        while True:
            reading = self.look()
            if holds(reading):
                return reading
            assert time.monotonic() < deadline, f"still not so: {[str(n.name) for n in reading.nodes]}"
            time.sleep(0.1)

    def open(self, command: str) -> None:
        """Start a program; the test is left out where it is not installed."""
        if shutil.which(command.split(maxsplit=1)[0]) is None:
            pytest.skip(f"{command.split(maxsplit=1)[0]} is not installed")
        self.device.launch(command)


def named(reading: ScreenReading, name: str, role: str = "") -> Node | None:
    """The thing of this name."""
    return next((n for n in reading.nodes if n.name == name and role in ("", n.role)), None)


@pytest.fixture
def bench() -> Iterator[Bench]:
    if not shutil.which("Xvfb") or not shutil.which("openbox"):
        pytest.skip("needs Xvfb and openbox")
    with PrivateDisplay(Size(1280, 800), home="fresh") as private:
        device = X11Device(private.running.display, KeptLauncher(private.running), wait=10.0)
        device.wait_for_manager(10.0)
        source = AtspiSource(private.running.bus)
        yield Bench(device, source, private.running.home)
        source.close()
        device.close()
