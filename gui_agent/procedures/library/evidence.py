"""Evidence of a run about the memory: wins, losses, repairs to confirm, and exemplars shown."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from urllib.parse import urlsplit

from gui_agent.core.errors import ConfigError, GuiAgentError, MissingExtra
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Exemplar, ExemplarSource
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Demonstration, Result, Step, Task, Trajectory, Turn, unwrap
from gui_agent.elements.words import slug_words
from gui_agent.memory.entry import UNTRUSTED, Entry, is_failing, reason_not_to_keep
from gui_agent.memory.exemplars import ExemplarMemory, LessonSource
from gui_agent.procedures.induction._instructions import unique
from gui_agent.procedures.induction.effects import effects
from gui_agent.procedures.induction.learn import learn, learn_one
from gui_agent.procedures.induction.steps import ObservedEffect, Unexplained, explain
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import (
    DoStep,
    Program,
    Remember,
    Steer,
    numbers_of,
    program_named,
)
from gui_agent.procedures.language.program import Step as Instruction
from gui_agent.procedures.language.template import own_words
from gui_agent.procedures.language.view import View
from gui_agent.procedures.library.memory import (
    COMMANDS,
    PROPOSAL,
    TOGETHER,
    WAITING,
    Memory,
    Procedure,
    in_quarantine,
    open_memory,
)
from gui_agent.procedures.library.recognise import Recognition
from gui_agent.procedures.recognition.choose import asked_in_full
from gui_agent.procedures.recordings.from_run import as_demo_step, from_trajectory
from gui_agent.procedures.runtime.history import (
    OWN,
    bookmark_of,
    carried_out,
    cursor_after,
    last_program,
    without_vain_searches,
)
from gui_agent.procedures.runtime.machine import Bookmark, flat
from gui_agent.settings import Settings
from gui_agent.trace import LiveView

_NUMBER = re.compile(r"\d+|[0-9a-f]{8,}")


@dataclass(frozen=True, slots=True)
class Joining:
    """The procedure that a demonstration belongs to."""

    family: str
    apart: str = ""
    """The most similar procedure and the reason why it does not match; empty if none is similar."""


def joining(demonstration: Demonstration, memory: Memory) -> Joining:
    """The procedure that also explains a demonstration; otherwise a new one with a new name.

    Raises:
        ConfigError: nothing can be learned from it; the message gives the reason.
    """
    own = _learned_alone(demonstration)
    apart = ""
    for procedure in memory.nearest(demonstration.task):
        reason = _reason_against(procedure, demonstration, own, memory)
        if not reason:
            return Joining(procedure.name)
        if not apart and _words(own) & _words(procedure.programs):
            apart = f"{procedure.name}: {reason}"
    return Joining(unique(_short_name(own[0]) or "procedure", memory.names(), "-"), apart)


def _learned_alone(demonstration: Demonstration) -> tuple[Program, ...]:
    try:
        return (learn_one([demonstration]),)
    except Unexplained as reason:
        raise ConfigError(f"it was not learned: {reason}") from reason


def check_named(demonstration: Demonstration, name: str, memory: Memory) -> None:
    """Check that a demonstration fits the procedure that the person named, so that nothing is lost.

    Raises:
        ConfigError: nothing can be learned from it, alone or together with the procedure's demonstrations.
    """
    _learned_alone(demonstration)
    procedure = memory.procedure_called(name) if memory.exists else None
    if procedure is None or demonstration in procedure.demonstrations:
        return
    programs = learn([*reversed(procedure.demonstrations), demonstration][-TOGETHER:])
    reason = _lost_wordings([*memory.tasks(name), demonstration.task], programs)
    if reason:
        raise ConfigError(f'it does not fit the procedure "{name}": {reason}; give another --name')


def is_explained(demonstrations: Sequence[Demonstration]) -> bool:
    """Whether one program does what all these demonstrations show and matches the wording of each."""
    programs = learn(demonstrations)
    return not (_why_unclear(programs) or _lost_wordings([one.task for one in demonstrations], programs))


def _reason_against(
    procedure: Procedure, demonstration: Demonstration, own: Sequence[Program], memory: Memory
) -> str:
    known = [*reversed(procedure.demonstrations)]
    for place in (_app, _first_page):
        here, there = place(demonstration), list(filter(None, map(place, known)))
        if here and there and here not in there:
            return f"the procedure was demonstrated at {there[-1]}, this recording at {here}"
    programs = learn([*known, demonstration][-TOGETHER:])
    shown = sum(one.demonstrations for one in procedure.programs) + (len(known) < TOGETHER)
    tasks = [*memory.tasks(procedure.name), demonstration.task]
    reason = _why_unclear(programs, shown) or _lost_wordings(tasks, programs)
    return reason


def _why_unclear(programs: Sequence[Program], shown: int = 0) -> str:
    if len(programs) != 1 or programs[0].demonstrations < shown:
        return "no single procedure explains both"
    idle = [parameter.name for parameter in programs[0].parameters if not parameter.used]
    return f"no demonstration shows the use of {_in_quotes(idle)}" if idle else ""


def _lost_wordings(tasks: Sequence[str], programs: Sequence[Program]) -> str:
    for task in tasks:
        if not any(asked_in_full(Task(task), program) for program in programs):
            return f'"{shorten(task, 70)}" would no longer match the procedure'
    return ""


def _words(programs: Sequence[Program]) -> frozenset[str]:
    templates = chain.from_iterable(one.templates for one in programs)
    return frozenset().union(*map(own_words, templates))


def _in_quotes(words: Sequence[str] | frozenset[str]) -> str:
    return ", ".join(f'"{word}"' for word in sorted(words))


def _app(demonstration: Demonstration) -> str:
    shown = next((step.screen.place.app for step in demonstration.steps if step.screen is not None), "")
    return urlsplit(demonstration.start).netloc or shown


def _first_page(demonstration: Demonstration) -> str:
    start = urlsplit(demonstration.start)
    return start.netloc + _NUMBER.sub("0", f"{start.path}#{start.fragment}").rstrip("/#")


def _short_name(program: Program) -> str:
    words = slug_words(re.sub(r"\{\w+\}", " ", normal(program.templates[0])))
    return "-".join(words[:4])


def splice(trajectory: Trajectory, programs: Sequence[Program]) -> Program | None:
    """The program of a run with the steps of another planner in place of those that it took over.

    Args:
        programs: in the order in which the planner knew them.

    Returns:
        None if there was no hand-over, or its steps cannot be expressed in terms of the task.
    """
    program: Program | None = None
    # Replaces from last to first, so that earlier indices stay valid.
    for before, foreign, after in reversed(list(_handovers(trajectory.turns))):
        program = program or program_named(programs, before.program)
        first = before.cursors[0].at
        last = after.cursors[0].at if after is not None else len(flat(program.steps))
        if last <= first:
            continue
        try:
            instead = _steps_from(foreign, trajectory.task.text, before.values)
        except Unexplained:
            return None
        steps = _replace_steps(program.steps, first, last, instead)
        if steps is None:
            return None
        program = replace(program, steps=steps)
    return None if program is None else replace(program, alternatives=())


def _handovers(turns: Sequence[Turn]) -> list[tuple[Bookmark, list[Step], Bookmark | None]]:
    """Where the planner stopped, the other planner's steps, and where it continued (None: nowhere)."""
    found: list[tuple[Bookmark, list[Step], Bookmark | None]] = []
    own = [(place, mark) for place, turn in enumerate(turns) if (mark := bookmark_of(turn)) and mark.program]
    end = (len(turns), None)
    for (place, mark), (onward, after) in pairwise([*own, end]):
        since = chain.from_iterable(turn.steps for turn in turns[place + 1 : onward])
        foreign = [step for step in since if step.outcome.good]
        if foreign and mark is not None:
            stopped = replace(mark, cursors=(cursor_after(turns[place], mark),))
            found.append((stopped, foreign, after))
    return found


