"""Where things really are: toolkits tell places that have to be set right by windows, clips and menus."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gui_agent.computers.atspi.bus import Bus, Reference, ask, get
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
            return box.shift(self.x, self.y)
        return Box(*(round(side * self.scale) for side in box.measures)).shift(self.x, self.y)


def window_of(
    top: AccessibleItem, box: Box | None, windows: Sequence[Window], others: Collection[str] = ()
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


def holders(tree: Tree) -> list[AccessibleItem]:
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
    edges = Box.hull(boxes).edges
    return any(
        all(abs(edge - other) <= _RIM for edge, other in zip(edges, popup.edges, strict=True))
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


LONG = 10_000
"""Characters of a text that are read: the first ones, of a terminal the last ones."""
OF_SCREEN, OF_WINDOW = 0, 1
"""What places are relative to."""
_LABELLED_BY = 2
_LABELLED = OPERABLE | MEASURED | HOLDING


@dataclass(frozen=True, slots=True)
class Action:
    """What can be done to an object without the pointer."""

    name: str
    keys: str
    """Key bindings, `;`-separated, as the toolkit writes them."""


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of the objects of one program besides the bulk reading."""

    boxes: dict[Reference, Box] = field(default_factory=dict)
    values: dict[Reference, str] = field(default_factory=dict)
    labels: dict[Reference, str] = field(default_factory=dict)
    actions: dict[Reference, tuple[Action, ...]] = field(default_factory=dict)


class Remembered:
    """What does not change in the life of an object: what labels it, and what can be done to it."""

    def __init__(self) -> None:
        self._labels: dict[Reference, Sequence[Reference]] = {}
        self._actions: dict[Reference, tuple[Action, ...]] = {}

    async def labels(self, bus: Bus, tree: Tree, items: Iterable[AccessibleItem]) -> dict[Reference, str]:
        # A drop-down list says as its name what is chosen.
        lacking = [item for item in items if not item.name or item.role == Role.COMBO_BOX]
        wanted = [item for item in lacking if item.role in _LABELLED]
        unknown = [item for item in wanted if item.at not in self._labels]
        answers = await bus.many(ask(item.at, "Accessible", "GetRelationSet") for item in unknown)
        for item, relations in zip(unknown, answers, strict=True):
            self._labels[item.at] = [
                (name, path)
                for kind, targets in relations or ()
                if kind == _LABELLED_BY
                for name, path in targets
            ]
        texts = {}
        for item in wanted:
            named = (tree.items[at].name for at in self._labels[item.at] if at in tree.items)
            if text := " ".join(filter(None, named)):
                texts[item.at] = text
        return texts

    async def actions(self, bus: Bus, items: Iterable[AccessibleItem]) -> dict[Reference, tuple[Action, ...]]:
        wanted = [item for item in items if item.role in OPERABLE and item.offers("Action")]
        unknown = [item for item in wanted if item.at not in self._actions]
        answers = await bus.many(ask(item.at, "Action", "GetActions") for item in unknown)
        for item, actions in zip(unknown, answers, strict=True):
            self._actions[item.at] = tuple(Action(name, keys) for name, _, keys in actions or ())
        return {item.at: self._actions[item.at] for item in wanted}

    def forget_all_but(self, living: Iterable[Reference]) -> None:
        """Drop what is gone."""
        kept = set(living)
        self._labels = {at: labels for at, labels in self._labels.items() if at in kept}
        self._actions = {at: actions for at, actions in self._actions.items() if at in kept}


async def boxes(
    bus: Bus, items: Iterable[AccessibleItem], relative_to: int = OF_SCREEN
) -> dict[Reference, Box]:
    """Where things are; those without a place are left out."""
    wanted = [item for item in items if item.offers("Component")]
    answers = await bus.many(ask(item.at, "Component", "GetExtents", "u", relative_to) for item in wanted)
    found = {}
    for item, answer in zip(wanted, answers, strict=True):
        box = box_of(answer)
        if box is not None:
            found[item.at] = box
    return found


def box_of(extents: Any) -> Box | None:
    """A place as the bus sends it; None for the many ways of saying that there is none."""
    if extents is None:
        return None
    left, top, width, height = extents
    return Box(left, top, width, height) if width > 0 and height > 0 else None


async def values(bus: Bus, tree: Tree, items: Iterable[AccessibleItem]) -> dict[Reference, str]:
    """The texts of fields, the numbers of what has one, what is chosen in drop-down lists."""
    wanted = list(items)
    texts = [item for item in wanted if item.offers("Text") and _says_more(item)]
    found = await _texts(bus, texts)
    measured = [i for i in wanted if i.role in MEASURED and i.offers("Value") and i.at not in found]
    for item, number in zip(
        measured, await bus.many(get(item.at, "Value", "CurrentValue") for item in measured), strict=True
    ):
        if number is not None:
            found[item.at] = f"{number:.6g}"
    lists = [i for i in wanted if i.role == Role.COMBO_BOX and i.at not in found]
    if tree.gtk4:
        labels = (item for item in wanted if item.role == Role.LABEL and item.name)
        return found | {held.at: label.name for label in labels if (held := tree.dropdown(label))}
    found.update(await _chosen_options(bus, tree, lists))
    return found


