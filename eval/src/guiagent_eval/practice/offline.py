"""Compares a planner's decisions at recorded screens with the recorded actions, without a screen.

At a miss the recorded action is patched in, up to a limit, and the comparison continues: a figure between
that of single steps, which forgives everything, and that of whole runs, which forgives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.actions import AnyAction, Wait
from gui_agent.core.aiming import places
from gui_agent.core.dialogue import Model
from gui_agent.core.errors import BadReply, ConfigError, StepFailed
from gui_agent.core.observation import Box, Mark, Observation, Point, Screenshot, Size, Target, Words
from gui_agent.core.parsing import parse_json
from gui_agent.core.protocols import Grounder, Situation
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Decision, Finish, Step, Turn
from guiagent_eval.practice.judging import ask_once
from guiagent_eval.practice.kept import KeptRun
from guiagent_eval.practice.turns import conversation
from guiagent_eval.statistics import wilson

VALUES = ("text", "option", "on", "keys", "url", "down", "right", "clicks", "button")
"""The values of an action besides its targets."""
Decides = Callable[[Situation], Decision]
Rows = dict[str, Any]
"""The number of items, and figures by name: an `Interval`, or a mean."""


@dataclass(frozen=True, slots=True)
class Offline:
    """A planner's result on one recorded run."""

    run: str
    hits: tuple[bool, ...]
    """The hits of the steps, as far as the comparison came."""
    steps: int
    """The number of steps of the recorded run, its end included."""
    reached: int
    """The number of steps before the first miss that was not patched."""

    @property
    def success(self) -> bool:
        """Whether all steps were right, without any patch."""
        return len(self.hits) == self.steps and all(self.hits)


def compare_run(
    kept: KeptRun, decide: Decides, *, patches: int = 0, grounder: Grounder | None = None
) -> Offline:
    """Ask a planner at each screen of a run.

    Args:
        patches: misses of a run after which the recorded action is used and the comparison continues.
    """
    told, find = conversation(kept), grounder or ScreenGrounder()
    turns = [single for taken in (told.taken if told else ()) for single in _single(taken.turn)]
    platform, reached = told.platform if told else "", 0
    hits: list[bool] = []
    for place, turn in enumerate(turns):
        situation = Situation(kept.trajectory.task, turn.observation, (*turns[:place],), platform=platform)
        try:
            hit = is_same(decide(situation), turn, find)
        except BadReply:
            hit = False
        hits.append(hit)
        if not hit and hits.count(False) > patches:
            break
        reached += 1
    return Offline(kept.name, tuple(hits), len(turns), reached)


def figures(runs: Iterable[Offline]) -> Rows:
    """The figures of a list of runs; `progress` is the mean share before a miss that was not patched."""
    all_runs = list(runs)
    hits = [hit for run in all_runs for hit in run.hits]
    shares = [run.reached / run.steps for run in all_runs if run.steps]
    return {
        "runs": len(all_runs),
        "steps": wilson(sum(hits), len(hits)),
        "progress": sum(shares) / len(shares) if shares else 0.0,
        "tasks": wilson(sum(run.success for run in all_runs), len(all_runs)),
    }


def is_same(decision: Decision, turn: Turn, grounder: Grounder) -> bool:
    """Whether a decision begins like a recorded turn: the same action and element, or the same end."""
    if not turn.steps:
        one, other = decision.end, turn.decision.end
        answers = [normal(end.answer) for end in (one, other) if isinstance(end, Finish)]
        return not decision.planned and type(one) is type(other) and len(set(answers)) <= 1
    return bool(decision.planned) and _same_act(decision.planned[0].action, turn.steps[0], grounder)


def _same_act(said: AnyAction[Target] | Wait, step: Step, grounder: Grounder) -> bool:
    done = step.planned.action
    if said.kind != done.kind or any(getattr(said, n, None) != getattr(done, n, None) for n in VALUES):
        return False
    aimed = places(said)
    return all(at in aimed and _same_place(aimed[at], step, at, said.kind, grounder) for at in places(done))


def _same_place(target: Target, step: Step, name: str, verb: str, grounder: Grounder) -> bool:
    found = step.found.get(name)
    if found is None:
        return bool(target == getattr(step.planned.action, name))
    if isinstance(target, Point):
        box = found.box or (found.element.box if found.element else None)
        return target == found.point if box is None else _is_inside(target, box)
    if isinstance(target, Mark):
        return found.element is not None and found.element.id == target.mark
    try:
        meant = grounder.locate(target, step.before, verb=verb).element
    except StepFailed:
        return False
    return meant is not None and found.element is not None and meant.id == found.element.id


def _is_inside(point: Point, box: Box) -> bool:
    return box.left < point.x < box.right and box.top < point.y < box.bottom


def _single(turn: Turn) -> Iterator[Turn]:
    """A turn of several steps as one turn for each, at the screen of the step."""
    if len(turn.steps) < 2:
        yield turn
        return
    for step in turn.steps:
        decision = Decision(turn.decision.thought, (step.planned,), planner=turn.decision.planner)
        yield Turn(decision, step.before, (step,))


Row = Mapping[str, Any]
BETWEEN = "Two screens, before and after an act. Which was it? End with `Answer: LETTER`, one of these:"


def step_shares(folder: Path, is_right: Callable[[Path, Row], bool]) -> Rows:
    """The number of AgentStudio's recorded steps, and the share that is right, in total and by platform.

    Args:
        folder: of its `*.jsonl`; their pictures are in `images`.

    Raises:
        ConfigError: there are none, or they have another form.
    """
    hits: dict[str, list[bool]] = {"all": []}
    try:
        for line in [line for path in sorted(folder.glob("*.jsonl")) for line in path.open(encoding="utf-8")]:
            row = parse_json(line)
            right = is_right(folder / "images", row)
            hits["all"].append(right)
            hits.setdefault(str(row["platform"]), []).append(right)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{folder}: a file is not AgentStudio's: {error!r}") from error
    if not hits["all"]:
        raise ConfigError(f"{folder} holds no *.jsonl of AgentStudio")
    return {"steps": len(hits["all"]), **{name: wilson(sum(one), len(one)) for name, one in hits.items()}}


def picture_at(path: Path) -> Screenshot:
    """A recorded picture of a screen; raises OSError."""
    from PIL import Image

    with Image.open(path) as opened:
        kind: Any = opened.get_format_mimetype()
        return Screenshot(path.read_bytes(), Size(*opened.size), kind)


def is_aimed(grounder: Grounder, images: Path, row: Row) -> bool:
    """GroundUI: whether the point found for an instruction lies strictly inside the recorded box."""
    shot, (left, top, right, bottom) = picture_at(images / row["image"]), row["bbox"]
    try:
        at = grounder.locate(Words(row["instruction"]), Observation(shot.size, (), screenshot=shot)).point
    except StepFailed:
        return False
    return _is_inside(at, Box.from_edges(left, top, right, bottom))


def is_named(model: Model, images: Path, row: Row) -> bool:
    """IDM: whether a model names the action that led from one screen to the next."""
    letters = dict(zip(ascii_uppercase, row["action_space"], strict=False))
    listed = "\n".join(f"{letter}: {act}" for letter, act in letters.items())
    shots = [picture_at(images / row[name]) for name in ("obs_before", "obs_after")]
    said = ask_once(model, f"{BETWEEN}\n{listed}\nGoal: {row['instruction']}", *shots, purpose="plan").text
    found = re.findall(r"(?i:answer)\W*([A-Z])\b", said)
    return bool(found) and letters.get(found[-1]) == row["operation"]
