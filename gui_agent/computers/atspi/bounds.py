"""Converts coordinates reported by programs to screen coordinates, corrected for windows and clips."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, starmap
from operator import itemgetter
from typing import Any

from gui_agent.computers.atspi.bus import Bus, Reference, answers_of, ask, attribute, method, reference
from gui_agent.computers.atspi.program import AccessibleProgram
from gui_agent.computers.atspi.vocabulary import (
    HOLDING,
    MEASURED,
    OF_MENUS,
    OPERABLE,
    TELLING,
    TYPED_INTO,
    AccessibleItem,
    Role,
    State,
    Tree,
)
from gui_agent.computers.desktop.parts import Window
from gui_agent.core.observation import Box

_SCALES = (1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
_RIM = 16
"""Maximum pixels between a menu and its content."""
_PIECES = 6
"""Maximum rectangles to track when several others cover a box."""
_NEAR = 0.04
"""Maximum relative deviation of a window's size from its scaled reported size."""


@dataclass(frozen=True, slots=True)
class Placing:
    """The conversion of a program's coordinates to screen pixels: scale, then offset."""

    scale: float = 1.0
    x: int = 0
    y: int = 0

    def box(self, box: Box) -> Box:
        """A box in the program's coordinates as a box on the screen."""
        if self.scale == 1.0:
            return box.shift(self.x, self.y)
        return Box(*(round(side * self.scale) for side in box.measures)).shift(self.x, self.y)


def window_of(
    top: AccessibleItem, box: Box | None, windows: Sequence[Window], others: Collection[str] = ()
) -> Window | None:
    """The screen window of an accessible window, matched by title, then by position.

    Args:
        others: titles of the program's other accessible windows, which cannot match. A new dialog
            briefly has no title and usually lies over its program's main window.
    """
    titled = [window for window in windows if top.name and window.title == top.name]
    if len(titled) == 1 or (titled and box is None):
        return titled[-1]
    windows = [window for window in windows if window.title not in others]
    if box is None:
        return windows[-1] if len(windows) == 1 else None
    best = max(titled or windows, key=lambda window: window.box.iou(box), default=None)
    return best if best is not None and (titled or best.box.iou(box) > 0.5) else None


def placing_of(box: Box | None, window: Window | None, relative: bool) -> Placing:
    """The conversion of an accessible window's coordinates to screen coordinates.

    Args:
        box: of the accessible window, as the program reports it.
        relative: coordinates are relative to the window's corner, including its shadow (GTK 4).
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


def holders(tree: Tree) -> list[AccessibleItem]:
    """LibreOffice's root panes and their containers, which show the coordinate errors of the panes."""
    panes = _claimed_panes(tree)
    return [*panes, *(tree.claims[pane.at] for pane in panes)]


def _claimed_panes(tree: Tree) -> list[AccessibleItem]:
    return [item for item in tree.items.values() if item.role == Role.ROOT_PANE and item.at in tree.claims]


def origin_errors(tree: Tree, boxes: Mapping[Reference, Box]) -> dict[Reference, tuple[int, int]]:
    """The error (px) in the reported positions of LibreOffice's root panes.

    LibreOffice draws its own tree into a toolkit panel. The toolkit knows the panel's position, but
    LibreOffice's own value is outdated after the window manager moves or enlarges the window. Toolkit
    elements inside the pane report correct positions.
    """
    found = dict.fromkeys(tree.adopted, (0, 0))
    for pane in _claimed_panes(tree):
        told, real = boxes.get(pane.at), boxes.get(tree.claims[pane.at].at)
        if told and real:
            found[pane.at] = (real.left - told.left, real.top - told.top)
    return found


def is_filled_by(boxes: Sequence[Box], popups: Iterable[Box]) -> bool:
    """Whether the union of some boxes has the size of a popup and is inside it."""
    if not boxes:
        return False
    whole = Box.hull(boxes)
    return any(_fits_at(whole, popup) for popup in popups)


def _fits_at(box: Box, popup: Box) -> bool:
    return popup.grow(_RIM).encloses(box) and box.grow(_RIM).encloses(popup)


def visible_part(box: Box, inside: Iterable[Box], covers: Iterable[Box]) -> Box | None:
    """The largest rectangle of a box that is inside all clips and under no cover."""
    whole: Box | None = box
    for limit in inside:
        whole = whole.intersect(limit) if whole is not None else None
    if whole is None:
        return None
    pieces = [whole]
    for cover in covers:
        parts = chain.from_iterable(_pieces_beside(piece, cover) for piece in pieces)
        pieces = sorted(parts, key=lambda part: -part.area)[:_PIECES]
    return max(pieces, key=lambda piece: piece.area, default=None)


def _pieces_beside(box: Box, cover: Box) -> list[Box]:
    """The (overlapping) rectangles of a box that a cover leaves visible."""
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


