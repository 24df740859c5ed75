"""A source of elements that asks the programs of one session over the accessibility bus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gui_agent.computers.atspi.bounds import visible_part
from gui_agent.computers.atspi.bus import Bus, CallFailed, Reference, ask
from gui_agent.computers.atspi.program import introduce, running
from gui_agent.computers.atspi.reader import ProgramReader
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.errors import ComputerLost
from gui_agent.core.geometry import Point

if TYPE_CHECKING:
    from PIL.Image import Image

_LOG = logging.getLogger(__name__)
_GRACE = 0.05
"""Seconds for a program in the background that was late the last time to say that it is there again."""
_TELLING = 24
"""Pixels; a smaller part of a window need not have anything in it."""
_QUICK = 1.0
"""Seconds for one question."""
_CONNECTING = 10.0
"""Seconds to reach the bus, which the session may have to start first."""


class AtspiSource:
    """Sees the elements of all programs of one session; several sources can live in one process.

    Args:
        session: address of the session bus, as in `DBUS_SESSION_BUS_ADDRESS`.
        wayland: whether programs do not know where their windows are; those that are given tell it.
    """

    def __init__(self, session: str, *, wayland: bool = False) -> None:
        self._session = session
        self._wayland = wayland
        self._thread = LoopThread("gui_agent.atspi", "the accessibility bus")
        self._bus: Bus | None = None
        self._readers: dict[Reference, ProgramReader] = {}
        self._keys: frozenset[Hashable] = frozenset()
        self._picture: Image | None = None

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """What the programs show; a program that does not answer in time is `late`, others are complete."""
        try:
            return self._thread.call(self._read(windows, picture, seconds), seconds + _CONNECTING)
        except (OSError, CallFailed, ComputerLost) as error:
            _LOG.warning("no elements from the accessibility bus: %s", error)
            self._hang_up()
            return ScreenReading(silent=tuple(window.id for window in windows))

    def at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """What is at a point: what was last seen there if it confirms that, else what a new look finds.

        Where a program that tells what is in a window has nothing there any more, it is the window; None
        where it tells nothing of the window.
        """
        over = next((window for window in reversed(windows) if window.box.contains(point)), None)
        if over is None or self._bus is None:
            return None
        try:
            return self._thread.call(self._at(self._bus, point, over, windows), 2 * _QUICK)
        except (CallFailed, ComputerLost):
            return None

    def set_text(self, key: Hashable, text: str) -> bool:
        """Through the program's own interface for editing; no keys are pressed."""
        if key not in self._keys or not isinstance(key, tuple) or len(key) != 2 or self._bus is None:
            return False
        try:
            return self._thread.call(self._set_text(self._bus, key, text), _QUICK)
        except ComputerLost:
            return False

    def close(self) -> None:
        """Hang up and end the thread; safe to call twice."""
        if self._thread.running:
            self._hang_up()
        self._thread.stop()

    def _hang_up(self) -> None:
        bus, self._bus, self._readers = self._bus, None, {}
        if bus is not None and self._thread.running:
            self._thread.call(_close(bus), _QUICK)

    async def _read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        windows = _owned(windows)
        if self._bus is None or not self._bus.alive:
            self._bus, self._readers = await Bus.connect(self._session), {}
        bus = self._bus
        await self._meet(bus, seconds)
        pids = {window.pid for window in windows if window.popup or _in_sight(window, windows)}
        readers = [reader for reader in self._readers.values() if reader.program.pid in pids]
        found = await asyncio.gather(
            *(_in_time(reader, bus, windows, picture, seconds) for reader in readers)
        )
        nodes = [node for of_program in found for node in of_program]
        self._keys, self._picture = frozenset(node.key for node in nodes), picture
        telling = {node.window for node in nodes}
        return ScreenReading(
            tuple(nodes),
            tuple(window.id for window in windows if window.id not in telling and _in_sight(window, windows)),
            tuple(reader.program.name for reader in readers if reader.late),
        )

    async def _meet(self, bus: Bus, seconds: float) -> None:
        """Learn of programs that came and went."""
        roots = await asyncio.wait_for(running(bus), seconds + _QUICK)
        self._readers = {root: reader for root, reader in self._readers.items() if root in roots}

        async def meet(root: Reference) -> None:
            try:
                program = await asyncio.wait_for(introduce(bus, root, self._wayland), _QUICK)
            except (CallFailed, TimeoutError):
                return
            self._readers[root] = ProgramReader(program)

        await asyncio.gather(*(meet(root) for root in roots if root not in self._readers))

    async def _at(self, bus: Bus, point: Point, over: Window, windows: Sequence[Window]) -> Node | None:
        windows = _owned(windows)
        over = next(window for window in windows if window.id == over.id)
        reader = next((r for r in self._readers.values() if r.program.pid == over.pid), None)
        if reader is None or self._picture is None or not reader.last:
            return None
        node = _inmost(reader.last, point, over)
        try:
            if node is not None and await asyncio.wait_for(reader.confirms(bus, node, point, over), _QUICK):
                return node
        except TimeoutError:
            return None
        nodes = await _in_time(reader, bus, windows, self._picture, _QUICK)
        if reader.late or all(node.window != over.id for node in nodes):
            return None
        nobody = Node(("window", over.id), "window", over.title or over.app, over.box, window=over.id)
        return _inmost(nodes, point, over) or nobody

    async def _set_text(self, bus: Bus, at: Reference, text: str) -> bool:
        (done,) = await bus.many([ask(at, "EditableText", "SetTextContents", "s", text)])
        return bool(done)


def _owned(windows: Sequence[Window]) -> list[Window]:
    """The windows with their programs; menus of GTK 2 do not tell of whom they are."""
    known = {window.app: window.pid for window in windows if window.pid and not window.popup}
    front = next((window.pid for window in reversed(windows) if window.active), 0)
    return [
        replace(window, pid=known.get(window.app, front)) if window.popup and not window.pid else window
        for window in windows
    ]


def _inmost(nodes: Sequence[Node], point: Point, window: Window) -> Node | None:
    """The smallest thing of a window at a point."""
    there = [node for node in nodes if node.window == window.id and node.box.contains(point)]
    return min(there, key=lambda node: node.box.area, default=None)


def _in_sight(window: Window, windows: Sequence[Window]) -> bool:
    """Whether so much of a window can be seen that something in it should be, too."""
    above = windows[windows.index(window) + 1 :]
    part = visible_part(window.box, (), (other.outer or other.box for other in above))
    return part is not None and min(part.width, part.height) >= _TELLING


async def _close(bus: Bus) -> None:
    bus.close()


async def _in_time(
    reader: ProgramReader, bus: Bus, windows: Sequence[Window], picture: Image, seconds: float
) -> tuple[Node, ...]:
    """What a program shows, or what it showed the last time when it does not answer in time."""
    own = [window for window in windows if window.pid == reader.program.pid]
    try:
        if reader.late and not any(window.active for window in own):
            await asyncio.wait_for(reader.answers(bus), _GRACE)
        nodes = await asyncio.wait_for(reader.read(bus, windows, own, picture), seconds)
        reader.late = False
        return nodes
    except TimeoutError:
        reader.late = True
    except CallFailed as error:
        _LOG.debug("%s does not tell what it shows: %s", reader.program.name, error)
        reader.last = ()
    here = {window.id for window in own}
    return tuple(node for node in reader.last if node.window in here)
