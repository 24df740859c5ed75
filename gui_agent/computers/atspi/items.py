"""What programs say of their accessible objects, in bulk or one by one, as one kind of value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.computers.atspi.bus import ATSPI, Reference
from gui_agent.computers.atspi.vocabulary import Role, State, aria_role, has, states_of

_PREFIX = len(ATSPI) + 1


@dataclass(frozen=True, slots=True)
class Item:
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


def cached(rows: Iterable[Sequence[Any]]) -> dict[Reference, Item]:
    """The rows of `Cache.GetItems` by where they live.

    GTK, LibreOffice and Chromium send place and number of children, the older form of Qt the children
    themselves; the two are told apart by the type of the fourth field.
    """
    items: dict[Reference, Item] = {}
    for row in rows:
        if isinstance(row[3], int):
            at, _, parent, index, count, interfaces, name, role, description, states = row
        else:
            at, _, parent, children, interfaces, name, role, description, states = row
            index, count = -1, len(children)
        item = Item(
            tuple(at),
            tuple(parent),
            index,
            count,
            short(interfaces),
            name,
            role,
            description,
            states_of(states),
        )
        items[item.at] = item
    return items


_known: dict[tuple[str, ...], frozenset[str]] = {}


def short(interfaces: Sequence[str]) -> frozenset[str]:
    """Names of interfaces without the prefix they share; the same few sets come again and again."""
    key = tuple(interfaces)
    if key not in _known:
        _known[key] = frozenset(name[_PREFIX:] for name in interfaces)
    return _known[key]


class Tree:
    """The items of one program, and how they hang together."""

    def __init__(self, items: dict[Reference, Item], gtk4: bool = False) -> None:
        self.items = items
        self.showing = State.VISIBLE if gtk4 else State.SHOWING
        """GTK 4 says only of a window that it is showing."""
        self.children: dict[Reference, list[Item]] = {}
        for item in items.values():
            self.children.setdefault(item.parent, []).append(item)
        for siblings in self.children.values():
            siblings.sort(key=lambda item: item.index)
        self.claims: dict[Reference, Item] = {}
        """Objects that are children of another one than they say."""
        self.adopted: set[Reference] = set()
        """Of these, the ones whose own word for their parent leads nowhere."""
        self._paths: dict[Reference, str] = {}
        self._tops: dict[Reference, Item | None] = {}

    def claim(self, child: Reference, parent: Item) -> None:
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

    def above(self, item: Item) -> Iterator[Item]:
        """Its parent, the parent of that, and so on."""
        seen = {item.at}
        above = self.items.get(item.parent)
        while above is not None and above.at not in seen:
            seen.add(above.at)
            yield above
            above = self.items.get(above.parent)

    def add(self, items: Iterable[Item]) -> None:
        """Take in items that were found later."""
        for item in items:
            if item.at not in self.items:
                self.children.setdefault(item.parent, []).append(item)
            self.items[item.at] = item

    def shown(self, item: Item) -> bool:
        """Whether the program says that it can be seen."""
        return item.has(self.showing) and not item.has(State.DEFUNCT)

    def top(self, item: Item) -> Item | None:
        """The window it is in; None when its line of parents is broken or a parent is not shown."""
        if item.at not in self._tops:
            self._tops[item.at] = None  # a loop of parents ends here
            parent = self.items.get(item.parent)
            if parent is None or parent.role == Role.APPLICATION:
                self._tops[item.at] = item
            elif self.shown(parent) or parent.role in (Role.MENU, Role.COMBO_BOX):
                self._tops[item.at] = self.top(parent)
        return self._tops[item.at]

    def parent(self, item: Item) -> Item | None:
        """The item that holds this one."""
        return self.items.get(item.parent)

    def path(self, item: Item) -> str:
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
