"""The OpenCUA dialect: lines that look like pyautogui calls, parsed as data and never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gui_agent.core.actions import Click, Drag, Hold, Move, Press, Proposal, Scroll, TypeText, Wait
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point
from gui_agent.core.trajectory import End, Finish, GiveUp
from gui_agent.models import _fields as fields
from gui_agent.models.dialects import Dialect, PointerContext, Saying
from gui_agent.models.pictures import Space

_FENCE = re.compile(r"```(?:python|code)?\s*\n?(.*?)```", re.DOTALL)
_LINES = re.compile(r"^\s*((?:pyautogui|computer)\.\w+\(.*\))\s*$", re.MULTILINE | re.DOTALL)
_THINK = re.compile(r"(?:◁think▷|<think>)(.*?)(?:◁/think▷|</think>)", re.DOTALL)
_MODULES = ("pyautogui", "computer", "time")
_BUTTONS = ("left", "middle", "right")
_LONGEST = 20_000


def read(text: str, where: PointerContext) -> Saying:
    """Parse the code block of an answer, call by call. Raises BadReply."""
    bare = _THINK.sub("", text)
    blocks = _FENCE.findall(bare) or _LINES.findall(bare)
    if not blocks:
        raise BadReply("there is no code block; write ```python and pyautogui calls in it")
    thought = bare[: bare.find(blocks[0])].replace("```python", "").replace("```", "")
    thought = re.sub(r"##\s*(Thought|Action|Code):?", "", thought).strip()
    said = _Script(where)
    for block in blocks:
        for statement in _parse(block).body:
            said.take(statement)
    return Saying(thought, tuple(said.proposals), said.end)


def _parse(block: str) -> ast.Module:
    if len(block) > _LONGEST:
        raise BadReply("the code block is too long; write a few calls")
    try:
        return ast.parse(block.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadReply(f"the code is not valid Python ({error}); write pyautogui calls") from error


@dataclass
class _Script:
    """The calls parsed so far; the pointer position and the held keys affect the next ones."""

    where: PointerContext
    proposals: list[Proposal] = field(default_factory=list)
    end: End | None = None
    held: tuple[str, ...] = ()
    cursor: Point | None = None
    pressed: Point | None = None
    """Where the still pressed button went down."""

    def __post_init__(self) -> None:
        self.cursor = self.where.cursor

    def take(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import) and all(name.name in _MODULES for name in statement.names):
            return
        if not isinstance(statement, ast.Expr):
            raise BadReply(
                f"line {statement.lineno} is not a call; write only pyautogui calls with plain values"
            )
        name, given = _call(statement.value)
        if self.end is not None:
            raise BadReply(f"{name} comes after the end of the task; end it alone")
        if name not in _CALLS:
            raise BadReply(f"there is no call {name}; use one of: {', '.join(sorted(_CALLS))}")
        known, act = _CALLS[name]
        act(self, _by_name(name, known, given))

    def point_of(self, given: Mapping[str, Any]) -> Point:
        if given.get("x") is not None or given.get("y") is not None:
            x = given.get("x")
            x, y = fields.pair(x, "x") if isinstance(x, list) else [fields.number(given, key) for key in "xy"]
            self.cursor = self.where.space.point(x, y)
        if self.cursor is None:
            raise BadReply("the place is missing; give x and y")
        return self.cursor


def _call(node: ast.expr) -> tuple[str, tuple[list[Any], dict[str, Any]]]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        raise BadReply("only calls such as pyautogui.click(x=10, y=20) are understood")
    owner = node.func.value
    if not isinstance(owner, ast.Name) or owner.id not in _MODULES:
        raise BadReply("only calls of pyautogui, computer and time are understood")
    named: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise BadReply("** is not understood; name each argument")
        named[keyword.arg] = _literal(keyword.value)
    prefix = "time." if owner.id == "time" else ""
    return prefix + node.func.attr, ([_literal(argument) for argument in node.args], named)


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, type(None))):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _literal(node.operand)
        if isinstance(value, (int, float)):
            return -value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(item) for item in node.elts]
    raise BadReply("an argument is not a plain value; write numbers and texts only")


def _by_name(name: str, known: Sequence[str], given: tuple[list[Any], dict[str, Any]]) -> dict[str, Any]:
    positional, named = given
    if known and known[0].startswith("*"):
        return {known[0][1:]: positional, **named}
    if len(positional) > len(known):
        raise BadReply(f"{name} takes at most {len(known)} arguments: {', '.join(known)}")
    return {**dict(zip(known, positional, strict=False)), **named}


def _click(clicks: int = 1, button: str = "") -> Callable[[_Script, Mapping[str, Any]], None]:
    def act(script: _Script, given: Mapping[str, Any]) -> None:
        chosen = button or str(given.get("button") or "left").lower()
        if chosen not in _BUTTONS:
            raise BadReply(f'there is no button "{chosen}"; use left, middle or right')
        times = int(fields.number(given, "clicks", 1)) if clicks == 1 else clicks
        script.proposals.append(Click(script.point_of(given), chosen, times, script.held))  # type: ignore[arg-type]

    return act


def _drag(script: _Script, given: Mapping[str, Any]) -> None:
    start = script.cursor
    if start is None:
        raise BadReply("dragTo needs a moveTo before it")
    if script.proposals and script.proposals[-1] == Move(start):
        script.proposals.pop()
    script.proposals.append(Drag(start, script.point_of(given), script.held))


def _button_down(script: _Script, given: Mapping[str, Any]) -> None:
    script.pressed = script.point_of(given)


def _button_up(script: _Script, given: Mapping[str, Any]) -> None:
    start, script.pressed = script.pressed, None
    if start is None:
        raise BadReply("mouseUp needs a mouseDown before it")
    if script.proposals and script.proposals[-1] in (Move(script.cursor), Move(start)):
        script.proposals.pop()  # the pointer's movement is part of the drag
    end = script.point_of(given)
    same = start == end
    script.proposals.append(Click(end, "left", 1, script.held) if same else Drag(start, end, script.held))


def _scroll(down: int, right: int) -> Callable[[_Script, Mapping[str, Any]], None]:
    def act(script: _Script, given: Mapping[str, Any]) -> None:
        screen = script.where.space.screen
        middle = screen.box.center
        placed = given.get("x") is not None or script.cursor is not None
        pixels = fields.scrolled_pixels(given, "clicks")
        script.proposals.append(
            Scroll(script.point_of(given) if placed else middle, down * pixels, right * pixels)
        )

    return act


def _write(script: _Script, given: Mapping[str, Any]) -> None:
    message = given.get("message")
    typed = "".join(map(str, message)) if isinstance(message, list) else fields.text(given, "message")
    script.proposals.append(TypeText(typed))


def _press(script: _Script, given: Mapping[str, Any]) -> None:
    names = given.get("keys")
    each = names if isinstance(names, list) else [names]
    times = int(fields.number(given, "presses", 1))
    script.proposals.extend(Press((*script.held, *fields.keys(name)), times) for name in each)


def _hotkey(script: _Script, given: Mapping[str, Any]) -> None:
    names = given.get("keys") or []
    flat = names[0] if len(names) == 1 and isinstance(names[0], list) else names
    script.proposals.append(Press((*script.held, *fields.keys(flat))))


def _press_key(script: _Script, given: Mapping[str, Any]) -> None:
    script.held = (*script.held, *fields.keys(given.get("key")))


def _release_key(script: _Script, given: Mapping[str, Any]) -> None:
    released = fields.keys(given.get("key"))
    if not set(released) <= set(script.held):
        raise BadReply(f"{'+'.join(released)} is not held down")
    script.held = tuple(key for key in script.held if key not in released)


def _hold(script: _Script, given: Mapping[str, Any]) -> None:
    script.proposals.append(Hold(fields.keys(given.get("keys")), fields.number(given, "seconds", 1.0)))


def _wait(script: _Script, given: Mapping[str, Any]) -> None:
    script.proposals.append(Wait(min(60.0, fields.number(given, "seconds", 5.0))))


def _terminate(script: _Script, given: Mapping[str, Any]) -> None:
    said = str(given.get("answer") or "")
    failed = str(given.get("status", "success")).lower().startswith("fail")
    script.end = GiveUp(said or "the model ended the task as failed") if failed else Finish(said)


_XY = ("x", "y")
_CALLS: dict[str, tuple[tuple[str, ...], Callable[[_Script, Mapping[str, Any]], None]]] = {
    "click": ((*_XY, "clicks", "interval", "button"), _click()),
    "doubleClick": (_XY, _click(2)),
    "double_click": (_XY, _click(2)),
    "tripleClick": (_XY, _click(3)),
    "triple_click": (_XY, _click(3)),
    "rightClick": (_XY, _click(button="right")),
    "middleClick": (_XY, _click(button="middle")),
    "moveTo": (
        (*_XY, "duration"),
        lambda script, given: script.proposals.append(Move(script.point_of(given))),
    ),
    "dragTo": ((*_XY, "duration"), _drag),
    "scroll": (("clicks", *_XY), _scroll(-1, 0)),
    "vscroll": (("clicks", *_XY), _scroll(-1, 0)),
    "hscroll": (("clicks", *_XY), _scroll(0, 1)),
    "mouseDown": ((*_XY, "button"), _button_down),
    "mouseUp": ((*_XY, "button"), _button_up),
    "write": (("message", "interval"), _write),
    "typewrite": (("message", "interval"), _write),
    "press": (("keys", "presses", "interval"), _press),
    "hotkey": (("*keys",), _hotkey),
    "keyDown": (("key",), _press_key),
    "keyUp": (("key",), _release_key),
    "hold": (("keys", "seconds"), _hold),
    "wait": (("seconds",), _wait),
    "sleep": (("seconds",), _wait),
    "time.sleep": (("seconds",), _wait),
    "terminate": (("status", "answer"), _terminate),
}


def _instruction(space: Space, platform: str) -> str:
    return f"""You operate a screen; {space.sentence()}. Answer in this form:
## Thought: what you see and why
## Action: what you do, in one line
## Code:
```python
pyautogui.click(x=..., y=...)
```
Calls: click, doubleClick, rightClick, middleClick, moveTo, dragTo (all x, y), scroll(clicks),
hscroll(clicks), write(message), press(key), hotkey(key, key), computer.triple_click(x, y),
computer.wait(seconds), computer.terminate(status='success' or 'failure', answer='...').
Only plain numbers and texts are understood."""


def _point(space: Space, what: str) -> str:
    return f"{_instruction(space, '')}\n\nAnswer with one click on this: {what}"


CODE = Dialect("pyautogui calls", read, _instruction, _point)
