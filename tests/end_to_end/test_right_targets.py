"""What a command names is what is clicked: rows, sides, numbers, wrapped links, menus; else nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import Agent
from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.core.trajectory import Ending
from gui_agent.planners.commands import PlainPlanner

PAGES = Path(__file__).parents[1] / "pages"
CLICKED = {
    'click the link "4"': "page4",
    'click "Delete" in the row of "A-1030"': "A-1030 Delete",
    'click "Edit" in the row of "A-1031"': "A-1031 Edit",
    'double click "note" in the row of "A-1030"': "double new",
    'click "Drop" in the row of "Bread"': "Bread Drop",
    'click "Visit" in the row of "Oslo"': "Oslo Visit",
    'click the button in the row of "Rome"': "Rome Visit",
    'click "Bind" in the row of "F2"': "F2 Bind",
    'click the icon next to "City"': "pin",
    'click the button left of "Guests"': "minus",
    'click the button to the right of "Guests"': "plus",
    'click "Go" above "Terms"': "upper",
    'click "Go" below "Terms"': "lower",
    'click "Choose" for "Large"': "Large Choose",
    'click "Choose" below "Small"': "Small Choose",
    'click "Countries"': "countries",
    "choose Table > Insert > Table": "sub-table",
}
REFUSED = {
    'click the link "7"': "no",
    'click "Delete" in the row of "A-1031"': "in sight",
    'click the button in the row of "A-1030"': "2 things",
    'click "Drop" in the row of "Eggs"': "in sight",
    'click "Name" in the row of "Zoe"': 'no "Zoe" here',
    'click the link next to "Guests" in the row of "Rome"': "",
    'double click "late" in the row of "A-1030"': "in sight",
    'click "Delete City"': "no",
    'click "Remove all"': "no",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[PageComputer]:
    with PageComputer(size=(1000, 800)) as computer:
        yield computer


def end(browser: PageComputer, page: str, commands: str) -> Ending:
    browser.start((PAGES / page).as_uri())
    """The ending on a page that only says what was clicked, which is no proof that anything was done."""
    planner, limits = PlainPlanner(waits=()), Limits(proof="lenient")
    guard = PolicyGuard.default(yes=True)
    run = Agent(browser, planner, guard=guard, limits=limits, picture=False).run(commands)
    assert run.ending is not None
    return run.ending


def said(browser: PageComputer) -> object:
    return browser.evaluate("said.textContent")


@pytest.mark.parametrize(("command", "clicked"), CLICKED.items(), ids=str)
def test_what_is_named_is_clicked(browser: PageComputer, command: str, clicked: str) -> None:
    ending = end(browser, "targets.html", command)
    assert (ending.kind, said(browser)) == ("done", clicked), ending.reason


@pytest.mark.parametrize(("command", "reason"), REFUSED.items(), ids=str)
def test_nothing_is_clicked_when_it_is_not_there(browser: PageComputer, command: str, reason: str) -> None:
    ending = end(browser, "targets.html", command)
    assert (ending.kind == "done", said(browser)) == (False, "nothing")
    assert reason in ending.reason


@pytest.mark.parametrize("line", ["16px", "17px", "19px", "2.1", "normal"])
@pytest.mark.parametrize("width", [60, 70, 100, 150, 170])
def test_a_link_that_wraps_is_clicked_on_one_of_its_lines(
    browser: PageComputer, width: int, line: str
) -> None:
    for name, place in [
        ("The Salt Silent 15 of the long title", "#row"),
        ("A link in a paragraph", "#words"),
    ]:
        browser.start((PAGES / "wrapped.html").as_uri())
        browser.evaluate(
            "([w, l]) => { document.body.style.cssText = `width: ${w + 60}px; line-height: ${l}`;"
            " document.querySelector('table').style.width = w + 'px' }",
            [width, line],
        )
        run = Agent(browser, PlainPlanner(), picture=False).run(f'click "{name}"')
        assert run.ending is not None
        assert run.ending.kind == "done", run.ending.reason
        assert browser.evaluate("location.hash") == place


def test_a_slider_is_set_by_its_name(browser: PageComputer) -> None:
    ending = end(browser, "targets.html", 'set "Volume" to 80, check "Volume" is "80"')
    assert ending.kind == "done", ending.reason
    assert browser.evaluate("volume.value") == "80"
