"""Chooses the program that an instruction asks for, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gui_agent.core.binding import slots_named, with_values
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Task
from gui_agent.procedures.language.program import Program, SlotParameter
from gui_agent.procedures.language.template import FLOOR, MARGIN, fit, right_type, tokens
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recognition.opening import FirstTarget, first_that_opens, opening
from gui_agent.procedures.recognition.paraphrase import conceivable, paraphrases

TOLD_APART = 1.0
"""Words by which a procedure must lead the next one if the wording was never demonstrated."""


@dataclass(frozen=True, slots=True)
class FittingProgram:
    """A program with the best match of the instruction with its templates."""

    program: Program
    score: float
    values: Mapping[str, str]
    ambiguous: bool = False


class NoProgram(Exception):
    """No program fits the task well enough; the message names the nearest."""


class Undecided(NoProgram):
    """Several programs fit; the exception lists them with their values, the best first."""

    def __init__(self, message: str, equals: Sequence[FittingProgram]) -> None:
        super().__init__(message)
        self.equals = tuple(equals)


class NotYet(Undecided):
    """Only another screen than the current one can decide which program fits, if any."""


def candidates(task: Task, programs: Sequence[Program], *, briefly: bool = False) -> list[FittingProgram]:
    """All programs, ordered by how well the instruction fits; see `template.fit` for `briefly`."""
    found = [_best_reading(task, program, briefly) for program in programs]
    return sorted((one for one in found if one is not None), key=lambda one: -one.score)


def _best_reading(task: Task, program: Program, briefly: bool) -> FittingProgram | None:
    # A procedure's own wording with exactly these values needs no matching, whatever the values contain.
    if in_its_own_words(task, program):
        return FittingProgram(program, 1.0, {})
    fits = (fit(one, task.text, program.parameters, briefly=briefly) for one in program.templates)
    best = max((one for one in fits if one is not None), key=lambda one: one.score, default=None)
    return None if best is None else FittingProgram(program, best.score, best.values, best.ambiguous)


def choose(task: Task, programs: Sequence[Program], view: View | None = None) -> FittingProgram:
    """The program for a task with all its values.

    The best match of the wording. Among equals, the one whose first target is on the current screen; if no
    equal can begin there, a slightly worse match that can. See `opening`. If the screen does not decide, the
    one whose own wording is the task.
    """
    ranked = candidates(task, programs)
    admitted = _particular([one for one in ranked if one.score >= FLOOR])
    if not admitted:
        near = f"; the nearest is: {_wording(ranked[0])}" if ranked else ""
        return _in_other_words(task, programs, near, view)
    equals: Sequence[FittingProgram]
    equals = [one for one in admitted if one.score > admitted[0].score - MARGIN]
    if view is not None:
        equals = _decided_by_screen(task, equals, admitted[len(equals) :], programs, view)
        equals = [one for one in equals if in_its_own_words(task, one.program)] or equals
    others = [one for one in equals if one.program.steps != equals[0].program.steps]
    if others:
        wordings = dict.fromkeys(map(_wording, (equals[0], others[0])))
        raise Undecided(f"two procedures fit equally well: {' and '.join(wordings)}", [equals[0], *others])
    best = _complete_values(task, equals[0])
    if _has_other_readings(task, best):
        raise NoProgram(
            f"the instruction can be read in several ways as {_wording(best)}; put the values in quotes"
        )
    return best


def _wording(one: FittingProgram) -> str:
    return shorten(one.program.templates[0])


def _has_other_readings(task: Task, candidate: FittingProgram) -> bool:
    return candidate.ambiguous and not set(candidate.values) <= set(task.values)


def _particular(ranked: Sequence[FittingProgram]) -> list[FittingProgram]:
    """Drop candidates whose value is part of another fitting candidate's fixed wording.

    Two demonstrations are needed to distinguish wording from values.
    """
    known = [one for one in ranked if one.program.demonstrations > 1]

    def has_wording_as_value(one: FittingProgram) -> bool:
        return any(other.score >= one.score and _words_of(other) < _words_of(one) for other in known)

    return [one for one in ranked if not has_wording_as_value(one)]


def _words_of(candidate: FittingProgram) -> Counter[str]:
    return Counter(word.text for word in tokens(" ".join(candidate.values.values())) if word.is_word)


def _in_other_words(task: Task, programs: Sequence[Program], near: str, view: View | None) -> FittingProgram:
    brief = _briefly_worded(task, programs)
    if view is None:
        known = [one.program for one in brief]
        free = [one for one in conceivable(task.text, programs) if one not in known]
        possible = [*brief, *(FittingProgram(program, 0.0, {}) for program in free)]
        if possible:
            raise NotYet(f"no demonstration fits this instruction word by word{near}", possible)
        raise NoProgram(f"no demonstration fits this instruction{near}")
    found = paraphrases(task.text, programs, view)
    if found and (len(found) == 1 or found[0].weight - found[1].weight >= TOLD_APART):
        told = FittingProgram(found[0].program, FLOOR, found[0].values)
        first = opening(told.program, told.values, view, task.text)
        if first is not None and not first.there:
            raise _nothing_to_begin_with([told])
        return _complete_values(task, told)
    begun = _beginning(task, brief, view)
    if begun is None:
        raise NoProgram(f"no demonstration fits this instruction{near}")
    return begun


def _decided_by_screen(
    task: Task,
    equals: Sequence[FittingProgram],
    lesser: Sequence[FittingProgram],
    programs: Sequence[Program],
    view: View,
) -> Sequence[FittingProgram]:
    """The equals that the screen allows, or a slightly worse match that can begin there."""
    openings = [opening(one.program, _complete_values(task, one).values, view, task.text) for one in equals]
    if any(one is None or one.there for one in openings):
        decided = first_that_opens(openings)
        return equals if decided is None else [equals[decided]]
    instead = _beginning(task, lesser or _briefly_worded(task, programs, equals), view)
    if instead is None and len(equals) > 1:
        raise _nothing_to_begin_with(equals)
    return [instead or equals[0]]


def _nothing_to_begin_with(equals: Sequence[FittingProgram]) -> NotYet:
    return NotYet(f"the first target is not on the screen: {_wording(equals[0])}", equals)


def _briefly_worded(
    task: Task, programs: Sequence[Program], than: Sequence[FittingProgram] = ()
) -> list[FittingProgram]:
    """Matches except for omitted words that need fewer words as values than the others."""
    brief = [one for one in candidates(task, programs, briefly=True) if one.score >= FLOOR]
    for other in than:
        brief = [one for one in brief if _words_of(one) < _words_of(other)]
    return _particular(brief)


def _beginning(task: Task, possible: Sequence[FittingProgram], view: View) -> FittingProgram | None:
    """The only candidate whose first target is on the screen and named by the instruction, if any."""
    begun: list[tuple[FittingProgram, FirstTarget]] = []
    for candidate in possible:
        if is_usable(task, candidate):
            whole = _complete_values(task, candidate)
            first = opening(whole.program, whole.values, view, task.text)
            if first is not None and first.there and first.asked:
                begun.append((whole, first))
    decided = first_that_opens([first for _, first in begun])
    return None if decided is None else begun[decided][0]


def is_usable(task: Task, candidate: FittingProgram) -> bool:
    """Whether a task gives all the values of a candidate unambiguously."""
    try:
        _complete_values(task, candidate)
    except NoProgram:
        return False
    return not _has_other_readings(task, candidate)


def asked_in_full(task: Task, program: Program) -> bool:
    """Whether a task has the complete wording of a program and all its values unambiguously."""
    return any(one.score == 1.0 and is_usable(task, one) for one in candidates(task, [program]))


def in_its_own_words(task: Task, program: Program) -> bool:
    """Whether a task is a procedure's own wording with the values that are given by name."""
    told = all(one.default is not None or one.name in task.values for one in program.parameters)
    return told and task.text == program.instruction(task.values)


