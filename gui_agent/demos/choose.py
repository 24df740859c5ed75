"""Choosing the program that an instruction asks for, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Task
from gui_agent.demos.opening import first_that_opens, opening
from gui_agent.demos.paraphrase import paraphrases
from gui_agent.demos.program import Program
from gui_agent.demos.template import FLOOR, MARGIN, fit
from gui_agent.demos.view import View

TOLD_APART = 1.0
"""By how many words a procedure must be told from the next one when the wording was never shown."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program with the best reading of the instruction through its templates."""

    program: Program
    score: float
    values: Mapping[str, str]
    ambiguous: bool = False


class NoProgram(Exception):
    """No program fits the task well enough; the message says what was near."""


class Undecided(NoProgram):
    """Several programs fit equally well; they are given with their values, the best first."""

    def __init__(self, message: str, equals: Sequence[Candidate]) -> None:
        super().__init__(message)
        self.equals = tuple(equals)


class NotYet(NoProgram):
    """Several programs fit equally well, and what any of them begins with is not on the screen so far."""


def candidates(task: Task, programs: Sequence[Program]) -> list[Candidate]:
    """All programs by how well the instruction fits them, best first."""
    found: list[Candidate] = []
    for program in programs:
        fits = [
            reading
            for template in program.templates
            if (reading := fit(template, task.text, program.parameters)) is not None
        ]
        if fits:
            best = max(fits, key=lambda reading: reading.score)
            found.append(Candidate(program, best.score, best.values, best.ambiguous))
    return sorted(found, key=lambda candidate: -candidate.score)


def choose(task: Task, programs: Sequence[Program], view: View | None = None) -> Candidate:
    """The program for a task with all its values.

    Of several that fit equally well the one that the present screen speaks for, see `opening`.

    Raises:
        NoProgram: no template fits, two fit equally well, or a slot has no value.
    """
    # A procedure's own wording with these very values needs no reading, whatever the values contain.
    worded = [program for program in programs if _in_its_own_words(task, program)]
    if any(program.steps != worded[0].steps for program in worded):
        raise NoProgram(f"several procedures have the wording: {shorten(worded[0].templates[0])}")
    if worded and not _doubted(task, worded[0], programs):
        return Candidate(worded[0], 1.0, _complete(task, Candidate(worded[0], 1.0, {})))
    ranked = candidates(task, programs)
    if not ranked or ranked[0].score < FLOOR:
        told = _in_other_words(task, programs, view)
        if told is not None:
            return told
        near = f"; the nearest is: {shorten(ranked[0].program.templates[0])}" if ranked else ""
        raise NoProgram(f"no demonstration fits this instruction{near}")
    best = ranked[0]
    rivals = [
        c for c in ranked[1:] if c.score > best.score - MARGIN and c.program.steps != best.program.steps
    ]
    if rivals and (decided := _by_screen(task, [best, *rivals], view)) is not None:
        best, rivals = decided, []
    if rivals:
        raise Undecided(
            f"two procedures fit equally well: {shorten(best.program.templates[0])} "
            f"and {shorten(rivals[0].program.templates[0])}",
            [best, *rivals],
        )
    values = _complete(task, best)
    overridden = set(best.values) <= set(task.values)
    if best.ambiguous and not overridden:
        raise NoProgram(
            f"the instruction can be read in several ways as {shorten(best.program.templates[0])}; "
            "put the values in quotes"
        )
    return Candidate(best.program, best.score, values)


def _in_other_words(task: Task, programs: Sequence[Program], view: View | None) -> Candidate | None:
    """The procedure that an instruction asks for in words of its own, when that is beyond doubt."""
    if view is None:
        return None
    found = paraphrases(task.text, programs, view)
    if not found or (len(found) > 1 and found[0].weight - found[1].weight < TOLD_APART):
        return None
    if not found[0].begins:
        raise NotYet(f"nothing on the screen tells how to begin: {shorten(found[0].program.templates[0])}")
    best = Candidate(found[0].program, FLOOR, found[0].values)
    return Candidate(best.program, best.score, _complete(task, best))


def _by_screen(task: Task, equals: Sequence[Candidate], view: View | None) -> Candidate | None:
    if view is None:
        return None
    openings = [opening(c.program, _complete(task, c), view, task.text) for c in equals]
    if all(one is not None and not one.there for one in openings):
        raise NotYet(f"nothing on the screen tells how to begin: {shorten(equals[0].program.templates[0])}")
    decided = first_that_opens(openings)
    return None if decided is None else equals[decided]


def _doubted(task: Task, worded: Program, programs: Sequence[Program]) -> bool:
    """Whether a single demonstration stands against a procedure that several show for this wording."""
    ranked = candidates(task, [program for program in programs if program.demonstrations > 1])
    best = ranked[0] if ranked else None
    return best is not None and worded.demonstrations == 1 and best.score > 1.0 - MARGIN


def _in_its_own_words(task: Task, program: Program) -> bool:
    told = all(one.default is not None or one.name in task.values for one in program.parameters)
    return told and task.text == program.instruction(task.values)


def _complete(task: Task, best: Candidate) -> dict[str, str]:
    """Values given by name, else read from the instruction, else the default."""
    known = {parameter.name: parameter for parameter in best.program.parameters}
    strange = sorted(set(task.values) - set(known))
    if strange:
        slots = ", ".join(sorted(known)) or "no slots"
        raise NoProgram(f'there is no slot "{strange[0]}"; this procedure has: {slots}')
    values: dict[str, str] = {}
    for name, parameter in known.items():
        value = task.values.get(name, best.values.get(name, parameter.default))
        if value is None:
            raise NoProgram(f'there is no value for "{name}"; name it in the instruction or set it')
        if not parameter.used and normal(value) not in map(normal, parameter.examples):
            shown = ", ".join(parameter.examples)
            raise NoProgram(f'what "{value}" changes was never shown; shown were only: {shown}')
        values[name] = value
    return values
