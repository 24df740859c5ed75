"""Choosing the program that an instruction asks for, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Task
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import FLOOR, MARGIN, fit
from gui_agent.procedures.language.tokens import tokens
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recognition.opening import FirstTarget, first_that_opens, opening
from gui_agent.procedures.recognition.paraphrase import conceivable, paraphrases

TOLD_APART = 1.0
"""By how many words a procedure must be told from the next one when the wording was never shown."""


@dataclass(frozen=True, slots=True)
class FittingProgram:
    """A program with the best reading of the instruction through its templates."""

    program: Program
    score: float
    values: Mapping[str, str]
    ambiguous: bool = False


class NoProgram(Exception):
    """No program fits the task well enough; the message says what was near."""


class Undecided(NoProgram):
    """Several programs may be meant; they are given with their values, the best first."""

    def __init__(self, message: str, equals: Sequence[FittingProgram]) -> None:
        super().__init__(message)
        self.equals = tuple(equals)


class NotYet(Undecided):
    """It takes a screen, and another one than the present, to tell which program is meant, if any is."""


def candidates(task: Task, programs: Sequence[Program], *, briefly: bool = False) -> list[FittingProgram]:
    """All programs by how well the instruction fits them, best first; see `template.fit` for `briefly`."""
    found: list[FittingProgram] = []
    for program in programs:
        fits = [
            reading
            for template in program.templates
            if (reading := fit(template, task.text, program.parameters, briefly=briefly)) is not None
        ]
        if fits:
            best = max(fits, key=lambda reading: reading.score)
            found.append(FittingProgram(program, best.score, best.values, best.ambiguous))
    return sorted(found, key=lambda candidate: -candidate.score)


def choose(task: Task, programs: Sequence[Program], view: View | None = None) -> FittingProgram:
    """The program for a task with all its values.

    Of those that the wording admits the best; of equals the one that the present screen speaks for, and when
    none of them can begin there, one that fits a little worse and can. See `opening`. Where the screen speaks
    for none, it is the one whose own wording the task is, if there is one.

    Raises:
        NoProgram: no template fits, two fit equally well, or a slot has no value.
    """
    # A procedure's own wording with these very values needs no reading, whatever the values contain.
    worded = _in_own_words(task, programs)
    own = worded[0] if worded and all(_same(one, worded[0]) for one in worded) else None
    if own is not None:
        worded = _particular([own, *_as_good(task, own, programs)])
        if len(worded) == 1:
            return own
    ranked = worded or candidates(task, programs)
    admitted = worded or _particular([candidate for candidate in ranked if candidate.score >= FLOOR])
    if not admitted:
        return _in_other_words(task, programs, ranked, view)
    best = admitted[0]
    rivals = [c for c in admitted[1:] if c.score > best.score - MARGIN and not _same(c, best)]
    if view is not None:
        try:
            decided = _by_screen(task, [best, *rivals], admitted, programs, view)
        except NotYet:
            if own is None:
                raise
            decided = None
        decided = decided or own
        if decided is not None:
            best, rivals = decided, []
    if rivals:
        wordings = dict.fromkeys(shorten(one.program.templates[0]) for one in (best, rivals[0]))
        raise Undecided(f"two procedures fit equally well: {' and '.join(wordings)}", [best, *rivals])
    values = _complete(task, best)
    if _unclear(task, best):
        raise NoProgram(
            f"the instruction can be read in several ways as {shorten(best.program.templates[0])}; "
            "put the values in quotes"
        )
    return FittingProgram(best.program, best.score, values)


def _same(one: FittingProgram, other: FittingProgram) -> bool:
    return one.program.steps == other.program.steps


def _unclear(task: Task, candidate: FittingProgram) -> bool:
    """Whether the instruction could mean other values as well, and nobody gave them by name."""
    return candidate.ambiguous and not set(candidate.values) <= set(task.values)


def _particular(ranked: Sequence[FittingProgram]) -> list[FittingProgram]:
    """Those that take for a value no words that another one, which fits as well, knows as its wording.

    What is wording and what is a value takes two demonstrations to tell.
    """
    known = [(c.score, _words_of(c)) for c in ranked if c.program.demonstrations > 1]
    return [
        one
        for one in ranked
        if not any(score >= one.score and words < _words_of(one) for score, words in known)
    ]


def _words_of(candidate: FittingProgram) -> Counter[str]:
    """The words that are taken for values."""
    return Counter(w.text for value in candidate.values.values() for w in tokens(value) if w.is_word)


def _in_other_words(
    task: Task, programs: Sequence[Program], ranked: Sequence[FittingProgram], view: View | None
) -> FittingProgram:
    """The procedure that an instruction asks for in words of its own, when that is beyond doubt."""
    near = f"; the nearest is: {shorten(ranked[0].program.templates[0])}" if ranked else ""
    if view is None:
        possible = _briefly_worded(task, programs, ())
        known = {id(candidate.program) for candidate in possible}
        free = [one for one in conceivable(task.text, programs) if id(one) not in known]
        possible += [FittingProgram(program, 0.0, {}) for program in free]
        if possible:
            raise NotYet(f"no demonstration fits this instruction word by word{near}", possible)
        raise NoProgram(f"no demonstration fits this instruction{near}")
    found = paraphrases(task.text, programs, view)
    if found and (len(found) == 1 or found[0].weight - found[1].weight >= TOLD_APART):
        if not found[0].begins:
            raise _nothing_to_begin_with([FittingProgram(one.program, FLOOR, one.values) for one in found])
        best = FittingProgram(found[0].program, FLOOR, found[0].values)
        return FittingProgram(best.program, best.score, _complete(task, best))
    brief = _beginning(task, _briefly_worded(task, programs, ()), view)
    if brief is None:
        raise NoProgram(f"no demonstration fits this instruction{near}")
    return FittingProgram(brief.program, brief.score, _complete(task, brief))


def _by_screen(
    task: Task,
    equals: Sequence[FittingProgram],
    admitted: Sequence[FittingProgram],
    programs: Sequence[Program],
    view: View,
) -> FittingProgram | None:
    """The one that the screen speaks for; None when it does not decide."""
    openings = [opening(c.program, _complete(task, c), view, task.text) for c in equals]
    if any(one is None or one.there for one in openings):
        decided = first_that_opens(openings) if len(equals) > 1 else 0
        return None if decided is None else equals[decided]
    lesser = [c for c in admitted if not any(_same(c, one) for one in equals)]
    instead = _beginning(task, lesser or _briefly_worded(task, programs, equals), view)
    if instead is None and len(equals) > 1:
        raise _nothing_to_begin_with(equals)
    return instead or equals[0]


def _nothing_to_begin_with(equals: Sequence[FittingProgram]) -> NotYet:
    wording = shorten(equals[0].program.templates[0])
    return NotYet(f"nothing on the screen tells how to begin: {wording}", equals)


def _briefly_worded(
    task: Task, programs: Sequence[Program], than: Sequence[FittingProgram]
) -> list[FittingProgram]:
    """Those that fit but for words that are left out, and that take fewer words for values than others."""
    brief = [c for c in candidates(task, programs, briefly=True) if c.score >= FLOOR]
    fewer = [c for c in brief if all(_words_of(c) < _words_of(one) for one in than)]
    return _particular(fewer)


def _beginning(task: Task, possible: Sequence[FittingProgram], view: View) -> FittingProgram | None:
    """The one that can begin on the screen with something that the instruction names, when there is one."""
    begun: list[tuple[FittingProgram, FirstTarget]] = []
    for candidate in possible:
        try:
            first = opening(candidate.program, _complete(task, candidate), view, task.text)
        except NoProgram:
            continue
        if first is not None and first.there and first.asked and not _unclear(task, candidate):
            begun.append((candidate, first))
    decided = first_that_opens([first for _, first in begun])
    return None if decided is None else begun[decided][0]


def _doubted(task: Task, worded: Program, programs: Sequence[Program]) -> bool:
    """Whether a single demonstration stands against a procedure that several show for this wording."""
    ranked = candidates(task, [program for program in programs if program.demonstrations > 1])
    best = ranked[0] if ranked else None
    return best is not None and worded.demonstrations == 1 and best.score > 1.0 - MARGIN


def _as_good(task: Task, own: FittingProgram, programs: Sequence[Program]) -> list[FittingProgram]:
    """Other procedures that an instruction fits as wholly as the one whose own wording it is."""
    others = [one for one in programs if set(task.values) <= {slot.name for slot in one.parameters}]
    equals = [one for one in candidates(task, others) if one.score == own.score and not _same(one, own)]
    return [one for one in equals if _usable(task, one)]


def _usable(task: Task, candidate: FittingProgram) -> bool:
    """Whether all its values are known, and could be no others."""
    try:
        _complete(task, candidate)
    except NoProgram:
        return False
    return not _unclear(task, candidate)


def asked_in_full(task: Task, program: Program) -> bool:
    """Whether a task has the whole wording of a program and all its values, which could be no others."""
    found = candidates(task, [program])
    return in_its_own_words(task, program) or (
        bool(found) and found[0].score == 1.0 and _usable(task, found[0])
    )


def _in_own_words(task: Task, programs: Sequence[Program]) -> list[FittingProgram]:
    """The procedures whose wording, with the values given by name, the task is; none when that is doubted."""
    worded = [program for program in programs if in_its_own_words(task, program)]
    if any(_doubted(task, program, programs) for program in worded):
        return []
    return [FittingProgram(one, 1.0, _complete(task, FittingProgram(one, 1.0, {}))) for one in worded]


def in_its_own_words(task: Task, program: Program) -> bool:
    """Whether a task is a procedure's own wording with the values that are given by name."""
    told = all(one.default is not None or one.name in task.values for one in program.parameters)
    return told and task.text == program.instruction(task.values)


def _complete(task: Task, best: FittingProgram) -> dict[str, str]:
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
