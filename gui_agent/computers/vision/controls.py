"""Finds controls in a picture: outlines, icons and tables, with the texts in or beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise, product
from operator import attrgetter
from string import ascii_uppercase

import cv2
import numpy as np
from numpy.typing import NDArray

from gui_agent.computers.vision.detection import DetectedControl, Grey, cut, grow, merge
from gui_agent.computers.vision.ocr import TextLine, ink_of
from gui_agent.core.observation import Box, Size
from gui_agent.elements.roles import FIELDS

FILLED = 0.85
"""Minimum ratio of a rectangle's area, with or without round corners, to its box."""
ROUND = 0.72
"""Minimum ratio for a circle, which fills 0.785 of its box."""
SMALLEST, LARGEST_ICON = 6, 56
"""Minimum and maximum sides of icons, in pixels."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The shapes found by their edges."""

    rectangles: tuple[Box, ...]
    """Largest first; only the outer one of the two edges of an outline."""
    circles: tuple[Box, ...]
    """Circles of the size of radio buttons."""
    pieces: tuple[Box, ...]
    """All other small connected shapes: strokes of text, parts of icons."""


def edges(grey: Grey) -> Drawn:
    closed = cv2.morphologyEx(cv2.Canny(grey, 30, 90), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    rectangles, circles, pieces = [], [], []
    for contour in contours:
        left, top, width, height = cv2.boundingRect(contour)
        box = Box(left, top, width, height)
        share = cv2.contourArea(contour) / box.area
        if min(width, height) >= 9 and share >= FILLED:
            rectangles.append(box)
        elif share >= ROUND and 9 <= width <= 24 and abs(width - height) <= 2:
            circles.append(box)
        elif max(width, height) <= LARGEST_ICON:
            pieces.append(box)
    return Drawn(tuple(_outermost(rectangles)), tuple(_outermost(circles)), tuple(pieces))


def icons(found: Drawn, texts: Sequence[Box], frame: Box) -> list[Box]:
    """Small pictures: shapes that are not part of a text, merged if they nearly touch."""
    loose = [box for box in (*found.pieces, *found.circles) if not is_in_any(box, texts)]
    small = [box for box in found.rectangles if max(box.width, box.height) <= 24 and box.height >= SMALLEST]
    whole = merge(loose + small, reach=3)
    return [
        grow(box, 1, frame)
        for box in whole
        if SMALLEST <= box.width <= LARGEST_ICON and SMALLEST <= box.height <= LARGEST_ICON
    ]


def is_in_any(box: Box, others: Sequence[Box]) -> bool:
    """Whether the centre of a box is in any of the others."""
    return any(other.contains(box.center) for other in others)


def _outermost(boxes: Sequence[Box]) -> list[Box]:
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda one: -one.area):
        if not any(_inner_edge(box, other) for other in kept):
            kept.append(box)
    return kept


def _inner_edge(box: Box, other: Box) -> bool:
    return other.grow(1).encloses(box) and box.grow(4).encloses(other)


TABLE_CELLS = 9
TOUCH = 3
"""Maximum pixels between the outlines of neighbours."""
HEADS = 40
"""Maximum distance (px) of row headers from the left edge of a table."""
_LETTERS = (*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2)))
_DIGITS = tuple(str(number) for number in range(100_000))
_Sides = NDArray[np.int64]


def as_cells(made: Sequence[DetectedControl], lines: Sequence[TextLine]) -> list[DetectedControl]:
    """The controls, with fields inside a table as its cells.

    A cell's name combines the headers of its column and row, as in `B3`, if they are readable.
    """
    fields = [thing for thing in made if (thing.role, thing.states) == ("textbox", EDITABLE)]
    cells = list(compress(fields, _in_table(fields)))
    if len(cells) < TABLE_CELLS:
        return list(made)
    boxes = [cell.box for cell in cells]
    left, top = Box.hull(boxes).corner
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
    columns = _heads((box.columns for box in boxes), above, _LETTERS)
    rows = _heads((box.rows for box in boxes), beside, _DIGITS)
    return [_as_cell(thing, columns, rows) if thing in cells else thing for thing in made]


