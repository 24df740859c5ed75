"""The source of elements that reads all programs of one session from the accessibility bus."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from gui_agent.computers.atspi import bounds as ask_for
from gui_agent.computers.atspi import tables as sheets
from gui_agent.computers.atspi.bounds import (
    Details,
    Remembered,
    WindowLayout,
    box_of,
    groups_in_popups,
    holders,
    is_filled_by,
    places_of,
    visible_part,
)
from gui_agent.computers.atspi.bus import Bus, CallFailed, Reference, answer_to, ask, get
from gui_agent.computers.atspi.program import (
    MANY,
    AccessibleProgram,
    Known,
    introduce,
    read,
    running,
    strangers,
)
from gui_agent.computers.atspi.tables import VisibleTable
from gui_agent.computers.atspi.tree import cell_nodes, listed_items, nodes
from gui_agent.computers.atspi.vocabulary import AccessibleItem, Role, State, Tree, has, states_of
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.computers.event_loop import LoopThread
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import Box, Point

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
_WRAPPINGS = 8
"""Maximum levels of wrappers that an object may take its name from."""


class ProgramReader:
    """Reads one program, and remembers the last reading."""

    def __init__(self, program: AccessibleProgram) -> None:
        self.program = program
        self.last: tuple[Node, ...] = ()
        self.late = False
        self._sights: dict[Reference, SeenObject] = {}
        self._shifts: dict[Reference, tuple[int, int]] = {}
        self._ground: list[SeenObject] = []
        self._boxes: dict[int, Box] = {}
        self._known: Known = {}
        self._remembered = Remembered()
        self._sheets: dict[Reference, VisibleTable] = {}

    async def answers(self, bus: Bus) -> bool:
        """Whether the program exists and responds; waits for its answer."""
        return await answer_to(bus, get(self.program.root, "Accessible", "Name")) is not None

    async def read(
        self, bus: Bus, windows: Sequence[Window], own: Sequence[Window], picture: Image
    ) -> tuple[Node, ...]:
        """The nodes that the program with its `own` windows shows now; windows are ordered lowest first."""
        tree = await read(bus, self.program, self._known, menus=any(window.popup for window in own))
        tables = [item for item in tree.items.values() if self._is_vast(tree, item)]
        items = listed_items(tree)
        if tree.menus_hide:
            items = await self._in_open_menus(bus, tree, items, own)
        details = await self._details(bus, tree, [*items, *tables])
        scene = WindowLayout.from_program(self.program, tree, details, windows, own)
        found = nodes(self.program, tree, items, details, scene)
        for table in tables:
            found += await self._cells(bus, tree, table, items, details, scene, picture)
        self._sheets = {table.at: self._sheets[table.at] for table in tables if table.at in self._sheets}
        self._remembered.forget_all_but(tree.items)
        self._known = {at: known for at, known in self._known.items() if at in tree.items}
        self._sights = self._seen_objects(tree, [*items, *tables], details)
        self._shifts = {table.at: scene.shift(tree, table) for table in tables}
        self._ground = list(self._seen_objects(tree, holders(tree), details).values())
        self._boxes = {window.id: window.box for window in own}
        self.last = tuple(found)
        return self.last

    async def confirms(self, bus: Bus, node: Node, point: Point, window: Window) -> bool:
        """Whether the program confirms that a node of the last reading is still at a point."""
        key = node.key
        if not isinstance(key, tuple) or self._boxes.get(window.id) != window.box:
            return False
        sight = self._sights.get((key[0], key[1]))
        # The reference of the position must not have moved either.
        checked = [*self._ground, *([sight] if sight else ())]
        if sight is None or not all(await asyncio.gather(*(still_there(bus, each) for each in checked))):
            return False
        if len(key) == 2:
            return True
        x, y = self._shifts.get(sight.at, (0, 0))
        there = await cell_at(bus, sight.at, Point(point.x - x, point.y - y), sight.relative_to)
        return there == (key[2], key[3])

    def _seen_objects(
        self, tree: Tree, items: Sequence[AccessibleItem], details: Details
    ) -> dict[Reference, SeenObject]:
        relative = ask_for.OF_WINDOW if self.program.relative else ask_for.OF_SCREEN
        return {
            item.at: SeenObject(item.at, item.name, item.role, details.boxes[item.at], relative, tree.showing)
            for item in items
            if item.at in details.boxes
        }

    async def _in_open_menus(
        self, bus: Bus, tree: Tree, items: Sequence[AccessibleItem], own: Sequence[Window]
    ) -> list[AccessibleItem]:
        """Drop the content of closed menus, which keeps its position but does not fill a popup."""
        groups = list(groups_in_popups(tree, items).values())
        popups = [window.box for window in own if window.popup]
        first = await ask_for.boxes(bus, [group[0] for group in groups])
        near = [group for group in groups if _are_in_any(places_of(group[:1], first), popups)]
        boxes = await ask_for.boxes(bus, list(chain.from_iterable(near)))
        opened = [group for group in near if is_filled_by(places_of(group, boxes), popups)]
        closed = set(chain.from_iterable(groups)).difference(*opened)
        return [item for item in items if item not in closed]

    def _is_vast(self, tree: Tree, item: AccessibleItem) -> bool:
        """Whether it is a table with too many cells to list, some of them visible."""
        too_many = item.count > MANY or item.count < 0
        return too_many and item.offers("Table") and tree.is_shown(item) and tree.toplevel(item) is not None

    async def _details(self, bus: Bus, tree: Tree, items: Sequence[AccessibleItem]) -> Details:
        placed = {
            item.at: item for item in (*items, *_outer_items(self.program, tree, items), *holders(tree))
        }
        relative = ask_for.OF_WINDOW if self.program.relative else ask_for.OF_SCREEN
        boxes = await ask_for.boxes(bus, placed.values(), relative)
        there = [item for item in items if item.at in boxes]
        return Details(
            boxes,
            await ask_for.values(bus, tree, there),
            await self._remembered.labels(bus, tree, there),
            await self._remembered.actions(bus, there),
        )

    async def _cells(
        self,
        bus: Bus,
        tree: Tree,
        table: AccessibleItem,
        items: list[AccessibleItem],
        details: Details,
        scene: WindowLayout,
        picture: Image,
    ) -> list[Node]:
        box = details.boxes.get(table.at)
        if box is None:
            return []
        window = scene.window(tree, table, scene.real(tree, table, box))
        if window is None:
            return []
        holder = tree.parent(table)
        if holder is not None and holder.role == Role.SPREADSHEET:
            sheet = self._sheets.setdefault(table.at, VisibleTable(table))
            cells = await sheet.read(bus, box, scene.shift(tree, table), picture)
            return cell_nodes(tree, table, cells, scene, window)
        span = await sheets.visible(bus, table, box)
        if span is None:
            return []
        found = await strangers(bus, tree, table, await sheets.references(bus, table, span), self._known)
        details.boxes.update(await ask_for.boxes(bus, found))
        items += found
        return nodes(self.program, tree, found, details, scene)


def _are_in_any(boxes: Sequence[Box], popups: Sequence[Box]) -> bool:
    return any(popup.contains(box.center) for box, popup in product(boxes, popups))


def _outer_items(
    program: AccessibleProgram, tree: Tree, items: Sequence[AccessibleItem]
) -> list[AccessibleItem]:
    """Objects whose boxes are needed too: windows, clipping containers, wrappers that lend a name."""
    wanted: dict[Reference, AccessibleItem] = {}
    for item in items:
        for level, above in enumerate(tree.above(item)):
            if above.at in wanted and level >= _WRAPPINGS:
                break
            lends = level < _WRAPPINGS and (not item.name or not above.parent)
            if (
                lends
                or program.clips(above.role)
                or above.at in tree.popovers
                or tree.toplevel(above) is above
            ):
                wanted[above.at] = above
    return list(wanted.values())


@dataclass(frozen=True, slots=True)
class SeenObject:
    """The properties that an object reported when it was seen."""

    at: Reference
    name: str
    role: int
    box: Box
    relative_to: int
    """The reference of the position."""
    shown: State
    """The state that it had while it was visible."""


async def still_there(bus: Bus, sight: SeenObject) -> bool:
    """Whether an object exists, is visible, and has the same name and position."""
    role, states, name, extents = await bus.many(
        [
            ask(sight.at, "Accessible", "GetRole"),
            ask(sight.at, "Accessible", "GetState"),
            get(sight.at, "Accessible", "Name"),
            ask(sight.at, "Component", "GetExtents", "u", sight.relative_to),
        ]
    )
    return (
        states is not None
        and has(states_of(states), sight.shown)
        and role == sight.role
        and str(name or "").strip() == sight.name
        and box_of(extents) == sight.box
    )


async def cell_at(bus: Bus, table: Reference, point: Point, relative_to: int) -> tuple[int, int] | None:
    """Row and column of a table's cell at a point in the program's coordinates."""
    width = await answer_to(bus, get(table, "Table", "NColumns"))
    number = await sheets.index_at(bus, table, point.x, point.y, relative_to)
    return divmod(number, int(width)) if width and number is not None else None


_LOG = logging.getLogger(__name__)
_GRACE = 0.05
"""Seconds for a background program that was late the last time to respond again."""
_APPEARING = 1.0
"""Maximum seconds for a program to report the content of a new window."""
_TELLING = 24
"""Pixels; a smaller part of a window may be empty."""
_QUICK = 1.0
"""Timeout (s) of one request."""
_CONNECTING = 10.0
"""Seconds to reach the bus, which the session may have to start first."""


class AtspiSource:
    """Reads the elements of all programs of one session; several instances can coexist in one process."""

    def __init__(self, session: str, *, wayland: bool = False) -> None:
        self._session = session
        self._wayland = wayland
        self._thread = LoopThread("gui_agent.atspi", "the accessibility bus")
        self._bus: Bus | None = None
        self._readers: dict[Reference, ProgramReader] = {}
        self._picture: Image | None = None
        self._met: set[int] = set()
        """Windows of programs that report their content, each waited for once."""

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """The elements of all programs; one that does not answer in time is `late`, others are complete."""
        try:
            return self._thread.call(self._read(windows, picture, seconds), seconds + _CONNECTING)
        except (OSError, CallFailed, ComputerLost) as error:
            _LOG.warning("no elements from the accessibility bus: %s", error)
            self._hang_up()
            return ScreenReading(silent=tuple(window.id for window in windows))

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """The node at a point: the one last seen there if its program confirms it, else from a new reading.

        If a program reports its window's content but nothing at the point, the window itself. None if the
        program reports nothing about the window.
        """
        windows = _windows_with_programs(windows)
        over = next((window for window in reversed(windows) if window.box.contains(point)), None)
        if over is None:
            return None
        return self.ask(lambda bus: self._find_at(bus, point, over, windows), 2 * _QUICK)

    def ask(self, work: Callable[[Bus], Coroutine[Any, Any, T]], seconds: float) -> T | None:
        """The result of work on the connected bus; None if there is none, or no answer in time."""
        try:
            return self._thread.call(work(self._bus), seconds) if self._bus is not None else None
        except (CallFailed, ComputerLost):
            return None

    def close(self) -> None:
        if self._thread.running:
            self._hang_up()
        self._thread.stop()

    def _hang_up(self) -> None:
        bus, self._bus, self._readers = self._bus, None, {}
        if bus is not None and self._thread.running:
            self._thread.call(_close(bus), _QUICK)

    async def _read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        windows = _windows_with_programs(windows)
        if self._bus is None or not self._bus.alive:
            self._bus, self._readers = await Bus.connect(self._session), {}
        bus = self._bus
        await self._meet(bus, seconds)
        in_sight = [window for window in windows if _in_sight(window, windows)]
        pids = {window.pid for window in (*in_sight, *filter(attrgetter("popup"), windows))}
        readers = [reader for reader in self._readers.values() if reader.program.pid in pids]
        nodes = await self._nodes(readers, in_sight, bus, windows, picture, seconds)
        telling = {node.window for node in nodes}
        self._picture = picture
        return ScreenReading(
            nodes,
            tuple(window.id for window in in_sight if window.id not in telling),
            tuple(reader.program.name for reader in readers if reader.late),
        )

    async def _nodes(
        self,
        readers: Sequence[ProgramReader],
        in_sight: Sequence[Window],
        bus: Bus,
        windows: Sequence[Window],
        picture: Image,
        seconds: float,
    ) -> tuple[Node, ...]:
        """The nodes of all programs; the content of a new window, which comes later than it, is awaited."""
        told = {reader.program.pid for reader in readers}
        new = {window.id for window in in_sight if window.pid in told} - self._met
        self._met.update(new)
        until = time.monotonic() + min(seconds, _APPEARING)
        while True:
            found = await asyncio.gather(
                *(_in_time(reader, bus, windows, picture, seconds) for reader in readers)
            )
            nodes = tuple(chain.from_iterable(found))
            if new <= {node.window for node in nodes} or time.monotonic() > until:
                return nodes
            await asyncio.sleep(_GRACE)

    async def _meet(self, bus: Bus, seconds: float) -> None:
        roots = await asyncio.wait_for(running(bus), seconds + _QUICK)
        self._readers = {root: reader for root, reader in self._readers.items() if root in roots}

        async def meet(root: Reference) -> None:
            try:
                program = await asyncio.wait_for(introduce(bus, root, self._wayland), _QUICK)
            except (CallFailed, TimeoutError):
                return
            self._readers[root] = ProgramReader(program)

        await asyncio.gather(*(meet(root) for root in roots if root not in self._readers))

    async def _find_at(self, bus: Bus, point: Point, over: Window, windows: Sequence[Window]) -> Node | None:
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
        window_node = Node(("window", over.id), "window", over.title or over.app, over.box, window=over.id)
        return _inmost(nodes, point, over) or window_node


def _windows_with_programs(windows: Sequence[Window]) -> list[Window]:
    """The windows with their programs; GTK 2 menus do not report their program."""
    known = {window.app: window.pid for window in windows if window.pid and not window.popup}
    front = next((window.pid for window in reversed(windows) if window.active), 0)
    return [
        replace(window, pid=known.get(window.app, front)) if window.popup and not window.pid else window
        for window in windows
    ]


def _inmost(nodes: Sequence[Node], point: Point, window: Window) -> Node | None:
    there = [node for node in nodes if node.window == window.id and node.box.contains(point)]
    return min(there, key=lambda node: node.box.area, default=None)


def _in_sight(window: Window, windows: Sequence[Window]) -> bool:
    """Whether enough of a window is visible that its content should be visible too."""
    above = windows[windows.index(window) + 1 :]
    part = visible_part(window.box, (), (other.whole for other in above))
    return part is not None and min(part.width, part.height) >= _TELLING


async def _close(bus: Bus) -> None:
    bus.close()


async def _in_time(
    reader: ProgramReader, bus: Bus, windows: Sequence[Window], picture: Image, seconds: float
) -> tuple[Node, ...]:
    """The nodes of a program, or those of the last reading if it does not answer in time."""
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
        _LOG.debug("cannot read the elements of %s: %s", reader.program.name, error)
        reader.last = ()
    here = {window.id for window in own}
    return tuple(node for node in reader.last if node.window in here)
