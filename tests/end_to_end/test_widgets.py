"""Widgets as component libraries build them, set by plain commands, and read from the page's own state."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import Agent
from gui_agent.planners.commands import PlainPlanner

pytestmark = pytest.mark.nightly

PAGES = Path(__file__).parents[1] / "pages"
SET: dict[str, dict[str, Any]] = {
    'tick "Urgent"': {"urgent": True},
    'choose "Card" in "Paid with"': {"paid": "Card"},
    'set "Stars" to 4': {"stars": 4},
    'choose "Department 2" in "Department"': {"department": "Department 2"},
    'choose "Legal" in "Department"': {"department": "Legal"},
    'set "Loudness" to 70': {"volume": "70"},
    'set "Born" to "2026-03-14"': {"born": "03/14/2026"},
    'set "Due" to "2026-03-14"': {"due": "2026-03-14"},
    'set "Leave" to "2026-03-14"': {"leave": "March 14, 2026"},
    'set "Arrival" to "14:30"': {"hour": 14, "minute": 30},
    'set "Paint" to "#ff0000"': {"paint": "ff0000"},
    'set "Pages" to 42': {"pages": 42},
    'open "More options"': {"open": True},
    'click "3"': {"page": 3},
    'expand "Documents"': {"unfolded": True},
    "drag the splitter by 80,0": {"split": 80},
    'check "A toast of contents" is shown': {},
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the test pages and logs nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(PAGES))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/widgets.html"
    server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[PageComputer]:
    with PageComputer(size=(1000, 900)) as computer:
        yield computer


@pytest.mark.parametrize("commands", SET)
def test_a_widget_holds_what_was_said(commands: str, browser: PageComputer, address: str) -> None:
    browser.start(address)
    ending = Agent(browser, PlainPlanner()).run(commands).ending
    assert ending is not None
    assert (ending.kind, ending.reason) == ("done", "")
    assert browser.evaluate("state") == SET[commands]


def test_a_field_that_takes_no_date_is_not_done(browser: PageComputer, address: str) -> None:
    browser.start(address)
    browser.evaluate("born.oninput = () => { born.value = '' }")
    ending = Agent(browser, PlainPlanner()).run('set "Born" to "2026-03-14"').ending
    assert ending is not None
    assert ending.kind != "done"
    assert "did not accept" in ending.reason


def test_an_option_that_a_list_does_not_have_is_not_done(browser: PageComputer, address: str) -> None:
    browser.start(address)
    ending = Agent(browser, PlainPlanner()).run('choose "Navy" in "Department"').ending
    assert ending is not None
    assert (ending.kind, browser.evaluate("state")) != ("done", {})
