"""Pointing: the model is asked only in need, and believed only when something agrees."""

from __future__ import annotations

import pytest

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.dialogue import Reply, Request, pictures
from gui_agent.core.errors import Ambiguous, BadReply, NotFound
from gui_agent.core.observation import Box, Mark, Point, Words
from gui_agent.planners.llm.asking import PointingGrounder
from gui_agent.testing import FakeComputer, ScriptedModel, button, pointing_at, screen, widget
from gui_agent.testing.scripted import ModelLine

GEAR = widget("button", "", box=Box(700, 10, 30, 30))
VIEW = FakeComputer(screen(button("Save"), button("Delete", box=Box(20, 200, 80, 30)), GEAR)).observe()
TWINS = FakeComputer(
    screen(button("Edit", box=Box(20, 20, 60, 30)), button("Edit", box=Box(20, 300, 60, 30)))
).observe()


def grounder(*lines: ModelLine) -> tuple[PointingGrounder, ScriptedModel]:
    model = ScriptedModel(lines or [BadReply("not to be asked")])
    return PointingGrounder(model, ScreenGrounder()), model


def test_what_the_elements_tell_costs_no_call() -> None:
    found, model = grounder()
    assert found.locate(Words("Save"), VIEW).calls == 0
    assert found.locate(Mark(2), VIEW).element == VIEW.by_id(2)
    assert found.locate(Point(5, 5), VIEW).point == Point(5, 5)
    assert not model.requests


def test_a_thing_without_a_name_is_found_by_pointing_twice() -> None:
    def second(request: Request) -> Reply:
        (shot,) = pictures(request.turns[0])
        assert (shot.size.width, shot.size.height) == (960, 640)
        # The window around (715, 25) begins at (320, 0) of the 800 x 600 screen.
        return pointing_at((716 - 320) * 2, 26 * 2)

    grounds, model = grounder(pointing_at(715, 25), second)
    found = grounds.locate(Words("the settings gear"), VIEW)
    assert (found.point, found.calls) == (Point(716, 26), 2)
    assert found.element is not None and found.element.box == GEAR.box
    assert [request.purpose for request in model.requests] == ["point", "point"]


def test_of_two_things_alike_the_one_pointed_at_is_taken() -> None:
    grounds, model = grounder(pointing_at(40, 310))
    found = grounds.locate(Words("Edit", "button"), TWINS)
    assert found.element == TWINS.elements[1] and found.calls == 1
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "lines",
    [
        [pointing_at(715, 25), pointing_at(10, 10)],
        [pointing_at(715, 25), BadReply("no")],
        [BadReply("the model named no place")],
        [Reply("I do not see it")],
    ],
)
def test_a_point_that_nothing_agrees_with_is_not_taken(lines: list[ModelLine]) -> None:
    grounds, model = grounder(*lines)
    with pytest.raises(NotFound) as failed:
        grounds.locate(Words("the settings gear"), VIEW)
    assert failed.value.calls == len(model.requests)


def test_checks_of_a_screen_never_ask_the_model() -> None:
    grounds, model = grounder()
    with pytest.raises(NotFound):
        grounds.locate(Words("the settings gear"), VIEW, verb="read")
    with pytest.raises(Ambiguous):
        grounds.locate(Words("Edit", "button"), TWINS, verb="read")
    assert not model.requests


def test_the_same_question_on_the_same_screen_is_asked_once() -> None:
    grounds, model = grounder(pointing_at(40, 310))
    first, second = (grounds.locate(Words("Edit", "button"), TWINS) for _ in range(2))
    assert (first.calls, second.calls) == (1, 0) and first.point == second.point
    assert len(model.requests) == 1
