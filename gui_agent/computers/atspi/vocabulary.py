"""Maps roles and states of AT-SPI to those of observations.

The numbers are those of `AtspiRole` and `AtspiStateType`, which are a part of the protocol.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache


class Role(IntEnum):
    """The roles that are treated in a way of their own."""

    CHECK_BOX = 7
    CHECK_MENU_ITEM = 8
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
    SPIN_BUTTON = 52
    TABLE = 55
    TABLE_CELL = 56
    COLUMN_HEADER = 57
    TERMINAL = 60
    TEXT = 61
    TOGGLE_BUTTON = 62
    TREE = 65
    TREE_TABLE = 66
    VIEWPORT = 68
    WINDOW = 69
    PARAGRAPH = 73
    APPLICATION = 75
    POPUP_MENU = 41
    SPREADSHEET = 92
    STATIC = 116
    DOCUMENT_TEXT = 94
    DOCUMENT_WEB = 95


_ROLES = {
    2: "alertdialog",
    5: "grid",
    6: "canvas",
    7: "checkbox",
    8: "menuitemcheckbox",
    9: "group",
    10: "columnheader",
    11: "combobox",
    12: "textbox",
    13: "icon",
    15: "slider",
    16: "dialog",
    18: "canvas",
    19: "dialog",
    22: "dialog",
    26: "icon",
    27: "img",
    29: "text",
    31: "listbox",
    32: "option",
    33: "menuitem",
    34: "menubar",
    35: "menuitem",
    37: "tab",
    38: "tablist",
    40: "textbox",
    41: "menu",
    42: "progressbar",
    43: "button",
    44: "radio",
    45: "menuitemradio",
    47: "rowheader",
    48: "scrollbar",
    51: "slider",
    52: "spinbutton",
    54: "status",
    55: "grid",
    56: "gridcell",
    57: "columnheader",
    58: "rowheader",
    59: "menuitem",
    60: "terminal",
    61: "textbox",
    62: "togglebutton",
    64: "tooltip",
    65: "tree",
    66: "treegrid",
    73: "paragraph",
    76: "combobox",
    77: "textbox",
    79: "textbox",
    81: "text",
    83: "heading",
    88: "link",
    90: "row",
    91: "treeitem",
    94: "textbox",
    97: "text",
    98: "listbox",
    101: "alert",
    102: "alert",
    103: "progressbar",
    105: "text",
    112: "text",
    113: "math",
    114: "slider",
    115: "timer",
    116: "text",
    122: "term",
    123: "definition",
    129: "button",
}

DIALOGS = frozenset({2, 9, 16, 19, 22})
"""Roles of top-level windows that wait for an answer."""
OPERABLE = frozenset(
    {
        7,
        8,
        11,
        12,
        15,
        32,
        33,
        35,
        37,
        40,
        41,
        43,
        44,
        45,
        48,
        51,
        52,
        59,
        60,
        61,
        62,
        76,
        77,
        79,
        88,
        91,
        129,
    }
)
"""Roles of things to operate, named or not."""
TELLING = frozenset({2, 6, 18, 26, 27, 29, 42, 54, 57, 64, 73, 81, 83, 97, 101, 102, 103, 105, 112, 115, 116})
"""Roles of things that count when they have a name or a value."""
CLIPPING = frozenset({31, 49, 55, 65, 66, 68, 82, 94, 95, 98})
"""Roles of things that show only a part of what they hold."""
NAMED_BY_CONTENT = frozenset({7, 8, 32, 35, 37, 43, 44, 45, 56, 62, 88, 90, 91})
"""Roles of things that are called by the texts in them when they have no name."""
HOLDING = frozenset({31, 34, 38, 55, 65, 66, 98})
"""Roles of things that hold others; they count when they can have the focus or have a name."""
TYPED_INTO = frozenset({40, 52, 60, 61, 76, 77, 79, 94})
"""Roles whose text is a value."""
MEASURED = frozenset({15, 42, 48, 51, 52, 103, 114})
"""Roles whose number is a value."""
OF_MENUS = frozenset({8, 33, 35, 45, 50, 59})
"""Roles of what a menu shows."""
_SWITCHED = frozenset({7, 8, 43, 44, 45, 56, 62})


class State(IntEnum):
    """The states that are looked at, by their bit."""

    ACTIVE = 1
    CHECKED = 4
    COLLAPSED = 5
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
    SELECTABLE = 22
    SELECTED = 23
    SENSITIVE = 24
    SHOWING = 25
    VISIBLE = 30
    MANAGES_DESCENDANTS = 31
    INDETERMINATE = 32
    REQUIRED = 33
    INVALID_ENTRY = 36
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
    """Whether the state is set."""
    return bool(states >> state & 1)


def states_of(words: list[int]) -> int:
    """The states as one number; the bus sends them as two words of 32 bits."""
    low, high = (*words, 0, 0)[:2]
    return low & 0xFFFFFFFF | (high & 0xFFFFFFFF) << 32


def aria_role(role: int, states: int) -> str:
    """What a role is called in observations; empty for what only holds others together."""
    if role == Role.DOCUMENT_TEXT and not has(states, State.EDITABLE):
        return "document"
    return _ROLES.get(role, "")


@cache
def aria_states(role: int, states: int) -> frozenset[str]:
    """What the states are called in observations."""
    found = {word for state, word in _STATES if has(states, state)}
    if role in OPERABLE and not has(states, State.SENSITIVE) and not has(states, State.ENABLED):
        found.add("disabled")
    if role in _SWITCHED and has(states, State.CHECKED):
        found.add("checked")
    if role in (Role.BUTTON, Role.TOGGLE_BUTTON) and (
        has(states, State.PRESSED) or has(states, State.CHECKED)
    ):
        found.add("pressed")
    if has(states, State.EXPANDABLE) and not has(states, State.EXPANDED):
        found.add("collapsed")
    if role in TYPED_INTO and (has(states, State.MULTI_LINE) or role == Role.DOCUMENT_TEXT):
        found.add("multiline")
    if role in (Role.MENU, Role.COMBO_BOX):
        found.add("haspopup")
    if role == Role.PASSWORD:
        found.add("password")
    return frozenset(found)
