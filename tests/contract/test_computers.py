"""The computers that come with the project keep every promise of the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from private import needs, until

from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay
from gui_agent.computers.x11.computer import X11Computer
from gui_agent.core.observation import Size
from gui_agent.core.protocols import Computer
from gui_agent.testing import FakeComputer, button, check_computer, field, screen

FORMS = Path(__file__).parents[1] / "pages" / "forms.html"


def test_the_fake_computer() -> None:
    check_computer(lambda: FakeComputer(screen(button("Send"), field("Name"))))


def test_the_browser() -> None:
    def make() -> Computer:
        return BrowserComputer(FORMS.as_uri())

    check_computer(make)


@pytest.mark.nightly  # twelve displays; the same device as of the one that is there already
def test_a_private_display() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    check_computer(lambda: VirtualComputer(home="fresh", open="Mousepad"))


def test_a_display_that_is_there_already() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    with PrivateDisplay(Size(1024, 768), home="fresh") as private:
        KeptLauncher(private.running).launch("mousepad")

        def make() -> Computer:
            running = private.running
            computer = X11Computer(display=running.display, session=running.bus, corner_stop=False)
            until(lambda: computer.observe(picture=False).controls, "the editor")
            return computer

        check_computer(make)