def _complete_values(task: Task, candidate: FittingProgram) -> FittingProgram:
    """A candidate with values given by name, otherwise from the instruction, otherwise the default."""
    known = [parameter.name for parameter in candidate.program.parameters]
    placed = slots_named(task.text)  # a value with a slot in the text belongs there, whatever its name
    strange = sorted(set(task.values).difference(known, placed))
    if strange:
        slots = ", ".join(sorted(known)) or "no slots"
        raise NoProgram(f'there is no slot "{strange[0]}"; this procedure has: {slots}')
    read = {name: with_values(text, task.values) for name, text in candidate.values.items()}
    given = {name: text for name, text in task.values.items() if name not in placed or name not in read}
    values = {one.name: _value_for(one, given, read) for one in candidate.program.parameters}
    return replace(candidate, values=values)


def _value_for(parameter: SlotParameter, given: Mapping[str, str], read: Mapping[str, str]) -> str:
    name = parameter.name
    value = given.get(name, read.get(name, parameter.default))
    if value is None:
        raise NoProgram(f'there is no value for "{name}"; name it in the instruction or set it')
    if value == read.get(name) and not right_type(value, parameter.type):
        raise NoProgram(f'{name} is a {parameter.type}, not "{value}"')
    if not parameter.used and normal(value) not in map(normal, parameter.examples):
        shown = ", ".join(parameter.examples)
        raise NoProgram(f'no demonstration shows the effect of "{value}"; demonstrated were only: {shown}')
    return value
