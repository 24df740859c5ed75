"""A finished, verified run as a demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gui_agent.core.actions import Action, Recorded, Wait, aim, places
from gui_agent.core.demonstration import Demonstration, DemoStep, Screen
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Box
from gui_agent.core.observation import Observation
from gui_agent.core.targets import Fingerprint, Point
from gui_agent.core.trajectory import Found, Step, Trajectory
from gui_agent.elements.fingerprints import fingerprint
from gui_agent.elements.image_regions import crop_hash
from gui_agent.procedures.recordings.postconditions import postconditions

AROUND = 16
"""Pixels around a bare point that are looked at to know it again."""


def from_trajectory(trajectory: Trajectory, platform: str = "", *, origin: str = "") -> Demonstration:
    """The steps of a run that were carried out and did what they should, without pictures.

    Raises:
        ConfigError: the run did not end with its task done, so there is nothing to learn from.
    """
    if trajectory.ending is None or trajectory.ending.kind != "done":
        ended = trajectory.ending.kind if trajectory.ending else "unfinished"
        raise ConfigError(f"only a run that ended as done can be learned from, this one is {ended}")
    done = [step for step in trajectory.steps if step.action is not None and step.outcome.good]
    last = done[-1].after if done else None
    return Demonstration(
        task=trajectory.task.text,
        steps=tuple(recorded(step) for step in done),
        start=trajectory.task.start,
        slots=dict(trajectory.task.values),
        platform=platform,
        answer=trajectory.ending.answer,
        notes=trajectory.notes,
        final=screen_of(last) if last is not None else None,
        origin=origin,
    )


def screen_of(observation: Observation) -> Screen:
    """The part of an observation that a demonstration keeps."""
    return Screen(observation.size, observation.place, observation.elements)


def recorded(step: Step) -> DemoStep:
    """A step that was carried out as a step of a demonstration."""
    assert step.action is not None
    element = _element(step.found, "at")
    return DemoStep(
        action=_with_fingerprints(step.action, step.found, step.before),
        screen=screen_of(step.before),
        element=element,
        to_element=_element(step.found, "to"),
        expect=postconditions(step.before, step.after, element),
        seconds=step.seconds.get("settle", 0.0),
    )


def _element(found: Mapping[str, Found], name: str) -> int:
    place = found.get(name)
    return place.element.id if place is not None and place.element is not None else 0


def _with_fingerprints(action: Action | Wait, found: Mapping[str, Found], screen: Observation) -> Recorded:
    if isinstance(action, Wait):
        return action
    marks: dict[str, Fingerprint] = {}
    for name, point in places(action).items():
        place = found.get(name)
        element = place.element if place is not None else None
        mark = fingerprint(element, screen) if element is not None else _place(point, screen)
        box = element.box if element is not None else _around(point)
        hidden = element is not None and "password" in element.states
        looks = "" if hidden or screen.screenshot is None else crop_hash(screen.screenshot, box)
        marks[name] = replace(mark, crop=looks)
    return aim(action, marks)


def _around(point: Point) -> Box:
    """The piece of the picture by which a bare point is known."""
    return Box(point.x - AROUND, point.y - AROUND, 2 * AROUND, 2 * AROUND)


def _place(point: Point, screen: Observation) -> Fingerprint:
    """A fingerprint of a bare point: where it was, and how it looked around it."""
    return Fingerprint(role="", name="", box=Box(point.x, point.y, 1, 1), screen=screen.size)
