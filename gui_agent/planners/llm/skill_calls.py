"""Planners around the model planner: skills that it calls by name, and a split of the task into subgoals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.core.codec import encode
from gui_agent.core.dialogue import Asked, GuardedTool, Model, Request, Tool
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.observation import Strict
from gui_agent.core.protocols import Exemplar, Planner, Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Trajectory, Turn, bookmark, unwrap
from gui_agent.planners.llm.rendering import fence, own, render, screen_text
from gui_agent.planners.llm.replies import memo

Begin = Callable[[Mapping[str, Any]], tuple[str, Planner]]
"""Validates the values of a call; returns the instruction in words and the planner for it.

Raises:
    ConfigError: a value is unknown, missing or of the wrong type.
"""


@dataclass(frozen=True, slots=True)
class CallableSkill:
    """A skill that a model may call: its description, how it starts, and when it is offered."""

    tool: Tool
    begin: Begin
    fits: Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class SkillCall(Strict):
    """The record in a skill's decisions: which skill, the turn of the call, its planner's bookmark."""

    skill: str
    called: int
    inner: str = ""


class SkillPlanner:
    """Lets a skill control the screen when the model calls it, until the skill has ended."""

    name = "model"

    def __init__(self, worker: Planner, skills: Sequence[CallableSkill]) -> None:
        self._worker = worker
        self._skills = {skill.tool.name: skill for skill in skills}

    def decide(self, situation: Situation) -> Decision:
        """The next step of the running skill, otherwise the model's decision.

        Raises like the model's planner.
        """
        run = self._under_way(situation.turns)
        if run is None:
            return self._worker.decide(situation)
        skill = self._skills[run.skill]
        text, planner = skill.begin(_arguments(situation.turns[run.called], run.skill))
        own = tuple(unwrap(turn, SkillCall) for turn in situation.turns[run.called + 1 :])
        task = replace(situation.task, text=text, criteria=(), wanted="", values={})
        decision = planner.decide(replace(situation, task=task, turns=own))
        if decision.planned or decision.end is None:
            written = encode(replace(run, inner=decision.bookmark)).decode()
            return replace(decision, end=None, bookmark=written)
        told = f"The skill {run.skill} has been carried out; see whether it did what you wanted."
        if isinstance(decision.end, GiveUp):
            told = f"The skill {run.skill} could not continue: {decision.end.reason}. Do the rest yourself."
        return self._worker.decide(replace(situation, advice=(*situation.advice, told)))

    def _under_way(self, turns: Sequence[Turn]) -> SkillCall | None:
        if not turns:
            return None
        run = bookmark(SkillCall, turns[-1])
        if run is not None:
            return run if run.skill in self._skills else None
        called = _called_skill(turns[-1], self._skills)
        return SkillCall(called, len(turns) - 1) if called else None


def tools(skills: Sequence[CallableSkill]) -> list[GuardedTool]:
    """The tools offered to the model; a skill's steps pass the guard one by one, so the call need not."""

    def tool_of(skill: CallableSkill) -> GuardedTool:
        def run(arguments: Mapping[str, Any]) -> str:
            try:
                skill.begin(arguments)
            except ConfigError as error:
                raise ValueError(str(error)) from error
            return "The skill starts; the results of its steps follow."

        return GuardedTool(skill.tool, run, fits=skill.fits)

    return [tool_of(skill) for skill in skills]


def _called_skill(turn: Turn, skills: Mapping[str, CallableSkill]) -> str:
    kept = memo(turn)
    if kept is None:
        return ""
    pairs = zip(kept.reply.calls, turn.decision.called, strict=False)
    return next((call.name for call, use in pairs if call.name in skills and not use.failed), "")


def _arguments(turn: Turn, skill: str) -> Mapping[str, Any]:
    kept = memo(turn)
    return next(call.arguments for call in (kept.reply.calls if kept else ()) if call.name == skill)


MOST = 8
_LEAD = re.compile(r"^\s*(?:\d+[.)]|[-*])?\s*")
_NAME = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Agenda(Strict):
    """The record in this planner's decisions: subgoals, the current one, its first turn, and the worker's own
    bookmark."""

    subgoals: tuple[str, ...]
    current: int = 0
    since: int = 0
    inner: str = ""


class SubgoalPlanner:
    """Asks a manager for subgoals, and shows the worker one of them and only its own turns.

    After each subgoal, also one that the worker gave up, the manager plans the rest anew from the screen: an
    earlier plan was a guess.

    Notes are passed from one subgoal to the next, and `{name}` in a subgoal stands for the note of that
    name. The answer of the last subgoal is the answer of the task.
    """

    name = "subgoals"

    def __init__(self, model: Model, worker: Planner) -> None:
        self._model = model
        self._worker = worker
        self._recalled: dict[str, tuple[Exemplar, ...]] = {}

    def decide(self, situation: Situation) -> Decision:
        """The worker's decision on the current subgoal; after the worker's end, on the next one.

        Raises like the worker.
        """
        agendas = (bookmark(Agenda, turn) for turn in reversed(situation.turns))
        agenda, calls = next(filter(None, agendas), None), 0
        if agenda is None:
            agenda, calls = Agenda(self._cut(situation), since=len(situation.turns)), 1
        carried: dict[str, str] = {}
        while True:
            decision = self._worker.decide(self._situation_of_subgoal(situation, agenda, carried))
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
            # A condition true after one part need not be true at the end.
            criteria=decision.criteria if last else (),
            bookmark=encode(kept).decode(),
            planner=self.name,
            calls=calls,
        )

    def _situation_of_subgoal(
        self, situation: Situation, agenda: Agenda, carried: Mapping[str, str]
    ) -> Situation:
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
        """The manager's subgoals; if it gives none, the remaining ones, and at first the task itself."""
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