LONG = 10_000
"""Maximum characters to read of a text: the first ones, or the last ones of a terminal."""
OF_SCREEN, OF_WINDOW = 0, 1
"""The reference of coordinates."""
_LABELLED_BY = 2
_LABELLED = OPERABLE | MEASURED | HOLDING


@dataclass(frozen=True, slots=True)
class Action:
    """An action that an object offers without the pointer."""

    name: str
    keys: str
    """Key bindings, `;`-separated, as the toolkit reports them."""


@dataclass(frozen=True, slots=True)
class Details:
    """Facts about the objects of one program that the bulk reading does not include."""

    boxes: dict[Reference, Box] = field(default_factory=dict)
    values: dict[Reference, str] = field(default_factory=dict)
    labels: dict[Reference, str] = field(default_factory=dict)
    actions: dict[Reference, tuple[Action, ...]] = field(default_factory=dict)


class Remembered:
    """A cache of facts that do not change while an object exists: its labels and its actions."""

    def __init__(self) -> None:
        self._known: defaultdict[str, dict[Reference, Any]] = defaultdict(dict)
        """Answers by requested member."""

    async def labels(self, bus: Bus, tree: Tree, items: Iterable[AccessibleItem]) -> dict[Reference, str]:
        # A drop-down list reports the chosen option as its name.
        lacking = [item for item in items if not item.name or item.role == Role.COMBO_BOX]
        wanted = [item.at for item in lacking if item.role in _LABELLED]
        labels: dict[Reference, list[Reference]] = {}
        for at, relations in (await self._recall(bus, wanted, "Accessible", "GetRelationSet")).items():
            told = chain.from_iterable(targets for kind, targets in relations if kind == _LABELLED_BY)
            labels[at] = [one for one in map(reference, told) if one in tree.items]
        return {
            at: text for at, targets in labels.items() if (text := _label_text(tree, at, targets, labels))
        }

    async def actions(self, bus: Bus, items: Iterable[AccessibleItem]) -> dict[Reference, tuple[Action, ...]]:
        wanted = [item.at for item in items if item.role in OPERABLE and item.offers("Action")]
        told = await self._recall(bus, wanted, "Action", "GetActions")
        return {at: tuple(starmap(Action, map(itemgetter(0, 2), actions))) for at, actions in told.items()}

    async def _recall(
        self, bus: Bus, wanted: Sequence[Reference], interface: str, member: str
    ) -> dict[Reference, Any]:
        """The answers of objects, each asked only once; objects that do not answer are missing."""
        known = self._known[member]
        new = [at for at in wanted if at not in known]
        known |= dict.fromkeys(new, ()) | await answers_of(bus, new, method(interface, member))
        return {at: known[at] for at in wanted}

    def forget_all_but(self, living: Container[Reference]) -> None:
        """Drop the facts about objects that no longer exist."""
        for member, known in self._known.items():
            self._known[member] = {at: answer for at, answer in known.items() if at in living}


def _label_text(
    tree: Tree, at: Reference, targets: Sequence[Reference], labels: Mapping[Reference, Sequence[Reference]]
) -> str:
    """The text of an object's labels, without the title of a group that holds others too.

    In Qt, such a title labels all that the group holds, besides their own labels.
    """
    used = Counter(chain.from_iterable(labels.values()))
    around = {holder.at for holder in tree.above(tree.items[at]) if used[holder.at] > 1}
    return " ".join(tree.items[one].name for one in targets if one not in around).strip()


async def boxes(
    bus: Bus, items: Iterable[AccessibleItem], relative_to: int = OF_SCREEN
) -> dict[Reference, Box]:
    """The boxes of objects; objects without a position are missing."""
    wanted = [item.at for item in items if item.offers("Component")]
    told = await answers_of(bus, wanted, method("Component", "GetExtents", "u", relative_to))
    return {at: box for at, extents in told.items() if (box := box_of(extents))}


def box_of(extents: Any) -> Box | None:
    """A box from the bus format; None for any of the encodings of "no box"."""
    if extents is None:
        return None
    left, top, width, height = extents
    return Box(left, top, width, height) if width > 0 and height > 0 else None


async def values(bus: Bus, tree: Tree, items: Iterable[AccessibleItem]) -> dict[Reference, str]:
    """The texts of fields, the numbers of numeric objects, the chosen options of drop-down lists."""
    wanted = list(items)
    found = await _texts(bus, [item for item in wanted if item.offers("Text") and _says_more(item)])
    rest = [item for item in wanted if item.at not in found]
    measured = [item.at for item in rest if item.role in MEASURED and item.offers("Value")]
    numbers = await answers_of(bus, measured, attribute("Value", "CurrentValue"))
    found |= {at: f"{number:.6g}" for at, number in numbers.items()}
    if tree.gtk4:
        return found | _labels_in_dropdowns(tree, wanted)
    return found | await _chosen_options(bus, tree, [item for item in rest if item.role == Role.COMBO_BOX])


