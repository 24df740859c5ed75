"""Evidence from a run about the procedure it used: wins, losses, and repairs to be confirmed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gui_agent.core.actions import Wait
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.planner_state import unwrapped
from gui_agent.core.result import Result
from gui_agent.core.trajectory import Trajectory, notify
from gui_agent.memory.entry import Entry
from gui_agent.memory.trust import UNTRUSTED, Upkeep, is_failing, unfit
from gui_agent.procedures.language.program import Program, addressed, numbered
from gui_agent.procedures.library.joining import explained, joining
from gui_agent.procedures.library.memory import (
    COMMANDS,
    PROPOSAL,
    WAITING,
    Memory,
    Procedure,
    in_quarantine,
    open_memory,
)
from gui_agent.procedures.library.recognise import Recognition
from gui_agent.procedures.library.splice import spliced, used_alternative
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.procedures.runtime.history import (
    OWN,
    bookmark_of,
    carried_out,
    last_program,
    without_vain_searches,
)
from gui_agent.settings import Settings
from gui_agent.trace import LiveView

REPLAY = OWN
"""The name of the planner that runs procedures."""
FAILED = "a later run with this repair failed"
_BLAMED = ("not_done", "limit")
"""Endings that speak against a procedure; a refusal, a person's stop or a crash does not."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A procedure that another planner finished, as it was written back."""

    entry: str
    """Id of the entry."""
    promoted: bool
    """Whether it is a demonstration of the procedure now."""
    superseded: tuple[str, ...] = ()
    """Ids of older demonstrations that it contradicts; they are in quarantine."""


def take_note(
    settings: Settings,
    recognition: Recognition | None,
    result: Result,
    *,
    plain: bool = False,
    observers: Sequence[object] = (),
) -> None:
    """Let the memory know what a run proved; a failure is a warning and changes nothing in the result.

    Args:
        plain: whether the task was plain commands, which name no procedure.
        observers: a terminal among them tells the person when the procedure mostly fails.
    """
    trajectory = result.trajectory
    origin = f"run {Path(result.folder).name}" if result.folder else ""
    procedure = used(recognition, trajectory) if recognition else None
    programs = recognition.programs if recognition else ()
    keep = settings.memory.enabled and settings.memory.learn == "verified"
    if procedure is None and not keep:
        return
    memory = open_memory(settings)
    try:
        if procedure is not None:
            note_run(memory, procedure, trajectory, origin, programs)
            notify([one for one in observers if isinstance(one, LiveView)], "told", _doubt(memory, procedure))
            _note_answer(memory, procedure, trajectory, programs)
        if keep:
            keep_run(memory, trajectory, origin, plain=plain)
    except GuiAgentError as error:
        warnings.warn(f"the memory took no note of this run: {error}", stacklevel=3)
    finally:
        memory.close()


def _doubt(memory: Memory, procedure: Procedure) -> str:
    """That a procedure mostly fails, or was retired because of it; empty where it serves."""
    entries = [entry for one in procedure.entries if (entry := memory.entry(one.id)) is not None]
    retired = tuple(entry for entry in entries if entry.quarantined)
    if retired:
        return in_quarantine(replace(procedure, entries=retired))
    worst = max(entries, key=lambda entry: entry.losses, default=None)
    if worst is None or not is_failing(worst.wins, worst.losses, Upkeep()):
        return ""
    return (
        f"{procedure.name} failed in {worst.losses:.0f} runs and went well in {worst.wins:.0f}: "
        f"teach it again, or see guiagent memory show {procedure.name}"
    )


def _note_answer(
    memory: Memory, procedure: Procedure, trajectory: Trajectory, programs: Sequence[Program]
) -> None:
    """Keep what the person said is meant."""
    marks = [mark for turn in trajectory.turns if (mark := bookmark_of(unwrapped(turn))) is not None]
    said = next((mark.answered for mark in marks if mark.answered), "")
    if said:
        memory.answer(procedure, addressed(programs or procedure.programs, said))


def used(recognition: Recognition, trajectory: Trajectory) -> Procedure | None:
    """The procedure that a run went by in the end; None when the screen told of none that it was meant."""
    if recognition.chosen is not None:
        return recognition.chosen.procedure
    name = last_program([unwrapped(turn) for turn in trajectory.turns])
    return recognition.fitting[numbered(name)[0]].procedure if name else None


