"""The algebra of boxes holds for every box."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.observation import Box, Point, Size

COORDINATES = st.integers(-50, 50)
LENGTHS = st.integers(0, 40)
BOXES = st.builds(Box, COORDINATES, COORDINATES, LENGTHS, LENGTHS)
SOLID = st.builds(Box, COORDINATES, COORDINATES, st.integers(1, 40), st.integers(1, 40))
POINTS = st.builds(Point, st.integers(-60, 100), st.integers(-60, 100))


@given(BOXES, BOXES)
def test_the_common_part_is_the_same_both_ways_and_lies_in_both(a: Box, b: Box) -> None:
    common = a.intersect(b)
    assert common == b.intersect(a)
    if common is not None:
        assert a.encloses(common)
        assert b.encloses(common)
        assert common.area > 0


@given(BOXES, BOXES, POINTS)
def test_a_point_is_in_the_common_part_exactly_when_it_is_in_both(a: Box, b: Box, point: Point) -> None:
    common = a.intersect(b)
    assert (common is not None and common.contains(point)) == (a.contains(point) and b.contains(point))


@given(BOXES, BOXES)
def test_overlap_is_symmetric_and_between_none_and_one(a: Box, b: Box) -> None:
    assert a.iou(b) == b.iou(a)
    assert 0.0 <= a.iou(b) <= 1.0
    assert (a.iou(b) > 0) == (a.intersect(b) is not None)


@given(SOLID)
def test_a_box_is_itself(box: Box) -> None:
    assert box.iou(box) == 1.0
    assert box.intersect(box) == box
    assert box.encloses(box)
    assert box.gap(box) == 0.0
    assert box.contains(box.center)


@given(BOXES, BOXES, BOXES)
def test_enclosing_is_passed_on(a: Box, b: Box, c: Box) -> None:
    if a.encloses(b) and b.encloses(c):
        assert a.encloses(c)


@given(BOXES, BOXES)
def test_enclosed_boxes_are_not_larger_and_two_ways_means_equal(a: Box, b: Box) -> None:
    if a.encloses(b):
        assert a.area >= b.area
        if b.encloses(a):
            assert a == b


@given(BOXES, BOXES)
def test_the_gap_is_symmetric_and_none_where_boxes_overlap(a: Box, b: Box) -> None:
    assert a.gap(b) == b.gap(a) >= 0.0
    if a.intersect(b) is not None:
        assert a.gap(b) == 0.0


@given(SOLID, SOLID, st.integers(1, 30))
def test_moving_away_by_a_distance_widens_the_gap_by_it(a: Box, b: Box, far: int) -> None:
    right = Box(a.right + far, a.top, b.width, b.height)
    below = Box(a.left, a.bottom + far, b.width, b.height)
    assert a.gap(right) == far
    assert a.gap(below) == far


@given(BOXES, POINTS)
def test_edges_are_inside_on_the_left_and_outside_on_the_right(box: Box, point: Point) -> None:
    if box.contains(point):
        assert box.left <= point.x <= box.right - 1
        assert box.top <= point.y <= box.bottom - 1
    assert not box.contains(Point(box.right, box.bottom))


@given(st.integers(1, 90), st.integers(1, 90), POINTS)
def test_a_size_contains_what_a_box_at_the_origin_contains(width: int, height: int, point: Point) -> None:
    assert Size(width, height).contains(point) == Box(0, 0, width, height).contains(point)
