"""The fake computer and its small world of screens, for tests without a device."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.core.actions import Action, Check, Choose, Navigate, Open, Press, Switch
from gui_agent.core.aiming import places
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.observation import Element, Observation, Point, Screenshot
from gui_agent.core.protocols import Closing, Opening, Settled
from gui_agent.core.texts import normal
from gui_agent.elements.roles import BOXES, FIELDS

BULLET = "•"
KEYS = frozenset(
    (
        *("alt", "backspace", "capslock", "cmd", "ctrl", "control", "controlormeta", "delete", "down", "end"),
        *(
            "enter",
            "esc",
            "escape",
            "home",
            "insert",
            "left",
            "meta",
            "pagedown",
            "pageup",
            "return",
            "right",
        ),
        *("shift", "space", "super", "tab", "up", "win", *(f"f{number}" for number in range(1, 13))),
    )
)
"""Names of keys, besides single characters."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The effect of an action: another screen, or a change of the world by a function."""

    kind: str
    name: str
    """Name of the element, or the chord (`ctrl+s`), address, title; empty matches anything."""
    go: str | Callable[[World], None]
    on: str = ""
    """Only on the screen of this name; empty: on any."""


def when(kind: str, name: str = "", *, go: str | Callable[[World], None], on: str = "") -> Rule:
    """A rule: after an action of this kind on the element of this name, go there."""
    return Rule(kind, name, go, on)


