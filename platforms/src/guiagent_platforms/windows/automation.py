"""UI Automation through COM, with the libraries that it needs.

Uses comtypes directly instead of `uiautomation` or `pywinauto`, which are based on it: they request every
property of every element separately, while a cached request reads all of them at once.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from ctypes import wintypes
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Protocol

from gui_agent.core.errors import ConfigError, MissingExtra, Stale
from gui_agent.core.observation import Box, Point
from gui_agent.core.texts import shorten, table

NOT_IF_HUNG = 0x2
OWNER, STYLE, MINIMISABLE = 4, -16, 0x20000
H = ctypes.c_void_p
TYPES: dict[str, tuple[Any, ...]] = {
    # Result, then arguments; functions with only plain numbers need no declaration.
    "GetForegroundWindow": (H,),
    "GetWindow": (H, H, wintypes.UINT),
    "GetClipboardData": (H, wintypes.UINT),
    "GetKeyboardLayout": (H, wintypes.DWORD),
    "GlobalLock": (H, H),
    "GlobalUnlock": (wintypes.BOOL, H),
    "OpenProcess": (H, wintypes.DWORD, wintypes.BOOL, wintypes.DWORD),
    "CloseHandle": (wintypes.BOOL, H),
    "QueryFullProcessImageNameW": (wintypes.BOOL, H, wintypes.DWORD, H, H),
    "IsWindow": (wintypes.BOOL, H),
    "IsWindowVisible": (wintypes.BOOL, H),
    "IsWindowEnabled": (wintypes.BOOL, H),
    "IsIconic": (wintypes.BOOL, H),
    "SetForegroundWindow": (wintypes.BOOL, H),
    "BringWindowToTop": (wintypes.BOOL, H),
    "OpenClipboard": (wintypes.BOOL, H),
    "FindWindowExW": (H, H, H, wintypes.LPCWSTR, wintypes.LPCWSTR),
    "GetWindowThreadProcessId": (wintypes.DWORD, H, H),
    "GetGUIThreadInfo": (wintypes.BOOL, wintypes.DWORD, H),
    "GetWindowTextW": (ctypes.c_int, H, wintypes.LPWSTR, ctypes.c_int),
    "GetClassNameW": (ctypes.c_int, H, wintypes.LPWSTR, ctypes.c_int),
    "GetWindowLongW": (ctypes.c_long, H, ctypes.c_int),
    "ShowWindow": (wintypes.BOOL, H, ctypes.c_int),
    "PostMessageW": (wintypes.BOOL, H, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t),
    "SendMessageTimeoutW": (
        *(ctypes.c_ssize_t, H, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t, wintypes.UINT),
        *(wintypes.UINT, ctypes.POINTER(ctypes.c_size_t)),
    ),
    "GetClientRect": (wintypes.BOOL, H, H),
    "GetWindowRect": (wintypes.BOOL, H, H),
    "ClientToScreen": (wintypes.BOOL, H, H),
    "WindowFromPoint": (H, wintypes.POINT),
    "GetAncestor": (H, H, wintypes.UINT),
    "DwmGetWindowAttribute": (ctypes.c_long, H, wintypes.DWORD, H, wintypes.DWORD),
    "ShellExecuteW": (H, H, *([wintypes.LPCWSTR] * 4), ctypes.c_int),
    "VirtualAllocEx": (H, H, H, ctypes.c_size_t, wintypes.DWORD, wintypes.DWORD),
    "VirtualFreeEx": (wintypes.BOOL, H, H, ctypes.c_size_t, wintypes.DWORD),
    "ReadProcessMemory": (wintypes.BOOL, H, H, H, ctypes.c_size_t, H),
    "WriteProcessMemory": (wintypes.BOOL, H, H, H, ctypes.c_size_t, H),
    "IsWow64Process": (wintypes.BOOL, H, H),
}


def library(name: str) -> Any:
    """A library of Windows with the types of its functions."""
    load = getattr(ctypes, "WinDLL", None)
    if load is None:
        raise ConfigError(f"this is {sys.platform}, not Windows; use --on desktop, which chooses by itself")
    loaded = load(name)
    for function, (result, *arguments) in TYPES.items():
        found = getattr(loaded, function, None)
        if found is not None:
            found.restype, found.argtypes = result, arguments
    return loaded


def is_main(user: Any, window: int) -> bool:
    """Whether a window is a program's main window and no dialog: it has no owner and can be minimised."""
    return not user.GetWindow(window, OWNER) and bool(user.GetWindowLongW(window, STYLE) & MINIMISABLE)


