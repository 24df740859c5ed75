"""Rectangles on a recorded page: left, top, right, bottom in its pixels."""

from __future__ import annotations

Rect = tuple[float, float, float, float]
LETTER, LINE = 0.5, 11.0
"""Width of a letter in shares of the height of a line, and that height, where only a block is known."""
THIN = 1.5
"""Pixels from which on a thing can be seen."""
Line = tuple[str, Rect]
"""A line of text and where it stands."""


def meet(one: Rect, other: Rect) -> Rect:
    """The common part; thin or inside out when there is none."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def around(one: Rect, other: Rect) -> Rect:
    """The smallest rectangle around both."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def is_thin(rect: Rect) -> bool:
    """Whether there is nothing of it to be seen."""
    return rect[2] - rect[0] < THIN or rect[3] - rect[1] < THIN


def same_line(one: Rect, other: Rect) -> bool:
    """Whether two stand beside each other."""
    return min(one[3], other[3]) - max(one[1], other[1]) > 0.5 * min(one[3] - one[1], other[3] - other[1])


def below(clip: Rect, box: Rect) -> Rect:
    """What is seen in a box: what sticks out of it above or below is out of sight."""
    return clip[0], max(clip[1], box[1]), clip[2], min(clip[3], box[3])


def text_width(box: Rect, text: str) -> Rect:
    """About where a text stands that is one line in a block."""
    left, top, right, bottom = box
    if bottom - top > 2 * LINE:
        return box
    return left, top, min(right, left + LETTER * LINE * len(text)), bottom


def goes_on(before: Line, now: Line, edge: float) -> bool:
    """Whether a line of text continues the one before: beside it, or below it when that was full.

    Args:
        edge: where the page ends on the right.
    """
    (_, one), (text, other) = before, now
    if same_line(one, other):
        return abs(other[0] - one[2]) < 2 * LINE
    if other[1] - one[3] > 0.6 * (one[3] - one[1]) or other[1] < one[1]:
        return False
    word = text.split()[0] if text.split() else ""
    letter = (other[2] - other[0]) / max(1, len(text))
    return one[2] + letter * (len(word) + 1) > min(edge, max(one[2], other[2])) - 2
