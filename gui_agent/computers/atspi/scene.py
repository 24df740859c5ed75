"""Where the windows of a program lie on the screen, and in which of them an object is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gui_agent.computers.atspi.bounds import (
    Details,
    Placing,
    around,
    mistaken,
    placing_of,
    visible_part,
    window_of,
)
from gui_agent.computers.atspi.bus import Reference
from gui_agent.computers.atspi.items import AccessibleItem, Tree
from gui_agent.computers.atspi.program import AccessibleProgram
from gui_agent.computers.atspi.vocabulary import OF_MENUS, Role
from gui_agent.computers.desktop.parts import Window
from gui_agent.core.geometry import Box

_JAVA = "J2SE-access-bridge"
RIM = 12
"""Pixels by which a popover may differ in size from the window it is shown in, which may have an arrow."""
SMALL = 3
"""Pixels; what is smaller cannot be pointed at."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The windows of the screen, and how the accessible windows of one program lie on it."""

    windows: Sequence[Window]
    """All of them, lowest first."""
    own: Sequence[Window]
    """Those of the program."""
    seats: dict[Reference, tuple[Window | None, Placing]] = field(default_factory=dict)
    """Of each accessible window, the window it is, and how its places are told."""
    popped: dict[Reference, tuple[Window | None, Placing]] = field(default_factory=dict)
    """Of popovers of GTK 4 the window each is shown in, None until it has its size, and their places."""
    inside: bool = False
    """Menus may be drawn in the window itself, without one of their own, as pages draw theirs."""
    moved: dict[Reference, tuple[int, int]] = field(default_factory=dict)
    """Of root panes, how far they are from where their places are told."""

    @classmethod
    def of(
        cls,
        program: AccessibleProgram,
        tree: Tree,
        details: Details,
        windows: Sequence[Window],
        own: Sequence[Window],
    ) -> Scene:
        """Find out which accessible window is which window."""
        seats = {}
        tops = {item.at: item for item in map(tree.top, tree.items.values()) if item}.values()
        for top in tops:
            box = details.boxes.get(top.at)
            window = window_of(top, box, own, {one.name for one in tops if one.name not in ("", top.name)})
            seats[top.at] = window, placing_of(box, window, program.relative)
        seen = cls(windows, own, seats, moved=mistaken(tree, details.boxes), inside=program.toolkit == _JAVA)
        if seen.inside:
            seen.moved.update(_displacements(tree, details.boxes))
        popups = [one for one in own if one.popup]
        for at in tree.popovers & details.boxes.keys():
            box = details.boxes[at]
            window = next((one for one in popups if _fits(box, one.box)), None)
            seen.popped[at] = window, Placing(1.0, *_shift(box, window.box)) if window else Placing()
        return seen

    def shift(self, tree: Tree, item: AccessibleItem) -> tuple[int, int]:
        """How far an object is from where the program believes it is, besides what holds for its window."""
        if not self.moved:
            return 0, 0
        chain = (item, *tree.above(item))
        return next((self.moved[each.at] for each in chain if each.at in self.moved), (0, 0))

    def seat(self, tree: Tree, item: AccessibleItem) -> tuple[Window | None, Placing]:
        """The window that the nearest holder with one of its own is in, and how places in it are told."""
        if self.popped:
            for each in (item, *tree.above(item)):
                if each.at in self.popped:
                    return self.popped[each.at]
        top = tree.top(item)
        return self.seats.get(top.at, (None, Placing())) if top else (None, Placing())

    def real(self, tree: Tree, item: AccessibleItem, box: Box) -> Box:
        """Where an object really is."""
        x, y = self.shift(tree, item)
        _, placing = self.seat(tree, item)
        return placing.box(Box(box.left + x, box.top + y, box.width, box.height))

    def window(self, tree: Tree, item: AccessibleItem, box: Box) -> Window | None:
        """The window that an object is in; None when it is in none that is shown."""
        if tree.popovers and any(each.at in tree.popovers for each in (item, *tree.above(item))):
            return self.seat(tree, item)[0] if self.popped else None
        if in_popup(tree, item):
            popup = next((w for w in reversed(self.own) if w.popup and w.box.contains(box.center)), None)
            in_page = any(above.role == Role.DOCUMENT_WEB for above in tree.above(item))
            if popup is not None or not (self.inside or in_page):
                return popup
        window, _ = self.seat(tree, item)
        if window is not None:
            return window
        return next((w for w in reversed(self.own) if w.box.contains(box.center)), None)

    def seen(self, box: Box, window: Window, inside: Sequence[Box] = ()) -> Box | None:
        """The part of a box that nothing covers; None when too little is left."""
        above = self.windows[self.windows.index(window) + 1 :]
        part = visible_part(box, (window.box, *inside), (other.outer or other.box for other in above))
        if part is None or part.width < min(SMALL, box.width) or part.height < min(SMALL, box.height):
            return None
        return part


def _displacements(tree: Tree, boxes: Mapping[Reference, Box]) -> dict[Reference, tuple[int, int]]:
    """How far items of menus in Java are from where they are told; the menu itself knows where it is."""
    menus = [boxes[at] for at, item in tree.items.items() if item.role == Role.POPUP_MENU and at in boxes]
    found = {}
    for group in groups_in_popups(tree, tree.items.values()).values():
        placed = [boxes[item.at] for item in group if item.at in boxes]
        shifts = [_shift(around(placed), menu) for menu in menus if placed and _fits(around(placed), menu)]
        if shifts:
            nearest = min(shifts, key=lambda shift: abs(shift[0]) + abs(shift[1]))
            found.update(dict.fromkeys((item.at for item in group), nearest))
    return found


def _fits(told: Box, real: Box) -> bool:
    return abs(real.width - told.width) <= RIM and abs(real.height - told.height) <= RIM


def _shift(told: Box, real: Box) -> tuple[int, int]:
    return real.center.x - told.center.x, real.center.y - told.center.y


def in_popup(tree: Tree, item: AccessibleItem) -> bool:
    """Whether it is on a menu or drop-down list, which has a window of its own."""
    above = next(iter(tree.above(item)), None)
    return above is not None and (
        above.role in (Role.MENU, Role.POPUP_MENU)
        or (above.role in (Role.LIST, Role.TREE_TABLE, Role.WINDOW) and in_popup_list(tree, above))
    )


def groups_in_popups(tree: Tree, items: Iterable[AccessibleItem]) -> dict[Reference, list[AccessibleItem]]:
    """What is in menus, by the menu."""
    groups: dict[Reference, list[AccessibleItem]] = {}
    for item in items:
        if item.role in OF_MENUS and in_popup(tree, item):
            groups.setdefault(item.parent, []).append(item)
    return groups


def in_popup_list(tree: Tree, item: AccessibleItem) -> bool:
    """Whether a list belongs to a drop-down list that is open."""
    return any(above.role in (Role.COMBO_BOX, Role.POPUP_MENU, Role.MENU) for above in tree.above(item))
