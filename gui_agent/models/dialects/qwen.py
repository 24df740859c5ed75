"""The Qwen-VL dialect: one JSON object per `<tool_call>`, with `action` and `coordinate`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from gui_agent.core.actions import (
    PHONES,
    Back,
    Drag,
    LongPress,
    Move,
    Navigate,
    Open,
    Press,
    Proposal,
    Scroll,
    Swipe,
    Switch,
    TypeText,
    Wait,
)
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Ask, End, Finish, GiveUp
from gui_agent.models import _fields as fields
from gui_agent.models.dialects import Act, Dialect, PointerContext, Saying, click_by, read_calls
from gui_agent.models.pictures import Space

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
    """Parse the tool calls of an answer. Raises BadReply."""
    found = _CALL.findall(text)
    if not found:
        raise BadReply("there is no <tool_call> in the answer; write one JSON object between the tags")
    thoughts = [inner.strip() for _, inner in _THOUGHT.findall(text)]
    loose = _CALL.sub("", _THOUGHT.sub("", text)).strip()
    given = [_arguments(written) for written in found]
    calls = [(fields.text(one, "action"), one) for one in given]
    return read_calls(calls, where, _ACTIONS, _ENDS, " ".join(thoughts) or loose)


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


def _point_of(given: Arguments, where: PointerContext, key: str = "coordinate") -> Point:
    return fields.place(given, key, where.space, where.cursor)


def _drag(given: Arguments, where: PointerContext) -> list[Proposal]:
    for end in ("coordinate2", "end_coordinate"):
        if end in given:
            return [Drag(_point_of(given, where), _point_of(given, where, end))]
    return [
        Drag(
            _point_of(given, where, "start_coordinate"),
            where.space.point(*fields.pair(given.get("coordinate"))),
        )
    ]


def _swipe(given: Arguments, where: PointerContext) -> list[Proposal]:
    return [
        Swipe(
            _point_of(given, where), where.space.point(*fields.pair(given.get("coordinate2"), "coordinate2"))
        )
    ]


def _scroll(down: int, right: int) -> Act[Arguments]:
    def act(given: Arguments, where: PointerContext) -> list[Proposal]:
        screen = where.space.screen
        middle = screen.box.center
        at = fields.place(given, "coordinate", where.space, where.cursor or middle)
        pixels = fields.scrolled_pixels(given, "pixels")
        return [Scroll(at, down * pixels, right * pixels)]

    return act


def _type(given: Arguments, where: PointerContext) -> list[Proposal]:
    at = where.space.point(*fields.pair(given["coordinate"])) if given.get("coordinate") else None
    replaces = bool(given.get("clear") or given.get("delete_existing_text"))
    typed = TypeText(fields.text(given, "text"), at, replaces)
    entered = given.get("enter") or given.get("press_enter")
    return [typed, Press(("enter",))] if entered else [typed]


def _button(given: Arguments, where: PointerContext) -> list[Proposal]:
    name = fields.text(given, "button").strip().lower()
    if name not in _BUTTONS:
        raise BadReply(f'there is no button "{name}"; use Back, Home, Menu or Enter')
    return [_BUTTONS[name]]


def _terminate(given: Arguments) -> End:
    if given.get("status", "success") == "success":
        return Finish(str(given.get("text", given.get("answer", ""))))
    return GiveUp(str(given.get("text", "")) or "the model ended the task as failed")


_ACTIONS: dict[str, Act[Arguments]] = {
    "click": click_by(_point_of),
    "left_click": click_by(_point_of),
    "right_click": click_by(_point_of, "right"),
    "middle_click": click_by(_point_of, "middle"),
    "double_click": click_by(_point_of, clicks=2),
    "triple_click": click_by(_point_of, clicks=3),
    "long_press": lambda given, where: [
        LongPress(_point_of(given, where), min(10.0, fields.number(given, "time", 0.8)))
    ],
    "mouse_move": lambda given, where: [Move(_point_of(given, where))],
    "left_click_drag": _drag,
    "drag": _drag,
    "swipe": _swipe,
    "scroll": _scroll(-1, 0),
    "hscroll": _scroll(0, 1),
    "type": _type,
    "input_text": _type,
    "key": lambda given, where: [Press(fields.keys(given.get("keys", given.get("text", given.get("key")))))],
    "wait": lambda given, where: [Wait(min(60.0, fields.number(given, "time", 2.0)))],
    "system_button": _button,
    "open": lambda given, where: [Open(fields.text(given, "text"))],
    "visit_url": lambda given, where: [Navigate(fields.text(given, "url"))],
    "history_back": lambda given, where: [Back()],
    "switch_tab": lambda given, where: [Switch(fields.text(given, "text"))],
}
_ENDS: dict[str, Callable[[Arguments], End]] = {
    "terminate": _terminate,
    "answer": lambda given: Finish(fields.text(given, "text")),
    "interact": lambda given: Ask(fields.text(given, "text")),
    "call_user": lambda given: Ask(str(given.get("text", "")) or "What should be done now?"),
}
_DESKTOP = {
    "key": "Presses the `keys` together.",
    "type": "Types the `text`.",
    "mouse_move": "Moves the pointer to the `coordinate`.",
    "left_click": "Clicks at the `coordinate`.",
    "left_click_drag": "Drags from where the pointer is to the `coordinate`.",
    "right_click": "Clicks with the right button at the `coordinate`.",
    "middle_click": "Clicks with the middle button at the `coordinate`.",
    "double_click": "Double-clicks at the `coordinate`.",
    "triple_click": "Triple-clicks at the `coordinate`.",
    "scroll": "Turns the wheel by `pixels`: positive is up, negative is down.",
    "hscroll": "Scrolls sideways by `pixels`: positive is right.",
    "wait": "Waits `time` seconds.",
}
_PHONE = {
    "click": "Taps at the `coordinate`.",
    "long_press": "Presses at the `coordinate` for `time` seconds.",
    "swipe": "Swipes from `coordinate` to `coordinate2`.",
    "type": "Types the `text` into the field that has the focus.",
    "system_button": "Presses the `button`: Back, Home, Menu or Enter.",
    "open": "Opens the app that is called `text`.",
    "wait": "Waits `time` seconds.",
}
_BROWSER = _DESKTOP | {
    "visit_url": "Opens the `url` in this tab.",
    "history_back": "Goes back to the page before.",
    "switch_tab": "Brings the tab whose title contains the `text` to the front.",
}
_END = {
    "answer": "Ends the task with the answer that was asked for, in `text`.",
    "terminate": "Ends the task with a `status`.",
}
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "keys": {"type": "array"},
    "text": {"type": "string"},
    "url": {"type": "string"},
    "coordinate": {"description": "(x, y), from the left and top edges.", "type": "array"},
    "coordinate2": {"description": "(x, y), from the left and top edges.", "type": "array"},
    "pixels": {"type": "number"},
    "time": {"type": "number"},
    "button": {"enum": ["Back", "Home", "Menu", "Enter"], "type": "string"},
    "status": {"enum": ["success", "failure"], "type": "string"},
}


def _instruction(space: Space, platform: str) -> str:
    """The function in the form of Qwen's chat template (Qwen3-VL, cookbooks), as used in training."""
    phone = platform in PHONES
    actions = (_PHONE if phone else _BROWSER if platform == "browser" else _DESKTOP) | _END
    told = "\n".join(f"* `{name}`: {what}" for name, what in actions.items())
    named = {name: of for name, of in _ARGUMENTS.items() if f"`{name}`" in told}
    device = "a touchscreen to interact with a mobile device" if phone else "a mouse and keyboard"
    function = {
        "name": "mobile_use" if phone else "computer_use",
        "description": f"Use {device}, and take screenshots.\n* The screen's resolution is "
        f"{space.width:g}x{space.height:g}.\n* Aim at the middle of a button, link or icon.",
        "parameters": {
            "properties": {"action": {"description": told, "enum": [*actions], "type": "string"}, **named},
            "required": ["action"],
            "type": "object",
        },
    }
    signature = json.dumps({"type": "function", "function": function}, ensure_ascii=False)
    return (
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        f"You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n{signature}\n"
        "</tools>\n\nFor each function call, return a json object with function name and arguments within "
        '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": '
        "<args-json-object>}\n</tool_call>\n\n# Response format\n\nAction: one line that says what you do, "
        "then one <tool_call>...</tool_call> block."
    )


def _point(space: Space, what: str) -> str:
    return f"{_instruction(space, '')}\n\nAnswer with one left_click on this: {what}"


CALLS = Dialect("Qwen-VL tool calls", read, _instruction, _point)
