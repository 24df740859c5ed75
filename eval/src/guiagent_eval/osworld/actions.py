"""OSWorld's action spaces as typed actions, and its trajectories repeated without running any of their text.

Calls of pyautogui are read by the dialect that models use; computer_13 is converted to such calls first.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from gui_agent.core import deadline
from gui_agent.core.actions import Action, Wait
from gui_agent.core.errors import BadReply, BenchmarkError, StepFailed
from gui_agent.core.observation import Point, Size
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.models.dialects import PointerContext
from gui_agent.models.dialects.pyautogui import read as read_calls
from gui_agent.models.pictures import Space
from guiagent_eval.benchmark import Case
from guiagent_eval.episodes import Solver
from guiagent_eval.osworld.benchmark import OsWorldEpisode

SPECIAL = ("WAIT", "DONE", "FAIL")
WAITING = 2.0
"""Seconds of a WAIT."""
CALLS = {
    **{"MOVE_TO": "moveTo", "CLICK": "click", "RIGHT_CLICK": "rightClick", "DOUBLE_CLICK": "doubleClick"},
    **{"DRAG_TO": "dragTo", "TYPING": "write", "PRESS": "press", "HOTKEY": "hotkey"},
    **{"KEY_DOWN": "keyDown", "KEY_UP": "keyUp", "MOUSE_DOWN": "mouseDown", "MOUSE_UP": "mouseUp"},
}
"""Actions of computer_13 and the equivalent calls."""
RENAMED = {"num_clicks": "clicks", "text": "message"}
SpaceAction = Action | Wait | str
"""An action, a wait, DONE or FAIL."""


class ActionReader:
    """Reads an agent's output, step after step; keeps the place of the pointer."""

    def __init__(self, size: Size) -> None:
        self._space = Space(size, size.width, size.height)
        self._cursor: Point | None = None

    def read(self, said: Any) -> list[SpaceAction]:
        """The actions of one step: a text of pyautogui calls, an action of computer_13, or a special word.

        Raises:
            BadReply: a part is unknown; no action of the step may be done.
        """
        if isinstance(said, Mapping):
            kind = str(said.get("action_type", ""))
            code = said.get("command") if not kind else kind if kind in SPECIAL else _as_calls(kind, said)
        else:
            code = said
        if not isinstance(code, str):
            raise BadReply(f"{said!r:.80} is no action; use pyautogui calls, computer_13 or WAIT, DONE, FAIL")
        word = code.strip().strip("`").strip()
        if word in SPECIAL:
            return [Wait(WAITING)] if word == "WAIT" else [word]
        read = read_calls(f"```python\n{code}\n```", PointerContext(self._space, self._cursor))
        # Places were given as pixels, so no proposal contains words.
        actions = cast("list[SpaceAction]", list(read.proposals))
        for action in actions:
            at = getattr(action, "to", None) or getattr(action, "at", None)
            self._cursor = at if isinstance(at, Point) else self._cursor
        return actions


def _as_calls(kind: str, said: Mapping[str, Any]) -> str:
    """An action of computer_13 as a call of pyautogui, its values as literals."""
    given = said.get("parameters", {key: one for key, one in said.items() if key != "action_type"})
    if not isinstance(given, Mapping) or not all(str(key).isidentifier() for key in given):
        raise BadReply(f"{kind} was given no parameters that can be read")
    if kind == "SCROLL":
        ways = (("vscroll", given.get("dy")), ("hscroll", given.get("dx")))
        return "\n".join(f"pyautogui.{name}({amount!r})" for name, amount in ways if amount)
    if kind not in CALLS:
        raise BadReply(f"{kind!r:.40} is no action of computer_13")
    keys = given.get("keys")
    if kind == "HOTKEY":
        return f"pyautogui.hotkey({keys!r})"
    names = {"key": "keys"} if kind == "PRESS" else RENAMED
    return f"pyautogui.{CALLS[kind]}({', '.join(f'{names.get(k, k)}={one!r}' for k, one in given.items())})"


class RecordedSolver(Solver):
    """Repeats a trajectory in OSWorld's layout, `FOLDER/<task>/traj.jsonl`."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def solve(self, episode: Any, case: Case) -> Trajectory:
        """Carry out the recorded actions; impossible steps are skipped, as OSWorld's runner skips them.

        Raises:
            BenchmarkError: there is no trajectory of this task.
        """
        assert isinstance(episode, OsWorldEpisode)
        path = self._folder / case.task / "traj.jsonl"
        try:
            lines = [parse_json(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        except (OSError, ValueError) as error:
            raise BenchmarkError(f"{path} cannot be read: {error}") from error
        computer = episode.computer
        reader = ActionReader(computer.observe(picture=False).size)
        ending = Ending("limit", "the trajectory ends without DONE or FAIL")
        for line in lines:
            try:
                for said in reader.read(line.get("action")):
                    if isinstance(said, str):
                        ending = Ending("done" if said == "DONE" else "not_done", f"it says {said}")
                    elif isinstance(said, Wait):
                        deadline.sleep(said.seconds)
                    else:
                        computer.perform(said)
                        computer.settle()
            except StepFailed as failed:
                ending = Ending("limit", str(failed))
        return Trajectory(episode.task, (), ending)
