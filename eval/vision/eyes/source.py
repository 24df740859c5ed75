"""Eyes with the trained networks in place of the outlines, to compare the two on one bed.

    PYTHONPATH=eval/vision python eval/bench/bench_eyes.py --eyes eyes.source:DetectedSource ...

reads `controls.onnx` and `icons.onnx` in the working folder. Texts across the edge of a field or a tick are
cut there and read again; a field keeps its value; a tick is named by the text on its right; a button
with an icon alone by what that shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from eyes.controls import named_controls
from eyes.network import AROUND, Detector, SeenControl, without_overlaps
from eyes.sheets import sheet_cells
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
        seen = [one for one in self._found if not _is_in_any(one.box, covered)]
        made = [*cells, *named_controls(seen, self._lines, pixels, self._reader, self._detector)]
        made = [thing for thing in made if _is_in_any(thing.box, inside)]
        icons = {thing.box: thing.icon for thing in made if thing.icon}
        nodes = (
            source._node(key, thing, window)
            for key, thing, window in self._with_windows(as_entries(made, windows), windows)
        )
        return tuple(replace(node, does=Effects(icon=icons.get(node.box, ""))) for node in nodes)

    def _see_again(self, pixels: Pixels) -> None:
        """Find the controls that a changed area touches; its surroundings only help to see them."""
        frame = Size(*pixels.shape[1::-1]).box
        for area in merge(grow(one, AROUND // 4, frame) for one in changed_areas(self._before, pixels)):
            kept = [one for one in self._found if one.box.intersect(area) is None]
            found = self._detector.find(pixels, grow(area, AROUND, frame))
            self._found = without_overlaps((*kept, *(one for one in found if one.box.intersect(area))))
        self._before = pixels


def _is_in_any(box: Box, areas: Iterable[Box]) -> bool:
    return any(area.contains(box.center) for area in areas)