def ask(
    user: Any, window: int, message: int, first: int = 0, second: int = 0, *, seconds: float
) -> int | None:
    """The answer of a window to a message; None if its program hangs or the window is gone."""
    told = ctypes.c_size_t()
    limit = max(1, round(1000 * seconds))
    done = user.SendMessageTimeoutW(window, message, first, second, NOT_IF_HUNG, limit, ctypes.byref(told))
    return told.value if done else None


LIBRARY = "UIAutomationCore.dll"
SUBTREE = 7
"""Element, children and descendants."""
PROPERTIES: dict[str, int] = {
    name: int(number)
    for name, number in table(
        "runtime=30000 box=30001 control=30003 name=30005 focused=30008 enabled=30010 id=30011"
        " kind=30012 help=30013 secret=30019 offscreen=30022 value=30045 readonly=30046 range=30047"
        " opened=30070 selected=30079 toggled=30086 legacy_name=30092 legacy_value=30093"
    ).items()
}
"""The properties that are read, by their ids."""
PATTERNS: dict[str, int] = {
    name: int(number)
    for name, number in table(
        "invoke=30031 value=30043 range=30033 toggle=30041 select=30036 expand=30028 scroll=30034 text=30040"
    ).items()
}
"""The properties that report whether an element supports a pattern."""
TEXT_PATTERN = 10014
DOCUMENT, WINDOW, PANE = 50030, 50032, 50033
LONGEST = 4000
"""Maximum characters read of a text."""
PAGES = {"Chrome_WidgetWin_": "Chrome_RenderWidgetHostHWND", "MozillaWindowClass": ""}
"""Class name prefixes of browser windows, and the class of the inner window with the page.

Browsers build their tree only after a request to that window, and then after a moment.
"""
GONE = 0x80040201 - (1 << 32)
"""The error code of an element that no longer exists."""


@dataclass(frozen=True, slots=True)
class UiaElement:
    """An element as UI Automation reports it, with its descendants."""

    runtime: tuple[int, ...]
    """The element's identity during its life."""
    control: int
    box: Box
    """In coordinates of Windows."""
    told: dict[str, Any]
    """The other properties by the names of `PROPERTIES`; unsupported ones are missing."""
    patterns: frozenset[str] = frozenset()
    children: tuple[UiaElement, ...] = field(default=(), repr=False)

    def all(self) -> Iterator[UiaElement]:
        """This element and all of its descendants."""
        yield self
        for child in self.children:
            yield from child.all()


class Automation(Protocol):
    """A provider of elements; any call may raise `Stale` for elements that are gone or do not answer."""

    def tree(self, window: int) -> UiaElement:
        """A window and all of its visible elements."""

    def element_at(self, point: Point) -> UiaElement | None:
        """The innermost element at a point, in coordinates of Windows, without its children."""


