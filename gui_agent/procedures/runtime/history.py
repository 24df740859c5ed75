"""What a run of a program has done so far, and where another program that would have done the same stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.planner_state import bookmark
from gui_agent.core.trajectory import Step, Trajectory, Turn
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import Program, program_named
from gui_agent.procedures.language.steps import DoStep, Steer
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.machine import Bookmark, Code, Cursor, advance, flat, pass_step
from gui_agent.procedures.runtime.planning import planned_at

OWN = "demonstration"
"""The name under which decisions of the planner stand in the turns of a run."""


def bookmark_of(turn: Turn) -> Bookmark | None:
    """The bookmark of one of the planner's own turns, None for others."""
    return bookmark(Bookmark, turn) if turn.decision.planner == OWN else None


def last_program(turns: Sequence[Turn]) -> str:
    """The address of the program that was followed last; empty when none was begun."""
    marks = (bookmark_of(turn) for turn in reversed(turns))
    return next((mark.program for mark in marks if mark is not None and mark.program), "")


def last_of_own(turns: Sequence[Turn]) -> int:
    """The index of the planner's last turn, -1 when it has none."""
    return next((i for i in range(len(turns) - 1, -1, -1) if turns[i].decision.planner == OWN), -1)


def carried_out(turn: Turn, programs: Sequence[Program]) -> Iterator[tuple[Step, bool]]:
    """The steps of one of the planner's turns, and whether each is a step of the program, not of a search."""
    mark = bookmark_of(turn)
    code = flat(program_named(programs, mark.program).steps) if mark and mark.program else ()
    for place, step in enumerate(turn.steps):
        known = mark is not None and place < len(mark.cursors)
        yield step, bool(known and mark and _is_step(step, mark.cursors[place], code))


def _is_step(step: Step, cursor: Cursor, code: Code) -> bool:
    own = code[cursor.at].step if cursor.at < len(code) else None
    ways = (own,) if isinstance(own, DoStep) else (*own.up, *own.down) if isinstance(own, Steer) else ()
    return any(step.planned.why == step_in_words(way) for way in ways)


def caught_up(
    program: Program,
    values: Mapping[str, str],
    instruction: str,
    turns: Sequence[Turn],
    programs: Sequence[Program],
) -> Cursor | None:
    """Where a program stands that would have done all that was done so far; None when it would not have.

    Args:
        turns: the run so far; what another planner did in it no program would have done.
        programs: those that the bookmarks of the turns speak of.
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
    """The run without what was tried just before another planner, or another way, was given the lead.

    A search that found its target stays: the way to it belongs to what was done.
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
    """Whether all that a turn did was to look for a target."""
    mark = bookmark_of(turn)
    return mark is not None and all(cursor.hunt is not None for cursor in mark.cursors)
