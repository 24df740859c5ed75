"""Makes one decision in the run of a program: the next action, a recovery, or the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, cast

from gui_agent.agent.guard.ledger import IRREVERSIBLE
from gui_agent.agent.guard.meaning import classify
from gui_agent.core.actions import Check, Choose, TypeText, Upload, Wait
from gui_agent.core.aiming import aim, places
from gui_agent.core.clarification import AskPerson, Clarification
from gui_agent.core.codec import encode
from gui_agent.core.errors import Ambiguous, GuiAgentError, NotFound
from gui_agent.core.observation import Element, Mark, Observation, Point
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Finish, Found, GiveUp, Planned, Step
from gui_agent.elements.scroll_search import WAITS
from gui_agent.procedures.language.evaluate import Scope, select, the_one, value_of
from gui_agent.procedures.language.program import (
    Count,
    DoStep,
    ForEach,
    Program,
    ReadText,
    Remember,
    Selector,
    When,
    address,
    nodes,
    numbers_of,
    program_named,
)
from gui_agent.procedures.language.program import Step as Instructed
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.history import OWN, caught_up
from gui_agent.procedures.runtime.machine import (
    Bookmark,
    Code,
    Cursor,
    advance,
    flat,
    pass_step,
    scope_at,
    step_at,
    survey,
)
from gui_agent.procedures.runtime.recovery import leafs_for, next_try, scrolls_for
from gui_agent.procedures.runtime.verification import contradictions, enough, planned_at

Ask = AskPerson
BATCH = 25
FAILURES = 3
"""Number of retries of an action that could not be carried out."""
BETTER_SUPPORTED = 2
"""Of two procedures that fit equally, the one with this many times more demonstrations wins."""
PATIENCE = 2
"""Number of further looks before a missing effect counts as a failure."""
LOOK_AGAIN = "look again"
EDITS = (TypeText, Choose, Check, Upload)
"""Actions that change a field and leave the rest of the screen unchanged."""


class Run:
    """The state of a program's run at a decision: its cursor, the screen, and the last step."""

    def __init__(
        self,
        programs: Sequence[Program],
        bookmark: Bookmark,
        situation: Situation,
        last: Step | None,
        ask: Ask | None = None,
    ) -> None:
        self.programs = programs
        self.program = program_named(programs, bookmark.program)
        self.bookmark = bookmark
        self.situation = situation
        self.last = last
        self.ask = ask
        self.code: Code = flat(self.program.steps)
        self.scope = Scope(View(situation.observation), bookmark.values, situation.task.text)

    def without_current_step(self, given_up: Observation) -> Run:
        """The run after the person has settled the step that it could not do, or whose effect it missed.

        Args:
            given_up: the screen on which the procedure gave up.
        """
        then = Run(self.programs, self.bookmark, replace(self.situation, observation=given_up), self.last)
        cursor = self.bookmark.cursors[0]
        settled = replace(cursor, awaiting=-1, attempts=0, hunt=None)
        if not then._effect_missing(cursor):
            settled = replace(pass_step(settled, self.code, 0), awaiting=-1)
        return Run(self.programs, replace(self.bookmark, cursors=(settled,)), self.situation, None, self.ask)

    def decide(self) -> Decision:
        cursor = survey(self.bookmark.cursors[0], self.code, self.scope)
        failed = self.last if self.last is not None and self.last.outcome.kind == "failed" else None
        if failed is not None and (failed.error == "Forbidden" or cursor.attempts > FAILURES):
            return end(GiveUp(failed.outcome.summary))
        wrong = self._contradiction(cursor)
        missing = wrong or self._effect_missing(cursor)
        if missing and cursor.attempts < PATIENCE:
            return self._clear_away(cursor) or self._look_again(cursor)
        if wrong or (missing and self._has_waited_enough(cursor)):
            return end(GiveUp(missing))
        cursor = self._with_emptied(cursor)
        interrupted = None if missing else self._answer_interruption(cursor)
        return interrupted or self._go_on(cursor, missing)

    def _go_on(self, cursor: Cursor, missing: str) -> Decision:
        """The next actions; an end if there are none, or if an effect of the last one is missing."""
        try:
            planned, cursors = self._batch(cursor)
        except (NotFound, Ambiguous) as error:
            return self._recover(cursor, error, missing)
        if not planned:
            return end(GiveUp(missing)) if missing else self._finish(cursors[-1])
        return self._common_batch(planned, cursors)

    def first(self) -> Planned | None:
        """The first action that can be planned on this screen; None if there is none."""
        try:
            planned, _ = self._batch(self.bookmark.cursors[0], most=1)
        except (NotFound, Ambiguous):
            return None
        return planned[0] if planned else None

    def begins_with(self, one: Planned) -> bool:
        """Whether its first action is the same, apart from its post-conditions."""
        first = self.first()
        return first is not None and first.action == one.action

    def _common_batch(self, planned: list[Planned], cursors: list[Cursor]) -> Decision:
        """The batch; a single action while rivals do the same, none once they differ."""
        possible = chain.from_iterable(self._instead(*rival) for rival in self.bookmark.rivals.items())
        rivals = [run for run in possible if run.first() is not None]
        others = [run for run in rivals if not run.begins_with(planned[0])]
        if rivals and not others:
            kept = {run.bookmark.program: run.bookmark.values for run in rivals}
            return self._decision(planned[:1], cursors[:2], rivals=kept)
        against = sum(run.program.demonstrations for run in others)
        supported = self.program.demonstrations >= BETTER_SUPPORTED * against
        if others and self.ask is not None and not (supported and self._is_settled(others)):
            return self._decide_by_person([self, *others])
        if supported:
            return self._decision(planned, cursors, rivals={})
        return end(GiveUp(f"several procedures fit equally well and differ in this step: {planned[0].why}"))

    def _is_settled(self, others: Sequence[Run]) -> bool:
        """Whether the user chose this one before, or no run is about to do something irreversible."""
        return self.program.preferred or not any(run.is_grave() for run in (self, *others))

    def is_grave(self) -> bool:
        """Whether the next action is irreversible; the user is asked if procedures differ in it."""
        first = self.first()
        if first is None:
            return False
        found: dict[str, Found] = {}
        points: dict[str, Point] = {}
        for name, at in places(first.action).items():
            element = self.scope.view.by_id(at.mark) if isinstance(at, Mark) else None
            if element is not None:
                found[name] = Found(element.box.center, element)
                points[name] = element.box.center
            elif isinstance(at, Point):
                points[name] = at
        try:
            aimed: Any = aim(cast(Any, first.action), points)
            read = classify(aimed, found, self.situation.observation)
        except GuiAgentError:
            return True  # an action that cannot be judged counts as irreversible
        return any(one.meaning in IRREVERSIBLE for one in read)

    def _decide_by_person(self, runs: Sequence[Run]) -> Decision:
        ways: dict[str, Run] = {}
        for run in runs:
            first = run.first()
            if first is not None:
                ways.setdefault(first.why.rstrip("."), run)
        listed = "; ".join(
            f"{number}: {why} (shown {times_in_words(run.program.demonstrations)})"
            for number, (why, run) in enumerate(ways.items(), start=1)
        )
        question = Clarification(f"This was done in different ways. Which is meant? {listed}")
        answer = self.ask(question) if self.ask is not None else None
        number = int(answer) if answer and answer.strip().isdecimal() else 0
        if not 0 < number <= len(ways):
            return end(GiveUp(f"several procedures fit equally well, and you chose none of {listed}"))
        chosen = list(ways.values())[number - 1].bookmark
        mark = replace(chosen, rivals={}, answered=chosen.program)
        return Run(self.programs, mark, self.situation, None).decide()

    def _instead(self, name: str, values: Mapping[str, str]) -> Iterator[Run]:
        """Another program at the point it would have reached; none if it would have acted differently."""
        program = program_named(self.programs, name)
        cursor = caught_up(program, values, self.situation.task.text, self.situation.turns, self.programs)
        if cursor is not None:
            bookmark = Bookmark(name, values, (replace(cursor, awaiting=-1),))
            yield Run(self.programs, bookmark, self.situation, None)

    def _has_waited_enough(self, cursor: Cursor) -> bool:
        step = step_at(self.code, cursor.awaiting)
        return isinstance(step, DoStep) and step.evidence > 1

    def _contradiction(self, cursor: Cursor) -> str:
        """The last field's value if it contradicts the expectation, which no further look can change;
        otherwise empty."""
        steps = list(chain.from_iterable(turn.steps for turn in self.situation.turns))
        last = next((step for step in reversed(steps) if step.planned.why != LOOK_AGAIN), None)
        if self.last is None or cursor.hunt is not None or last is None or last.outcome.kind != "unexpected":
            return ""
        wrong = contradictions(last.planned.expect, self.situation.observation)
        return f"after \u201c{last.planned.why}\u201d expected that {wrong[0]}" if wrong else ""

    def _effect_missing(self, cursor: Cursor) -> str:
        if cursor.hunt is not None:
            return ""
        screen = self.situation.observation
        step = step_at(self.code, cursor.awaiting)
        if not isinstance(step, DoStep):
            return ""
        here = scope_at(replace(cursor, at=cursor.awaiting), self.code, self.scope)
        fine, missing = enough(step, here, screen)
        return "" if fine else f"after \u201c{step_in_words(step)}\u201d expected that {missing}"

    def _batch(self, cursor: Cursor, most: int = BATCH) -> tuple[list[Planned], list[Cursor]]:
        """Actions that can be planned on this screen, and the cursor before, between and after them."""
        planned: list[Planned] = []
        cursors: list[Cursor] = []
        hunt = cursor.hunt
        while len(planned) < most:
            if planned and self._needs_new_look(cursor):
                break
            try:
                cursor, step = advance(cursor, self.code, self.scope)
                if step is None:
                    break
                # A search for this step's target continues, wherever in the program it began.
                searched = cursor if planned else replace(cursor, hunt=hunt)
                one, element = planned_at(step, searched, self.code, self.scope, self.bookmark.repaired)
            except (NotFound, Ambiguous):
                if not planned:
                    raise
                break
            planned.append(one)
            cursors.append(cursor)
            cursor = pass_step(cursor, self.code, element)
            if not _leaves_screen_alone(step):
                break
        return planned, [*cursors, cursor]

    def _needs_new_look(self, cursor: Cursor) -> bool:
        step = step_at(self.code, cursor.at)
        if isinstance(step, DoStep):
            return any(isinstance(node, ReadText | Count) for node in nodes(step.text))
        return not isinstance(step, ForEach | None)

    def _recover(self, cursor: Cursor, error: NotFound | Ambiguous, missing: str) -> Decision:
        cleared = self._clear_away(cursor) if cursor.hunt is None else None
        if cleared is not None:
            return cleared
        reason = missing or str(error)
        sought = self._missing_selector(cursor)
        move = next_try(
            cursor.hunt,
            self.situation.observation,
            self.last,
            "not here yet",
            scrolls=isinstance(error, NotFound) and scrolls_for(sought),
            leafs=isinstance(error, NotFound) and leafs_for(sought) and not self._has_edited(cursor),
        )
        if move is not None:
            planned, hunt = move
            again = replace(cursor, hunt=hunt)
            return self._decision([planned], [again, again])
        other = self._other_way()
        if other is not None:
            return other
        looked = cursor.hunt.pages if cursor.hunt is not None else 1
        return end(GiveUp(f"{reason} ({looked} pages were looked at)" if looked > 1 else reason))

    def _missing_selector(self, cursor: Cursor) -> Selector | None:
        try:
            cursor, step = advance(cursor, self.code, self.scope)
        except NotFound:
            stuck = step_at(self.code, cursor.at)
            read = next((n for n in nodes(stuck) if isinstance(n, ReadText)), None)
            return read.of if isinstance(stuck, Remember) and read is not None else None
        return step.at.choices[0] if step is not None and step.at is not None else None

    def _has_edited(self, cursor: Cursor) -> bool:
        step = step_at(self.code, cursor.awaiting)
        return isinstance(step, DoStep) and isinstance(step.action, EDITS)

    def _look_again(self, cursor: Cursor) -> Decision:
        again = replace(cursor, attempts=cursor.attempts + 1)
        return self._decision([Planned(Wait(WAITS[cursor.attempts]), why=LOOK_AGAIN)], [again, again])

    def _clear_away(self, cursor: Cursor) -> Decision | None:
        """The demonstrated response to something that appears only sometimes, whenever it appears."""
        if cursor.attempts >= PATIENCE:
            return None
        for instruction in self.code:
            step = instruction.step
            if not isinstance(step, When) or not isinstance(step.body[0], DoStep):
                continue
            if len(step.body) > 1 and isinstance(step.body[0].action, EDITS):
                continue  # filling in a form does not clear anything away; it belongs to its place
            here = scope_at(cursor, self.code, self.scope)
            if select(step.shown, here):
                planned, _ = planned_at(step.body[0], cursor, self.code, self.scope)
                again = replace(cursor, attempts=cursor.attempts + 1)
                return self._decision([replace(planned, expect=())], [again, again])
        return None

    def _with_emptied(self, cursor: Cursor) -> Cursor:
        """Return to the first of the fields just filled in that an interruption emptied."""
        if self.last is None or cursor.hunt is not None or not self._was_answer(self.last.planned.why):
            return cursor
        answers = list(chain.from_iterable(one.step.body for one in self.code if isinstance(one.step, When)))
        first = cursor.at
        for place in range(cursor.at - 1, -1, -1):
            step = self.code[place].step
            if step is None or isinstance(step, When) or step in answers:
                continue
            field = self._filled_in(step, replace(cursor, at=place))
            if field is None:
                break
            if not field.value:
                first = place
        return cursor if first == cursor.at else replace(cursor, at=first, awaiting=-1)

    def _filled_in(self, step: Instructed, cursor: Cursor) -> Element | None:
        """The field that a step filled in; None if it did something else, or the field is missing."""
        if not isinstance(step, DoStep) or not isinstance(step.action, TypeText) or step.at is None:
            return None
        return the_one(step.at.choices[0], scope_at(cursor, self.code, self.scope))

    def _was_answer(self, why: str) -> bool:
        bodies = [one.step.body[0] for one in self.code if isinstance(one.step, When)]
        return any(isinstance(first, DoStep) and step_in_words(first) == why for first in bodies)

    def _answer_interruption(self, cursor: Cursor) -> Decision | None:
        is_due = not isinstance(step_at(self.code, cursor.at), When) and cursor.at > 0 and cursor.hunt is None
        return self._clear_away(cursor) if is_due else None

    def _other_way(self) -> Decision | None:
        """The next action of a rival or runner-up that has done the same so far and can continue here."""
        number, way = numbers_of(self.bookmark.program)
        runners_up = range(way + 1, len(self.programs[number].ways))
        names = {address(number, other): self.bookmark.values for other in runners_up}
        for name, values in {**self.bookmark.rivals, **names}.items():
            for other in self._instead(name, values):
                if other.first() is not None:
                    return other.decide()
        return None

    def _decision(
        self,
        planned: Sequence[Planned],
        cursors: Sequence[Cursor],
        rivals: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Decision:
        left = self.bookmark.rivals if rivals is None else rivals
        bookmark = replace(self.bookmark, cursors=tuple(cursors), rivals=left)
        return decision(bookmark, planned, f"{self.program.name}: {planned[0].why}")

    def _finish(self, cursor: Cursor) -> Decision:
        answer = ""
        if self.program.answer is not None:
            here = scope_at(cursor, self.code, self.scope)
            answer = value_of(self.program.answer, here) or ""
            if not answer:
                return end(GiveUp("the procedure has finished, but its answer cannot be read"))
        return end(Finish(answer))


def times_in_words(times: int) -> str:
    """How often something was shown, in words."""
    return "once" if times == 1 else f"{times} times"


def _leaves_screen_alone(step: DoStep) -> bool:
    own = all(e.what in ("value", "state", "no state") for e in step.expect)
    return isinstance(step.action, EDITS) and own


def decision(bookmark: Bookmark, planned: Sequence[Planned], thought: str) -> Decision:
    return Decision(thought=thought, planned=tuple(planned), bookmark=encode(bookmark).decode(), planner=OWN)


def end(how: Finish | GiveUp) -> Decision:
    return Decision(end=how, planner=OWN)