class ComAutomation:
    """The COM implementation. Its authors have not run it on Windows itself; see docs/windows.md."""

    def __init__(self) -> None:
        comtypes = _comtypes()
        self._error: Any = comtypes.COMError
        client = import_module("comtypes.client")
        call = "GetModule"
        try:
            made = self._library = client.GetModule(LIBRARY)
            call = "CreateObject"
            self._root: Any = client.CreateObject(
                made.CUIAutomation8, interface=made.IUIAutomation2, clsctx=comtypes.CLSCTX_INPROC_SERVER
            )
            call = "CreateAndCondition"
            shown = self._root.CreatePropertyCondition(PROPERTIES["offscreen"], False)
            condition = self._root.CreateAndCondition(self._root.ControlViewCondition, shown)
            call = "CreateCacheRequest"
            self._whole = self._request(condition, SUBTREE)
            self._single = self._request(self._root.ControlViewCondition, 1)
        except (self._error, OSError, AttributeError, AssertionError) as error:
            why = shorten(str(error), 120)
            raise ConfigError(
                f"UI Automation is not available ({call}: {why}); use --observe vision"
            ) from error

    def tree(self, window: int) -> UiaElement:
        """A window and all of its visible elements, in one request to its program."""
        # The caller sets the timeout; UI Automation's own limits stay unchanged.
        try:
            found = self._read_element(self._root.ElementFromHandleBuildCache(window, self._whole), deep=True)
            # UI Automation treats a program's dialogs as parts of its main window.
            if found.control == WINDOW and is_main(library("user32"), window):
                found = replace(found, control=PANE)
            page = _page(found, window)
            if not page:
                return found
            return replace(
                found,
                children=(
                    *found.children,
                    self._read_element(self._root.ElementFromHandleBuildCache(page, self._whole), deep=True),
                ),
            )
        except self._error as error:
            raise _stale(error) from error

    def element_at(self, point: Point) -> UiaElement | None:
        place = self._library.tagPOINT(point.x, point.y)
        try:
            element = self._root.ElementFromPointBuildCache(place, self._single)
            return self._read_element(element, deep=False) if element else None
        except self._error as error:
            raise _stale(error) from error

    def _request(self, condition: Any, scope: int) -> Any:
        request = self._root.CreateCacheRequest()
        for number in (*PROPERTIES.values(), *PATTERNS.values()):
            request.AddProperty(number)
        request.TreeFilter = condition
        request.TreeScope = scope
        return request

    def _read_element(self, element: Any, *, deep: bool) -> UiaElement:
        def property_of(number: int) -> Any:
            # Without defaults, an unsupported property yields an object.
            value = element.GetCachedPropertyValueEx(number, True)
            return value if isinstance(value, bool | int | float | str | tuple | list) else None

        values = {name: value for name, n in PROPERTIES.items() if (value := property_of(n)) is not None}
        patterns = frozenset(name for name, number in PATTERNS.items() if property_of(number))
        if "text" in patterns and "value" not in patterns:
            values["value"] = self._text(element)
        children = element.GetCachedChildren() if deep else None
        inner = (children.GetElement(place) for place in range(children.Length)) if children else ()
        return UiaElement(
            runtime=tuple(int(part) for part in values.pop("runtime", ())),
            control=int(values.pop("control", 0)),
            box=box_of(values.pop("box", ())),
            told=values,
            patterns=patterns,
            children=tuple(self._read_element(child, deep=True) for child in inner),
        )

    def _text(self, element: Any) -> str:
        """The text of an editor that exposes only text ranges, such as Word and the Terminal."""
        pattern = element.GetCurrentPattern(TEXT_PATTERN)
        if not pattern:
            return ""
        ranges = pattern.QueryInterface(self._library.IUIAutomationTextPattern)
        return str(ranges.DocumentRange.GetText(LONGEST) or "").replace("\r\n", "\n").replace("\r", "\n")


def _page(found: UiaElement, window: int) -> int:
    """The window of a browser's page that is not in the tree yet; 0 for all others."""
    kind = str(found.told.get("kind", ""))
    inner = next((inner for begin, inner in PAGES.items() if kind.startswith(begin)), "")
    if not inner or any(one.control == DOCUMENT and one.children for one in found.all()):
        return 0
    user = library("user32")
    return int(user.FindWindowExW(window, None, inner, None) or 0)


def enter_thread() -> None:
    """Let the current thread share UI Automation's objects; once per thread."""
    _comtypes().CoInitializeEx(0)


def _comtypes() -> Any:
    # Read by comtypes at its import: threads share objects instead of having their own.
    sys.coinit_flags = 0  # type: ignore[attr-defined]
    try:
        return import_module("comtypes")
    except (ImportError, OSError) as error:
        raise MissingExtra("desktop", "the elements of Windows programs") from error


def box_of(sides: Any) -> Box:
    """A box from left, top, width and height, which are infinite without a position."""
    if len(sides) != 4 or not all(abs(side) < 1e6 for side in sides):
        return Box(0, 0, 0, 0)
    left, top, width, height = (round(side) for side in sides)
    return Box(left, top, width, height)


def box_between(sides: Any) -> Box:
    """The box of a `RECT`."""
    return Box.from_edges(sides.left, sides.top, sides.right, sides.bottom)


def _stale(error: Any) -> Stale:
    code = getattr(error, "hresult", 0)
    if code == GONE:
        return Stale("the element is no longer there; look at the screen again")
    return Stale(f"the program does not report its elements ({code & 0xFFFFFFFF:#x}); look again")
