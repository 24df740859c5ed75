"""Eyes with the trained networks in place of the outlines, to compare the two on one bed.

`bench_eyes.py --eyes eyes.source:DetectedSource`, with `eval/vision` in PYTHONPATH, reads `controls.onnx` and
`icons.onnx` in the working folder. Texts across the edge of a field or a tick are
cut there and read again; a field keeps its value; a tick is named by the text on its right; a button
with an icon alone by what that shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eyes.controls import named_controls, sheet_cells
from eyes.network import AROUND, Detector, SeenControl, without_overlaps
from gui_agent.computers.desktop.parts import Node, Window
from gui_agent.computers.vision import source
from gui_agent.computers.vision.detection import Pixels, as_entries, changed_areas, grow, merge
from gui_agent.computers.vision.ocr import TextReader, grey_of
from gui_agent.core.observation import Box, Effects, Size


class DetectedSource(source.VisionSource):
    """Reads a picture with the networks and the text recognition; only what changed is looked at again."""

    def __init__(self, *, reader: TextReader | None = None) -> None:
        super().__init__(reader=reader)
        self._detector = Detector()
        self._found: list[SeenControl] = []
        self._before: Pixels | None = None

    def _looked_at(
        self, pixels: Pixels, inside: Sequence[Box], windows: Sequence[Window]
    ) -> tuple[Node, ...]:
        self._see_again(pixels)
        cells = sheet_cells(grey_of(pixels), self._lines)
        covered = [cell.box for cell in cells]
        seen = [one for one in self._found if not source.is_in_any(one.box, covered)]
        named = named_controls(seen, self._lines, pixels, self._reader, self._detector)
        icons = {thing.box: thing.icon for thing in named}
        made = [thing for thing in (*cells, *named) if source.is_in_any(thing.box, inside)]
        nodes = (
            source._node(key, thing, window)
            for key, thing, window in self._with_windows(as_entries(made, windows), windows)
        )
        return tuple(replace(node, does=Effects(icon=icons.get(node.box, ""))) for node in nodes)

    def _see_again(self, pixels: Pixels) -> None:
        """Find the controls that a changed area touches; its surroundings only help to see them."""
        frame = Size(*pixels.shape[1::-1]).box
        if self._before is not None and self._before.shape != pixels.shape:
            self._found = []
        for area in merge(grow(one, AROUND // 4, frame) for one in changed_areas(self._before, pixels)):
            kept = [one for one in self._found if one.box.intersect(area) is None]
            found = self._detector.find(pixels, grow(area, AROUND, frame))
            self._found = without_overlaps((*kept, *(one for one in found if one.box.intersect(area))))
        self._before = pixels
