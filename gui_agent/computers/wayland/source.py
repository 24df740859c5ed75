"""Elements of a Wayland session: programs tell what is in their windows, and the eyes where the windows are.

No program and no portal tells where a window lies. Its texts are seen on the picture, and told by the program
relative to the window: where several of them agree by how much they are apart, there the window is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gui_agent.computers.atspi.source import AtspiSource
from gui_agent.computers.desktop.element_source import Eyes, Observe, merge
from gui_agent.computers.desktop.monitor import moved
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.geometry import Box, Point
from gui_agent.core.texts import normal

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.wayland.windows import SessionWindows

AGREEING = 2
"""Texts that must agree before a window counts as found."""
SLACK = 3
"""Pixels by which the places of the same window may differ from text to text."""
SHORTEST = 2
"""Letters of a text that tells a place."""
APART = 20_000
"""Pixels between the windows when they are laid out side by side; none is wider."""
ROOMY = 2.2
"""A thing that is so much wider than its text does not tell where the text in it begins."""


class WaylandSource:
    """The accessibility tree put in its place by eyes; of windows that are not found, what eyes see alone."""

    def __init__(self, tree: AtspiSource, eyes: Eyes, windows: SessionWindows, observe: Observe) -> None:
        """Args: observe: `vision` for eyes alone, `both` for all that either finds; else eyes where the tree
        says nothing.
        """
        self._tree, self._eyes, self._windows = tree, eyes, windows
        self._observe = observe

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """What is in the windows; the places of windows are found anew, for a person may move them."""
        seen = self._eyes.read(windows, picture, seconds)
        if self._observe == "vision":
            return seen
        told = self._tree.read(self._laid_out(windows), picture, seconds)
        nodes: list[Node] = []
        found: dict[int, Box] = {}
        for window in windows:
            own = [node for node in told.nodes if node.window == window.id]
            apart = displacement(own, seen.nodes)
            size = self._windows.size(window)
            if apart is None or size is None:
                self._windows.place(window, None)
                continue
            found[window.id] = Box(apart[0] + window.id * APART, apart[1], size.width, size.height)
            self._windows.place(window, found[window.id])
            nodes += [replace(node, box=moved(node.box, *apart)) for node in own]
        return self._joined(nodes, seen, found, told.late, len(found) == len(windows))

    def at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """What is at a point right now, by the program whose window is there; else what was last seen."""
        over = next((one for one in reversed(windows) if one.box.contains(point)), None)
        if over is None or self._observe == "vision" or self._windows.menu or not self._windows.placed(over):
            return self._eyes.at(point, windows)
        x, y = over.box.left - over.id * APART, over.box.top
        told = self._tree.at(Point(point.x - x, point.y - y), self._laid_out(windows))
        if told is None:
            return self._eyes.at(point, windows)
        return replace(told, box=moved(told.box, x, y))

    def set_text(self, key: Hashable, text: str) -> bool:
        """As the tree can; eyes have no hands."""
        return self._tree.set_text(key, text)

    def close(self) -> None:
        """Close both."""
        self._tree.close()
        self._eyes.close()

    def _laid_out(self, windows: Sequence[Window]) -> list[Window]:
        """The windows side by side, as if none covered another: where they really are is not known yet."""
        sizes = ((window, self._windows.size(window)) for window in windows)
        return [
            replace(window, box=Box(window.id * APART, 0, size.width, size.height), outer=None)
            for window, size in sizes
            if size is not None
        ]

    def _joined(
        self,
        nodes: Sequence[Node],
        seen: ScreenReading,
        found: Mapping[int, Box],
        late: tuple[str, ...],
        whole: bool,
    ) -> ScreenReading:
        """Args: found: the windows whose place is known; whole: none is missing."""
        if self._observe == "tree":
            return ScreenReading(tuple(nodes), late=late)
        # In which window eyes saw a thing was said before anybody knew where the windows are.
        free = [replace(node, window=0) for node in seen.nodes]
        if self._observe == "auto" and whole and not self._windows.menu:
            others = (one for one in free if not any(box.contains(one.box.center) for box in found.values()))
            return ScreenReading((*nodes, *others), late=late)
        return ScreenReading(merge(nodes, free), late=late)


def displacement(told: Sequence[Node], seen: Sequence[Node]) -> tuple[int, int] | None:
    """How far what a program tells is from where it is seen; None where texts do not agree about that.

    Args:
        told: the things of one window.
        seen: what eyes see on the whole screen.
    """
    places: dict[str, list[Box]] = defaultdict(list)
    for node in seen:
        if len(word := normal(node.name)) >= SHORTEST:
            places[word].append(node.box)
    votes: list[tuple[int, int, str]] = []
    for node in told:
        for box in places.get(normal(node.name), ()):
            if node.box.width <= ROOMY * box.width and node.box.height <= ROOMY * 2 * box.height:
                here, there = node.box.center, box.center
                votes.append((there.x - here.x, there.y - here.y, normal(node.name)))

    def agreeing(x: int, y: int) -> list[tuple[int, int, str]]:
        return [one for one in votes if abs(one[0] - x) <= SLACK and abs(one[1] - y) <= SLACK]

    groups = sorted((agreeing(x, y) for x, y, _ in votes), key=lambda group: len({one[2] for one in group}))
    if not groups:
        return None
    best = groups[-1]
    words = {one[2] for one in best}
    if len(words) < AGREEING:
        return None
    rivals = (group for group in groups if not set(group) & set(best))
    if any(len({one[2] for one in group}) == len(words) for group in rivals):
        return None  # two windows with the same words, as of a program that is open twice
    middle = len(best) // 2
    return sorted(one[0] for one in best)[middle], sorted(one[1] for one in best)[middle]
