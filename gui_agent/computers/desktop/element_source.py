"""Chooses the source of desktop elements: the accessibility tree, vision, or both merged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, Protocol

from gui_agent.computers.desktop.parts import Node, ScreenReading, Source, Window
from gui_agent.core.errors import MissingExtra
from gui_agent.core.geometry import Box, Point
from gui_agent.core.observation import TEXT
from gui_agent.core.texts import normal
from gui_agent.elements.roles import BLANK, WORDED, WRITTEN_ON

if TYPE_CHECKING:
    from collections.abc import Hashable

    from PIL.Image import Image


Observe = Literal["tree", "vision", "both", "auto"]
"""How elements are found; `auto` looks with eyes only at what the tree is silent about."""


class Eyes(Source, Protocol):
    """A source that can look at a part of the picture alone, because looking costs time."""

    def look(
        self, windows: Sequence[Window], picture: Image, seconds: float, areas: Sequence[Box]
    ) -> ScreenReading:
        """As `read`, but only what lies in these areas."""


def seeing(
    observe: Observe, tree: Callable[[], Source] | None, grab: Callable[[], Image] | None = None
) -> Source:
    """The source for a way of observing.

    Args:
        tree: makes the source of the accessibility tree; None where the platform has none that is read.
        grab: the picture of the screen right now, with which eyes confirm what is at a point.
    """
    if tree is not None and (observe == "tree" or (observe == "auto" and not _eyes_installed())):
        return tree()
    if not _eyes_installed():
        raise MissingExtra("vision", "reading the elements from the picture of the screen")
    from gui_agent.computers.vision.source import VisionSource

    if tree is None or observe == "vision":
        return VisionSource(grab=grab)
    return Blended(tree(), VisionSource(grab=grab), only_silent=observe == "auto")


class Blended:
    """The tree, and eyes for what it does not say, as one source."""

    def __init__(self, tree: Source, eyes: Eyes, *, only_silent: bool) -> None:
        """Args: only_silent: look with eyes only at what the tree leaves blank."""
        self.tree = tree
        self._eyes = eyes
        self._only_silent = only_silent
        self._blank: list[Box] = []

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """What the tree says, and what the eyes see besides."""
        told = self.tree.read(windows, picture, seconds)
        if not self._only_silent:
            seen = self._eyes.read(windows, picture, seconds)
            return ScreenReading(merge(told.nodes, seen.nodes), seen.silent, told.late)
        self._blank = self._left_blank(told, windows, picture)
        if not told.silent and not self._blank:
            return told
        areas = [window.box for window in windows if window.id in told.silent]
        seen = self._eyes.look(windows, picture, seconds, [*areas, *self._blank])
        nodes = [node for node in seen.nodes if node.window in told.silent or self._adds(node, told.nodes)]
        return ScreenReading((*told.nodes, *nodes), late=told.late)

    def _left_blank(self, told: ScreenReading, windows: Sequence[Window], picture: Image) -> list[Box]:
        """Where the window in front shows something that the tree does not tell."""
        import numpy as np

        from gui_agent.computers.vision.detection import blank_areas

        front = next((window for window in reversed(windows) if window.active), None)
        inside = front.box.intersect(Box(0, 0, picture.width, picture.height)) if front is not None else None
        if front is None or inside is None or front.id in told.silent:
            return []
        above = windows[windows.index(front) + 1 :]
        telling = [node for node in told.nodes if node.role not in BLANK or "whole" in node.attributes]
        known = [node.box for node in telling if node.window == front.id]
        known += [window.outer or window.box for window in above]
        corner = inside.left, inside.top
        grey = np.asarray(picture.crop((*corner, inside.right, inside.bottom)).convert("L"))
        shifted = [Box(box.left - corner[0], box.top - corner[1], box.width, box.height) for box in known]
        found = blank_areas(grey, shifted)
        return [Box(box.left + corner[0], box.top + corner[1], box.width, box.height) for box in found]

    def _adds(self, seen: Node, told: Sequence[Node]) -> bool:
        """Whether it has a name, and lies where the tree leaves something blank."""
        if not seen.name or not any(area.contains(seen.box.center) for area in self._blank):
            return False
        telling = [node for node in told if node.role not in BLANK]
        under = sorted((n for n in telling if n.box.intersect(seen.box)), key=lambda n: n.box.left)
        said = "".join(n.value or n.name for n in under)
        is_said = _letters(seen.name) in _letters(said)  # what stands in several cells was read as one text
        return not is_said and not any(stands_for(n, seen) or _moving(n, seen) for n in telling)

    def at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """What the tree knows at a point; where it knows nothing, what was last seen there."""
        told = self.tree.at(point, windows)
        blank = told is None or (told.role in BLANK and any(area.contains(point) for area in self._blank))
        return (self._eyes.at(point, windows) or told) if blank else told

    def set_text(self, key: Hashable, text: str) -> bool:
        """As the tree can; eyes have no hands."""
        return self.tree.set_text(key, text)

    def close(self) -> None:
        """Close both."""
        self.tree.close()
        self._eyes.close()


def _eyes_installed() -> bool:
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime", "cv2"))


def _letters(text: str) -> str:
    return "".join(normal(text).split())


def _moving(node: Node, seen: Node) -> bool:
    """Whether a thing was seen on its way to where it is told: the picture is taken a moment before."""
    near = abs(node.box.center.y - seen.box.center.y) <= UNDERWAY and seen.box.center.x <= node.box.right
    return near and node.window == seen.window and normal(node.name) == normal(seen.name)


UNDERWAY = 60
"""Pixels by which a list that is being unfolded may move between a picture and what is told."""
SAME_SIZE = 0.35
"""How large the smaller of two boxes around one centre is against the larger one when they are one thing."""


def merge(tree: Sequence[Node], seen: Iterable[Node]) -> tuple[Node, ...]:
    """All nodes of the tree, and after them what was seen that none of them stands for.

    `source` tells who found a thing: both, as in `atspi+ocr`, when both did. A control that has no name in
    the tree gets the words that were seen on it.
    """
    found: dict[int, list[Node]] = {}
    alone: list[Node] = []
    for one in seen:
        place = _counterpart(tree, one)
        if place is None:
            alone.append(one)
        else:
            found.setdefault(place, []).append(one)
    known = (_join_nodes(node, found[i]) if i in found else node for i, node in enumerate(tree))
    return (*known, *alone)


def stands_for(node: Node, seen: Node) -> bool:
    """Whether a node of the tree stands for something seen.

    The centre of the latter lies in its box, and it says the same, or is about as large; a control also
    stands for all that is on it, and a field for those words that it holds.
    """
    if (node.window and seen.window and node.window != seen.window) or not node.box.contains(seen.box.center):
        return False
    text = normal(seen.name)
    if not text:
        return node.role != TEXT and (_about_as_large(node, seen) or node.role in WORDED)
    if node.role in WORDED:
        return not node.name or text in normal(node.name) or _about_as_large(node, seen)
    if node.role == TEXT:
        return text in normal(node.name) or _about_as_large(node, seen)
    if node.role in WRITTEN_ON:
        return text in normal(f"{node.value} {node.description}") or text == normal(node.name)
    return _about_as_large(node, seen) and (not node.name or text in normal(node.name))


def _about_as_large(node: Node, seen: Node) -> bool:
    smaller, larger = sorted((node.box.area, seen.box.area))
    return larger > 0 and smaller >= SAME_SIZE * larger


def _counterpart(tree: Sequence[Node], seen: Node) -> int | None:
    """The place in the tree of the smallest node that stands for what was seen; controls before texts."""
    places = [place for place, node in enumerate(tree) if stands_for(node, seen)]
    return min(places, key=lambda place: (tree[place].role == TEXT, tree[place].box.area), default=None)


def _join_nodes(node: Node, seen: Sequence[Node]) -> Node:
    sources = dict.fromkeys(part for one in (node, *seen) for part in one.source.split("+"))
    name = node.name
    if not name and node.role in WORDED:
        ordered = sorted(seen, key=lambda one: (one.box.top, one.box.left))
        name = " ".join(one.name for one in ordered if one.name)
    return replace(node, name=name, source="+".join(sources))
