"""A fake computer: a small world in memory that behaves like a real adapter."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gui_agent.core.actions import Action, places
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.observation import Element, Observation, Screenshot
from gui_agent.core.protocols import Closing, Opening, Settled
from gui_agent.core.texts import normal
from gui_agent.elements.roles import BOXES, FIELDS
from gui_agent.testing.world import Rule, World

Moment = tuple[str, int]
"""A method's name and its how-manieth call, from 1: ("perform", 2)."""


class FakeComputer(Closing):
    """A computer for tests: shows the screens it is given and lets them react to actions.

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
            after_looks: screens that show up by themselves before the observation of this number.
            unsupported: kinds of actions that this device says it cannot do.
        """
        named = {"screen": screens} if isinstance(screens, Observation) else screens
        self.world = World(named, rules)
        self.platform = platform
        self.performed: list[Action] = []
        """The actions that were carried out, in order."""
        self.calls: dict[str, int] = {}
        """How often each method was called."""
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
        """Do the action in the little world."""
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
        """Nothing moves by itself here, so it is quiet at once."""
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
        """A program of the little world, or its page when the name is an address."""
        if self.world.find(name) is None:
            raise ActionFailed(f'open: there is no "{name}" here')
        return Opening("address", url=name) if "://" in name else Opening("program", (name,))

    def close(self) -> None:
        """From now on the computer is lost."""
        self._closed = True

    def value(self, name: str) -> str:
        """What the field of this name really holds, also when the screen shows bullets."""
        return self.world.held(name)

    def _hit_test(self, action: Action, expected: Element | None) -> None:
        at = places(action).get("at")
        if expected is None or at is None:
            return
        on_top = self.world.at(at)
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
    """The screen as a PNG of exactly `observation.size`; secrets stand as bullets, as on a real screen."""
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
    # Pillow's built-in font has only Latin letters; the rest would raise.
    return shown.replace("•", "*").encode("latin-1", "replace").decode("latin-1")


def _text_place(element: Element) -> tuple[int, int]:
    box = element.box
    if element.role in BOXES:
        return box.right + 6, box.top + 2
    return box.left + 6, box.top + 6
