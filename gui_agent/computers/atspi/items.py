"""Accessible objects as one kind of value, whether they were read in bulk or one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.computers.atspi.bus import ATSPI, Reference
from gui_agent.computers.atspi.vocabulary import OF_MENUS, Role, State, aria_role, has, states_of

_PREFIX = len(ATSPI) + 1
_CLASS = re.compile(r"(?:Gtk|Adw)[A-Z]\w+")
"""What GTK 4 calls a thing that has no name: by the class it is of."""
_TWICE = re.compile(r"(.+) \1")
"""What it calls a button that has its text both as a name and in a label."""
_POPOVER = re.compile(r"GtkPopover(?:Menu)?")
_KEPT = frozenset({Role.APPLICATION, Role.MENU, Role.COMBO_BOX})
"""Roles of what may hold something shown without being shown itself."""


@dataclass(frozen=True, slots=True)
class AccessibleItem:
    """One accessible object as it was at one moment."""

    at: Reference
    parent: Reference
    index: int
    """Place among the parent's children; -1 when the program does not say."""
    count: int
    """Number of children; -1 for a table too large to count."""
    interfaces: frozenset[str]
    name: str
    role: int
    description: str
    states: int

    def has(self, state: State) -> bool:
        """Whether the state is set."""
        return has(self.states, state)

    def offers(self, interface: str) -> bool:
        """Whether it answers to this interface, such as `Text`."""
        return interface in self.interfaces


def tree_from_cache(rows: Sequence[Sequence[Any]], gtk4: bool = False, menus_hide: bool = False) -> Tree:
    """The rows of `Cache.GetItems`; of what is hidden only that it is there.

    GTK, LibreOffice and Chromium send place and number of children, the older form of Qt the children
    themselves; the two are told apart by the type of the fourth field.
    """
    tree = Tree(gtk4=gtk4, menus_hide=menus_hide)
    shown = []
    for row in rows:
        at, parent = row[0], row[2]
        if isinstance(row[3], int):
            index, count, interfaces, name, role, description, words = row[3:]
        else:
            children, interfaces, name, role, description, words = row[3:]
            index, count = -1, len(children)
        states = states_of(words)
        if role in _KEPT or tree.counts_as_shown(role, states):
            told = (index, count, short(interfaces), name.strip(), role, description, states)
            shown.append(AccessibleItem((at[0], at[1]), (parent[0], parent[1]), *told))
        else:
            tree.hide((at[0], at[1]), (parent[0], parent[1]))
    tree.add(sorted(shown, key=lambda item: item.index))
    return tree


_known: dict[tuple[str, ...], frozenset[str]] = {}


def short(interfaces: Sequence[str]) -> frozenset[str]:
    """Names of interfaces without the prefix they share; the same few sets come again and again."""
    key = tuple(interfaces)
    if key not in _known:
        _known[key] = frozenset(name[_PREFIX:] for name in interfaces)
    return _known[key]


