"""Eyes with the trained detector in place of the outlines, to compare the two on one bed.

    PYTHONPATH=eval/vision python eval/bench/bench_eyes.py --eyes detected_source:DetectedSource ...

reads `detector.onnx` in the working folder, as `train.py` writes it. Texts across the edge of a field
or a tick are cut there and read again; a field keeps its value; a tick is named by the text on its right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import onnxruntime
from cells import STRIDE, boxes_of, padded
from pages import ROLES, STATES

from gui_agent.computers.desktop.parts import Node, Window
from gui_agent.computers.vision import source
from gui_agent.computers.vision.detection import DetectedControl, Pixels, as_entries, cut
from gui_agent.computers.vision.ocr import TextLine, TextReader
from gui_agent.core.observation import Box, Size

WEIGHTS = Path("detector.onnx")
LEAST = 0.3
"""Least chance of what is listed."""
FIELDS = ("textbox", "combobox", "spinbutton")
TICKS = ("checkbox", "radio", "switch")
INSIDE = 0.6
"""Share of a text's area in a box from which on it belongs to that."""
CUT = (0.04, 0.9)
"""Shares of a text's area in a box between which it runs across the edge."""
EDGE = 3
"""Pixels of an edge."""


@dataclass(frozen=True)
class Found:
    """A control as the network sees it."""

    role: str
    box: Box
    states: frozenset[str]


class Detector:
    """The trained network."""

    def __init__(self, weights: Path, threads: int = 2) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )

    def find(self, pixels: Pixels) -> list[Found]:
        """The controls of a picture (rows x columns x blue, green, red), the surest first."""
        height, width = pixels.shape[:2]
        cells = self._session.run(None, {"picture": padded(pixels[:, :, ::-1])})[0][0]
        found = []
        for role, _, edges in boxes_of(cells, LEAST):
            box = Box.from_edges(*map(round, edges)).intersect(Size(width, height).box)
            if box is not None:
                row, column = (int(one // STRIDE) for one in (box.center.y, box.center.x))
                said = cells[len(ROLES) + 4 :, row, column] > 0
                found.append(Found(ROLES[role], box, frozenset(np.array(STATES)[said].tolist())))
        return found


class DetectedSource(source.VisionSource):
    """Reads a picture with the network and the text recognition."""

    @cached_property
    def _detector(self) -> Detector:
        return Detector(WEIGHTS)

    def _looked_at(
        self, pixels: Pixels, inside: Sequence[Box], windows: Sequence[Window]
    ) -> tuple[Node, ...]:
        found = self._detector.find(pixels)
        lines = cut_lines(self._lines, found, pixels, self._reader)
        made = [one for one in controls_of(found, lines) if source.is_in_any(one.box, inside)]
        return tuple(
            source._node(key, thing, window)
            for key, thing, window in self._with_windows(as_entries(made, windows), windows)
        )


def cut_lines(
    lines: Iterable[TextLine], found: Sequence[Found], pixels: Pixels, reader: TextReader
) -> list[TextLine]:
    """The lines, with those that run across the edge of a field, tick or icon read in pieces."""
    kept = list(lines)
    for one in found:
        if one.role not in (*FIELDS, *TICKS, "icon"):
            continue
        across = [line for line in kept if CUT[0] < share_in(line.box, one.box) < CUT[1]]
        pieces = [piece for line in across for piece in pieces_at(line.box, one)]
        read = reader._read([cut(pixels, piece) for piece in pieces])
        kept = [line for line in kept if line not in across]
        kept += [TextLine(text, box, sure) for box, (text, sure) in zip(pieces, read, strict=True) if text]
    return kept


def pieces_at(line: Box, control: Found) -> Iterator[Box]:
    """A line before a control, inside it if that holds text, and after it."""
    box = control.box
    ends = [(line.left, box.left - 1), (box.right + 2, line.right)]
    if control.role in FIELDS:
        ends.append((max(line.left, box.left + EDGE), min(line.right, box.right - EDGE)))
    for left, right in ends:
        if right - left > 2 * EDGE:
            yield Box.from_edges(left, line.top, right, line.bottom)


def controls_of(found: Sequence[Found], lines: Sequence[TextLine]) -> list[DetectedControl]:
    """Controls and texts in reading order; a text that became a name or value is not listed again."""
    left, made = list(lines), []
    for one in sorted(found, key=lambda one: one.box.area):
        if one.role in TICKS:
            texts = [line for line in left if _is_beside(line.box, one.box)][:1]
        else:
            texts = [line for line in left if share_in(line.box, one.box) > INSIDE]
        if one.role == "link" and not texts:
            continue
        texts.sort(key=lambda line: (line.box.center.y // 8, line.box.left))
        left = [line for line in left if line not in texts]
        made.append(_control(one, texts))
    made += [DetectedControl("text", one.text, one.box, source="ocr") for one in left]
    return sorted(made, key=lambda one: (one.box.center.y // 8, one.box.left))


def _control(one: Found, texts: Sequence[TextLine]) -> DetectedControl:
    states = {state for state in one.states if state not in ("filled", "expanded")}
    if one.role not in FIELDS:
        role = {"item": "menuitem"}.get(one.role, one.role)
        name = " ".join(line.text for line in texts)
        return DetectedControl(role, name, one.box, states=frozenset(states))
    states.add("haspopup" if one.role == "combobox" else "editable")
    text = "\n".join(line.text for line in texts)
    holds = one.role != "textbox" or "filled" in one.states
    named, value = ("", text) if holds else (text, "")
    return DetectedControl(one.role, named, one.box, value, frozenset(states))


def _is_beside(text: Box, tick: Box) -> bool:
    return -EDGE <= text.left - tick.right <= max(16, tick.height) and tick.center.y in text.rows


def share_in(box: Box, other: Box) -> float:
    """The share of a box's area that is in another one."""
    both = box.intersect(other)
    return both.area / box.area if both is not None else 0.0
