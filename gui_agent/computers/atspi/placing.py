"""Where things really are: programs tell places in coordinates of their own, and some are mistaken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gui_agent.computers.atspi.bus import Reference
from gui_agent.computers.atspi.items import Item, Tree
from gui_agent.computers.atspi.vocabulary import Role
from gui_agent.computers.desktop.parts import Window
from gui_agent.core.geometry import Box

_SCALES = (1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
_RIM = 16
"""Pixels between a menu and what is in it."""
_PIECES = 6
"""Rectangles that are followed when a box is covered by several others."""
_NEAR = 0.04
"""How much a window's size may differ from a scale times what the program believes."""


@dataclass(frozen=True, slots=True)
class Placing:
    """How a program's coordinates become pixels of the screen: first stretched, then moved."""

    scale: float = 1.0
    x: int = 0
    y: int = 0

    def box(self, box: Box) -> Box:
        """A place of the program as a place on the screen."""
        if self.scale == 1.0:
            return Box(box.left + self.x, box.top + self.y, box.width, box.height)
        left, top = round(box.left * self.scale) + self.x, round(box.top * self.scale) + self.y
        return Box(left, top, round(box.width * self.scale), round(box.height * self.scale))


def window_of(
    top: Item, box: Box | None, windows: Sequence[Window], others: Collection[str] = ()
) -> Window | None:
    """The window on the screen that an accessible window is: by its title, then by its place.

    Args:
        others: titles of the program's other accessible windows, whose windows it cannot be. A new dialog
            has no title for a moment, and mostly lies where its program's main window is.
    """
    titled = [window for window in windows if top.name and window.title == top.name]
    if len(titled) == 1 or (titled and box is None):
        return titled[-1]
    windows = [window for window in windows if not window.title or window.title not in others]
    if box is None:
        return windows[-1] if len(windows) == 1 else None
    best = max(titled or windows, key=lambda window: window.box.iou(box), default=None)
    return best if best is not None and (titled or best.box.iou(box) > 0.5) else None


def placing_of(box: Box | None, window: Window | None, relative: bool) -> Placing:
    """How places in an accessible window become places on the screen.

    Args:
        box: of the accessible window, as the program tells it.
        relative: places are told from the corner of the window, with its shadow as a part of it (GTK 4).
    """
    if box is None or window is None:
        return Placing()
    scale = _scale(box, window.box)
    if not relative:
        return Placing(scale)
    width, height = round(box.width * scale), round(box.height * scale)
    return Placing(
        scale,
        window.box.left + (window.box.width - width) // 2 - round(box.left * scale),
        window.box.top + (window.box.height - height) // 2 - round(box.top * scale),
    )


def _scale(told: Box, real: Box) -> float:
    for scale in _SCALES:
        if (
            abs(real.width - told.width * scale) <= _NEAR * real.width
            and abs(real.height - told.height * scale) <= _NEAR * real.height
        ):
            return scale
    return 1.0


def holders(tree: Tree) -> list[Item]:
    """The root panes of LibreOffice, each followed by what holds it: known to tell how far it is mistaken."""
    panes = [item for item in tree.items.values() if item.role == Role.ROOT_PANE and item.at in tree.claims]
    return [item for pane in panes for item in (pane, tree.claims[pane.at])]


def mistaken(tree: Tree, boxes: Mapping[Reference, Box]) -> dict[Reference, tuple[int, int]]:
    """How far root panes of LibreOffice are from where their places are told.

    LibreOffice draws its own tree into a panel of the toolkit, which knows where it is; its own idea of it
    stays behind when the window manager moves or enlarges the window. Parts of the toolkit inside of the
    pane know their own places.
    """
    found = dict.fromkeys(tree.adopted, (0, 0))
    for pane, holder in zip(*[iter(holders(tree))] * 2, strict=True):
        told, real = boxes.get(pane.at), boxes.get(holder.at)
        if told and real:
            found[pane.at] = (real.left - told.left, real.top - told.top)
    return found


def fills(boxes: Sequence[Box], popups: Iterable[Box]) -> bool:
    """Whether things together are as large as a popup, and in it."""
    if not boxes:
        return False
    around = (
        *(min(box.left for box in boxes), min(box.top for box in boxes)),
        *(max(box.right for box in boxes), max(box.bottom for box in boxes)),
    )
    return any(
        all(
            abs(edge - other) <= _RIM
            for edge, other in zip(around, (popup.left, popup.top, popup.right, popup.bottom), strict=True)
        )
        for popup in popups
    )


def visible_part(box: Box, inside: Iterable[Box], covers: Iterable[Box]) -> Box | None:
    """The largest rectangle of a box that is inside of all of some boxes and under none of others."""
    whole: Box | None = box
    for limit in inside:
        whole = whole.intersect(limit) if whole is not None else None
    if whole is None:
        return None
    pieces = [whole]
    for cover in covers:
        parts = (part for piece in pieces for part in _without(piece, cover))
        pieces = sorted(parts, key=lambda part: -part.area)[:_PIECES]
    return max(pieces, key=lambda piece: piece.area, default=None)


def _without(box: Box, cover: Box) -> list[Box]:
    """The (overlapping) rectangles that are left of a box beside a cover."""
    common = box.intersect(cover)
    if common is None:
        return [box]
    sides = (
        Box(box.left, box.top, box.width, common.top - box.top),
        Box(box.left, common.bottom, box.width, box.bottom - common.bottom),
        Box(box.left, box.top, common.left - box.left, box.height),
        Box(common.right, box.top, box.right - common.right, box.height),
    )
    return [side for side in sides if side.width > 0 and side.height > 0]