def _in_table(fields: Sequence[DetectedControl]) -> list[bool]:
    """Which of the fields have one neighbour beside and one above or below."""
    if len(fields) < TABLE_CELLS:
        return [False] * len(fields)
    sides = np.array([one.box.edges for one in fields])
    left, top, right, bottom = sides.T
    beside = _touch(right, left) & (abs(top[:, None] - top[None, :]) <= 2)
    below = _touch(bottom, top) & (abs(left[:, None] - left[None, :]) <= 2)
    in_row, in_column = (near.any(axis=0) | near.any(axis=1) for near in (beside, below))
    return [bool(one) for one in in_row & in_column]


def _touch(end: _Sides, start: _Sides) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = abs(start[None, :] - end[:, None]) <= TOUCH
    return near


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
    begin, rank = -TOUCH, -1
    for place in sorted(places, key=attrgetter("start")):
        if place.start - begin > TOUCH or rank < 0:
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


def _as_cell(field: DetectedControl, columns: Mapping[int, str], rows: Mapping[int, str]) -> DetectedControl:
    column, row = columns.get(field.box.left), rows.get(field.box.top)
    name = f"{column}{row}" if column and row else ""
    return replace(field, role="gridcell", name=name, states=frozenset())


EDGE = 4
"""Pixels of the outline and its shadow."""
WHITE = 250
"""Brightness from which on a background is that of a field, whatever surrounds it."""
LIFTED = 4
"""Minimum difference in brightness between a field's background and its surroundings."""
PLAIN = 6
"""Maximum variation of the brightness of a plain surface."""
ARROW = (6, 16)
"""Widths of the arrows of drop-down lists."""
ARROW_GAP = 3
"""Blank columns between a text and the arrow after it."""


class GreyPicture:
    """A grey picture with measurements of its parts."""

    def __init__(self, grey: Grey) -> None:
        self._grey = grey

    def ink(self, box: Box) -> Box | None:
        """The box of the ink inside an outline; None if it is blank."""
        inside = inset(box, EDGE)
        if inside is None:
            return None
        rows, columns = ink_of(self._cut(inside)).nonzero()
        if not len(rows):
            return None
        left, top = int(columns.min()), int(rows.min())
        size = int(columns.max()) - left + 1, int(rows.max()) - top + 1
        return Box(left, top, *size).shift(*inside.corner)

    def ink_share(self, box: Box) -> float:
        """The share of ink in a box, 0 to 1."""
        return float(ink_of(self._cut(box)).mean())

    def is_plain(self, box: Box) -> bool:
        return bool(self._cut(box).std() < PLAIN)

    def is_field(self, box: Box) -> bool:
        """Whether the background inside an outline contrasts with its surroundings, as a field's does."""
        middle = inset(box, 3)
        if middle is None:
            return False
        inside, around = float(np.median(self._cut(middle))), self._brightness_around(box)
        if inside >= WHITE:
            return True
        return inside - around >= LIFTED if around >= 128 else abs(inside - around) >= LIFTED

    def is_round(self, box: Box) -> bool:
        """Whether the corners of a box belong to its surroundings, as around a circle."""
        height, width = self._grey.shape
        if box.left < 2 or box.top < 2 or box.right + 2 > width or box.bottom + 2 > height:
            return False
        outside, corner = self._grey[box.top - 2, box.left - 2], self._grey[box.top + 2, box.left + 2]
        return abs(int(outside) - int(corner)) < 24

    def is_dotted(self, box: Box) -> bool:
        """Whether the ink in a box is a dot in its centre."""
        rows, columns = ink_of(self._cut(box)).nonzero()
        if not len(rows):
            return False
        middle = (box.height - 1) / 2, (box.width - 1) / 2
        return bool(abs(rows.mean() - middle[0]) <= 1 and abs(columns.mean() - middle[1]) <= 1)

    def arrow_at_end(self, box: Box) -> Box | None:
        """The drop-down arrow at the end of an outline's content; None if there is none."""
        inside = inset(box, EDGE)
        if inside is None:
            return None
        drawn = ink_of(self._cut(inside))
        columns = np.flatnonzero(drawn.any(axis=0))
        if not len(columns):
            return None
        gaps = np.flatnonzero(np.diff(columns) > ARROW_GAP)
        left = int(columns[gaps[-1] + 1]) if len(gaps) else int(columns[0])
        shape = drawn[:, left : int(columns[-1]) + 1]
        rows = np.flatnonzero(shape.any(axis=1))
        shape = shape[rows[0] : rows[-1] + 1]
        height, width = shape.shape
        if not ARROW[0] <= width <= ARROW[1] or not 0.3 * width <= height <= 0.85 * width:
            return None
        if _reach(shape[0]) < 0.7 * width or _reach(shape[-1]) > 0.5 * width or not _tapers(shape):
            return None
        return Box(left, int(rows[0]), width, height).shift(*inside.corner)

    def _cut(self, box: Box) -> Grey:
        return cut(self._grey, box)

    def _brightness_around(self, box: Box) -> float:
        height, width = self._grey.shape
        top, bottom = max(0, box.top - 3), min(height, box.bottom + 3)
        left, right = max(0, box.left - 3), min(width, box.right + 3)
        strips = [
            self._grey[top : box.top, left:right],
            self._grey[box.bottom : bottom, left:right],
            self._grey[top:bottom, left : box.left],
            self._grey[top:bottom, box.right : right],
        ]
        return float(np.median(np.concatenate([strip.ravel() for strip in strips])))


