"""A repaired step put into the procedure in place of the one that could not be carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from gui_agent.core.demonstration import Demonstration
from gui_agent.core.trajectory import Step, Trajectory, Turn
from gui_agent.procedures.induction.effects import effects
from gui_agent.procedures.induction.steps import Told, Unexplained, explain
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import Program, addressed, numbered
from gui_agent.procedures.language.steps import (
    DoStep,
    Every,
    ForEach,
    Guided,
    Remember,
    Steer,
    Survey,
    Until,
    When,
)
from gui_agent.procedures.language.steps import Step as Instruction
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recordings.from_run import recorded
from gui_agent.procedures.runtime.code import Bookmark
from gui_agent.procedures.runtime.history import bookmark_of, last_program


def spliced(trajectory: Trajectory, programs: Sequence[Program]) -> Program | None:
    """The program of a run with what another planner did in place of what it took over.

    Args:
        programs: in the order in which the planner knew them.

    Returns:
        None when there was no hand-over, or what was done cannot be said in terms of the task.
    """
    program: Program | None = None
    # From the last one to the first, so that the places of the earlier ones stay what they are.
    for before, foreign, after in reversed(list(_handovers(trajectory.turns))):
        program = program or addressed(programs, before.program)
        first = before.cursors[0].at
        last = after.cursors[0].at if after is not None else _length(program.steps)
        if last <= first:
            continue
        try:
            instead = _learned(foreign, trajectory.task.text, before.values)
        except Unexplained:
            return None
        steps = _replaced(program.steps, first, last, instead)
        if steps is None:
            return None
        program = replace(program, steps=steps)
    return None if program is None else replace(program, alternatives=())


def _handovers(turns: Sequence[Turn]) -> list[tuple[Bookmark, list[Step], Bookmark | None]]:
    """Where the planner stopped, what another one did, and where it went on; None: nowhere."""
    found: list[tuple[Bookmark, list[Step], Bookmark | None]] = []
    own = [(place, mark) for place, turn in enumerate(turns) if (mark := bookmark_of(turn)) and mark.program]
    end = (len(turns), None)
    for (place, mark), (onward, after) in pairwise([*own, end]):
        foreign = [step for turn in turns[place + 1 : onward] for step in turn.steps if step.outcome.good]
        if foreign and mark is not None:
            found.append((_stopped(turns[place], mark), foreign, after))
    return found


def _stopped(turn: Turn, mark: Bookmark) -> Bookmark:
    """The bookmark with the cursor at which the planner stood after its turn."""
    failed = bool(turn.steps) and turn.steps[-1].outcome.kind == "failed"
    return replace(mark, cursors=(mark.cursors[min(len(turn.steps) - failed, len(mark.cursors) - 1)],))


def _learned(steps: Sequence[Step], instruction: str, values: Mapping[str, str]) -> tuple[DoStep, ...]:
    """What somebody did, as steps of a program with its slots."""
    shown = effects(Demonstration(instruction, tuple(recorded(step) for step in steps)))
    scope = Scope(View.of(None), values, instruction)
    return tuple(explain([Told(act, scope)]).it for act in shown)


def _replaced(
    steps: Sequence[Instruction], first: int, last: int, instead: tuple[DoStep, ...]
) -> tuple[Instruction, ...] | None:
    """The steps with those between two flat places replaced; None when a loop begins or ends between."""
    kept: list[Instruction] = []
    at, put = 0, False
    for step in steps:
        size = _size(step)
        if first <= at < last:
            if at + size > last:
                return None
            if at == first:
                kept.extend(instead)
                put = True
        elif isinstance(step, ForEach | Every | Survey | Until | Guided | When) and at < first < at + size:
            body = _replaced(step.body, first - at - 1, last - at - 1, instead)
            if body is None or last > at + size:
                return None
            kept.append(replace(step, body=body))
            put = True
        else:
            kept.append(step)
        at += size
    return tuple(kept) if put else None


def _length(steps: Sequence[Instruction]) -> int:
    return sum(_size(step) for step in steps)


def _size(step: Instruction) -> int:
    """How many flat instructions a step becomes, see `code.flat`."""
    match step:
        case DoStep() | Remember() | Steer():
            return 1
        case When(body=body):
            return 1 + _length(body)
    return 2 + _length(step.body)


def used_alternative(trajectory: Trajectory, programs: Sequence[Program]) -> str:
    """The origin of the alternative by which a run was finished; empty when it was none with an origin."""
    name = last_program(trajectory.turns)
    program, way = numbered(name) if name else (0, 0)
    return programs[program].alternatives[way - 1].origin if way else ""
