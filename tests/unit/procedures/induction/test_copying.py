"""What is read on one screen and typed on another is copied anew, not typed as it once was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.wording import sentences
from gui_agent.testing import FakeComputer, button, field, row, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def shop(number: str, *, labelled: bool = True, news: str = "") -> FakeComputer:
    """An order with its number, and a form on the next page that asks for it."""
    shown = [text(f"Order number: {number}")] if labelled else [row(text("Order number"), text(number))]
    order = screen(text("Your orders"), *([text(news)] if news else []), *shown, button("Complain"))
    form = screen(field("Number"), field("Reason"), button("Submit"))
    rules = [when("click", "Complain", go="form"), when("click", "Submit", go="end")]
    return FakeComputer({"order": order, "form": form, "end": screen(text("Thank you"))}, rules)


def complaining(number: str, reason: str) -> Callable[[Recording], None]:
    def by_hand(hand: Recording) -> None:
        hand.click("Complain")
        hand.type("Number", number)
        hand.type("Reason", reason)
        hand.click("Submit")

    return by_hand


def typed(computer: FakeComputer) -> list[str]:
    return [action.text for action in computer.performed if action.kind == "type"]


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("demonstrations", [("A-4711",), ("A-4711", "B-0815")])
def test_a_number_from_the_page_before_is_copied(
    record: Record, run: Run, demonstrations: tuple[str, ...], labelled: bool
) -> None:
    shown = [
        record(shop(number, labelled=labelled), f"Complain that it was {why}", complaining(number, why))
        for number, why in zip(demonstrations, ("late", "broken"), strict=False)
    ]
    computer = shop("C-1234", labelled=labelled, news="Free shipping in June")
    trajectory = run(computer, shown, "Complain that it was wet")
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert typed(computer) == ["C-1234", "wet"]


def test_the_procedure_says_what_it_remembers(record: Record) -> None:
    (program,) = learn([record(shop("A-4711"), "Complain that it was late", complaining("A-4711", "late"))])
    assert sentences(program)[0] == (
        '1. Remember the text of the text starting with "Order number" (after the colon) as {number}.'
    )
    assert "Type {number}" in sentences(program)[2]


def test_what_the_instruction_says_is_not_copied(record: Record, run: Run) -> None:
    task = "Complain about A-4711 that it was late"
    shown = record(shop("A-4711"), task, complaining("A-4711", "late"))
    computer = shop("C-1234")
    run(computer, [shown], "Complain about B-0815 that it was wet")
    assert typed(computer) == ["B-0815", "wet"]


def test_a_number_that_is_not_there_is_told_and_nothing_is_typed(record: Record, run: Run) -> None:
    shown = record(shop("A-4711"), "Complain that it was late", complaining("A-4711", "late"))
    computer = shop("C-1234", labelled=False)
    trajectory = run(computer, [shown], "Complain that it was wet")
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "not_done"
    assert "Order number" in trajectory.ending.reason
    assert typed(computer) == []
