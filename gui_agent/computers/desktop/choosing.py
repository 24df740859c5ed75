"""Picking options of lists and setting check boxes in any program, by looking at what the click did."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gui_agent.computers.desktop.input import Hands
from gui_agent.computers.desktop.parts import Device, Node
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Point
from gui_agent.core.texts import normal, shorten
from gui_agent.elements.roles import BOXES, ITEMS, LATCHING, LISTS, RADIOS

OPENING = 1.0
"""Seconds within which a list opens and shows its options."""
TAKING = 0.6
"""Seconds within which a control shows that it took a choice."""
MOVING = 0.4
"""Seconds within which a list shows other entries after the wheel was turned."""
SCROLLS = 80
LOOKS = 3
"""Looks at least: those of eyes take longer than the time that others need."""
POLL = 0.03
SHOWING = 10
"""Looks at a list before it counts as showing another option than the one that was chosen."""
LISTED = 25
DISABLED = '{} "{}" is disabled; do first what enables it'
CHECKED = frozenset(("checked", "pressed"))
CHECKABLE = LATCHING | {"button"}
"""Some toolkits call a button that stays pressed a button."""


class Choosing:
    """Chooses and checks."""

    def __init__(
        self,
        device: Device,
        hands: Hands,
        look: Callable[[], Sequence[Node]],
        at: Callable[[Point], Node | None],
    ) -> None:
        self._device = device
        self._hands = hands
        self._look = look
        self._at = at

    def choose(self, at: Point, option: str) -> None:
        """Pick the option with this text in the list or drop-down at a place."""
        node = self._list_of(self._at(at))
        if node is not None and "disabled" in node.states:
            raise ActionFailed(DISABLED.format(node.role, node.name))
        wanted = normal(option)
        if node is not None and wanted == normal(node.value):
            return
        if node is not None and (held := self._open_entries(node)):
            if self._pick(held, wanted) or self._scroll_to(lambda: self._open_entries(node), wanted):
                return
            self._refuse(option, held)
        before = {one.key for one in self._look()}
        self._hands.click(at)
        deadline = time.monotonic() + OPENING
        shown: list[Node] = []
        while time.monotonic() < deadline:
            shown = [one for one in self._look() if one.role in ITEMS and one.key not in before]
            if self._pick(shown, wanted):
                self._await_taken(node, option)
                return
            time.sleep(POLL)
        if shown:
            if self._scroll_to(
                lambda: [o for o in self._look() if o.role in ITEMS and o.key not in before], wanted
            ):
                self._await_taken(node, option)
                return
            self._hands.press(("escape",))
            self._refuse(option, shown)
        self._by_keys(node, option)

    def _list_of(self, node: Node | None) -> Node | None:
        """The closed list that a thing belongs to: some programs answer with the entry that it shows."""
        if node is None or node.role not in ITEMS:
            return node
        lists = (one for one in self._look() if one.role == "combobox")
        return next((one for one in lists if node.path.startswith(f"{one.path}/")), node)

    def _open_entries(self, around: Node) -> list[Node]:
        return [one for one in self._look() if _within(one, around)]

    def _scroll_to(self, entries: Callable[[], Sequence[Node]], wanted: str) -> bool:
        """Scroll through a list, down and then up, and click the option with this text; False without it."""
        for way in (1, -1):
            held: Sequence[Node] = entries()
            for _ in range(SCROLLS):
                if not held:
                    return False
                middle = held[len(held) // 2].box
                self._hands.scroll(middle.center, way * max(middle.height, len(held) * middle.height // 2), 0)
                before, held = (
                    [one.name for one in held],
                    self._entries_after_scroll(entries, [one.name for one in held]),
                )
                if self._pick(held, wanted):
                    return True
                if [one.name for one in held] == before:
                    break
        return False

    def _entries_after_scroll(
        self, entries: Callable[[], Sequence[Node]], before: Sequence[str]
    ) -> Sequence[Node]:
        """The entries once others are in sight, or none have come for a while."""
        deadline = time.monotonic() + MOVING
        while True:
            held = entries()
            if [one.name for one in held] != before or time.monotonic() > deadline:
                return held
            time.sleep(POLL)

    def _refuse(self, option: str, shown: Sequence[Node]) -> None:
        names = ", ".join(f'"{shorten(one.name, 40)}"' for one in shown[:LISTED])
        raise ActionFailed(f'there is no option "{shorten(option)}"; there are: {names}')

    def check(self, at: Point, on: bool) -> None:
        """Leave a check box on or off."""
        node = self._at(at)
        if node is not None and "disabled" in node.states:
            raise ActionFailed(DISABLED.format(node.role, node.name))
        if node is None or node.role not in CHECKABLE:
            what = f'{node.role} "{node.name}"' if node is not None else "what is there"
            raise ActionFailed(f"{what} cannot be checked; aim at a checkbox, radio button or switch")
        if bool(node.states & CHECKED) == on:
            return
        if node.role in RADIOS and not on:
            raise ActionFailed(f'the radio button "{node.name}" cannot be switched off; check another one')
        wide = node.role in BOXES and node.box.width > 3 * node.box.height
        # Some boxes take clicks only as far as their label goes, which ends before their place in the window.
        self._hands.click(Point(node.box.left + node.box.height // 2, at.y) if wide else at)
        deadline, looks = time.monotonic() + TAKING, 0
        while time.monotonic() < deadline or looks < LOOKS:
            looks += 1
            now = self._again(node)
            if now is None or bool(now.states & CHECKED) == on:
                return
            time.sleep(POLL)
        raise ActionFailed(f'{node.role} "{node.name}" is still {"off" if on else "on"} after a click')

    def _pick(self, shown: Sequence[Node], wanted: str) -> bool:
        size = self._device.size
        for node in shown:
            if node.role in ITEMS and normal(node.name) == wanted and size.contains(node.box.center):
                self._hands.click(node.box.center)
                return True
        return False

    def _by_keys(self, node: Node | None, option: str) -> None:
        """The list shows no options that anybody can see: type the text, as lists look for it."""
        now = self._again(node) if node is not None else None
        opened = any(window.popup for window in self._device.windows())
        if not opened and (now is None or "focused" not in now.states):
            raise ActionFailed("no list opened there; aim at a drop-down, list box or combo box")
        self._device.type_text(option)
        self._hands.press(("enter",))
        self._await_taken(node, option, sure=False)

    def _await_taken(self, node: Node | None, option: str, *, sure: bool = True) -> None:
        deadline, looks, now = time.monotonic() + TAKING, 0, node
        # A program that is busy shows late what it took.
        while time.monotonic() < deadline or looks < SHOWING:
            looks += 1
            now = self._again(node) if node is not None else None
            if now is None and sure:
                return
            if now is not None and normal(option) in normal(now.value or now.name):
                return
            time.sleep(POLL)
        if not sure or (now is not None and now.value and now.role == "combobox"):
            holds = f', it shows "{shorten(now.value, 40)}"' if now is not None and now.value else ""
            raise ActionFailed(
                f'the list did not take "{shorten(option)}"{holds}; open it and click the option'
            )

    def _again(self, node: Node) -> Node | None:
        return next((one for one in self._look() if one.key == node.key), None)


def _within(one: Node, around: Node) -> bool:
    if one.key == around.key or around.role not in LISTS:
        return False
    return one.role in ITEMS and around.box.contains(one.box.center)
