"""Reads the elements of a page from its screenshot, for pages that draw what they show."""

from __future__ import annotations

import io
from dataclasses import replace

from PIL import Image

from gui_agent.computers.desktop.elements import Elements, confirm, seeing
from gui_agent.core.errors import Stale
from gui_agent.core.observation import Element, Observation, Point


class PictureScreen:
    """The elements of screenshots, each with a number that it keeps while it is there.

    Raises:
        MissingExtra: the extra `vision` is not installed.
    """

    def __init__(self) -> None:
        self._source = seeing("vision", None)
        self._elements = Elements()

    def read(self, seen: Observation) -> Observation:
        """The observation with the elements of its picture in place of its own.

        A dialog of the browser keeps its own: it is drawn beside the page, and nothing else can be operated.
        """
        if seen.screenshot is None or any(one.source == "dialog" for one in seen.elements):
            return seen
        reading = self._source.read((), Image.open(io.BytesIO(seen.screenshot.data)), 0.0)
        elements, left_out = self._elements.take(reading, (), seen.size)
        return replace(
            seen,
            elements=elements,
            left_out=left_out,
            beyond=(),
            words=frozenset(),
            focus=None,
            focus_unseen=True,
        )

    def confirm(self, expected: Element, point: Point) -> None:
        """Raise `Stale` unless the last picture shows this element at the point."""
        if self._source.node_at(point, ()) is None:
            raise Stale(f"{expected} is no longer at ({point.x}, {point.y}); look at the screen again")
        confirm(self._source, self._elements, (), point, expected)
