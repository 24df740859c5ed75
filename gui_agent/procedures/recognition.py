"""Which learned procedure an instruction asks for, with which values, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Task
from gui_agent.demos.choose import Candidate, NoProgram, Undecided, candidates, choose
from gui_agent.demos.program import Alternative, Program
from gui_agent.demos.walk import slots_used
from gui_agent.demos.wording import sentences
from gui_agent.procedures.memory import Memory, Procedure


@dataclass(frozen=True, slots=True)
class Considered:
    """One program that was considered for an instruction."""

    procedure: Procedure
    program: Program
    score: float
    """How much of the wording fits, 0 to 1."""
    values: Mapping[str, str]
    refused: str = ""
    """Why it is not used; empty when it is."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """What was made of an instruction that is not a plain command."""

    task: Task
    considered: tuple[Considered, ...] = ()
    """Best first."""
    chosen: Considered | None = None
    reason: str = ""
    """Why nothing was chosen."""
    equals: tuple[Program, ...] = ()
    """Variants of the chosen procedure that fit as well; the screen will tell which one is meant."""
    proposed: tuple[Alternative, ...] = ()
    """Repairs of the chosen procedure that wait for one more success."""

    @property
    def programs(self) -> tuple[Program, ...]:
        """What the planner is to run: the program that was chosen, and its equals."""
        if self.chosen is None:
            return ()
        program = self.chosen.program
        slots = {parameter.name for parameter in program.parameters}
        # A repair of what the procedure was before it was learned anew may speak of other slots.
        fitting = tuple(one for one in self.proposed if slots_used(one.steps) <= slots)
        return (replace(program, alternatives=(*program.alternatives, *fitting)), *self.equals)

    @property
    def begun(self) -> Task:
        """The task, beginning where the procedure began unless it says where."""
        if self.chosen is None or self.task.start:
            return self.task
        return replace(self.task, start=self.chosen.procedure.start)

    def because(self, reason: str) -> Recognition:
        """The same with another reason."""
        return replace(self, reason=reason)

    def lines(self) -> list[str]:
        """The whole story in plain lines, for `--explain`."""
        told: list[str] = []
        if self.chosen:
            told += _chosen_lines(self.chosen, self.task)
            told += _other_ways(self.programs[0])
        else:
            told.append(f"Nothing would be done: {self.reason}")
        others = [one for one in self.considered if one is not self.chosen]
        if others:
            told.append("Also considered:")
            told += [
                f'  {one.score:.2f} {one.procedure.name}: "{shorten(one.program.templates[0], 70)}" '
                f"not used: {one.refused}"
                for one in others
            ]
        return told


def recognise(task: Task, memory: Memory) -> Recognition:
    """The procedure that an instruction asks for, or why there is none; nothing is done.

    A procedure must fit the wording, lead every other one by a margin, and have been shown at the place
    where the task is to begin, when both are known.

    Raises:
        ConfigError: the memory cannot be used.
    """
    found = among(task, memory.nearest(task.text, urlsplit(task.start).netloc))
    proposed = memory.alternatives(found.chosen.procedure.name) if found.chosen else ()
    return replace(found, proposed=proposed)


def among(task: Task, procedures: Sequence[Procedure]) -> Recognition:
    """The one of some procedures that an instruction asks for, like `recognise`."""
    app = urlsplit(task.start).netloc
    if not procedures:
        return Recognition(
            task, reason="nothing that resembles it has been learned yet; see guiagent learn --help"
        )
    elsewhere = {p.name: p.app for p in procedures if app and p.app and p.app != app}
    owner = {id(program): p for p in procedures for program in p.programs}
    ranked = candidates(task, [program for p in procedures for program in p.programs])
    usable = [one.program for one in ranked if owner[id(one.program)].name not in elsewhere]
    chosen: Candidate | None = None
    equals: tuple[Program, ...] = ()
    reason = ""
    try:
        chosen = choose(task, usable)
    except Undecided as error:
        if len({owner[id(one.program)].name for one in error.equals}) == 1:
            chosen, equals = error.equals[0], tuple(one.program for one in error.equals[1:])
        else:
            reason = str(error)
    except NoProgram as error:
        reason = str(error)
    found: list[Considered] = []
    for one in ranked:
        procedure = owner[id(one.program)]
        if chosen is not None and one.program is chosen.program:
            found.append(Considered(procedure, one.program, one.score, chosen.values))
            continue
        shown_at = elsewhere.get(procedure.name)
        refused = f"it was shown at {shown_at}, not at {app}" if shown_at else _why_not(one, chosen, reason)
        found.append(Considered(procedure, one.program, one.score, one.values, refused))
    if chosen is None and not usable and found:
        reason = f"what fits {found[0].refused.removeprefix('it ')}"
    best = next((one for one in found if not one.refused), None)
    return Recognition(task, tuple(found), best, reason, equals)


def _why_not(one: Candidate, chosen: Candidate | None, reason: str) -> str:
    if chosen is None:
        return reason
    return (
        f"it fits worse by {chosen.score - one.score:.2f}" if one.score < chosen.score else "it does the same"
    )


def _chosen_lines(chosen: Considered, task: Task) -> list[str]:
    program, procedure = chosen.program, chosen.procedure
    told = [f'Procedure {procedure.name}: "{program.templates[0]}" (fits {chosen.score:.2f})']
    told += [f"  {name} = {value}" for name, value in chosen.values.items()]
    if not task.start and procedure.start:
        told.append(f"  begins at {procedure.start}")
    told += [f"  {sentence}" for sentence in sentences(program)]
    told.append("Learned from:")
    told += [
        f'  {entry.id} "{shorten(entry.task, 70)}" ({entry.origin or entry.kind}; '
        f"{entry.wins:g} wins, {entry.losses:g} losses)"
        for entry in procedure.entries
    ]
    return told


def _other_ways(program: Program) -> list[str]:
    """What would be tried where the procedure cannot go on: the steps in which each other way differs."""
    known = set(sentences(program))
    told: list[str] = []
    for other, way in zip(program.alternatives, program.ways[1:], strict=True):
        source = f"repair {other.origin}, to be confirmed" if other.origin else "runner-up"
        told.append(f"Where it cannot go on ({source}):")
        told += [f"  {sentence}" for sentence in sentences(way) if sentence not in known]
    return told
