"""What only a person can do is recognised, and never done by the agent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.executor import Executor
from gui_agent.agent.limits import Limits, RunControl
from gui_agent.agent.outcome import CodeReflector
from gui_agent.agent.person import QUESTIONS, obstacle
from gui_agent.core.actions import Click
from gui_agent.core.observation import Box, Element, Point, Words
from gui_agent.core.trajectory import Planned
from gui_agent.testing import ExactGrounder, FakeComputer, OpenGuard, button, checkbox, field, screen, text

FRAME = Element(90, "iframe", "", Box(10, 10, 300, 70), attributes={"src": "https://x.test/recaptcha/api2"})
PASSWORD = replace(field("Password"), states=frozenset({"editable", "password"}))


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ([checkbox("I'm not a robot")], "captcha"),
        ([checkbox("Ich bin kein Roboter")], "captcha"),
        ([text("Verify you are human by completing the action below.")], "captcha"),
        ([FRAME], "captcha"),
        ([field("Verification code")], "code"),
        ([replace(field("PIN"), attributes={"autocomplete": "one-time-code"})], "code"),
        ([field("User"), PASSWORD, button("Sign in")], "login"),
    ],
)
def test_it_is_known_by_structure_and_words(shown: list[Element], kind: str) -> None:
    assert obstacle(screen(*shown)) == QUESTIONS[kind]


@pytest.mark.parametrize(
    "shown",
    [
        [field("Postal code"), button("Next")],
        [text("How captchas work, " + "and what they are for. " * 9)],
        [Element(9, "link", "About reCAPTCHA", Box(0, 0, 90, 20))],
        [PASSWORD, replace(PASSWORD, name="Repeat it")],
        [replace(PASSWORD, value="••••")],
        [field("Discount code")],
    ],
)
def test_everyday_pages_are_no_obstacle(shown: list[Element]) -> None:
    assert obstacle(screen(*shown)) == ""


@pytest.mark.parametrize("target", [Words("I'm not a robot"), Point(20, 20)])
def test_a_captcha_is_not_touched(target: Words | Point) -> None:
    computer = FakeComputer(screen(FRAME, checkbox("I'm not a robot")))
    parts = (computer, ExactGrounder(), OpenGuard(), CodeReflector(ExactGrounder()))
    now = computer.observe()
    spot = now.elements[0].box.center if isinstance(target, Point) else target
    executor = Executor(*parts, limits=Limits(), control=RunControl())
    step = executor.carry_out(1, Planned(Click(spot)), now, now)
    assert step.error == "ActionFailed" and "captcha" in step.outcome.summary
    assert computer.performed == []
