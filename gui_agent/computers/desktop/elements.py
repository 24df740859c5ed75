"""Turns nodes of programs and vision into elements with stable ids, and verifies a target before a click."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from gui_agent import plugins
from gui_agent.computers.desktop.parts import Device, Node, ScreenReading, Source, Window, is_in_any
from gui_agent.core.actions import Action
from gui_agent.core.aiming import places
from gui_agent.core.errors import ActionFailed, MissingExtra, Stale
from gui_agent.core.observation import EYES, TEXT, Box, Element, Point, Size
from gui_agent.core.texts import normal, shorten, without_spaces
from gui_agent.elements.roles import OPAQUE, WORDED, WRITTEN_ON

if TYPE_CHECKING:
    from PIL.Image import Image

REMEMBERED = 20_000
"""Maximum nodes whose ids are kept; those not seen for longest are forgotten first."""
LINE = 12
"""Maximum difference (px) of tops of boxes on one line."""
"""Sources that read the picture, in which no element of a window covers another."""
WINDOW = "window"
"""Role of a window without any further information."""


class Elements:
    """Gives every node an id for its lifetime; never reuses an id."""

    def __init__(self, cap: int = 1500, last: int = 0) -> None:
        self._cap = cap
        self._ids: dict[Hashable, int] = {}
        self._nodes: dict[int, Node] = {}
        self._last = last
        self._shown: frozenset[int] = frozenset()

    def take(
        self, reading: ScreenReading, windows: Sequence[Window], size: Size
    ) -> tuple[tuple[Element, ...], int]:
        """The visible elements in reading order, and the number of omitted ones."""
        nodes = [*reading.nodes, *_bare(windows, reading)]
        seen = [(node, box) for node in nodes if (box := _visible(node, size.box, windows)) is not None]
        seen.sort(key=lambda pair: (pair[1].rows[0] // LINE, pair[1].corner))
        left_out = max(0, len(seen) - self._cap)
        if left_out:
            kept = sorted(range(len(seen)), key=lambda place: (_rank(seen[place][0]), place))
            seen = [seen[place] for place in sorted(kept[: self._cap])]
        numbered = self._number_nodes(seen)
        fresh = {number for number, _, _ in numbered} - self._shown if self._shown else set()
        self._shown = frozenset(number for number, _, _ in numbered)
        return tuple(_element(*one, new=one[0] in fresh) for one in numbered), left_out

    def node(self, number: int) -> Node | None:
        """The node of an element at the last look."""
        return self._nodes.get(number)

    def number(self, node: Node) -> int | None:
        """The id of a node that was listed before."""
        return self._ids.get(_key(node))

    def _number_nodes(self, seen: Sequence[tuple[Node, Box]]) -> list[tuple[int, Node, Box]]:
        present = {_key(node) for node, _ in seen}
        heirs = self._successors(present)
        numbered, used = [], set()
        for node, box in seen:
            key = _key(node)
            number = self._ids.pop(key, None) or heirs.pop(_likeness(node), None)
            if number is None or number in used:
                self._last += 1
                number = self._last
            used.add(number)
            self._ids[key] = number  # moved to the end: the order shows which were seen last
            self._nodes[number] = node
            numbered.append((number, node, box))
        while len(self._ids) > REMEMBERED:
            oldest = next(iter(self._ids))
            self._nodes.pop(self._ids.pop(oldest), None)
        return numbered

    def _successors(self, present: set[Hashable]) -> dict[Hashable, int]:
        heirs: dict[Hashable, int] = {}
        twice = set()
        for number in self._shown:
            node = self._nodes.get(number)
            if node is None or _key(node) in present or not node.path:
                continue
            likeness = _likeness(node)
            if likeness in heirs:
                twice.add(likeness)
            heirs[likeness] = number
        return {likeness: number for likeness, number in heirs.items() if likeness not in twice}


def covered_by(point: Point, window: int, windows: Sequence[Window]) -> Window | None:
    """The window that covers a point of another one, other than its own menus and hints."""
    place = next((i for i, one in enumerate(windows) if one.id == window), None)
    if place is None:
        return None
    own = windows[place]
    for above in reversed(windows[place + 1 :]):
        same = above.pid == own.pid if above.pid and own.pid else above.app == own.app
        if above.whole.contains(point) and not (above.popup and same):
            return above
    return None


def _rank(node: Node) -> int:
    """Sort key for omitting nodes if there are too many: blank cells of a spreadsheet go first."""
    if node.role == TEXT:
        return 1
    return 2 if node.role == "gridcell" and not node.value and not node.states else 0


def _bare(windows: Sequence[Window], reading: ScreenReading) -> list[Node]:
    """Windows without elements, as nodes that can at least be named and clicked."""
    known = {node.window for node in reading.nodes}
    return [
        Node(
            ("window", window.id),
            WINDOW,
            window.title or window.app,
            window.box,
            window=window.id,
            source="wm",
        )
        for window in windows
        if window.id not in known and not window.popup and (window.title or window.app)
    ]


def _visible(node: Node, screen: Box, windows: Sequence[Window]) -> Box | None:
    box = node.box.intersect(screen)
    return None if box is None or covered_by(box.center, node.window, windows) is not None else box


def _key(node: Node) -> Hashable:
    # A merged node has the key of its first source.
    return node.source.partition("+")[0], node.key


def _likeness(node: Node) -> Hashable:
    return node.window, node.role, node.name, node.path


def _element(number: int, node: Node, box: Box, *, new: bool) -> Element:
    return Element(
        id=number,
        role=node.role,
        name=node.name,
        box=box,
        value=node.value,
        states=node.states | {"new"} if new else node.states,
        source=node.source,
        description=node.description,
        path=node.path,
        attributes=node.attributes,
        does=node.does,
    )


AGAIN = "look at the screen again"
SMALL = 4
"""Pixels by which a part may extend beyond its element."""


def places_on(size: Size, action: Action) -> dict[str, Point]:
    """The points of an action by their role in it, all of them on a screen of this size."""
    named: dict[str, Point] = places(action)
    for point in named.values():
        if not size.contains(point):
            raise ActionFailed(
                f"the point ({point.x}, {point.y}) is outside the screen of "
                f"{size.width} x {size.height}; look again and choose a point on it"
            )
    return named


def confirm(
    source: Source, elements: Elements, windows: Sequence[Window], point: Point, expected: Element
) -> Node | None:
    """Let the action pass if the expected element is on top. Returns the node there, if known."""
    node, there = elements.node(expected.id), source.node_at(point, windows)
    is_part = node is not None and there is not None and _is_part(there, node, point)
    if node is not None and node.window:
        # A dialog's elements can be read before its window appears; then the element's window has changed.
        _check_uncovered(expected, there.window if there and is_part else node.window, point, windows)
    if node is not None and (node.role == WINDOW or there is None):
        return None
    if there is None:
        raise Stale(f"{_words(expected)} is no longer at ({point.x}, {point.y}); {AGAIN}")
    redrawn = there.role == expected.role and normal(there.name) == normal(expected.name)
    if redrawn or is_part:
        return there
    covering = f'{there.role} "{shorten(there.name, 60)}"' if there.name else f"a {there.role}"
    raise Stale(f"{_words(expected)} is covered by {covering}; close or move that first, or {AGAIN}")


def _check_uncovered(expected: Element, own: int, point: Point, windows: Sequence[Window]) -> None:
    """Raises Stale: the window of an element is gone, or covered by another one."""
    if all(window.id != own for window in windows):
        raise Stale(f"the window of {_words(expected)} is closed; {AGAIN}")
    above = covered_by(point, own, windows)
    if above is not None:
        name = above.title or above.app or "without a title"
        raise Stale(
            f'{_words(expected)} is covered by the window "{shorten(name, 60)}"; close or move that first'
        )


def _is_part(there: Node, node: Node, point: Point) -> bool:
    """Whether a node is the expected one, inside it, or as close as the source can determine."""
    if there.key == node.key:
        return True
    if there.box == node.box and "" != there.name == node.name:
        return True  # for example the text in a drop-down list
    if EYES.issuperset(there.source.split("+")) and node.role == TEXT and there.window == node.window:
        return there.box.contains(node.box.center)  # a field found by vision may contain other elements
    if there.path and node.path:
        inside = there.path.startswith(f"{node.path}/")
        around = node.path.startswith(f"{there.path}/") and node.box.contains(point)
        return inside or around
    named = "" not in (there.name, node.name)
    if named and there.role == node.role and normal(there.name) != normal(node.name):
        return False
    return there.window == node.window and node.box.grow(SMALL).encloses(there.box)


def _words(element: Element) -> str:
    return shorten(str(element), 100)


Observe = Literal["tree", "vision", "both", "auto"]
"""Ways to find elements; `auto` uses vision only where the tree reports nothing."""


D = TypeVar("D", bound=Device)


class Eyes(Source, Protocol):
    """A source that can look at a part of the picture only, because looking takes time."""

    def look(
        self, windows: Sequence[Window], picture: Image, seconds: float, areas: Sequence[Box]
    ) -> ScreenReading:
        """Like `read`, but only for these areas."""


def seeing(
    observe: Observe, tree: Callable[[], Source] | None, grab: Callable[[], Image] | None = None
) -> Source:
    """The source for a way of observing; `tree` is None on platforms without one."""
    if tree is not None and (observe == "tree" or (observe == "auto" and not has_eyes())):
        return tree()
    if tree is None or observe == "vision":
        return eyes(grab)
    return Blended(tree(), eyes(grab), only_silent=observe == "auto")


def eyes(grab: Callable[[], Image] | None = None) -> Eyes:
    """The source that reads the picture.

    Raises:
        MissingExtra: the extra `vision` is not installed.
    """
    if not has_eyes():
        raise MissingExtra("vision", "reading the elements from the picture of the screen")
    from gui_agent.computers.vision.source import VisionSource

    return VisionSource(grab=grab)


def with_source(device: D, observe: Observe, tree: Callable[[], Source] | None = None) -> tuple[D, Source]:
    """A device and its source of elements; the device is closed if there is no such source."""
    try:
        return device, seeing(observe, tree, device.grab)
    except BaseException:
        device.close()
        raise


GOING = 5.0
"""Seconds after its last report within which a missing window counts as closing, or its program as busy."""


class Blended:
    """One source made of the tree and, where the tree reports nothing, vision."""

    def __init__(self, tree: Source, eyes: Eyes, *, only_silent: bool) -> None:
        self.tree = tree
        self._eyes = eyes
        self._only_silent = only_silent
        self._blank: list[Box] = []
        self._told: dict[int, float] = {}  # when the tree last reported elements of a window

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        told = self.tree.read(windows, picture, seconds)
        if not self._only_silent:
            seen = self._eyes.read(windows, picture, seconds)
            return ScreenReading(merge(told.nodes, seen.nodes), seen.silent, told.late)
        self._blank = self._left_blank(told, windows, picture)
        now = time.monotonic()
        self._told.update((node.window, now) for node in told.nodes)
        going = {
            one.id: one.app
            for one in windows
            if one.id in told.silent and now < self._told.get(one.id, -GOING) + GOING
        }
        silent = tuple(number for number in told.silent if number not in going)
        told = ScreenReading(told.nodes, silent, (*told.late, *going.values()))
        if not told.silent and not self._blank:
            return told
        areas = [window.box for window in windows if window.id in told.silent]
        seen = self._eyes.look(windows, picture, seconds, [*areas, *self._blank])
        nodes = [node for node in seen.nodes if node.window in told.silent or self._adds(node, told.nodes)]
        return ScreenReading((*told.nodes, *nodes), late=told.late)

    def _left_blank(self, told: ScreenReading, windows: Sequence[Window], picture: Image) -> list[Box]:
        """The parts of the front window with content that the tree does not report."""
        import numpy as np

        from gui_agent.computers.vision.detection import blank_areas

        front = next((window for window in reversed(windows) if window.active), None)
        inside = front.box.intersect(Size(*picture.size).box) if front is not None else None
        if front is None or inside is None or front.id in told.silent:
            return []
        above = windows[windows.index(front) + 1 :]
        telling = [node for node in told.nodes if node.role not in OPAQUE or "whole" in node.attributes]
        known = [node.box for node in telling if node.window == front.id]
        known += [window.whole for window in above]
        left, top = inside.corner
        grey = np.asarray(picture.crop(inside.edges).convert("L"))
        return [box.shift(left, top) for box in blank_areas(grey, [box.shift(-left, -top) for box in known])]

    def _adds(self, seen: Node, told: Sequence[Node]) -> bool:
        if not seen.name or not is_in_any(seen.box, self._blank):
            return False
        telling = [node for node in told if node.role not in OPAQUE]
        under = sorted((n for n in telling if n.box.intersect(seen.box)), key=lambda n: n.box.corner)
        said = "".join(n.value or n.name for n in under)
        # The texts of several cells may have been read as one.
        is_said = without_spaces(seen.name) in without_spaces(said)
        return not is_said and not any(stands_for(n, seen) or _moving(n, seen) for n in telling)

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """The tree's node at a point; if it has none, the one last seen there."""
        told = self.tree.node_at(point, windows)
        blank = told is None or (told.role in OPAQUE and any(area.contains(point) for area in self._blank))
        return (self._eyes.node_at(point, windows) or told) if blank else told

    def close(self) -> None:
        self.tree.close()
        self._eyes.close()


