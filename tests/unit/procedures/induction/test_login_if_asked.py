"""Logging in is done when a login is asked for, and left out when it is not."""

from __future__ import annotations

from functools import partial

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.trajectory import Demonstration
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.wording import sentences
from gui_agent.testing import FakeComputer, OpenGuard, button, field, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording


def site(*, login: bool) -> FakeComputer:
    screens = {
        "login": screen(field("User name"), field("Password", states=["password"]), button("Log in")),
        "form": screen(field("Subject"), button("Report")),
        "end": screen(text("Thank you for the report")),
    }
    if not login:
        del screens["login"]
    return FakeComputer(screens, [when("click", "Log in", go="form"), when("click", "Report", go="end")])


def reporting(subject: str, hand: Recording, *, login: bool) -> None:
    if login:
        hand.type("User name", "ada")
        hand.type("Password", "${secret:PASSWORD}")
        hand.click("Log in")
    hand.type("Subject", subject)
    hand.click("Report")


@pytest.fixture
def shown(record: Record) -> list[Demonstration]:
    found = []
    for subject, login in (("no light", False), ("no heating", True), ("no water", False)):
        by_hand = partial(reporting, subject, login=login)
        found.append(record(site(login=login), f"Report '{subject}'", by_hand))
    return found


def test_the_login_is_one_answer(shown: list[Demonstration]) -> None:
    (program,) = learn(shown)
    said = sentences(program)
    assert said[0].startswith("1. When the textbox")
    assert len([line for line in said if line.startswith("   ")]) == 3


@pytest.mark.parametrize("login", [True, False])
def test_it_is_given_when_it_is_asked_for(shown: list[Demonstration], login: bool) -> None:
    computer = site(login=login)
    planner, secrets = DemonstrationPlanner(shown), {"PASSWORD": "a secret"}
    limits = Limits(patience=0.0)
    agent = Agent(computer, planner, guard=OpenGuard(), limits=limits, secrets=secrets, picture=False)
    trajectory = agent.run("Report 'no bread'").trajectory
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    texts = [action.text for action in computer.performed if action.kind == "type"]
    assert texts == (["ada", "a secret"] if login else []) + ["no bread"]
