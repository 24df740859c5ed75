"""Asks a model single questions: where an element is, and whether the task is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from gui_agent.agent.grounder.screen import ScreenGrounder
from gui_agent.core.aiming import sole
from gui_agent.core.dialogue import Asked, Model, Request, Turn
from gui_agent.core.errors import Ambiguous, BadReply, NotFound
from gui_agent.core.observation import Box, Element, Observation, Point, Screenshot, Size, Target, Words
from gui_agent.core.protocols import Grounder, Verdict
from gui_agent.core.trajectory import Found, Trajectory
from gui_agent.elements.image_regions import crop
from gui_agent.planners.llm.conversation import rung
from gui_agent.planners.llm.rendering import fence, history_text, own, render, screen_text
from gui_agent.planners.llm.replies import VERDICT_TOKENS, verdict_by_action, verdict_in_words

WINDOW = Size(480, 320)
"""The size (px) of the region around a first answer that is shown again, enlarged."""
ZOOM = 2
NEAR = 16.0
"""Maximum pixels between two answers for the same place."""


class PointingGrounder:
    """Searches the elements first; asks a pointing model if none or too many match.

    A point counts only if something confirms it: one of the candidate elements, or the model itself when it
    sees the place again, enlarged. Otherwise nothing is found.
    """

    def __init__(self, model: Model, first: Grounder | None = None) -> None:
        self._model = model
        self._first: Grounder = first or ScreenGrounder()
        self._last: tuple[Observation, Target, str, Found] | None = None

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        """Find the target; `Found.calls` counts the model calls."""
        try:
            return self._first.locate(target, observation, verb=verb)
        except (NotFound, Ambiguous) as failure:
            # Verifying a condition is left to code; only an action's target is worth a call.
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
            if element := sole(_elements_at(point, failure.candidates)):
                return Found(element.box.center, element, element.box, 0.9, "pointing agrees with a name", 1)
            again = self._point_on_enlarged(target, shot, point)
            element_there = min(
                _elements_at(point, observation.controls), key=lambda element: element.box.area, default=None
            )
            if again is not None and _same(point, again, element_there):
                box = element_there.box if element_there else None
                return Found(again, element_there, box, 0.7, "pointing twice", 2)
        failure.calls = 1 if point is None else 2
        raise failure

    def _point_on_enlarged(self, target: Words, shot: Screenshot, point: Point) -> Point | None:
        left = min(max(0, point.x - WINDOW.width // 2), max(0, shot.size.width - WINDOW.width))
        top = min(max(0, point.y - WINDOW.height // 2), max(0, shot.size.height - WINDOW.height))
        width, height = min(WINDOW.width, shot.size.width), min(WINDOW.height, shot.size.height)
        seen = self._ask(target, crop(shot, Box(left, top, width, height), ZOOM))
        return Point(left + seen.x // ZOOM, top + seen.y // ZOOM) if seen else None

    def _ask(self, target: Words, shot: Screenshot) -> Point | None:
        try:
            reply = self._model.complete(Request("point", (Asked((str(target), shot)),), max_tokens=300))
        except BadReply:
            return None
        understood = (call.proposals for call in reply.calls if not call.error)
        places = (getattr(proposal, "at", None) for proposal in chain.from_iterable(understood))
        return next((place for place in places if isinstance(place, Point)), None)


def _elements_at(point: Point, elements: Sequence[Element]) -> list[Element]:
    return [element for element in elements if element.box.contains(point)]


def _same(one: Point, other: Point, element: Element | None) -> bool:
    if element is not None and element.box.contains(other):
        return True
    return math.hypot(one.x - other.x, one.y - other.y) <= NEAR


AGAIN = "That holds no verdict. Answer in one line: `DONE`, or `MISSING:` and what is missing."


def _question_at_the_end(trajectory: Trajectory, answer: str, screen: Observation, *, acts: bool) -> str:
    task = trajectory.task
    criteria = chain(task.criteria, *(turn.decision.criteria for turn in trajectory.turns))
    noted = [f"{name}: {value}" for name, value in trajectory.notes.items()]
    return render(
        "verify",
        task=task,
        answer=own(answer),
        criteria=[own(str(criterion)) for criterion in criteria],
        notes=fence("\n".join(noted), "notes") if noted else "",
        history=fence(history_text(trajectory.turns) or "Nothing.", "history"),
        screen=fence(screen_text(screen, task.text), "screen"),
        acts=acts,
    )


class ModelVerifier:
    """Checks the end of a run with fresh context: it sees no thoughts and no plans of the planner."""

    def __init__(self, model: Model, *, spent: Callable[[], float] | None = None) -> None:
        """
        Args:
            spent: the share of the budget used, 0 to 1; from three quarters on the verifier does not ask.
        """
        self._model = model
        self._spent = spent or (lambda: 0.0)

    @property
    def _only_acts(self) -> bool:
        return self._model.traits.ends and not self._model.traits.tools

    def verify(self, trajectory: Trajectory, answer: str, screen: Observation) -> Verdict:
        """Ask, and once more if the answer was cut off or has no verdict; without one, it is not judged.

        A model that knows only its own actions answers with these: it ends the task, or continues.
        """
        if rung(self._spent()).frugal:
            return Verdict("most of the budget is used, so no model checked the run", judged=False)
        acts = self._only_acts and screen.screenshot is not None
        text = _question_at_the_end(trajectory, answer, screen, acts=acts)
        asked: tuple[Turn, ...] = (Asked((text, screen.screenshot) if screen.screenshot else (text,)),)
        for calls in (1, 2):
            wanted = Request("verify", asked, computer=acts, max_tokens=VERDICT_TOKENS)
            try:
                reply = self._model.complete(wanted)
            except BadReply:
                continue
            read = verdict_by_action if acts else verdict_in_words
            if (missing := read(reply)) is not None:
                return Verdict(missing, calls)
            if reply.text and not acts:
                asked = (asked[0], reply, Asked((AGAIN,)))
        return Verdict("the model's check gave no verdict", calls=2, judged=False)
