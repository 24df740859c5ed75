"""The screen of a Wayland session as a computer: `--on desktop` in such a session."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median_high
from typing import TYPE_CHECKING, Any, NamedTuple

from gui_agent.computers.atspi.source import AtspiSource
from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.elements import Eyes, Observe, merge
from gui_agent.computers.desktop.monitor import on_monitor
from gui_agent.computers.desktop.parts import (
    Device,
    HeldInput,
    Node,
    ScreenReading,
    Source,
    UntoldDevice,
    Window,
    close_by_keys,
    in_time,
    notches,
)
from gui_agent.computers.x11.keyboard import key_symbol, symbol_of
from gui_agent.computers.x11.programs import Launcher, Launches
from gui_agent.core.actions import Button
from gui_agent.core.deadline import turns
from gui_agent.core.errors import ActionFailed, ComputerLost, MissingExtra
from gui_agent.core.observation import Box, Point, Size
from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import normal
from guiagent_platforms.wayland.frames import MonitorPictures, SessionWindows, ready
from guiagent_platforms.wayland.portal import REMEMBERS, PortalSession, portal_versions

if TYPE_CHECKING:
    from PIL.Image import Image

BUTTONS: dict[Button, int] = {"left": 0x110, "right": 0x111, "middle": 0x112}
"""The buttons by their codes in Linux."""
SHOWING = 0.4
"""Maximum seconds for a window to come to the front after a switch."""
CHUNK = 64


class WaylandDevice(HeldInput, Launches, UntoldDevice):
    """The monitors of a session as one screen. Points are pixels of the picture, in units of the desktop."""

    platform = "wayland"

    def __init__(
        self, portal: PortalSession, frames: MonitorPictures, windows: SessionWindows, launcher: Launcher
    ) -> None:
        super().__init__()
        self._portal, self._frames, self._windows, self._launcher = portal, frames, windows, launcher
        self._at = frames.size.box.center
        windows.screen = frames.size

    @property
    def size(self) -> Size:
        return self._frames.size

    @property
    def monitors(self) -> tuple[Box, ...]:
        return self._frames.monitors

    @property
    def pointer(self) -> Point:
        """The agent's last pointer position: no portal reports the user's movements."""
        return self._at

    def grab(self, box: Box | None = None) -> Image:
        return self._frames.grab(box)

    def pixels(self) -> bytes | bytearray:
        return self._frames.pixels()

    def move(self, point: Point) -> None:
        for stream, place in zip(self._frames.streams, self._frames.monitors, strict=True):
            if place.contains(point):
                left, top = place.corner
                x, y = float(point.x - left), float(point.y - top)
                self._portal.notify("NotifyPointerMotionAbsolute", "udd", stream.node, x, y)
                self._at = point
                return
        raise ActionFailed(f"no monitor shows the point ({point.x}, {point.y}); look again")

    def wheel(self, down: int, right: int) -> None:
        for axis, steps in enumerate(map(notches, (down, right))):
            if steps:
                self._portal.notify("NotifyPointerAxisDiscrete", "ui", axis, steps)

    def _send_button(self, button: Button, *, down: bool) -> None:
        self._portal.notify("NotifyPointerButton", "iu", BUTTONS[button], int(down))

    def _key(self, key: str) -> int:
        return key_symbol(key)

    def _send_key(self, made: int, *, down: bool) -> None:
        self._portal.notify("NotifyKeyboardKeysym", "iu", made, int(down))

    def type_text(self, text: str) -> None:
        """Type characters of every keyboard by keys; insert other texts through the program.

        A portal accepts symbols that no key of the layout has, but the desktop drops them silently.
        """
        text = text.replace("\r\n", "\n")
        if any(not one.isprintable() and one not in "\n\t" for one in text):
            raise ActionFailed("control characters cannot be typed; leave them out")
        if not text.isascii():
            self._windows.insert(text)
            return
        for start in range(0, len(text), CHUNK):
            in_time("type the text")
            for symbol in map(symbol_of, text[start : start + CHUNK]):
                self._send_key(symbol, down=True)
                self._send_key(symbol, down=False)

    def windows(self) -> Sequence[Window]:
        """The windows of the programs that report them, lowest first."""
        return self._windows.visible_windows()

    def activate(self, window: Window) -> None:
        """Cycle through the windows with alt+tab as people do; no program may raise another one's window."""
        for times in range(1, len(self._windows.visible_windows()) + 1):
            self.press_key("alt")
            try:
                for _ in range(times):
                    self.press_key("tab")
                    self.release_key("tab")
            finally:
                self.release_key("alt")
            for _ in turns(SHOWING, 0.02):
                if any(one.id == window.id and one.active for one in self._windows.visible_windows()):
                    return

    def close_window(self, window: Window) -> None:
        """Close the front window by its keyboard shortcut."""
        if not window.active:
            raise ActionFailed("only the window in front can be closed here; switch to it first")
        close_by_keys(self)

    @property
    def clipboard(self) -> str:
        raise ActionFailed(
            "a Wayland session keeps its clipboard to the window in front; use ctrl+c and ctrl+v"
        )

    def close(self) -> None:
        """Release keys and buttons, and end the session; may be called twice."""
        with contextlib.suppress(ComputerLost):
            self.let_go()
        self._windows.close()
        self._frames.close()
        self._portal.close()