def note_run(
    memory: Memory,
    procedure: Procedure,
    trajectory: Trajectory,
    origin: str = "",
    programs: Sequence[Program] = (),
) -> Repair | None:
    """Count what a run proves about the procedure it began with, and write back what was repaired.

    Nothing speaks against a procedure whose beginning was not on the screen, such as in an outage.

    Args:
        programs: what the planner was given to run; by default what the procedure's demonstrations teach.

    Raises:
        ConfigError: the memory cannot be used.
    """
    who = deciders(trajectory)
    if REPLAY not in who or trajectory.ending is None:
        return None
    own = replace(trajectory, turns=tuple(unwrapped(turn) for turn in trajectory.turns))
    programs = programs or procedure.programs
    fit, blamed = not unfit(trajectory), trajectory.ending.kind in _BLAMED
    proposal = used_alternative(own, programs)
    repaired = len(who) > 1 or bool(proposal)
    if blamed or repaired:
        if _began(own, programs):
            memory.count(procedure, won=False)
    elif fit:
        memory.count(procedure, won=True)
    if proposal and blamed:
        memory.exemplars.store.quarantine(proposal, FAILED)
    return _write_back(memory, procedure, own, origin, programs) if repaired and fit else None


def _began(trajectory: Trajectory, programs: Sequence[Program]) -> bool:
    """Whether a step of the procedure was done to something that the screen showed."""
    return any(
        is_step and step.found and step.outcome.good
        for turn in trajectory.turns
        for step, is_step in carried_out(turn, programs)
    )


def keep_run(memory: Memory, trajectory: Trajectory, origin: str = "", *, plain: bool = False) -> bool:
    """Keep a verified run that was no replay, as an example for later ones; whether it was kept."""
    if unfit(trajectory) or REPLAY in deciders(trajectory):
        return False
    shown = from_trajectory(trajectory, origin=origin)
    reason = UNTRUSTED if memory.untrusted(trajectory) else ""
    kind, family = (COMMANDS, "") if plain else ("run", joining(shown, memory).family)
    return memory.keep(shown, family, kind=kind, reason=reason)[1]


def deciders(trajectory: Trajectory) -> tuple[str, ...]:
    """The planners whose decisions led to steps or to the end, in order of their first."""
    turns = [turn for turn in trajectory.turns if turn.steps or turn.decision.end]
    return tuple(dict.fromkeys(turn.decision.planner for turn in turns))


def _write_back(
    memory: Memory, procedure: Procedure, trajectory: Trajectory, origin: str, programs: Sequence[Program]
) -> Repair:
    """A proposal; a second run that confirms it makes both demonstrations."""
    shown = _to_the_point(from_trajectory(without_vain_searches(trajectory), origin=origin))
    used = used_alternative(trajectory, programs)
    alike = next(
        (e for e in memory.proposals(procedure.name) if e.id == used or _same_repair(e, shown)), None
    )
    untrusted = UNTRUSTED if memory.untrusted(trajectory) else ""
    if alike is None or alike.demonstration is None or untrusted:
        entry, _ = memory.keep(
            shown,
            procedure.name,
            kind=PROPOSAL,
            reason=untrusted or WAITING,
            repaired=spliced(trajectory, programs),
        )
        return Repair(entry, promoted=False)
    old = _contradicted(procedure, [alike.demonstration, shown])
    memory.keep(alike.demonstration, procedure.name)
    entry, _ = memory.keep(shown, procedure.name)
    memory.exemplars.store.forget(alike.id)
    for older in old:
        memory.exemplars.store.quarantine(older, f"superseded by {entry}, which two verified runs confirmed")
    return Repair(entry, promoted=True, superseded=old)


def _same_repair(entry: Entry, shown: Demonstration) -> bool:
    return entry.demonstration is not None and explained([entry.demonstration, shown])


def _contradicted(procedure: Procedure, repaired: list[Demonstration]) -> tuple[str, ...]:
    """The older demonstrations, when no one program does both what they and what the repaired runs show."""
    if explained([*reversed(procedure.demonstrations), *repaired]):
        return ()
    return tuple(entry.id for entry in procedure.entries)


def _to_the_point(demonstration: Demonstration) -> Demonstration:
    """Without the looks for what was not there: they belong to that day."""
    kept = tuple(step for step in demonstration.steps if not isinstance(step.action, Wait))
    return replace(demonstration, steps=kept)
