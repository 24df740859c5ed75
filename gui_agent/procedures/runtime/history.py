"""The progress of a program's run, and how it continues, also after another planner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gui_agent.agent.run_effects import aimed_at
from gui_agent.core.actions import Check, Click, TypeText
from gui_agent.core.aiming import sole
from gui_agent.core.conditions import TextGone
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Fingerprint, Observation
from gui_agent.core.trajectory import GiveUp, Step, Trajectory, Turn, bookmark
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.program import DoStep, Program, Steer, data_of, program_named
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.machine import (
    Bookmark,
    Code,
    Cursor,
    advance,
    flat,
    pass_step,
    scope_at,
    step_at,
)
from gui_agent.procedures.runtime.verification import enough, holding, planned_at, soft
from gui_agent.scene.fingerprints import fingerprint

OWN = "demonstration"
"""The planner's name in the decisions of a run's turns."""


def bookmark_of(turn: Turn) -> Bookmark | None:
    """The bookmark of one of the planner's own turns; None for other turns."""
    return bookmark(Bookmark, turn) if turn.decision.planner == OWN else None


def last_program(turns: Sequence[Turn]) -> str:
    """The reference of the program that was followed last; empty if none was begun."""
    marks = (bookmark_of(turn) for turn in reversed(turns))
    return next((mark.program for mark in marks if mark is not None and mark.program), "")


def last_of_own(turns: Sequence[Turn]) -> int:
    """The index of the planner's last turn before it gave up; -1 if it has none."""
    own = (i for i in range(len(turns) - 1, -1, -1) if turns[i].decision.planner == OWN)
    return next((i for i in own if not isinstance(turns[i].decision.end, GiveUp)), -1)


def carried_out(turn: Turn, programs: Sequence[Program]) -> Iterator[tuple[Step, bool]]:
    """The steps of one of the planner's turns, and whether each belongs to the program, not to a search."""
    mark = bookmark_of(turn)
    code = flat(program_named(programs, mark.program).steps) if mark and mark.program else ()
    place = 0
    for step in turn.steps:
        own = step.planned in turn.decision.planned
        known = mark is not None and own and place < len(mark.cursors)
        yield step, bool(known and mark and _is_step(step, mark.cursors[place], code))
        place += own


def cursor_after(turn: Turn, mark: Bookmark) -> Cursor:
    """The program's cursor after one of the planner's turns; a failed step is still to be done."""
    own = turn.own_steps
    failed = bool(own) and own[-1] is turn.steps[-1] and own[-1].outcome.kind == "failed"
    return mark.cursors[min(len(own) - failed, len(mark.cursors) - 1)]


def _is_step(step: Step, cursor: Cursor, code: Code) -> bool:
    own = step_at(code, cursor.at)
    ways = (own,) if isinstance(own, DoStep) else (*own.up, *own.down) if isinstance(own, Steer) else ()
    return any(step.planned.why == step_in_words(way) for way in ways)


def caught_up(
    program: Program,
    values: Mapping[str, str],
    instruction: str,
    turns: Sequence[Turn],
    programs: Sequence[Program],
) -> Cursor | None:
    """The cursor of a program that would have performed all steps so far; None if it would not.

    Args:
        turns: the run so far; a program never matches the steps of another planner.
        programs: the programs that the turns' bookmarks refer to.
    """
    code, cursor = flat(program.steps), Cursor()
    for turn in turns:
        if turn.decision.planner != OWN:
            if turn.steps:
                return None
            continue
        for step, is_step in carried_out(turn, programs):
            if not is_step or not step.outcome.good:
                continue
            scope = Scope(View(step.before), values, instruction)
            try:
                cursor, do = advance(cursor, code, scope)
                if do is None:
                    return None
                planned, element = planned_at(do, cursor, code, scope)
            except (NotFound, Ambiguous):
                return None
            if planned.action != step.planned.action:
                return None
            cursor = pass_step(cursor, code, element)
    return cursor


def without_vain_searches(trajectory: Trajectory) -> Trajectory:
    """The run without failed searches just before another planner, or another way, took over.

    A successful search stays, because it led to the target.
    """
    kept: list[Turn] = []
    for turn in trajectory.turns:
        if _leads_over(kept[-1] if kept else None, turn):
            while kept and _only_searched(kept[-1]):
                kept.pop()
        kept.append(turn)
    return replace(trajectory, turns=tuple(kept))


def _leads_over(before: Turn | None, turn: Turn) -> bool:
    """Whether a turn is the first of another planner, or of another program."""
    if before is None or not turn.steps:
        return False
    one, two = bookmark_of(before), bookmark_of(turn)
    return one is not None and (two is None or two.program != one.program)


