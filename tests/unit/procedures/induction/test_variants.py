"""Which programs for one task are kept: not what is idle, unfinished, or decided by nothing that is known."""

from __future__ import annotations

from gui_agent.procedures.induction.learn import learn
from gui_agent.testing import FakeComputer, button, screen, text, when
from tests.unit.procedures.induction.conftest import Record


def quiz() -> FakeComputer:
    """A question whose answer nothing on the screen tells, and a form that is sent once it is unfolded."""
    return FakeComputer(
        {
            "start": screen(text("What is drawn here?"), *map(button, ANSWERS), button("Details")),
            "open": screen(text("Folded out"), button("Details"), button("Send")),
            "end": screen(text("Right")),
        },
        [
            when("click", "Details", go="open"),
            *(when("click", name, go="end") for name in (*ANSWERS, "Send")),
        ],
    )


ANSWERS = ("Number", "Letter", "Circle")


def test_what_nothing_tells_apart_is_not_decided_by_the_more_frequent_answer(record: Record) -> None:
    answers = ("Number", "Number", "Letter", "Circle", "Number", "Letter")
    shown = [
        record(quiz(), "Say what is drawn", lambda hand, name=name: hand.click(name))  # type: ignore[misc]
        for name in answers
    ]
    assert learn(shown) == ()


def test_who_always_answers_the_same_is_believed_against_one(record: Record) -> None:
    shown = [
        record(quiz(), "Say what is drawn", lambda hand, name=name: hand.click(name))  # type: ignore[misc]
        for name in ("Number", "Number", "Number", "Letter")
    ]
    assert [program.demonstrations for program in learn(shown)] == [3]
