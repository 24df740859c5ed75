"""UI Automation through comtypes: a window's whole tree in one request to its program.

comtypes is used as it is rather than `uiautomation` or `pywinauto`, which are both built on it: they ask the
program once for every property of every element, where a cached request asks once for all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from gui_agent.core.errors import MissingExtra, Stale
from gui_agent.core.geometry import Box, Point

LIBRARY = "UIAutomationCore.dll"
SUBTREE = 7
"""Element, children and descendants."""
PROPERTIES: dict[str, int] = {
    "runtime": 30000,
    "box": 30001,
    "control": 30003,
    "name": 30005,
    "focused": 30008,
    "enabled": 30010,
    "id": 30011,
    "kind": 30012,
    "help": 30013,
    "secret": 30019,
    "offscreen": 30022,
    "value": 30045,
    "readonly": 30046,
    "range": 30047,
    "opened": 30070,
    "selected": 30079,
    "toggled": 30086,
}
"""The properties that are read, by their ids."""
PATTERNS: dict[str, int] = {
    "invoke": 30031,
    "value": 30043,
    "range": 30033,
    "toggle": 30041,
    "select": 30036,
    "expand": 30028,
    "scroll": 30034,
}
"""The properties that say whether an element can be used in a way."""
VALUE_PATTERN = 10002
GONE = 0x80040201 - (1 << 32)
"""The code of an element that is no longer there."""


@dataclass(frozen=True, slots=True)
class UiaElement:
    """An element as UI Automation tells it, with those in it."""

    runtime: tuple[int, ...]
    """What the element is called as long as it lives."""
    control: int
    box: Box
    """In coordinates of Windows."""
    told: dict[str, Any]
    """The other properties by the names of `PROPERTIES`; what an element does not have is missing."""
    patterns: frozenset[str] = frozenset()
    children: tuple[UiaElement, ...] = field(default=(), repr=False)

    def all(self) -> Iterator[UiaElement]:
        """This element and all in it."""
        yield self
        for child in self.children:
            yield from child.all()


class Automation(Protocol):
    """UI Automation as far as it is used; any call may raise `Stale` for what is gone or does not answer."""

    def tree(self, window: int, seconds: float) -> UiaElement:
        """A window and all that is shown in it."""

    def at(self, point: Point) -> UiaElement | None:
        """The innermost element at a point, in coordinates of Windows, without those in it."""

    def set_value(self, window: int, runtime: tuple[int, ...], text: str) -> bool:
        """Give an element of a window a text; False where it takes none."""


class ComAutomation:
    """The real one. It has never been run by those who wrote it; see docs/windows.md."""

    def __init__(self) -> None:
        """Connect to UI Automation.

        Raises:
            MissingExtra: comtypes is not installed, or this is not Windows.
        """
        comtypes = _comtypes()
        self._error: Any = comtypes.COMError
        client = import_module("comtypes.client")
        library = self._library = client.GetModule(LIBRARY)
        self._root: Any = client.CreateObject(
            library.CUIAutomation8, interface=library.IUIAutomation2, clsctx=comtypes.CLSCTX_INPROC_SERVER
        )
        shown = self._root.CreatePropertyCondition(PROPERTIES["offscreen"], False)
        condition = self._root.CreateAndCondition(self._root.ControlViewCondition, shown)
        self._whole = self._request(condition, SUBTREE)
        self._single = self._request(self._root.ControlViewCondition, 1)

    def tree(self, window: int, seconds: float) -> UiaElement:
        """A window and all that is shown in it, by one request to its program."""
        try:
            self._root.TransactionTimeout = max(1, round(1000 * seconds))
            return self._found(self._root.ElementFromHandleBuildCache(window, self._whole), deep=True)
        except self._error as error:
            raise _stale(error) from error

    def at(self, point: Point) -> UiaElement | None:
        """The innermost element at a point."""
        place = self._library.tagPOINT(point.x, point.y)
        try:
            element = self._root.ElementFromPointBuildCache(place, self._single)
            return self._found(element, deep=False) if element else None
        except self._error as error:
            raise _stale(error) from error

    def set_value(self, window: int, runtime: tuple[int, ...], text: str) -> bool:
        """Give an element a text."""
        wanted = self._root.CreatePropertyCondition(PROPERTIES["runtime"], list(runtime))
        try:
            element = self._root.ElementFromHandle(window).FindFirst(SUBTREE, wanted)
            pattern = element.GetCurrentPattern(VALUE_PATTERN) if element else None
            if not pattern:
                return False
            value = pattern.QueryInterface(self._library.IUIAutomationValuePattern)
            if value.CurrentIsReadOnly:
                return False
            value.SetValue(text)
            return True
        except self._error as error:
            raise _stale(error) from error

    def _request(self, condition: Any, scope: int) -> Any:
        request = self._root.CreateCacheRequest()
        for number in (*PROPERTIES.values(), *PATTERNS.values()):
            request.AddProperty(number)
        request.TreeFilter = condition
        request.TreeScope = scope
        return request

    def _found(self, element: Any, *, deep: bool) -> UiaElement:
        def told(number: int) -> Any:
            # Asked to leave out defaults, it answers with an object where an element has no such property.
            value = element.GetCachedPropertyValueEx(number, True)
            return value if isinstance(value, bool | int | float | str | tuple | list) else None

        values = {name: value for name, n in PROPERTIES.items() if (value := told(n)) is not None}
        children = element.GetCachedChildren() if deep else None
        inner = (children.GetElement(place) for place in range(children.Length)) if children else ()
        return UiaElement(
            runtime=tuple(int(part) for part in values.pop("runtime", ())),
            control=int(values.pop("control", 0)),
            box=box_of(values.pop("box", ())),
            told=values,
            patterns=frozenset(name for name, number in PATTERNS.items() if told(number)),
            children=tuple(self._found(child, deep=True) for child in inner),
        )


def enter_thread() -> None:
    """Make the running thread one of those that share UI Automation's objects; each does so once."""
    _comtypes().CoInitializeEx(0)


def _comtypes() -> Any:
    # Read by comtypes when it is imported: threads share objects instead of each having its own.
    sys.coinit_flags = 0  # type: ignore[attr-defined]
    try:
        return import_module("comtypes")
    except (ImportError, OSError) as error:
        raise MissingExtra("desktop", "the elements of Windows programs") from error


def box_of(sides: Any) -> Box:
    """A box from left, top, width and height, which are infinite for what has no place."""
    if len(sides) != 4 or not all(abs(side) < 1e6 for side in sides):
        return Box(0, 0, 0, 0)
    left, top, width, height = (round(side) for side in sides)
    return Box(left, top, width, height)


def _stale(error: Any) -> Stale:
    code = getattr(error, "hresult", 0)
    if code == GONE:
        return Stale("the element is no longer there; look at the screen again")
    return Stale(f"the program does not answer about its elements ({code & 0xFFFFFFFF:#x}); look again")
