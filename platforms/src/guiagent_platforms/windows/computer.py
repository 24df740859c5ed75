"""A Windows desktop as a computer: `--on desktop` on Windows."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, wait
from ctypes import wintypes
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from gui_agent.computers.desktop.computer import SingleScreenComputer, WatchedDevice
from gui_agent.computers.desktop.elements import Observe, with_source
from gui_agent.computers.desktop.parts import Node, ScreenReading, Source, Window
from gui_agent.computers.desktop.person_watch import Ears, keys_taken, no_panic_key, panic_keys
from gui_agent.core.deadline import turns
from gui_agent.core.errors import ConfigError, MissingExtra, Stale
from gui_agent.core.observation import TEXT, Box, Point
from gui_agent.core.texts import table
from gui_agent.elements.roles import FIELDS, FRAMES, ONE_PIECE
from guiagent_platforms.windows import native
from guiagent_platforms.windows.automation import (
    LONGEST,
    Automation,
    ComAutomation,
    UiaElement,
    enter_thread,
    library,
)
from guiagent_platforms.windows.messages import MessageAutomation

if TYPE_CHECKING:
    from PIL.Image import Image

AT_ONCE = 8
"""Maximum windows read at the same time."""
UIA, MESSAGES = "uia", "win32"
"""The providers of elements."""
ANSWERING = 1.0
"""Maximum seconds for a program to report one element."""
SMALL = 2
"""Pixels; smaller elements cannot be pointed at."""
SAYING = 2
"""A window with fewer elements than this, including its frame, has no useful tree."""


class WindowsSource:
    """Elements of Windows programs: by UI Automation, or by messages where that has nothing or is late."""

    def __init__(
        self,
        corner: Callable[[], tuple[int, int]],
        automation: Callable[[], Automation] = ComAutomation,
        messages: Callable[[], Automation] = MessageAutomation,
        enter: Callable[[], None] | None = enter_thread,
    ) -> None:
        """Connect to UI Automation; if it is not available, use only messages.

        Args:
            corner: the origin of the picture in the coordinates of Windows.
            automation, messages, enter: replacements for tests.
        """
        self._corner = corner
        self._pool = ThreadPoolExecutor(AT_ONCE, "windows-elements", enter)
        self._pointing = ThreadPoolExecutor(1, "windows-point", enter)
        """Separate, so that hanging programs do not delay the check before a click."""
        self._plain = ThreadPoolExecutor(2, "windows-messages")
        self._messages = messages()
        self.trouble = ""
        """Why UI Automation is not available; empty if it is."""
        self._automation: Automation | None = None
        try:
            # Created, used and released only by these threads, because its objects belong to them.
            self._automation = self._pool.submit(automation).result()
        except (MissingExtra, ConfigError) as error:
            self.trouble = str(error)
        except BrokenExecutor:
            self.trouble = "comtypes is not installed; install with: pip install 'guiagent[desktop]'"
        if self.trouble:
            for pool in (self._pool, self._pointing):
                pool.shutdown(wait=False)
            self._pool = ThreadPoolExecutor(AT_ONCE, "windows-elements")
            self._pointing = ThreadPoolExecutor(1, "windows-point")
        self._asked: dict[int, Future[UiaElement]] = {}
        """Requests in progress, by window."""
        self._known: dict[int, tuple[Node, ...]] = {}
        self._paths: dict[int, dict[Hashable, str]] = {}
        """The path of each element in its window, including unlisted ones."""

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """Read all windows at the same time; late ones keep their previous elements."""
        present = {window.id: window for window in windows}
        # Answers that arrived after the last look count as previous; everything is requested again.
        self._keep(self._take_answers(tuple(self._asked)), present)
        self._known = {number: nodes for number, nodes in self._known.items() if number in present}
        fresh = {n: self._pool.submit(self._tell, n) for n in present if n not in self._asked}
        self._asked |= fresh
        wait(fresh.values(), seconds)
        told = self._take_answers(tuple(fresh))
        told |= self._told_plainly([number for number in present if number in self._asked])
        self._keep(told, present)
        late = dict.fromkeys(window.app for number, window in present.items() if number not in told)
        silent = tuple(n for n in present if n not in self._asked and len(self._known.get(n, ())) < SAYING)
        nodes = chain.from_iterable(self._known.get(number, ()) for number in present)
        return ScreenReading(tuple(nodes), silent, tuple(late))

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """The current node at a point; None if the program does not answer."""
        left, top = self._corner()
        there = Point(point.x + left, point.y + top)
        window = next((one for one in reversed(windows) if one.whole.contains(point)), None)
        number = window.id if window else 0
        # The provider of a window also reports its points, because the other one uses different identities.
        by_messages = any(node.source == MESSAGES for node in self._known.get(number, ()))
        told = self._messages if by_messages else self._automation or self._messages
        asked = self._pointing.submit(told.element_at, there)
        try:
            found = asked.result(ANSWERING)
        except (Stale, TimeoutError):
            return None
        if found is None:
            return None
        nodes = chain.from_iterable(self._known.values())
        known = next((node for node in nodes if node.key == found.runtime), None)
        path = self._paths.get(number, {}).get(found.runtime, "")
        return known or self._node(found, path, number, (left, top))

    def close(self) -> None:
        """Release the threads; one that waits for a frozen program ends with it."""
        for pool in (self._pool, self._pointing, self._plain):
            pool.shutdown(wait=False, cancel_futures=True)

    def _take_answers(self, windows: Sequence[int]) -> dict[int, UiaElement]:
        """The trees of the windows that have answered; those that are gone report nothing."""
        told = {}
        for number in windows:
            if self._asked[number].done():
                with contextlib.suppress(Stale):
                    told[number] = self._asked.pop(number).result()
        return told

    def _keep(self, told: Mapping[int, UiaElement], present: Mapping[int, Window]) -> None:
        for number in told.keys() & present.keys():
            self._known[number] = self._nodes(told[number], present[number])

    def _told_plainly(self, windows: Sequence[int]) -> dict[int, UiaElement]:
        if self._automation is None or not windows:
            return {}
        asked = {number: self._plain.submit(self._plainly, number) for number in windows}
        wait(asked.values(), ANSWERING)
        done = {number: one.result() for number, one in asked.items() if one.done()}
        return {number: found for number, found in done.items() if found is not None}

    def _tell(self, window: int) -> UiaElement:
        """The tree of a window, by messages if UI Automation reports almost nothing or fails."""
        if self._automation is None:
            return _by_messages(self._messages.tree(window))
        try:
            found = self._automation.tree(window)
        except Stale as error:
            other = self._plainly(window)
            if other is None:
                raise error
            return other
        return found if _says_much(found) else self._plainly(window) or found

    def _plainly(self, window: int) -> UiaElement | None:
        try:
            found = self._messages.tree(window)
        except Stale:
            return None
        return _by_messages(found) if _says_much(found) else None

    def _nodes(self, root: UiaElement, window: Window) -> tuple[Node, ...]:
        nodes: list[Node] = []
        paths: dict[Hashable, str] = {}
        corner = self._corner()
        source = MESSAGES if root.told.get("by") == MESSAGES else UIA

        def walk(found: UiaElement, path: str) -> None:
            node = self._node(found, path, window.id, corner, source)
            paths[found.runtime] = path
            if _says_something(node):
                nodes.append(node)
            if node.role not in ONE_PIECE or not node.name:  # its parts have information that it lacks
                seen: dict[int, int] = {}
                for child in found.children:
                    seen[child.control] = seen.get(child.control, 0) + 1
                    step = f"{role_of(child.control, child.patterns)}[{seen[child.control]}]"
                    walk(child, f"{path}/{step}")

        walk(root, role_of(root.control, root.patterns))
        self._paths[window.id] = paths
        return _with_labels(nodes)

    def _node(
        self, found: UiaElement, path: str, window: int, corner: tuple[int, int], source: str = ""
    ) -> Node:
        left, top = corner
        told, role = found.told, role_of(found.control, found.patterns)
        box = found.box.shift(-left, -top)
        value = str(told.get("value") or told.get("range") or told.get("legacy_value") or "")[:LONGEST]
        secret = bool(told.get("secret"))
        attributes = {
            name: str(told[key]) for name, key in (("id", "id"), ("class", "kind")) if told.get(key)
        }
        return Node(
            key=found.runtime,
            role=role,
            name=str(told.get("name") or told.get("legacy_name") or "")[:LONGEST],
            box=box,
            value="•" * len(value) if secret else value,
            states=_states(found, role),
            description=str(told.get("help", "")),
            path=path,
            attributes=attributes,
            window=window,
            source=source or (UIA if self._automation else MESSAGES),
        )


def _says_much(found: UiaElement) -> bool:
    return sum(1 for _ in found.all()) > SAYING


def _by_messages(found: UiaElement) -> UiaElement:
    return replace(found, told={**found.told, "by": MESSAGES})


def _states(found: UiaElement, role: str) -> frozenset[str]:
    told, on = found.told, found.told.get("toggled") == ON
    opened, written = told.get("opened", LEAF), role in FIELDS and "value" in found.patterns
    held = {
        "disabled": told.get("enabled") is False,
        "focused": told.get("focused"),
        "selected": told.get("selected"),
        "pressed": on and role == "togglebutton",
        "checked": (on and role != "togglebutton") or (role == "radio" and told.get("selected")),
        "mixed": told.get("toggled") == MIXED,
        "expanded": opened == EXPANDED,
        "collapsed": opened not in (EXPANDED, LEAF),
        "haspopup": opened != LEAF,
        "readonly": written and told.get("readonly"),
        "editable": written and not told.get("readonly"),
        "password": told.get("secret"),
    }
    return frozenset(state for state, holds in held.items() if holds)


def _says_something(node: Node) -> bool:
    if node.box.width <= SMALL or node.box.height <= SMALL:
        return False
    if node.role == TEXT or node.role in SILENT or node.role in FRAMES:
        return bool(node.name.strip())
    return True


def _with_labels(nodes: Sequence[Node]) -> tuple[Node, ...]:
    kept: list[Node] = []
    for node in nodes:
        inside = [
            one for one in kept if one.role != TEXT and one.name == node.name and one.box.encloses(node.box)
        ]
        if node.role != TEXT or not inside:
            kept.append(node)
    return tuple(replace(node, name=" ".join(node.name.split())) for node in kept)


ROLES: dict[int, str] = {
    int(number): role
    for number, role in table(
        "50000=button 50001=calendar 50002=checkbox 50003=combobox 50004=textbox 50005=link 50006=img"
        " 50007=option 50008=listbox 50009=menu 50010=menubar 50011=menuitem 50012=progressbar"
        " 50013=radio 50014=scrollbar 50015=slider 50016=spinbutton 50017=status 50018=tablist"
        " 50019=tab 50020=text 50021=toolbar 50022=tooltip 50023=tree 50024=treeitem 50025=custom"
        " 50026=group 50027=thumb 50028=grid 50029=row 50030=document 50031=splitbutton 50032=dialog"
        " 50033=group 50034=rowgroup 50035=columnheader 50036=table 50037=titlebar 50038=separator"
    ).items()
}
"""Control types by their ids."""
SILENT = frozenset(("group", "rowgroup", "separator", "thumb", "scrollbar", "titlebar", "tooltip", "custom"))
"""Roles that are listed only if they have their own name."""
ON, MIXED = 1, 2
"""States of checkable elements."""
EXPANDED, LEAF = 1, 3
"""States of expandable elements: 0 is collapsed, 2 partially expanded."""


def role_of(control: int, patterns: Collection[str]) -> str:
    """The ARIA role of a control type; a button that stays down is a toggle."""
    role = ROLES.get(control, "custom")
    if role == "button" and "toggle" in patterns:
        return "togglebutton"
    if role == "custom" and "invoke" in patterns:
        return "button"
    return "textbox" if role == "document" and "value" in patterns else role


HELD = {"alt": 0x1, "ctrl": 0x2, "shift": 0x4, "meta": 0x8}
ONCE, HOT_KEY, TAKE_OUT = 0x4000, 0x312, 0x1
NUMBER = 1
"""The id of this thread's hot key."""
PROBE, HEARING = "ctrl+alt+f9", 1.0
"""Keys to test as a panic key, and maximum seconds for them to be heard."""


