"""Scripted parts say their lines and keep what they were told."""

from __future__ import annotations

import pytest

from gui_agent.core.actions import Back, Click
from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import BadReply, Forbidden, NotFound, Stale
from gui_agent.core.observation import Mark, Point, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Ask, Finish, Found, GiveUp, Planned, Task
from gui_agent.testing import (
    ExactGrounder,
    OpenGuard,
    ScriptedApprover,
    ScriptedPlanner,
    ask,
    button,
    do,
    done,
    expecting,
    give_up,
    screen,
    spot,
    with_states,
)

SCREEN = screen(button("Send"), button("Send"), button("Help"))
NOW = Situation(Task("x"), SCREEN)


def test_a_planner_says_its_lines_and_then_gives_up() -> None:
    planner = ScriptedPlanner(
        [do(Back(), thought="back"), BadReply("noise"), lambda now: done(now.task.text)]
    )
    assert planner.decide(NOW).planned == (Planned(Back()),)
    with pytest.raises(BadReply):
        planner.decide(NOW)
    assert planner.decide(NOW).end == Finish("x")
    assert isinstance(planner.decide(NOW).end, GiveUp)
    assert planner.situations == [NOW] * 4


def test_decisions_in_a_word() -> None:
    assert ask("Which?").end == Ask("Which?")
    assert give_up("why").end == GiveUp("why")
    planned = expecting(Click(Mark(1)), TextShown("Done"))
    assert do(planned).planned == (planned,)
    assert planned.expect == (TextShown("Done"),)


def test_the_exact_grounder() -> None:
    grounder = ExactGrounder()
    assert grounder.locate(Point(5, 6), SCREEN).point == Point(5, 6)
    assert grounder.locate(Mark(2), SCREEN).element == SCREEN.elements[1]
    assert grounder.locate(Words("send"), SCREEN).element == SCREEN.elements[0]
    assert grounder.locate(Words("Send", ordinal=2), SCREEN).element == SCREEN.elements[1]
    assert grounder.locate(Words(role="button", ordinal=-1), SCREEN).element == SCREEN.elements[2]
    for target in (Words("Send", ordinal=3), Words("Sen"), Words("Send", role="link")):
        with pytest.raises(NotFound):
            grounder.locate(target, SCREEN)
    with pytest.raises(Stale):
        grounder.locate(Mark(9), SCREEN)


def test_the_open_guard_forbids_what_it_was_told() -> None:
    guard = OpenGuard(["help"])
    send, help_ = spot(SCREEN, "Send"), spot(SCREEN, "Help")
    guard.check(Click(send.point), {"at": send}, SCREEN)
    guard.check(Click(Point(1, 1)), {"at": Found(Point(1, 1))}, SCREEN)
    with pytest.raises(Forbidden, match="Help"):
        guard.check(Click(help_.point), {"at": help_}, SCREEN)
    assert len(guard.checked) == 3


def test_the_scripted_approver_says_no_at_the_end() -> None:
    approver = ScriptedApprover([True])
    assert approver.approve("one?", Back(), SCREEN)
    assert not approver.approve("two?", Back(), SCREEN)
    assert approver.questions == ["one?", "two?"]


def test_spots_and_states_by_name() -> None:
    assert spot(with_states(SCREEN, "Help", "focused"), "Help").element != spot(SCREEN, "Help").element
    with pytest.raises(LookupError, match='there are button "Send"'):
        spot(SCREEN, "Nothing")
