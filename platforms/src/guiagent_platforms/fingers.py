"""What fingers do alike on every phone: turn a switch, pick an option, scroll a list, pinch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from gui_agent.computers.desktop.parts import Node, Window
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Point, Size
from gui_agent.core.texts import normal, shorten
from gui_agent.elements.roles import LATCHING, RADIOS

SHOWING = 3.0
"""Maximum seconds for a switch to turn, a list of options to open, and an opened app to come to the front."""
REACH = 0.7
"""Maximum share of a list that one swipe covers."""
NEAR, FINGER, LEVEL = 0.2, 20, 0.05
"""Distance of close fingers as a share of the room; minimum movement (px); negligible change of size."""
MOST_SCALE = 10.0


class Look(Protocol):
    """What stands on a screen at one moment."""

    @property
    def nodes(self) -> Sequence[Node]: ...


class TouchScreen(Protocol):
    """A screen that fingers touch; points are pixels of its picture."""

    @property
    def size(self) -> Size: ...

    def looks(self, seconds: float) -> Iterator[Look]:
        """Looks one after another, at least one, as long as something may take to appear."""

    def pixels(self) -> bytes: ...

    def node_at(self, point: Point, windows: Sequence[Window] = ()) -> Node | None: ...


@dataclass(frozen=True)
class Fingers:
    """Actions made of taps and swipes."""

    screen: TouchScreen
    tap: Callable[[Point], None]
    swipe: Callable[[Point, Point], None]
    """Moves a finger between two points, slowly enough not to fling the content."""

    def check(self, at: Point, on: bool) -> None:
        nodes = next(self.screen.looks(SHOWING)).nodes
        boxes = (one for one in nodes if one.role in LATCHING | RADIOS and one.box.contains(at))
        node = next(boxes, None)
        if node is None:
            raise ActionFailed("there is no check box or switch at this point; aim at one")
        if ("checked" in node.states) == on:
            return
        self.tap(node.box.center)
        for look in self.screen.looks(SHOWING):
            same = (one for one in look.nodes if one.key == node.key and one.box.contains(at))
            now = next(same, None)
            if now is None or ("checked" in now.states) == on:  # None: a question appeared, or another screen
                return
        raise ActionFailed(f'"{shorten(node.name, 60)}" did not turn {"on" if on else "off"}; look again')

    def choose(self, at: Point, option: str) -> bool:
        """Whether the option was chosen; False if the opened list does not show it."""
        node = self.screen.node_at(at)
        if node is not None and normal(node.value) == normal(option):
            return True
        self.tap(at)
        for look in self.screen.looks(SHOWING):
            found = node_called(look, option)
            if found is not None and (node is None or found.key != node.key):
                self.tap(found.box.center)
                return True
        return False

    def scroll(self, at: Point, down: int, right: int) -> None:
        size, nodes = self.screen.size, next(self.screen.looks(SHOWING)).nodes
        lists = [one.box for one in nodes if "scrollable" in one.states and one.box.contains(at)]
        box = min(lists, key=lambda one: one.area, default=size.box).intersect(size.box) or size.box
        for along, whole, (x, y) in ((down, box.height, (0, 1)), (right, box.width, (1, 0))):
            left, most = along, max(1, int(whole * REACH))
            while left:
                step = max(-most, min(left, most))
                start = Point(box.center.x + step // 2 * x, box.center.y + step // 2 * y)
                shown = self.screen.pixels()
                self.swipe(start, Point(start.x - step * x, start.y - step * y))
                left -= step
                if left and self.screen.pixels() == shown:
                    break  # the end of the list; a request to scroll to the top is many pixels


def pinches(at: Point, scale: float, size: Size) -> Iterator[list[list[Point]]]:
    """The paths of two fingers around a point, as far as there is room on both sides, several if needed."""
    if not 1 / MOST_SCALE <= scale <= MOST_SCALE:
        raise ActionFailed(f"one pinch changes the size by {1 / MOST_SCALE:g} to {MOST_SCALE:g} at once")
    room = min(at.x, size.width - 1 - at.x)
    near, far = int(room * NEAR), int(room * REACH)
    if far - near < FINGER:
        raise ActionFailed("there is no room for two fingers here; choose a point away from the edge")
    while abs(scale - 1) > LEVEL:
        part = max(near / far, min(scale, far / near))
        wide = (near, int(near * part)) if part > 1 else (far, int(far * part))
        yield [[Point(at.x + side * x, at.y) for x in wide] for side in (-1, 1)]
        scale /= part


def node_called(look: Look, name: str) -> Node | None:
    """The control or text with exactly this name; controls before texts."""
    found = [node for node in look.nodes if normal(node.name) == normal(name) and node.role != "textbox"]
    return min(found, key=lambda node: node.role == "text", default=None)
