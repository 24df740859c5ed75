"""The planner for long tasks: a manager splits the task into subgoals, a worker does one at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gui_agent.core.codec import encode
from gui_agent.core.dialogue import Asked, Model, Request
from gui_agent.core.errors import BadReply
from gui_agent.core.geometry import Strict
from gui_agent.core.planner_state import bookmark, unwrap
from gui_agent.core.protocols import Exemplar, Planner, Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Trajectory, Turn
from gui_agent.planners.llm.prompts import fence, own, render
from gui_agent.planners.llm.rendering import screen_text

MOST = 8
"""Subgoals of a task at most."""
_LEAD = re.compile(r"^\s*(?:\d+[.)]|[-*])?\s*")
_NAME = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Agenda(Strict):
    """What this planner writes into its decisions: subgoals, the one under way, its first turn, and the
    worker's own bookmark."""

    subgoals: tuple[str, ...]
    current: int = 0
    since: int = 0
    inner: str = ""


class SubgoalPlanner:
    """Asks a manager for subgoals, and lets the worker see one of them and only its own turns.

    After each subgoal the manager plans the rest anew from the screen, and also when the worker gave one up:
    what was planned before the way was seen is a guess.

    Notes are carried from one subgoal to the next, and `{name}` in a subgoal stands for the note of that
    name. The answer of the last subgoal is that of the task.
    """

    name = "subgoals"

    def __init__(self, model: Model, worker: Planner) -> None:
        self._model = model
        self._worker = worker
        self._recalled: dict[str, tuple[Exemplar, ...]] = {}

    def decide(self, situation: Situation) -> Decision:
        """The worker's decision on the subgoal under way; the next one begins when it says that it is done.

        Raises like the worker.
        """
        agenda, calls = _agenda(situation.turns), 0
        if agenda is None:
            agenda, calls = Agenda(self._cut(situation), since=len(situation.turns)), 1
        carried: dict[str, str] = {}
        while True:
            decision = self._worker.decide(self._part(situation, agenda, carried))
            calls += decision.calls
            failed = decision.end.reason if isinstance(decision.end, GiveUp) else ""
            over = isinstance(decision.end, Finish) and not decision.planned
            last = agenda.current + 1 >= len(agenda.subgoals)
            if not (over or failed) or (over and last) or agenda.current + 1 >= MOST:
                break
            carried.update(decision.notes)
            rest, calls = self._cut(situation, agenda, failed), calls + 1
            done = agenda.subgoals[: agenda.current + 1]
            if not rest:  # nothing is left to do, or no other way is known
                agenda = replace(agenda, subgoals=done)
                break
            agenda = Agenda((*done, *rest), agenda.current + 1, len(situation.turns))
        last = agenda.current + 1 >= len(agenda.subgoals)
        kept = replace(agenda, inner=decision.bookmark)
        return replace(
            decision,
            end=decision.end if last or not isinstance(decision.end, Finish) else None,
            notes={**carried, **decision.notes},
            # What is true when a part is done need not be when the whole is.
            criteria=decision.criteria if last else (),
            bookmark=encode(kept).decode(),
            planner=self.name,
            calls=calls,
        )

    def _part(self, situation: Situation, agenda: Agenda, carried: Mapping[str, str]) -> Situation:
        """The situation as the worker sees it: the subgoal as task, only the turns that were taken on it."""
        notes = {**Trajectory(situation.task, situation.turns).notes, **carried}
        goal = _NAME.sub(lambda match: notes.get(match[1], match[0]), agenda.subgoals[agenda.current])
        part = f"Part {agenda.current + 1} of {len(agenda.subgoals)} of the task: {situation.task.text}"
        text = f"{goal}\n({part})"
        last = agenda.current + 1 >= len(agenda.subgoals)
        values = {**situation.task.values, **notes}
        wanted = situation.task.wanted if last else ""
        task = replace(situation.task, text=text, criteria=(), values=values, wanted=wanted)
        turns = tuple(unwrap(turn, Agenda) for turn in situation.turns[agenda.since :])
        if situation.recall is not None and goal not in self._recalled:
            self._recalled[goal] = situation.recall(goal)
        exemplars = self._recalled.get(goal, situation.exemplars)
        return replace(situation, task=task, turns=turns, exemplars=exemplars)

    def _cut(self, situation: Situation, before: Agenda | None = None, failed: str = "") -> tuple[str, ...]:
        """The manager's subgoals; when it says nothing, those that were left, at first the task itself."""
        done = before.subgoals[: before.current + (not failed)] if before else ()
        left = before.subgoals[before.current + 1 :] if before else (situation.task.text,)
        now = situation.observation
        seen = fence(screen_text(now, situation.task.text), "screen")
        current = before.subgoals[before.current] if before and failed else ""
        text = render(
            "manage",
            task=situation.task,
            screen=seen,
            most=MOST - len(done),
            done=[own(one) for one in done],
            left=[own(one) for one in left] if before else [],
            failed=f"{own(current)} ({own(failed)})" if failed else "",
        )
        parts = (text, now.screenshot) if now.screenshot else (text,)
        try:
            said = self._model.complete(Request("plan", (Asked(parts),), max_tokens=800)).text
        except BadReply:
            said = ""
        lines = [_LEAD.sub("", line).strip() for line in said.splitlines()]
        return tuple(line for line in lines if line)[: MOST - len(done)] or left


def _agenda(turns: tuple[Turn, ...]) -> Agenda | None:
    return next((found for turn in reversed(turns) if (found := bookmark(Agenda, turn)) is not None), None)
