"""A browser whose user is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer
from lessons import Lesson

from gui_agent.core.errors import ComputerLost


@pytest.fixture(scope="module")
def taught_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageComputer]:
    folder: Path = tmp_path_factory.mktemp("downloads")
    with PageComputer(size=(1000, 900), downloads=str(folder)) as computer:
        yield computer


@pytest.fixture
def lesson(taught_browser: PageComputer, address: str) -> Iterator[Lesson]:
    yield Lesson(taught_browser, address)
    try:
        while taught_browser.observe(picture=False).place.others:
            taught_browser.call(lambda page: page.close())
            taught_browser.settle()
    except ComputerLost:
        pytest.fail("the browser did not live to the end of the test")
