"""What a person copies on one screen is copied anew; what only stood there, too, is typed as it was shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, Press
from gui_agent.planners.commands import PlainPlanner
from gui_agent.procedures.induction.learn import learn, learn_one
from gui_agent.procedures.induction.steps import Unexplained
from gui_agent.procedures.language.wording import sentences
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.testing import FakeComputer, OpenGuard, button, field, row, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def shop(number: str, *, labelled: bool = True, news: str = "") -> FakeComputer:
    """An order with its number, and a form on the next page that asks for it."""
    shown = [text(f"Order number: {number}")] if labelled else [row(text("Order number"), text(number))]
    order = screen(text("Your orders"), *([text(news)] if news else []), *shown, button("Complain"))
    form = screen(field("Number"), field("Reason"), button("Submit"))
    rules = [when("click", "Complain", go="form"), when("click", "Submit", go="end")]
    return FakeComputer({"order": order, "form": form, "end": screen(text("Thank you"))}, rules)


def complaining(number: str, reason: str, *, selects: bool = False) -> Callable[[Recording], None]:
    def by_hand(hand: Recording) -> None:
        if selects:
            shown = next(e for e in hand.look().elements if number in e.name)
            hand.act(Click(shown, clicks=2))
            hand.act(Press(("ctrl", "c")))
        hand.click("Complain")
        hand.type("Number", number)
        hand.type("Reason", reason)
        hand.click("Submit")

    return by_hand


def typed(computer: FakeComputer) -> list[str]:
    return [action.text for action in computer.performed if action.kind == "type"]


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("demonstrations", [("A-4711",), ("A-4711", "B-0815")])
def test_a_number_that_was_selected_on_the_page_before_is_copied(
    record: Record, run: Run, demonstrations: tuple[str, ...], labelled: bool
) -> None:
    shown = [
        record(
            shop(number, labelled=labelled),
            f"Complain that it was {why}",
            complaining(number, why, selects=len(demonstrations) == 1),
        )
        for number, why in zip(demonstrations, ("late", "broken"), strict=False)
    ]
    computer = shop("C-1234", labelled=labelled, news="Free shipping in June")
    trajectory = run(computer, shown, "Complain that it was wet")
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert typed(computer) == ["C-1234", "wet"]
    assert [action.kind for action in computer.performed] == ["click", "type", "type", "click"]


@pytest.mark.parametrize("labelled", [True, False])
def test_of_one_demonstration_a_text_that_also_stood_on_the_page_before_stays_what_it_was(
    record: Record, run: Run, labelled: bool
) -> None:
    shown = record(
        shop("A-4711", labelled=labelled), "Complain that it was late", complaining("A-4711", "late")
    )
    computer = shop("C-1234", labelled=labelled)
    run(computer, [shown], "Complain that it was wet")
    assert typed(computer) == ["A-4711", "wet"]


def test_of_one_demonstration_a_text_that_also_stands_beside_the_field_stays_what_it_was(
    record: Record, run: Run
) -> None:
    def desk(city: str) -> FakeComputer:
        form = screen(row(text("Branch:"), text(city)), field("City"), field("Name"), button("Save"))
        return FakeComputer({"form": form, "end": screen(text("Saved"))}, [when("click", "Save", go="end")])

    def by_hand(hand: Recording) -> None:
        hand.type("City", "Bergen")
        hand.type("Name", "Ada")
        hand.click("Save")

    computer = desk("Oslo")
    run(computer, [record(desk("Bergen"), "Add Ada", by_hand)], "Add Grace")
    assert typed(computer) == ["Bergen", "Grace"]


def test_of_two_demonstrations_a_text_that_was_the_same_in_both_is_not_read(record: Record, run: Run) -> None:
    shown = [
        record(shop("A-4711"), f"Complain that it was {why}", complaining("A-4711", why))
        for why in ("late", "broken")
    ]
    computer = shop("C-1234")
    run(computer, shown, "Complain that it was wet")
    assert typed(computer) == ["A-4711", "wet"]


def test_what_the_run_noted_on_purpose_is_read_anew(record: Record, run: Run) -> None:
    shown = record(shop("A-4711"), "Complain that it was late", complaining("A-4711", "late"))
    computer = shop("C-1234")
    run(computer, [replace(shown, notes={"order": "A-4711"})], "Complain that it was wet")
    assert typed(computer) == ["C-1234", "wet"]


def test_what_a_plain_command_copied_is_copied_anew(run: Run) -> None:
    def desk(number: str) -> FakeComputer:
        form = screen(field("Order number", number), field("Number"), field("Reason"), button("Submit"))
        return FakeComputer({"form": form, "end": screen(text("Thank you"))}, [when("click", go="end")])

    commands = 'copy "Order number" into "Number", type "late" into "Reason", click "Submit"'
    ran = Agent(desk("A-4711"), PlainPlanner(), guard=OpenGuard(), picture=False).run(commands)
    shown = replace(from_trajectory(ran.trajectory), task="Complain that it was 'late'")
    computer = desk("C-1234")
    run(computer, [shown], "Complain that it was 'wet'")
    assert typed(computer) == ["C-1234", "wet"]


def test_what_was_copied_from_a_place_without_a_name_is_not_learned_and_says_so(record: Record) -> None:
    listed = screen(text("Your orders"), text("A-4711"), text("B-0815"), button("Complain"))
    form = screen(field("Number"), field("Reason"), button("Submit"))
    rules = [when("click", "Complain", go="form"), when("click", "Submit", go="end")]
    computer = FakeComputer({"order": listed, "form": form, "end": screen(text("Thank you"))}, rules)
    shown = record(computer, "Complain that it was late", complaining("A-4711", "late", selects=True))
    with pytest.raises(Unexplained, match='nothing names the place that "A-4711" was copied from'):
        learn_one([shown])


def test_the_procedure_says_what_it_remembers(record: Record) -> None:
    by_hand = complaining("A-4711", "late", selects=True)
    (program,) = learn([record(shop("A-4711"), "Complain that it was late", by_hand)])
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
    by_hand = complaining("A-4711", "late", selects=True)
    shown = record(shop("A-4711"), "Complain that it was late", by_hand)
    computer = shop("C-1234", labelled=False)
    trajectory = run(computer, [shown], "Complain that it was wet")
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "not_done"
    assert "Order number" in trajectory.ending.reason
    assert typed(computer) == []
