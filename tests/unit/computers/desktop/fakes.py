"""A device without a screen, for tests of what is the same on all desktops."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from PIL import Image

from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Box, Point, Size
from gui_agent.core.protocols import Opening

SCREEN = Size(200, 100)
WINDOW = Box(0, 0, 100, 100)
SMALL = Box(0, 0, 10, 10)


def window(number: int, box: Box = WINDOW, **more: object) -> Window:
    values: dict[str, object] = {"title": f"Window {number}", "app": "editor", "pid": number, **more}
    return Window(id=number, box=box, **values)  # type: ignore[arg-type]


def node(key: Hashable, role: str = "button", name: str = "", box: Box = SMALL, **more: object) -> Node:
    return Node(key, role, name, box, **more)  # type: ignore[arg-type]


class FakeDevice:
    """Notes what it is told to do."""

    platform = "fake"

    def __init__(self, *windows: Window, size: Size = SCREEN) -> None:
        self.size = size
        self.told: list[tuple[object, ...]] = []
        self.shown = list(windows)
        self.frames: list[bytes] = []
        self.opens: list[Window] = []
        """Windows that a launch or click brings."""
        self.why = ""
        self.killed: set[int] = set()
        self.fails_at: tuple[object, ...] = ()
        self.clipboard = ""
        self.pointer = Point(0, 0)

    def _note(self, *what: object) -> None:
        self.told.append(what)
        if what == self.fails_at:
            raise ActionFailed("the hand slipped")

    def grab(self, box: Box | None = None) -> Image.Image:
        return Image.new("RGB", (self.size.width, self.size.height))

    def pixels(self) -> bytes:
        if len(self.frames) > 1:
            return self.frames.pop(0)
        return self.frames[0] if self.frames else bytes(4 * self.size.width * self.size.height)

    def move(self, point: Point) -> None:
        self.pointer = point
        self._note("move", point.x, point.y)

    def press_button(self, button: Button) -> None:
        self._note("down", button)

    def release_button(self, button: Button) -> None:
        self._note("up", button)

    def wheel(self, down: int, right: int) -> None:
        self._note("wheel", down, right)

    def press_key(self, key: str) -> None:
        self._note("press", key)

    def release_key(self, key: str) -> None:
        self._note("release", key)

    def type_text(self, text: str) -> None:
        self._note("type", text)

    def windows(self) -> Sequence[Window]:
        return self.shown

    def minimised_windows(self) -> Sequence[Window]:
        return []

    def activate(self, window: Window) -> None:
        self._note("activate", window.id)
        self.shown = [
            Window(one.id, one.title, one.app, one.pid, one.box, one.id == window.id) for one in self.shown
        ]

    def close_window(self, window: Window) -> None:
        self._note("close", window.id)

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        return True

    def opening(self, name: str) -> Opening:
        return Opening("program", (name,))

    def launch(self, name: str) -> None:
        self._note("launch", name)
        self.shown.extend(self.opens)

    def has_crashed(self, pid: int) -> bool:
        return pid in self.killed

    def failure(self) -> str:
        return self.why

    def close(self) -> None:
        self._note("closed")


class FakeSource:
    """Sees what it is given; a function of the device makes lists that open."""

    def __init__(self, *nodes: Node) -> None:
        self.nodes = list(nodes)
        self.blind = False

    def read(self, windows: Sequence[Window], picture: Image.Image, seconds: float) -> ScreenReading:
        return ScreenReading(tuple(self.nodes))

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        there = [one for one in self.nodes if one.box.contains(point)]
        return None if self.blind else min(there, key=lambda one: one.box.area, default=None)

    def close(self) -> None: ...