def _steps_from(steps: Sequence[Step], instruction: str, values: Mapping[str, str]) -> tuple[DoStep, ...]:
    shown = effects(Demonstration(instruction, tuple(as_demo_step(step) for step in steps)))
    scope = Scope(View.from_screen(None), values, instruction)
    return tuple(explain([ObservedEffect(act, scope)]).it for act in shown)


def _replace_steps(
    steps: Sequence[Instruction], first: int, last: int, instead: tuple[DoStep, ...]
) -> tuple[Instruction, ...] | None:
    """Replace the steps between two flat indices; None if a loop begins or ends between them."""
    kept: list[Instruction] = []
    at, put = 0, False
    for step in steps:
        size = len(flat((step,)))
        if first <= at < last:
            if at + size > last:
                return None
            if at == first:
                kept.extend(instead)
                put = True
        elif not isinstance(step, DoStep | Remember | Steer) and at < first < at + size:
            body = _replace_steps(step.body, first - at - 1, last - at - 1, instead)
            if body is None or last > at + size:
                return None
            kept.append(replace(step, body=body))
            put = True
        else:
            kept.append(step)
        at += size
    return tuple(kept) if put else None


def used_alternative(trajectory: Trajectory, programs: Sequence[Program]) -> str:
    """The origin of the alternative that finished a run; empty if there was none, or it has no origin."""
    name = last_program(trajectory.turns)
    program, way = numbers_of(name) if name else (0, 0)
    return programs[program].alternatives[way - 1].origin if way else ""


