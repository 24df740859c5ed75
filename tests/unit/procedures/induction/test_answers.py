"""An answer is read from a place that something other than the answer names, or nothing is learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gui_agent.core.observation import Box
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction.learn import learn, learn_one
from gui_agent.procedures.induction.steps import Unexplained
from gui_agent.testing import FakeComputer, button, row, screen, text, when, widget
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def loads(*rows: Sequence[str], state: str = "stopped", more: Sequence[str] = ()) -> FakeComputer:
    """A load test with a table of its requests: address, requests, failed ones."""
    lines = [("Address", "Requests", "Failed"), *rows]
    cells = [
        widget("cell" if down else "columnheader", value, box=Box(20 + 150 * right, 200 + 30 * down, 140, 20))
        for down, line in enumerate(lines)
        for right, value in enumerate(line)
    ]
    news = map(text, more)
    table = screen(*news, widget("heading", "Load test"), row(text("State:"), text(state)), *cells)
    return FakeComputer({"start": screen(button("Statistics")), "table": table}, [when("click", go="table")])


def looks(hand: Recording) -> None:
    hand.click("Statistics")


def asked(record: Record, computer: FakeComputer, task: str, answer: str) -> Demonstration:
    return replace(record(computer, task, looks), answer=answer)


def answered(run: Run, computer: FakeComputer, shown: Sequence[Demonstration], task: str) -> str:
    trajectory = run(computer, shown, task)
    assert trajectory.ending is not None
    return trajectory.ending.answer or trajectory.ending.reason


def changed() -> FakeComputer:
    rows = (("/cart", "12", "3"), ("/login", "694", "690"), ("/items", "7", "0"))
    return loads(*rows, state="running", more=("Version 2",))


TWO = (("/items", "4", "0"), ("/login", "20", "0"))


def test_a_cell_is_read_by_the_row_that_the_task_names_and_the_head_of_its_column(
    record: Record, run: Run
) -> None:
    shown = asked(record, loads(*TWO), "How many failed at '/login'?", "0")
    assert answered(run, changed(), [shown], "How many failed at '/cart'?") == "3"


def test_a_row_that_the_task_names_without_quotes_stays_that_row(record: Record, run: Run) -> None:
    shown = asked(record, loads(*TWO), "How many failed at /login?", "0")
    assert answered(run, changed(), [shown], "How many failed at /login?") == "690"


def test_a_label_names_what_stands_beside_it(record: Record, run: Run) -> None:
    shown = asked(record, loads(("/login", "20", "0")), "What is the test doing?", "stopped")
    assert answered(run, changed(), [shown], "What is the test doing?") == "running"


@pytest.mark.parametrize("answer", ["0", "/login", "/items"])
def test_what_only_the_answer_itself_names_is_not_learned(record: Record, answer: str) -> None:
    shown = asked(record, loads(*TWO), "Which is it?", answer)
    assert learn([shown]) == ()
    with pytest.raises(
        Unexplained, match="on the last screen, only the answer's own text identifies its position"
    ):
        learn_one([shown])


@pytest.mark.parametrize("others", [("Ada", "Grace"), ("Ken", "Ken")])
def test_an_answer_that_was_the_same_twice_is_not_read_by_its_place_in_a_list(
    record: Record, others: tuple[str, str]
) -> None:
    computers = [loads(*TWO, more=("Alan", one)) for one in others]
    shown = [asked(record, one, "Who is on duty?", "Alan") for one in computers]
    with pytest.raises(Unexplained):
        learn_one(shown)


def test_what_the_task_says_is_no_answer_by_itself(record: Record) -> None:
    shown = asked(record, loads(*TWO), "Which has more, '/login' or '/items'?", "/login")
    with pytest.raises(Unexplained):
        learn_one([shown])
