"""The actions of Anthropic's computer toolset and of its older computer tools, read as proposals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gui_agent.core.actions import Click, Drag, Hold, Move, Press, Proposal, Scroll, TypeText, Wait, places
from gui_agent.core.dialogue import Call
from gui_agent.core.errors import BadReply
from gui_agent.core.geometry import Box, Point
from gui_agent.core.texts import shorten
from gui_agent.models import fields
from gui_agent.models.codec import View
from gui_agent.models.pictures import NOTCH, Space

OFF = ("cursor_position", "left_mouse_down", "left_mouse_up")
"""Members that have no counterpart among our actions; they are switched off where that is possible."""
LONGEST = 60.0
_CLICKS = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_DIRECTIONS = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}


@dataclass(frozen=True, slots=True)
class Deed:
    """What one use of the tool asks for: actions, or a look at the screen or a region of it."""

    proposals: tuple[Proposal, ...] = ()
    region: Box | None = None


def call(block: Mapping[str, Any], view: View, cursor: Point | None) -> Call:
    """A `tool_use` block of the computer; what is wrong with it is in its `error`."""
    given = block.get("input")
    identity = str(block.get("id"))
    if not isinstance(given, Mapping):
        return Call(identity, "computer", error="the input has to be an object")
    name = str(block.get("name")) if block.get("toolset_name") else str(given.get("action"))
    try:
        deed = _deed(name, given, view.seen(), cursor)
    except BadReply as error:
        return Call(identity, name, error=shorten(str(error), 300))
    return Call(identity, name, proposals=deed.proposals, look=not deed.proposals, region=deed.region)


def pointer(calls: list[Call], cursor: Point | None) -> Point | None:
    """Where the pointer is after some calls."""
    points = [place for call in calls for deed in call.proposals for place in places(deed).values()]
    return points[-1] if points and isinstance(points[-1], Point) else cursor


def _deed(name: str, given: Mapping[str, Any], space: Space, cursor: Point | None) -> Deed:
    match name:
        case "screenshot":
            return Deed()
        case "zoom":
            return Deed(region=_region(given.get("region"), space))
        case "left_click_drag":
            start = fields.place(given, "start_coordinate", space, cursor)
            return _do(Drag(start, fields.place(given, "coordinate", space), _held(given)))
        case "mouse_move":
            return _do(Move(fields.place(given, "coordinate", space)))
        case "scroll":
            return _do(_scroll(given, space, cursor))
        case "type" | "key" | "hold_key":
            return _typed(name, given)
        case "wait":
            return _do(Wait(min(LONGEST, fields.number(given, "duration"))))
        case _ if name in _CLICKS:
            button, times = _CLICKS[name]
            at = fields.place(given, "coordinate", space, cursor)
            return _do(Click(at, button, times, _held(given)))  # type: ignore[arg-type]
        case _ if name in OFF:
            raise BadReply(f"{name} is not available here; use left_click, left_click_drag or screenshot")
        case _:
            known = (*_CLICKS, "left_click_drag", "mouse_move", "scroll", "type", "key", "hold_key", "wait")
            raise BadReply(f'there is no action "{name}"; use one of: {", ".join(sorted(known))}, screenshot')


def _typed(name: str, given: Mapping[str, Any]) -> Deed:
    if name == "type":
        return _do(TypeText(fields.text(given, "text")))
    if name == "hold_key":
        seconds = min(LONGEST, fields.number(given, "duration"))
        return _do(Hold(fields.keys(given.get("text")), seconds))
    times = max(1, min(100, int(fields.number(given, "repeat", 1))))
    chords = [" "] if given.get("text") == " " else fields.text(given, "text").split()
    if not chords:
        raise BadReply('"text" has to name a key')
    return Deed(tuple(Press(fields.keys(chord), times) for chord in chords))


def _do(proposal: Proposal) -> Deed:
    return Deed((proposal,))


def _held(given: Mapping[str, Any]) -> tuple[str, ...]:
    chord = given.get("text") or given.get("key")
    return fields.keys(chord, "text") if chord else ()


def _scroll(given: Mapping[str, Any], space: Space, cursor: Point | None) -> Proposal:
    middle = Point(space.screen.width // 2, space.screen.height // 2)
    direction = given.get("scroll_direction")
    if direction not in _DIRECTIONS:
        raise BadReply('"scroll_direction" has to be up, down, left or right')
    down, right = _DIRECTIONS[direction]
    pixels = round(fields.number(given, "scroll_amount") * NOTCH)
    return Scroll(fields.place(given, "coordinate", space, cursor or middle), down * pixels, right * pixels)


def _region(value: Any, space: Space) -> Box:
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        raise BadReply('"region" has to be [left, top, right, bottom]')
    numbered = dict(zip("abcd", value, strict=True))
    return space.box(*(fields.number(numbered, key) for key in "abcd"))
