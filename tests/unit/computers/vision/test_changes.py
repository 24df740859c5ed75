"""Every pixel that changed lies in an area that is looked at again, and little else does."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.vision.detection import TILE, changed_areas, merge
from gui_agent.core.observation import Box, Point

SPOTS = st.lists(st.tuples(st.integers(0, 149), st.integers(0, 99)), max_size=6)
BOXES = st.builds(Box, st.integers(0, 90), st.integers(0, 90), st.integers(1, 30), st.integers(1, 30))


def blank() -> np.ndarray:
    return np.zeros((100, 150, 3), dtype=np.uint8)


@given(SPOTS)
def test_all_changes_are_covered_and_areas_without_any_are_not(spots: list[tuple[int, int]]) -> None:
    before, now = blank(), blank()
    for x, y in spots:
        now[y, x, 1] = 200
    areas = changed_areas(before, now)
    assert all(any(area.contains(Point(x, y)) for area in areas) for x, y in spots)
    assert bool(areas) == bool(spots)
    if len(spots) == 1:
        assert areas[0].area <= (TILE + 1) ** 2


@given(st.lists(BOXES, max_size=12))
def test_joined_boxes_hold_all_and_stand_apart(boxes: list[Box]) -> None:
    groups = merge(boxes)
    assert all(sum(group.encloses(box) for group in groups) == 1 for box in boxes)
    for i, group in enumerate(groups):
        assert all(group.intersect(other) is None for other in groups[i + 1 :])