def _labels_in_dropdowns(tree: Tree, items: Iterable[AccessibleItem]) -> dict[Reference, str]:
    """The chosen options of GTK 4 drop-down lists, which show them as labels."""
    labels = (item for item in items if item.role == Role.LABEL and item.name)
    return {held.at: label.name for label in labels if (held := tree.dropdown(label))}


def _says_more(item: AccessibleItem) -> bool:
    if item.role in TYPED_INTO or item.has(State.EDITABLE):
        return True
    return not item.name and item.role in TELLING


async def _texts(bus: Bus, items: Sequence[AccessibleItem]) -> dict[Reference, str]:
    counts = await answers_of(bus, (item.at for item in items), attribute("Text", "CharacterCount"))
    spans = {item.at: _span(item, counts.get(item.at)) for item in items}
    return await answers_of(bus, spans, lambda at: ask(at, "Text", "GetText", "ii", *spans[at]))


def _span(item: AccessibleItem, count: int | None) -> tuple[int, int]:
    length = max(0, count or 0)
    if item.role == Role.TERMINAL:
        return max(0, length - LONG), length
    return 0, min(length, LONG)


async def _chosen_options(bus: Bus, tree: Tree, lists: Sequence[AccessibleItem]) -> dict[Reference, str]:
    """The chosen options of drop-down lists: the text inside, the chosen child, or the list's name."""
    fields: dict[Reference, AccessibleItem] = {}
    found: dict[Reference, str] = {}
    closed: list[Reference] = []
    for item in lists:
        kids = tree.children[item.at]
        options = list(chain.from_iterable(tree.children[kid.at] for kid in kids))
        found[item.at] = next((one.name for one in options if one.has(State.SELECTED)), item.name)
        if field := next((kid for kid in kids if kid.role in TYPED_INTO), None):
            fields[item.at] = field
        elif not options and item.count == 1:
            closed.append(item.at)
    selecting = [item.at for item in lists if item.at not in fields and item.offers("Selection")]
    # If a browser names lists by their labels, the invisible menu of the closed list has the chosen option.
    menus = await answers_of(bus, closed, method("Accessible", "GetChildAtIndex", "i", 0))
    found |= await _chosen_names(bus, menus)
    found |= await _chosen_names(bus, dict(zip(selecting, selecting, strict=True)))
    typed = await _texts(bus, list(fields.values()))
    return found | {at: typed[field.at] for at, field in fields.items() if field.at in typed}


async def _chosen_names(bus: Bus, told: Mapping[Reference, Any]) -> dict[Reference, str]:
    """The names of the chosen options, from the selected children of each list."""
    holders = {at: holder for at, one in told.items() if (holder := reference(one))}
    chosen = await answers_of(bus, holders.values(), method("Selection", "GetSelectedChild", "i", 0))
    entries = {at: entry for at, held in holders.items() if (entry := reference(chosen.get(held)))}
    names = await answers_of(bus, entries.values(), attribute("Accessible", "Name"))
    return {at: names[entry] for at, entry in entries.items() if names.get(entry)}


_JAVA = "J2SE-access-bridge"
RIM = 12
"""Maximum difference (px) between a popover's size and its window's, which may include an arrow."""
SMALL = 3
"""Pixels; smaller boxes cannot be pointed at. A strip below twice this size cannot either (a closing bar)."""