class WindowsComputer(SingleScreenComputer):
    """A Windows desktop with its programs and windows; experimental."""

    EXPERIMENTAL = "experimental: run on Wine, not on a real Windows; guiagent doctor --screen checks it"

    @property
    def trouble(self) -> str:
        """Why elements come from messages and not from UI Automation; empty if they do not."""
        return str(getattr(getattr(self._source, "tree", self._source), "trouble", ""))

    def assumptions(self) -> Iterator[tuple[str, bool, str]]:
        """Assumptions about Windows, apart from those tested on monitors."""
        guarded = bool(getattr(self._device, "is_guarded", False))
        yield "keys are released when a run is killed", guarded, "allow this Python to start another one"
        heard = False
        with contextlib.suppress(ConfigError):  # the keys are taken
            ears = WindowsEars(PROBE)
            try:
                key, held = panic_keys(PROBE)
                for one in (*held, key):
                    self._device.press_key(one)
                for one in (key, *held):
                    self._device.release_key(one)
                heard = any(ears.was_pressed for _ in turns(HEARING, 0.02))
            finally:
                ears.close()
        yield "a panic key is heard in any program", heard, f"end the program that uses {PROBE}, or report it"

    @staticmethod
    def _connect(observe: Observe) -> tuple[WatchedDevice, Source]:
        from guiagent_platforms.windows.device import WindowsDevice

        device = WindowsDevice()
        return with_source(device, observe, lambda: WindowsSource(lambda: device.corner))

    @staticmethod
    def _ears(panic: str) -> Ears:
        return WindowsEars(panic)