REPLAY = OWN
"""The name of the planner that runs procedures."""
FAILED = "a later run with this repair failed"
_BLAMED = ("not_done", "limit")
"""Endings that count against a procedure; a refusal, a user's stop or a crash does not."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired procedure: another planner finished its run, and its steps were stored."""

    entry: str
    promoted: bool
    superseded: tuple[str, ...] = ()
    """Ids of older demonstrations that contradict it; they are in quarantine."""


def take_note(
    settings: Settings,
    recognition: Recognition | None,
    result: Result,
    *,
    plain: bool = False,
    observers: Sequence[object] = (),
) -> None:
    """Record a run's evidence in the memory; errors become warnings. `plain` commands use no procedure."""
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
            for view in observers:
                if isinstance(view, LiveView):
                    view.tell(_why_doubted(memory, procedure))
            _note_answer(memory, procedure, trajectory, programs)
        if keep:
            keep_run(memory, trajectory, origin, plain=plain)
    except GuiAgentError as error:
        warnings.warn(f"the memory could not record this run: {error}", stacklevel=3)
    finally:
        memory.close()


def _why_doubted(memory: Memory, procedure: Procedure) -> str:
    entries = [entry for one in procedure.entries if (entry := memory.entry(one.id)) is not None]
    retired = tuple(entry for entry in entries if entry.quarantined)
    if retired:
        return in_quarantine(replace(procedure, entries=retired))
    worst = max(entries, key=lambda entry: entry.losses, default=None)
    if worst is None or not is_failing(worst.wins, worst.losses):
        return ""
    return (
        f"{procedure.name} failed in {worst.losses:.0f} runs and went well in {worst.wins:.0f}: "
        f"teach it again, or see guiagent memory show {procedure.name}"
    )


def _note_answer(
    memory: Memory, procedure: Procedure, trajectory: Trajectory, programs: Sequence[Program]
) -> None:
    marks = [mark for turn in trajectory.turns if (mark := bookmark_of(unwrap(turn))) is not None]
    said = next((mark.answered for mark in marks if mark.answered), "")
    if said:
        memory.answer(procedure, program_named(programs or procedure.programs, said))


def used(recognition: Recognition, trajectory: Trajectory) -> Procedure | None:
    """The procedure that a run finally used; None if the screen showed none of them to be the right one."""
    if recognition.choice is not None:
        return recognition.choice.procedure
    name = last_program([unwrap(turn) for turn in trajectory.turns])
    return recognition.fitting[numbers_of(name)[0]].procedure if name else None


def note_run(
    memory: Memory,
    procedure: Procedure,
    trajectory: Trajectory,
    origin: str = "",
    programs: Sequence[Program] = (),
) -> Repair | None:
    """Count a run for or against the procedure that it began with, and store a repair.

    A procedure whose first target was never on the screen, as in an outage, loses nothing.
    """
    who = deciders(trajectory)
    if REPLAY not in who or trajectory.ending is None:
        return None
    own = replace(trajectory, turns=tuple(unwrap(turn) for turn in trajectory.turns))
    programs = programs or procedure.programs
    fit, blamed = not reason_not_to_keep(trajectory), trajectory.ending.kind in _BLAMED
    proposal = used_alternative(own, programs)
    repaired = len(who) > 1 or bool(proposal)
    if _has_begun(own, programs) if blamed or repaired else fit:
        memory.count(procedure, won=not (blamed or repaired))
    if proposal and blamed:
        memory.exemplars.store.quarantine(proposal, FAILED)
    return _write_back(memory, procedure, own, origin, programs) if repaired and fit else None


