"""OSWorld's two action spaces read into typed actions: pyautogui calls by their syntax tree, and computer_13.

Nothing of them is ever run: what is not a known call with literal arguments is refused.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from gui_agent.core import deadline
from gui_agent.core.actions import Action, Button, Click, Drag, Move, Press, Scroll, TypeText
from gui_agent.core.errors import BadReply, BenchmarkError, StepFailed
from gui_agent.core.geometry import Point, Size
from gui_agent.core.keys import MODIFIERS, canonical
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.eval.benchmark import Case
from gui_agent.eval.osworld.benchmark import OsWorldEpisode
from gui_agent.eval.records import Record

NOTCH = 50
"""Pixels of one turn of the wheel."""
LONGEST = 60.0
"""Seconds of one pause."""
WAITING = 2.0
SPECIAL = ("WAIT", "DONE", "FAIL")
ALIASES = {
    **{"alt": "alt", "altleft": "alt", "altright": "altgr", "ctrlleft": "ctrl", "ctrlright": "ctrl"},
    **{"shiftleft": "shift", "shiftright": "shift", "winleft": "meta", "winright": "meta", "\n": "enter"},
    **{"\t": "tab", "optionleft": "alt", "optionright": "alt"},
}
_SUMS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


Said = Action | Pause | str
"""An action, a pause, or one of WAIT, DONE, FAIL."""


class ActionReader:
    """Reads what an agent says, step after step; what is held down stays so from one step to the next."""

    def __init__(self, size: Size) -> None:
        self._at = Point(size.width // 2, size.height // 2)
        self._held: list[str] = []
        self._used = False
        self._pressed: tuple[Point, Button] | None = None
        self._said: list[Said] = []

    def read(self, said: Any) -> list[Said]:
        """The actions of one step: a text of pyautogui calls, an action of computer_13, or a special word.

        Raises:
            BadReply: something in it is not known; nothing of the step is to be done.
        """
        self._said = []
        if isinstance(said, str) and said.strip().strip("`").upper() in SPECIAL:
            return [said.strip().strip("`").upper()]
        if isinstance(said, Mapping) and "action_type" in said:
            self._computer_13(str(said["action_type"]), said.get("parameters", said))
        elif isinstance(said, Mapping) and isinstance(said.get("command"), str):
            self._pyautogui(said["command"])
        elif isinstance(said, str):
            self._pyautogui(said)
        else:
            raise BadReply(f"{said!r} is no action; use pyautogui calls, computer_13 or WAIT, DONE, FAIL")
        return self._said

    def _pyautogui(self, text: str) -> None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise BadReply(f"this cannot be read as calls of pyautogui: {error}") from error
        known: dict[str, Any] = {}
        for statement in tree.body:
            match statement:
                case ast.Import() | ast.ImportFrom() | ast.Pass():
                    continue
                case ast.Expr(value=ast.Constant()):
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    known[name] = _literal(value, known)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    for target, value in zip(names, values, strict=False):
                        if isinstance(target, ast.Name):
                            known[target.id] = _literal(value, known)
                case ast.Assign(targets=[ast.Attribute(attr="FAILSAFE" | "PAUSE")]):
                    continue
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) as call
                ):
                    given = [_literal(one, known) for one in call.args]
                    named = {one.arg: _literal(one.value, known) for one in call.keywords if one.arg}
                    self._call(module, name, given, named)
                case _:
                    raise BadReply(
                        f"only calls with plain values are read, not: {ast.unparse(statement)[:80]}"
                    )

    def _call(self, module: str, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> None:
        if (module, name) == ("time", "sleep") or name == "sleep":
            self._said.append(Pause(min(LONGEST, float(given[0] if given else 0))))
            return
        if module not in ("pyautogui", "pg", "pag") or name not in _CALLS:
            raise BadReply(f"{module}.{name} is not known; use calls of pyautogui for mouse and keys")
        try:
            _CALLS[name](self, *given, **{key: one for key, one in named.items() if key not in _IGNORED})
        except (TypeError, ValueError, OverflowError) as error:
            raise BadReply(f"{module}.{name} was given wrong values: {error}") from error

    def _computer_13(self, kind: str, given: Any) -> None:
        given = dict(given) if isinstance(given, Mapping) else {}
        if kind in SPECIAL:
            self._said.append(kind)
            return
        names = {
            **{"MOVE_TO": "moveTo", "RIGHT_CLICK": "rightClick", "DOUBLE_CLICK": "doubleClick"},
            **{"DRAG_TO": "dragTo", "MOUSE_DOWN": "mouseDown", "MOUSE_UP": "mouseUp", "CLICK": "click"},
            **{"TYPING": "write", "PRESS": "press", "KEY_DOWN": "keyDown", "KEY_UP": "keyUp"},
        }
        if kind == "SCROLL":
            self._scroll(given.get("dy", 0), across=given.get("dx", 0))
        elif kind == "HOTKEY":
            self._call("pyautogui", "hotkey", list(given.get("keys", ())), {})
        elif kind in names:
            clicks = {"clicks": given.pop("num_clicks")} if "num_clicks" in given else {}
            text = {"message": given.pop("text")} if "text" in given else {}
            keys = {"keys": given.pop("key")} if "key" in given else {}
            given.pop("action_type", None)
            self._call("pyautogui", names[kind], (), {**given, **clicks, **text, **keys})
        else:
            raise BadReply(f"{kind} is no action of computer_13")

    def _point(self, x: Any, y: Any) -> Point:
        if isinstance(x, (tuple, list)):
            x, y = x
        self._at = Point(
            self._at.x if x is None else round(float(x)), self._at.y if y is None else round(float(y))
        )
        return self._at

    def _click(
        self, x: Any = None, y: Any = None, clicks: int = 1, interval: float = 0, button: str = "left"
    ) -> None:
        if button not in ("left", "middle", "right"):
            raise ValueError(f"no button is called {button!r}")
        self._used = True
        held = tuple(key for key in self._held if key in MODIFIERS)
        self._said.append(Click(self._point(x, y), cast(Button, button), int(clicks), held))

    def _move(self, x: Any = None, y: Any = None, duration: float = 0) -> None:
        point = self._point(x, y)
        if self._pressed is None:  # a drag under way is told when it ends
            self._said.append(Move(point))

    def _move_by(self, x: float = 0, y: float = 0, duration: float = 0) -> None:
        self._move(self._at.x + x, self._at.y + y)

    def _drag(self, x: Any = None, y: Any = None, duration: float = 0, button: str = "left") -> None:
        start = self._at
        held = tuple(key for key in self._held if key in MODIFIERS)
        self._used = True
        self._said.append(Drag(start, self._point(x, y), held))

    def _drag_by(self, x: float = 0, y: float = 0, duration: float = 0, button: str = "left") -> None:
        self._drag(self._at.x + x, self._at.y + y)

    def _down(self, x: Any = None, y: Any = None, button: str = "left") -> None:
        self._pressed = self._point(x, y), cast(Button, button)

    def _up(self, x: Any = None, y: Any = None, button: str = "left") -> None:
        end = self._point(x, y)
        if self._pressed is None:
            return
        (start, pressed), self._pressed = self._pressed, None
        if start == end:
            self._click(end.x, end.y, button=pressed)
        else:
            self._said.append(Drag(start, end, tuple(key for key in self._held if key in MODIFIERS)))

    def _scroll(self, clicks: float = 0, x: Any = None, y: Any = None, across: float = 0) -> None:
        at = self._point(x, y)
        self._said.append(Scroll(at, down=round(-float(clicks) * NOTCH), right=round(float(across) * NOTCH)))

    def _write(self, message: Any = "", interval: float = 0) -> None:
        if isinstance(message, (list, tuple)):
            for key in message:
                self._press(key)
        else:
            self._said.append(TypeText(str(message)))

    def _press(self, keys: Any = (), presses: int = 1, interval: float = 0) -> None:
        self._used = True
        for key in [keys] if isinstance(keys, str) else keys:
            self._said.append(Press((*self._held, _key(key)), times=int(presses)))

    def _hotkey(self, *keys: Any, interval: float = 0) -> None:
        self._used = True
        flat = [one for key in keys for one in (key if isinstance(key, (list, tuple)) else [key])]
        self._said.append(Press((*self._held, *map(_key, flat))))

    def _key_down(self, keys: str = "") -> None:
        self._held.append(_key(keys))
        self._used = False

    def _key_up(self, keys: str = "") -> None:
        key = _key(keys)
        if key in self._held:
            if not self._used:  # a key that was only pressed and let go
                self._said.append(Press(tuple(self._held)))
                self._used = True
            self._held.remove(key)


_CALLS: Mapping[str, Callable[..., None]] = {
    "click": ActionReader._click,
    "leftClick": ActionReader._click,
    "doubleClick": lambda reader, *given, **named: ActionReader._click(
        reader, *given, **{**named, "clicks": 2}
    ),
    "tripleClick": lambda reader, *given, **named: ActionReader._click(
        reader, *given, **{**named, "clicks": 3}
    ),
    "rightClick": lambda reader, *given, **named: ActionReader._click(
        reader, *given, **{**named, "button": "right"}
    ),
    "middleClick": lambda reader, *given, **named: ActionReader._click(
        reader, *given, **{**named, "button": "middle"}
    ),
    "moveTo": ActionReader._move,
    "moveRel": ActionReader._move_by,
    "move": ActionReader._move_by,
    "dragTo": ActionReader._drag,
    "dragRel": ActionReader._drag_by,
    "drag": ActionReader._drag_by,
    "mouseDown": ActionReader._down,
    "mouseUp": ActionReader._up,
    "scroll": ActionReader._scroll,
    "vscroll": ActionReader._scroll,
    "hscroll": lambda reader, clicks=0, x=None, y=None: reader._scroll(0, x, y, across=clicks),
    "write": ActionReader._write,
    "typewrite": ActionReader._write,
    "press": ActionReader._press,
    "hotkey": ActionReader._hotkey,
    "keyDown": ActionReader._key_down,
    "keyUp": ActionReader._key_up,
}
_IGNORED = ("tween", "logScreenshot", "_pause", "mouseDownUp")


def _key(name: Any) -> str:
    text = str(name)
    return ALIASES.get(text.lower() if len(text) > 1 else text) or canonical(text)


def _literal(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """The value of a literal, of a name that was given one, or of a sum of numbers.

    Raises:
        BadReply: it is anything else.
    """
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_literal(part, known) for part in parts]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            value = _literal(inner, known)
            if isinstance(value, (int, float)):
                return -value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SUMS:
            one, other = _literal(left, known), _literal(right, known)
            if isinstance(one, (int, float)) and isinstance(other, (int, float)):
                try:
                    return _SUMS[type(op)](one, other)
                except ArithmeticError as error:
                    raise BadReply(f"{ast.unparse(node)}: {error}") from error
    raise BadReply(f"only plain values are read, not: {ast.unparse(node)[:80]}")


class RecordedSolver:
    """Does again what a trajectory in OSWorld's layout tells, `FOLDER/<task>/traj.jsonl`."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def prepare(self, case: Case) -> None:
        """Nothing to prepare."""

    def solve(self, episode: Any, case: Case) -> Trajectory:
        """Carry out the recorded actions; what a step cannot do is left out, as OSWorld's runner leaves it.

        Raises:
            BenchmarkError: there is no trajectory of this task.
        """
        assert isinstance(episode, OsWorldEpisode)
        path = self._folder / case.task / "traj.jsonl"
        try:
            lines = [
                json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
            ]
        except (OSError, ValueError) as error:
            raise BenchmarkError(f"{path} cannot be read: {error}") from error
        computer = episode.computer
        reader = ActionReader(computer.observe(picture=False).size)
        ending = Ending("limit", "the trajectory ends without a last word")
        for line in lines:
            try:
                for said in reader.read(line.get("action")):
                    if said in ("DONE", "FAIL"):
                        ending = Ending("done" if said == "DONE" else "not_done", f"it says {said}")
                    elif isinstance(said, (Pause, str)):
                        deadline.sleep(said.seconds if isinstance(said, Pause) else WAITING)
                    else:
                        computer.perform(said)
                        computer.settle()
            except StepFailed as failed:
                ending = Ending("limit", str(failed))
        return Trajectory(episode.task, (), ending)

    def filed(self, record: Record) -> Record:
        """As it is."""
        return record
