"""Reads one program and its current accessible objects from the accessibility bus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import starmap

from gui_agent.computers.atspi.bus import (
    REGISTRY,
    ROOT,
    Bus,
    CallFailed,
    Reference,
    answers_of,
    ask,
    ask_each,
    attribute,
    method,
    reference,
)
from gui_agent.computers.atspi.vocabulary import (
    CLIPPING,
    TYPED_INTO,
    AccessibleItem,
    Role,
    State,
    Tree,
    short,
    states_of,
    tree_from_cache,
)

Known = dict[Reference, tuple[Reference, int, frozenset[str], str]]
"""Parent, role, interfaces and description of objects; they do not change during an object's life. Qt gives
the reference of an object that has gone to a new one, which then mostly has another parent."""
DROPPED_DOWN = (Role.MENU, Role.COMBO_BOX)
CACHE = "/org/a11y/atspi/cache"
MANY = 400
"""Maximum children requested of one object: a spreadsheet has two thousand million."""
DEPTH = 40
"""Maximum depth of nested objects; a deeper structure is a cycle."""


@dataclass(frozen=True, slots=True)
class AccessibleProgram:
    """A program on the accessibility bus."""

    root: Reference
    name: str
    pid: int
    toolkit: str
    version: str
    wayland: bool = False
    """Whether the session is Wayland, where programs do not know their window positions."""

    @property
    def gtk4(self) -> bool:
        """Whether only windows have the state "showing"."""
        return self.toolkit.casefold() == "gtk" and self.version.startswith("4")

    @property
    def relative(self) -> bool:
        """Whether positions are relative to the window."""
        return self.gtk4 or self.wayland

    def clips(self, role: int) -> bool:
        """Whether objects of this role clip their content; Qt's clipping objects have no role."""
        return role in CLIPPING or (role == Role.FILLER and self.toolkit == "Qt")

    @property
    def gtk2(self) -> bool:
        """Whether the content of open menus lacks the state "showing"."""
        return self.toolkit == "GAIL"


async def running(bus: Bus) -> list[Reference]:
    (children,) = await bus.call(ask((REGISTRY, ROOT), "Accessible", "GetChildren"))
    return list(filter(None, map(reference, children)))


async def introduce(bus: Bus, root: Reference, wayland: bool = False) -> AccessibleProgram:
    pid = await bus.pid(root[0])
    asked = (("Accessible", "Name"), ("Application", "ToolkitName"), ("Application", "Version"))
    told = await ask_each(bus, [root], *starmap(attribute, asked))
    name, toolkit, version = (str(value or "") for value in told[root])
    return AccessibleProgram(root, name, pid, toolkit, version, wayland)


async def read(bus: Bus, program: AccessibleProgram, known: Known, menus: bool = True) -> Tree:
    """Read all objects of a program: in bulk if it can, otherwise object by object."""
    try:
        (rows,) = await bus.call(ask((program.root[0], CACHE), "Cache", "GetItems"))
    except CallFailed:
        rows = []
    tree = tree_from_cache(rows, program.gtk4, menus and program.gtk2)
    if len(rows) <= 1:
        (root,) = await _items(bus, [(program.root, ("", ""))], known) or (None,)
        if root is None:
            raise CallFailed(f"{program.name} does not answer")
        tree = Tree([root], program.gtk4)
        await _descend(bus, tree, [root], known, menus)
    else:
        await _top_up(bus, tree, known, menus)
    return tree


async def strangers(
    bus: Bus, tree: Tree, parent: AccessibleItem, places: Iterable[Reference], known: Known
) -> list[AccessibleItem]:
    """Add objects to the tree that were not found as children."""
    found = await _items(bus, [(at, parent.at) for at in places], known)
    tree.add(found)
    return found


async def _top_up(bus: Bus, tree: Tree, known: Known, menus: bool) -> None:
    """Request objects that the cache omits, such as the icons of an icon view."""
    await _count(bus, tree, menus)
    some = [item for item in tree.items.values() if item.count <= MANY and tree.lacks(item)]
    if lacking := [item for item in some if _shows_children(tree, item, menus)]:
        await _descend(bus, tree, lacking, known, menus)


async def _count(bus: Bus, tree: Tree, menus: bool) -> None:
    """Request the child counts of lists and tables, which the cache often lacks or reports as zero."""
    some = [item for item in tree.items.values() if item.count <= 0 and _may_hold(item)]
    unsure = (item.at for item in some if _shows_children(tree, item, menus))
    for at, count in (await answers_of(bus, unsure, attribute("Accessible", "ChildCount"))).items():
        if count:
            tree.items[at] = replace(tree.items[at], count=int(count))


def _may_hold(item: AccessibleItem) -> bool:
    if item.role in TYPED_INTO or item.offers("Action"):
        return False
    listing = item.offers("Table") or item.offers("Selection") or item.has(State.MANAGES_DESCENDANTS)
    return listing or item.has(State.FOCUSABLE)


async def _descend(
    bus: Bus, tree: Tree, parents: Sequence[AccessibleItem], known: Known, menus: bool
) -> None:
    level = list(parents)
    for _ in range(DEPTH):
        new: dict[Reference, Reference] = {}
        places = (parent.at for parent in level)
        for parent, children in (await answers_of(bus, places, method("Accessible", "GetChildren"))).items():
            for child in filter(None, map(reference, children)):
                if child in tree.items:
                    tree.claim(child, tree.items[parent])
                elif child not in tree.hidden:
                    new[child] = parent
        if not new:
            return
        found = await _items(bus, new.items(), known)
        tree.add(found)
        level = [item for item in found if 0 < item.count <= MANY and _shows_children(tree, item, menus)]


def _shows_children(tree: Tree, item: AccessibleItem, menus: bool) -> bool:
    if item.role in DROPPED_DOWN and not menus:
        return False
    return tree.is_shown(item) or item.role == Role.APPLICATION


async def _items(
    bus: Bus, places: Iterable[tuple[Reference, Reference]], known: Known
) -> list[AccessibleItem]:
    """Objects by individual requests; objects without an answer are missing."""
    parents = dict(places)
    new = [at for at, parent in parents.items() if at not in known or known[at][0] != parent]
    lasting = (
        method("Accessible", "GetRole"),
        method("Accessible", "GetInterfaces"),
        attribute("Accessible", "Description"),
    )
    for at, (role, interfaces, description) in (await ask_each(bus, new, *lasting)).items():
        if role is not None:
            known[at] = parents[at], role, short(interfaces or ()), str(description or "")
    passing = (
        method("Accessible", "GetState"),
        attribute("Accessible", "Name"),
        attribute("Accessible", "ChildCount"),
    )
    items = []
    nth: Counter[Reference] = Counter()
    for at, (states, name, count) in (await ask_each(bus, parents, *passing)).items():
        parent = parents[at]
        if at in known and states is not None:
            _, role, interfaces, description = known[at]
            told = (interfaces, str(name or "").strip(), role, description, states_of(states))
            items.append(AccessibleItem(at, parent, nth[parent], int(count or 0), *told))
        nth[parent] += 1
    return items
