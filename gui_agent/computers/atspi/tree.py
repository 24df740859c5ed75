"""Builds the nodes of a program from its accessible objects: place, stacking order and name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import unescape
from itertools import chain, takewhile

from gui_agent.computers.atspi.bounds import SMALL, Details, WindowLayout, in_popup
from gui_agent.computers.atspi.bus import Reference
from gui_agent.computers.atspi.program import AccessibleProgram
from gui_agent.computers.atspi.tables import Cell, letters
from gui_agent.computers.atspi.vocabulary import (
    DIALOGS,
    HOLDING,
    MEASURED,
    NAMED_BY_CONTENT,
    OPERABLE,
    TELLING,
    TYPED_INTO,
    AccessibleItem,
    Role,
    State,
    Tree,
    aria_role,
    aria_states,
    has,
)
from gui_agent.computers.desktop.parts import Node, Window
from gui_agent.core.keys import MODIFIERS
from gui_agent.core.observation import TEXT, Box
from gui_agent.core.texts import table
from gui_agent.elements.roles import SCROLLED

HEAD = 48, 24
"""Width and height of the arrow and the beginning of the title of what can be unfolded."""
_MARKUP = re.compile(r"</?[a-z][^<>]*>")
BAR = 24
"""Pixels; the width of a scroll bar and what frames it."""


def nodes(
    program: AccessibleProgram,
    tree: Tree,
    items: Sequence[AccessibleItem],
    details: Details,
    scene: WindowLayout,
) -> list[Node]:
    """The objects that can be seen, in no order."""
    given, used = names(tree, items)
    maker = _NodeMaker(program, tree, details, scene)
    listed = (item for item in items if item.at not in used and item.at not in tree.popovers)
    found = (maker.node(item, given.get(item.at, item.name)) for item in listed)
    return _scrolling(_without_repeats([node for node in found if node is not None]))


def _scrolling(found: list[Node]) -> list[Node]:
    """Lists beside which a scroll bar stands hold more than is in sight."""
    bars = [one for one in found if one.role == "scrollbar" and one.box.height > one.box.width]
    return [_scrollable(one, bars) for one in found] if bars else found


def _scrollable(node: Node, bars: Sequence[Node]) -> Node:
    if node.role not in SCROLLED:
        return node
    beside = any(
        bar.window == node.window
        and abs(bar.box.right - node.box.right) <= 2 * BAR
        and 2 * bar.box.height >= node.box.height
        and node.box.top - BAR <= bar.box.center.y <= node.box.bottom + BAR
        for bar in bars
    )
    return replace(node, states=node.states | {"scrollable"}) if beside else node


@dataclass(frozen=True, slots=True)
class _NodeMaker:
    """Makes nodes of the objects of one program."""

    program: AccessibleProgram
    tree: Tree
    details: Details
    scene: WindowLayout

    def node(self, item: AccessibleItem, name: str) -> Node | None:
        """What is seen of an object that is called so; None when it is not seen, or says nothing."""
        place = self._place(item)
        role = _entry(self.tree, item) or aria_role(item.role, item.states)
        if place is None or not role:
            return None
        name, value = self._words(item, name)
        if role == "paragraph":
            role, name, value = TEXT, name or value, ""
        says_nothing = not (name or value or item.description or item.role in OPERABLE)
        if says_nothing and not (item.has(State.FOCUSABLE) or item.has(State.EDITABLE)):
            return None
        box, window = place
        return Node(
            item.at,
            role,
            name,
            box,
            value,
            aria_states(item.role, item.states),
            _plain_hint(item, name),
            self.tree.path(item),
            self._attributes(item),
            window.id,
        )

    def _place(self, item: AccessibleItem) -> tuple[Box, Window] | None:
        """The part of an object that is seen, and the window in which it is."""
        told = self.details.boxes.get(item.at)
        if told is None or min(told.width, told.height) < SMALL or self._is_drawn_by_another(item):
            return None
        real = self.scene.real(self.tree, item, told)
        window = self.scene.window(self.tree, item, real)
        if window is None:
            return None
        if item.role in DIALOGS:
            if not (window.active or item.has(State.MODAL)):
                return None
            real = window.box
        box = self.scene.visible_part(real, window, self._clips(item))
        if box and item.role == Role.TOGGLE_BUTTON and item.has(State.EXPANDABLE):
            # Only arrow and title open it; the rest of the line, and all that it holds, belongs to it too.
            box = box.intersect(Box(*box.corner, *HEAD))
        return (box, window) if box else None

    def _is_drawn_by_another(self, item: AccessibleItem) -> bool:
        """Whether it is an entry of a closed list, or what a drop-down list of GTK 4 is made of."""
        holder = self.tree.parent(item)
        # Qt tells the entries of a closed drop-down list as shown, at a place; the list itself has none then.
        lost = holder is not None and holder.role == Role.LIST and holder.at not in self.details.boxes
        if lost and in_popup(self.tree, item):
            return True
        return self.tree.gtk4 and self.tree.dropdown(item) is not None

    def _clips(self, item: AccessibleItem) -> list[Box]:
        """Boxes outside of which nothing of an object is seen."""
        if in_popup(self.tree, item):
            return []
        boxes = self.details.boxes
        return [
            self.scene.real(self.tree, above, boxes[above.at])
            for above in takewhile(lambda one: one.at not in self.tree.popovers, self.tree.above(item))
            if self.program.clips(above.role) and above.at in boxes
        ]

    def _words(self, item: AccessibleItem, name: str) -> tuple[str, str]:
        """Name and value."""
        value, label = self.details.values.get(item.at, ""), self.details.labels.get(item.at, "")
        if item.role == Role.COMBO_BOX:
            value = "" if value == label else value
            name = label or ("" if name == value else name)
        name = name or label or lent_name(self.tree, item, self.details)
        valued = name or item.role in TYPED_INTO | MEASURED | {Role.COMBO_BOX}
        return (name, value) if valued else (value, "")

    def _attributes(self, item: AccessibleItem) -> dict[str, str]:
        actions = self.details.actions.get(item.at, ())
        attributes = {
            "toolkit": self.program.toolkit,
            "actions": ", ".join(dict.fromkeys(action.name for action in actions if action.name)),
            "keys": next(filter(None, (shortcut(action.keys) for action in actions)), ""),
            "default": "true" if item.has(State.IS_DEFAULT) else "",
            "modal": "true" if item.has(State.MODAL) else "",
        }
        return {key: value for key, value in attributes.items() if value}


def _entry(tree: Tree, item: AccessibleItem) -> str:
    """What a label is that is an entry itself, as programs in Java tell of lists and trees."""
    if item.role != Role.LABEL:
        return ""
    holders = (one.role for one in tree.above(item) if one.role != Role.LABEL)
    return _ENTRIES.get(next(holders, 0), "")


def _plain_hint(item: AccessibleItem, name: str) -> str:
    """The hint of a thing as plain text; Qt programs put marked-up ones there."""
    plain = unescape(_MARKUP.sub("", item.description)).strip()
    return "" if plain == name else plain


def lent_name(tree: Tree, item: AccessibleItem, details: Details) -> str:
    """The name of a wrapping hardly larger than the thing itself, or what is said of it there."""
    own = details.boxes.get(item.at)
    for above in tree.above(item):
        box = details.boxes.get(above.at)
        if own is None or box is None or box.area > 2 * own.area:
            return ""
        if above.name:
            return above.name
    return ""


def _without_repeats(found: Sequence[Node]) -> list[Node]:
    kept: dict[tuple[str, str, Box], Node] = {}
    for node in found:
        kept.setdefault((node.role, node.name, node.box), node)
    return list(kept.values())


def cell_nodes(
    tree: Tree, table: AccessibleItem, cells: Sequence[Cell], scene: WindowLayout, window: Window
) -> list[Node]:
    """The cells of a spreadsheet, called as people call them."""
    covers = [other.whole for other in scene.windows[scene.windows.index(window) + 1 :]]
    path = tree.path(table)
    found = []
    for cell in cells:
        covered = any(cover.intersect(cell.box) for cover in covers)
        box = scene.visible_part(cell.box, window) if covered else cell.box.intersect(window.box)
        if box is None:
            continue
        name = cell.name
        row, column = str(cell.row + 1), letters(cell.column)
        found.append(
            Node(
                (*table.at, cell.row, cell.column),
                "gridcell",
                name,
                box,
                cell.text,
                _cell_states(cell.states),
                path=f"{path}/row[{row}]/gridcell[{cell.column + 1}]",
                attributes={"row": row, "column": column},
                window=window.id,
            )
        )
    return found


@cache
def _cell_states(states: int) -> frozenset[str]:
    """All cells can be written to; said of some it would make these look like fields between labels."""
    focused = {"selected"} if has(states, State.FOCUSED) else set()
    return (aria_states(Role.TABLE_CELL, states) | focused) - {"editable"}


_PART = re.compile(r"<([^<>]+)>|([^<>+]+|\+$)")
_MODIFIERS = table("primary=ctrl control=ctrl ctrl=ctrl alt=alt mod1=alt shift=shift super=meta meta=meta")


def shortcut(bindings: str) -> str:
    """The binding that works everywhere: `s;<Alt>f:s;<Control>s` is `ctrl+s`.

    Empty when there are only access keys inside of a menu.
    """
    for binding in reversed(bindings.split(";")):
        if ":" in binding:
            continue
        parts = [given or key for given, key in _PART.findall(binding)]
        modifiers = [_MODIFIERS[part.casefold()] for part in parts[:-1] if part.casefold() in _MODIFIERS]
        if parts and (modifiers or re.fullmatch(r"[Ff]\d\d?", parts[-1])):
            ordered = [modifier for modifier in MODIFIERS if modifier in modifiers]
            return "+".join((*ordered, parts[-1].casefold()))
    return ""


_ENTRIES: dict[int, str] = {Role.LIST: "option", Role.TREE: "treeitem"}
"""What a label in such a thing is."""
_TEXTS = frozenset({Role.LABEL, Role.STATIC, Role.TABLE_CELL})
"""Roles of parts that only say something; a cell with icon and text is made of several cells."""
_WORDS = 5
"""Texts that the name of a thing without one is made of."""


def listed_items(tree: Tree) -> list[AccessibleItem]:
    """Objects that are shown, in shown windows, and can be operated or read."""
    native = _has_native_menu_bar(tree)
    return [
        item
        for item in tree.items.values()
        if tree.is_shown(item)
        and _counts(item)
        and tree.toplevel(item)
        and not (native and _drawn_twice(tree, item))
        and not _only_wraps(tree, item)
    ]


def _only_wraps(tree: Tree, item: AccessibleItem) -> bool:
    """Whether it is the shell of a thing of the same kind: GTK 4 puts a button into a button for a menu."""
    return (
        item.role in OPERABLE
        and not item.offers("Action")
        and any(
            kid.role == item.role and kid.offers("Action") and tree.is_shown(kid)
            for kid in tree.children[item.at]
        )
    )


def _counts(item: AccessibleItem) -> bool:
    role = item.role
    if role in OPERABLE or (role == Role.TABLE_CELL and item.index >= 0) or role in DIALOGS:
        return True
    if role in TELLING:
        return bool(item.name or item.description or item.offers("Value") or item.offers("Text"))
    if role in HOLDING:
        return item.has(State.FOCUSABLE) or bool(item.name)
    return item.has(State.EDITABLE) and (role in TYPED_INTO or item.offers("EditableText"))


def _has_native_menu_bar(tree: Tree) -> bool:
    bars = [item for item in tree.items.values() if item.role == Role.MENU_BAR and tree.is_shown(item)]
    return any(_in_root_pane(tree, bar) for bar in bars) and not all(_in_root_pane(tree, bar) for bar in bars)


def _drawn_twice(tree: Tree, item: AccessibleItem) -> bool:
    """LibreOffice tells of its own menu bar, which nobody sees, beside the one of the toolkit."""
    if item.role not in (Role.MENU, Role.MENU_BAR, Role.MENU_ITEM):
        return False
    above = [item, *tree.above(item)]
    return any(a.role == Role.MENU_BAR for a in above) and _in_root_pane(tree, item)


def _in_root_pane(tree: Tree, item: AccessibleItem) -> bool:
    return any(above.role == Role.ROOT_PANE for above in tree.above(item))


def names(tree: Tree, items: Collection[AccessibleItem]) -> tuple[dict[Reference, str], set[Reference]]:
    """What things without a name are called by the texts in them, and which are only parts of others."""
    found: dict[Reference, str] = {}
    parts: set[Reference] = set()
    for item in items:
        if item.role not in NAMED_BY_CONTENT or item.at in parts:
            continue
        texts = list(filter(tree.is_shown, _texts_in(tree, item)))
        words = list(dict.fromkeys(kid.name for kid in texts if kid.name))
        if words and (not item.name or (tree.gtk4 and item.role == Role.TAB)):  # GTK 4 calls each one "Tab"
            found[item.at] = " ".join(words[:_WORDS])
        name = found.get(item.at) or item.name
        parts |= {kid.at for kid in texts if kid.name in name}
    return found, parts


def _texts_in(tree: Tree, item: AccessibleItem) -> list[AccessibleItem]:
    """The texts in it, four levels deep, but not in other things to operate."""
    found: list[AccessibleItem] = []
    level = [item]
    for _ in range(4):
        kids = chain.from_iterable(tree.children[each.at] for each in level)
        level = [kid for kid in kids if kid.role not in OPERABLE]
        found += [kid for kid in level if kid.role in _TEXTS]
    return found
