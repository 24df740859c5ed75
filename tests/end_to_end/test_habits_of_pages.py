"""What people say for real pages does what they mean, and a page that still asks or objects is not done."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.core.trajectory import Ending
from gui_agent.planners.commands import PlainPlanner

LENIENT = Limits(proof="lenient")
"""These pages keep nothing, and answer a click with a word: what is tried is where it went."""

PAGE = (Path(__file__).parents[1] / "pages" / "habits.html").as_uri()
DONE = {
    'click "Create card"': "created",
    'click "Rooms"': "rooms",
    'click "Delete draft"': "deleted",
    'click "Remove tag"': "Remove",
    'click "About"': "",
    'click "New card"': "",
    'click "Leave", check "Discard your text?" is shown': "",
    'click "Leave", click "Discard"': "Discard",
    'click "Store note"': "noted",
    'type "2024-02-29" into "Since"': "since 2024-02-29",
    'click "With selected"': "menu",
    'choose "Bo" in "Owner"': "owner Bo",
    'click the pencil icon in the row of "Bo"': "edit Bo",
    'click "draft.txt"': "doc",
    'click "Open" in the row of "CHANGES.txt"': "log",
    'click "Open" in the row of "example.org"': "log",
    'type "x" into "Search in cards", click "Save"': "submitted",
}
NOT_DONE = {
    'click "Leave"': "Discard your text?",
    'click "Delete note"': "everything",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[PageComputer]:
    with PageComputer(size=(1000, 800)) as computer:
        yield computer


def end(browser: PageComputer, commands: str, page: str = PAGE) -> Ending:
    browser.start(page)
    planner = PlainPlanner(waits=())
    guard = PolicyGuard.default(yes=True)
    run = Agent(browser, planner, guard=guard, limits=LENIENT, picture=False).run(commands)
    assert run.ending is not None
    return run.ending


@pytest.mark.parametrize(("commands", "said"), DONE.items(), ids=str)
def test_what_is_meant_is_done(browser: PageComputer, commands: str, said: str) -> None:
    ending = end(browser, commands)
    assert (ending.kind, browser.evaluate("said.textContent")) == ("done", said), ending.reason


@pytest.mark.parametrize(("commands", "reason"), NOT_DONE.items(), ids=str)
def test_what_the_page_still_asks_is_not_done(browser: PageComputer, commands: str, reason: str) -> None:
    ending = end(browser, commands)
    assert ending.kind == "not_done"
    assert reason in ending.reason


@pytest.mark.parametrize(("name", "words"), [("twice", "already taken"), ("note", "Saved without errors")])
def test_an_alert_that_is_all_that_came_of_a_click_is_told_and_verifies_nothing(
    browser: PageComputer, name: str, words: str
) -> None:
    ending = end(browser, f'click "Store {name}"')
    assert (ending.kind, ending.verified) == ("done", False)
    assert words in ending.reason


def test_the_head_of_a_column_is_not_the_box_in_another_cell(browser: PageComputer) -> None:
    assert end(browser, 'tick "VIP"').kind == "not_done"
    assert browser.evaluate("said.textContent") == ""


def test_a_slider_that_hears_no_keys_is_clicked_at_the_value(browser: PageComputer) -> None:
    assert end(browser, 'set "Speed" to 8').kind == "done"
    assert browser.evaluate("document.querySelector('[role=slider]').ariaValueNow") == "8"


def test_the_editor_is_what_can_be_written_in(browser: PageComputer) -> None:
    assert end(browser, 'type "select 1" into the editor').kind == "done"
    assert browser.evaluate("sql.value") == "select 1"


def test_the_text_field_is_the_one_that_has_the_keyboard(browser: PageComputer) -> None:
    assert end(browser, 'click "Room", type "204" into the text field').kind == "done"
    assert browser.evaluate("room.value") == "204"


def test_a_field_is_enabled_by_the_box_beside_it(browser: PageComputer) -> None:
    assert end(browser, 'type "9.25" into "Weight"').kind == "done"
    assert browser.evaluate("weight.value") == "9.25"


def test_an_ending_that_stays_unmarked_is_not_doubled(browser: PageComputer) -> None:
    browser.start(PAGE)
    browser.evaluate("file.focus()")
    planner = PlainPlanner(waits=())
    run = Agent(browser, planner, guard=PolicyGuard.default(yes=True)).run('type "may.csv"')
    assert run.ending is not None
    assert browser.evaluate("file.value") == "may.csv"


def test_words_of_a_page_on_an_empty_tab_fail_at_once(browser: PageComputer) -> None:
    began = time.monotonic()
    browser.start("about:blank")
    run = Agent(browser, PlainPlanner(waits=(100.0,))).run("save")
    assert run.ending is not None
    assert "--url" in run.ending.reason
    assert not run.steps
    assert time.monotonic() - began < 100


class Refusing(BaseHTTPRequestHandler):
    """A form that is sent to `/deny`, a script that posts to it, and a thing that is gone once deleted."""

    def do_GET(self) -> None:
        gone = self.path == "/gone"
        self.send_response(404 if gone else 200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(
            b"<form method=post action=/deny><button>Apply</button></form>"
            b"<form method=post action=/delete><button>Drop it</button></form>"
            b"<button onclick=\"fetch('/deny', {method: 'POST'}).then(() => document.write('ok'))\">Rate"
            b"</button><button onclick=\"fetch('/gone').then(() => document.write('ok'))\">Peek</button>"
        )

    def do_POST(self) -> None:
        self.send_response(403 if self.path == "/deny" else 303)
        self.send_header("Location", "/gone")
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>Not for you</h1>")

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ('click "Apply"', "not_done"),
        ('click "Rate"', "not_done"),
        ('click "Drop it"', "done"),
        ('click "Peek"', "done"),
    ],
)
def test_what_the_server_refuses_is_not_done(browser: PageComputer, command: str, kind: str) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        ending = end(browser, command, f"http://127.0.0.1:{server.server_port}/")
    finally:
        server.shutdown()
        server.server_close()
    assert ending.kind == kind, ending.reason
    assert ("403" in ending.reason) is (kind == "not_done")
