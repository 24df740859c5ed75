"""The source that sees by UI Automation: all windows at once, none of which can hold up the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING

from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.computers.windows.automation import Automation, ComAutomation, UiaElement, enter_thread
from gui_agent.core.errors import MissingExtra, Stale
from gui_agent.core.geometry import Box, Point
from gui_agent.core.observation import TEXT
from gui_agent.elements.roles import FIELDS, FRAMES, ONE_PIECE

if TYPE_CHECKING:
    from PIL.Image import Image


AT_ONCE = 4
"""Windows that are read at the same time."""
ANSWERING = 1.0
"""Seconds that a program has to answer about one element."""
SMALL = 2
"""Pixels; what is smaller cannot be pointed at."""
LONGEST = 4000
"""Characters that are kept of a text."""
SAYING = 2
"""A window with fewer elements than this, its own frame among them, says nothing."""


class UiaSource:
    """Elements of Windows programs. One request per window; a program that is late is told from before."""

    def __init__(
        self, corner: Callable[[], tuple[int, int]], automation: Callable[[], Automation] | None = None
    ) -> None:
        """Connect to UI Automation.

        Args:
            corner: where the picture of the screen begins in the coordinates of Windows.
            automation: makes another one for tests.

        Raises:
            MissingExtra: comtypes is not installed.
        """
        self._corner = corner
        enter = None if automation else enter_thread
        self._workers = ThreadPoolExecutor(AT_ONCE, "windows-elements", enter)
        try:
            # Made, asked and let go of by the workers alone: its objects live among their threads.
            self._automation: Automation = self._workers.submit(automation or ComAutomation).result()
        except BrokenExecutor as error:
            raise MissingExtra("desktop", "the elements of Windows programs") from error
        self._asked: dict[int, Future[UiaElement]] = {}
        """Requests that are still under way, by window."""
        self._known: dict[int, tuple[Node, ...]] = {}

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """Read all windows at the same time; those that do not answer in time are as they were before."""
        present = {window.id: window for window in windows}
        self._known = {number: nodes for number, nodes in self._known.items() if number in present}
        for number in present:
            if number not in self._asked:
                self._asked[number] = self._workers.submit(self._automation.tree, number, seconds)
        wait([self._asked[number] for number in present], seconds)
        done = {number: future for number, future in self._asked.items() if future.done()}
        late = []
        for number, window in present.items():
            if number not in done:
                late.append(window.app)
                continue
            try:
                self._known[number] = self._nodes(done[number].result(), window)
            except Stale:
                late.append(window.app)
        for number in done:
            del self._asked[number]
        silent = tuple(n for n in present if n in done and len(self._known.get(n, ())) < SAYING)
        nodes = tuple(node for number in present for node in self._known.get(number, ()))
        return ScreenReading(nodes, silent, tuple(dict.fromkeys(late)))

    def at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """What is at a point right now; None where the program does not answer."""
        left, top = self._corner()
        asked = self._workers.submit(self._automation.at, Point(point.x + left, point.y + top))
        try:
            found = asked.result(ANSWERING)
        except (Stale, TimeoutError):
            return None
        if found is None:
            return None
        window = next((one for one in reversed(windows) if (one.outer or one.box).contains(point)), None)
        known = next((node for node in self._all() if node.key == found.runtime), None)
        return known or self._node(found, "", window.id if window else 0)

    def set_text(self, key: Hashable, text: str) -> bool:
        """Give a field its whole text.

        Raises:
            Stale: the field is gone.
        """
        node = next((node for node in self._all() if node.key == key), None)
        if node is None:
            return False
        asked = self._workers.submit(self._automation.set_value, node.window, _runtime(key), text)
        try:
            return asked.result(ANSWERING)
        except TimeoutError as error:
            raise Stale("the program does not take the text; wait, or type it instead") from error

    def close(self) -> None:
        """Let go of the workers; one that waits for a frozen program ends with it."""
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _all(self) -> list[Node]:
        return [node for nodes in self._known.values() for node in nodes]

    def _nodes(self, root: UiaElement, window: Window) -> tuple[Node, ...]:
        nodes: list[Node] = []

        def walk(found: UiaElement, path: str) -> None:
            node = self._node(found, path, window.id)
            if _says_something(node):
                nodes.append(node)
            if not _is_whole(node):
                seen: dict[int, int] = {}
                for child in found.children:
                    seen[child.control] = seen.get(child.control, 0) + 1
                    step = f"{role_of(child.control, child.patterns)}[{seen[child.control]}]"
                    walk(child, f"{path}/{step}")

        walk(root, role_of(root.control, root.patterns))
        return _with_labels(nodes)

    def _node(self, found: UiaElement, path: str, window: int) -> Node:
        left, top = self._corner()
        told, role = found.told, role_of(found.control, found.patterns)
        box = Box(found.box.left - left, found.box.top - top, found.box.width, found.box.height)
        value = str(told.get("value", told.get("range", "")))[:LONGEST]
        secret = bool(told.get("secret"))
        attributes = {
            name: str(told[key]) for name, key in (("id", "id"), ("class", "kind")) if told.get(key)
        }
        return Node(
            key=found.runtime,
            role=role,
            name=str(told.get("name", ""))[:LONGEST],
            box=box,
            value="•" * len(value) if secret else value,
            states=_states(found, role),
            description=str(told.get("help", "")),
            path=path,
            attributes=attributes,
            window=window,
            source="uia",
        )


def _states(found: UiaElement, role: str) -> frozenset[str]:
    told, states = found.told, set()
    if told.get("enabled") is False:
        states.add("disabled")
    for name in ("focused", "selected"):
        if told.get(name):
            states.add(name)
    if told.get("toggled") == ON:
        states.add("pressed" if role == "togglebutton" else "checked")
    if told.get("toggled") == MIXED:
        states.add("mixed")
    if role == "radio" and told.get("selected"):
        states.add("checked")
    if told.get("opened", LEAF) != LEAF:
        states.add("expanded" if told["opened"] == EXPANDED else "collapsed")
        states.add("haspopup")
    if role in FIELDS and "value" in found.patterns:
        states.add("readonly" if told.get("readonly") else "editable")
    if told.get("secret"):
        states.add("password")
    return frozenset(states)


def _says_something(node: Node) -> bool:
    if node.box.width <= SMALL or node.box.height <= SMALL:
        return False
    if node.role == TEXT or node.role in SILENT or node.role in FRAMES:
        return bool(node.name.strip())
    return True


def _is_whole(node: Node) -> bool:
    """Whether the parts of a thing say nothing that it does not say itself."""
    return node.role in ONE_PIECE and bool(node.name)


def _with_labels(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Without texts that only repeat the name of the control they lie in."""
    kept: list[Node] = []
    for node in nodes:
        inside = [
            one for one in kept if one.role != TEXT and one.name == node.name and one.box.encloses(node.box)
        ]
        if node.role != TEXT or not inside:
            kept.append(node)
    return tuple(replace(node, name=" ".join(node.name.split())) for node in kept)