def _only_searched(turn: Turn) -> bool:
    mark = bookmark_of(turn)
    return mark is not None and all(cursor.hunt is not None for cursor in mark.cursors)


_MOST = 50
"""Maximum steps of a program that another planner may have done."""


@dataclass(frozen=True)
class TakenUp:
    """Where a program continues, and the elements used in place of targets that it did not find."""

    cursor: Cursor
    repaired: dict[int, Fingerprint]


def cursor_after_takeover(
    cursor: Cursor, code: Code, scope: Scope, handed_over: Observation, steps: Sequence[Step]
) -> TakenUp | None:
    """Where a program continues after the steps of another planner; None while that is unclear.

    A step counts as done if its effect is on the screen, if the same text or option was entered, or if a
    click was followed by the appearance of the next step's target. No possibly completed step is repeated.

    Args:
        cursor: where the program could not continue.
        scope: on the current screen.
        handed_over: the screen on which the program gave up.
        steps: the steps carried out since.
    """
    start = replace(cursor, attempts=0, hunt=None)
    then, left = scope.with_view(View(handed_over)), [step for step in steps if step.outcome.good]
    repaired: dict[int, Fingerprint] = {}
    moved = _has_effect_come(start, code, scope, handed_over)
    for _ in range(_MOST):
        try:
            start, do = advance(start, code, scope)
        except NotFound:
            return None
        if do is None:
            return TakenUp(start, repaired) if moved else None
        doer = _done_by(do, start, code, scope, then, left)
        if doer is None:
            can_go_on = _possible(do, start, code, scope) and (moved or not _possible(do, start, code, then))
            return TakenUp(replace(start, awaiting=-1), repaired) if can_go_on else None
        if alone := sole(doer):
            repaired |= _repair(start.at, alone)
        left = [step for step in left if step not in doer]
        start, moved = replace(pass_step(start, code, 0), awaiting=-1), True
    return None


def _repair(at: int, done: Step) -> dict[int, Fingerprint]:
    """The target of a step, as a replacement at an instruction's index; empty if it had none."""
    element = aimed_at(done)
    return {at: fingerprint(element, done.before)} if element is not None else {}


def _has_effect_come(cursor: Cursor, code: Code, scope: Scope, handed_over: Observation) -> bool:
    """Whether the effect that the last step lacked is there now."""
    step = step_at(code, cursor.awaiting)
    if not isinstance(step, DoStep):
        return False
    here = scope_at(replace(cursor, at=cursor.awaiting), code, scope)
    return enough(step, here, scope.view.observation)[0] and not enough(step, here, handed_over)[0]


def _done_by(
    do: DoStep, cursor: Cursor, code: Code, scope: Scope, then: Scope, steps: Sequence[Step]
) -> list[Step] | None:
    """The steps of the other planner that replace a step of the program; None if it is not done."""
    here = scope_at(cursor, code, scope)
    alike = [step for step in steps if isinstance(step.action, type(do.action))]
    if do.text is not None or isinstance(do.action, TypeText | Check):
        return [s for s in alike if _enters_alike(s.action, do, here)][:1] or None
    onward = pass_step(cursor, code, 0)
    for since in (*(scope.with_view(View(step.after)) for step in steps), scope):
        if _came_true(do, here, since, then):
            return alike[:1] or list(steps)
        if alike and isinstance(do.action, Click) and _next_appeared(onward, code, since, then):
            return alike[:1]
    return None


def _enters_alike(action: object, do: DoStep, here: Scope) -> bool:
    """Whether an action enters the text of a step, and does not check a box that the step unchecks."""
    text = value_of(do.text, here) if do.text is not None else data_of(do.action)
    unlike = isinstance(action, Check) and isinstance(do.action, Check) and action.on != do.action.on
    return data_of(action) == text and not unlike


def _came_true(do: DoStep, here: Scope, now: Scope, before: Scope) -> bool:
    telling = [one for one in soft(do, here) if not isinstance(one, TextGone)]
    held = holding(telling, now.view.observation)
    return sum(held) * 2 > len(held) and not any(holding(telling, before.view.observation))


def _next_appeared(cursor: Cursor, code: Code, scope: Scope, then: Scope) -> bool:
    try:
        cursor, do = advance(cursor, code, scope)
    except NotFound:
        return False
    if do is None or do.at is None:
        return False
    return _possible(do, cursor, code, scope) and not _possible(do, cursor, code, then)


def _possible(do: DoStep, cursor: Cursor, code: Code, scope: Scope) -> bool:
    try:
        planned_at(do, cursor, code, scope)
    except (NotFound, Ambiguous):
        return False
    return True
