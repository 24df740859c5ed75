"""What comes up only sometimes is cleared away, and what it undid is done again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.conditions import TextGone
from gui_agent.core.trajectory import Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Const, DoStep, Expected, When
from gui_agent.testing import FakeComputer, button, field, form, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def desk(*, asks: bool) -> FakeComputer:
    """A form; typing the city may bring up a question instead, behind which the form comes back empty."""
    fields = (field("City"), field("Nights"), button("Book"))
    pages = {
        "form": screen(form(*fields)),
        "asked": screen(text("Still there?"), button("Leave"), button("Stay")),
        "again": screen(form(*fields)),
        "end": screen(text("Booked")),
    }
    rules = [when("click", "Stay", go="again"), when("click", "Book", go="end")]
    return FakeComputer(pages, [*rules, when("type", "City", go="asked", on="form")] if asks else rules)


def booking(city: str, nights: str, *, asked: bool) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        hand.type("City", city)
        if asked:
            hand.click("Stay")
            hand.type("City", city)
        hand.type("Nights", nights)
        hand.click("Book")

    return script


def shown(record: Record) -> list[object]:
    return [
        record(desk(asks=False), 'Book "3" nights in "Rome"', booking("Rome", "3", asked=False)),
        record(desk(asks=True), 'Book "5" nights in "Oslo"', booking("Oslo", "5", asked=True)),
        record(desk(asks=True), 'Book "2" nights in "Bern"', booking("Bern", "2", asked=True)),
    ]


def typed(computer: FakeComputer, trajectory: Trajectory) -> list[str]:
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done", trajectory.ending.reason
    return [action.text for action in computer.performed if action.kind == "type"]


def test_what_was_undone_is_part_of_the_interruption(record: Record) -> None:
    (program,) = learn(shown(record))  # type: ignore[arg-type]
    (optional,) = [step for step in program.steps if isinstance(step, When)]
    assert [step.action.kind for step in optional.body if isinstance(step, DoStep)] == ["click", "type"]


def test_the_field_is_filled_again_only_after_the_interruption(record: Record, run: Run) -> None:
    known = shown(record)
    calm, disturbed = desk(asks=False), desk(asks=True)
    task = 'Book "4" nights in "Paris"'
    assert typed(calm, run(calm, known, task)) == ["Paris", "4"]  # type: ignore[arg-type]
    assert typed(disturbed, run(disturbed, known, task)) == ["Paris", "Paris", "4"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "names", [("Book", "Book"), ("Bella", "Fjord")], ids=["a name", "a value of the task"]
)
def test_what_was_only_covered_is_not_expected_to_go(names: tuple[str, str], record: Record) -> None:
    """A list of suggestions hides the button that is pressed later."""
    hotels = dict(zip(("Rome", "Oslo"), names, strict=True))

    def page(city: str) -> FakeComputer:
        book = hotels[city]
        pages = {
            "form": screen(form(field("City"), button("Help"), button(book))),
            "list": screen(form(field("City"), button("Help")), button(city)),
            "back": screen(form(field("City"), button("Help"), button(book))),
            "end": screen(text("Booked")),
        }
        rules = [
            when("type", "City", go="list", on="form"),
            when("click", city, go="back", on="list"),
            when("click", book, go="end"),
        ]
        return FakeComputer(pages, rules)

    def script(city: str) -> Callable[[Recording], None]:
        def acts(hand: Recording) -> None:
            hand.type("City", city[:2])
            hand.click(city)
            hand.click(hotels[city])

        return acts

    named = "" if len({*names}) == 1 else ' in "{}"'
    shown = [
        record(page(city), f'Book "{city}" by "{city[:2]}"' + named.format(hotel), script(city))
        for city, hotel in hotels.items()
    ]
    assert any(TextGone(hotels["Rome"]) in step.expect for step in shown[0].steps[:1])
    (program,) = learn(shown)
    first = program.steps[0]
    assert isinstance(first, DoStep)
    assert not [expected for expected in first.expect if expected.what == "gone"]


def test_a_label_is_expected_to_go_as_it_was_written(record: Record) -> None:
    """Without its colon it may be a part of what comes instead."""
    pages = {"form": screen(text("Name:"), button("Save")), "end": screen(text("Filename"))}
    computer = FakeComputer(pages, [when("click", "Save", go="end")])
    (program,) = learn([record(computer, "Save it", lambda hand: hand.click("Save"))])
    (step,) = program.steps
    assert isinstance(step, DoStep)
    assert Expected("gone", Const("Name:")) in step.expect
