"""A planner put before recorded screens: is what it would do there what was done? Nothing is touched.

Where it differs, the recorded act is patched in, so many times, and it goes on from there: a figure between
that of single steps, which forgives everything, and that of whole runs, which forgives nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.actions import AnyAction, Wait, places
from gui_agent.core.errors import BadReply, StepFailed
from gui_agent.core.observation import Box, Mark, Point, Target
from gui_agent.core.protocols import Grounder, Situation
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Decision, Finish, Step, Turn
from guiagent_eval.practice.kept import KeptRun
from guiagent_eval.practice.turns import Conversation, conversation
from guiagent_eval.statistics import Interval, wilson

VALUES = ("text", "option", "on", "keys", "url", "down", "right", "clicks", "button")
"""What an act holds besides its places."""
Decides = Callable[[Situation], Decision]


@dataclass(frozen=True, slots=True)
class Offline:
    """How a planner did on one recorded run."""

    run: str
    hits: tuple[bool, ...]
    """Of each step, as far as it came."""
    steps: int
    """Of the recorded run, its end included."""
    reached: int
    """Steps before the first miss that was not patched."""

    @property
    def success(self) -> bool:
        """Whether all steps were right, without any patch."""
        return len(self.hits) == self.steps and all(self.hits)


@dataclass(frozen=True, slots=True)
class Figures:
    """Over all runs."""

    runs: int
    steps: Interval
    """Share of the steps that were right, of those that were reached."""
    progress: float
    """Mean share of a run until the first miss that was not patched."""
    tasks: Interval


def compare_run(
    kept: KeptRun, decide: Decides, *, patches: int = 0, grounder: Grounder | None = None
) -> Offline:
    """Put a planner before each screen of a run.

    Args:
        patches: misses of a run after which the recorded act is taken and it goes on.
    """
    told, find = conversation(kept), grounder or ScreenGrounder()
    turns = [single for taken in (told.taken if told else ()) for single in _single(taken.turn)]
    hits: list[bool] = []
    reached = 0
    for place, turn in enumerate(turns):
        situation = Situation(
            kept.trajectory.task, turn.observation, tuple(turns[:place]), platform=_of(told)
        )
        try:
            hit = is_same(decide(situation), turn, find)
        except BadReply:
            hit = False
        hits.append(hit)
        if not hit and hits.count(False) > patches:
            break
        reached += 1
    return Offline(kept.name, tuple(hits), len(turns), reached)


def figures(runs: Iterable[Offline]) -> Figures:
    """What a list of runs comes to."""
    all_runs = list(runs)
    hits = [hit for run in all_runs for hit in run.hits]
    shares = [run.reached / run.steps for run in all_runs if run.steps]
    return Figures(
        len(all_runs),
        wilson(sum(hits), len(hits)),
        sum(shares) / len(shares) if shares else 0.0,
        wilson(sum(run.success for run in all_runs), len(all_runs)),
    )


def is_same(decision: Decision, turn: Turn, grounder: Grounder) -> bool:
    """Whether a decision begins as a recorded turn does: the same act on the same thing, or the same end."""
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
    return all(
        name in aimed and _same_place(aimed[name], step, name, said.kind, grounder) for name in places(done)
    )


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
    """A turn of several steps as one turn for each, before the screen that it was done on."""
    if len(turn.steps) < 2:
        yield turn
        return
    for step in turn.steps:
        decision = Decision(turn.decision.thought, (step.planned,), planner=turn.decision.planner)
        yield Turn(decision, step.before, (step,))


def _of(told: Conversation | None) -> str:
    return told.platform if told else ""


def table(found: Figures) -> Sequence[tuple[str, Interval | float]]:
    """The figures by the names that a person is told."""
    return [
        ("step success %", found.steps),
        ("progress until the first miss %", found.progress),
        ("task success %", found.tasks),
    ]
