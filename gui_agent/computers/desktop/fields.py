"""Types into fields and chooses options on a desktop, and verifies the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

from gui_agent.computers.desktop.parts import Device, Hands, Node
from gui_agent.core.aiming import demand_once
from gui_agent.core.deadline import turns
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import EYES, Box, Point
from gui_agent.core.texts import normal, number, shorten
from gui_agent.elements import roles

FOCUSING = 0.6
"""Maximum seconds for a window manager to focus a clicked window."""
MOVING = 1.0
"""Maximum seconds for a spreadsheet to move its cursor to a clicked cell."""
FRAME = 3
"""Pixels around a cell for the border of its cursor."""
PRESSED = 0.3
"""Seconds that a button pressed by a key stays down; GTK takes a quarter of a second."""
SLIDING = 0.5
"""Maximum seconds for a slider to report its movement."""
MOST = 200
"""Maximum keys to send to a slider before reading its value."""
TRIES = 12
EXACT = 0.001
LOOKS = 10
"""Minimum number of looks: on a busy machine, time alone means little."""
POLL = 0.01
UNKNOWN = Node(("unknown",), "", "", Box(0, 0, 0, 0), source="")
"""Placeholder for the node at a point where nothing is known."""
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

    def _again(self, node: Node) -> Node | None:
        """The current state of the same node."""
        return next((one for one in self._look() if one.key == node.key), None)


class TextEntry(_AtPoint):
    """Types into the field at a point, or at the focus."""

    def type_into(self, text: str, at: Point | None, replace: bool) -> None:
        """Type text at the focus, or into the field at a place, which is clicked first."""
        if at is None:
            self._type_at_focus(text, replace)
            return
        node = self._at(at) or UNKNOWN
        _check(node)
        single_line = node.role in roles.FIELDS - roles.MEASURED and "multiline" not in node.states
        if node.role == "slider":
            self._slide(node, at, text)
        elif single_line and text[1:] and text[-1] == "\n":
            self.type_into(text[:-1], at, replace)
            # An autocompleting field accepts Enter only then.
            any(text[:-1] in (self._at(at) or UNKNOWN).value for _ in turns(SLIDING, POLL))
            self._hands.press(("enter",))
        else:
            self._focus(node, at)
            self._write(node, at, text, replace)

    def select_words(self, words: str, at: Point) -> None:
        """Select words of the field at a place by keys, which all programs understand."""
        node = self._at(at) or UNKNOWN
        demand_once(words, node.value.count(words))
        self._focus(node, at)
        self._hands.press(("ctrl", "home") if "multiline" in node.states else ("home",))
        self._hands.press(("right",), node.value.index(words))
        self._hands.press(("shift", "right"), len(words))

    def _focus(self, node: Node, at: Point) -> None:
        before = self._frame(node)
        self._hands.click(at)
        self.await_focus(at)
        self._at(at)  # a program that answers has processed the click and moved the caret
        # Some programs process the click late, and text typed earlier goes to the previous field.
        late = node.role in roles.FIELDS and "focused" not in node.states
        if late and not self._wait_for_keyboard(node, held=True):
            self._hands.click(at)  # a list over the window took the click, which closed it
            if not self._wait_for_keyboard(node, held=True):
                raise ActionFailed("the click left the keyboard in another field")
        if before is not None:
            self._await_mark(node, before)

    def _write(self, node: Node, at: Point, text: str, replace: bool) -> None:
        """Type into the clicked node."""
        if node.role in roles.CELLS:
            self._text(text, emptied=not replace)
            # No other source knows a cell's text before it is entered. Delete drops what the program would
            # add to the text by itself; returning makes the cell active again. A program that answers has
            # processed the earlier input; some move to another cell late.
            for keys in (
                (("delete",), ("enter",), ("shift", "enter")) if text and _of_spreadsheet(node) else ()
            ):
                self._hands.press(keys)
                self._at(at)
        elif node.role == "spinbutton":
            self._enter_number(node, text, replace)
        elif node.role == "terminal":
            self._text(text, emptied=True)
        elif replace and (node.value or node is UNKNOWN or node.source.startswith("vision")):
            # What eyes see in a field may lack a short text.
            self._select(node)
            self._text(text, emptied=False)
        else:
            if node.value:
                # A click puts the caret inside the text; typed text belongs after it.
                self._hands.press(("ctrl", "end") if "multiline" in node.states else ("end",))
            self._text(text, emptied=True)

    def _type_at_focus(self, text: str, replace: bool) -> None:
        if replace:
            self._hands.press(("ctrl", "a"))
        if text and self._on_buttons(text):
            self._press_buttons(text)
        elif text[1:] and text[0] in "/~" and self._without_field():
            # The first letter of a path opens the dialog's path field, which receives the rest.
            self._device.type_text(text[0])
            any(not self._without_field() for _ in turns(OPENING, POLL))
            self._text(text[1:], emptied=True)
        else:
            self._text(text, emptied=not replace)

    def _without_field(self) -> bool:
        held = [one for one in self._look() if "focused" in one.states]
        return bool(held) and not any(one.role in roles.FIELDS or "editable" in one.states for one in held)

    def _on_buttons(self, text: str) -> bool:
        """Whether a button has the focus, or nothing has it and a button's name equals one of the keys."""
        shown = self._look()
        held = [one.role for one in shown if "focused" in one.states]
        called = any(len(one.name) == 1 and one.name in text for one in shown if one.role == "button")
        return called if not held else any(role in roles.TEXTLESS - roles.TYPED_AHEAD for role in held)

    def _press_buttons(self, text: str) -> None:
        """Type so that no key repeats while the button that it pressed is still down."""
        portion = ""
        for character in text:
            if character in portion:
                self._device.type_text(portion)
                time.sleep(PRESSED)
                portion = ""
            portion += character
        self._device.type_text(portion)

    def _enter_number(self, field: Node, text: str, replace: bool) -> None:
        """Type into a number field and leave it, which commits the number; the next key goes elsewhere."""
        if replace:
            self._select(field)
        self._text(text, emptied=not replace)
        self._hands.press(("tab",))
        if not self._wait_for_keyboard(field, held=False):
            self._hands.press(("tab",))
        self._hands.press(("shift", "tab"))

    def _select(self, node: Node) -> None:
        line = "multiline" not in node.states and "\n" not in node.value
        if line and {"atspi", *EYES}.issuperset(node.source.split("+")):
            # In some programs, ctrl+a selects and replaces the document; in others it moves the caret home.
            self._hands.press(("end",))
            self._hands.press(("shift", "home"))
        else:
            self._hands.press(("ctrl", "a"))

    def _wait_for_keyboard(self, field: Node, *, held: bool) -> bool:
        """Whether a field, or a part of it, gains (`held`) or loses the focus within a moment.

        It may have gained it if no other text field has it: some programs do not report the focus.
        """
        for _ in turns(FOCUSING, POLL, 1):
            have = [one for one in self._look() if "focused" in one.states and one.window == field.window]
            own = (one.key == field.key or field.box.contains(one.box.center) for one in have)
            if any(own) is held or not have:
                return True
        return held and not any("editable" in one.states for one in have)

    def _slide(self, node: Node, at: Point, text: str) -> None:
        """Click a slider, which focuses it and may move it, then press keys until the value is right."""
        name = f'slider "{node.name}"'
        wanted, value = number(text), number(node.value)
        if wanted is None:
            raise ActionFailed(f"{name} takes a number only")
        if value is None:
            raise ActionFailed(f"{name} does not report its value; drag its handle instead")
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
                # A click puts some sliders between the values that their keys reach.
                self._hands.press(("home",))
                value, homed = self._slider_value(node, value), True
        raise ActionFailed(
            f"{name} stays at {value:g} and does not reach {wanted:g}; drag its handle instead"
        )

    def _slider_value(self, slider: Node, before: float) -> float:
        looks = (self._again(slider) for _ in turns(SLIDING, POLL))
        values = (number(node.value) for node in looks if node is not None)
        return next((value for value in values if value is not None and value != before), before)

    def _frame(self, node: Node) -> bytes | None:
        """The picture of a spreadsheet cell and its border; None for other nodes."""
        if node.role not in roles.CELLS or not _of_spreadsheet(node):
            return None
        shown = node.box.grow(FRAME).intersect(self._device.size.box)
        return self._device.grab(shown).tobytes() if shown else None

    def _await_mark(self, node: Node, before: bytes) -> None:
        """Wait until the clicked cell is drawn as active: the cursor moves later than questions are
        answered, and earlier keys go to the previous cell."""
        if "selected" not in node.states:
            any(self._frame(node) != before for _ in turns(MOVING, POLL, LOOKS))

    def await_focus(self, at: Point) -> None:
        """Wait until the clicked window has the focus: earlier keys go to the previous one."""
        for _ in turns(FOCUSING, POLL):
            windows = self._device.windows()
            clicked = next((w for w in reversed(windows) if w.whole.contains(at)), None)
            if clicked is None or clicked.active or clicked.popup or not any(w.active for w in windows):
                return

    def _text(self, text: str, *, emptied: bool) -> None:
        if text:
            self._device.type_text(text)
        elif not emptied:
            self._hands.press(("delete",))


