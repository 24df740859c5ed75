"""From one showing, the values of a sentence become slots, and its own words never do."""

from __future__ import annotations

from collections.abc import Mapping

from gui_agent.core.actions import TypeText
from gui_agent.core.observation import Observation
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


def typed(record: Record, run: Run, page: Observation, shown: Mapping[str, str], *said: str) -> list[str]:
    """What is typed for the second sentence, after these fields were filled in once for the first one."""

    def fill_in(hand: Recording) -> None:
        for name, value in shown.items():
            hand.type(name, value)

    first, second = said
    demonstration = record(FakeComputer({"page": page}), first, fill_in)
    computer = FakeComputer({"page": page})
    run(computer, [demonstration], second)
    return [one.text for one in computer.performed if one.kind == "type"]


def test_a_time_is_learned_as_a_time(record: Record, run: Run) -> None:
    diary, shown = screen(field("What"), field("At")), {"What": "dentist", "At": "09:30"}
    said = "I've got the dentist at 9:30", "I've got the barber at 14:05."
    assert typed(record, run, diary, shown, *said) == ["barber", "14:05"]


def test_a_value_that_the_sentence_does_not_say_stays(record: Record, run: Run) -> None:
    money, shown = screen(text("Cash"), field("For"), field("From")), {"For": "lunch", "From": "Cash"}
    said = "I paid for the lunch", "I paid for the train"
    assert typed(record, run, money, shown, *said) == ["train", "Cash"]


def test_a_number_and_a_name_beside_it_are_two_values(record: Record, run: Run) -> None:
    shop, shown = screen(field("Item"), field("Amount")), {"Item": "Coffee", "Amount": "3"}
    said = "She also wants 3 Coffee", "She also wants 12 Tea"
    assert typed(record, run, shop, shown, *said) == ["Tea", "12"]