def inset(box: Box, by: int) -> Box | None:
    if box.width <= 2 * by or box.height <= 2 * by:
        return None
    return box.grow(-by)


def _reach(row: NDArray[np.bool_]) -> int:
    places = np.flatnonzero(row)
    return int(places[-1] - places[0]) + 1 if len(places) else 0


def _tapers(shape: NDArray[np.bool_]) -> bool:
    reaches = [_reach(row) for row in shape]
    return all(after <= before + 1 for before, after in pairwise(reaches))


LOWEST, HIGHEST, HIGHEST_KEY = 14, 64, 110
"""Heights of buttons and one-line fields, in pixels, and of narrow buttons with a sign."""
WIDEST_BUTTON = 420
TICK = (9, 24)
TICKED = (0.08, 0.6)
"""Share of ink in a checked box; more is a picture."""
ROUNDEST = 20
"""The largest radio button; icons in a circle are larger."""
BESIDE = 14
"""Maximum pixels from a check box to the label on its right."""
LABEL = 160
"""Maximum pixels from a field to the label on its left."""
AREA = (150, 80)
"""Minimum size of a multi-line field."""
PICTURES = 1
"""Maximum small pictures in a multi-line field; more are a list."""
CARET = 3
"""Width of the text caret."""
EDITABLE, OPENS = frozenset(("editable",)), frozenset(("haspopup",))
_READ_ALONG = re.compile(r"^(?:[^\w(\"']+|[vVxX]\s*(?=[A-Z]))")
"""A check mark that was read as the first letter of the adjacent label."""
Glyphs = Callable[[Sequence[Box]], list[str]]
"""Reads the signs at some places."""


