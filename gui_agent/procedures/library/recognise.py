"""Finds the learned procedure that an instruction asks for, its values, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from urllib.parse import urlsplit

from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Task
from gui_agent.procedures.language.program import Alternative, Program, slots_used
from gui_agent.procedures.language.wording import sentences, sources
from gui_agent.procedures.library.memory import Memory, Procedure, in_quarantine
from gui_agent.procedures.recognition.choose import (
    FittingProgram,
    NoProgram,
    Undecided,
    candidates,
    choose,
    in_its_own_words,
)


@dataclass(frozen=True, slots=True)
class Considered:
    """One program that was considered for an instruction."""

    procedure: Procedure
    program: Program
    score: float
    """The share of the wording that matches, 0 to 1."""
    values: Mapping[str, str]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Recognition:
    """The result of looking up an instruction among the learned procedures."""

    task: Task
    considered: tuple[Considered, ...] = ()
    """Best first."""
    fitting: tuple[Considered, ...] = ()
    """The programs to run; if there are several, the screen decides among them or rejects all."""
    reason: str = ""
    proposed: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)
    """Repairs that need one more success, by procedure."""
    command: str = ""
    """The plain command that the same words would also be, which will not run."""

    @property
    def choice(self) -> Considered | None:
        """The program that the wording alone selects; None if there is none or the screen must decide."""
        return self.fitting[0] if self.fitting and not self.reason else None

    @property
    def word_for_word(self) -> Considered | None:
        """The best fitting program if the instruction is its complete wording."""
        best = next((one for one in self.considered if not _elsewhere(one.procedure, self.task)), None)
        return best if best is not None and best.score == 1.0 else None

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs for the planner, in the order of `fitting`."""
        return tuple(self._with_repairs(one) for one in self.fitting)

    def _with_repairs(self, one: Considered) -> Program:
        slots = {parameter.name for parameter in one.program.parameters}
        repairs = self.proposed.get(one.procedure.name, ())
        # A repair of an older version of the procedure may use slots that no longer exist.
        usable = tuple(repair for repair in repairs if slots_used(repair.steps) <= slots)
        return replace(one.program, alternatives=(*one.program.alternatives, *usable))

    @property
    def task_from_start(self) -> Task:
        """The task with the procedures' start address, unless the task has its own."""
        if not self.fitting or self.task.start:
            return self.task
        return replace(self.task, start=self.fitting[0].procedure.start)

    def because(self, reason: str) -> Recognition:
        return replace(self, reason=reason)

    def lines(self) -> list[str]:
        """The explanation in plain lines, for `--explain`."""
        told: list[str] = []
        if not self.fitting:
            told.append(f"No procedure would run: {self.reason}")
        elif self.reason:
            told.append(f"The screen will decide among these procedures: {self.reason}")
        for one, program in zip(self.fitting, self.programs, strict=True):
            told += _fitting_lines(one, self.task)
            told += _other_ways(program)
        if self.command:
            told.append(f"Not the plain command ({self.command}): for that, put the names in quotes.")
        others = [one for one in self.considered if one.refused]
        if others:
            told.append("Also considered:")
            told += [_other_line(one, self.reason) for one in others]
        return told


def recognise(task: Task, memory: Memory) -> Recognition:
    """The procedure that an instruction asks for, or the reason why there is none; runs nothing.

    A procedure must fit the wording, lead every other one by a margin, and have been demonstrated at the
    task's start address if both are known. Several procedures are returned if the screen must decide
    among them.
    """
    found = among(task, memory.nearest(task.text, urlsplit(task.start).netloc))
    if not found.fitting:
        held = among(task, memory.held_back(task.text)).fitting
        return found.because(in_quarantine(held[0].procedure)) if held else found
    names = dict.fromkeys(one.procedure.name for one in found.fitting)
    return replace(found, proposed={name: memory.alternatives(name) for name in names})