def has_eyes() -> bool:
    libraries = all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime", "cv2"))
    return libraries and "eyes" in plugins.installed_parts("weights")


def _moving(node: Node, seen: Node) -> bool:
    """Whether the picture, taken a moment earlier, shows a node on its way to its reported position."""
    near = abs(node.box.center.y - seen.box.center.y) <= UNDERWAY and seen.box.center.x <= node.box.edges[2]
    return near and node.window == seen.window and normal(node.name) == normal(seen.name)


UNDERWAY = 60
"""Maximum pixels that an opening list moves between the picture and the report."""
SAME_SIZE = 0.35
"""Minimum ratio of the areas of two boxes with the same centre that are one element."""


def merge(tree: Sequence[Node], seen: Iterable[Node]) -> tuple[Node, ...]:
    """All nodes of the tree, followed by the seen ones without a counterpart in it.

    `source` names who found a node; both for `atspi+ocr`. A control without a name in the tree gets the
    words seen on it.
    """
    found: dict[int, list[Node]] = {}
    alone: list[Node] = []
    for one in seen:
        place = _counterpart(tree, one)
        if place is None:
            alone.append(one)
        else:
            found.setdefault(place, []).append(one)
    known = (_join_nodes(node, found[i]) if i in found else node for i, node in enumerate(tree))
    return (*known, *alone)


