"""Controls from what the network sees, with the texts in or beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from eyes.network import Detector, SeenControl, words_for
from gui_agent.computers.vision.controls import AREA, EDITABLE, as_cells, edges, with_label
from gui_agent.computers.vision.detection import DetectedControl, Grey, Pixels, cut
from gui_agent.computers.vision.ocr import TextLine, TextReader
from gui_agent.core.observation import Box
from gui_agent.elements.roles import BOXES, FIELDS

SIGNED = ("button", "icon", "tab")
INSIDE = 0.6
"""Share of a text's area in a box from which on it belongs to that."""
ACROSS = (0.04, 0.9)
"""Shares of a text's area in a box between which it runs across the edge."""
EDGE = 3
"""Pixels of an outline and its shadow."""


@dataclass(frozen=True, slots=True)
class Seen(DetectedControl):
    """A control or text, with what its icon shows."""

    icon: str = ""
    """What people call a control with this icon, if it has no text."""


def named_controls(
    found: Sequence[SeenControl],
    lines: Iterable[TextLine],
    pixels: Pixels,
    reader: TextReader,
    detector: Detector,
) -> list[Seen]:
    """Controls and texts in reading order; a text that became a name or value is not listed again."""
    left = _cut_at_edges(lines, found, pixels, reader)
    made: list[Seen] = []
    for one in sorted(found, key=lambda one: one.box.area):
        texts = _texts_of(one, left)
        if one.role != "link" or texts:
            left = [line for line in left if line not in texts]
            made.append(_control(one, texts))
    _name_by_signs(made, pixels, reader, detector)
    loose = [Seen("text", one.text, one.box, source="ocr") for one in left]
    named = [with_label(one, loose) for one in made]
    return sorted((*named, *loose), key=lambda one: (one.box.center.y // 8, one.box.left))


def _name_by_signs(made: list[Seen], pixels: Pixels, reader: TextReader, detector: Detector) -> None:
    """Give buttons with a single sign this sign, and those with an icon the words for it."""
    places = [n for n, one in enumerate(made) if one.role in SIGNED and len(one.name) <= 1]
    boxes = [made[place].box for place in places]
    icons = detector.icons(pixels, boxes)
    signs = reader.glyphs(pixels, [box.grow(-EDGE) for box in boxes])
    for place, icon, sign in zip(places, icons, signs, strict=True):
        if sign and not (icon and sign.isalpha()):
            made[place] = replace(made[place], name=sign)
        elif icon:
            made[place] = replace(made[place], name="", icon=words_for(icon))


def _texts_of(one: SeenControl, lines: Sequence[TextLine]) -> list[TextLine]:
    """The texts in a control; of a tick the one beside it. In reading order."""
    if one.role in BOXES:
        beside = [line for line in lines if _is_beside(line.box, one.box)]
        return sorted(beside, key=lambda line: line.box.left)[:1]
    inside = [line for line in lines if _share_in(line.box, one.box) > INSIDE]
    return sorted(inside, key=lambda line: (line.box.center.y // 8, line.box.left))


def _control(one: SeenControl, texts: Sequence[TextLine]) -> Seen:
    """A control with its texts: as the value of a field that holds one, else as its name."""
    source = "vision+ocr" if texts else "vision"
    states = one.states - {"filled", "expanded"}
    if one.role not in FIELDS:
        role = "menuitem" if one.role == "item" else one.role
        return Seen(role, " ".join(line.text for line in texts), one.box, "", states, source)
    states |= {"haspopup" if one.role == "combobox" else "editable"}
    if one.role == "textbox" and one.box.width >= AREA[0] and one.box.height >= AREA[1]:
        states |= {"multiline"}
    text = "\n".join(line.text for line in texts)
    holds = one.role != "textbox" or "filled" in one.states
    name, value = ("", text) if holds else (text, "")
    return Seen(one.role, name, one.box, value, states, source)


def _cut_at_edges(
    lines: Iterable[TextLine], found: Sequence[SeenControl], pixels: Pixels, reader: TextReader
) -> list[TextLine]:
    """The lines; those that run across the edge of a field, tick or icon are read again in pieces."""
    kept = list(lines)
    for one in found:
        if one.role not in FIELDS | BOXES | {"icon"}:
            continue
        across = [line for line in kept if ACROSS[0] < _share_in(line.box, one.box) < ACROSS[1]]
        pieces = list(chain.from_iterable(_pieces(line.box, one) for line in across))
        kept = [line for line in kept if line not in across] + _read_lines(reader, pixels, pieces)
    return kept


def _pieces(line: Box, control: SeenControl) -> Iterator[Box]:
    """A line before a control, inside it if that holds text, and after it."""
    box = control.box
    ends = [(line.left, box.left - 1), (box.right + 2, line.right)]
    if control.role in FIELDS:
        ends.append((max(line.left, box.left + EDGE), min(line.right, box.right - EDGE)))
    for left, right in ends:
        if right - left > 2 * EDGE:
            yield Box.from_edges(left, line.top, right, line.bottom)


def _is_beside(text: Box, tick: Box) -> bool:
    return -EDGE <= text.left - tick.right <= max(16, tick.height) and tick.center.y in text.rows


def _share_in(box: Box, other: Box) -> float:
    """The share of a box's area that is in another one."""
    both = box.intersect(other)
    return both.area / box.area if both is not None else 0.0


def _read_lines(reader: TextReader, pixels: Pixels, boxes: Sequence[Box]) -> list[TextLine]:
    read = reader._read([cut(pixels, box) for box in boxes])
    return [TextLine(text, box, sure) for box, (text, sure) in zip(boxes, read, strict=True) if text]


def sheet_cells(grey: Grey, lines: Sequence[TextLine]) -> list[DetectedControl]:
    """The cells of a sheet whose columns have letters and whose rows have numbers, as `B3`."""
    outlined = [DetectedControl("textbox", "", box, states=EDITABLE) for box in edges(grey).rectangles]
    named = [one for one in as_cells(outlined, lines) if one.role == "gridcell" and one.name]
    return [replace(one, value=_text_in(one.box, lines)) for one in named]


def _text_in(box: Box, lines: Sequence[TextLine]) -> str:
    return " ".join(line.text for line in lines if box.contains(line.box.center))
