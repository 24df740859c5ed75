"""The embedded planner that runs learned procedures: no model, every step verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gui_agent.core.actions import (
    Check,
    Choose,
    Press,
    Proposal,
    TypeText,
    Upload,
    aim,
    places,
)
from gui_agent.core.codec import decode, encode
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import Ambiguous, ConfigError, NotFound
from gui_agent.core.protocols import Situation
from gui_agent.core.targets import Fingerprint, Mark, Target
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Planned, Step, Turn
from gui_agent.demos.checks import contradicted, enough, hard, soft
from gui_agent.demos.choose import NoProgram, NotYet, choose
from gui_agent.demos.code import Bookmark, Cursor, flat
from gui_agent.demos.data import with_data
from gui_agent.demos.evaluate import Scope, select, value_of
from gui_agent.demos.induce.learn import learn
from gui_agent.demos.language import Count, Do, Read, When
from gui_agent.demos.locate import locate
from gui_agent.demos.machine import Code, advance, passed, scope_at
from gui_agent.demos.program import Program
from gui_agent.demos.recovery import next_try
from gui_agent.demos.view import View
from gui_agent.demos.walk import nodes, slots_used
from gui_agent.demos.wording import rest_in_words, step_in_words

BATCH = 25
"""Most actions in one decision."""
FAILURES = 3
"""How often an action that could not be carried out is tried again."""
PATIENCE = 2
"""How often to look again before the missing effect of a step counts."""
EDITS = (TypeText, Choose, Check, Upload)
"""Actions that change a field and leave the rest of the screen as it is."""


class DemonstrationPlanner:
    """Recognises the procedure that an instruction asks for and runs it step by step.

    It never guesses: an instruction that fits no procedure, a slot without a value, a target that is not
    there or not told apart, and a step without its effect end in `GiveUp` with the reason.
    """

    name = "demonstration"

    def __init__(
        self,
        known: Sequence[Demonstration | Program],
        *,
        values: Mapping[str, str] | None = None,
    ) -> None:
        """
        Args:
            known: programs, and demonstrations to learn from; those of one task are learned together.
            values: slot values by name; they go before what the instruction says.
        """
        demonstrations = [one for one in known if isinstance(one, Demonstration)]
        self.programs: tuple[Program, ...] = (
            *(one for one in known if isinstance(one, Program)),
            *(learn(demonstrations) if demonstrations else ()),
        )
        self._values = dict(values or {})

    def decide(self, situation: Situation) -> Decision:
        """Say which actions come next, or that the procedure is done, or why it cannot go on."""
        try:
            run = self._resumed(situation) or self._begun(situation)
        except NotYet as error:
            return _look_around(situation, str(error))
        except NoProgram as error:
            return _end(GiveUp(str(error)))
        return run.decide()

    def remaining(self, situation: Situation) -> tuple[str, ...]:
        """The steps that a run which began on this task has still to do, in words."""
        try:
            run = self._resumed(situation) or self._begun(situation)
        except NoProgram:
            return ()
        return rest_in_words(run.program, run.bookmark.cursors[0], run.scope)

    def _begun(self, situation: Situation) -> _Run:
        task = replace(situation.task, values={**self._values, **situation.task.values})
        chosen = choose(task, self.programs, View(situation.observation))
        index = self.programs.index(chosen.program)
        return _Run(chosen.program, Bookmark(str(index), chosen.values, (Cursor(),)), situation, None)

    def _resumed(self, situation: Situation) -> _Run | None:
        turn = _own_turn(situation.turns)
        if turn is None:
            return None
        try:
            bookmark: Bookmark = decode(Bookmark, turn.decision.bookmark)
        except ConfigError:
            return None
        done = len(turn.steps)
        last = turn.steps[-1] if turn.steps else None
        failed = last is not None and last.outcome.kind == "failed"
        cursor = bookmark.cursors[min(done - failed, len(bookmark.cursors) - 1)]
        if failed:
            cursor = replace(cursor, attempts=cursor.attempts + 1)
        program = self.programs[int(bookmark.program)]
        return _Run(program, replace(bookmark, cursors=(cursor,)), situation, last)


def _look_around(situation: Situation, reason: str) -> Decision:
    """Wait for, and scroll to, what would tell how to begin."""
    looked = sum(1 for turn in situation.turns if turn.decision.planner == "demonstration")
    attempt = next_try(looked, situation.observation)
    if attempt is None:
        return _end(GiveUp(reason))
    return Decision(thought=reason, planned=(attempt,), planner="demonstration")


def _own_turn(turns: Sequence[Turn]) -> Turn | None:
    return next((turn for turn in reversed(turns) if turn.decision.planner == "demonstration"), None)


class _Run:
    """One decision in the run of a program."""

    def __init__(self, program: Program, bookmark: Bookmark, situation: Situation, last: Step | None) -> None:
        self.program = program
        self.bookmark = bookmark
        self.situation = situation
        self.last = last
        self.code: Code = flat(program.steps)
        self.scope = Scope(View(situation.observation), bookmark.values, situation.task.text)

    def decide(self) -> Decision:
        cursor = self.bookmark.cursors[0]
        failed = self.last is not None and self.last.outcome.kind == "failed"
        if failed and self.last and (self.last.error == "Forbidden" or cursor.attempts > FAILURES):
            return _end(GiveUp(self.last.outcome.summary))
        missing = self._effect_missing(cursor)
        if missing and cursor.attempts < PATIENCE:
            return self._recover(cursor, missing)
        if missing and self._sure(cursor):
            return _end(GiveUp(missing))
        try:
            planned, cursors = self._batch(cursor)
        except (NotFound, Ambiguous) as error:
            return self._recover(cursor, missing or str(error))
        if planned:
            return self._decision(planned, cursors)
        return _end(GiveUp(missing)) if missing else self._finish(cursors[-1])

    def _sure(self, cursor: Cursor) -> bool:
        """Whether the missing effect of the last action was seen often enough to stop without it."""
        step = self.code[cursor.awaiting].step if cursor.awaiting >= 0 else None
        return isinstance(step, Do) and step.evidence > 1

    def _effect_missing(self, cursor: Cursor) -> str:
        """What the last action should have brought about and did not; empty when all is well."""
        screen = self.situation.observation
        if self.last is not None and self.last.outcome.kind == "unexpected":
            wrong = contradicted(self.last.planned.expect, screen)
            if wrong:
                return f"after \u201c{self.last.planned.why}\u201d expected that {wrong[0]}"
        step = self.code[cursor.awaiting].step if cursor.awaiting >= 0 else None
        if not isinstance(step, Do):
            return ""
        here = scope_at(replace(cursor, at=cursor.awaiting), self.code, self.scope)
        fine, missing = enough(step, here, screen)
        return "" if fine else f"after \u201c{step_in_words(step)}\u201d expected that {missing}"

    def _batch(self, cursor: Cursor) -> tuple[list[Planned], list[Cursor]]:
        """Actions that can be planned on this screen, and the cursor before, between and after them."""
        planned: list[Planned] = []
        cursors: list[Cursor] = []
        while len(planned) < BATCH:
            if planned and self._needs_new_look(cursor):
                break
            try:
                cursor, step = advance(cursor, self.code, self.scope)
                if step is None:
                    break
                one, element = self._planned(step, cursor)
            except (NotFound, Ambiguous):
                if not planned:
                    raise
                break
            planned.append(one)
            cursors.append(cursor)
            cursor = passed(cursor, self.code, element)
            if not _leaves_screen_alone(step):
                break
        return planned, [*cursors, cursor]

    def _needs_new_look(self, cursor: Cursor) -> bool:
        """Whether what comes next reads the screen, which the actions planned so far will have changed."""
        if cursor.at >= len(self.code):
            return False
        instruction = self.code[cursor.at]
        if instruction.op in ("do", "for_each", "back"):
            return isinstance(instruction.step, Do) and any(
                isinstance(node, Read | Count) for node in nodes(instruction.step.text)
            )
        return True

    def _planned(self, step: Do, cursor: Cursor) -> tuple[Planned, int]:
        here = scope_at(cursor, self.code, self.scope)
        marks: dict[str, Target] = {}
        element = 0
        for name, aimed in (("at", step.at), ("to", step.to)):
            like = places(step.action).get(name)
            if aimed is not None:
                found = locate(aimed, like if isinstance(like, Fingerprint) else None, here)
                marks[name] = Mark(found.id)
                element = element or found.id
            elif isinstance(like, Fingerprint):
                marks[name] = self._bare_point(like)
        action = self._filled(step, here)
        proposal: Proposal = aim(action, marks) if marks else action  # type: ignore[arg-type,assignment]
        expect = hard(step, here, element)
        if step.evidence > 1:
            expect += soft(step, here)
        return Planned(proposal, expect, step_in_words(step)), element

    def _bare_point(self, like: Fingerprint) -> Target:
        size = self.situation.observation.size
        if like.box is None or like.screen != size:
            raise NotFound("the recorded place has no element and the screen has another size")
        return like.box.center

    def _filled(self, step: Do, here: Scope) -> object:
        action: object = step.action
        if step.text is not None:
            text = value_of(step.text, here)
            if text is None:
                missing = ", ".join(sorted(slots_used(step.text))) or "the text"
                raise NotFound(f"cannot work out {missing} for \u201c{step_in_words(step)}\u201d")
            action = with_data(action, text)
        if step.times is not None and isinstance(action, Press):
            number = value_of(step.times, here) or ""
            if not number.isdigit():
                raise NotFound(f"cannot work out how often to press {'+'.join(action.keys)}")
            action = replace(action, times=int(number))
        return action

    def _recover(self, cursor: Cursor, reason: str) -> Decision:
        """Clear away what is in the way, look again, scroll on; when nothing is left, say what is missing."""
        cleared = self._interrupt(cursor)
        if cleared is not None:
            return cleared
        screen = self.situation.observation
        attempt = next_try(cursor.attempts, screen, only_wait=cursor.attempts < PATIENCE)
        if attempt is None:
            return _end(GiveUp(reason))
        again = replace(cursor, attempts=cursor.attempts + 1)
        return self._decision([attempt], [again, again])

    def _interrupt(self, cursor: Cursor) -> Decision | None:
        """The demonstrated answer to something that comes up only sometimes, wherever it comes up."""
        if cursor.attempts >= PATIENCE:
            return None
        for instruction in self.code:
            step = instruction.step
            if not isinstance(step, When) or not isinstance(step.body[0], Do):
                continue
            here = scope_at(cursor, self.code, self.scope)
            if select(step.shown, here):
                planned, _ = self._planned(step.body[0], cursor)
                again = replace(cursor, attempts=cursor.attempts + 1)
                return self._decision([replace(planned, expect=())], [again, again])
        return None

    def _decision(self, planned: Sequence[Planned], cursors: Sequence[Cursor]) -> Decision:
        bookmark = replace(self.bookmark, cursors=tuple(cursors))
        return Decision(
            thought=f"{self.program.name}: {planned[0].why}",
            planned=tuple(planned),
            bookmark=encode(bookmark).decode(),
            planner="demonstration",
        )

    def _finish(self, cursor: Cursor) -> Decision:
        answer = ""
        if self.program.answer is not None:
            here = scope_at(cursor, self.code, self.scope)
            answer = value_of(self.program.answer, here) or ""
            if not answer:
                return _end(GiveUp("the procedure was carried out, but its answer cannot be read"))
        return _end(Finish(answer))


def _leaves_screen_alone(step: Do) -> bool:
    own = all(e.what in ("value", "state", "no state") for e in step.expect)
    return isinstance(step.action, EDITS) and own


def _end(end: Finish | GiveUp) -> Decision:
    return Decision(end=end, planner="demonstration")
