"""Where the simplest program cannot go on, another one that would have done the same so far is tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.codec import encode
from gui_agent.core.observation import Fingerprint
from gui_agent.core.trajectory import Decision, Demonstration, Trajectory, Turn
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import (
    Aim,
    Alternative,
    Captioned,
    Const,
    DoStep,
    HasRole,
    Program,
    Selector,
)
from gui_agent.procedures.runtime.history import OWN, caught_up
from gui_agent.procedures.runtime.machine import Bookmark, Cursor
from gui_agent.testing import FakeComputer, OpenGuard, button, field, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording


def run(computer: FakeComputer, known: list[Demonstration | Program], task: str) -> Trajectory:
    planner = DemonstrationPlanner(known)
    agent = Agent(computer, planner, guard=OpenGuard(), limits=Limits(patience=0.0), picture=False)
    return agent.run(task).trajectory


def ended(trajectory: Trajectory) -> str:
    assert trajectory.ending is not None
    return trajectory.ending.kind


def mail(*buttons: str, opening: bool = False) -> FakeComputer:
    """A mail with buttons; `opening` puts a menu in front of them."""
    shown = screen(field("Text"), *(button(name) for name in buttons))
    screens = {"mail": shown, "end": screen(text("Sent"))}
    if opening:
        screens["mail"] = screen(field("Text"), button("Menu"))
        screens["menu"] = shown
    rules = [
        when("click", "Menu", go="menu" if opening else "mail"),
        *(when("click", name, go="end") for name in buttons if name != "Menu"),
    ]
    return FakeComputer(screens, rules)


def directly(hand: Recording) -> None:
    hand.type("Text", "hi")
    hand.click("Dispatch")


def by_menu(hand: Recording) -> None:
    hand.type("Text", "hello")
    hand.click("Menu")
    hand.click("Post")


@pytest.fixture
def both(record: Record) -> list[Program]:
    """Two ways to do the same, learned apart: by a button, and by a menu."""
    one = record(mail("Dispatch"), "Mail 'hi'", directly)
    other = record(mail("Post", opening=True), "Mail 'hello'", by_menu)
    return [*learn([one]), *learn([other])]


def test_of_two_ways_the_one_that_the_screen_has_is_gone(both: list[Program]) -> None:
    for computer in (mail("Dispatch"), mail("Post", opening=True)):
        assert ended(run(computer, [*both], "Mail 'see you'")) == "done"
        assert computer.world.current == "end"


def test_where_both_ways_are_open_nothing_is_guessed(both: list[Program]) -> None:
    computer = mail("Dispatch", "Menu")
    trajectory = run(computer, [*both], "Mail 'see you'")
    assert ended(trajectory) == "not_done"
    assert all(action.kind == "type" for action in computer.performed)


def pressing(name: str) -> DoStep:
    aim = Aim((Selector((HasRole("button"), Captioned(Const(name)))),))
    return DoStep(Click(Fingerprint("button", name)), at=aim)


def test_an_alternative_that_did_the_same_so_far_goes_on(record: Record) -> None:
    (program,) = learn([record(mail("Dispatch"), "Mail 'hi'", directly)])
    other = Alternative((program.steps[0], pressing("Transmit")))
    computer = mail("Transmit")
    assert ended(run(computer, [replace(program, alternatives=(other,))], "Mail 'see you'")) == "done"
    assert [action.kind for action in computer.performed] == ["type", "click"]


def test_an_alternative_that_would_have_done_otherwise_is_not_tried(record: Record) -> None:
    (program,) = learn([record(mail("Dispatch"), "Mail 'hi'", directly)])
    computer = mail("Transmit")
    changed = replace(program, alternatives=(Alternative((pressing("Transmit"),)),))
    assert ended(run(computer, [changed], "Mail 'see you'")) == "not_done"
    assert [action.kind for action in computer.performed] == ["type"]


def test_a_wait_before_a_program_was_chosen_is_no_step_of_any(record: Record) -> None:
    turn = Turn(Decision(planned=(), bookmark=encode(Bookmark("")).decode(), planner=OWN), ())
    (program,) = learn([record(mail("Dispatch"), "Write hi", directly)])
    assert caught_up(program, {}, "Write hi", [turn], [program]) == Cursor()
