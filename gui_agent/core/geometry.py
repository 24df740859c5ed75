"""Points, sizes and boxes, all in screenshot pixels: the one coordinate space of the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

STRICT: dict[str, Any] = {"extra": "forbid"}
"""Read by the codec: a value with an unknown key is rejected, not half understood."""


class Strict:
    """What the codec reads strictly, see `STRICT`."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Point(Strict):
    """A place on the screenshot, in pixels from its top left corner."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"the point ({self.x}, {self.y})"


@dataclass(frozen=True, slots=True)
class Size(Strict):
    """Width and height in pixels."""

    width: int
    height: int

    def contains(self, point: Point) -> bool:
        """Whether the point lies inside a picture of this size."""
        return 0 <= point.x < self.width and 0 <= point.y < self.height


@dataclass(frozen=True, slots=True)
class Box(Strict):
    """An axis-parallel rectangle; `left` and `top` are inside it, `right` and `bottom` just outside."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def center(self) -> Point:
        return Point(self.left + self.width // 2, self.top + self.height // 2)

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    def contains(self, point: Point) -> bool:
        """Whether the point lies inside the box."""
        return self.left <= point.x < self.right and self.top <= point.y < self.bottom

    def encloses(self, other: Box) -> bool:
        """Whether the other box lies wholly inside this one."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def intersect(self, other: Box) -> Box | None:
        """The common part of two boxes, or None when they do not overlap."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        if right <= left or bottom <= top:
            return None
        return Box(left, top, right - left, bottom - top)

    def iou(self, other: Box) -> float:
        """Intersection over union, 0 to 1."""
        common = self.intersect(other)
        if common is None:
            return 0.0
        return common.area / (self.area + other.area - common.area)

    def gap(self, other: Box) -> float:
        """The shortest distance between the edges of two boxes in pixels; 0 when they touch or overlap."""
        dx = max(0, other.left - self.right, self.left - other.right)
        dy = max(0, other.top - self.bottom, self.top - other.bottom)
        return float((dx * dx + dy * dy) ** 0.5)
