"""From the messages of the listening script to what was heard."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from gui_agent.computers.recording.events import (
    Chose,
    Double,
    Down,
    Dropped,
    Filed,
    Heard,
    Pressed,
    Spot,
    Ticked,
    Typed,
    Typing,
    Up,
)
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Point
from gui_agent.core.keys import canonical

BUTTONS: tuple[Button, ...] = ("left", "middle", "right")

Message = Mapping[str, Any]
Place = Callable[[Message], Spot | None]


def heard(message: Message, spot_of: Place) -> Heard | None:
    """What a message says; None when it says nothing that is recorded.

    Args:
        spot_of: the spot that a message names; None when the look before it was lost.
    """
    match message["kind"]:
        case "up" | "drop" as kind:
            there = spot_of(message)
            inside = () if there is None else there.ids
            return (Up if kind == "up" else Dropped)(_point(message), inside)
        case "double":
            return Double()
        case "typed":
            return Typed(message["visit"])
    spot = spot_of(message)
    if spot is None:
        return None
    match message["kind"]:
        case "down" if message["button"] < len(BUTTONS):
            keys, button, shows = tuple(message["keys"]), BUTTONS[message["button"]], message["shows"]
            return Down(spot, button, keys, message["field"], time.monotonic(), shows)
        case "type":
            told = {name: message[name] for name in ("visit", "was", "text", "secret", "field")}
            return Typing(spot, **told)
        case "choose":
            return Chose(spot, message["option"], message["field"])
        case "check":
            return Ticked(spot, bool(message["on"]))
        case "files":
            return Filed(spot, tuple(message["files"]))
        case "press":
            return _pressed(message, spot)
    return None


def _pressed(message: Message, spot: Spot) -> Pressed | None:
    *held, key = cast(list[str], message["keys"])
    try:
        name = canonical(key)
    except ActionFailed:
        return None  # a key that only this keyboard has
    name = name.lower() if held and len(name) == 1 else name
    return Pressed(spot, (*held, name), bool(message["activates"]), time.monotonic())


def _point(message: Message) -> Point:
    return Point(round(message["x"]), round(message["y"]))
