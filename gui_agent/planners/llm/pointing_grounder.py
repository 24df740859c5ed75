"""A grounder that asks a pointing model where no element of the screen matches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from gui_agent.agent.grounder.screen import ScreenGrounder
from gui_agent.core.dialogue import Asked, Model, Request
from gui_agent.core.errors import Ambiguous, BadReply, NotFound
from gui_agent.core.observation import Box, Element, Observation, Point, Screenshot, Size
from gui_agent.core.protocols import Grounder
from gui_agent.core.targets import Target, Words
from gui_agent.core.trajectory import Found
from gui_agent.elements.image_regions import crop

WINDOW = Size(480, 320)
"""The part of the screen around a first answer that is shown again, enlarged."""
ZOOM = 2
NEAR = 16.0
"""Pixels between two answers that mean the same place."""


class PointingGrounder:
    """Looks among the elements first; asks a pointing model when nothing of them fits, or too much.

    A point counts only when something else agrees: one of the candidates among the elements, or the model
    itself when it is shown the place again, enlarged. Otherwise nothing is found.
    """

    def __init__(self, model: Model, first: Grounder | None = None) -> None:
        """Args: first: the grounder that works without a model."""
        self._model = model
        self._first: Grounder = first or ScreenGrounder()
        self._last: tuple[Observation, Target, str, Found] | None = None

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        """Find the target; `Found.calls` says what it cost."""
        try:
            return self._first.locate(target, observation, verb=verb)
        except (NotFound, Ambiguous) as failure:
            # Reading a screen for a check is code's work; only what is to be acted on is worth a call.
            if not isinstance(target, Words) or observation.screenshot is None or verb == "read":
                raise
            known = self._last_found(target, observation, verb)
            found = known or self._find_by_pointing(target, observation, failure)
            self._last = (observation, target, verb, found)
            return found

    def _last_found(self, target: Target, observation: Observation, verb: str) -> Found | None:
        if self._last is None or self._last[0] is not observation or self._last[1:3] != (target, verb):
            return None
        return replace(self._last[3], calls=0)

    def _find_by_pointing(
        self, target: Words, observation: Observation, failure: NotFound | Ambiguous
    ) -> Found:
        shot = observation.screenshot
        assert shot is not None
        point = self._ask(target, shot)
        if point is not None:
            agreeing = _around(point, failure.candidates)
            if len(agreeing) == 1:
                element = agreeing[0]
                return Found(element.box.center, element, element.box, 0.9, "pointing agrees with a name", 1)
            again = self._again(target, shot, point)
            element_there = min(
                _around(point, observation.controls), key=lambda element: element.box.area, default=None
            )
            if again is not None and _same(point, again, element_there):
                box = element_there.box if element_there else None
                return Found(again, element_there, box, 0.7, "pointing twice", 2)
        failure.calls = 1 if point is None else 2
        raise failure

    def _again(self, target: Words, shot: Screenshot, point: Point) -> Point | None:
        """Where the model sees it on the enlarged surroundings of its first answer, in screenshot pixels."""
        left = min(max(0, point.x - WINDOW.width // 2), max(0, shot.size.width - WINDOW.width))
        top = min(max(0, point.y - WINDOW.height // 2), max(0, shot.size.height - WINDOW.height))
        width, height = min(WINDOW.width, shot.size.width), min(WINDOW.height, shot.size.height)
        seen = self._ask(target, crop(shot, Box(left, top, width, height), ZOOM))
        return Point(left + seen.x // ZOOM, top + seen.y // ZOOM) if seen else None

    def _ask(self, target: Words, shot: Screenshot) -> Point | None:
        """One call; None when the model names no place on the picture."""
        try:
            reply = self._model.complete(Request("point", (Asked((str(target), shot)),), max_tokens=300))
        except BadReply:
            return None
        proposals = (proposal for call in reply.calls if not call.error for proposal in call.proposals)
        places = (getattr(proposal, "at", None) for proposal in proposals)
        return next((place for place in places if isinstance(place, Point)), None)


def _around(point: Point, elements: Sequence[Element]) -> list[Element]:
    return [element for element in elements if element.box.contains(point)]


def _same(one: Point, other: Point, element: Element | None) -> bool:
    if element is not None and element.box.contains(other):
        return True
    return math.hypot(one.x - other.x, one.y - other.y) <= NEAR
