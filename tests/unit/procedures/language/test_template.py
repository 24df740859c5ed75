"""Instructions are read through templates, or refused."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.actions import Back, Close
from gui_agent.core.trajectory import Task
from gui_agent.procedures.language.program import DoStep, Program, SlotParameter
from gui_agent.procedures.language.template import FLOOR, fit
from gui_agent.procedures.recognition.choose import NoProgram, choose


def test_slots_are_filled() -> None:
    reading = fit("Send {text} to {to}", "Send hello there to Grace")
    assert reading is not None
    assert reading.score == 1.0
    assert dict(reading.values) == {"text": "hello there", "to": "Grace"}


def test_a_quoted_text_is_never_cut() -> None:
    reading = fit('Send "{text}" to {to}', 'Send "go to Rome" to Ada')
    assert reading is not None
    assert dict(reading.values) == {"text": "go to Rome", "to": "Ada"}
    assert not reading.ambiguous


def test_two_readings_are_told() -> None:
    reading = fit("Send {text} to {to}", "Send go to Rome to Ada")
    assert reading is not None
    assert reading.ambiguous


def test_another_task_does_not_reach_the_floor() -> None:
    reading = fit("Delete the mail from {who}", "Open the settings of Ada")
    assert reading is None or reading.score < FLOOR


def test_a_slot_of_the_wrong_type_does_not_fit() -> None:
    parameters = (SlotParameter("day", "date"),)
    right = fit("Book {day}", "Book March 4, 2025", parameters)
    wrong = fit("Book {day}", "Book the small room", parameters)
    assert right is not None and right.score == 1.0
    assert wrong is None or wrong.score < FLOOR


def test_the_work_grows_with_the_square_of_the_length_of_a_text() -> None:
    def calls(length: int) -> int:
        seen = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal seen
            seen += event == "call"

        text = "Send " + " ".join(f"word{number}" for number in range(length)) + " to Ada"
        sys.setprofile(count)
        try:
            fit("Send {text} to {to}", text)
        finally:
            sys.setprofile(None)
        return seen

    assert calls(160) < 5 * calls(80)


@given(st.text("abcdefgh", min_size=1, max_size=8), st.text("abcdefgh", min_size=1, max_size=8))
def test_what_is_put_into_a_template_is_read_out_again(one: str, other: str) -> None:
    reading = fit("Rename the file {old} into {new} now", f"Rename the file {one} into {other} now")
    assert reading is not None
    assert dict(reading.values) == {"old": one, "new": other}


SEND = Program(
    "send", ("Send {text} to {to}",), (DoStep(Back()),), (SlotParameter("text"), SlotParameter("to"))
)
DROP = Program("drop", ("Delete the mail from {who}",), (DoStep(Close()),), (SlotParameter("who"),))


def test_the_program_whose_wording_fits_is_chosen() -> None:
    chosen = choose(Task("Delete the mail from Ada"), (SEND, DROP))
    assert chosen.program is DROP
    assert chosen.values == {"who": "Ada"}


def test_values_given_by_name_go_first() -> None:
    chosen = choose(Task("Send hi to Ada", values={"to": "Grace"}), (SEND,))
    assert chosen.values == {"text": "hi", "to": "Grace"}


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Task("Water the plants"), "no demonstration fits"),
        (Task("Send hi to Ada", values={"too": "Grace"}), 'no slot "too"'),
        (Task("Send hi to Ada to Grace"), "put the values in quotes"),
    ],
)
def test_what_is_not_clear_is_refused(task: Task, message: str) -> None:
    with pytest.raises(NoProgram, match=message):
        choose(task, (SEND, DROP))


def test_two_procedures_for_one_wording_are_refused() -> None:
    twin = Program("twin", SEND.templates, (DoStep(Close()),), SEND.parameters)
    with pytest.raises(NoProgram, match="two procedures"):
        choose(Task("Send hi to Ada"), (SEND, twin))


PAY = Program(
    "pay",
    ("Send {text} to {to} and pay {amount}",),
    (DoStep(Close()),),
    (SlotParameter("text"), SlotParameter("to"), SlotParameter("amount", type="number")),
)


def test_a_value_with_a_place_in_the_task_is_no_wording_and_belongs_where_it_stands() -> None:
    task = Task("Send {to} to {text}", values={"to": "hi", "text": "Ada and pay 100"})
    chosen = choose(task, (SEND, PAY))
    assert chosen.program is SEND and chosen.values == {"text": "hi", "to": "Ada and pay 100"}


def test_a_value_with_a_place_in_the_task_has_the_type_that_is_wanted() -> None:
    asked = "Send {x} to {y} and pay {z}"
    paid = choose(Task(asked, values={"x": "hi", "y": "Ada", "z": "5"}), (PAY,))
    assert paid.program is PAY and paid.values["amount"] == "5"
    with pytest.raises(NoProgram, match='amount is a number, not "all"'):
        choose(Task(asked, values={"x": "hi", "y": "Ada", "z": "all"}), (PAY,))


def test_a_part_whose_meaning_was_never_shown_takes_only_what_was_shown() -> None:
    unused = SlotParameter("how", examples=("gently",), used=False)
    program = Program(
        "send", ("Send {text} {how} please",), (DoStep(Back()),), (SlotParameter("text"), unused)
    )
    assert choose(Task('Send "hi" gently please'), (program,)).values["how"] == "gently"
    with pytest.raises(NoProgram, match="no demonstration shows"):
        choose(Task('Send "hi" loudly please'), (program,))


@pytest.mark.parametrize(
    "instruction",
    [
        "Do not open the mail from Ada and then delete it at once",
        "Open the mail from Ada and then archive it at once",
        "Open the mail from Ada and then delete it at once and write to Bob",
    ],
)
def test_one_word_that_matters_makes_another_task(instruction: str) -> None:
    reading = fit("Open the mail from {who} and then delete it at once", instruction)
    assert reading is None or reading.score < FLOOR or reading.values["who"] != "Ada"


def test_politeness_changes_nothing() -> None:
    reading = fit("Open the mail of {who} and delete it", "Please open the mail of Ada, and then delete it.")
    assert reading is not None and reading.score >= FLOOR
    assert reading.values == {"who": "Ada"}


@pytest.mark.parametrize(
    "text", ["Put oat bread on my list.", "put oat bread on my list", "Put oat bread on My list!"]
)
def test_a_full_stop_and_capitals_change_nothing(text: str) -> None:
    reading = fit("Put {item} on my list", text)
    assert reading is not None
    assert reading.score == 1.0
    assert dict(reading.values) == {"item": "oat bread"}
    assert fit("Put {item} on my list.", "Put oat bread on my list") == reading


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Tell Grace the minutes are fine", {"who": "Grace", "what": "the minutes are fine"}),
        ("Tell Grace I'm late", {"who": "Grace", "what": "I'm late"}),
        ("Tell Grace Hopper will do", None),
    ],
)
def test_two_values_without_a_word_between_are_told_apart_as_they_were_shown(
    text: str, values: dict[str, str] | None
) -> None:
    slots = (SlotParameter("who", examples=("Ada",)), SlotParameter("what", examples=("I'll be late",)))
    reading = fit("Tell {who} {what}", text, slots)
    assert reading is not None
    assert reading.ambiguous if values is None else dict(reading.values) == values and not reading.ambiguous
