"""The actions of OpenAI's `computer` tool, read as proposals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_agent.core.actions import Back, Click, Drag, Move, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.dialogue import Call
from gui_agent.core.errors import BadReply
from gui_agent.core.geometry import Point
from gui_agent.core.texts import shorten
from gui_agent.models import fields
from gui_agent.models.codec import View
from gui_agent.models.pictures import Space

PAUSE = 2.0
"""Seconds of the tool's `wait`, which names none."""
_BUTTONS = {"left": "left", "right": "right", "wheel": "middle", "middle": "middle"}


def call(identity: str, item: Mapping[str, Any], view: View) -> Call:
    """A `computer_call` with its batch of actions; what is wrong with it is in its `error`."""
    checks = tuple(item.get("pending_safety_checks") or ())
    try:
        actions = _batch(item)
        proposals = tuple(_proposal(action, view.seen()) for action in actions if not _looks(action))
    except BadReply as error:
        return Call(identity, "computer", checks=checks, error=shorten(str(error), 300))
    return Call(identity, "computer", proposals=proposals, look=not proposals, checks=checks)


def _batch(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    one, several = item.get("action"), item.get("actions")
    if (one is None) == (several is None):
        raise BadReply("a computer call has to have either one action or several")
    actions = [one] if several is None else several
    if not isinstance(actions, list) or not actions or not all(isinstance(each, Mapping) for each in actions):
        raise BadReply("a computer call has to have at least one action")
    return actions


def _looks(action: Mapping[str, Any]) -> bool:
    return action.get("type") == "screenshot"


def _proposal(action: Mapping[str, Any], space: Space) -> Proposal:
    match action.get("type"):
        case "click":
            return _click(action, space)
        case "double_click":
            return Click(_at(action, space), "left", 2, _held(action))
        case "move":
            return Move(_at(action, space))
        case "drag":
            path = action.get("path")
            if not isinstance(path, list) or len(path) < 2:
                raise BadReply('"path" of a drag needs at least two points')
            first, last = (space.point(*fields.pair(spot, "path")) for spot in (path[0], path[-1]))
            return Drag(first, last, _held(action))
        case "scroll":
            down, right = fields.number(action, "scroll_y", 0), fields.number(action, "scroll_x", 0)
            return Scroll(_at(action, space), round(down), round(right))
        case "keypress":
            return Press(fields.keys(action.get("keys")))
        case "type":
            return TypeText(fields.text(action, "text"))
        case "wait":
            return Wait(PAUSE)
        case other:
            raise BadReply(
                f'there is no action "{other}"; use click, double_click, drag, keypress, move, screenshot, '
                "scroll, type or wait"
            )


def _click(action: Mapping[str, Any], space: Space) -> Proposal:
    button = action.get("button", "left")
    if button == "back":
        return Back()
    if button == "forward":
        return Press(("alt", "right"))
    if button not in _BUTTONS:
        raise BadReply(f'there is no button "{button}"; use left, right or wheel')
    return Click(_at(action, space), _BUTTONS[button], 1, _held(action))  # type: ignore[arg-type]


def _at(action: Mapping[str, Any], space: Space) -> Point:
    return space.point(fields.number(action, "x"), fields.number(action, "y"))


def _held(action: Mapping[str, Any]) -> tuple[str, ...]:
    return fields.keys(action["keys"]) if action.get("keys") else ()