class World:
    """Screens by name, one of them shown; keeps values, check marks, focus and scroll position of each."""

    def __init__(self, screens: Mapping[str, Observation], rules: Iterable[Rule] = ()) -> None:
        if not screens:
            raise ValueError("a world needs at least one screen")
        self._screens: dict[str, Observation] = {}
        self._scrolled: dict[str, int] = {}
        self._last_id = 0
        for name, observation in screens.items():
            self._screens[name] = self._renumber(observation)
        self.rules = list(rules)
        self.current = next(iter(self._screens))
        self.history: list[str] = []
        self.focus = 0
        self.typed: dict[int, str] = {}
        """The real text of a password field, by id; the screen shows bullets."""

    @property
    def screen(self) -> Observation:
        """The whole current screen, including parts out of view."""
        return self._screens[self.current]

    def view(self) -> Observation:
        """The visible part of the current screen."""
        whole, offset = self.screen, self._scrolled.get(self.current, 0)
        visible = []
        for element in whole.elements:
            moved = replace(element.box, top=element.box.top - offset)
            seen = moved.intersect(whole.size.box)
            if seen is not None:
                states = element.states | {"focused"} if element.id == self.focus else element.states
                visible.append(replace(element, box=seen, states=states))
        below = max(0, self._depth() - whole.size.height - offset)
        more = {side: length for side, length in (("above", offset), ("below", below)) if length}
        return replace(whole, elements=tuple(visible), more={**whole.more, **more})

    def element_at(self, point: Point) -> Element | None:
        """The top element at a point of the view: the last one that contains it."""
        return next((e for e in reversed(self.view().elements) if e.box.contains(point)), None)

    def element_named(self, name: str) -> Element:
        """The element of this name on the current screen."""
        for element in self.screen.elements:
            if normal(element.name) == normal(name):
                return element
        raise KeyError(f'no element "{name}" on screen "{self.current}"')

    def content_of(self, name: str) -> str:
        """The real text of the field of this name, on the current screen or otherwise on another."""
        for screen in (self.screen, *self._screens.values()):
            for element in screen.elements:
                if normal(element.name) == normal(name):
                    return self.typed.get(element.id, element.value)
        raise KeyError(f'no element "{name}" on any screen')

    def show(self, name: str) -> None:
        """Bring another screen to the front."""
        if name not in self._screens:
            raise KeyError(f'no screen "{name}"; there are: {", ".join(self._screens)}')
        if name != self.current:
            self.history.append(self.current)
            self.current, self.focus = name, 0

    def change(self, which: str | int, /, **changes: Any) -> None:
        """Change attributes of the element of this name or number, such as `value`, `box` or `states`."""
        self._put(which if isinstance(which, int) else self.element_named(which).id, **changes)

    def add(self, *elements: Element) -> None:
        """Put elements on top of the current screen; they need boxes."""
        added = self._renumber(replace(self.screen, elements=elements)).elements
        self._screens[self.current] = replace(self.screen, elements=(*self.screen.elements, *added))

    def remove(self, name: str) -> None:
        """Remove the element of this name from the current screen."""
        gone = self.element_named(name).id
        kept = tuple(element for element in self.screen.elements if element.id != gone)
        self._screens[self.current] = replace(self.screen, elements=kept)

    def apply(self, action: Action) -> None:
        """Apply the action in this world, then the first matching rule."""
        at = places(action).get("at")
        element = self.element_at(at) if at is not None else None
        if action.kind in ("press", "hold"):
            _check_keys(action.keys)
        before = self.current
        rule = self._rule(action, element)
        if rule is None or action.kind not in ("navigate", "open", "switch", "close", "back"):
            self._effect(action, element)
        if rule is None or self.current != before:
            return
        if isinstance(rule.go, str):
            self.show(rule.go)
        else:
            rule.go(self)

    def find(self, wanted: str) -> str | None:
        """The name of the screen with this name, address or application, or with this in its title."""
        for name, screen in self._screens.items():
            if wanted in (name, screen.place.url, screen.place.app):
                return name
        for name, screen in self._screens.items():
            if wanted and normal(wanted) in normal(screen.place.title):
                return name
        return None

    def _effect(self, action: Action, element: Element | None) -> None:
        match action.kind:
            case "click" if action.button == "left":
                self._click(element)
            case "type":
                self._type(action.text, element, replacing=action.replace)
            case "choose":
                self._choose(action, element)
            case "check":
                self._check(action, element)
            case "upload" if element is not None:
                self._put(element.id, value=", ".join(action.files))
            case "scroll":
                self._scroll(action.down)
            case "press":
                for _ in range(action.times):
                    self._press(action)
            case "navigate" | "open" | "switch":
                self._leave(action)
            case "back" | "close":
                if not self.history:
                    raise ActionFailed(f"{action.kind}: there is no screen before this one")
                self.current, self.focus = self.history.pop(), 0
            case _:
                pass

    def _click(self, element: Element | None) -> None:
        usable = element is not None and "disabled" not in element.states
        self.focus = element.id if element is not None and usable and not element.is_text else 0
        if element is None or not usable or element.role not in BOXES:
            return
        self._mark(element, on=element.role == "radio" or "checked" not in element.states)

    def _type(self, text: str, element: Element | None, *, replacing: bool) -> None:
        if element is not None:
            self._click(element)
        field = self.screen.by_id(self.focus)
        if field is None or "editable" not in field.states or "readonly" in field.states:
            return
        old = "" if replacing else self.typed.get(field.id, field.value)
        self.typed[field.id] = old + text
        secret = "password" in field.states
        self._put(field.id, value=BULLET * len(old + text) if secret else old + text)

    def _choose(self, action: Choose[Point], element: Element | None) -> None:
        options = element.attributes.get("options", "").split("\n") if element is not None else []
        for option in options:
            if element is not None and normal(option) == normal(action.option):
                self._put(element.id, value=option)
                return
        raise ActionFailed(f'{element} has no option "{action.option}"; choose one of: {", ".join(options)}')

    def _check(self, action: Check[Point], element: Element | None) -> None:
        if element is None or element.role not in BOXES:
            raise ActionFailed(f"{element or 'the screen'} cannot be ticked; click it")
        if ("checked" in element.states) != action.on:
            self._mark(element, on=action.on)

    def _mark(self, element: Element, *, on: bool) -> None:
        if element.role == "radio" and on:
            group = element.path.rpartition("/")[0]
            for other in self.screen.elements:
                if other.role == "radio" and other.path.rpartition("/")[0] == group:
                    self._put(other.id, states=other.states - {"checked"})
        states = self._element(element.id).states
        self._put(element.id, states=states | {"checked"} if on else states - {"checked"})

    def _scroll(self, down: int) -> None:
        deepest = max(0, self._depth() - self.screen.size.height)
        self._scrolled[self.current] = min(max(self._scrolled.get(self.current, 0) + down, 0), deepest)

    def _press(self, action: Press) -> None:
        controls = [element.id for element in self.screen.controls if "disabled" not in element.states]
        field = self.screen.by_id(self.focus)
        match tuple(key.lower() for key in action.keys):
            case ("tab",) if controls:
                place = controls.index(self.focus) + 1 if self.focus in controls else 0
                self.focus = controls[place % len(controls)]
            case ("backspace",) if field is not None and "editable" in field.states:
                self._type(self.typed.get(field.id, field.value)[:-1], None, replacing=True)
            case ("space",) if field is not None and field.role in BOXES:
                self._click(field)
            case _:
                pass

    def _leave(self, action: Navigate | Open | Switch) -> None:
        wanted = _what_is_named(action)
        name = self.find(wanted)
        if name is None:
            raise ActionFailed(f'{action.kind}: there is no "{wanted}" here')
        self.show(name)

    def _rule(self, action: Action, element: Element | None) -> Rule | None:
        focused = self.screen.by_id(self.focus)
        subjects = {normal(_what_is_named(action)), normal(element.name if element is not None else "")}
        if action.kind == "type" and element is None and focused is not None:
            subjects.add(normal(focused.name))
        for rule in self.rules:
            fits = rule.kind == action.kind and rule.on in ("", self.current)
            if fits and (not rule.name or normal(rule.name) in subjects):
                # A disabled control has no effect, as on a real screen.
                return None if element is not None and "disabled" in element.states else rule
        return None

    def _depth(self) -> int:
        return max((element.box.bottom for element in self.screen.elements), default=0)

    def _element(self, number: int) -> Element:
        element = self.screen.by_id(number)
        if element is None:
            raise KeyError(f'no element {number} on screen "{self.current}"')
        return element

    def _put(self, number: int, **changes: Any) -> None:
        elements = tuple(replace(e, **changes) if e.id == number else e for e in self.screen.elements)
        self._screens[self.current] = replace(self.screen, elements=elements)

    def _renumber(self, observation: Observation) -> Observation:
        first = self._last_id
        elements = tuple(replace(e, id=first + n) for n, e in enumerate(observation.elements, 1))
        self._last_id += len(elements)
        return replace(observation, elements=elements)


