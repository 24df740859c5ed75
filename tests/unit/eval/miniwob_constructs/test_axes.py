"""Places on a chart are read from the numbers along its axes."""

from __future__ import annotations

from guiagent_eval.miniwob_constructs.drawings import axes_of

from gui_agent.core.observation import TEXT, Box, Element, Observation, Size
from gui_agent.procedures.language.view import View


def label(number: int, name: str, x: int, y: int) -> Element:
    return Element(number, TEXT, name, Box(x - 4, y - 5, 8, 10))


def chart(*labels: Element) -> View:
    return View(Observation(Size(300, 300), labels))


ACROSS = tuple(label(i, str(10 * i), 50 * i, 200) for i in range(5))
UP = tuple(label(10 + i, str(-i), 8, 100 + 30 * i) for i in range(1, 4))


def test_crossings_of_marks_have_coordinates() -> None:
    axes = axes_of(chart(*ACROSS, *UP))
    assert axes is not None
    assert axes.coordinates_at(100, 130) == (20, -1)
    assert axes.coordinates_at(152, 192) == (30, -3)


def test_places_between_the_marks_have_none() -> None:
    axes = axes_of(chart(*ACROSS, *UP))
    assert axes is not None and axes.coordinates_at(125, 130) is None


def test_a_number_that_stands_aside_does_no_harm() -> None:
    axes = axes_of(chart(*ACROSS, *UP, label(20, "0", 10, 112)))
    assert axes is not None and axes.coordinates_at(100, 160) == (20, -2)


def test_numbers_that_are_no_scale_are_no_axes() -> None:
    assert axes_of(chart(*ACROSS)) is None
    assert axes_of(chart(label(1, "3", 10, 10), label(2, "9", 50, 10), label(3, "4", 90, 10))) is None
    assert axes_of(chart()) is None
