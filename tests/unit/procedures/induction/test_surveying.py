"""Of a long list that thing is taken which has the smallest or the largest number, wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gui_agent.core.actions import Scroll
from gui_agent.core.observation import Size
from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Survey, nodes
from gui_agent.testing import FakeComputer, button, row, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run, acted_on

Offers = Sequence[tuple[str, int, str]]
SMALL = Size(400, 130)
"""A window that shows a few of the offers."""

FIRST: Offers = (
    ("Ash", 40, "1h 10m"),
    ("Bay", 35, "50m"),
    ("Elm", 60, "2h"),
    ("Fir", 12, "1h 45m"),
    ("Oak", 55, "3h"),
    ("Yew", 20, "20m"),
    ("Box", 33, "1h 30m"),
    ("Ivy", 47, "2h 5m"),
)
SECOND: Offers = (
    ("Ivy", 25, "1h 40m"),
    ("Oak", 90, "15m"),
    ("Fir", 31, "55m"),
    ("Box", 77, "3h 30m"),
    ("Ash", 45, "2h 10m"),
    ("Elm", 52, "1h"),
    ("Bay", 19, "1h 5m"),
    ("Yew", 22, "4h"),
)
THIRD: Offers = (
    ("Fig", 61, "2h 20m"),
    ("Nut", 44, "1h 25m"),
    ("Pea", 83, "1h 55m"),
    ("Rye", 58, "35m"),
    ("Oat", 39, "5h"),
    ("Tea", 71, "3h 15m"),
    ("Hop", 66, "2h 50m"),
    ("Yam", 95, "45m"),
)


def market(offers: Offers) -> FakeComputer:
    """A list that is longer than the window; each offer has a price and says how long it takes."""
    rows = [row(text(name), text(lasts), button(f"Take for ${price}")) for name, price, lasts in offers]
    pages = {"list": screen(*rows, size=SMALL), "end": screen(text("Taken"))}
    return FakeComputer(pages, [when("click", go="end")])


def looked_through(wanted: str) -> object:
    """Scrolls to the end of the list, back to what is wanted, and takes it."""

    def script(hand: Recording) -> None:
        while hand.look().more.get("below"):
            hand.act(Scroll(hand.look().elements[0], down=50))
        while wanted not in [element.name for element in hand.look().controls]:
            hand.act(Scroll(hand.look().elements[0], down=-50))
        hand.click(wanted)

    return script


def shown(record: Record, task: str, *wanted: str) -> list[Demonstration]:
    lists = (FIRST, SECOND)
    return [
        record(market(offers), task, looked_through(name))  # type: ignore[arg-type]
        for offers, name in zip(lists, wanted, strict=True)
    ]


@pytest.mark.parametrize(
    ("task", "wanted", "best"),
    [
        ("Take the cheapest offer", ("Take for $12", "Take for $19"), "Take for $39"),
        ("Take the dearest offer", ("Take for $60", "Take for $90"), "Take for $95"),
        ("Take the quickest offer", ("Take for $20", "Take for $90"), "Take for $58"),
    ],
)
def test_the_best_of_all_is_taken(
    record: Record, run: Run, task: str, wanted: tuple[str, str], best: str
) -> None:
    known = shown(record, task, *wanted)
    assert any(isinstance(node, Survey) for program in learn(known) for node in nodes(program.steps))
    computer = market(THIRD)
    trajectory: Trajectory = run(computer, known, task)
    assert trajectory.ending is not None and trajectory.ending.kind == "done", trajectory.ending
    assert acted_on(trajectory, "button")[-1] == best


def test_what_has_no_reason_is_no_survey(record: Record) -> None:
    known = shown(record, "Take a good offer", "Take for $55", "Take for $31")
    assert not any(isinstance(node, Survey) for program in learn(known) for node in nodes(program.steps))