def among(task: Task, procedures: Sequence[Procedure]) -> Recognition:
    """Find the requested procedure among the given ones; like `recognise`."""
    if not procedures:
        return Recognition(
            task, reason="no similar procedure has been learned yet; see guiagent learn --help"
        )
    owners: dict[int, Procedure] = {}
    for procedure in procedures:
        owners |= dict.fromkeys(map(id, procedure.programs), procedure)

    def with_owner(one: FittingProgram) -> Considered:
        return Considered(owners[id(one.program)], one.program, one.score, one.values)

    near = [procedure for procedure in procedures if not _elsewhere(procedure, task)]
    found, why = _chosen_by_wording(task, _programs_of(near))
    fitting = [with_owner(one) for one in found]
    reason = why
    places = _places_to_begin(task, fitting)
    if places:
        reason, fitting = f"{why}; {places}: say where to begin with --url", []
    ranked = [with_owner(one) for one in candidates(task, _programs_of(procedures))]
    shown_at = [_elsewhere(one.procedure, task) for one in ranked]
    if not fitting and shown_at and all(shown_at):
        reason = why = (
            f"the procedure was demonstrated at {shown_at[0]}, not at {urlsplit(task.start).netloc}"
        )
    chosen = {id(one.program): one for one in fitting}
    told = [
        chosen.get(id(one.program)) or replace(one, refused=_why_not(one, task, fitting, why))
        for one in ranked
    ]
    return Recognition(task, tuple(told), tuple(fitting), reason)


def _programs_of(procedures: Sequence[Procedure]) -> list[Program]:
    return list(chain.from_iterable(procedure.programs for procedure in procedures))


def _places_to_begin(task: Task, fitting: Sequence[Considered]) -> str:
    """Where each of several procedures begins, in words; empty if all agree or the task says it."""
    # If the task is word for word a demonstrated one, that demonstration gives the start address.
    own = [one for one in fitting if in_its_own_words(task, one.program)]
    starts = {one.procedure.name: one.procedure.start for one in own or fitting}
    if task.start or len(set(starts.values())) < 2:
        return ""
    return ", ".join(f"{name} begins {f'at {at}' if at else 'on any screen'}" for name, at in starts.items())


def _elsewhere(procedure: Procedure, task: Task) -> str:
    """Where a procedure was demonstrated if the task begins elsewhere; empty if it may run there."""
    app = urlsplit(task.start).netloc
    return procedure.app if app and procedure.app != app else ""


def _chosen_by_wording(task: Task, programs: Sequence[Program]) -> tuple[Sequence[FittingProgram], str]:
    try:
        return [choose(task, programs)], ""
    except Undecided as error:
        return error.equals, str(error)
    except NoProgram as error:
        return [], str(error)


def _why_not(one: Considered, task: Task, fitting: Sequence[Considered], why: str) -> str:
    shown_at = _elsewhere(one.procedure, task)
    if shown_at:
        return f"it was demonstrated at {shown_at}, not at {urlsplit(task.start).netloc}"
    if not fitting:
        return why
    best = fitting[0].score
    return f"it fits worse by {best - one.score:.2f}" if one.score < best else "it does the same"


def _fitting_lines(one: Considered, task: Task) -> list[str]:
    program, procedure = one.program, one.procedure
    fits = f"fits {one.score:.2f}" if one.score else "matched in your own words"
    told = [f'Procedure {procedure.name}: "{program.templates[0]}" ({fits})']
    told += [f"  {name} = {value}" for name, value in one.values.items()]
    if not task.start and procedure.start:
        told.append(f"  begins at {procedure.start}")
    told += [f"  {line}" for line in (*sources(program), *sentences(program))]
    told += [f"You chose this way: {' '.join(entry.outlines)}" for entry in procedure.answers]
    told.append("Learned from:")
    told += [
        f'  {entry.id} "{shorten(entry.task, 70)}" ({entry.origin or entry.kind}; '
        f"{entry.wins:g} wins, {entry.losses:g} losses)"
        for entry in procedure.entries
    ]
    return told


def _other_line(one: Considered, told: str) -> str:
    """A line about an unused program, without the reason if all of them share it."""
    why = "" if one.refused in told else f" not used: {one.refused}"
    return f'  {one.score:.2f} {one.procedure.name}: "{shorten(one.program.templates[0], 70)}"{why}'


def _other_ways(program: Program) -> list[str]:
    """The alternatives for a step that fails: the steps in which each one differs."""
    known = set(sentences(program))
    told: list[str] = []
    for other, way in zip(program.alternatives, program.ways[1:], strict=True):
        source = f"repair {other.origin}, not confirmed yet" if other.origin else "runner-up"
        told.append(f"If a step fails ({source}):")
        told += [f"  {sentence}" for sentence in sentences(way) if sentence not in known]
    return told
