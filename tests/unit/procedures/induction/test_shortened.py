"""A demonstration in which nothing had to be steered goes with those in which something was."""

from __future__ import annotations

from gui_agent.core.actions import Click, Press
from gui_agent.core.targets import Fingerprint
from gui_agent.procedures.induction.shortened import shortened
from gui_agent.procedures.language.expressions import Captioned, Const, HasRole, Read, Selector, Slot
from gui_agent.procedures.language.program import Parameter, Program
from gui_agent.procedures.language.steps import Aim, Do, Steer
from gui_agent.testing import FakeComputer, button, screen, text, widget
from tests.unit.procedures.induction.conftest import Record


def called(name: str) -> Aim:
    return Aim((Selector((Captioned(Const(name)),)),))


def click(name: str) -> Do:
    return Do(Click(Fingerprint("button", name)), at=called(name))


TURN = Steer(
    Read(Selector((HasRole("text"),))), Slot("number"), (Do(Press(("right",))),), (Do(Press(("left",))),)
)
DIAL = Program(
    "dial",
    ("Set it to {number}",),
    (click("handle"), TURN, click("Submit")),
    (Parameter("number", "number"),),
)


def dial(number: int) -> FakeComputer:
    page = screen(widget("button", "handle"), text(str(number)), button("Submit"), button("Cancel"))
    return FakeComputer({"start": page})


def test_what_stood_right_already_was_left_out(record: Record) -> None:
    at_goal = record(dial(7), "Set it to 7", lambda hand: hand.click("Submit"))
    assert shortened(at_goal, DIAL)


def test_what_should_have_been_turned_is_another_procedure(record: Record) -> None:
    elsewhere = record(dial(3), "Set it to 7", lambda hand: hand.click("Submit"))
    assert not shortened(elsewhere, DIAL)


def test_another_button_is_another_procedure(record: Record) -> None:
    other = record(dial(7), "Set it to 7", lambda hand: hand.click("Cancel"))
    assert not shortened(other, DIAL)


def test_another_instruction_is_another_procedure(record: Record) -> None:
    other = record(dial(7), "Never go beyond seven", lambda hand: hand.click("Submit"))
    assert not shortened(other, DIAL)