def detect_controls(
    grey: Grey, lines: Sequence[TextLine], found: Drawn, glyphs: Glyphs
) -> list[DetectedControl]:
    """All controls in reading order; a text that became a name is not listed again."""
    height, width = grey.shape
    small = icons(found, [grow(line.box, 2, line.box) for line in lines], Size(width, height).box)
    picture = _Picture(grey, lines, found, small)
    made = [*picture.ticks(), *picture.outlined_boxes()]
    made += picture.signs(glyphs)
    made = as_cells(made, lines)
    taken = {id(line) for line in picture.used}
    texts = [
        DetectedControl("text", one.text, one.box, source="ocr") for one in lines if id(one) not in taken
    ]
    controls = [with_label(thing, texts) for thing in made]
    boxes = [thing.box for thing in controls if "multiline" not in thing.states]
    left = [DetectedControl("icon", "", box) for box in small if not is_in_any(box, boxes)]
    return sorted((*controls, *texts, *left), key=lambda one: (one.box.center.y // 8, one.box.left))


class _Picture:
    def __init__(self, grey: Grey, lines: Sequence[TextLine], found: Drawn, small: Sequence[Box]) -> None:
        self.sheet = GreyPicture(grey)
        self.lines = lines
        self.found = found
        self.small = small
        self.used: list[TextLine] = []
        self.again: list[tuple[DetectedControl, Box]] = []
        """Controls that take their names from a second reading at a place."""

    def ticks(self) -> list[DetectedControl]:
        """Squares and circles with a text on their right: check boxes and radio buttons."""
        made: list[DetectedControl] = []
        circles = [box for box in self.found.circles if box.width <= ROUNDEST]
        for box in filter(_is_as_large_as_a_tick, (*self.found.rectangles, *circles)):
            label = self._on_right(box)
            if label is None or is_in_any(box, [one.box for one in made]):
                continue
            drawn = self._drawn_in(box, circle=box in circles)
            if drawn is not None and not self._is_in_field(box, label.box):
                self.used.append(label)
                read_along = label.box.left < box.center.x
                name = _READ_ALONG.sub("", label.text) if read_along else label.text
                made.append(replace(drawn, name=name))
        return made

    def _drawn_in(self, box: Box, *, circle: bool) -> DetectedControl | None:
        """A check box or radio button without its name; None if a picture is drawn there."""
        inside = inset(box, 3)
        share = self.sheet.ink_share(inside) if inside else 1.0
        if inside is None or share > TICKED[1]:
            return None
        rounded = circle and self.sheet.is_round(box)
        thing = DetectedControl("radio" if rounded else "checkbox", "", box)
        if share <= TICKED[0]:
            return thing if self.sheet.is_plain(inside) else None
        if rounded and not self.sheet.is_dotted(inside):
            return None
        return replace(thing, states=frozenset(("checked",)))

    def outlined_boxes(self) -> list[DetectedControl]:
        made: list[DetectedControl] = []
        for box in self.found.rectangles:
            inner = [one for one in self.found.rectangles if one != box and box.encloses(one)]
            if box.width >= AREA[0] and box.height >= AREA[1]:
                if not any(one.height >= LOWEST and one.width >= LOWEST for one in inner):
                    made += self._area(box)
            elif _fits_a_line(box) and not any(
                one.height >= 0.6 * box.height and one.width > 24 for one in inner
            ):
                inside = self._lines_in(box)
                made += self._one_line(box, inside) if inside else self._without_text(box)
        return made

    def signs(self, glyphs: Glyphs) -> list[DetectedControl]:
        """Read a second time: single signs, and texts before an arrow."""
        read = glyphs([place for _, place in self.again])
        return [
            replace(thing, value=text) if thing.role == "combobox" else replace(thing, name=text)
            for (thing, _), text in zip(self.again, read, strict=True)
        ]

    def _lines_in(self, box: Box) -> list[TextLine]:
        return [line for line in self.lines if box.contains(line.box.center)]

    def _one_line(self, box: Box, inside: Sequence[TextLine]) -> list[DetectedControl]:
        if any(line in self.used for line in inside):
            return []
        text = Box.hull(line.box for line in inside)
        if text.height > min(box.height + 4, 1.6 * inside[0].box.height):
            return []
        if len(inside) > 1 and box.width > WIDEST_BUTTON / 2:
            return []
        words = " ".join(line.text for line in sorted(inside, key=lambda one: one.box.left))
        left, right = text.left - box.left, box.right - text.right
        arrow = self.sheet.arrow_at_end(box)
        if arrow is not None and left < box.height:
            self._before_arrow(box, arrow, inside)
        elif abs(left - right) <= max(8, 0.12 * box.width) and box.width <= WIDEST_BUTTON:
            return self._button(box, words, inside)
        elif min(left, right) <= 0.6 * box.height and self.sheet.is_field(box):
            self.used += inside
            return [DetectedControl("textbox", "", box, words, EDITABLE, "vision+ocr")]
        return []

    def _without_text(self, box: Box) -> list[DetectedControl]:
        ink, arrow = self.sheet.ink(box), self.sheet.arrow_at_end(box)
        wide = box.width >= 2 * box.height
        if ink is None or ink.width <= CARET:
            if wide and self.sheet.is_field(box):
                return [DetectedControl("textbox", "", box, states=EDITABLE)]
        elif arrow is not None and ink.left >= arrow.left - 2 and wide:
            return [DetectedControl("combobox", "", box, states=OPENS)]
        elif abs(ink.center.x - box.center.x) <= 0.2 * box.width and box.width <= WIDEST_BUTTON:
            self.again.append((DetectedControl("button", "", box, source="vision+ocr"), grow(ink, 4, box)))
        return []

    def _before_arrow(self, box: Box, arrow: Box, inside: Sequence[TextLine]) -> None:
        self.used += inside
        role = "combobox" if box.width >= 2 * box.height else "button"
        ink = self.sheet.ink(Box(box.left, box.top, arrow.left - box.left, box.height))
        thing = DetectedControl(role, "", box, states=OPENS, source="vision+ocr")
        self.again.append((thing, grow(ink, 4, box) if ink else box))

    def _button(self, box: Box, words: str, inside: Sequence[TextLine]) -> list[DetectedControl]:
        if len(words) > 1 and not any(letter.isalnum() for letter in words):
            return []
        self.used += inside
        ink = self.sheet.ink(box) if len(words) == 1 else None
        thing = DetectedControl("button", words, box, source="vision+ocr")
        if ink is None:
            return [thing]
        self.again.append((thing, grow(ink, 4, box)))  # A single sign is read better by itself.
        return []

    def _area(self, box: Box) -> list[DetectedControl]:
        inner = inset(box, 4)
        if inner is None or not self.sheet.is_field(box) or self.sheet.ink_share(inner) > 0.3:
            return []
        if sum(inner.contains(one.center) for one in self.small) > PICTURES:
            return []
        inside = self._lines_in(inner)
        value = "\n".join(line.text for line in sorted(inside, key=lambda one: one.box.corner[::-1]))
        return [DetectedControl("textbox", "", box, value, frozenset(("editable", "multiline")))]

    def _is_in_field(self, box: Box, text: Box) -> bool:
        """Whether a square and the adjacent text are both in one field, like an icon and an address."""
        return any(
            one.height <= HIGHEST and one.encloses(box) and one.contains(text.center)
            for one in self.found.rectangles
        )

    def _on_right(self, box: Box) -> TextLine | None:
        beside = [
            line
            for line in self.lines
            if -box.width - 8 <= line.box.left - box.right <= BESIDE
            and line.box.right > box.right + box.width / 2
            and box.center.y in line.box.rows
        ]
        return min(beside, key=lambda line: line.box.left, default=None)


def _fits_a_line(box: Box) -> bool:
    """Whether an outline has the height of a button or field; a calculator key may be as high as wide."""
    highest = HIGHEST if box.width > 2 * HIGHEST else HIGHEST_KEY
    return LOWEST <= box.height <= highest and box.width >= LOWEST


def _is_as_large_as_a_tick(box: Box) -> bool:
    shorter, longer = sorted((box.width, box.height))
    return TICK[0] <= shorter and longer <= TICK[1] and longer - shorter <= 2


def with_label(thing: DetectedControl, texts: Sequence[DetectedControl]) -> DetectedControl:
    """A field with the text on its left as its name if that ends like a label.

    Other adjacent texts are left to the search for a field by nearby texts.
    """
    if thing.name or thing.role not in FIELDS or "multiline" in thing.states:
        return thing
    on_left = [text for text in texts if _is_on_left(text.box, thing.box)]
    nearest = max(on_left, key=lambda text: text.box.right, default=None)
    return replace(thing, name=nearest.name) if nearest and nearest.name.endswith((":", "*")) else thing


def _is_on_left(text: Box, box: Box) -> bool:
    return -4 <= box.left - text.right <= LABEL and box.center.y in text.rows