AGREEING = 2
"""Minimum number of agreeing texts to locate a window."""
SLACK = 3
"""Maximum pixels between the window positions derived from different texts."""
SHORTEST = 2
"""Minimum letters of a text that determines a position."""
APART = 20_000
"""Pixels between windows laid out side by side; no window is wider."""
ROOMY = 2.2
"""Minimum ratio of a node's width to its text's from which on the text's start is not known."""


class WaylandSource:
    """The accessibility tree, positioned by vision; for windows not located, only vision."""

    def __init__(self, tree: AtspiSource, eyes: Eyes, windows: SessionWindows, observe: Observe) -> None:
        """Args: observe: `vision` for vision alone, `both` for everything that either finds; otherwise vision
        where the tree reports nothing.
        """
        self._tree, self._eyes, self._windows = tree, eyes, windows
        self._observe = observe

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """The nodes of the windows; locates the windows again, because the user may move them."""
        seen = self._eyes.read(windows, picture, seconds)
        if self._observe == "vision":
            return seen
        told = self._tree.read(self._laid_out(windows), picture, seconds)
        nodes: list[Node] = []
        found: dict[int, Box] = {}
        for window in windows:
            own = [node for node in told.nodes if node.window == window.id]
            apart = displacement(own, seen.nodes)
            size = self._windows.size(window)
            if apart is None or size is None:
                self._windows.place(window, None)
                continue
            found[window.id] = Box(apart[0] + window.id * APART, apart[1], size.width, size.height)
            self._windows.place(window, found[window.id])
            nodes += [replace(node, box=node.box.shift(*apart)) for node in own]
        return self._join_readings(nodes, seen, found, told.late, len(found) == len(windows))

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """The current node at a point from the program of the window there; otherwise the one last seen."""
        over = next((one for one in reversed(windows) if one.box.contains(point)), None)
        if (
            over is None
            or self._observe == "vision"
            or self._windows.menu
            or not self._windows.is_placed(over)
        ):
            return self._eyes.node_at(point, windows)
        x, y = over.box.shift(-over.id * APART, 0).corner
        told = self._tree.node_at(Point(point.x - x, point.y - y), self._laid_out(windows))
        if told is None:
            return self._eyes.node_at(point, windows)
        return replace(told, box=told.box.shift(x, y))

    def close(self) -> None:
        self._tree.close()
        self._eyes.close()

    def _laid_out(self, windows: Sequence[Window]) -> list[Window]:
        """The windows side by side without overlap, because their real positions are not known yet."""
        sizes = ((window, self._windows.size(window)) for window in windows)
        return [
            replace(window, box=Box(window.id * APART, 0, size.width, size.height), outer=None)
            for window, size in sizes
            if size is not None
        ]

    def _join_readings(
        self,
        nodes: Sequence[Node],
        seen: ScreenReading,
        found: Mapping[int, Box],
        late: tuple[str, ...],
        whole: bool,
    ) -> ScreenReading:
        if self._observe == "tree":
            return ScreenReading(tuple(nodes), late=late)
        # Vision assigned nodes to windows before the windows' positions were known.
        free = [replace(node, window=0) for node in seen.nodes]
        if self._observe == "auto" and whole and not self._windows.menu:
            others = (one for one in free if not _is_in_any(one, found.values()))
            return ScreenReading((*nodes, *others), late=late)
        return ScreenReading(merge(nodes, free), late=late)


