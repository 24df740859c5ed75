"""One browser for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gui_agent.computers.browser import BrowserComputer


@pytest.fixture(scope="session")
def computer() -> Iterator[BrowserComputer]:
    with BrowserComputer() as browser:
        yield browser