def _check_keys(keys: Iterable[str]) -> None:
    for key in keys:
        if len(key) != 1 and key.lower() not in KEYS:
            raise ActionFailed(f'there is no key "{key}"; name it as in enter, tab, ctrl, f5, a')


def _what_is_named(action: Action) -> str:
    match action.kind:
        case "press" | "hold":
            return "+".join(key.lower() for key in action.keys)
        case "navigate":
            return action.url
        case "open":
            return action.name
        case "switch":
            return action.to
        case _:
            return ""


Moment = tuple[str, int]
"""A method's name and the number of its call, from 1: ("perform", 2)."""


class FakeComputer(Closing):
    """A computer for tests: shows the given screens and lets them react to actions.

    ```python
    computer = FakeComputer(
        {"form": screen(field("Name"), button("Send")), "thanks": screen(text("Thank you"))},
        [when("click", "Send", go="thanks")],
    )
    ```
    """

    def __init__(
        self,
        screens: Observation | Mapping[str, Observation],
        rules: Iterable[Rule] = (),
        *,
        errors: Mapping[Moment, BaseException] | None = None,
        after_looks: Mapping[int, str] | None = None,
        unsupported: Iterable[str] = (),
        platform: str = "fake",
    ) -> None:
        """
        Args:
            screens: one screen, or several by name; the first is shown first.
            errors: what to raise at which call, such as {("perform", 2): ActionFailed("...")}.
            after_looks: screens that appear by themselves before the observation of this number.
            unsupported: kinds of actions that this device refuses.
        """
        named = {"screen": screens} if isinstance(screens, Observation) else screens
        self.world = World(named, rules)
        self.platform = platform
        self.performed: list[Action] = []
        self.calls: dict[str, int] = {}
        """The number of calls of each method."""
        self._errors = dict(errors or {})
        self._after_looks = dict(after_looks or {})
        self._unsupported = frozenset(unsupported)
        self._closed = False
        self._lock = threading.RLock()
        self._before: Observation | None = None
        self._picture: tuple[Observation, Screenshot] | None = None

    def observe(self, *, picture: bool = True) -> Observation:
        with self._lock:
            number = self._count_call("observe")
            if number in self._after_looks:
                self.world.show(self._after_looks[number])
            view = self.world.view()
            if not picture:
                return replace(view, screenshot=None)
            if self._picture is None or self._picture[0] != view:
                self._picture = (view, view.screenshot or draw(view))
            return replace(view, screenshot=self._picture[1])

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Apply the action in the fake world."""
        with self._lock:
            self._count_call("perform")
            size = self.world.screen.size
            for name, point in places(action).items():
                if not size.contains(point):
                    raise ActionFailed(
                        f"{action.kind}: `{name}` ({point.x}, {point.y}) is outside the picture "
                        f"of {size.width} x {size.height}; look again and aim inside"
                    )
            if action.kind in self._unsupported:
                raise ActionFailed(f"this device cannot {action.kind}")
            self._hit_test(action, expected)
            self._before = self.world.view()
            self.world.apply(action)
            self.performed.append(action)

    def settle(self) -> Settled:
        """Nothing moves by itself here, so the screen is at rest at once."""
        with self._lock:
            self._count_call("settle")
            return Settled(0.0, quiet=True, changed=self._before != self.world.view())

    def start(self, where: str) -> None:
        """Show the screen with this name, address, title or application."""
        with self._lock:
            self._count_call("start")
            name = self.world.find(where)
            if name is None:
                raise ActionFailed(f'start: there is no "{where}" here')
            self.world.show(name)

    def opening(self, name: str) -> Opening:
        """A program of the fake world, or its page if the name is an address."""
        if self.world.find(name) is None:
            raise ActionFailed(f'open: there is no "{name}" here')
        return Opening("address", url=name) if "://" in name else Opening("program", (name,))

    def close(self) -> None:
        """From now on, the computer is lost."""
        self._closed = True

    def value(self, name: str) -> str:
        """The real text of the field of this name, even if the screen shows bullets."""
        return self.world.content_of(name)

    def _hit_test(self, action: Action, expected: Element | None) -> None:
        at = places(action).get("at")
        if expected is None or at is None:
            return
        on_top = self.world.element_at(at)
        same = on_top is not None and (on_top.role, normal(on_top.name)) == (
            expected.role,
            normal(expected.name),
        )
        if not same:
            raise Stale(f"{on_top or 'nothing'} is now where {expected} was; look again")

    def _count_call(self, method: str) -> int:
        number = self.calls[method] = self.calls.get(method, 0) + 1
        if self._closed:
            raise ComputerLost("the fake computer is closed; open a new one")
        planned = self._errors.get((method, number))
        if planned is not None:
            raise planned
        return number


_FILL = {
    "button": "#dbe7ff",
    "textbox": "#ffffff",
    "combobox": "#ffffff",
    "dialog": "#fff7e0",
    "checkbox": "#ffffff",
    "radio": "#ffffff",
}


def draw(observation: Observation) -> Screenshot:
    """The screen as a PNG of exactly `observation.size`; secrets appear as bullets, as on a real screen."""
    from PIL import Image, ImageDraw

    size = observation.size
    picture = Image.new("RGB", (size.width, size.height), "#f4f4f4")
    pen = ImageDraw.Draw(picture)
    for element in observation.elements:
        box = element.box
        edges = (box.left, box.top, max(box.left, box.right - 1), max(box.top, box.bottom - 1))
        if not element.is_text and element.role != "link":
            outline = "#2050c0" if "focused" in element.states else "#808080"
            pen.rectangle(edges, fill=_FILL.get(element.role), outline=outline)
        if "checked" in element.states:
            pen.line((*edges[:2], *edges[2:]), fill="#000000", width=2)
        pen.text(_text_place(element), _caption(element), fill="#000000")
    data = io.BytesIO()
    picture.save(data, "PNG", compress_level=1)
    return Screenshot(data.getvalue(), size)


def _caption(element: Element) -> str:
    shown = element.value or element.name if element.role in FIELDS else element.name
    # Pillow's built-in font has only Latin letters and raises for others.
    return shown.replace("•", "*").encode("latin-1", "replace").decode("latin-1")


def _text_place(element: Element) -> tuple[int, int]:
    box = element.box
    if element.role in BOXES:
        return box.right + 6, box.top + 2
    return box.left + 6, box.top + 6
