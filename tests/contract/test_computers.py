"""The computers that come with the project keep every promise of the protocol."""

from __future__ import annotations

from pathlib import Path

from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.core.protocols import Computer
from gui_agent.testing import FakeComputer, button, check_computer, field, screen

FORMS = Path(__file__).parents[1] / "pages" / "forms.html"


def test_the_fake_computer() -> None:
    check_computer(lambda: FakeComputer(screen(button("Send"), field("Name"))))


def test_the_browser() -> None:
    def make() -> Computer:
        return BrowserComputer(FORMS.as_uri())

    check_computer(make)