def _check(node: Node) -> None:
    name = f'{node.role} "{node.name}"' if node.name else f"the {node.role}"
    if node.role in UNTYPED:
        raise ActionFailed(f"{name} {UNTYPED[node.role]}")
    if "disabled" in node.states or "readonly" in node.states:
        raise ActionFailed(f"{name} is not editable now; use the control that fills or enables it")


def _of_spreadsheet(node: Node) -> bool:
    return {"row", "column"} <= node.attributes.keys()


OPENING = 1.0
"""Maximum seconds for a list to open and show its options."""
TAKING = 0.6
"""Maximum seconds for a control to show the new choice."""
LIST_MOVING = 0.4
"""Maximum seconds for a list to show other entries after the wheel was turned."""
SCROLLS = 80
CHOICE_LOOKS = 3
"""Minimum looks: a look by vision takes longer than the time that others need."""
CHOICE_POLL = 0.03
SHOWING = 10
"""Looks at a list before a different option than the chosen one counts as final."""
LISTED = 25
CHECKED = frozenset(("checked", "pressed"))
CHECKABLE = roles.LATCHING | {"button"}
"""Some toolkits report a toggle button as a plain button."""


class Choosing(_AtPoint):
    """Chooses options, and checks or unchecks boxes."""

    def choose(self, at: Point, option: str) -> None:
        """Choose the option with this text in the list or drop-down at a point."""
        node = self._list_of(self._at(at) or UNKNOWN)
        _refuse_disabled(node)
        wanted = normal(option)
        if wanted == normal(node.value):
            return
        entries = partial(self._entries, lambda one: _is_entry_of(one, node))
        if held := entries():
            if not self._pick(held, wanted) and not self._scroll_to_option(entries, wanted):
                self._refuse(option, held)
            return
        before = _traits(self._look())
        entries = partial(self._entries, lambda one: before.isdisjoint(_traits([one])))
        shown: list[Node] = []
        for place in _places_to_open(node, at):
            self._hands.click(place)
            for _ in turns(OPENING, CHOICE_POLL):
                shown = entries()
                if self._pick(shown, wanted):
                    self._await_taken(node, option)
                    return
            if shown or self._has_popup():
                break
        if not shown:
            self._choose_by_keys(node, option)
        elif self._scroll_to_option(entries, wanted):
            self._await_taken(node, option)
        else:
            self._hands.press(("escape",))
            self._refuse(option, shown)

    def _list_of(self, node: Node) -> Node:
        """The closed list that a node belongs to: some programs report the entry that it shows."""
        if node.role not in roles.ITEMS:
            return node
        lists = (one for one in self._look() if one.role == "combobox")
        return next((one for one in lists if node.path.startswith(f"{one.path}/")), node)

    def _entries(self, counts: Callable[[Node], bool]) -> list[Node]:
        return [
            one for one in self._look() if (one.role in roles.ITEMS or one.source == "ocr") and counts(one)
        ]

    def _has_popup(self) -> bool:
        return any(window.popup for window in self._device.windows())

    def _scroll_to_option(self, entries: Callable[[], Sequence[Node]], wanted: str) -> bool:
        for way in (1, -1):
            held: Sequence[Node] = entries()
            for _ in range(SCROLLS):
                if not held:
                    return False
                middle = held[len(held) // 2].box
                self._hands.scroll(middle.center, way * max(middle.height, len(held) * middle.height // 2), 0)
                before = _names(held)
                for _ in turns(LIST_MOVING, CHOICE_POLL, least=1):
                    held = entries()
                    if _names(held) != before:
                        break
                if self._pick(held, wanted):
                    return True
                if _names(held) == before:
                    break
        return False

    def _refuse(self, option: str, shown: Sequence[Node]) -> None:
        names = ", ".join(f'"{shorten(one.name, 40)}"' for one in shown[:LISTED])
        raise ActionFailed(f'there is no option "{shorten(option)}"; there are: {names}')

    def check(self, at: Point, on: bool) -> None:
        node = self._at(at) or UNKNOWN
        _refuse_disabled(node)
        if node.role not in CHECKABLE:
            what = f'{node.role} "{node.name}"' if node is not UNKNOWN else "what is there"
            raise ActionFailed(f"{what} cannot be checked; aim at a checkbox, radio button or switch")
        if bool(node.states & CHECKED) == on and (
            not node.source.startswith("vision") or self._is_proven(node, at)
        ):
            return
        if node.role in roles.RADIOS and not on:
            raise ActionFailed(f'the radio button "{node.name}" cannot be switched off; check another one')
        wide = node.role in roles.BOXES and node.box.width > 3 * node.box.height
        # Some boxes accept clicks only up to the end of their label, which is shorter than their node.
        self._hands.click(Point(node.box.corner[0] + node.box.height // 2, at.y) if wide else at)
        for _ in turns(TAKING, CHOICE_POLL, CHOICE_LOOKS):
            now = self._again(node)
            if now is None or bool(now.states & CHECKED) == on:
                return
        raise ActionFailed(f'{node.role} "{node.name}" is still {"off" if on else "on"} after a click')

    def _is_proven(self, node: Node, at: Point) -> bool:
        """Whether a tick that only the picture shows is one, by clicking it; if it went, it was."""
        self._hands.click(at)
        stays = (self._again(node) or node).states & CHECKED == node.states & CHECKED
        if stays and node.role not in roles.RADIOS:
            raise ActionFailed("the picture does not tell whether it is on; click it if it is not")
        return stays

    def _pick(self, shown: Sequence[Node], wanted: str) -> bool:
        size = self._device.size
        for node in shown:
            if normal(node.name) == wanted and size.contains(node.box.center):
                self._hands.click(node.box.center)
                return True
        return False

    def _choose_by_keys(self, node: Node, option: str) -> None:
        """Type the text of an option of a list that shows none: lists search for typed text."""
        now, opened = self._again(node), self._has_popup()
        if not opened and (now is None or "focused" not in now.states):
            raise ActionFailed("no list opened there; aim at a drop-down, list box or combo box")
        if not opened:  # an editable list has the caret inside its text
            self._hands.press(("ctrl", "a"))
        self._device.type_text(option)
        self._hands.press(("enter",))
        self._await_taken(node, option, sure=False)

    def _await_taken(self, node: Node, option: str, *, sure: bool = True) -> None:
        now: Node | None = node
        # A busy program shows the new choice late.
        for _ in turns(TAKING, CHOICE_POLL, SHOWING):
            now = self._again(node)
            if now is None and sure:
                return
            if now is not None and normal(option) in normal(now.value or now.name):
                return
        if not sure or (now is not None and now.value and now.role == "combobox"):
            holds = f', it shows "{shorten(now.value, 40)}"' if now is not None and now.value else ""
            raise ActionFailed(
                f'the list did not accept "{shorten(option)}"{holds}; open it and click the option'
            )


def _refuse_disabled(node: Node) -> None:
    if "disabled" in node.states:
        raise ActionFailed(f'{node.role} "{node.name}" is disabled; enable it first')


def _places_to_open(node: Node, at: Point) -> list[Point]:
    """Points to click to open a list: an editable one may open only at its arrow."""
    places = [at, Point(node.box.edges[2] - node.box.height // 2, at.y)]
    return places if node.role == "combobox" and places[1].x > at.x else places[:1]


def _traits(nodes: Sequence[Node]) -> set[Hashable]:
    """What tells that a node was there before: its key, or name and place, as Qt gives cells new keys."""
    return {one.key for one in nodes} | {(one.name, one.box) for one in nodes}


def _names(nodes: Sequence[Node]) -> list[str]:
    return [one.name for one in nodes]


def _is_entry_of(one: Node, around: Node) -> bool:
    return one.key != around.key and around.role in roles.LISTS and around.box.contains(one.box.center)
