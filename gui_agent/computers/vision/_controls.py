"""Controls from what the network sees, with the texts in or beside them, and cells of sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter
from string import ascii_uppercase

import cv2
import numpy as np

from gui_agent.computers.desktop.parts import Node, is_in_any
from gui_agent.computers.vision.detection import Grey, Pixels, cut, grow
from gui_agent.computers.vision.network import Detector, SeenControl, drawn_in, words_for
from gui_agent.computers.vision.ocr import TextLine, TextReader, grey_of, ink_of
from gui_agent.core.observation import Box, Effects
from gui_agent.elements.roles import BOXES, FIELDS, PRESSED

FRAMED = FIELDS | BOXES | {"button"}
"""What usually has a frame, which is no text."""
FITS = 0.6
"""Overlap (intersection over union) of a control and an outline that are the same."""
INSIDE = 0.6
"""Share of a text's area in a box from which on it belongs to that."""
EDGE = 3
"""Pixels of an outline and its shadow."""
TICK = (9, 24)
"""Minimum and maximum sides of a tick box, in pixels."""
DRAWN_IN = {"checkbox": 0.12, "radio": 0.2}
"""Share of ink in a box from which on it is ticked; around a radio button a part of its ring counts."""
PAINTED = 0.6
"""Share of ink from which on a square is a picture, and no box."""
RIM = 0.2
"""Share of a box's height that may be its edge."""
FAINT = 0.75
"""Contrast of a placeholder, as a share of the strongest text's."""
SHAPED = 0.5
"""Chance of a control that only its shape shows."""
AREA = (150, 80)
"""Minimum size of a multi-line field."""


def in_outline(one: SeenControl, shapes: Sequence[Box]) -> SeenControl:
    """The control in the outline that is about where it was seen, if there is one; a square is no radio."""
    best = max(shapes, key=one.box.iou, default=one.box)
    if one.box.iou(best) < FITS:
        return one
    return replace(one, box=best, role="checkbox" if one.role == "radio" else one.role)


def square_tick(grey: Grey, box: Box, found: Sequence[SeenControl]) -> SeenControl | None:
    """An outline of the size of a tick box where nothing else was found."""
    sides = box.measures[2:]
    if min(sides) < TICK[0] or max(sides) > TICK[1] or any(one.box.intersect(box) for one in found):
        return None
    is_box = ink_of(cut(grey, box.grow(-EDGE))).mean() < PAINTED
    return SeenControl("checkbox", box, SHAPED) if is_box else None


def _with_tick(one: SeenControl, grey: Grey) -> SeenControl:
    """A box as checked if something is drawn in it."""
    inside = cut(grey, one.box.grow(-round(RIM * one.box.height)))
    if one.role not in DRAWN_IN:
        return one
    is_on = ink_of(inside).mean() > DRAWN_IN[one.role]
    return replace(one, states=one.states - {"checked"} | ({"checked"} if is_on else set()))


