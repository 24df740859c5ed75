"""Finds controls in a picture, and says what its icons show, with the trained networks.

The one for controls has one stage and no anchors: each cell of eight by eight pixels says which roles have
their middle there, how far the edges of that box are, and its states (after CenterNet, arXiv 1904.07850, and
FCOS, arXiv 1904.01355). How both were trained, and on what, is in `guiagent_platforms/eyes/README.md`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gui_agent import plugins
from gui_agent.computers.vision.detection import Pixels, cut
from gui_agent.computers.vision.ocr import ink_box
from gui_agent.core.observation import Box, Size
from gui_agent.elements.roles import PICTURES

STRIDE = 8
"""Pixels of a cell's side."""
MULTIPLE = 64
"""Both sides of what the network is given are a multiple of this many pixels."""
SAME = 0.5
"""Overlap (intersection over union) from which on two boxes are one control."""
WIDEST, HIGHEST, AROUND = 2048, 1152, 128
"""Most that the network sees at once, and how much of it a neighbour sees too, in pixels."""
SIDE, MARGIN = 32, 0.12
"""Pixels of the side to which an icon is brought, and the share of its larger side shown around it."""
OUTLINE = 4
"""Pixels of a button's outline and its shadow."""
SURE = 0.6
"""Least chance of what an icon is said to show."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SeenControl:
    """A control as the network sees it, in pixels of the picture."""

    role: str
    """One of those that the network knows; `icon` is a control or sign without a text, `item` an entry of a
    menu, list or tree.
    """
    box: Box
    chance: float
    """From 0 to 1."""
    states: frozenset[str] = frozenset()
    """Some of `checked`, `disabled`, `expanded`, `selected`, and `filled` for a field that has a value."""


class Detector:
    """The networks; their weights are loaded at the first look."""

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads

    def find(self, pixels: Pixels, area: Box) -> list[SeenControl]:
        """The controls in an area of a picture (rows x columns x blue, green, red), perhaps some twice where
        two tiles overlap.
        """
        found: list[SeenControl] = []
        for tile in _tiles(area):
            found += (
                one for one in self._find_in(cut(pixels, tile), tile) if not _is_cut(one.box, tile, area)
            )
        return found

    def _find_in(self, pixels: Pixels, tile: Box) -> Iterator[SeenControl]:
        network = self._controls
        cells = network.run(None, {"picture": network_input(pixels[:, :, ::-1])})[0][0]
        roles, states, least = (_told_by(network, name) for name in ("roles", "states", "least"))
        for one in read_cells(cells, roles, states, least):
            if (box := one.box.intersect(Size(*pixels.shape[1::-1]).box)) is not None:
                yield replace(one, box=box.shift(*tile.corner))

    def icons(self, pixels: Pixels, boxes: Sequence[Box]) -> list[str]:
        """What buttons or icons at these places show, or empty if that is not sure."""
        grey = Image.fromarray(np.ascontiguousarray(pixels[:, :, ::-1])).convert("L")
        drawn = [drawn_in(np.asarray(grey), box) for box in boxes]
        shown = [icon_square(grey, *box.measures) for box in drawn if box is not None]
        if not shown:
            return [""] * len(boxes)
        logits = self._icons.run(None, {"icons": np.stack(shown)[:, None]})[0]
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        names = _told_by(self._icons, "classes")
        best = np.where(chances.sum(axis=1) * SURE <= 1, logits.argmax(axis=1), len(names))
        named = iter([(*names, "")[number] for number in best])
        return ["" if box is None else next(named) for box in drawn]

    @cached_property
    def _controls(self) -> Any:
        return self._load("controls.onnx")

    @cached_property
    def _icons(self) -> Any:
        return self._load("icons.onnx")

    def _load(self, name: str) -> Any:
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.enable_cpu_mem_arena = False  # what a large picture needed is given back
        file = plugins.find("weights", "eyes")() / name
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _told_by(network: Any, name: str) -> list[Any]:
    """What a file of weights says of itself."""
    told: list[Any] = json.loads(network.get_modelmeta().custom_metadata_map[name])
    return told


def drawn_in(grey: NDArray[np.uint8], box: Box) -> Box | None:
    """The box of what is drawn in a control, without its outline; None if it is blank."""
    inside = ink_box(grey, box.grow(-OUTLINE))
    return inside if inside and box.grow(-OUTLINE - 1).encloses(inside) else ink_box(grey, box)


def icon_square(picture: Image.Image, left: float, top: float, wide: float, high: float) -> Floats:
    """A square of a grey picture around a box, `SIDE` wide, in full contrast, as bright on dark."""
    half = max(wide, high) * (0.5 + MARGIN)
    x, y = left + wide / 2, top + high / 2
    square = picture.crop((round(x - half), round(y - half), round(x + half), round(y + half)))
    pixels = np.asarray(square.resize((SIDE, SIDE), Image.Resampling.BILINEAR), np.float32)
    drawn = np.abs(pixels - np.median(pixels))
    bright: Floats = (drawn / max(16.0, float(drawn.max()))).astype(np.float32)
    return bright


def words_for(icon: str) -> str:
    """What a person may call a control with this icon: `delete remove trash` for `trash`; empty for none."""
    word = icon.partition("_")[0]
    meanings = [means for picture, means in PICTURES.items() if word in means or word == picture]
    return " ".join(sorted({icon}.union(*meanings)))


def network_input(pixels: NDArray[np.uint8]) -> Floats:
    """A picture (rows x columns x 3, in RGB) as the network takes it: 1 x 3 x height x width, from 0 to 1."""
    high, wide = (-side % MULTIPLE for side in pixels.shape[:2])
    shown = np.pad(pixels, ((0, high), (0, wide), (0, 0)), mode="edge")
    return shown.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255)


def read_cells(
    cells: Floats, roles: Sequence[str], states: Sequence[str], least: Sequence[float]
) -> list[SeenControl]:
    """The controls that the network's output says, the surest first.

    Args:
        cells: channels x rows x columns.
        roles, states: in the order of their channels.
        least: the chance of each role, 0 to 1, from which on a control is there.
    """
    chances = 1 / (1 + np.exp(-cells[: len(roles)]))
    # One scale for all roles: at its least, a chance is a half.
    chances = chances ** (np.log(0.5) / np.log(least))[:, None, None]
    likely, best = chances.argmax(axis=0), chances.max(axis=0)
    distances = np.exp(np.clip(cells[len(roles) : len(roles) + 4], -1, 8))
    held = cells[len(roles) + 4 :] > 0
    found = []
    for row, column in np.argwhere(best >= 0.5):
        left, top, right, bottom = distances[:, row, column]
        x, y = STRIDE * (column + 0.5), STRIDE * (row + 0.5)
        edges = (round(float(edge)) for edge in (x - left, y - top, x + right, y + bottom))
        true = frozenset(state for state, holds in zip(states, held[:, row, column], strict=True) if holds)
        role, chance = roles[likely[row, column]], float(best[row, column])
        found.append(SeenControl(role, Box.from_edges(*edges), chance, true))
    return without_overlaps(found)


def without_overlaps(found: Iterable[SeenControl]) -> list[SeenControl]:
    """The controls, the surest first, each place only once."""
    every = list(found)
    kept = cv2.dnn.NMSBoxes([one.box.measures for one in every], [one.chance for one in every], 0.0, SAME)
    return [every[place] for place in kept]


def _tiles(area: Box) -> Iterator[Box]:
    left, top, right, bottom = area.edges
    for y in _starts(top, bottom, HIGHEST):
        for x in _starts(left, right, WIDEST):
            yield Box(x, y, min(WIDEST, right - x), min(HIGHEST, bottom - y))


def _starts(begin: int, end: int, most: int) -> range:
    """Where tiles begin: at multiples of MULTIPLE, as the network sees a moved picture otherwise."""
    begin -= begin % MULTIPLE
    return range(begin, max(begin + 1, end - AROUND), most - AROUND)


def _is_cut(box: Box, tile: Box, area: Box) -> bool:
    """Whether a tile ends in a box that its neighbour sees whole."""
    edge = box.grow(2)
    return max(box.measures[2:]) < AROUND and area.encloses(edge) and not tile.encloses(edge)