def _is_in_any(node: Node, windows: Iterable[Box]) -> bool:
    return any(box.contains(node.box.center) for box in windows)


def displacement(told: Sequence[Node], seen: Sequence[Node]) -> tuple[int, int] | None:
    """The offset of a window's reported nodes to the seen ones; None if texts disagree."""
    places: dict[str, list[Box]] = defaultdict(list)
    for node in seen:
        if len(word := normal(node.name)) >= SHORTEST:
            places[word].append(node.box)
    votes: list[_Vote] = []
    for node in told:
        word = normal(node.name)
        for box in places.get(word, ()):
            if node.box.width <= ROOMY * box.width and node.box.height <= ROOMY * 2 * box.height:
                here, there = node.box.center, box.center
                votes.append(_Vote(there.x - here.x, there.y - here.y, word))
    groups = [list(filter(vote.agrees, votes)) for vote in votes]
    best = max(groups, key=_count_words, default=[])
    if _count_words(best) < AGREEING:
        return None
    rivals = (group for group in groups if set(group).isdisjoint(best))
    if max(map(_count_words, rivals), default=0) == _count_words(best):
        return None  # two windows with the same words, as of a program that is open twice
    return median_high(vote.x for vote in best), median_high(vote.y for vote in best)


class _Vote(NamedTuple):
    """The offset of a text's reported position to the seen one."""

    x: int
    y: int
    word: str

    def agrees(self, other: _Vote) -> bool:
        return abs(other.x - self.x) <= SLACK and abs(other.y - self.y) <= SLACK


def _count_words(votes: Sequence[_Vote]) -> int:
    return len({vote.word for vote in votes})


class WaylandComputer(DesktopComputer):
    """The user's session, with its programs and windows; experimental."""

    EXPERIMENTAL = "experimental: run on GNOME's compositor and portal without a real screen"

    def __init__(
        self,
        *,
        session: str = "",
        permission: str = "~/.local/state/guiagent/wayland",
        monitor: int = 0,
        observe: Observe = "auto",
        asking: float = 120.0,
        **shared: Any,
    ) -> None:
        """Ask the user through the desktop's dialog, unless an earlier answer is stored.

        If the user stops sharing the screen through the desktop, the agent stops at once.

        Args:
            session: address of the D-Bus session; empty for the environment's.
            permission: the file that stores the answer, if the desktop can; empty to be asked each time.
            monitor: number of the monitor, from 1; 0 for all that the user shares.
            observe: tree, vision, both, or auto: vision only for windows without a tree. Vision is needed
                in any case, as only it can locate a window.
            asking: seconds for the user to answer the dialog.
            shared: see `DesktopComputer`.
        """
        device, source = _parts(session, user_path(permission) if permission else None, observe, asking)
        device, source = on_monitor(device, source, monitor)
        super().__init__(device, source, **shared)

    @staticmethod
    def describe_session(address: str) -> str:
        """The portals at a session bus; raises `GuiAgentError` if they or the pictures are missing."""
        remote, cast = portal_versions(address)
        ready()
        asks = "asks once" if remote >= REMEMBERS else "asks before each run"
        return (
            f"a Wayland session with the portals RemoteDesktop {remote} and ScreenCast {cast}, which {asks}"
        )


def _parts(session: str, kept: Path | None, observe: Observe, asking: float) -> tuple[Device, Source]:
    try:
        from gui_agent.computers.atspi.source import AtspiSource
        from gui_agent.computers.x11.programs import LocalLauncher
        from guiagent_platforms.wayland.frames import MonitorPictures, SessionWindows
        from guiagent_platforms.wayland.portal import PortalSession
    except ImportError as error:
        raise MissingExtra("desktop", "a desktop") from error
    try:
        from gui_agent.computers.vision.source import VisionSource
    except ImportError as error:
        raise MissingExtra("vision", "finding the windows of a Wayland session") from error
    portal = PortalSession(session, kept, asking)
    try:
        frames = MonitorPictures(portal.streams, portal.pipewire)
        windows = SessionWindows(session)
        device = WaylandDevice(portal, frames, windows, LocalLauncher())
        eyes = VisionSource(grab=device.grab)
        return device, WaylandSource(AtspiSource(session, wayland=True), eyes, windows, observe)
    except BaseException:
        portal.close()
        raise
