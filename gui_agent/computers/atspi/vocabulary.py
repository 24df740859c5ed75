"""Translates roles and states of the accessibility bus to the agent's, and holds objects as reported.

The numbers are those of `AtspiRole` and `AtspiStateType`, which are part of the protocol.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from typing import Any

from gui_agent.computers.atspi.bus import ATSPI, Reference
from gui_agent.core.texts import table


class Role(IntEnum):
    """The roles that need special treatment."""

    CHECK_BOX = 7
    COMBO_BOX = 11
    DIALOG = 16
    FILLER = 20
    FRAME = 23
    ICON = 26
    LABEL = 29
    LIST = 31
    LIST_ITEM = 32
    MENU = 33
    MENU_BAR = 34
    MENU_ITEM = 35
    TAB = 37
    PANEL = 39
    PASSWORD = 40
    BUTTON = 43
    ROOT_PANE = 46
    TABLE = 55
    TABLE_CELL = 56
    TERMINAL = 60
    TEXT = 61
    TOGGLE_BUTTON = 62
    TREE = 65
    TREE_TABLE = 66
    WINDOW = 69
    APPLICATION = 75
    POPUP_MENU = 41
    SPREADSHEET = 92
    STATIC = 116
    DOCUMENT_TEXT = 94
    DOCUMENT_WEB = 95


_ROLES = {
    int(number): role
    for number, role in table(
        "2=alertdialog 5=grid 6=canvas 7=checkbox 8=menuitemcheckbox 9=group 10=columnheader"
        " 11=combobox 12=textbox 13=icon 15=slider 16=dialog 18=canvas 19=dialog 22=dialog 26=icon"
        " 27=img 29=text 31=listbox 32=option 33=menuitem 34=menubar 35=menuitem 37=tab 38=tablist"
        " 40=textbox 41=menu 42=progressbar 43=button 44=radio 45=menuitemradio 47=rowheader"
        " 48=scrollbar 51=slider 52=spinbutton 54=status 55=grid 56=gridcell 57=columnheader"
        " 58=rowheader 59=menuitem 60=terminal 61=textbox 62=togglebutton 64=tooltip 65=tree"
        " 66=treegrid 73=paragraph 76=combobox 77=textbox 79=textbox 81=text 83=heading 88=link 90=row"
        " 91=treeitem 94=textbox 97=text 98=listbox 101=alert 102=alert 103=progressbar 105=text"
        " 112=text 113=math 114=slider 115=timer 116=text 122=term 123=definition 129=button"
    ).items()
}

DIALOGS = frozenset({2, 9, 16, 19, 22})
"""Roles of top-level windows that wait for an answer."""
OPERABLE = frozenset(
    (
        *(7, 8, 11, 12, 15, 32, 33, 35, 37, 40, 41, 43, 44, 45, 48, 51, 52, 59, 60, 61, 62, 76, 77, 79),
        *(88, 91, 129),
    )
)
"""Roles of operable objects, named or not."""
TELLING = frozenset({2, 6, 18, 26, 27, 29, 42, 54, 57, 64, 73, 81, 83, 97, 101, 102, 103, 105, 112, 115, 116})
"""Roles of objects that count if they have a name or a value."""
CLIPPING = frozenset({31, 49, 55, 65, 66, 68, 82, 94, 95, 98})
"""Roles of objects that clip their content."""
NAMED_BY_CONTENT = frozenset({7, 8, 32, 35, 37, 43, 44, 45, 56, 62, 88, 90, 91})
"""Roles of objects that take their name from the texts in them."""
HOLDING = frozenset({31, 34, 38, 55, 65, 66, 98})
"""Roles of containers; they count if they are focusable or have a name."""
TYPED_INTO = frozenset({40, 52, 60, 61, 76, 77, 79, 94})
"""Roles whose text is a value."""
MEASURED = frozenset({15, 42, 48, 51, 52, 103, 114})
"""Roles whose number is a value."""
OF_MENUS = frozenset({8, 33, 35, 45, 50, 59})
"""Roles of the parts of a menu."""
_SWITCHED = frozenset({7, 8, 43, 44, 45, 56, 62})


class State(IntEnum):
    """The relevant states, by their bit."""

    ACTIVE = 1
    CHECKED = 4
    DEFUNCT = 6
    EDITABLE = 7
    ENABLED = 8
    EXPANDABLE = 9
    EXPANDED = 10
    FOCUSABLE = 11
    FOCUSED = 12
    MODAL = 16
    MULTI_LINE = 17
    PRESSED = 20
    SELECTED = 23
    SENSITIVE = 24
    SHOWING = 25
    VISIBLE = 30
    MANAGES_DESCENDANTS = 31
    INDETERMINATE = 32
    REQUIRED = 33
    INVALID_ENTRY = 36
    IS_DEFAULT = 39
    CHECKABLE = 41
    HAS_POPUP = 42
    READ_ONLY = 43


_STATES = (
    (State.SELECTED, "selected"),
    (State.EXPANDED, "expanded"),
    (State.FOCUSED, "focused"),
    (State.INDETERMINATE, "mixed"),
    (State.REQUIRED, "required"),
    (State.INVALID_ENTRY, "invalid"),
    (State.EDITABLE, "editable"),
    (State.HAS_POPUP, "haspopup"),
    (State.READ_ONLY, "readonly"),
)


def has(states: int, state: State) -> bool:
    return bool(states >> state & 1)


def states_of(words: list[int]) -> int:
    low, high = (*words, 0, 0)[:2]
    return low & 0xFFFFFFFF | (high & 0xFFFFFFFF) << 32


def aria_role(role: int, states: int) -> str:
    """The role in observations; empty for mere containers."""
    if role == Role.DOCUMENT_TEXT and not has(states, State.EDITABLE):
        return "document"
    return _ROLES.get(role, "")


@cache
def aria_states(role: int, states: int) -> frozenset[str]:
    held = {word: has(states, state) for state, word in _STATES}
    on = has(states, State.CHECKED)
    pressed = role in (Role.BUTTON, Role.TOGGLE_BUTTON) and (on or has(states, State.PRESSED))
    held |= {
        "disabled": role in OPERABLE and not has(states, State.SENSITIVE) and not has(states, State.ENABLED),
        "checked": role in _SWITCHED and on,
        "pressed": pressed,
        "collapsed": has(states, State.EXPANDABLE) and not held["expanded"],
        "multiline": role in TYPED_INTO and (has(states, State.MULTI_LINE) or role == Role.DOCUMENT_TEXT),
        "haspopup": held["haspopup"] or role in (Role.MENU, Role.COMBO_BOX),
        "password": role == Role.PASSWORD,
    }
    return frozenset(word for word, holds in held.items() if holds)


_PREFIX = len(ATSPI) + 1
_CLASS = re.compile(r"(?:Gtk|Adw)[A-Z]\w+|[A-Z]\w*[a-z](?:Entry|View|Page)")
"""GTK 4's name for an unnamed object: its class name, from GTK or the program."""
_POPOVER = re.compile(r"GtkPopover(?:Menu)?")
_KEPT = frozenset({Role.APPLICATION, Role.MENU, Role.COMBO_BOX})
"""Roles of objects that may have visible content without being visible themselves."""


