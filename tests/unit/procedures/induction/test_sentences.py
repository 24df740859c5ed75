"""From one showing, the values of a sentence become slots, and its own words never do."""

from __future__ import annotations

from gui_agent.core.actions import TypeText
from gui_agent.procedures.induction.learn import learn
from gui_agent.testing import FakeComputer, button, field, row, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def rooms() -> FakeComputer:
    lines = [row(text(room), field("Degrees"), button("Set")) for room in ("hall", "kitchen", "bath")]
    return FakeComputer({"rooms": screen(*lines)})


def test_a_word_that_is_also_the_name_of_a_field_is_no_value(record: Record) -> None:
    def warm(hand: Recording) -> None:
        hand.act(TypeText("19", hand.named("Degrees", 2), replace=True))

    (program,) = learn([record(rooms(), "It's cold in the kitchen, make it 19 degrees", warm)])
    assert program.templates[0].endswith("degrees")
    assert {one.examples[0] for one in program.parameters} <= {"19", "kitchen"}


def test_a_name_may_open_the_sentence(record: Record) -> None:
    people = [row(text(name), button("Edit")) for name in ("Ada Lovelace", "Grace Hopper")]
    form = screen(field("Phone"), button("Save"))
    book = FakeComputer({"book": screen(*people), "form": form}, [when("click", "Edit", go="form")])

    def change(hand: Recording) -> None:
        hand.click("Edit")
        hand.type("Phone", "555")

    (program,) = learn([record(book, "Ada Lovelace has a new number, it's 555", change)])
    assert program.templates[0].endswith("has a new number, it's {phone}")
    assert {one.examples[0] for one in program.parameters} == {"Ada Lovelace", "555"}


def test_a_time_is_learned_as_a_time(record: Record, run: Run) -> None:
    def diary() -> FakeComputer:
        return FakeComputer({"diary": screen(field("What"), field("At"))})

    def note(hand: Recording) -> None:
        hand.type("What", "dentist")
        hand.type("At", "09:30")

    shown = record(diary(), "I've got the dentist at 9:30", note)
    computer = diary()
    run(computer, [shown], "I've got the barber at 14:05.")
    assert [one.text for one in computer.performed if one.kind == "type"] == ["barber", "14:05"]


def test_a_value_that_the_sentence_does_not_say_stays(record: Record, run: Run) -> None:
    def money() -> FakeComputer:
        return FakeComputer({"money": screen(text("Cash"), field("For"), field("From"))})

    def book(hand: Recording) -> None:
        hand.type("For", "lunch")
        hand.type("From", "Cash")

    shown = record(money(), "I paid for the lunch", book)
    computer = money()
    run(computer, [shown], "I paid for the train")
    assert [one.text for one in computer.performed if one.kind == "type"] == ["train", "Cash"]


def test_a_number_and_a_name_beside_it_are_two_values(record: Record, run: Run) -> None:
    def shop() -> FakeComputer:
        return FakeComputer({"shop": screen(field("Item"), field("Amount"))})

    def order(hand: Recording) -> None:
        hand.type("Item", "Coffee")
        hand.type("Amount", "3")

    shown = record(shop(), "She also wants 3 Coffee", order)
    computer = shop()
    run(computer, [shown], "She also wants 12 Tea")
    assert [one.text for one in computer.performed if one.kind == "type"] == ["Tea", "12"]