class WindowsEars:
    """Listens for the panic key as a hot key, whatever program is in front, and reads the pointer.

    A hot key belongs to the thread that registered it, so all calls must come from the creating thread.
    """

    def __init__(self, panic: str) -> None:
        self._user = library("user32")
        self._registered = False
        if panic:
            key, held = panic_keys(panic)
            code = native.KEYS.get(key) or (ord(key.upper()) if key.isascii() and key.isalnum() else 0)
            if not code:
                raise no_panic_key(panic)
            mask = sum(HELD[name] for name in held) | ONCE
            # A thread gets its message queue by its first check; Wine misses hot keys registered before that.
            self._user.PeekMessageW(ctypes.byref(wintypes.MSG()), None, HOT_KEY, HOT_KEY, 0)
            if not self._user.RegisterHotKey(None, NUMBER, mask, code):
                raise keys_taken(panic)
            self._registered = True

    @property
    def was_pressed(self) -> bool:
        told, heard = wintypes.MSG(), False
        while self._user.PeekMessageW(ctypes.byref(told), None, HOT_KEY, HOT_KEY, TAKE_OUT):
            heard = True
        return heard

    @property
    def pointer(self) -> Point:
        at = wintypes.POINT()
        self._user.GetCursorPos(ctypes.byref(at))
        return Point(at.x, at.y)

    @property
    def corners(self) -> Sequence[tuple[int, int]]:
        """The current corners of all monitors together."""
        return Box(*map(self._user.GetSystemMetrics, (76, 77, 78, 79))).corners

    def close(self) -> None:
        if self._registered:
            self._registered = False
            self._user.UnregisterHotKey(None, NUMBER)
