"""Makes things of texts and outlines: buttons, fields, check boxes, icons, and the text that is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gui_agent.computers.vision.changes import Grey, around, grown
from gui_agent.computers.vision.grids import as_cells
from gui_agent.computers.vision.outlines import Drawn, icons
from gui_agent.computers.vision.reading import Line, ink_of
from gui_agent.computers.vision.things import Thing
from gui_agent.core.geometry import Box

LOWEST, HIGHEST, HIGHEST_KEY = 14, 64, 110
"""Heights of buttons and one-line fields, in pixels, and of narrow buttons with a sign on them."""
WIDEST_BUTTON = 420
TICK = (9, 24)
"""Sides of check boxes."""
ROUNDEST = 20
"""The largest radio button; icons in a circle are larger."""
BESIDE = 14
"""How far to the right of its box the label of a check box begins."""
LABEL = 160
"""How far to the left of its field a label ends."""
AREA = (150, 80)
"""The least size of a field for many lines."""
LIGHT = 225
"""Brightness of paper to write on."""


_READ_ALONG = re.compile(r"^(?:[^\w(\"']+|[vVxX]\s*(?=[A-Z]))")
"""A tick that was read as the first letter of the label beside its box."""
Glyphs = Callable[[Sequence[Box]], list[str]]
"""Reads the signs at some places."""


def things(grey: Grey, lines: Sequence[Line], found: Drawn, glyphs: Glyphs) -> list[Thing]:
    """All things in reading order; a text that became the name of something is not listed again."""
    height, width = grey.shape
    small = icons(found, [grown(line.box, 2, line.box) for line in lines], Box(0, 0, width, height))
    picture = _Picture(grey, lines, found, small)
    made = [*picture.ticks(), *picture.outlined()]
    made += picture.signs(glyphs)
    made = as_cells(made, lines)
    taken = {id(line) for line in picture.used}
    texts = [Thing("text", one.text, one.box, source="ocr") for one in lines if id(one) not in taken]
    controls = [_labelled(thing, texts) for thing in made]
    boxes = [thing.box for thing in controls if "multiline" not in thing.states]
    left = [Thing("icon", "", box) for box in small if not any(one.contains(box.center) for one in boxes)]
    return sorted((*controls, *texts, *left), key=lambda one: (one.box.center.y // 8, one.box.left))


class _Picture:
    """What was found on a picture, while it is made into things."""

    def __init__(self, grey: Grey, lines: Sequence[Line], found: Drawn, small: Sequence[Box]) -> None:
        self.grey = grey
        self.lines = lines
        self.found = found
        self.small = small
        self.used: list[Line] = []
        self.empty: list[Box] = []
        """Outlines in which no text was read, for a second look."""

    def ticks(self) -> list[Thing]:
        """Squares and circles with a text on their right: check boxes and radio buttons."""
        made: list[Thing] = []
        squares = [("checkbox", box) for box in self.found.rectangles if _tick_size(box)]
        rounds = [("radio", box) for box in self.found.circles if _tick_size(box) and box.width <= ROUNDEST]
        for role, box in (*squares, *rounds):
            label = self._on_right(box)
            inside = _inset(box, 3)
            if label is None or inside is None or any(one.box.contains(box.center) for one in made):
                continue
            states = frozenset(("checked",)) if self._ink_share(inside) > 0.08 else frozenset[str]()
            if not states and not self._plain(inside):
                continue
            self.used.append(label)
            read_along = label.box.left < box.center.x
            name = _READ_ALONG.sub("", label.text) if read_along else label.text
            made.append(Thing(role, name, box, states=states))
        return made

    def outlined(self) -> list[Thing]:
        """Rectangles with an outline: buttons, fields, lists to choose from, areas to write in."""
        made: list[Thing] = []
        for box in self.found.rectangles:
            inner = [one for one in self.found.rectangles if one != box and box.encloses(one)]
            if box.width >= AREA[0] and box.height >= AREA[1]:
                if not any(one.height >= LOWEST and one.width >= LOWEST for one in inner):
                    made += self._area(box)
            elif _fits_a_line(box) and not any(
                one.height >= 0.6 * box.height and one.width > 24 for one in inner
            ):
                made += self._one_line(box)
        return made

    def signs(self, glyphs: Glyphs) -> list[Thing]:
        """Buttons with a sign that the search for text has missed, and fields that are empty."""
        places: list[tuple[Box, Box]] = []
        made: list[Thing] = []
        for box in self.empty:
            ink = self._ink(box)
            if ink is None:
                if box.width >= 2 * box.height and self._light(box):
                    made.append(Thing("textbox", "", box, states=frozenset(("editable",))))
            elif _arrow(ink, box):
                made.append(Thing("combobox", "", box, states=frozenset(("haspopup",))))
            elif abs(ink.center.x - box.center.x) <= 0.2 * box.width and box.width <= WIDEST_BUTTON:
                places.append((box, grown(ink, 4, box)))
        read = glyphs([place for _, place in places])
        return made + [Thing("button", text, box) for (box, _), text in zip(places, read, strict=True)]

    def _one_line(self, box: Box) -> list[Thing]:
        inside = [line for line in self.lines if box.contains(line.box.center)]
        if not inside:
            self.empty.append(box)
            return []
        if any(line in self.used for line in inside):
            return []
        text = around([line.box for line in inside])
        words = " ".join(line.text for line in sorted(inside, key=lambda one: one.box.left))
        left, right = text.left - box.left, box.right - text.right
        arrow = any(_arrow(one, box) for one in self.small if box.contains(one.center))
        if text.height > box.height + 4 or (len(inside) > 1 and box.width > WIDEST_BUTTON / 2):
            return []
        if abs(left - right) <= max(8, 0.12 * box.width) and box.width <= WIDEST_BUTTON:
            self.used += inside
            if len(words) == 1:
                self.empty.append(box)  # One sign is read better by itself.
                return []
            return [Thing("button", words, box, source="vision+ocr")]
        if arrow and left < box.height:
            self.used += inside
            states = frozenset(("haspopup",))
            return [Thing("combobox", "", box, words, states, "vision+ocr")]
        if min(left, right) <= 0.6 * box.height and self._light(box):
            self.used += inside
            return [Thing("textbox", "", box, words, frozenset(("editable",)), "vision+ocr")]
        return []

    def _area(self, box: Box) -> list[Thing]:
        inner = _inset(box, 4)
        if inner is None or not self._light(inner) or self._ink_share(inner) > 0.3:
            return []
        if sum(inner.encloses(one) for one in self.small) > 4:
            return []
        inside = [line for line in self.lines if inner.contains(line.box.center)]
        value = "\n".join(line.text for line in sorted(inside, key=lambda one: (one.box.top, one.box.left)))
        return [Thing("textbox", "", box, value, frozenset(("editable", "multiline")))]

    def _on_right(self, box: Box) -> Line | None:
        beside = [
            line
            for line in self.lines
            if -box.width - 8 <= line.box.left - box.right <= BESIDE
            and line.box.right > box.right + box.width / 2
            and line.box.top <= box.center.y < line.box.bottom
        ]
        return min(beside, key=lambda line: line.box.left, default=None)

    def _cut(self, box: Box) -> Grey:
        return self.grey[box.top : box.bottom, box.left : box.right]

    def _ink_share(self, box: Box) -> float:
        return float(ink_of(self._cut(box)).mean())

    def _plain(self, box: Box) -> bool:
        return bool(self._cut(box).std() < 6)

    def _light(self, box: Box) -> bool:
        middle = _inset(box, 3)
        return middle is not None and float(np.median(self._cut(middle))) >= LIGHT

    def _ink(self, box: Box) -> Box | None:
        """The box of what is drawn inside an outline; None when there is nothing."""
        inside = _inset(box, 4)
        if inside is None:
            return None
        rows, columns = ink_of(self._cut(inside)).nonzero()
        if not len(rows):
            return None
        left, top = int(columns.min()), int(rows.min())
        size = int(columns.max()) - left + 1, int(rows.max()) - top + 1
        return Box(inside.left + left, inside.top + top, *size)


def _fits_a_line(box: Box) -> bool:
    """Whether an outline is as high as a button or field; a key of a calculator may be as high as wide."""
    highest = HIGHEST if box.width > 2 * HIGHEST else HIGHEST_KEY
    return LOWEST <= box.height <= highest and box.width >= LOWEST


def _tick_size(box: Box) -> bool:
    return (
        TICK[0] <= min(box.width, box.height)
        and max(box.width, box.height) <= TICK[1]
        and abs(box.width - box.height) <= 2
    )


def _arrow(ink: Box, box: Box) -> bool:
    """Whether something drawn is as small as an arrow and at the right end of a wide box."""
    small = ink.width <= 20 and ink.height <= 16
    return small and box.width >= 2 * box.height and box.right - ink.center.x <= 1.2 * box.height


def _inset(box: Box, by: int) -> Box | None:
    if box.width <= 2 * by or box.height <= 2 * by:
        return None
    return Box(box.left + by, box.top + by, box.width - 2 * by, box.height - 2 * by)


def _labelled(thing: Thing, texts: Sequence[Thing]) -> Thing:
    """A field with the text on its left, or right above it, as its name."""
    if thing.name or thing.role not in ("textbox", "combobox") or "multiline" in thing.states:
        return thing
    box = thing.box
    on_left = [
        text
        for text in texts
        if -4 <= box.left - text.box.right <= LABEL and text.box.top <= box.center.y < text.box.bottom
    ]
    above = [
        text
        for text in texts
        if -2 <= box.top - text.box.bottom <= text.box.height and abs(text.box.left - box.left) <= box.height
    ]
    over = [
        text for text in above if not any(_same_row(text, other) and _crosses(other, box) for other in texts)
    ]
    nearest = max(on_left, key=lambda text: text.box.right, default=None) or next(iter(over), None)
    return replace(thing, name=nearest.name.rstrip(" :*")) if nearest else thing


def _same_row(text: Thing, other: Thing) -> bool:
    return other is not text and other.box.top <= text.box.center.y < other.box.bottom


def _crosses(text: Thing, box: Box) -> bool:
    """Whether a text stands somewhere over the width of a box."""
    return text.box.left < box.right and box.left < text.box.right