def stands_for(node: Node, seen: Node) -> bool:
    """Whether a node of the tree and a seen one are the same element.

    The centre of the seen one must be in the tree node's box, and the text or about the size must match. A
    control also covers everything on it, and a field the words of its value.
    """
    if (node.window and seen.window and node.window != seen.window) or not node.box.contains(seen.box.center):
        return False
    text = normal(seen.name)
    if not text:
        return node.role != TEXT and (_about_as_large(node, seen) or node.role in WORDED)
    if node.role in WORDED | {TEXT}:
        return not node.name or text in normal(node.name) or _about_as_large(node, seen)
    if node.role in WRITTEN_ON:
        return text in normal(f"{node.value} {node.description}") or text == normal(node.name)
    return _about_as_large(node, seen) and (not node.name or text in normal(node.name))


def _about_as_large(node: Node, seen: Node) -> bool:
    smaller, larger = sorted((node.box.area, seen.box.area))
    return larger > 0 and smaller >= SAME_SIZE * larger


def _counterpart(tree: Sequence[Node], seen: Node) -> int | None:
    """The index of the smallest tree node for a seen one; controls before texts."""
    places = [place for place, node in enumerate(tree) if stands_for(node, seen)]
    return min(places, key=lambda place: (tree[place].role == TEXT, tree[place].box.area), default=None)


def _join_nodes(node: Node, seen: Sequence[Node]) -> Node:
    sources = dict.fromkeys("+".join(one.source for one in (node, *seen)).split("+"))
    name = node.name
    if not name and node.role in WORDED:
        ordered = sorted(seen, key=lambda one: one.box.corner[::-1])
        name = " ".join(one.name for one in ordered if one.name)
    return replace(node, name=name, source="+".join(sources))
