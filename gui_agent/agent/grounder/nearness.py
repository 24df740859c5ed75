"""Which candidate is meant by "next to", "below" or "in the row of" something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.agent.grounder import tuning
from gui_agent.agent.grounder.candidates import Candidate
from gui_agent.agent.grounder.likeness import likeness
from gui_agent.core.geometry import Box
from gui_agent.core.observation import Element, Observation


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a candidate is to an anchor."""

    candidate: Candidate
    shared: int
    """Steps of the structural path that both share; a row shares more with its own cells."""
    distance: float
    """Pixels between them; half as much when they stand on one line."""

    def ties_with(self, nearest: Nearness) -> bool:
        """Whether this one is about as near as the nearest."""
        limit = nearest.distance * tuning.NEAR_RATIO + tuning.NEAR_SLACK
        return self.shared == nearest.shared and self.distance <= limit


def anchors(near: str, observation: Observation) -> list[Element]:
    """The elements that carry the words of `near`, the best fitting ones only."""
    fits: list[tuple[float, Element]] = []
    for element in observation.elements:
        texts = (element.name, element.value, element.description)
        fit = max(likeness(near, text) for text in texts)
        if fit >= tuning.ANCHOR:
            fits.append((fit, element))
    best = max((fit for fit, _ in fits), default=0.0)
    return [element for fit, element in fits if fit > best - tuning.ORDINAL_BAND]


def by_nearness(found: Sequence[Candidate], around: Sequence[Element]) -> list[Nearness]:
    """The candidates from nearest to farthest.

    Parts of the same row, card or list item come first, recognised by the longest common path; the
    distance on the screen decides among those, and among things without paths.
    """
    best = max((c.fit for c in found), default=0.0)
    measured = [
        min((_measure(candidate, anchor) for anchor in around), key=_order)
        for candidate in found
        if candidate.fit >= best - tuning.NEAR_BAND
    ]
    return sorted(measured, key=_order)


def _order(nearness: Nearness) -> tuple[int, float]:
    return (-nearness.shared, nearness.distance)


def _measure(candidate: Candidate, anchor: Element) -> Nearness:
    element = candidate.element
    if element.id == anchor.id:
        return Nearness(candidate, _steps(anchor.path) + 1, 0.0)
    return Nearness(candidate, _shared(element.path, anchor.path), _distance(element.box, anchor.box))


def _steps(path: str) -> int:
    return len(path.split("/")) if path else 0


def _shared(one: str, other: str) -> int:
    if not one or not other:
        return 0
    count = 0
    for mine, theirs in zip(one.split("/"), other.split("/"), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _distance(one: Box, other: Box) -> float:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    on_one_line = overlap >= 0.5 * min(one.height, other.height)
    return one.gap(other) * (0.5 if on_one_line else 1.0)
