"""Giving steps that were written by hand or imported a screen, from what their fingerprints say."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.actions import places
from gui_agent.core.demonstration import Demonstration, DemoStep, Screen
from gui_agent.core.geometry import Box, Size
from gui_agent.core.observation import TEXT, Element
from gui_agent.core.targets import Fingerprint

LINE = 40
"""Height in pixels of the line that each made-up element gets."""
WIDTH = 800


def complete(demonstration: Demonstration) -> Demonstration:
    """The demonstration in which every step that names an element has one on a screen.

    Recorded screens are left as they are. Where there is none, the fingerprint is turned into the element
    that it describes, alone with its label and neighbours; so one way of learning serves all sources.
    """
    known: dict[Fingerprint, int] = {}
    steps = tuple(_complete_step(step, known) for step in demonstration.steps)
    return demonstration if steps == demonstration.steps else replace(demonstration, steps=steps)


def _complete_step(step: DemoStep, known: dict[Fingerprint, int]) -> DemoStep:
    """The step with a screen; `known` gives the same element the same id in all steps."""
    prints = {name: place for name, place in places(step.action).items() if _says_something(place)}
    if step.screen is not None or not prints:
        return step
    elements: list[Element] = []
    ids: dict[str, int] = {}
    for name, place in prints.items():
        first = known.setdefault(place, 1 + sum(1 + len(p.neighbours) + bool(p.label) for p in known))
        line = _line(place, first, len(elements))
        ids[name] = line[0].id
        elements += line
    given = next((place.screen for place in prints.values() if place.screen is not None), None)
    size = given or Size(WIDTH, LINE * (len(elements) + 1))
    return replace(
        step,
        screen=Screen(size, elements=tuple(elements)),
        element=ids.get("at", 0),
        to_element=ids.get("to", 0),
    )


def _says_something(place: Fingerprint) -> bool:
    return bool(place.role or place.name or place.label)


def _line(place: Fingerprint, number: int, before: int) -> list[Element]:
    """The element itself, its label to the left of it and its neighbours to the right."""
    box = place.box or Box(300, LINE * before, 100, 24)
    own = Element(
        number, place.role or TEXT, place.name, box, path=place.path, attributes=dict(place.attributes)
    )
    texts = [
        (place.label, Box(max(0, box.left - 110), box.top, 100, box.height)),
        *(
            (text, Box(box.right + 20, box.top + LINE * place_, 100, 24))
            for place_, text in enumerate(place.neighbours)
        ),
    ]
    labels = [
        Element(number + offset, TEXT, text, where)
        for offset, (text, where) in enumerate(((t, b) for t, b in texts if t), 1)
    ]
    return [own, *labels]
