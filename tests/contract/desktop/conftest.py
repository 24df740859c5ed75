"""A private display with an editor on it, for the tests of desktops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from private import needs

from gui_agent.computers.virtual.computer import VirtualComputer


@pytest.fixture
def desktop() -> Iterator[VirtualComputer]:
    needs("Xvfb", "openbox", "dbus-daemon")
    with VirtualComputer(home="fresh") as computer:
        yield computer
        computer.acted = 0.0  # nobody wants what its programs may still be saving


@pytest.fixture
def editor(desktop: VirtualComputer) -> VirtualComputer:
    needs("mousepad")
    desktop.start("Mousepad")
    desktop.settle()
    return desktop
