"""Reads the text of pictures, and caches the results."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gui_agent.computers.vision.detection import Grey, Pixels, cut
from gui_agent.core.observation import Box

STRIP, MOST_PIXELS = 64, 1_030_000
"""Pixels that a strip of a picture shares with its neighbours on each side, and of a strip without them."""
SURE = 0.6
"""Minimum confidence of a recognized line; icons read as text stay below it."""
SURE_OF_A_GLYPH = 0.5
"""The same for a single sign on a button, where a sign is known to be."""
REMEMBERED = 4000
"""Number of picture pieces kept with their text."""
GAP = 0.9
"""Blank columns at least this share of the letters' height wide separate two texts.

A space is about 0.3, one of a terminal's font 0.8, and a gap in a menu bar 1.1.
"""
NEAR, APART = 2, 3
"""Pixels from the side of a control within which a line is cut, if the letters there are this far apart."""
LINE = 2
"""Pixels on both sides of a frame's side that may be painted for the frame."""
RULED = 0.9
"""Share of ink from which on a row or column is a line of a frame or table, not of a letter."""
INK = 40
"""Minimum difference in brightness between ink and background."""
_SIGNS = {"十": "+", "一": "-", "米": "*", "二": "=", "三": "≡"}
"""Single signs on a button that a multi-script recognizer confuses with letters of another script."""
DOUBTED = 0.9
"""Confidence below which a text is read again at double size, which is sometimes better."""
_STROKES = "1lI|"
"""Characters that a single stroke may be taken for."""
DOT = 5
"""Pixels; a sign smaller than this in both directions is a dot."""
SLANT = 0.8
"""Correlation of a slanted stroke's columns with its rows, 0 to 1."""
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A piece of text without wide gaps, in pixels of the picture."""

    text: str
    box: Box
    score: float


class TextReader:
    """Finds lines of text and reads them; equal pieces of picture are read only once."""

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads
        self._engine: Any = None
        self._known: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def lines(
        self, pixels: Pixels, area: Box, controls: Sequence[Box] = (), framed: Sequence[Box] = ()
    ) -> list[TextLine]:
        """The texts in an area of a picture, in no order.

        None runs across the side of a control if it has a gap there, or if the control is `framed`.
        """
        piece, x, y = cut(pixels, area), *area.corner
        known, frames = [box.shift(-x, -y) for box in controls], [box.shift(-x, -y) for box in framed]
        grey = grey_of(piece)
        boxes = list(chain.from_iterable(_parts(grey, box, known, frames) for box in self._find(piece)))
        read = self._read([cut(piece, box) for box in boxes])
        return [
            TextLine(text, (ink_box(grey, box) or box).shift(*area.corner), score)
            for box, (text, score) in zip(boxes, read, strict=True)
            if text and score >= (DOUBTED if _IDEOGRAPH.search(text) else SURE)
        ]

    def glyphs(self, pixels: Pixels, boxes: Sequence[Box]) -> list[str]:
        """The signs in places known to contain one; empty for an unreadable one."""
        pieces = [cut(pixels, box) for box in boxes]
        return [
            _sign(text, score, piece) for (text, score), piece in zip(self._read(pieces), pieces, strict=True)
        ]

    def _find(self, piece: Pixels) -> Iterator[Box]:
        """The boxes of lines, sought in strips, as a large picture would take too much memory at once."""
        rows, columns = piece.shape[:2]
        high = MOST_PIXELS // columns + 1
        for top in range(0, rows, high):
            begin = max(0, top - STRIP)
            for box in self._find_in(piece[begin : top + high + STRIP]):
                if top <= box.center.y + begin < top + high:
                    yield box.shift(0, begin)

    def _find_in(self, piece: Pixels) -> list[Box]:
        if min(piece.shape[:2]) < 4:
            return []
        found = self._ready()(np.ascontiguousarray(piece), use_det=True, use_cls=False, use_rec=False)
        if found.boxes is None:
            return []
        low, high = np.floor(found.boxes.min(axis=1)), np.ceil(found.boxes.max(axis=1))
        return [Box.from_edges(*edges) for edges in np.hstack([low, high]).astype(int).tolist()]

    def _read(self, pieces: Sequence[Pixels]) -> list[tuple[str, float]]:
        keys = [_key(piece) for piece in pieces]
        new = {key: piece for key, piece in zip(keys, pieces, strict=True) if key not in self._known}
        self._known.update(self._recognise(new))
        doubted = {
            key: cv2.resize(piece, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
            for key, piece in new.items()
            if self._known[key][1] < DOUBTED
        }
        for key, again in self._recognise(doubted).items():
            self._known[key] = max(self._known[key], again, key=lambda one: one[1])
        read = [self._known[key] for key in keys]
        for key in keys:
            self._known.move_to_end(key)
        while len(self._known) > max(REMEMBERED, len(keys)):
            self._known.popitem(last=False)
        return read

    def _recognise(self, pieces: Mapping[bytes, Any]) -> dict[bytes, tuple[str, float]]:
        if not pieces:
            return {}
        told = self._ready().recognize_txt([np.ascontiguousarray(piece) for piece in pieces.values()])
        return {
            key: (text.strip(), float(score))
            for key, text, score in zip(pieces, told.txts, told.scores, strict=True)
        }

    def _ready(self) -> Any:
        if self._engine is None:
            from rapidocr import RapidOCR

            self._engine = RapidOCR(
                params={
                    "Global.log_level": "error",
                    "Global.use_cls": False,
                    "Global.use_preprocess_img": False,
                    "Det.limit_type": "max",
                    "Det.limit_side_len": 4096,
                    "Rec.rec_img_shape": [3, 48, 48],
                    "EngineConfig.onnxruntime.intra_op_num_threads": self._threads,
                }
            )
            # The library loads its parts at first use; here they are used separately.
            self._engine._load_rec_model()
        return self._engine


def ink_of(grey: Grey) -> NDArray[np.bool_]:
    """Where a piece of a grey picture differs from its background, the most frequent brightness."""
    paper = int(np.bincount(grey.ravel() >> 3).argmax()) * 8 + 4
    ink: NDArray[np.bool_] = np.abs(grey.astype(np.int16) - paper) > INK
    return ink


def ink_box(grey: Grey, box: Box) -> Box | None:
    """The box of what is drawn in a part of a grey picture; None if it is blank."""
    if min(box.measures[2:]) <= 0:
        return None
    rows, columns = ink_of(cut(grey, box)).nonzero()
    if not len(rows):
        return None
    edges = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
    return Box.from_edges(*map(int, edges)).shift(*box.corner)


def grey_of(pixels: Pixels) -> Grey:
    grey: Grey = cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)
    return grey


def _parts(grey: Grey, box: Box, controls: Sequence[Box], framed: Sequence[Box]) -> list[Box]:
    """A line of text, cut at wide gaps, at ruled lines, and beside a control that it runs across."""
    ink = ink_of(cut(grey, box))
    ink[ink.mean(axis=1) > RULED] = False
    share = ink.mean(axis=0)
    written = (share > 0) & (share < RULED)
    sides = _sides(controls, box)
    for side in _sides(framed, box):
        written[max(0, side - LINE) : max(0, side + LINE)] = False
    columns = np.flatnonzero(written)
    if not len(columns):
        return []
    before, after = columns[:-1], columns[1:]
    rows = np.flatnonzero(ink[:, written].any(axis=1))
    wide = max(6, round(GAP * (int(rows[-1]) - int(rows[0]) + 1)))
    ruled = np.flatnonzero(share >= RULED)
    between = _are_between(ruled, before, after) | _are_between(sides, before - NEAR, after + NEAR)
    cuts = np.flatnonzero(after - before > np.where(between, APART, wide))
    parts = [(int(part[0]), int(part[-1])) for part in np.split(columns, cuts + 1)]
    if len(parts) == 1:
        return [box]
    whole = Box(0, 0, box.width, box.height)
    shown = (Box.from_edges(a - 2, 0, b + 3, box.height).intersect(whole) for a, b in parts)
    return [part.shift(*box.corner) for part in shown if part is not None]


def _are_between(
    marks: NDArray[np.int64], before: NDArray[np.int64], after: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether any of the marks lies between two columns, for each pair of columns."""
    near: NDArray[np.bool_] = np.searchsorted(marks, before, "right") < np.searchsorted(marks, after)
    return near


def _sides(controls: Sequence[Box], line: Box) -> NDArray[np.int64]:
    """The columns of a line at which the controls that it runs across begin and end."""
    crossed = [one.edges[::2] for one in controls if line.center.y in one.rows]
    return np.sort(np.array(crossed, np.int64).ravel()) - line.corner[0]


def _sign(text: str, score: float, piece: Pixels) -> str:
    """The reading of a single sign, corrected to the likeliest sign on a screen."""
    if text in _SIGNS:
        return _SIGNS[text]
    rows, columns = ink_of(grey_of(piece)).nonzero()
    if len(rows) and max(np.ptp(rows), np.ptp(columns)) < DOT and abs(np.ptp(rows) - np.ptp(columns)) <= 1:
        return "."
    if len(text) == 1 and text in _STROKES:
        slant = float(np.corrcoef(rows, columns)[0, 1]) if np.ptp(columns) else 0.0
        return "/" if slant < -SLANT else "\\" if slant > SLANT else text
    return text if score >= (DOUBTED if _IDEOGRAPH.search(text) else SURE_OF_A_GLYPH) else ""


def _key(piece: Pixels) -> bytes:
    return hashlib.blake2b(piece.tobytes(), digest_size=12, key=repr(piece.shape).encode()).digest()