class Tree:
    """The items of one program, and how they hang together."""

    def __init__(
        self, items: Iterable[AccessibleItem] = (), gtk4: bool = False, menus_hide: bool = False
    ) -> None:
        """Args: menus_hide: what is in open menus does not say that it is shown (GTK 2)."""
        self.menus_hide = menus_hide
        self.gtk4 = gtk4
        self.items: dict[Reference, AccessibleItem] = {}
        self.hidden: set[Reference] = set()
        """What is there and cannot be seen, such as what is in closed menus: most of many programs."""
        self.showing = State.VISIBLE if gtk4 else State.SHOWING
        """GTK 4 says only of a window that it is showing."""
        self.children: dict[Reference, list[AccessibleItem]] = {}
        self._hidden_children: Counter[Reference] = Counter()
        self.claims: dict[Reference, AccessibleItem] = {}
        """Objects that are children of another one than they say."""
        self.popovers: set[Reference] = set()
        """What GTK 4 shows in a window of its own, and places as if it lay in the one below."""
        self.adopted: set[Reference] = set()
        """Of these, the ones whose own word for their parent leads nowhere."""
        self._paths: dict[Reference, str] = {}
        self._tops: dict[Reference, AccessibleItem | None] = {}
        self.add(items)

    def hide(self, at: Reference, parent: Reference) -> None:
        """Note an object that cannot be seen."""
        self.hidden.add(at)
        self._hidden_children[parent] += 1

    def lacks(self, item: AccessibleItem) -> bool:
        """Whether it has more children than are known."""
        return len(self.children.get(item.at, ())) + self._hidden_children[item.at] < item.count

    def claim(self, child: Reference, parent: AccessibleItem) -> None:
        """Note that an object has a child that says to be elsewhere, or nowhere.

        LibreOffice puts parts of the toolkit between its own, and these do not know what they are in.
        """
        item = self.items[child]
        if parent.at in (item.parent, child):
            return
        self.claims[child] = parent
        if item.parent not in self.items:
            self.items[child] = replace(item, parent=parent.at)
            self.children.setdefault(parent.at, []).append(self.items[child])
            self.adopted.add(child)
            self._paths.clear()
            self._tops.clear()

    def above(self, item: AccessibleItem) -> Iterator[AccessibleItem]:
        """Its parent, the parent of that, and so on."""
        seen = {item.at}
        above = self.items.get(item.parent)
        while above is not None and above.at not in seen:
            seen.add(above.at)
            yield above
            above = self.items.get(above.parent)

    def add(self, items: Iterable[AccessibleItem]) -> None:
        """Take in items that were found later."""
        for given in items:
            item = given
            if self.gtk4 and _CLASS.fullmatch(item.name):
                if _POPOVER.fullmatch(item.name):
                    self.popovers.add(item.at)
                item = replace(item, name="")
            elif self.gtk4 and (twice := _TWICE.fullmatch(item.name)) and item.role == Role.BUTTON:
                item = replace(item, name=twice[1])
            if item.at not in self.items:
                self.children.setdefault(item.parent, []).append(item)
            self.items[item.at] = item

    def shown(self, item: AccessibleItem) -> bool:
        """Whether the program says that it can be seen."""
        return self.counts_as_shown(item.role, item.states)

    def counts_as_shown(self, role: int, states: int) -> bool:
        """Whether an object of this role and with these states may be seen."""
        if has(states, State.DEFUNCT):
            return False
        hides = self.menus_hide and role in OF_MENUS
        return has(states, State.VISIBLE if hides else self.showing)

    def top(self, item: AccessibleItem) -> AccessibleItem | None:
        """The window it is in; None when its line of parents is broken or a parent is not shown."""
        if item.at not in self._tops:
            self._tops[item.at] = None  # a loop of parents ends here
            parent = self.items.get(item.parent)
            if parent is None and item.parent in self.hidden:
                return None
            if parent is None or parent.role == Role.APPLICATION:
                self._tops[item.at] = item
            elif self.shown(parent) or parent.role in (Role.MENU, Role.COMBO_BOX):
                self._tops[item.at] = self.top(parent)
        return self._tops[item.at]

    def dropdown(self, item: AccessibleItem) -> AccessibleItem | None:
        """The drop-down list of GTK 4 that this is a part of, not of the popover with its options."""
        for above in (item, *self.above(item)):
            if above.at in self.popovers:
                return None
            if above.role == Role.COMBO_BOX and above is not item:
                return above
        return None

    def parent(self, item: AccessibleItem) -> AccessibleItem | None:
        """The item that holds this one."""
        return self.items.get(item.parent)

    def path(self, item: AccessibleItem) -> str:
        """Roles and places from the window down, `/`-separated."""
        if item.at not in self._paths:
            self._paths[item.at] = ""  # a loop of parents ends here
            parent = self.items.get(item.parent)
            above = self.path(parent) + "/" if parent is not None else ""
            siblings = self.children.get(item.parent, ())
            place = (
                item.index if item.index >= 0 else next((i for i, s in enumerate(siblings) if s is item), 0)
            )
            self._paths[item.at] = f"{above}{aria_role(item.role, item.states) or 'group'}[{place + 1}]"
        return self._paths[item.at]
