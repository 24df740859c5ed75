"""A planner around the model planner: skills that it calls by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gui_agent.core.codec import encode
from gui_agent.core.dialogue import GuardedTool, Tool
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Strict
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.trajectory import Decision, GiveUp, Turn, bookmark, unwrap
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
    fits: Callable[[str, str], bool] = lambda task, platform: True


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
