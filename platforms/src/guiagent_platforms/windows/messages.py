"""Elements by window classes and messages, for programs that UI Automation misses or that are late.

Each control of classic Windows programs is a separate window. Its content (the items of a list, the
tabs of a row) is requested by messages, whose answers are read from the program's memory.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Sequence
from ctypes import wintypes
from typing import Any

from gui_agent.core.errors import Stale
from gui_agent.core.observation import Box, Point
from guiagent_platforms.windows.automation import UiaElement, ask, box_between, is_main, library

RIGHTS = 0x0008 | 0x0010 | 0x0020 | 0x1000
"""Rights to a process: its memory, and its path."""
KEPT, WRITABLE, GIVEN_BACK = 0x3000, 0x4, 0x8000
STRUCTURE, LONGEST_NAME = 256, 512
"""Bytes of a structure, and characters of a text after it."""
SIZE = STRUCTURE + 2 * (LONGEST_NAME + 8)


class ViewItem(ctypes.Structure):
    """`LVITEMW`, as far as needed for a text."""

    _fields_ = (
        *((name, wintypes.UINT) for name in ("mask", "item", "column", "state", "state_mask")),
        ("text", ctypes.c_void_p),
        ("length", ctypes.c_int),
        ("rest", ctypes.c_ubyte * 48),
    )


class TreeItem(ctypes.Structure):
    """`TVITEMW`."""

    _fields_ = (
        ("mask", wintypes.UINT),
        ("item", ctypes.c_void_p),
        ("state", wintypes.UINT),
        ("state_mask", wintypes.UINT),
        ("text", ctypes.c_void_p),
        ("length", ctypes.c_int),
        ("image", ctypes.c_int),
        ("selected_image", ctypes.c_int),
        ("children", ctypes.c_int),
        ("own", ctypes.c_ssize_t),
    )


class TabItem(ctypes.Structure):
    """`TCITEMW`."""

    _fields_ = (
        *((name, wintypes.UINT) for name in ("mask", "state", "state_mask")),
        ("text", ctypes.c_void_p),
        ("length", ctypes.c_int),
        ("image", ctypes.c_int),
        ("own", ctypes.c_ssize_t),
    )


class BranchPlace(ctypes.Structure):
    """A rectangle that starts with the handle of a tree's branch."""

    _fields_ = (("item", ctypes.c_void_p), ("rest", ctypes.c_ulonglong))


class ForeignMemory:
    """Memory in another program, for messages whose answer is more than a number."""

    def __init__(self, kernel: Any, process: int) -> None:
        self._kernel, self._process = kernel, process
        self.place = int(kernel.VirtualAllocEx(process, None, SIZE, KEPT, WRITABLE) or 0)
        self.text = self.place + STRUCTURE

    def put(self, value: ctypes.Structure) -> int:
        """Write a structure. Returns its address."""
        self._kernel.WriteProcessMemory(
            self._process, self.place, ctypes.byref(value), ctypes.sizeof(value), None
        )
        return self.place

    def get(self, value: Any, place: int = 0) -> Any:
        """Read a structure or buffer at an offset."""
        self._kernel.ReadProcessMemory(
            self._process, place or self.place, ctypes.byref(value), ctypes.sizeof(value), None
        )
        return value

    def words(self) -> str:
        """The text that the program wrote."""
        return str(self.get(ctypes.create_unicode_buffer(LONGEST_NAME + 8), self.text).value)

    def close(self) -> None:
        self._kernel.VirtualFreeEx(self._process, self.place, 0, GIVEN_BACK)


@contextlib.contextmanager
def memory_of(user: Any, kernel: Any, window: int) -> Iterator[ForeignMemory | None]:
    """Memory of a window's program; None if it has another word size (32 bits)."""
    pid, other, own = wintypes.DWORD(), wintypes.BOOL(), wintypes.BOOL()
    user.GetWindowThreadProcessId(window, ctypes.byref(pid))
    process = kernel.OpenProcess(RIGHTS, False, pid.value)
    if not process:
        yield None
        return
    try:
        kernel.IsWow64Process(process, ctypes.byref(other))
        kernel.IsWow64Process(kernel.GetCurrentProcess(), ctypes.byref(own))
        there = ForeignMemory(kernel, process) if other.value == own.value else None
        if there is None or not there.place:
            yield None
            return
        try:
            yield there
        finally:
            there.close()
    finally:
        kernel.CloseHandle(process)