def named_controls(
    found: Sequence[SeenControl],
    lines: Iterable[TextLine],
    pixels: Pixels,
    reader: TextReader,
    detector: Detector,
) -> list[Node]:
    """Controls and texts in reading order, without keys and windows; a text that became a name or value is
    not listed again. `source` says who found it: `ocr` the words, `vision` the control, `vision+ocr` both.
    """
    grey = grey_of(pixels)
    ticks = [one.box for one in found if one.role in BOXES]
    left = [line for line in lines if not is_in_any(line.box, ticks)]
    strong = FAINT * max((_contrast(grey, line.box) for line in left), default=0.0)
    made: list[Node] = []
    for one in sorted(found, key=lambda one: one.box.area):
        texts = _texts_of(one, left)
        if one.role != "link" or texts:
            left = [line for line in left if line not in texts]
            is_faint = any(_contrast(grey, line.box) < strong for line in texts)
            made.append(_control(_with_tick(one, grey), texts, is_faint=is_faint))
    _name_by_signs(made, pixels, grey, reader, detector)
    loose = [Node((), "text", one.text, one.box, source="ocr") for one in left]
    return sorted((*made, *loose), key=lambda one: (one.box.center.y // 8, one.box.left))


def _contrast(grey: Grey, box: Box) -> float:
    """How far the strongest ink of a text is from its background, 0 to 255."""
    piece = cut(grey, box).astype(np.int16)
    return float(np.abs(piece - np.median(piece)).max())


def _name_by_signs(
    made: list[Node], pixels: Pixels, grey: Grey, reader: TextReader, detector: Detector
) -> None:
    """Give buttons with a single sign this sign, and those with an icon the words for it."""
    places = [n for n, one in enumerate(made) if one.role in PRESSED and len(one.name) <= 1]
    boxes = [made[place].box for place in places]
    icons = detector.icons(pixels, boxes)
    drawn = (drawn_in(grey, box) or box for box in boxes)
    signs = reader.glyphs(pixels, [grow(ink, EDGE, box) for ink, box in zip(drawn, boxes, strict=True)])
    for place, icon, sign in zip(places, icons, signs, strict=True):
        if sign and not (icon and sign.isalpha()):
            made[place] = replace(made[place], name=sign)
        elif icon:
            made[place] = replace(made[place], name="", does=Effects(icon=words_for(icon)))


def _texts_of(one: SeenControl, lines: Sequence[TextLine]) -> list[TextLine]:
    """The texts in a control; of a tick the one beside it. In reading order."""
    if one.role in BOXES:
        beside = [line for line in lines if _is_beside(line.box, one.box)]
        return sorted(beside, key=lambda line: line.box.left)[:1]
    inside = [line for line in lines if _share_in(line.box, one.box) > INSIDE]
    return sorted(inside, key=lambda line: (line.box.center.y // 8, line.box.left))


def _control(one: SeenControl, texts: Sequence[TextLine], *, is_faint: bool) -> Node:
    """A control with its texts: as the value of a field that holds one, else as its name.

    A text as strong as the others of the screen is no placeholder.
    """
    source = "vision+ocr" if texts else "vision"
    states = one.states - {"filled", "expanded"}
    if one.role not in FIELDS:
        role = "menuitem" if one.role == "item" else one.role
        return Node((), role, " ".join(line.text for line in texts), one.box, "", states, source=source)
    states |= {"haspopup" if one.role == "combobox" else "editable"}
    if one.role == "textbox" and one.box.width >= AREA[0] and one.box.height >= AREA[1]:
        states |= {"multiline"}
    text = "\n".join(line.text for line in _without_arrow(texts, one.box))
    holds = one.role != "textbox" or "filled" in one.states or not is_faint
    name, value = ("", text) if holds else (text, "")
    return Node((), one.role, name, one.box, value, states, source=source)


def _without_arrow(texts: Sequence[TextLine], field: Box) -> Sequence[TextLine]:
    """The texts of a field without the arrow at its end, which may be read as a single sign."""
    end = field.right - field.height
    return [line for line in texts if len(line.text) > 1 or line.box.left < end] or texts


def _is_beside(text: Box, tick: Box) -> bool:
    return -EDGE <= text.left - tick.right <= max(16, tick.height) and tick.center.y in text.rows


def _share_in(box: Box, other: Box) -> float:
    """The share of a box's area that is in another one."""
    both = box.intersect(other)
    return both.area / box.area if both is not None else 0.0


IN_LINE = 3
"""Least outlines in each row and column of a sheet."""
TOUCH = 3
"""Maximum pixels between the outlines of neighbours."""
HEADS = 40
"""Maximum distance (px) of row headers from the left edge of a table."""
_LETTERS = (*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2)))
_DIGITS = tuple(str(number) for number in range(100_000))
FILLED = 0.85
"""Minimum ratio of a rectangle's area to its box."""


def sheet_cells(shapes: Sequence[Box], lines: Sequence[TextLine]) -> list[Node]:
    """The outlines that are cells of a sheet whose columns have letters and whose rows have numbers.

    A cell's name combines the headers of its column and row, as in `B3`.
    """
    tops, lefts = (Counter(map(attrgetter(side), shapes)) for side in ("top", "left"))
    cells = [box for box in shapes if min(tops[box.top], lefts[box.left]) >= IN_LINE]
    if not cells:
        return []
    columns, rows = _sheet_heads(cells, lines)
    return [
        Node((), "gridcell", columns[box.left] + rows[box.top], box, _text_in(box, lines), source="vision")
        for box in cells
        if box.left in columns and box.top in rows
    ]


def _sheet_heads(cells: Sequence[Box], lines: Sequence[TextLine]) -> tuple[dict[int, str], dict[int, str]]:
    """The headers of the columns by their left edge, and those of the rows by their top."""
    left, top = Box.hull(cells).corner
    above = [
        (line.box.center.x, line.text)
        for line in lines
        if line.box.center.y < top and top - line.box.bottom < line.box.height
    ]
    beside = [
        (line.box.center.y, line.text)
        for line in lines
        if line.box.center.x < left and left - line.box.right < HEADS
    ]
    columns = _heads((box.columns for box in cells), above, _LETTERS)
    return columns, _heads((box.rows for box in cells), beside, _DIGITS)


def _text_in(box: Box, lines: Sequence[TextLine]) -> str:
    return " ".join(line.text for line in lines if box.contains(line.box.center))


def rectangles(grey: Grey) -> list[Box]:
    """The rectangles with an outline, the largest first; only the outer one of an outline's two edges."""
    closed = cv2.morphologyEx(cv2.Canny(grey, 30, 90), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    shapes = [(Box(*cv2.boundingRect(contour)), cv2.contourArea(contour)) for contour in contours]
    boxes = [box for box, area in shapes if min(box.width, box.height) >= 9 and area >= FILLED * box.area]
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda one: -one.area):
        if not any(other.grow(1).encloses(box) and box.grow(4).encloses(other) for other in kept):
            kept.append(box)
    return kept


def _heads(
    places: Iterable[range], heads: Sequence[tuple[int, str]], system: Sequence[str]
) -> dict[int, str]:
    """The header of each row or column by its start; unreadable ones are inferred from the others.

    Args:
        places: the pixel range of each row or column.
        heads: the recognized headers, each with a pixel in its row or column.
        system: all headers in order.
    """
    ranks: dict[range, int] = {}
    begin, rank = -TOUCH - 1, -1
    for place in sorted(places, key=attrgetter("start")):
        if place.start - begin > TOUCH:
            begin, rank = place.start, rank + 1
        ranks[place] = rank
    numbers = {head: number for number, head in enumerate(system)}
    firsts = Counter(
        numbers[head] - ranks[place]
        for (pixel, head), place in product(heads, ranks)
        if pixel in place and head in numbers
    )
    first, agreeing = next(iter(firsts.most_common(1)), (0, 0))
    if agreeing < 2:
        return {}
    numbered = ((place.start, first + rank) for place, rank in ranks.items())
    return {start: system[number] for start, number in numbered if 0 <= number < len(system)}