def _runtime(key: Hashable) -> tuple[int, ...]:
    return key if isinstance(key, tuple) else ()


ROLES: dict[int, str] = {
    50000: "button",
    50001: "calendar",
    50002: "checkbox",
    50003: "combobox",
    50004: "textbox",
    50005: "link",
    50006: "img",
    50007: "option",
    50008: "listbox",
    50009: "menu",
    50010: "menubar",
    50011: "menuitem",
    50012: "progressbar",
    50013: "radio",
    50014: "scrollbar",
    50015: "slider",
    50016: "spinbutton",
    50017: "status",
    50018: "tablist",
    50019: "tab",
    50020: "text",
    50021: "toolbar",
    50022: "tooltip",
    50023: "tree",
    50024: "treeitem",
    50025: "custom",
    50026: "group",
    50027: "thumb",
    50028: "grid",
    50029: "row",
    50030: "document",
    50031: "splitbutton",
    50032: "dialog",
    50033: "group",
    50034: "rowgroup",
    50035: "columnheader",
    50036: "table",
    50037: "titlebar",
    50038: "separator",
}
"""Control types by their ids."""
SILENT = frozenset(("group", "rowgroup", "separator", "thumb", "scrollbar", "titlebar", "tooltip", "custom"))
"""Roles that say something only when they have a name of their own."""
ON, MIXED = 1, 2
"""States of what can be ticked."""
EXPANDED, LEAF = 1, 3
"""States of what can be opened: 0 is closed, 2 in part."""


def role_of(control: int, patterns: Collection[str]) -> str:
    """The ARIA role of a control type; a button that stays down is a toggle."""
    role = ROLES.get(control, "custom")
    if role == "button" and "toggle" in patterns:
        return "togglebutton"
    if role == "custom" and "invoke" in patterns:
        return "button"
    if role == "document" and "value" in patterns:
        return "textbox"
    return role
