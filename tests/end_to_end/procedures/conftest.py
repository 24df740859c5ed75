"""One browser for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from guiagent_eval.page_computer import PageComputer


@pytest.fixture(scope="session")
def computer() -> Iterator[PageComputer]:
    with PageComputer() as browser:
        yield browser