ANSWERING = 0.3
"""Maximum seconds for a window to answer one message."""
MOST, DEEPEST, LONGEST = 200, 24, 4000
"""Maximum items of a list, depth of windows, and characters of a text."""
GET_TEXT, GET_LENGTH = 0x0D, 0x0E
STYLE, ID, FIRST_INSIDE, NEXT, ROOT = -16, -12, 5, 2, 2
BUTTON, CHECKBOX, COMBO, EDIT, ITEM, LISTBOX, MENU = 50000, 50002, 50003, 50004, 50007, 50008, 50009
PROGRESS, RADIO, SLIDER, SPINNER, STATUS, TABS, TAB = 50012, 50013, 50015, 50016, 50017, 50018, 50019
TEXT, TOOLBAR, TREE, BRANCH, GROUP, DIALOG, PANE = 50020, 50021, 50023, 50024, 50026, 50032, 50033
CONTROLS = {
    "button": BUTTON,
    "combobox": COMBO,
    "comboboxex32": COMBO,
    "combolbox": LISTBOX,
    "edit": EDIT,
    "listbox": LISTBOX,
    "msctls_progress32": PROGRESS,
    "msctls_statusbar32": STATUS,
    "msctls_trackbar32": SLIDER,
    "msctls_updown32": SPINNER,
    "static": TEXT,
    "systabcontrol32": TABS,
    "syslistview32": LISTBOX,
    "systreeview32": TREE,
    "toolbarwindow32": TOOLBAR,
    "#32768": MENU,
    "#32770": DIALOG,
}
"""Control types of UI Automation by window class."""
BUTTONS = {**dict.fromkeys((2, 3, 5, 6), CHECKBOX), **dict.fromkeys((4, 9), RADIO), 7: GROUP}
"""Control types of buttons by style: checkable, one of several, or a frame."""
LABELLED = frozenset((EDIT, COMBO, LISTBOX, TREE, SLIDER, PROGRESS))
"""Controls named by the text before them."""
LINE, SLACK = 28, 4
"""Height of a line in pixels, and tolerance for a text's position."""
READONLY, PASSWORD, OWN_DRAWN, HAS_STRINGS = 0x800, 0x20, 0x30, 0x40
CHECKED, DRAG_ACTIVATED, DROPPED = 0xF0, 0x400, 0x157
LIST_COUNT, LIST_SELECTED, LIST_TEXT, LIST_LENGTH, LIST_RECT, LIST_TOP = (
    0x18B,
    0x187,
    0x189,
    0x18A,
    0x198,
    0x18E,
)
VIEW_COUNT, VIEW_RECT, VIEW_STATE, VIEW_TEXT, VIEW_TOP, VIEW_SHOWN = (
    0x1004,
    0x100E,
    0x102C,
    0x1073,
    0x1027,
    0x1028,
)
VIEW_HEADER, HEADER_COUNT = 0x101F, 0x1200
TREE_RECT, TREE_NEXT, TREE_ITEM = 0x1104, 0x110A, 0x113E
TREE_FIRST_SHOWN, TREE_NEXT_SHOWN = 5, 6
TREE_TEXT, TREE_STATE, TREE_CHILDREN = 0x1, 0x8, 0x40
TAB_COUNT, TAB_RECT, TAB_CHOSEN, TAB_ITEM = 0x1304, 0x130A, 0x130B, 0x133C
SELECTED, FOCUSED, EXPANDED = 0x2, 0x1, 0x20
ASKED = {
    CHECKBOX: ("toggled", CHECKED),
    RADIO: ("toggled", CHECKED),
    COMBO: ("opened", DROPPED),
    SLIDER: ("range", DRAG_ACTIVATED),
}
"""The state of each control type, and the message that requests it."""


