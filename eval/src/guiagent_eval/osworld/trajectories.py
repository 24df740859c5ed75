"""Trajectories in OSWorld's form (`traj.jsonl` with screenshots and pyautogui calls) as demonstrations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gui_agent.core.actions import Recorded
from gui_agent.core.aiming import aim, places
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.observation import Box, Fingerprint, Point, Screenshot, Size
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Screen
from gui_agent.elements.image_regions import crop_hash
from gui_agent.models.dialects import PointerContext
from gui_agent.models.dialects.pyautogui import read as read_calls
from gui_agent.models.pictures import Space
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Failed,
    Imported,
    Unsupported,
)

USUAL = Size(1920, 1080)
"""The screen of the benchmark's machines, if no picture shows another size."""
_AROUND = 24
"""Pixels on each side of a point whose picture is kept to find it again."""


class OsworldTrajectories:
    """The importer."""

    suffixes = (".jsonl",)

    def read_file(self, text: str, task: str, path: Path, source: str) -> Imported:
        """A trajectory as a demonstration; its points are kept with their picture, as they have no names.

        Args:
            task: the task; by default the instruction in the trajectory.
            path: the file; screenshots and `result.txt` are beside it.
            source: name of the file, for messages and for the origin.

        Raises:
            Failed: `result.txt` says that the task was not done.
            ConfigError: a line is not JSON, or the trajectory has no action.
        """
        lines = _lines(text, source)
        _refuse_failed(path.with_name("result.txt"), source)
        said = task or next((str(one["instruction"]) for one in lines if one.get("instruction")), "")
        draft = DemonstrationDraft(said)
        before: Screenshot | None = None
        for number, line in enumerate(lines, start=1):
            _read(draft, number, line, before)
            before = _picture(path, line) or before
        if not draft.steps:
            raise ConfigError(f"{source}: the recording contains no action")
        draft.remark(
            1, "pyautogui", "places have no names and are known by their picture only", dropped=False
        )
        return draft.as_imported(source, platform="desktop")


def _lines(text: str, source: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            data = parse_json(line) if line.strip() else None
        except ValueError as error:
            raise ConfigError(f"{source} line {number}: not JSON") from error
        if isinstance(data, Mapping):
            found.append(data)
    return found


def _refuse_failed(file: Path, source: str) -> None:
    try:
        reward = float(file.read_text(encoding="utf-8")[:100])
    except (OSError, ValueError):
        return
    if reward < 1:
        raise Failed(f"{source}: its result is {reward:g}, not 1: only successful trajectories are used")


def _read(draft: DemonstrationDraft, number: int, line: Mapping[str, Any], before: Screenshot | None) -> None:
    action = line.get("action")
    code = action.get("command") or action.get("code") if isinstance(action, Mapping) else action
    if not isinstance(code, str):
        draft.remark(number, json.dumps(action)[:200], "an action that is no pyautogui call")
        return
    if code.strip() in ("WAIT", "DONE", "__init__"):
        return
    if code.strip() == "FAIL":
        draft.remark(number, code, "the task was given up")
        return
    size = before.size if before is not None else USUAL
    try:
        calls = f"```python\n{code}\n```"
        done = read_calls(calls, PointerContext(Space(size, size.width, size.height))).proposals
        for proposal in done:
            draft.act(_recorded_action(proposal, size, before), Screen(size))
    except (BadReply, Unsupported) as error:
        draft.remark(number, code, str(error))
        return
    if not done:
        draft.remark(number, code, f"{NEEDLESS}: it does nothing to the screen")


def _recorded_action(proposal: Any, size: Size, picture: Screenshot | None) -> Recorded:
    marks = {
        name: _place(point, size, picture)
        for name, point in places(proposal).items()
        if isinstance(point, Point)
    }
    return aim(proposal, marks)


def _place(point: Point, size: Size, picture: Screenshot | None) -> Fingerprint:
    left, top = max(0, point.x - _AROUND), max(0, point.y - _AROUND)
    box = Box(left, top, min(2 * _AROUND, size.width - left), min(2 * _AROUND, size.height - top))
    return Fingerprint("", "", box=box, screen=size, crop=crop_hash(picture, box) if picture else "")


def _picture(path: Path, line: Mapping[str, Any]) -> Screenshot | None:
    name = line.get("screenshot_file")
    if not isinstance(name, str) or not name or Path(name).name != name:
        return None  # Only files beside the trajectory are read.
    from guiagent_eval.practice.offline import picture_at

    try:
        return picture_at(path.with_name(name))
    except (OSError, ValueError):
        return None
