"""Builds the nodes of a program from its accessible objects: box, stacking order and name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
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
from gui_agent.elements.roles import LATCHING, SCROLLED

HEAD = 48, 24
"""Width and height (px) of the arrow and the start of the title of an expander."""
_MARKUP = re.compile(r"</?[a-z][^<>]*>")
BAR = 24
"""Pixels; the width of a scroll bar with its frame."""


def nodes(
    program: AccessibleProgram,
    tree: Tree,
    items: Sequence[AccessibleItem],
    details: Details,
    scene: WindowLayout,
) -> list[Node]:
    """The visible objects as nodes, in no order."""
    given, used = names(tree, items)
    maker = _NodeMaker(program, tree, details, scene)
    listed = (item for item in items if item.at not in used and item.at not in tree.popovers)
    found = (maker.node(item, given.get(item.at, item.name)) for item in listed)
    return _with_row_names(_scrolling(_without_repeats([node for node in found if node is not None])))


def _with_row_names(found: list[Node]) -> list[Node]:
    """Name the nameless switches in named rows of lists, which show the name of the row beside them."""
    rows = {one.path: one.name for one in found if one.role == "option" and one.name}
    return [
        replace(one, name=_row_name(one.path, rows)) if one.role in LATCHING and not one.name else one
        for one in found
    ]


def _row_name(path: str, rows: Mapping[str, str]) -> str:
    """The name of the innermost row around a path; empty if there is none."""
    while path and path not in rows:
        path = path.rpartition("/")[0]
    return rows.get(path, "")


def _scrolling(found: list[Node]) -> list[Node]:
    """Mark lists with a scroll bar beside them: they have more content than is visible."""
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
        """The node of an object with this name; None if it is invisible or has no information."""
        place = self._place(item)
        role = _entry(self.tree, item) or aria_role(item.role, item.states)
        if place is None or not role:
            return None
        name, value = self._words(item, name)
        states = aria_states(item.role, item.states)
        # Qt reports the text field of a drop-down list only as its second child.
        if item.role == Role.COMBO_BOX and self.program.toolkit == "Qt" and item.count > 1:
            states |= {"editable"}
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
            states,
            _plain_hint(item, name),
            self.tree.path(item),
            self._attributes(item),
            window.id,
        )

    def _place(self, item: AccessibleItem) -> tuple[Box, Window] | None:
        """The visible part of an object, and its window."""
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
            # Only arrow and title open it; its box also covers the rest of the line and its content.
            box = box.intersect(Box(*box.corner, *HEAD))
        return (box, window) if box else None

    def _is_drawn_by_another(self, item: AccessibleItem) -> bool:
        """Whether another object draws it: an entry of a closed list, or a part of a GTK 4 drop-down list."""
        holder = self.tree.parent(item)
        # Qt reports the entries of a closed drop-down list as visible; the list itself then has no box.
        lost = holder is not None and holder.role == Role.LIST and holder.at not in self.details.boxes
        if lost and in_popup(self.tree, item):
            return True
        return self.tree.gtk4 and self.tree.dropdown(item) is not None

    def _clips(self, item: AccessibleItem) -> list[Box]:
        """Boxes that clip an object."""
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
    """The role of a label that is itself an entry, as in the lists and trees of Java programs."""
    if item.role != Role.LABEL:
        return ""
    holders = (one.role for one in tree.above(item) if one.role != Role.LABEL)
    return _ENTRIES.get(next(holders, 0), "")


def _plain_hint(item: AccessibleItem, name: str) -> str:
    """The hint of an object as plain text; Qt programs use markup in it."""
    plain = unescape(_MARKUP.sub("", item.description)).strip()
    return "" if plain == name else plain


def lent_name(tree: Tree, item: AccessibleItem, details: Details) -> str:
    """The name of a wrapper hardly larger than the object; for a button also its tool tip."""
    own = details.boxes.get(item.at)
    for above in tree.above(item):
        box = details.boxes.get(above.at)
        if own is None or box is None or box.area > 2 * own.area:
            return ""
        name = above.name or (above.description if item.role == Role.BUTTON else "")
        if name:
            return name
    return ""


def _without_repeats(found: Sequence[Node]) -> list[Node]:
    kept: dict[tuple[str, str, Box], Node] = {}
    for node in found:
        kept.setdefault((node.role, node.name, node.box), node)
    return list(kept.values())


def cell_nodes(
    tree: Tree, table: AccessibleItem, cells: Sequence[Cell], scene: WindowLayout, window: Window
) -> list[Node]:
    """The cells of a spreadsheet as nodes, named like B3."""
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
    """Without "editable": all cells are, and the state would make some look like fields between labels."""
    focused = {"selected"} if has(states, State.FOCUSED) else set()
    return (aria_states(Role.TABLE_CELL, states) | focused) - {"editable"}


_PART = re.compile(r"<([^<>]+)>|([^<>+]+|\+$)")
_MODIFIERS = table("primary=ctrl control=ctrl ctrl=ctrl alt=alt mod1=alt shift=shift super=meta meta=meta")


def shortcut(bindings: str) -> str:
    """The globally valid key binding: `s;<Alt>f:s;<Control>s` becomes `ctrl+s`.

    Empty if there are only access keys inside a menu.
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
"""Role of a label in such a container."""
_TEXTS = frozenset({Role.LABEL, Role.STATIC, Role.TABLE_CELL})
"""Roles of mere texts; a cell with icon and text consists of several cells."""
_WORDS = 5
"""Maximum texts that make up the name of an unnamed object."""


def listed_items(tree: Tree) -> list[AccessibleItem]:
    """Visible objects, in visible windows, that can be operated or read."""
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
    """Whether it only wraps an object of the same kind: GTK 4 puts a button into a menu's button."""
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
    """Whether it belongs to LibreOffice's own invisible menu bar, a copy of the toolkit's."""
    if item.role not in (Role.MENU, Role.MENU_BAR, Role.MENU_ITEM):
        return False
    above = [item, *tree.above(item)]
    return any(a.role == Role.MENU_BAR for a in above) and _in_root_pane(tree, item)


def _in_root_pane(tree: Tree, item: AccessibleItem) -> bool:
    return any(above.role == Role.ROOT_PANE for above in tree.above(item))


def names(tree: Tree, items: Collection[AccessibleItem]) -> tuple[dict[Reference, str], set[Reference]]:
    """Names of unnamed objects, made of the texts in them; and the objects that are only such parts."""
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
    """The texts in an object, up to four levels deep, but not inside other operable objects."""
    found: list[AccessibleItem] = []
    level = [item]
    for _ in range(4):
        kids = chain.from_iterable(tree.children[each.at] for each in level)
        level = [kid for kid in kids if kid.role not in OPERABLE]
        found += [kid for kid in level if kid.role in _TEXTS]
    return found
