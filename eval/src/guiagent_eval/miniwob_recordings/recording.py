"""Recordings of MiniWoB++'s own recorder (`core/record.js`): events, each with the tree of the page then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gui_agent.core.errors import ConfigError

CAPTURED, AT_TARGET, BUBBLED = 1, 2, 3
"""Phases of an event; the recorder keeps each event on its way down and on its way up."""
MOUSE = frozenset(("mousedown", "mouseup", "click", "dblclick"))
KEYS = frozenset(("keydown", "keypress", "keyup"))
_SAID = frozenset(("taskName", "utterance", "rawReward"))
"""Keys that distinguish a recording from other JSON with states; old recorders omit some."""
_WRAPPER = "mturk_form"
"""The form that recordings by crowd workers have around the page."""


@dataclass(frozen=True)
class PageNode:
    """An element of the recorded tree, or a line of a text (`t`)."""

    tag: str
    """In small letters; without the type of an input."""
    type: str
    """Type of an input."""
    ref: int
    """Number of the element in this recording; lines of text have new ones in every state."""
    rect: tuple[float, float, float, float]
    """Left, top, right, bottom in pixels of the page."""
    id: str
    classes: str
    text: str
    """The text of an element that contains nothing else."""
    value: str | None
    checked: bool
    focused: bool
    target: bool
    """Whether the event went to it."""
    fore: str
    back: str
    """Colours as CSS computes them."""
    children: tuple[PageNode, ...]

    @property
    def is_text(self) -> bool:
        """Whether it is a line of text and no element."""
        return self.tag == "t"

    def walk(self) -> Iterator[PageNode]:
        """The node and all in it, in the order of the page."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class PageState:
    """One state of a recording: an event and the page at that moment."""

    time: float
    """Seconds since the task began."""
    kind: str
    """mousedown, keypress ...; empty for the beginning."""
    phase: int
    x: float
    y: float
    key: int
    character: int
    page: PageNode

    @cached_property
    def lineage(self) -> tuple[PageNode, ...]:
        """The target of the event and its ancestors, innermost first; may be empty.

        The recorder omits some of the page; then the element at the place of the mouse is used.
        """
        way = self._told_nodes or (_way(self.page, self._is_hit) if self.kind in MOUSE else [])
        return tuple(reversed(way))

    @property
    def is_told(self) -> bool:
        """Whether the recorder gives the event's target: it omitted elements that were not yet visible."""
        return bool(self._told_nodes)

    @cached_property
    def _told_nodes(self) -> list[PageNode]:
        return _way(self.page, lambda node: node.target)

    def _is_hit(self, node: PageNode) -> bool:
        """Whether it is the innermost element at the place of the mouse."""
        left, top, right, bottom = node.rect
        if node.is_text or not (left <= self.x < right and top <= self.y < bottom):
            return False
        return not any(self._is_hit(inner) for inner in node.children)

    @property
    def target(self) -> PageNode | None:
        """The element that the event went to."""
        return self.lineage[0] if self.lineage else None

    @cached_property
    def nodes(self) -> Mapping[int, PageNode]:
        """The elements of the page by number."""
        return {node.ref: node for node in self.page.walk() if not node.is_text}


@dataclass(frozen=True)
class EventRecording:
    """One episode as the recorder sends it to its server."""

    utterance: str
    raw_reward: float
    moments: tuple[PageState, ...]

    @property
    def events(self) -> tuple[PageState, ...]:
        """The moments, without the repetition of the same event on its way up."""
        return tuple(moment for moment in self.moments if moment.kind and moment.phase != BUBBLED)


def is_event_recording(data: Any) -> bool:
    """Whether parsed JSON has the outer form of such a recording."""
    return isinstance(data, Mapping) and "states" in data and not data.keys().isdisjoint(_SAID)


def read_event_recording(data: Any, source: str, task: str = "") -> EventRecording:
    """Check and read a recording.

    Args:
        data: parsed JSON.
        task: the task, for a recording without an instruction.
        source: name of the file, for messages.

    Raises:
        ConfigError: the data do not have the recorder's form; the message names the place.
    """
    if not is_event_recording(data):
        raise ConfigError(f"{source}: not a recording of MiniWoB++: it needs an utterance and states")
    states = data["states"]
    if not isinstance(states, Sequence) or isinstance(states, str) or not states:
        raise ConfigError(f"{source}: the recording holds no states")
    moments: list[PageState] = []
    for number, state in enumerate(states, start=1):
        try:
            moments.append(_moment(state))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ConfigError(f"{source}: state {number} is malformed: {error!r}") from error
        except RecursionError as error:
            raise ConfigError(f"{source}: state {number} is nested too deeply") from error
    reward = data.get("rawReward", data.get("reward"))
    if isinstance(reward, bool) or not isinstance(reward, int | float):
        raise ConfigError(f"{source}: the recording has no reward")
    said = data.get("utterance") or task
    if not isinstance(said, str):
        raise ConfigError(f"{source}: the instruction is not a text")
    return EventRecording(" ".join(said.split()), float(reward), tuple(moments))


def _moment(state: Mapping[str, Any]) -> PageState:
    action = state["action"] or {}
    return PageState(
        time=_number(state["time"]) / 1000,
        kind=str(action.get("type", "")),
        phase=int(action.get("timing", CAPTURED)),
        x=_number(action.get("x", 0)),
        y=_number(action.get("y", 0)),
        key=int(action.get("keyCode", 0)),
        character=int(action.get("charCode", 0)),
        page=_node(state["dom"]),
    )


def _node(given: Mapping[str, Any]) -> PageNode:
    tag, _, kind = str(given["tag"]).partition("_")
    left, top = _number(given["left"]), _number(given["top"])
    value = given.get("value")
    tick = isinstance(value, bool)
    children = tuple(_node(child) for child in given["children"])
    if len(children) == 1 and children[0].id == _WRAPPER:
        children = children[0].children
    return PageNode(
        tag=tag.lower(),
        type=kind.lower(),
        ref=int(given["ref"]),
        rect=(left, top, left + _number(given["width"]), top + _number(given["height"])),
        id=_text(given.get("id")),
        classes=_text(given.get("classes")),
        text=_text(given.get("text")),
        value=None if value is None or tick else str(value),
        checked=value is True,
        focused=given.get("focused") is True,
        target=given.get("recordingTarget") is True,
        fore=_text(given.get("fgColor")),
        back=_text(given.get("bgColor")),
        children=children,
    )


def _number(given: Any) -> float:
    number = float(given)
    if not abs(number) < 1e9:
        raise ValueError(f"{given} is no place or time")
    return number


def _text(given: Any) -> str:
    """A text; the classes of drawings are not a text and become empty."""
    return given if isinstance(given, str) else ""


def _way(node: PageNode, wanted: Callable[[PageNode], bool]) -> list[PageNode]:
    """The path from the outermost element to the first wanted one; empty if there is none."""
    if wanted(node):
        return [node]
    for child in node.children:
        way = _way(child, wanted)
        if way:
            return [node, *way]
    return []
