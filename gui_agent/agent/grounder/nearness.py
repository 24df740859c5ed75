"""Which candidate is meant by "next to", "below" or "in the row of" something else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gui_agent.agent.grounder.candidates import Candidate
from gui_agent.core.geometry import Box
from gui_agent.core.observation import Element, Observation
from gui_agent.elements import tuning
from gui_agent.elements.matching import likeness

_INDEX = re.compile(r"\[\d+\]$")


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


def by_nearness(
    found: Sequence[Candidate], around: Sequence[Element], observation: Observation
) -> list[Nearness]:
    """The candidates from nearest to farthest.

    Parts of the same row, card or list item come first, recognised by the longest common path; the
    distance on the screen decides among those, and among things without paths. What belongs to another
    row or card is left out, so that an icon that is not in sight is not taken from the card beside it.
    """
    best = max((c.fit for c in found), default=0.0)
    roles = {element.path: element.role for element in observation.elements if element.path}
    measured = [
        min((_measure(candidate, anchor) for anchor in own), key=_order)
        for candidate in found
        if candidate.fit >= best - tuning.NEAR_BAND
        and (own := [a for a in around if not _elsewhere(candidate.element, a, roles)])
    ]
    return sorted(measured, key=_order)


def _order(nearness: Nearness) -> tuple[int, float]:
    return (-nearness.shared, nearness.distance)


def _measure(candidate: Candidate, anchor: Element) -> Nearness:
    element = candidate.element
    if element.id == anchor.id:
        return Nearness(candidate, len(_steps(anchor.path)) + 1, 0.0)
    return Nearness(candidate, _shared(element.path, anchor.path), _distance(element.box, anchor.box))


def _elsewhere(element: Element, anchor: Element, roles: Mapping[str, str]) -> bool:
    """Whether the element is a part of another row or card of the same build as the anchor's.

    That is so when one of the sibling rows has both, something where the anchor is in its row and something
    where the element is in its own: then each row has its own pair. Cells on one line are parts of one
    row, however alike they are built.

    Args:
        roles: by the path of each element on the screen.
    """
    if _on_one_line(element.box, anchor.box):
        return False
    shared = _shared(element.path, anchor.path)
    mine, theirs = _steps(element.path), _steps(anchor.path)
    if len(mine) <= shared or len(theirs) <= shared:
        return False
    kind = _INDEX.sub("", mine[shared])
    if kind != _INDEX.sub("", theirs[shared]):
        return False
    own, its = "/".join(mine[shared + 1 :]), "/".join(theirs[shared + 1 :])
    start = "".join(f"{step}/" for step in mine[:shared])
    siblings = {path[len(start) :].split("/", 1)[0] for path in roles if path.startswith(start)}
    return any(
        roles.get(f"{start}{sibling}/{own}".rstrip("/")) == element.role
        and roles.get(f"{start}{sibling}/{its}".rstrip("/")) == anchor.role
        for sibling in siblings
        if _INDEX.sub("", sibling) == kind
    )


def _steps(path: str) -> list[str]:
    return path.split("/") if path else []


def _shared(one: str, other: str) -> int:
    count = 0
    for mine, theirs in zip(_steps(one), _steps(other), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _on_one_line(one: Box, other: Box) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap >= 0.5 * min(one.height, other.height)


def _distance(one: Box, other: Box) -> float:
    return one.gap(other) * (0.5 if _on_one_line(one, other) else 1.0)
