"""Finds points, marks and words in the element list of a screen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from itertools import product, repeat
from operator import attrgetter

from gui_agent.agent.grounder import nearness
from gui_agent.agent.grounder.candidates import A_PART, Candidate, candidates, coloured_candidates
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Box, Element, Mark, Observation, Point, Target, Words
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Found
from gui_agent.elements import tuning
from gui_agent.elements.roles import FIELDS, OPERABLE
from gui_agent.elements.text import likeness
from gui_agent.scene import Scene

_GRID = (0.5, 0.25, 0.75, 0.12, 0.88)
"""Fractions of an element's width and height at which a free point is tried, the centre first."""

_THE_TEXT = Words(role="text")
"""Clicked, it is the area to write in rather than one of the texts on the screen."""


class ScreenGrounder:
    """Finds targets with code alone, without a model and without guessing."""

    def __init__(self) -> None:
        self._seen: dict[int, Element] = {}
        """The elements of recent screens, used only to say what a vanished mark was."""

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        match target:
            case Point():
                found = _found_at_point(target, observation)
            case Mark(number):
                found = self._find_mark(number, observation)
            case Words():
                best = find(target, observation, verb)
                if verb == "click" and best.rank[1:] >= (A_PART,):
                    self._refuse_namesake(target, best.element)
                note = "; it is disabled" if "disabled" in best.element.states else ""
                found = _found_on_element(
                    best.element, observation, score=min(best.score, 1.0), how=best.how + note
                )
        if len(self._seen) > 2 * len(observation.elements) + 1000:
            self._seen.clear()
        self._seen.update((element.id, element) for element in observation.elements)
        return found

    def _refuse_namesake(self, words: Words, longer: Element) -> None:
        """Refuse a longer name if an earlier screen had a control with exactly the wanted name."""
        name = normal(words.text)
        before = (one for one in self._seen.values() if one.role in OPERABLE and one.id != longer.id)
        if any(normal(one.name) == name for one in before):
            raise NotFound(
                f"{words} was on an earlier screen, but is not on this one; nearest: {longer}", [longer]
            )

    def _find_mark(self, number: int, observation: Observation) -> Found:
        element = observation.by_id(number)
        if element is not None:
            return _found_on_element(element, observation, score=1.0, how="mark")
        before = self._seen.get(number)
        if before is None:
            raise NotFound(f"no element {number} on the screen; choose one from the current list")
        now = [e for e in observation.elements if (e.role, e.name) == (before.role, before.name)]
        if now:
            raise NotFound(f"element {number}, {before}, is gone; it may now be element {now[0].id}", now)
        raise NotFound(f"element {number}, {before}, is gone; choose one from the current list")


def free_point(element: Element, observation: Observation) -> Point:
    """A point on the element, its centre if possible, that is not on another control as well.

    A row may contain a button in its middle, and a neighbour may overlap; an element around this one does
    not count.
    """
    box = element.box
    others = [
        other.box
        for other in observation.controls
        if other.id != element.id and box.intersect(other.box) and not other.box.encloses(box)
    ]
    if _is_free(box.center, others):
        return box.center
    points = [box.point_at(across, down) for across, down in product(_GRID, _GRID)]
    points.sort(key=lambda p: abs(p.x - box.center.x) + abs(p.y - box.center.y))
    return next((point for point in points if _is_free(point, others)), box.center)


def _is_free(point: Point, boxes: Iterable[Box]) -> bool:
    return not any(map(Box.contains, boxes, repeat(point)))


def _found_at_point(point: Point, observation: Observation) -> Found:
    size = observation.size
    if not size.contains(point):
        raise NotFound(
            f"the point {point.x},{point.y} is outside the picture of {size.width} x {size.height} pixels;"
            " give one inside it"
        )
    element = observation.smallest_at(point)
    box, record = (
        (element.box, Scene.from_screen(observation).records.in_words(element)) if element else (None, "")
    )
    return Found(point=point, element=element, box=box, how="point", record=record)


def _found_on_element(element: Element, observation: Observation, *, score: float, how: str) -> Found:
    point = free_point(element, observation)
    twins = [one for one in observation.elements if (one.role, one.name) == (element.role, element.name)]
    record = Scene.from_screen(observation).records.in_words(element) if len(twins) > 1 else ""
    return Found(point=point, element=element, box=element.box, score=score, how=how, record=record)


def find(words: Words, observation: Observation, verb: str) -> Candidate:
    """The element that the words mean, by the order of `candidates`."""
    if words == _THE_TEXT and (area := _area_to_write_in(observation, verb)):
        return area
    pool = candidates(words, observation, verb)
    if observation.beyond:
        nearness.refuse_nearer(words, observation, verb, pool[0] if pool else None)
    if not pool:
        for other in nearness.other_readings(words, verb):
            with contextlib.suppress(NotFound, Ambiguous):
                return find(other, observation, verb)
        sent = nearness.committing_button(words, observation, verb)
        if sent is not None:
            return sent
        pool = coloured_candidates(words, observation, verb)
    if words.near:
        pool = nearness.near_candidates(pool, words, observation)
    elif not pool:
        raise nearness.not_found(words, observation)
    if words.ordinal:
        return nearness.candidate_of_rank(pool, words, observation)
    return _leader(pool, words, verb, observation)


def _area_to_write_in(observation: Observation, verb: str) -> Candidate | None:
    with contextlib.suppress(NotFound, Ambiguous):
        return find(Words(role="textarea"), observation, verb) if verb == "click" else None
    return None


def _leader(pool: list[Candidate], words: Words, verb: str, observation: Observation) -> Candidate:
    leader = min(pool, key=attrgetter("order"))
    field = verb == "click" and leader.element.role in FIELDS
    if field and likeness(words.text, leader.element.name) < tuning.SAME:
        nearness.refuse_reserved(leader, pool, words, observation)
    rivals = [c for c in pool if c.rank == leader.rank and c.score > leader.score - tuning.MARGIN]
    if len(rivals) > 1:
        if (told := nearness.chosen_rival(rivals, words)) is not None:
            return told
        elements = [c.element for c in rivals]
        raise Ambiguous(
            f"{len(elements)} things could be {words}: {nearness.in_words(elements)}; say which", elements
        )
    return leader