@dataclass(frozen=True, slots=True)
class AccessibleItem:
    """One accessible object at one moment."""

    at: Reference
    parent: Reference
    index: int
    """Index among the parent's children; -1 if the program does not report it."""
    count: int
    """Number of children; -1 for a table too large to count."""
    interfaces: frozenset[str]
    name: str
    role: int
    description: str
    states: int

    def has(self, state: State) -> bool:
        return has(self.states, state)

    def offers(self, interface: str) -> bool:
        """Whether it implements this interface, such as `Text`."""
        return interface in self.interfaces


def tree_from_cache(rows: Sequence[Sequence[Any]], gtk4: bool = False, menus_hide: bool = False) -> Tree:
    """The tree from the rows of `Cache.GetItems`; hidden objects are only noted.

    GTK, LibreOffice and Chromium send the index and the number of children, the older Qt format the children
    themselves; the type of the fourth field shows the format.
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
    """Names of interfaces without their common prefix; cached, as the same few sets recur."""
    key = tuple(interfaces)
    if key not in _known:
        _known[key] = frozenset(name[_PREFIX:] for name in interfaces)
    return _known[key]


class Tree:
    """The objects of one program and their hierarchy."""

    def __init__(
        self, items: Iterable[AccessibleItem] = (), gtk4: bool = False, menus_hide: bool = False
    ) -> None:
        """Args: menus_hide: the content of open menus lacks the state "showing" (GTK 2)."""
        self.menus_hide = menus_hide
        self.gtk4 = gtk4
        self.items: dict[Reference, AccessibleItem] = {}
        self.hidden: set[Reference] = set()
        """Invisible objects, such as the content of closed menus: the majority in many programs."""
        self.showing = State.VISIBLE if gtk4 else State.SHOWING
        """In GTK 4, only windows have the state "showing"."""
        self.children: defaultdict[Reference, list[AccessibleItem]] = defaultdict(list)
        self._hidden_children: Counter[Reference] = Counter()
        self.claims: dict[Reference, AccessibleItem] = {}
        """Children of objects that are not their reported parents."""
        self.popovers: set[Reference] = set()
        """GTK 4 popovers: they have their own window, but report positions as if inside the one below."""
        self.adopted: set[Reference] = set()
        """The popovers without a valid reported parent."""
        self._paths: dict[Reference, str] = {}
        self._tops: dict[Reference, AccessibleItem | None] = {}
        self.add(items)

    def hide(self, at: Reference, parent: Reference) -> None:
        """Note an invisible object."""
        self.hidden.add(at)
        self._hidden_children[parent] += 1

    def lacks(self, item: AccessibleItem) -> bool:
        """Whether it has more children than are known."""
        return len(self.children[item.at]) + self._hidden_children[item.at] < item.count

    def claim(self, child: Reference, parent: AccessibleItem) -> None:
        """Note that an object has a child that reports another parent, or none.

        LibreOffice puts toolkit objects between its own, and these do not know their parents.
        """
        item = self.items[child]
        if parent.at in (item.parent, child):
            return
        self.claims[child] = parent
        if item.parent not in self.items:
            self.items[child] = replace(item, parent=parent.at)
            self.children[parent.at].append(self.items[child])
            self.adopted.add(child)
            self._paths.clear()
            self._tops.clear()

    def above(self, item: AccessibleItem) -> Iterator[AccessibleItem]:
        seen = {item.at}
        above = self.items.get(item.parent)
        while above is not None and above.at not in seen:
            seen.add(above.at)
            yield above
            above = self.items.get(above.parent)

    def add(self, items: Iterable[AccessibleItem]) -> None:
        for given in items:
            item = given
            if self.gtk4 and _CLASS.fullmatch(item.name):
                if _POPOVER.fullmatch(item.name):
                    self.popovers.add(item.at)
                item = replace(item, name="")
            elif self.gtk4 and item.role == Role.BUTTON:
                words = (
                    item.name.split()
                )  # the object's text may contain the mnemonic mark, unlike the label's
                text = " ".join(words[len(words) // 2 :])
                if item.name.replace("_", "") == f"{text} {text}":
                    item = replace(item, name=text)
            if item.at not in self.items:
                self.children[item.parent].append(item)
            self.items[item.at] = item

    def is_shown(self, item: AccessibleItem) -> bool:
        """Whether the program reports it as visible."""
        return self.counts_as_shown(item.role, item.states)

    def counts_as_shown(self, role: int, states: int) -> bool:
        """Whether an object with this role and these states may be visible."""
        if has(states, State.DEFUNCT):
            return False
        hides = self.menus_hide and role in OF_MENUS
        return has(states, State.VISIBLE if hides else self.showing)

    def toplevel(self, item: AccessibleItem) -> AccessibleItem | None:
        """The window of an object; None if its chain of parents is broken or a parent is invisible."""
        if item.at not in self._tops:
            self._tops[item.at] = None  # ends a cycle of parents here
            parent = self.items.get(item.parent)
            if parent is None and item.parent in self.hidden:
                return None
            if parent is None or parent.role == Role.APPLICATION:
                self._tops[item.at] = item
            elif self.is_shown(parent) or parent.role in (Role.MENU, Role.COMBO_BOX):
                self._tops[item.at] = self.toplevel(parent)
        return self._tops[item.at]

    def dropdown(self, item: AccessibleItem) -> AccessibleItem | None:
        """The GTK 4 drop-down list that it is a part of, not counting the popover with the options."""
        for above in (item, *self.above(item)):
            if above.at in self.popovers:
                return None
            if above.role == Role.COMBO_BOX and above is not item:
                return above
        return None

    def parent(self, item: AccessibleItem) -> AccessibleItem | None:
        return self.items.get(item.parent)

    def path(self, item: AccessibleItem) -> str:
        """Roles and indices from the window down, `/`-separated."""
        if item.at not in self._paths:
            self._paths[item.at] = ""  # ends a cycle of parents here
            parent = self.items.get(item.parent)
            above = self.path(parent) + "/" if parent is not None else ""
            siblings = self.children[item.parent]
            place = (
                item.index if item.index >= 0 else next((i for i, s in enumerate(siblings) if s is item), 0)
            )
            self._paths[item.at] = f"{above}{aria_role(item.role, item.states) or 'group'}[{place + 1}]"
        return self._paths[item.at]