@dataclass(frozen=True, slots=True)
class WindowLayout:
    """The windows of the screen, and the positions of one program's accessible windows."""

    windows: Sequence[Window]
    """All windows, lowest first."""
    own: Sequence[Window]
    """The program's windows."""
    seats: dict[Reference, tuple[Window | None, Placing]] = field(default_factory=dict)
    """For each accessible window, its screen window and the conversion of its coordinates."""
    popped: dict[Reference, tuple[Window | None, Placing]] = field(default_factory=dict)
    """For each GTK 4 popover, its window (None until it has a size) and the conversion of coordinates."""
    inside: bool = False
    """Whether menus may be drawn inside the window without a window of their own, as pages do."""
    moved: dict[Reference, tuple[int, int]] = field(default_factory=dict)
    """The error (px) in the reported positions of root panes."""

    @classmethod
    def from_program(
        cls,
        program: AccessibleProgram,
        tree: Tree,
        details: Details,
        windows: Sequence[Window],
        own: Sequence[Window],
    ) -> WindowLayout:
        """Match the accessible windows to the screen's windows."""
        seats = {}
        tops = {item.at: item for item in map(tree.toplevel, tree.items.values()) if item}.values()
        for top in tops:
            box = details.boxes.get(top.at)
            window = window_of(top, box, own, {one.name for one in tops if one.name not in ("", top.name)})
            seats[top.at] = window, placing_of(box, window, program.relative)
        seen = cls(
            windows, own, seats, moved=origin_errors(tree, details.boxes), inside=program.toolkit == _JAVA
        )
        if seen.inside:
            seen.moved.update(_displacements(tree, details.boxes))
        popups = [one for one in own if one.popup]
        for at in tree.popovers & details.boxes.keys():
            box = details.boxes[at]
            window = next((one for one in popups if _fits(box, one.box)), None)
            seen.popped[at] = window, Placing(1.0, *_shift(box, window.box)) if window else Placing()
        return seen

    def shift(self, tree: Tree, item: AccessibleItem) -> tuple[int, int]:
        """The error (px) in an object's reported position, in addition to its window's conversion."""
        if not self.moved:
            return 0, 0
        chain = (item, *tree.above(item))
        return next((self.moved[each.at] for each in chain if each.at in self.moved), (0, 0))

    def seat(self, tree: Tree, item: AccessibleItem) -> tuple[Window | None, Placing]:
        """The window of an object's nearest container with its own window, and the conversion in it."""
        if self.popped:
            for each in (item, *tree.above(item)):
                if each.at in self.popped:
                    return self.popped[each.at]
        top = tree.toplevel(item)
        return self.seats.get(top.at, (None, Placing())) if top else (None, Placing())

    def real(self, tree: Tree, item: AccessibleItem, box: Box) -> Box:
        _, placing = self.seat(tree, item)
        return placing.box(box.shift(*self.shift(tree, item)))

    def window(self, tree: Tree, item: AccessibleItem, box: Box) -> Window | None:
        """The window that an object is in; None if it is in no visible window."""
        if tree.popovers and any(each.at in tree.popovers for each in (item, *tree.above(item))):
            return self.seat(tree, item)[0] if self.popped else None
        there = [window for window in reversed(self.own) if window.box.contains(box.center)]
        if in_popup(tree, item):
            popup = next((window for window in there if window.popup), None)
            in_page = any(above.role == Role.DOCUMENT_WEB for above in tree.above(item))
            if popup is not None or not (self.inside or in_page):
                return popup
        return self.seat(tree, item)[0] or next(iter(there), None)

    def visible_part(self, box: Box, window: Window, inside: Sequence[Box] = ()) -> Box | None:
        """The part of a box that nothing covers; None if too little is left."""
        above = self.windows[self.windows.index(window) + 1 :]
        part = visible_part(box, (window.box, *inside), (other.whole for other in above))
        if part is None or part.width < min(2 * SMALL, box.width) or part.height < min(2 * SMALL, box.height):
            return None
        return part


def _displacements(tree: Tree, boxes: Mapping[Reference, Box]) -> dict[Reference, tuple[int, int]]:
    """The errors (px) in the reported positions of Java menu items, from the menu's own correct position."""
    menus = [boxes[at] for at, item in tree.items.items() if item.role == Role.POPUP_MENU and at in boxes]
    found = {}
    for group in groups_in_popups(tree, tree.items.values()).values():
        placed = places_of(group, boxes)
        whole = Box.hull(placed) if placed else None
        if whole and (shifts := [_shift(whole, menu) for menu in menus if _fits(whole, menu)]):
            nearest = min(shifts, key=lambda shift: abs(shift[0]) + abs(shift[1]))
            found.update(dict.fromkeys((item.at for item in group), nearest))
    return found


def places_of(items: Iterable[AccessibleItem], boxes: Mapping[Reference, Box]) -> list[Box]:
    """The known boxes of some objects."""
    return [boxes[item.at] for item in items if item.at in boxes]


def _fits(told: Box, real: Box) -> bool:
    return abs(real.width - told.width) <= RIM and abs(real.height - told.height) <= RIM


def _shift(told: Box, real: Box) -> tuple[int, int]:
    return real.center.x - told.center.x, real.center.y - told.center.y


def in_popup(tree: Tree, item: AccessibleItem) -> bool:
    """Whether an object is in a menu or drop-down list with its own window."""
    above = next(iter(tree.above(item)), None)
    return above is not None and (
        above.role in (Role.MENU, Role.POPUP_MENU)
        or (
            above.role in (Role.LIST, Role.TREE_TABLE, Role.WINDOW)
            and any(a.role in (Role.COMBO_BOX, Role.POPUP_MENU, Role.MENU) for a in tree.above(above))
        )
    )


def groups_in_popups(tree: Tree, items: Iterable[AccessibleItem]) -> dict[Reference, list[AccessibleItem]]:
    groups: dict[Reference, list[AccessibleItem]] = {}
    for item in items:
        if item.role in OF_MENUS and in_popup(tree, item):
            groups.setdefault(item.parent, []).append(item)
    return groups
