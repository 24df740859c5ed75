"""A value is read as a person would read it, whatever markup it stands in; what is no label has no value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent import Agent, BrowserComputer
from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.planners.commands import PlainPlanner, parse
from gui_agent.planners.commands.commands import Read
from gui_agent.planners.commands.read_values import read_value

PAGES = Path(__file__).parents[1] / "pages"
VALUES = {
    '"Order number"': "R-1042",
    '"Customer"': "Ada Lovelace",
    '"Total"': "EUR 1,234.50",
    '"Paid by"': "Bank transfer",
    '"Authors"': "Grace\nLinus",
    'the text next to "Total"': "EUR 1,234.50",
    'the text below "Total"': "EUR 1,234.50",
    'the text next to "Customer"': "Ada Lovelace",
    'the price in the row of "Tea"': "4.50",
    '"Qty" in the row of "Coffee"': "3",
    '"Price" for "Coffee"': "6.10",
    '"Q2" in the row of "North"': "22",
    '"Q2" in the row of "South"': "42",
    '"Weight"': "12 kg",
    '"Carrier"': "Royal Mail",
    '"Sent from"': "Leeds",
    '"Sent to"': "York",
    '"Rain" in the row of "Oslo"': "heavy",
    '"Sun" in the row of "Rome"': "31",
    '"Contact"': "Grace Hopper",
    '"Phone"': "555 0100",
    '"Agent"': "Kurt G.",
    '"Status"': "Shipped",
    '"Sum"': "77",
    '"Revenue"': "$1,200",
    '"Visits"': "830",
    '"Owner"': "Marie Curie",
}
THEMSELVES = (
    *("Ada Lovelace", "EUR 1,234.50", "4.50", "Royal Mail", "York", "Grace Hopper", "555 0100", "Kurt G."),
    *("Shipped", "$1,200", "830", "Marie Curie"),
)
WITHOUT = ("Orders", "Discount", "Alpha", "Beta", "Thanks for shopping with us.", "Save")
SEVERAL = ("Price", "Rome")


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserComputer]:
    with BrowserComputer(size=(1000, 1500)) as computer:
        yield computer


def read(browser: BrowserComputer, what: str) -> str:
    browser.start((PAGES / "values.html").as_uri())
    (command,) = parse(f"read {what}")  # type: ignore[misc]
    assert isinstance(command, Read)
    return read_value(command.what, browser.observe(picture=False), ScreenGrounder())


@pytest.mark.parametrize(("what", "value"), VALUES.items(), ids=str)
def test_the_value_of_a_label_is_read(browser: BrowserComputer, what: str, value: str) -> None:
    assert read(browser, what) == value


@pytest.mark.parametrize("text", THEMSELVES)
def test_a_value_that_is_named_is_read_as_itself(browser: BrowserComputer, text: str) -> None:
    assert read(browser, f'"{text}"') == text


@pytest.mark.parametrize("text", WITHOUT)
def test_what_has_no_value_gives_neither_itself_nor_its_neighbour(
    browser: BrowserComputer, text: str
) -> None:
    with pytest.raises(NotFound, match="has no value next to it"):
        read(browser, f'"{text}"')


@pytest.mark.parametrize("text", SEVERAL)
def test_a_header_of_several_cells_needs_the_other_line(browser: BrowserComputer, text: str) -> None:
    with pytest.raises(Ambiguous, match="name the other line too"):
        read(browser, f'"{text}"')


@pytest.mark.parametrize(
    ("total", "kind"), [("EUR 1,234.50", "done"), ("Total", "not_done"), ("R-1042", "not_done")]
)
def test_a_check_compares_the_same_value(browser: BrowserComputer, total: str, kind: str) -> None:
    browser.start((PAGES / "values.html").as_uri())
    run = Agent(browser, PlainPlanner(waits=()), picture=False).run(f'check "Total" is "{total}"')
    assert run.ending is not None
    assert (run.ending.kind == "done") == (kind == "done"), run.ending.reason


@pytest.mark.parametrize("button", ["Late", "Busy"])
def test_a_value_that_comes_late_is_read_when_it_has_come(browser: BrowserComputer, button: str) -> None:
    browser.start((PAGES / "values.html").as_uri())
    run = Agent(browser, PlainPlanner(), picture=False).run(f'click "{button}", read "Spent" as spent')
    assert run.ending is not None
    assert run.ending.kind == "done", run.ending.reason
    assert run.ending.answer == "2025: 77"


def test_a_text_above_a_table_with_headers_heads_none_of_its_columns(browser: BrowserComputer) -> None:
    browser.start((PAGES.parents[1] / "examples" / "orders.html").as_uri())
    (command,) = parse('read "Total" in the row of "1"')  # type: ignore[misc]
    assert isinstance(command, Read)
    with pytest.raises(NotFound):
        read_value(command.what, browser.observe(picture=False), ScreenGrounder())
