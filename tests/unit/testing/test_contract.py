"""The contract checks pass what keeps its promises and name what is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.actions import Action, Click
from gui_agent.core.errors import NotFound
from gui_agent.core.observation import Element, Observation, Point, Screenshot, Size, Target, Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Found, Task
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    check_computer,
    check_grounder,
    check_guard,
    check_planner,
    do,
    done,
    field,
    screen,
    spot,
)

SCREEN = screen(button("Send"), button("Help"), field("Name"))


class NewIds(FakeComputer):
    """Gives its elements new ids at every look."""

    def observe(self, *, picture: bool = True) -> Observation:
        seen = super().observe(picture=picture)
        shift = 100 * self.calls["observe"]
        return replace(seen, elements=tuple(replace(e, id=e.id + shift) for e in seen.elements))


class BigBoxes(FakeComputer):
    """Its elements stick out of the screen."""

    def observe(self, *, picture: bool = True) -> Observation:
        return replace(super().observe(picture=picture), size=Size(50, 50))


class AlwaysPictures(FakeComputer):
    """Takes pictures that nobody asked for."""

    def observe(self, *, picture: bool = True) -> Observation:
        return super().observe()


class WrongSize(FakeComputer):
    """Says that its picture is smaller than it is."""

    def observe(self, *, picture: bool = True) -> Observation:
        seen = super().observe(picture=picture)
        shot = seen.screenshot
        return replace(seen, screenshot=shot and Screenshot(shot.data, Size(80, 60)))


class Clamping(FakeComputer):
    """Moves points into the picture instead of refusing them."""

    def perform(self, action: Action, expected: Element | None = None) -> None:
        if isinstance(action, Click):
            action = replace(action, at=Point(min(max(action.at.x, 0), 799), min(max(action.at.y, 0), 599)))
        super().perform(action, expected)


class Trusting(FakeComputer):
    """Clicks whatever is there."""

    def perform(self, action: Action, expected: Element | None = None) -> None:
        super().perform(action)


class Crashing(FakeComputer):
    """Breaks down on an action that it does not know."""

    def perform(self, action: Action, expected: Element | None = None) -> None:
        if action.kind == "swipe":
            raise NotImplementedError("swipe")
        super().perform(action, expected)


class Undead(FakeComputer):
    """Goes on after it was closed."""

    def close(self) -> None:
        """Nothing."""


class Anywhere(FakeComputer):
    """Starts wherever it is told, also where there is nothing."""

    def start(self, where: str) -> None:
        """Nothing."""


def test_the_fake_keeps_the_contract() -> None:
    check_computer(lambda: FakeComputer(SCREEN))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (NewIds, "different ids"),
        (BigBoxes, "sticks out"),
        (AlwaysPictures, "although `picture` was false"),
        (WrongSize, "the picture is"),
        (Clamping, "outside"),
        (Trusting, "another element was expected"),
        (Undead, "closed computer still answers"),
        (Anywhere, "place that does not exist"),
    ],
)
def test_a_broken_promise_is_named(make: Callable[[Observation], FakeComputer], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_computer(lambda: make(SCREEN))


def test_a_crash_on_an_unknown_action_comes_through() -> None:
    with pytest.raises(NotImplementedError):
        check_computer(lambda: Crashing(SCREEN))


@pytest.mark.parametrize("grounder", [ExactGrounder(), ScreenGrounder()])
def test_grounders(grounder: ExactGrounder | ScreenGrounder) -> None:
    check_grounder(grounder, SCREEN)


def test_a_grounder_that_guesses_is_found_out() -> None:
    class Guessing(ExactGrounder):
        def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
            try:
                return super().locate(target, observation, verb=verb)
            except NotFound:
                return Found(Point(1, 1), observation.elements[0])

    with pytest.raises(AssertionError, match="was found"):
        check_grounder(Guessing(), SCREEN)


def test_guards() -> None:
    send, help_ = spot(SCREEN, "Send").element, spot(SCREEN, "Help").element
    assert send is not None
    assert help_ is not None
    check_guard(PolicyGuard.default(), send, help_, SCREEN)
    check_guard(OpenGuard(["send"]), send, help_, SCREEN)
    with pytest.raises(AssertionError, match="let pass"):
        check_guard(OpenGuard(), send, help_, SCREEN)


def test_planners() -> None:
    situation = Situation(Task("x"), SCREEN)

    class Steady:
        name = "steady"

        def decide(self, situation: Situation) -> Decision:
            return do(Click(Words("Send")))

    assert check_planner(Steady(), situation) == do(Click(Words("Send")))
    with pytest.raises(AssertionError, match="otherwise the second time"):
        check_planner(ScriptedPlanner([done("1"), done("2")]), situation)
