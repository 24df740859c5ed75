"""The UI-TARS dialects: `Action: click(start_box='(x,y)')` lines, and functions in tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from gui_agent.core.actions import (
    PHONES,
    Back,
    Drag,
    LongPress,
    Move,
    Open,
    Press,
    Proposal,
    Scroll,
    TypeText,
    Wait,
)
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point
from gui_agent.core.trajectory import Ask, End, Finish
from gui_agent.models import _fields as fields
from gui_agent.models.dialects import Act, Dialect, PointerContext, Saying, click_by, read_calls
from gui_agent.models.pictures import NOTCH, Space

NOTCHES = 5
"""Notches of one scroll: the dialect has a direction but no distance."""

_START = re.compile(r"\s*(\w+)\s*\(")
# An apostrophe ends a text only if the next argument or the end of the call follows.
_ARGUMENT = re.compile(
    r"\s*,?\s*(\w+)\s*=\s*(?:(['\"])(.*?)(?<!\\)\2(?=\s*(?:,\s*\w+\s*=|\)\s*(?:\n|$|[^\w'\"])))|([^,()'\"]+))",
    re.DOTALL,
)
_END = re.compile(r"\s*,?\s*\)")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\'": "'", '\\"': '"', "\\\\": "\\"}
_FUNCTION = re.compile(r"<function\s*=\s*[\"']?(\w+)[\"']?\s*>(.*?)</function\s*>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter\s*=\s*[\"']?(\w+)[\"']?\s*>(.*?)</parameter\s*>", re.DOTALL)
_THINK = re.compile(r"<(think|gui_think|think_never_used_\w+)>(.*?)</\1>", re.DOTALL)

Arguments = Mapping[str, str]


def read_lines(text: str, where: PointerContext) -> Saying:
    """Parse `Thought: ... Action: name(key='value')`, one or several calls."""
    before, found, after = text.rpartition("Action:")
    if not found:
        raise BadReply("there is no line that begins with Action:; write Thought: ... and Action: name(...)")
    parts = _THINK.findall(before)
    thought = re.sub(r"^\s*Thought:\s*", "", _THINK.sub("", before).strip()).strip()
    thought = thought or " ".join(inner.strip() for _, inner in parts)
    return read_calls(list(_calls(after)), where, _ACTIONS, _ENDS, thought)


def read_tagged(text: str, where: PointerContext) -> Saying:
    """Parse `<function=name><parameter=key>value</parameter></function>`, one or several."""
    calls = [(name, dict(_PARAMETER.findall(inner))) for name, inner in _FUNCTION.findall(text)]
    if not calls:
        raise BadReply("there is no <function=...> in the answer; call one of the functions")
    thought = " ".join(inner.strip() for _, inner in _THINK.findall(text))
    return read_calls(calls, where, _ACTIONS, _ENDS, thought)


def _calls(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    at, text = 0, text.strip().strip("`").strip()
    if not text:
        raise BadReply("there is nothing after Action:; write name(key='value')")
    while at < len(text):
        start = _START.match(text, at)
        if start is None:
            raise BadReply(f"\"{text[at : at + 60]}\" is not an action; write name(key='value')")
        at, given = start.end(), {}
        while (end := _END.match(text, at)) is None:
            argument = _ARGUMENT.match(text, at)
            if argument is None:
                raise BadReply(f"the arguments of {start[1]} cannot be read; write name(key='value')")
            value = argument[3] if argument[2] else argument[4].strip()
            given[argument[1]] = re.sub(r"\\.", lambda found: _ESCAPES.get(found[0], found[0]), value)
            at = argument.end()
        at = end.end()
        yield start[1], given


def _point_of(given: Arguments, where: PointerContext, *names: str) -> Point:
    for name in names or ("start_box", "point", "start_point", "box"):
        if name in given:
            return where.space.point(*fields.pair(given[name], name))
    raise BadReply("the place is missing; give it as point='<point>x y</point>' or start_box='(x,y)'")


def _drag(given: Arguments, where: PointerContext) -> list[Proposal]:
    return [Drag(_point_of(given, where), _point_of(given, where, "end_box", "end_point"))]


def _type(given: Arguments, where: PointerContext) -> list[Proposal]:
    content = fields.text(given, "content")
    typed: list[Proposal] = [TypeText(content.removesuffix("\n"))] if content != "\n" else []
    return [*typed, Press(("enter",))] if content.endswith("\n") else typed


def _press(given: Arguments, where: PointerContext) -> list[Proposal]:
    return [Press(fields.keys(given.get("key", given.get("keys", ""))))]


def _scroll(given: Arguments, where: PointerContext) -> list[Proposal]:
    named = {"start_box", "point", "start_point", "box"} & given.keys()
    screen = where.space.screen
    at = _point_of(given, where) if named else screen.box.center
    down, right = fields.direction(given, "direction")
    return [Scroll(at, down * NOTCHES * NOTCH, right * NOTCHES * NOTCH)]


_ACTIONS: dict[str, Act[Arguments]] = {
    "click": click_by(_point_of),
    "left_single": click_by(_point_of),
    "left_double": click_by(_point_of, clicks=2),
    "double_click": click_by(_point_of, clicks=2),
    "right_single": click_by(_point_of, "right"),
    "right_click": click_by(_point_of, "right"),
    "middle_click": click_by(_point_of, "middle"),
    "triple_click": click_by(_point_of, clicks=3),
    "hover": lambda given, where: [Move(_point_of(given, where))],
    "move_to": lambda given, where: [Move(_point_of(given, where))],
    "long_press": lambda given, where: [LongPress(_point_of(given, where))],
    "drag": _drag,
    "select": _drag,
    "hotkey": _press,
    "press": _press,
    "type": _type,
    "scroll": _scroll,
    "wait": lambda given, where: [Wait(min(60.0, fields.number(given, "time", 5.0)))],
    "open_app": lambda given, where: [Open(fields.text(given, "app_name"))],
    "press_home": lambda given, where: [Press(("home",))],
    "press_back": lambda given, where: [Back()],
    "navigate_back": lambda given, where: [Back()],
}
_ENDS: dict[str, Callable[[Arguments], End]] = {
    "finished": lambda given: Finish(given.get("content", "")),
    "call_user": lambda given: Ask(given.get("content", "") or "What should be done now?"),
}
_ENDING = """wait()
finished(content='the answer, if one was asked for')
call_user(content='what is needed of the person')"""
_MOUSE = f"""click(point='<point>x1 y1</point>')
left_double(point='<point>x1 y1</point>')
right_single(point='<point>x1 y1</point>')
drag(start_point='<point>x1 y1</point>', end_point='<point>x2 y2</point>')
hotkey(key='ctrl c')  # keys in lower case, with spaces between
type(content='xxx')  # a newline at the end submits it
scroll(point='<point>x1 y1</point>', direction='down or up or right or left')
{_ENDING}"""
_TOUCH = f"""click(point='<point>x1 y1</point>')
long_press(point='<point>x1 y1</point>')
type(content='xxx')  # a newline at the end submits it
scroll(point='<point>x1 y1</point>', direction='down or up or right or left')
drag(start_point='<point>x1 y1</point>', end_point='<point>x2 y2</point>')
open_app(app_name='xxx')
press_home()
press_back()
{_ENDING}"""


def _lines(space: Space, platform: str) -> str:
    """The sections of the prompt that these models were trained with (UI-TARS, codes/ui_tars/prompt.py)."""
    actions = _TOUCH if platform in PHONES else _MOUSE
    return (
        "You are a GUI agent. You are given a task and your action history, with screenshots. "
        "You need to perform the next action to complete the task.\n\n"
        f"## Output Format\n```\nThought: ...\nAction: ...\n```\n\n## Action Space\n{actions}"
    )


def _frame(actions: str, rules: str) -> str:
    return f"{actions}\n\n## Note\n{rules}\n\n## User Instruction\n"


def _tagged_prompt(space: Space, platform: str) -> str:
    actions = _TOUCH if platform in PHONES else _MOUSE
    return (
        "You operate a screen. Think in <gui_think></gui_think>, then call functions in this form:\n"
        "<seed:tool_call><function=click><parameter=point><point>x y</point></parameter></function>"
        f"</seed:tool_call>\n\nFunctions and their parameters:\n{actions}"
    )


def _point(form: Callable[[Space, str], str]) -> Callable[[Space, str], str]:
    return lambda space, what: f"{form(space, '')}\n\nTask: answer with one click on this: {what}"


LINES = Dialect("UI-TARS lines", read_lines, _lines, _point(_lines), _frame)
TAGGED = Dialect("UI-TARS functions in tags", read_tagged, _tagged_prompt, _point(_tagged_prompt))
