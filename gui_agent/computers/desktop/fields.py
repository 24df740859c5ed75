"""Typing into fields and choosing options on a desktop, and whether what was meant came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gui_agent.computers.desktop.parts import Device, Hands, Node
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import EYES, Point
from gui_agent.core.texts import normal, number, shorten
from gui_agent.elements import roles

FOCUSING = 0.6
"""Seconds within which a window manager gives a clicked window the keyboard."""
MOVING = 1.0
"""Seconds within which a spreadsheet moves its cursor to a clicked cell."""
FRAME = 3
"""Pixels around a cell in which its cursor is drawn."""
PRESSED = 0.3
"""Seconds for which a button stays down that a key has pressed; GTK takes a quarter of a second."""
SLIDING = 0.5
"""Seconds within which a slider tells that it has moved."""
MOST = 200
"""Keys that a slider is sent before it is looked at."""
TRIES = 12
EXACT = 0.001
LOOKS = 10
"""Looks that are taken at least: on a busy machine time alone says little."""
POLL = 0.01
UNTYPED = {
    **dict.fromkeys(roles.BOXES, "takes no text; use check"),
    "button": "takes no text; aim at a text field",
    "menuitem": "takes no text; aim at a text field",
    "link": "takes no text; aim at a text field",
}


@dataclass(eq=False, repr=False)
class _AtPoint:
    _device: Device
    _hands: Hands
    _look: Callable[[], Sequence[Node]]
    _at: Callable[[Point], Node | None]


class TextEntry(_AtPoint):
    """Types into what is at a point, or where the focus is."""

    def type_into(self, text: str, at: Point | None, replace: bool) -> None:
        """Type text where the focus is, or into the field at a place, which is clicked first."""
        if at is None:
            self._type_at_focus(text, replace)
            return
        node = self._at(at)
        _check(node)
        if node is not None and node.role == "slider":
            self._slide(node, at, text)
            return
        line = node is not None and node.role in roles.FIELDS - roles.MEASURED
        if line and node and "multiline" not in node.states and text[1:] and text[-1] == "\n":
            self.type_into(text[:-1], at, replace)
            self._await(text[:-1], at)
            self._hands.press(("enter",))
            return
        before = self._frame(node)
        self._hands.click(at)
        self.await_focus(at)
        self._at(at)  # a program that answers has taken the click, and put the caret where it belongs
        if node is not None and node.role in roles.FIELDS and "focused" not in node.states:
            # Some take it late, and what is typed sooner goes to the one before.
            self._wait_for_keyboard(node, held=True)
        if node is not None and before is not None:
            self._await_mark(node, before)
        if node is not None and node.role in roles.CELLS:
            self._text(text, emptied=not replace)
            if text and _of_spreadsheet(node):
                # Nobody else knows what stands in a cell before it is entered. Delete drops what the program
                # would add to the text by itself; the way back leaves the cell the active one. A program that
                # answers has done what it was told before: moves to another cell are done late.
                for keys in (("delete",), ("enter",), ("shift", "enter")):
                    self._hands.press(keys)
                    self._at(at)
            return
        if node is not None and node.role == "spinbutton":
            self._enter_number(node, text, replace)
            return
        terminal = node is not None and node.role == "terminal"
        if replace and (node is None or node.value) and not terminal:
            self._select(node)
            self._text(text, emptied=False)
            return
        if not replace and node is not None and node.value and not terminal:
            # A click puts the caret amid the text; what is typed belongs after it.
            self._hands.press(("ctrl", "end") if "multiline" in node.states else ("end",))
        self._text(text, emptied=True)

    def _await(self, text: str, at: Point) -> None:
        """Wait until a field holds what was typed; one that completes it by itself takes Enter only then."""
        until = time.monotonic() + SLIDING
        while (node := self._at(at)) and text not in node.value and time.monotonic() < until:
            time.sleep(POLL)

    def _type_at_focus(self, text: str, replace: bool) -> None:
        if replace:
            self._hands.press(("ctrl", "a"))
        if text and self._on_buttons(text):
            self._press_buttons(text)
        elif text[1:] and text[0] in "/~" and self._without_field():
            # The first letter of a path opens the field for it, which takes the rest then.
            self._device.type_text(text[0])
            until = time.monotonic() + OPENING
            while self._without_field() and time.monotonic() < until:
                time.sleep(POLL)
            self._text(text[1:], emptied=True)
        else:
            self._text(text, emptied=not replace)

    def _without_field(self) -> bool:
        held = [one for one in self._look() if "focused" in one.states]
        return bool(held) and not any(one.role in roles.FIELDS or "editable" in one.states for one in held)

    def _on_buttons(self, text: str) -> bool:
        """Whether a button has the keyboard, or nothing has it and a button is called as one of the keys."""
        shown = self._look()
        held = [one.role for one in shown if "focused" in one.states]
        called = any(len(one.name) == 1 and one.name in text for one in shown if one.role == "button")
        return called if not held else any(role in roles.TEXTLESS - roles.TYPED_AHEAD for role in held)

    def _press_buttons(self, text: str) -> None:
        """Type so that no key comes again while the button that it pressed is still down."""
        portion = ""
        for character in text:
            if character in portion:
                self._device.type_text(portion)
                time.sleep(PRESSED)
                portion = ""
            portion += character
        self._device.type_text(portion)

    def _enter_number(self, field: Node, text: str, replace: bool) -> None:
        """Type into a field for numbers and leave it, as the number counts then; the next key is its own."""
        if replace:
            self._select(field)
        self._text(text, emptied=not replace)
        self._hands.press(("tab",))
        if not self._wait_for_keyboard(field, held=False):
            self._hands.press(("tab",))
        self._hands.press(("shift", "tab"))

    def _select(self, node: Node | None) -> None:
        line = node if node and "multiline" not in node.states and "\n" not in node.value else None
        if line and {"atspi", *EYES}.issuperset(line.source.split("+")):
            # In some programs ctrl+a marks the document, and what is typed goes there; in some it goes home.
            self._hands.press(("end",))
            self._hands.press(("shift", "home"))
        else:
            self._hands.press(("ctrl", "a"))

    def _wait_for_keyboard(self, field: Node, *, held: bool) -> bool:
        """Whether a field, or a part of it, has the keyboard within a moment, or has it no more."""
        deadline = time.monotonic() + FOCUSING
        while time.monotonic() < deadline:
            have = [one for one in self._look() if "focused" in one.states and one.window == field.window]
            if any(field.box.contains(one.box.center) for one in have) is held or not have:
                return True
            time.sleep(POLL)
        return False

    def _slide(self, node: Node, at: Point, text: str) -> None:
        """Click a slider, which gives it the keyboard and may move it, then press keys until it is right."""
        name = f'slider "{node.name}"'
        wanted, value = number(text), number(node.value)
        if wanted is None:
            raise ActionFailed(f"{name} takes a number only")
        if value is None:
            raise ActionFailed(f"{name} does not tell its value; drag its handle instead")
        if value == wanted:
            return
        self._hands.click(at)
        self.await_focus(at)
        value, step, forward, homed = self._slider_value(node, value), 0.0, True, False
        for _ in range(TRIES):
            off = abs(wanted - value)
            if off <= EXACT:
                return
            times = min(MOST, max(1, round(off / step))) if step else 1
            self._hands.press(("right" if (wanted > value) is forward else "left",), times)
            before, value = value, self._slider_value(node, value)
            step = abs(value - before) / times
            if times == 1:
                forward = forward if (value > before) is (wanted > before) else not forward
            if abs(wanted - value) <= EXACT:
                return
            if abs(wanted - value) >= off and (step == 0 or off < step):
                if homed:
                    break
                # A click puts some sliders between the numbers that their keys go through.
                self._hands.press(("home",))
                value, homed = self._slider_value(node, value), True
        raise ActionFailed(
            f"{name} stands at {value:g} and does not come to {wanted:g}; drag its handle instead"
        )

    def _slider_value(self, slider: Node, before: float) -> float:
        deadline = time.monotonic() + SLIDING
        while time.monotonic() < deadline:
            node = next((one for one in self._look() if one.key == slider.key), None)
            now = number(node.value) if node is not None else None
            if now is not None and now != before:
                return now
            time.sleep(POLL)
        return before

    def _frame(self, node: Node | None) -> bytes | None:
        """What a cell of a spreadsheet and the edge around it look like; None for other things."""
        if node is None or node.role not in roles.CELLS or not _of_spreadsheet(node):
            return None
        shown = node.box.grow(FRAME).intersect(self._device.size.box)
        return self._device.grab(shown).tobytes() if shown else None

    def _await_mark(self, node: Node, before: bytes) -> None:
        """Wait until the clicked cell is drawn as the active one: it is moved to later than questions are
        answered, and keys pressed sooner go to the cell before."""
        if "selected" in node.states:
            return
        deadline, looks = time.monotonic() + MOVING, 0
        while (looks < LOOKS or time.monotonic() < deadline) and self._frame(node) == before:
            looks += 1
            time.sleep(POLL)

    def await_focus(self, at: Point) -> None:
        """Wait until the clicked window has the keyboard: keys pressed sooner go to the one before."""
        deadline = time.monotonic() + FOCUSING
        while time.monotonic() < deadline:
            windows = self._device.windows()
            clicked = next((w for w in reversed(windows) if (w.outer or w.box).contains(at)), None)
            if clicked is None or clicked.active or clicked.popup or not any(w.active for w in windows):
                return
            time.sleep(POLL)

    def _text(self, text: str, *, emptied: bool) -> None:
        if text:
            self._device.type_text(text)
        elif not emptied:
            self._hands.press(("delete",))


def _check(node: Node | None) -> None:
    if node is None:
        return
    name = f'{node.role} "{node.name}"' if node.name else f"the {node.role}"
    if node.role in UNTYPED:
        raise ActionFailed(f"{name} {UNTYPED[node.role]}")
    if "disabled" in node.states or "readonly" in node.states:
        raise ActionFailed(f"{name} cannot be written to now; use what fills it or enables it")


def _of_spreadsheet(node: Node) -> bool:
    return {"row", "column"} <= node.attributes.keys()


OPENING = 1.0
"""Seconds within which a list opens and shows its options."""
TAKING = 0.6
"""Seconds within which a control shows that it took a choice."""
LIST_MOVING = 0.4
"""Seconds within which a list shows other entries after the wheel was turned."""
SCROLLS = 80
CHOICE_LOOKS = 3
"""Looks at least: those of eyes take longer than the time that others need."""
CHOICE_POLL = 0.03
SHOWING = 10
"""Looks at a list before it counts as showing another option than the one that was chosen."""
LISTED = 25
DISABLED = '{} "{}" is disabled; do first what enables it'
CHECKED = frozenset(("checked", "pressed"))
CHECKABLE = roles.LATCHING | {"button"}
"""Some toolkits call a button that stays pressed a button."""


class Choosing(_AtPoint):
    """Chooses and checks."""

    def choose(self, at: Point, option: str) -> None:
        """Pick the option with this text in the list or drop-down at a place."""
        node = self._list_of(self._at(at))
        if node is not None and "disabled" in node.states:
            raise ActionFailed(DISABLED.format(node.role, node.name))
        wanted = normal(option)
        if node is not None and wanted == normal(node.value):
            return
        if node is not None and (held := self._open_entries(node)):
            if self._pick(held, wanted) or self._scroll_to_option(lambda: self._open_entries(node), wanted):
                return
            self._refuse(option, held)
        before = {one.key for one in self._look()}
        # A click on a list that can be written in only puts the caret there; its arrow opens it.
        arrow = node and Point(node.box.columns[-1] - node.box.height // 2, at.y)
        shown: list[Node] = []
        for place in (at, arrow) if node and arrow and node.role == "combobox" and arrow.x > at.x else (at,):
            self._hands.click(place)
            deadline = time.monotonic() + OPENING
            while time.monotonic() < deadline:
                shown = [one for one in self._look() if one.role in roles.ITEMS and one.key not in before]
                if self._pick(shown, wanted):
                    self._await_taken(node, option)
                    return
                time.sleep(CHOICE_POLL)
            if shown or any(window.popup for window in self._device.windows()):
                break
        if shown:
            if self._scroll_to_option(
                lambda: [o for o in self._look() if o.role in roles.ITEMS and o.key not in before], wanted
            ):
                self._await_taken(node, option)
                return
            self._hands.press(("escape",))
            self._refuse(option, shown)
        self._by_keys(node, option)

    def _list_of(self, node: Node | None) -> Node | None:
        """The closed list that a thing belongs to: some programs answer with the entry that it shows."""
        if node is None or node.role not in roles.ITEMS:
            return node
        lists = (one for one in self._look() if one.role == "combobox")
        return next((one for one in lists if node.path.startswith(f"{one.path}/")), node)

    def _open_entries(self, around: Node) -> list[Node]:
        return [one for one in self._look() if _within(one, around)]

    def _scroll_to_option(self, entries: Callable[[], Sequence[Node]], wanted: str) -> bool:
        for way in (1, -1):
            held: Sequence[Node] = entries()
            for _ in range(SCROLLS):
                if not held:
                    return False
                middle = held[len(held) // 2].box
                self._hands.scroll(middle.center, way * max(middle.height, len(held) * middle.height // 2), 0)
                before = [one.name for one in held]
                held = self._after_scroll(entries, before)
                if self._pick(held, wanted):
                    return True
                if [one.name for one in held] == before:
                    break
        return False

    def _after_scroll(self, entries: Callable[[], Sequence[Node]], before: Sequence[str]) -> Sequence[Node]:
        deadline = time.monotonic() + LIST_MOVING
        while True:
            held = entries()
            if [one.name for one in held] != before or time.monotonic() > deadline:
                return held
            time.sleep(CHOICE_POLL)

    def _refuse(self, option: str, shown: Sequence[Node]) -> None:
        names = ", ".join(f'"{shorten(one.name, 40)}"' for one in shown[:LISTED])
        raise ActionFailed(f'there is no option "{shorten(option)}"; there are: {names}')

    def check(self, at: Point, on: bool) -> None:
        node = self._at(at)
        if node is not None and "disabled" in node.states:
            raise ActionFailed(DISABLED.format(node.role, node.name))
        if node is None or node.role not in CHECKABLE:
            what = f'{node.role} "{node.name}"' if node is not None else "what is there"
            raise ActionFailed(f"{what} cannot be checked; aim at a checkbox, radio button or switch")
        if bool(node.states & CHECKED) == on:
            return
        if node.role in roles.RADIOS and not on:
            raise ActionFailed(f'the radio button "{node.name}" cannot be switched off; check another one')
        wide = node.role in roles.BOXES and node.box.width > 3 * node.box.height
        # Some boxes take clicks only as far as their label goes, which ends before their place in the window.
        self._hands.click(Point(node.box.corner[0] + node.box.height // 2, at.y) if wide else at)
        deadline, looks = time.monotonic() + TAKING, 0
        while time.monotonic() < deadline or looks < CHOICE_LOOKS:
            looks += 1
            now = self._again(node)
            if now is None or bool(now.states & CHECKED) == on:
                return
            time.sleep(CHOICE_POLL)
        raise ActionFailed(f'{node.role} "{node.name}" is still {"off" if on else "on"} after a click')

    def _pick(self, shown: Sequence[Node], wanted: str) -> bool:
        size = self._device.size
        for node in shown:
            if node.role in roles.ITEMS and normal(node.name) == wanted and size.contains(node.box.center):
                self._hands.click(node.box.center)
                return True
        return False

    def _by_keys(self, node: Node | None, option: str) -> None:
        """The list shows no options that anybody can see: type the text, as lists look for it."""
        now = self._again(node) if node is not None else None
        opened = any(window.popup for window in self._device.windows())
        if not opened and (now is None or "focused" not in now.states):
            raise ActionFailed("no list opened there; aim at a drop-down, list box or combo box")
        if not opened:  # what can be written in has the caret amid what it shows
            self._hands.press(("ctrl", "a"))
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
            time.sleep(CHOICE_POLL)
        if not sure or (now is not None and now.value and now.role == "combobox"):
            holds = f', it shows "{shorten(now.value, 40)}"' if now is not None and now.value else ""
            raise ActionFailed(
                f'the list did not take "{shorten(option)}"{holds}; open it and click the option'
            )

    def _again(self, node: Node) -> Node | None:
        return next((one for one in self._look() if one.key == node.key), None)


def _within(one: Node, around: Node) -> bool:
    if one.key == around.key or around.role not in roles.LISTS:
        return False
    return one.role in roles.ITEMS and around.box.contains(one.box.center)
