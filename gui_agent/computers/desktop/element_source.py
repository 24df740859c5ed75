"""Chooses what sees the elements of a desktop: the accessibility tree, eyes on the picture, or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, Protocol

from gui_agent.computers.desktop.merging import merge
from gui_agent.computers.desktop.parts import Node, Reading, Source, Window
from gui_agent.core.errors import MissingExtra
from gui_agent.core.geometry import Box, Point

if TYPE_CHECKING:
    from collections.abc import Hashable

    from PIL.Image import Image

Observe = Literal["tree", "vision", "both", "auto"]
"""How elements are found; `auto` looks with eyes only at windows that the tree is silent about."""


class Eyes(Source, Protocol):
    """A source that can look at a part of the picture alone, because looking costs time."""

    def look(
        self, windows: Sequence[Window], picture: Image, seconds: float, areas: Sequence[Box]
    ) -> Reading:
        """As `read`, but only what lies in these areas."""


def seeing(
    observe: Observe, tree: Callable[[], Source] | None, grab: Callable[[], Image] | None = None
) -> Source:
    """The source for a way of observing.

    Args:
        tree: makes the source of the accessibility tree; None where the platform has none that is read.
        grab: the picture of the screen right now, with which eyes confirm what is at a point.

    Raises:
        MissingExtra: eyes are asked for, or are all there could be, and are not installed.
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
        """Args: only_silent: look with eyes only at windows that the tree says nothing about."""
        self._tree = tree
        self._eyes = eyes
        self._only_silent = only_silent

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> Reading:
        """What the tree says, and what the eyes see besides."""
        told = self._tree.read(windows, picture, seconds)
        if not self._only_silent:
            seen = self._eyes.read(windows, picture, seconds)
            return Reading(merge(told.nodes, seen.nodes), seen.silent, told.late)
        if not told.silent:
            return told
        areas = [window.box for window in windows if window.id in told.silent]
        seen = self._eyes.look(windows, picture, seconds, areas)
        nodes = [node for node in seen.nodes if node.window in told.silent]
        return Reading((*told.nodes, *nodes), late=told.late)

    def at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """What the tree knows at a point; where it knows nothing, what was last seen there."""
        return self._tree.at(point, windows) or self._eyes.at(point, windows)

    def set_text(self, key: Hashable, text: str) -> bool:
        """As the tree can; eyes have no hands."""
        return self._tree.set_text(key, text)

    def close(self) -> None:
        """Close both."""
        self._tree.close()
        self._eyes.close()


def _eyes_installed() -> bool:
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime", "cv2"))