def _says_more(item: AccessibleItem) -> bool:
    if item.role in TYPED_INTO or item.has(State.EDITABLE):
        return True
    return not item.name and item.role in TELLING


async def _texts(bus: Bus, items: Sequence[AccessibleItem]) -> dict[Reference, str]:
    counts = await bus.many(get(item.at, "Text", "CharacterCount") for item in items)
    spans = [_span(item, count) for item, count in zip(items, counts, strict=True)]
    answers = await bus.many(
        ask(item.at, "Text", "GetText", "ii", *span) for item, span in zip(items, spans, strict=True)
    )
    return {item.at: str(text) for item, text in zip(items, answers, strict=True) if text is not None}


def _span(item: AccessibleItem, count: int | None) -> tuple[int, int]:
    length = max(0, count or 0)
    if item.role == Role.TERMINAL:
        return max(0, length - LONG), length
    return 0, min(length, LONG)


async def _chosen_options(bus: Bus, tree: Tree, lists: Sequence[AccessibleItem]) -> dict[Reference, str]:
    """What is chosen in drop-down lists: the text inside, the chosen child, or the name itself."""
    inner = {
        item.at: next((kid for kid in tree.children.get(item.at, ()) if kid.role in TYPED_INTO), None)
        for item in lists
    }
    typed = await _texts(bus, [kid for kid in inner.values() if kid is not None and kid.offers("Text")])
    selecting = [item for item in lists if inner[item.at] is None and item.offers("Selection")]
    answers = await bus.many(ask(item.at, "Selection", "GetSelectedChild", "i", 0) for item in selecting)
    found = {item.at: item.name for item in lists}
    chosen = {item.at: (child[0], child[1]) for item, child in zip(selecting, answers, strict=True) if child}
    named = await bus.many(get(child, "Accessible", "Name") for child in chosen.values())
    found.update({at: str(name) for at, name in zip(chosen, named, strict=True) if name})
    closed: list[AccessibleItem] = []
    for item in lists:
        kid = inner[item.at]
        if kid is not None and kid.at in typed:
            found[item.at] = typed[kid.at]
        elif item.at not in chosen:
            options = [
                one for menu in tree.children.get(item.at, ()) for one in tree.children.get(menu.at, ())
            ]
            marked = (one.name for one in options if one.has(State.SELECTED))
            found[item.at] = next(marked, found[item.at])
            closed += [item] if not options and kid is None and item.count == 1 else []
    found.update(await _chosen_in_closed_lists(bus, closed))
    return {at: text for at, text in found.items() if text}


async def _chosen_in_closed_lists(bus: Bus, lists: Sequence[AccessibleItem]) -> dict[Reference, str]:
    """What is chosen in closed lists whose menu, unseen, knows it; browsers name lists by labels."""
    menus = await bus.many(ask(item.at, "Accessible", "GetChildAtIndex", "i", 0) for item in lists)
    held = {item.at: (menu[0], menu[1]) for item, menu in zip(lists, menus, strict=True) if menu}
    answers = await bus.many(ask(menu, "Selection", "GetSelectedChild", "i", 0) for menu in held.values())
    chosen = {at: (one[0], one[1]) for at, one in zip(held, answers, strict=True) if one}
    named = await bus.many(get(one, "Accessible", "Name") for one in chosen.values())
    return {at: str(name) for at, name in zip(chosen, named, strict=True) if name}


_JAVA = "J2SE-access-bridge"
RIM = 12
"""Pixels by which a popover may differ in size from the window it is shown in, which may have an arrow."""
SMALL = 3
"""Pixels; what is smaller cannot be pointed at. A strip of twice that is not either, as of a closing bar."""


@dataclass(frozen=True, slots=True)
class WindowLayout:
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
    ) -> WindowLayout:
        """Find out which accessible window is which window."""
        seats = {}
        tops = {item.at: item for item in map(tree.toplevel, tree.items.values()) if item}.values()
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
        top = tree.toplevel(item)
        return self.seats.get(top.at, (None, Placing())) if top else (None, Placing())

    def real(self, tree: Tree, item: AccessibleItem, box: Box) -> Box:
        _, placing = self.seat(tree, item)
        return placing.box(box.shift(*self.shift(tree, item)))

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

    def visible_part(self, box: Box, window: Window, inside: Sequence[Box] = ()) -> Box | None:
        """The part of a box that nothing covers; None when too little is left."""
        above = self.windows[self.windows.index(window) + 1 :]
        part = visible_part(box, (window.box, *inside), (other.outer or other.box for other in above))
        if part is None or part.width < min(2 * SMALL, box.width) or part.height < min(2 * SMALL, box.height):
            return None
        return part


def _displacements(tree: Tree, boxes: Mapping[Reference, Box]) -> dict[Reference, tuple[int, int]]:
    """How far items of menus in Java are from where they are told; the menu itself knows where it is."""
    menus = [boxes[at] for at, item in tree.items.items() if item.role == Role.POPUP_MENU and at in boxes]
    found = {}
    for group in groups_in_popups(tree, tree.items.values()).values():
        placed = [boxes[item.at] for item in group if item.at in boxes]
        whole = Box.hull(placed) if placed else None
        if whole and (shifts := [_shift(whole, menu) for menu in menus if _fits(whole, menu)]):
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
