"""The built-in planner that runs learned procedures without a model and verifies every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from gui_agent.core.clarification import resolutions
from gui_agent.core.protocols import PlannerCapabilities, Situation
from gui_agent.core.trajectory import Decision, Demonstration, GiveUp, Task, Turn
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Program, address
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recognition.choose import FittingProgram, NoProgram, NotYet, Undecided, choose
from gui_agent.procedures.runtime.history import (
    OWN,
    bookmark_of,
    cursor_after,
    cursor_after_takeover,
    last_of_own,
)
from gui_agent.procedures.runtime.machine import Bookmark, Cursor, rest_in_words
from gui_agent.procedures.runtime.recovery import next_try
from gui_agent.procedures.runtime.run import BETTER_SUPPORTED, Ask, Run, decision, end


class DemonstrationPlanner(PlannerCapabilities):
    """Recognizes the procedure that an instruction asks for and runs it step by step.

    It never guesses: an instruction without a matching procedure, a slot without a value, a missing or
    ambiguous target, and a step without its effect end in `GiveUp` with the reason.
    """

    name = OWN
    can_resume = True

    def __init__(
        self,
        known: Sequence[Demonstration | Program],
        *,
        values: Mapping[str, str] | None = None,
        ask: Ask | None = None,
    ) -> None:
        """
        Args:
            known: programs, and demonstrations to learn from; those of one task are learned together.
            values: slot values by name; they take precedence over those of the instruction.
            ask: asks the user which of several procedures to use.
        """
        demonstrations = [one for one in known if isinstance(one, Demonstration)]
        self.programs: tuple[Program, ...] = (
            *(one for one in known if isinstance(one, Program)),
            *(learn(demonstrations) if demonstrations else ()),
        )
        self._values = dict(values or {})
        self._ask = ask

    def decide(self, situation: Situation) -> Decision:
        """The next actions, or the end when the procedure is done or cannot continue."""
        try:
            run = self._resume(situation) or self._begin(situation)
        except NotYet as error:
            return _look_around(situation, str(error))
        except NoProgram as error:
            return end(GiveUp(str(error), "NotUnderstood"))
        return run.decide()

    def remaining(self, situation: Situation) -> tuple[str, ...]:
        """The remaining steps of a run that began with this task, in words."""
        try:
            run = self._resume(situation) or self._begin(situation)
        except NoProgram:
            return ()
        return rest_in_words(run.program, run.bookmark.cursors[0], run.scope)

    def resume(self, situation: Situation) -> Decision | None:
        """Continue after another planner's steps; None as long as the next step is unclear.

        Possibly completed steps are not repeated, see `takeover.cursor_after_takeover`.
        """
        last = last_of_own(situation.turns)
        steps = [step for turn in situation.turns[last + 1 :] for step in turn.steps]
        if last < 0 or not steps:
            return None
        # The hand-over screen is the first one that the other planner saw.
        handed_over = situation.turns[last + 1].observation
        before = replace(situation, turns=situation.turns[: last + 1])
        run = self._resume(before)
        if run is None:
            return None
        now = replace(run.scope, view=View(situation.observation))
        after = cursor_after_takeover(run.bookmark.cursors[0], run.code, now, handed_over, steps)
        if after is None:
            return None
        repaired = {**run.bookmark.repaired, **after.repaired}
        bookmark = replace(run.bookmark, cursors=(after.cursor,), repaired=repaired, rivals={})
        going_on = Run(self.programs, bookmark, situation, None).decide()
        return None if isinstance(going_on.end, GiveUp) else going_on

    def cannot_do(self, task: Task) -> str:
        """Why the task is impossible whatever the screen shows; empty if only the screen can tell."""
        try:
            choose(replace(task, values={**self._values, **task.values}), self.programs)
        except Undecided:
            return ""
        except NoProgram as error:
            return str(error)
        return ""

    def _begin(self, situation: Situation) -> Run:
        task = replace(situation.task, values={**self._values, **situation.task.values})
        try:
            chosen = choose(task, self.programs, View(situation.observation))
        except NotYet:
            raise
        except Undecided as error:
            return self._begun_together(error, situation)
        return self._starting(chosen, situation)

    def _starting(self, chosen: FittingProgram, situation: Situation) -> Run:
        name = address(self.programs.index(chosen.program))
        return Run(self.programs, Bookmark(name, chosen.values, (Cursor(),)), situation, None, self._ask)

    def _begun_together(self, undecided: Undecided, situation: Situation) -> Run:
        """Programs that match equally well and begin alike: run the first one as long as the others agree."""
        runs = [self._starting(candidate, situation) for candidate in undecided.equals]
        possible = [(run, first) for run in runs if (first := run.first()) is not None]
        possible.sort(key=lambda pair: (-_familiarity(pair[0]), -pair[0].program.demonstrations))
        if not possible:
            raise undecided
        leader = possible[0][0]
        possible = [(run, first) for run, first in possible if _familiarity(run) == _familiarity(leader)]
        others = [run for run, first in possible[1:] if first.action != possible[0][1].action]
        support = sum(run.program.demonstrations for run in others)
        if others and self._ask is None and leader.program.demonstrations < BETTER_SUPPORTED * support:
            raise undecided
        rivals = {run.bookmark.program: run.bookmark.values for run, _ in possible[1:]}
        return Run(self.programs, replace(leader.bookmark, rivals=rivals), situation, None, self._ask)

    def _resume(self, situation: Situation) -> Run | None:
        last_own = last_of_own(situation.turns)
        turn = situation.turns[last_own] if last_own >= 0 else None
        bookmark = bookmark_of(turn) if turn is not None else None
        if turn is None or bookmark is None or not bookmark.program:
            return None
        last = turn.steps[-1] if turn.steps else None
        failed = last is not None and last.outcome.kind == "failed"
        cursor = cursor_after(turn, bookmark)
        if failed and cursor.hunt is None:
            cursor = replace(cursor, attempts=cursor.attempts + 1)
        run = Run(self.programs, replace(bookmark, cursors=(cursor,)), situation, last, self._ask)
        since = situation.turns[last_own + 1 :]
        return run.without_current_step(since[0].observation) if _is_settled(since) else run


def _is_settled(since: Sequence[Turn]) -> bool:
    """Whether the person has settled the step at which the procedure gave up."""
    kinds = {one.kind for one in resolutions(since)}
    steps = chain.from_iterable(turn.steps for turn in since)
    went_well = any(step.outcome.good for step in steps)
    return bool(kinds & {"skip", "did", "shown"}) or ("command" in kinds and went_well)


def _familiarity(run: Run) -> int:
    """Number of its values that match demonstrated ones: field Note prefers a demonstration of Note."""
    return sum(run.bookmark.values.get(one.name) in one.examples for one in run.program.parameters)


def _look_around(situation: Situation, reason: str) -> Decision:
    """Wait for, and scroll to, the element that would decide how to begin."""
    last = last_of_own(situation.turns)
    before = bookmark_of(situation.turns[last]) if last >= 0 else None
    hunt = before.cursors[-1].hunt if before is not None else None
    move = next_try(hunt, situation.observation, situation.last if hunt else None, "how to begin")
    if move is None:
        return end(GiveUp(reason, "NotUnderstood"))
    planned, hunt = move
    return decision(Bookmark("", cursors=(Cursor(hunt=hunt),) * 2), [planned], reason)
