"""Which programs for one task are kept: not what is idle, unfinished, or decided by nothing that is known."""

from __future__ import annotations

from gui_agent.core.actions import Click, Press
from gui_agent.core.targets import Fingerprint
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.induction.variants import is_shortened
from gui_agent.procedures.language.expressions import Captioned, Const, HasRole, ReadText, Selector, Slot
from gui_agent.procedures.language.program import Program, SlotParameter
from gui_agent.procedures.language.steps import Aim, DoStep, Steer
from gui_agent.procedures.language.wording import sentences
from gui_agent.testing import FakeComputer, button, screen, text, when, widget
from tests.unit.procedures.induction.conftest import Record, Recording


def called(name: str) -> Aim:
    return Aim((Selector((Captioned(Const(name)),)),))


def click(name: str) -> DoStep:
    return DoStep(Click(Fingerprint("button", name)), at=called(name))


TURN = Steer(
    ReadText(Selector((HasRole("text"),))),
    Slot("number"),
    (DoStep(Press(("right",))),),
    (DoStep(Press(("left",))),),
)
DIAL = Program(
    "dial",
    ("Set it to {number}",),
    (click("handle"), TURN, click("Submit")),
    (SlotParameter("number", "number"),),
)


def dial(number: int) -> FakeComputer:
    page = screen(widget("button", "handle"), text(str(number)), button("Submit"), button("Cancel"))
    return FakeComputer({"start": page})


def test_what_stood_right_already_was_left_out(record: Record) -> None:
    at_goal = record(dial(7), "Set it to 7", lambda hand: hand.click("Submit"))
    assert is_shortened(at_goal, DIAL)


def test_what_should_have_been_turned_is_another_procedure(record: Record) -> None:
    elsewhere = record(dial(3), "Set it to 7", lambda hand: hand.click("Submit"))
    assert not is_shortened(elsewhere, DIAL)


def test_another_button_is_another_procedure(record: Record) -> None:
    other = record(dial(7), "Set it to 7", lambda hand: hand.click("Cancel"))
    assert not is_shortened(other, DIAL)


def test_another_instruction_is_another_procedure(record: Record) -> None:
    other = record(dial(7), "Never go beyond seven", lambda hand: hand.click("Submit"))
    assert not is_shortened(other, DIAL)


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


def test_a_recording_that_ends_before_what_the_task_names_does_not_count(record: Record) -> None:
    def whole(hand: Recording) -> None:
        hand.click("Details")
        hand.click("Send")

    def begun(hand: Recording) -> None:
        hand.click("Details")

    shown = [record(quiz(), "Fold it out, then send it", one) for one in (begun, whole, begun, whole, begun)]
    (program,) = learn(shown)
    assert [step.split("; ")[0].rstrip(".") for step in sentences(program)] == [
        '1. Click the button "Details"',
        '2. Click the button "Send"',
    ]