class MessageAutomation:
    """Reads windows by classes and messages. No call waits long for a hanging program."""

    def __init__(self) -> None:
        self._user, self._kernel = library("user32"), library("kernel32")

    def tree(self, window: int) -> UiaElement:
        return self._element_of(window, DEEPEST)

    def element_at(self, point: Point) -> UiaElement | None:
        found = self._user.WindowFromPoint(wintypes.POINT(point.x, point.y))
        window = self._user.GetAncestor(found, ROOT) if found else None
        while window:
            inside = [one for one in self._inside(window) if self._box(one).contains(point)]
            inside = [one for one in inside if self._control(one) != GROUP] or inside
            if not inside:
                break
            window = inside[0]
        if not window:
            return None
        whole = self._element_of(window, 0)
        return next((one for one in whole.children if one.box.contains(point)), whole)

    def _element_of(self, window: int, depth: int) -> UiaElement:
        kind, style, control = self._kind(window), self._style(window), self._control(window)
        text = self._text(window)
        told: dict[str, Any] = {"kind": kind}
        number = self._user.GetWindowLongW(window, ID)
        if depth < DEEPEST and 0 < number < 0xFFFF:
            told["id"] = str(number)
        if control in (EDIT, COMBO):
            flags = style if control == EDIT else 0
            told |= {"value": text, "readonly": bool(flags & READONLY), "secret": bool(flags & PASSWORD)}
        elif control not in LABELLED:
            told["name"] = text.replace("&&", "\0").replace("&", "").replace("\0", "&")
        if control in ASKED:
            name, message = ASKED[control]
            told[name] = self._ask(window, message)
        if control == RADIO:
            told["selected"] = told["toggled"] == 1
        if not self._user.IsWindowEnabled(window):
            told["enabled"] = False
        inner = list(self._items(window, kind, control))
        if depth > 0 and not inner:
            inner = [self._element_of(one, depth - 1) for one in self._inside(window)]
            label(inner)
        patterns = frozenset(told.keys() & {"value"})
        return UiaElement((window,), control, self._box(window), told, patterns, tuple(inner))

    def _items(self, window: int, kind: str, control: int) -> Iterator[UiaElement]:
        if kind in ("listbox", "combolbox"):
            yield from self._plain_items(window)
        reader = {
            "syslistview32": self._view_items,
            "systreeview32": self._branches,
            "systabcontrol32": self._tabs,
        }
        if kind in reader:
            with memory_of(self._user, self._kernel, window) as there:
                if there is not None:
                    yield from reader[kind](window, there)

    def _plain_items(self, window: int) -> Iterator[UiaElement]:
        drawn = self._style(window) & (OWN_DRAWN | HAS_STRINGS)
        if drawn and not drawn & HAS_STRINGS:
            return  # its texts are identified by its own numbers
        count, first = self._ask(window, LIST_COUNT), self._ask(window, LIST_TOP)
        chosen = self._ask(window, LIST_SELECTED)
        for number in range(first, min(count, first + MOST)):
            length = self._ask(window, LIST_LENGTH, number)
            if length > LONGEST:
                return
            text, place = ctypes.create_unicode_buffer(length + 1), wintypes.RECT()
            self._ask(window, LIST_TEXT, number, ctypes.addressof(text))
            self._ask(window, LIST_RECT, number, ctypes.addressof(place))
            seen = list(self._item(window, number, ITEM, text.value, place, selected=number == chosen))
            yield from seen
            if not seen:
                return

    def _view_items(self, window: int, there: ForeignMemory) -> Iterator[UiaElement]:
        first, shown = self._ask(window, VIEW_TOP), self._ask(window, VIEW_SHOWN)
        count, header = self._ask(window, VIEW_COUNT), self._ask(window, VIEW_HEADER)
        columns = min(8, max(1, (self._ask(header, HEADER_COUNT) or 1) if header else 1))
        for number in range(first, min(count, first + min(shown + 2, MOST))):
            words = [self._view_words(window, there, number, column) for column in range(columns)]
            self._ask(window, VIEW_RECT, number, there.put(wintypes.RECT()))
            state = self._ask(window, VIEW_STATE, number, SELECTED | FOCUSED)
            yield from self._item(
                window, number, ITEM, words[0], there.get(wintypes.RECT()),
                selected=bool(state & SELECTED), help="; ".join(filter(None, words[1:])),
            )  # fmt: skip

    def _view_words(self, window: int, there: ForeignMemory, number: int, column: int) -> str:
        item = ViewItem(item=number, column=column, text=there.text, length=LONGEST_NAME)
        return there.words() if self._ask(window, VIEW_TEXT, number, there.put(item)) else ""

    def _branches(self, window: int, there: ForeignMemory) -> Iterator[UiaElement]:
        branch = self._ask(window, TREE_NEXT, TREE_FIRST_SHOWN)
        for _ in range(MOST):
            if not branch:
                return
            mask = TREE_TEXT | TREE_STATE | TREE_CHILDREN
            wanted = TreeItem(mask=mask, item=branch, state_mask=0xFF, text=there.text, length=LONGEST_NAME)
            if not self._ask(window, TREE_ITEM, 0, there.put(wanted)):
                return
            item, name = there.get(TreeItem()), there.words()
            there.put(BranchPlace(branch, 0))
            self._ask(window, TREE_RECT, 1, there.place)
            opened = 3 if not item.children else int(bool(item.state & EXPANDED))
            place, chosen = there.get(wintypes.RECT()), bool(item.state & SELECTED)
            seen = list(self._item(window, branch, BRANCH, name, place, selected=chosen, opened=opened))
            yield from seen
            branch = self._ask(window, TREE_NEXT, TREE_NEXT_SHOWN, branch) if seen else 0

    def _tabs(self, window: int, there: ForeignMemory) -> Iterator[UiaElement]:
        chosen = self._ask(window, TAB_CHOSEN)
        for number in range(min(self._ask(window, TAB_COUNT), MOST)):
            self._ask(
                window, TAB_ITEM, number, there.put(TabItem(mask=1, text=there.text, length=LONGEST_NAME))
            )
            name = there.words()
            self._ask(window, TAB_RECT, number, there.put(wintypes.RECT()))
            place = there.get(wintypes.RECT())
            yield from self._item(window, number, TAB, name, place, selected=number == chosen)

    def _item(
        self, window: int, number: int, control: int, name: str, place: Any, **more: Any
    ) -> Iterator[UiaElement]:
        """An item, unless it is out of view."""
        corner, inside = wintypes.POINT(), wintypes.RECT()
        self._user.ClientToScreen(window, ctypes.byref(corner))
        self._user.GetClientRect(window, ctypes.byref(inside))
        seen = box_between(place).intersect(box_between(inside))
        if seen is not None:
            shown = seen.shift(corner.x, corner.y)
            yield UiaElement((window, number), control, shown, {"name": name, **more})

    def _inside(self, window: int) -> Iterator[int]:
        child = self._user.GetWindow(window, FIRST_INSIDE)
        while child:
            if self._user.IsWindowVisible(child):
                yield int(child)
            child = self._user.GetWindow(child, NEXT)

    def _control(self, window: int) -> int:
        kind = self._kind(window)
        if kind == "button":
            which = self._style(window) & 0xF
            return BUTTONS.get(which, BUTTON)
        control = CONTROLS.get(kind, EDIT if kind.startswith("richedit") else PANE)
        return PANE if control == DIALOG and is_main(self._user, window) else control

    def _kind(self, window: int) -> str:
        kind = ctypes.create_unicode_buffer(256)
        self._user.GetClassNameW(window, kind, len(kind))
        return kind.value.lower()

    def _style(self, window: int) -> int:
        return int(self._user.GetWindowLongW(window, STYLE))

    def _box(self, window: int) -> Box:
        edge = wintypes.RECT()
        self._user.GetWindowRect(window, ctypes.byref(edge))
        return box_between(edge)

    def _text(self, window: int) -> str:
        length = min(self._ask(window, GET_LENGTH), LONGEST)
        text = ctypes.create_unicode_buffer(length + 1)
        self._ask(window, GET_TEXT, length + 1, ctypes.addressof(text))
        return text.value.replace("\r\n", "\n")

    def _ask(self, window: int, message: int, first: int = 0, second: int = 0) -> int:
        told = ask(self._user, window, message, first, second, seconds=ANSWERING)
        if told is None:
            raise Stale("the program does not report its elements; look again")
        return ctypes.c_ssize_t(told).value


def label(siblings: Sequence[UiaElement]) -> None:
    """Name controls without text by the adjacent text, or the one directly above them.

    Their order means nothing: some dialogs list all texts first.
    """
    texts = [one for one in siblings if one.control == TEXT and one.told.get("name")]
    for one in siblings:
        if one.control not in LABELLED:
            continue
        beside = [text for text in texts if _is_beside(text.box, one.box)]
        above = [text for text in texts if _is_above(text.box, one.box)]
        nearest = max(beside, key=lambda text: text.box.edges[2], default=None)
        nearest = nearest or max(above, key=lambda text: text.box.edges[3], default=None)
        if nearest is not None:
            one.told["name"] = str(nearest.told.get("name", "")).rstrip(":")


def _is_above(text: Box, control: Box) -> bool:
    (left, top), (begin, _, _, end) = control.corner, text.edges
    return -SLACK <= top - end <= LINE // 2 and abs(begin - left) <= LINE


def _is_beside(text: Box, control: Box) -> bool:
    left, top = control.corner
    line = top + min(control.height, LINE) // 2
    return text.edges[2] <= left + SLACK and line in text.grow(SLACK).rows