def _has_begun(trajectory: Trajectory, programs: Sequence[Program]) -> bool:
    """Whether the run acted on an element by a step of one of the programs."""
    done = chain.from_iterable(carried_out(turn, programs) for turn in trajectory.turns)
    return any(is_step and step.found and step.outcome.good for step, is_step in done)


def keep_run(memory: Memory, trajectory: Trajectory, origin: str = "", *, plain: bool = False) -> bool:
    """Store a verified run, unless it was a replay, as an exemplar. Returns whether it was stored."""
    if not is_new_work(trajectory):
        return False
    shown = from_trajectory(trajectory, origin=origin)
    reason = UNTRUSTED if memory.untrusted(trajectory) else ""
    plain &= not any(turn.decision.calls for turn in trajectory.turns)  # else a model had to read it
    kind, family = (COMMANDS, "") if plain else ("run", joining(shown, memory).family)
    return memory.keep(shown, family, kind=kind, reason=reason)[1]


def is_new_work(trajectory: Trajectory) -> bool:
    """Whether a run was verified and not a replay, so that it teaches something new."""
    return not reason_not_to_keep(trajectory) and REPLAY not in deciders(trajectory)


def deciders(trajectory: Trajectory) -> tuple[str, ...]:
    """The planners whose decisions led to steps or to the end, by first appearance."""
    turns = [turn for turn in trajectory.turns if turn.steps or turn.decision.end]
    return tuple(dict.fromkeys(turn.decision.planner for turn in turns))


def _write_back(
    memory: Memory, procedure: Procedure, trajectory: Trajectory, origin: str, programs: Sequence[Program]
) -> Repair:
    """Store a repair as a proposal; a second run that confirms it turns both into demonstrations."""
    shown = from_trajectory(without_vain_searches(trajectory), origin=origin)
    used = used_alternative(trajectory, programs)
    proposals = memory.proposals(procedure.name)
    alike = next((e for e in proposals if e.id == used or _same_repair(e, shown)), None)
    untrusted = UNTRUSTED if memory.untrusted(trajectory) else ""
    if alike is None or alike.demonstration is None or untrusted:
        entry, _ = memory.keep(
            shown,
            procedure.name,
            kind=PROPOSAL,
            reason=untrusted or WAITING,
            repaired=splice(trajectory, programs),
        )
        return Repair(entry, promoted=False)
    old = _contradicted_entries(procedure, [alike.demonstration, shown])
    memory.keep(alike.demonstration, procedure.name)
    entry, _ = memory.keep(shown, procedure.name)
    memory.exemplars.store.forget(alike.id)
    for older in old:
        memory.exemplars.store.quarantine(older, f"superseded by {entry}, which two verified runs confirmed")
    return Repair(entry, promoted=True, superseded=old)


def _same_repair(entry: Entry, shown: Demonstration) -> bool:
    return entry.demonstration is not None and is_explained([entry.demonstration, shown])


def _contradicted_entries(procedure: Procedure, repaired: list[Demonstration]) -> tuple[str, ...]:
    if is_explained([*reversed(procedure.demonstrations), *repaired]):
        return ()
    return tuple(entry.id for entry in procedure.entries)


class ShownRuns:
    """The exemplars that an agent shows its model; it stores no runs."""

    def __init__(self, exemplars: ExemplarMemory) -> None:
        self._exemplars = exemplars

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        """The most useful runs, best first; none if the memory's search is not installed."""
        try:
            return self._exemplars.recall(task, observation, goal)
        except MissingExtra:
            return ()

    def remember(self, trajectory: Trajectory) -> None:
        """Count the run for or against the exemplars shown; other code decides whether to store it.

        A run in which a procedure acted counts only for the procedure (`evidence.note_run`), and only once.
        """
        if REPLAY not in deciders(trajectory):
            self._exemplars.remember(trajectory)


def shown_runs(settings: Settings) -> ExemplarSource | None:
    """The memory of the settings as a source of exemplars and lessons; None if it is empty."""
    memory, lessons = open_memory(settings), settings.memory.lessons
    runs = ShownRuns(memory.exemplars) if settings.memory.enabled and memory.exists else None
    return LessonSource(Path(lessons), runs) if lessons else runs
