"""Filters the accessible objects of a program: those that can be seen, and operated or read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gui_agent.computers.atspi.bus import Reference
from gui_agent.computers.atspi.items import Item, Tree
from gui_agent.computers.atspi.vocabulary import (
    DIALOGS,
    HOLDING,
    NAMED_BY_CONTENT,
    OF_MENUS,
    OPERABLE,
    TELLING,
    TYPED_INTO,
    Role,
    State,
)

_TEXTS = frozenset({Role.LABEL, Role.STATIC, Role.TABLE_CELL})
"""Roles of parts that only say something; a cell with icon and text is made of several cells."""
_WORDS = 5
"""Texts that the name of a thing without one is made of."""


def that_count(tree: Tree) -> list[Item]:
    """Objects that are shown, in shown windows, and can be operated or read."""
    native = _has_native_menu_bar(tree)
    return [
        item
        for item in tree.items.values()
        if tree.shown(item)
        and _counts(item)
        and tree.top(item)
        and not (native and _drawn_twice(tree, item))
        and not _only_wraps(tree, item)
    ]


def _only_wraps(tree: Tree, item: Item) -> bool:
    """Whether it is the shell of a thing of the same kind: GTK 4 puts a button into a button for a menu."""
    return (
        item.role in OPERABLE
        and not item.offers("Action")
        and any(
            kid.role == item.role and kid.offers("Action") and tree.shown(kid)
            for kid in tree.children.get(item.at, ())
        )
    )


def _counts(item: Item) -> bool:
    role = item.role
    if role in OPERABLE or (role == Role.TABLE_CELL and item.index >= 0) or role in DIALOGS:
        return True
    if role in TELLING:
        return bool(item.name or item.description or item.offers("Value") or item.offers("Text"))
    if role in HOLDING:
        return item.has(State.FOCUSABLE) or bool(item.name)
    return item.has(State.EDITABLE) and (role in TYPED_INTO or item.offers("EditableText"))


def _has_native_menu_bar(tree: Tree) -> bool:
    bars = [item for item in tree.items.values() if item.role == Role.MENU_BAR and tree.shown(item)]
    return any(_in_root_pane(tree, bar) for bar in bars) and not all(_in_root_pane(tree, bar) for bar in bars)


def _drawn_twice(tree: Tree, item: Item) -> bool:
    """LibreOffice tells of its own menu bar, which nobody sees, beside the one of the toolkit."""
    if item.role not in (Role.MENU, Role.MENU_BAR, Role.MENU_ITEM):
        return False
    above = [item, *tree.above(item)]
    return any(a.role == Role.MENU_BAR for a in above) and _in_root_pane(tree, item)


def _in_root_pane(tree: Tree, item: Item) -> bool:
    return any(above.role == Role.ROOT_PANE for above in tree.above(item))


def in_popup(tree: Tree, item: Item) -> bool:
    """Whether it is on a menu or drop-down list, which has a window of its own."""
    above = next(iter(tree.above(item)), None)
    return above is not None and (
        above.role in (Role.MENU, Role.POPUP_MENU)
        or (above.role in (Role.LIST, Role.TREE_TABLE, Role.WINDOW) and in_popup_list(tree, above))
    )


def groups_in_popups(tree: Tree, items: Iterable[Item]) -> dict[Reference, list[Item]]:
    """What is in menus, by the menu."""
    groups: dict[Reference, list[Item]] = {}
    for item in items:
        if item.role in OF_MENUS and in_popup(tree, item):
            groups.setdefault(item.parent, []).append(item)
    return groups


def in_popup_list(tree: Tree, item: Item) -> bool:
    """Whether a list belongs to a drop-down list that is open."""
    return any(above.role in (Role.COMBO_BOX, Role.POPUP_MENU, Role.MENU) for above in tree.above(item))


def names(tree: Tree, items: Collection[Item]) -> tuple[dict[Reference, str], set[Reference]]:
    """What things without a name are called by the texts in them, and which are only parts of others."""
    found: dict[Reference, str] = {}
    parts: set[Reference] = set()
    for item in items:
        if item.role not in NAMED_BY_CONTENT or item.at in parts:
            continue
        inside = [kid for kid in _inside(tree, item) if tree.shown(kid)]
        words = list(dict.fromkeys(kid.name for kid in inside if kid.role in _TEXTS and kid.name))
        if not item.name and words:
            found[item.at] = " ".join(words[:_WORDS])
        name = item.name or found.get(item.at, "")
        parts |= {kid.at for kid in inside if kid.role in _TEXTS and kid.name in name}
    return found, parts


def _inside(tree: Tree, item: Item) -> list[Item]:
    """What is in it, four levels deep, but not in other things of a kind."""
    found: list[Item] = []
    level = [item]
    for _ in range(4):
        level = [kid for each in level for kid in tree.children.get(each.at, ()) if kid.role not in OPERABLE]
        found += level
    return found
