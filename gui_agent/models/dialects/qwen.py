"""The Qwen-VL dialect: one JSON object per `<tool_call>`, with `action` and `coordinate`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gui_agent.core.actions import (
    Back,
    Click,
    Drag,
    LongPress,
    Move,
    Navigate,
    Open,
    Press,
    Proposal,
    Scroll,
    Swipe,
    TypeText,
    Wait,
    places,
)
from gui_agent.core.errors import BadReply
from gui_agent.core.geometry import Point
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Ask, End, Finish, GiveUp
from gui_agent.models import fields
from gui_agent.models.dialects import Dialect, PointerContext, Saying
from gui_agent.models.pictures import NOTCH, Space

FEW = 20
"""A scroll amount up to this is meant in notches; more is meant in pixels."""

_CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|$)", re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking)>(.*?)</\1>", re.DOTALL)
_BUTTONS: dict[str, Proposal] = {
    "back": Back(),
    "home": Press(("home",)),
    "menu": Press(("menu",)),
    "enter": Press(("enter",)),
}

Arguments = Mapping[str, Any]


def read(text: str, where: PointerContext) -> Saying:
    """Read the tool calls of an answer. Raises BadReply."""
    found = _CALL.findall(text)
    if not found:
        raise BadReply("there is no <tool_call> in the answer; write one JSON object between the tags")
    thoughts = [inner.strip() for _, inner in _THOUGHT.findall(text)]
    loose = _CALL.sub("", _THOUGHT.sub("", text)).strip()
    proposals: list[Proposal] = []
    end: End | None = None
    for written in found:
        if end is not None:
            raise BadReply("a call comes after the end of the task; end it alone")
        given = _arguments(written)
        action = fields.text(given, "action")
        if action in _ENDS:
            end = _ENDS[action](given)
        elif action in _ACTIONS:
            new = _ACTIONS[action](given, where)
            proposals.extend(new)
            where = replace(where, cursor=_last(new) or where.cursor)
        else:
            raise BadReply(
                f"there is no action {action}; use one of: {', '.join(sorted((*_ACTIONS, *_ENDS)))}"
            )
    return Saying(" ".join(thoughts) or loose, tuple(proposals), end)


def _arguments(written: str) -> dict[str, Any]:
    try:
        call = parse_json(written)
    except ValueError as error:
        raise BadReply(f"the tool call is not valid JSON ({error}); write it again") from error
    given = call.get("arguments", call) if isinstance(call, dict) else None
    if isinstance(given, str):
        try:
            given = parse_json(given)
        except ValueError as error:
            raise BadReply(f"the arguments are not valid JSON ({error}); write them again") from error
    if not isinstance(given, dict):
        raise BadReply("the arguments of the tool call have to be a JSON object")
    return given


def _last(proposals: list[Proposal]) -> Point | None:
    points = [place for proposal in proposals for place in places(proposal).values()]
    return points[-1] if points and isinstance(points[-1], Point) else None


def _at(given: Arguments, where: PointerContext, key: str = "coordinate") -> Point:
    return fields.place(given, key, where.space, where.cursor)


def _click(button: str = "left", clicks: int = 1) -> Callable[[Arguments, PointerContext], list[Proposal]]:
    def act(given: Arguments, where: PointerContext) -> list[Proposal]:
        return [Click(_at(given, where), button, clicks)]  # type: ignore[arg-type]

    return act


def _drag(given: Arguments, where: PointerContext) -> list[Proposal]:
    if "coordinate2" in given:
        return [Drag(_at(given, where), _at(given, where, "coordinate2"))]
    if "end_coordinate" in given:
        return [Drag(_at(given, where), _at(given, where, "end_coordinate"))]
    return [
        Drag(_at(given, where, "start_coordinate"), where.space.point(*fields.pair(given.get("coordinate"))))
    ]


def _swipe(given: Arguments, where: PointerContext) -> list[Proposal]:
    return [
        Swipe(_at(given, where), where.space.point(*fields.pair(given.get("coordinate2"), "coordinate2")))
    ]


def _scroll(down: int, right: int) -> Callable[[Arguments, PointerContext], list[Proposal]]:
    def act(given: Arguments, where: PointerContext) -> list[Proposal]:
        screen = where.space.screen
        middle = Point(screen.width // 2, screen.height // 2)
        at = fields.place(given, "coordinate", where.space, where.cursor or middle)
        amount = fields.number(given, "pixels")
        pixels = round(amount * NOTCH if abs(amount) <= FEW else amount)
        return [Scroll(at, down * pixels, right * pixels)]

    return act


def _type(given: Arguments, where: PointerContext) -> list[Proposal]:
    at = where.space.point(*fields.pair(given["coordinate"])) if given.get("coordinate") else None
    replaces = bool(given.get("clear") or given.get("delete_existing_text"))
    typed = TypeText(fields.text(given, "text"), at, replaces)
    entered = given.get("enter") or given.get("press_enter")
    return [typed, Press(("enter",))] if entered else [typed]


def _key(given: Arguments, where: PointerContext) -> list[Proposal]:
    return [Press(fields.keys(given.get("keys", given.get("text", given.get("key")))))]


def _wait(given: Arguments, where: PointerContext) -> list[Proposal]:
    return [Wait(min(60.0, fields.number(given, "time", 2.0)))]


def _button(given: Arguments, where: PointerContext) -> list[Proposal]:
    name = fields.text(given, "button").strip().lower()
    if name not in _BUTTONS:
        raise BadReply(f'there is no button "{name}"; use Back, Home, Menu or Enter')
    return [_BUTTONS[name]]


def _terminate(given: Arguments) -> End:
    if given.get("status", "success") == "success":
        return Finish(str(given.get("text", given.get("answer", ""))))
    return GiveUp(str(given.get("text", "")) or "the model ended the task as failed")


_ACTIONS: dict[str, Callable[[Arguments, PointerContext], list[Proposal]]] = {
    "click": _click(),
    "left_click": _click(),
    "right_click": _click("right"),
    "middle_click": _click("middle"),
    "double_click": _click(clicks=2),
    "triple_click": _click(clicks=3),
    "long_press": lambda given, where: [
        LongPress(_at(given, where), min(10.0, fields.number(given, "time", 0.8)))
    ],
    "mouse_move": lambda given, where: [Move(_at(given, where))],
    "left_click_drag": _drag,
    "drag": _drag,
    "swipe": _swipe,
    "scroll": _scroll(-1, 0),
    "hscroll": _scroll(0, 1),
    "type": _type,
    "input_text": _type,
    "key": _key,
    "wait": _wait,
    "system_button": _button,
    "open": lambda given, where: [Open(fields.text(given, "text"))],
    "visit_url": lambda given, where: [Navigate(fields.text(given, "url"))],
    "history_back": lambda given, where: [Back()],
}
_ENDS: dict[str, Callable[[Arguments], End]] = {
    "terminate": _terminate,
    "answer": lambda given: Finish(fields.text(given, "text")),
    "interact": lambda given: Ask(fields.text(given, "text")),
    "call_user": lambda given: Ask(str(given.get("text", "")) or "What should be done now?"),
}
_DESKTOP = """key (keys: list) - press keys together
type (text)
mouse_move, left_click, right_click, middle_click, double_click, triple_click (coordinate: [x, y])
left_click_drag (coordinate: [x, y]) - from where the pointer is
scroll, hscroll (pixels: number, coordinate) - positive is up, or right
wait (time: seconds)
answer (text) - the answer that was asked for; ends the task
terminate (status: success or failure)"""
_PHONE = """click (coordinate: [x, y])
long_press (coordinate, time: seconds)
swipe (coordinate, coordinate2)
type (text)
system_button (button: Back, Home, Menu or Enter)
open (text) - an app by its name
wait (time: seconds)
answer (text) - the answer that was asked for; ends the task
terminate (status: success or failure)"""


def _instruction(space: Space, platform: str) -> str:
    phone = platform == "android"
    name, actions = ("mobile_use", _PHONE) if phone else ("computer_use", _DESKTOP)
    return (
        f"You operate a screen with the function {name}. The screen's resolution is "
        f"{space.width:g}x{space.height:g}. Say in one line what you do, then call it:\n"
        f'<tool_call>\n{{"name": "{name}", "arguments": {{"action": "left_click", "coordinate": [x, y]}}}}\n'
        f"</tool_call>\n\nActions and their arguments:\n{actions}"
    ).replace('"left_click"', '"click"' if phone else '"left_click"')


def _point(space: Space, what: str) -> str:
    return f"{_instruction(space, '')}\n\nAnswer with one left_click on this: {what}"


CALLS = Dialect("Qwen-VL tool calls", read, _instruction, _point)
