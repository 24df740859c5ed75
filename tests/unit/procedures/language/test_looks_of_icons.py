"""Icons without a name are told apart by their looks when they are looked for again."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from gui_agent.core.actions import Click
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Box, Fingerprint, Mark, Observation, Screenshot, Size
from gui_agent.core.trajectory import Decision, Ending, Found, Outcome, Planned, Step, Task, Trajectory, Turn
from gui_agent.elements.image_regions import crop_hash
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.procedures.runtime.locate import rematch
from gui_agent.scene.fingerprints import fingerprint
from gui_agent.testing import screen, widget

PLACES = (Box(20, 20, 32, 32), Box(80, 20, 32, 32))


def toolbar(*shapes: str) -> Observation:
    image = Image.new("RGB", (200, 100), "white")
    draw = ImageDraw.Draw(image)
    for shape, box in zip(shapes, PLACES, strict=True):
        if shape == "disc":
            draw.ellipse((box.left + 4, box.top + 4, box.right - 4, box.bottom - 4), fill="black")
        else:
            for line in range(3):
                draw.rectangle(
                    (box.left, box.top + 12 * line, box.right, box.top + 12 * line + 4), fill="black"
                )
    data = io.BytesIO()
    image.save(data, "PNG")
    icons = [widget("img", box=box) for box in PLACES]
    size = Size(200, 100)
    return replace(screen(*icons, size=size), screenshot=Screenshot(data.getvalue(), size))


def remembered(observation: Observation, number: int) -> Fingerprint:
    """Only kind and looks: the toolbar was rebuilt, so structure and place say nothing."""
    element = observation.elements[number]
    assert observation.screenshot is not None
    bare = replace(fingerprint(element, observation), path="", box=None, rank=0, neighbours=(), attributes={})
    return replace(bare, crop=crop_hash(observation.screenshot, element.box))


def test_an_icon_that_changed_places_is_found_by_its_looks() -> None:
    then = remembered(toolbar("disc", "lines"), 0)
    now = toolbar("lines", "disc")
    assert rematch(then, View(now)).box == PLACES[1]


def test_without_a_picture_two_nameless_icons_are_not_guessed_between() -> None:
    then = remembered(toolbar("disc", "lines"), 0)
    with pytest.raises((Ambiguous, NotFound)):
        rematch(then, View(replace(toolbar("lines", "disc"), screenshot=None)))


def test_a_run_keeps_the_looks_of_what_was_clicked_but_not_of_a_password_field() -> None:
    seen = toolbar("disc", "lines")
    secret = replace(seen.elements[1], role="textbox", states=frozenset({"password"}))
    seen = replace(seen, elements=(seen.elements[0], secret))
    steps = tuple(
        Step(
            number,
            Planned(Click(Mark(element.id))),
            seen,
            seen,
            Outcome("changed"),
            Click(element.box.center),
            {"at": Found(element.box.center, element)},
        )
        for number, element in enumerate(seen.elements, 1)
    )
    run = Trajectory(Task("click"), (Turn(Decision(), seen, steps),), Ending("done"))
    kept = [step.action.at.crop for step in from_trajectory(run).steps if isinstance(step.action, Click)]
    assert len(kept[0]) == 16
    assert kept[1] == ""
