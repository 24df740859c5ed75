"""Choosing the program that an instruction asks for, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Literal

from gui_agent.core.binding import slots_named, with_values
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Task
from gui_agent.elements.words import letters_alike, stem
from gui_agent.procedures.language.program import Aim, Captioned, Const, DoStep, Program, Slot, nodes
from gui_agent.procedures.language.template import (
    FLOOR,
    FORBIDDING,
    MARGIN,
    QUOTE,
    WordToken,
    commands,
    described_commands,
    find_span,
    fit,
    idle,
    right_type,
    slots_in,
    span_text,
    tokens,
)
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recognition.opening import FirstTarget, first_that_opens, opening

Side = Literal["origin", "goal", ""]

_BEFORE: dict[Side, frozenset[str]] = {"origin": frozenset(("from", "by")), "goal": frozenset(("to",))}
_AFTER: dict[Side, frozenset[str]] = {
    "origin": frozenset(("'s", "\u2019s", "wrote", "sent", "mailed", "gave", "told")),
    "goal": frozenset(("needs", "receives", "gets", "awaits")),
}


def side(before: str, after: str) -> Side:
    """The side that the words before and after a name put it on; empty when they say nothing, or both."""
    sides = {one for one, words in _BEFORE.items() if before in words}
    sides |= {one for one, words in _AFTER.items() if after in words}
    return sides.pop() if len(sides) == 1 else ""


def side_of(contexts: Iterable[tuple[str, str]]) -> Side:
    """The side on which a name stands in several wordings; empty when it is not always the same."""
    sides = {found for before, after in contexts if (found := side(before, after))}
    return sides.pop() if len(sides) == 1 else ""


MOST_STRANGE = 0.34
"""The largest share of words that were never shown and are no common words."""

_WITHIN = frozenset(("in", "on", "at"))
SLIP = 0.85

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A procedure that an instruction asks for in other words, with the values it names."""

    program: Program
    values: Mapping[str, str]
    weight: float
    """By how many words of the instruction it is told from the other procedures."""
    begins: bool


@dataclass(frozen=True)
class _Known:
    words: frozenset[str]
    commands: frozenset[int]
    contexts: Mapping[str, frozenset[tuple[str, str]]]
    """For each slot the words before and after it."""
    quoted: frozenset[str]
    """Slots that always stand in quotes."""
    shown: frozenset[str]
    """Slots whose values are names of things on the first screen."""


def conceivable(text: str, programs: Sequence[Program]) -> list[Program]:
    """The procedures whose command an instruction gives; it takes a screen to tell what it names."""
    words = [word.text for word in tokens(text)]
    if FORBIDDING.intersection(words):
        return []
    telling = [word for word in words if not idle(word)]
    return [one for one in _free(programs) if any(_commands(word, _known_wording(one)) for word in telling)]


def paraphrases(text: str, programs: Sequence[Program], view: View) -> list[Paraphrase]:
    """The procedures that an instruction may ask for, the likeliest first."""
    free = _free(programs)
    words = tokens(text)
    if not free or FORBIDDING & {word.text for word in words}:
        return []
    vocabulary = frozenset().union(*(_known_wording(program).words for program in free))
    names = _Names(text, words, view, vocabulary)
    found: list[tuple[Program, dict[str, str], list[str]]] = []
    for program in free:
        spans = _assign(_known_wording(program), slots_in(program.templates[0]), names)
        if spans is None:
            continue
        rest = names.left({*spans.values()})
        if _is_understood(rest, _known_wording(program), vocabulary):
            found.append((program, {n: span_text(text, words, *s) for n, s in spans.items()}, rest))
    possible = [program for program, _, _ in found]
    weighed = [
        Paraphrase(
            program,
            values,
            _weight_among_rivals(program, rest, possible),
            _begins(program, values, view, text),
        )
        for program, values, rest in found
    ]
    return sorted((one for one in weighed if one.weight > 0), key=lambda one: -one.weight)


def _free(programs: Sequence[Program]) -> list[Program]:
    return [program for program in programs if program.own_words and program.parameters]


def _begins(program: Program, values: Mapping[str, str], view: View, text: str) -> bool:
    first = opening(program, values, view, text)
    return first is None or first.there


class _Names:
    """The parts of an instruction that may be values."""

    def __init__(
        self, text: str, words: tuple[WordToken, ...], view: View, vocabulary: frozenset[str]
    ) -> None:
        self.text, self.words = text, words
        marks = [index for index, word in enumerate(words) if word.text == QUOTE]
        self.quoted: list[Span] = [
            (a + 1, b) for a, b in zip(marks[::2], marks[1::2], strict=False) if a + 1 < b
        ]
        self.places: list[Span] = self._places(view)
        """What the screen is about, named as a place: `in Primary` under this heading."""
        self.shown: list[Span] = [span for span in self._names_on_screen(view) if span not in self.places]
        self.strange: list[Span] = []
        """Runs of words written like names that are not on the screen."""
        self.opening: list[Span] = []
        """The first word, which is written like a name whatever it is."""
        self._find_strange(vocabulary)

    def _names_on_screen(self, view: View) -> list[Span]:
        found: list[Span] = []
        for name in {element.name.strip() for element in view.elements if element.name.strip()}:
            if all(idle(word.text) or commands(word.text) or not word.is_word for word in tokens(name)):
                continue
            found += [s for s in find_span(name, self.words) if span_text(self.text, self.words, *s) == name]
        found = [span for span in found if not self._in_quotes(span)]
        return [s for s in found if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in found)]

    def _places(self, view: View) -> list[Span]:
        names = {element.name for element in view.elements if element.role == "heading"}
        found = [span for name in names for span in find_span(name, self.words)]
        return [
            (start, end)
            for start, end in found
            if any(word.text in _WITHIN for word in self.words[max(0, start - 2) : start])
        ]

    def _in_quotes(self, span: Span) -> bool:
        return any(start <= span[0] and span[1] <= end for start, end in self.quoted)

    def _find_strange(self, vocabulary: frozenset[str]) -> None:
        taken = {i for start, end in (*self.quoted, *self.shown, *self.places) for i in range(start, end)}
        run: list[int] = []
        for index in range(len(self.words) + 1):
            if index < len(self.words) and index not in taken and self._like_a_name(index, vocabulary):
                run.append(index)
                continue
            if run:
                (self.opening if self._opens(run[0]) else self.strange).append((run[0], run[-1] + 1))
            run = []

    def _opens(self, index: int) -> bool:
        return index == 0 or self.words[index - 1].text in (".", "!", "?", ":", QUOTE)

    def _like_a_name(self, index: int, vocabulary: frozenset[str]) -> bool:
        word = self.words[index]
        written = self.text[word.start : word.end]
        if not word.is_word or idle(word.text) or commands(word.text) or stem(word.text) in vocabulary:
            return False
        return written[0].isupper() or any(c.isdecimal() or c in "@_" for c in written)

    def left(self, used: set[Span]) -> list[str]:
        taken = {i for start, end in (*used, *self.places) for i in range(start, end)}
        return [word.text for i, word in enumerate(self.words) if i not in taken and word.is_word]


def _assign(known: _Known, slots: Sequence[str], names: _Names) -> dict[str, Span] | None:
    quoted = [slot for slot in slots if slot in known.quoted]
    plain = [slot for slot in slots if slot not in known.quoted]
    if len(quoted) != len(names.quoted):
        return None
    best: list[tuple[int, dict[str, Span]]] = []
    for candidates in ([*names.shown, *names.strange], [*names.shown, *names.strange, *names.opening]):
        for chosen in permutations(candidates, len(plain)):
            if all(span in chosen for span in (*names.shown, *names.strange)):
                spans = dict(zip(plain, chosen, strict=True))
                if len(spans) > 1 and any(_contradicts(known, *pair, names) for pair in spans.items()):
                    continue
                best.append((sum(_fits(known, slot, span, names) for slot, span in spans.items()), spans))
        if best:
            break
    best.sort(key=lambda pair: -pair[0])
    if not best or (len(best) > 1 and best[0][0] == best[1][0]):
        return None
    return {**best[0][1], **dict(zip(quoted, names.quoted, strict=True))}


def _fits(known: _Known, slot: str, span: Span, names: _Names) -> int:
    before, after = _around(names.words, *span)
    around = known.contexts.get(slot, frozenset())
    there = slot in known.shown and span in names.shown
    alike = bool(side_of(around)) and side_of(around) == side(before, after)
    same = 2 * (before in {one for one, _ in around}) + (after in {other for _, other in around})
    return same + there + 4 * alike


def _contradicts(known: _Known, slot: str, span: Span, names: _Names) -> bool:
    """Whether a name stands on the other side than a slot always does: who gives is not who gets."""
    own, there = side_of(known.contexts.get(slot, ())), side(*_around(names.words, *span))
    return bool(own and there) and own != there


def _around(words: Sequence[WordToken], start: int, end: int) -> tuple[str, str]:
    before = words[start - 1].text if start else ""
    return before, words[end].text if end < len(words) else ""


def _is_understood(rest: Sequence[str], known: _Known, vocabulary: frozenset[str]) -> bool:
    """Whether the words give this procedure's command and no other one, and hardly anything is strange."""
    telling = [word for word in rest if not idle(word)]
    about = [commands(word) for word in telling if stem(word) not in known.words]
    if any(one and not one & known.commands for one in about):
        return False
    if not any(_commands(word, known) for word in telling):
        return False
    strange = [
        w for w in telling if not (_familiar(stem(w), vocabulary) or commands(w) or described_commands(w))
    ]
    return len(strange) <= MOST_STRANGE * len(telling)


def _commands(word: str, known: _Known) -> bool:
    return bool((commands(word) | described_commands(word)) & known.commands)


def _familiar(root: str, vocabulary: frozenset[str]) -> bool:
    """Whether a word was shown, if need be with a slip of the pen or without its beginning (`mail`)."""
    if root in vocabulary:
        return True
    longer = [known for known in vocabulary if min(len(known), len(root)) >= 4]
    return any(known.endswith(root) or letters_alike(known, root) >= SLIP for known in longer)


def _weight_among_rivals(program: Program, rest: Sequence[str], rivals: Sequence[Program]) -> float:
    weight = 0.05
    for word in {stem(one): one for one in rest if not idle(one)}.values():
        said = [rival for rival in rivals if _speaks_for(word, rival)]
        if program in said:
            weight += 1.0 if len(said) == 1 else 0.1
        elif said:
            weight -= 1.0
    return weight


def _speaks_for(word: str, program: Program) -> bool:
    known = _known_wording(program)
    return stem(word) in known.words or _commands(word, known)


@lru_cache(maxsize=500)
def _of(templates: tuple[str, ...], clicked: tuple[str, ...], shown: frozenset[str]) -> _Known:
    literal: list[str] = []
    contexts: dict[str, set[tuple[str, str]]] = {}
    quoted: dict[str, list[bool]] = {}
    for template in templates:
        slots = slots_in(template)
        marked = template
        for number, slot in enumerate(slots):
            marked = marked.replace(f"{{{slot}}}", f"slot_{number}_here")
        words = tokens(marked)
        for number, slot in enumerate(slots):
            for start, end in find_span(f"slot_{number}_here", words):
                contexts.setdefault(slot, set()).add(_around(words, start, end))
                quoted.setdefault(slot, []).append(_around(words, start, end) == (QUOTE, QUOTE))
        literal += [w.text for w in words if w.is_word and not w.text.endswith("_here")]
    telling = [word for word in (*literal, *clicked) if not idle(word)]
    return _Known(
        frozenset(map(stem, telling)),
        _commands_of(telling),
        {slot: frozenset(around) for slot, around in contexts.items()},
        frozenset(slot for slot, each in quoted.items() if all(each)),
        shown,
    )


def _commands_of(words: Sequence[str]) -> frozenset[int]:
    """What the words command; one with several meanings counts only where no other one tells."""
    each = [commands(word) for word in words]
    clear = frozenset().union(*(one for one in each if len(one) == 1))
    return clear.union(*(one for one in each if not one & clear))


def _known_wording(program: Program) -> _Known:
    clicked = [word.text for name in _names_clicked(program) for word in tokens(name) if word.is_word]
    return _of(program.templates, tuple(clicked), frozenset(_named_first(program)))


def _names_clicked(program: Program) -> Iterator[str]:
    for node in nodes(*(node for node in nodes(program.steps) if isinstance(node, Aim))):
        if isinstance(node, Captioned) and isinstance(node.text, Const):
            yield node.text.text


def _named_first(program: Program) -> Iterator[str]:
    first = program.steps[0] if program.steps else None
    if isinstance(first, DoStep):
        for node in nodes(first.at):
            if isinstance(node, Captioned) and isinstance(node.text, Slot):
                yield node.text.name


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
    """
    # A procedure's own wording with these very values needs no reading, whatever the values contain.
    worded = _in_own_words(task, programs)
    own = worded[0] if worded and all(_same(one, worded[0]) for one in worded) else None
    if own is not None:
        worded = _particular([own, *_others_as_good(task, own, programs)])
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
    if _has_other_readings(task, best):
        raise NoProgram(
            f"the instruction can be read in several ways as {shorten(best.program.templates[0])}; "
            "put the values in quotes"
        )
    return FittingProgram(best.program, best.score, values)


def _same(one: FittingProgram, other: FittingProgram) -> bool:
    return one.program.steps == other.program.steps


def _has_other_readings(task: Task, candidate: FittingProgram) -> bool:
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
    return Counter(w.text for value in candidate.values.values() for w in tokens(value) if w.is_word)


def _in_other_words(
    task: Task, programs: Sequence[Program], ranked: Sequence[FittingProgram], view: View | None
) -> FittingProgram:
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
        if first is not None and first.there and first.asked and not _has_other_readings(task, candidate):
            begun.append((candidate, first))
    decided = first_that_opens([first for _, first in begun])
    return None if decided is None else begun[decided][0]


def _is_doubted(task: Task, worded: Program, programs: Sequence[Program]) -> bool:
    ranked = candidates(task, [program for program in programs if program.demonstrations > 1])
    best = ranked[0] if ranked else None
    return best is not None and worded.demonstrations == 1 and best.score > 1.0 - MARGIN


def _others_as_good(task: Task, own: FittingProgram, programs: Sequence[Program]) -> list[FittingProgram]:
    others = [one for one in programs if set(task.values) <= {slot.name for slot in one.parameters}]
    equals = [one for one in candidates(task, others) if one.score == own.score and not _same(one, own)]
    return [one for one in equals if _is_usable(task, one)]


def _is_usable(task: Task, candidate: FittingProgram) -> bool:
    try:
        _complete(task, candidate)
    except NoProgram:
        return False
    return not _has_other_readings(task, candidate)


def asked_in_full(task: Task, program: Program) -> bool:
    """Whether a task has the whole wording of a program and all its values, which could be no others."""
    found = candidates(task, [program])
    return in_its_own_words(task, program) or (
        bool(found) and found[0].score == 1.0 and _is_usable(task, found[0])
    )


def _in_own_words(task: Task, programs: Sequence[Program]) -> list[FittingProgram]:
    """The procedures whose wording, with the values given by name, the task is; none when that is doubted."""
    worded = [program for program in programs if in_its_own_words(task, program)]
    if any(_is_doubted(task, program, programs) for program in worded):
        return []
    return [FittingProgram(one, 1.0, _complete(task, FittingProgram(one, 1.0, {}))) for one in worded]


def in_its_own_words(task: Task, program: Program) -> bool:
    """Whether a task is a procedure's own wording with the values that are given by name."""
    told = all(one.default is not None or one.name in task.values for one in program.parameters)
    return told and task.text == program.instruction(task.values)


def _complete(task: Task, best: FittingProgram) -> dict[str, str]:
    """Values given by name, else read from the instruction, else the default."""
    known = {parameter.name: parameter for parameter in best.program.parameters}
    placed = slots_named(task.text)  # a value with a place in the text belongs there, however it is called
    strange = sorted(set(task.values) - set(known) - set(placed))
    if strange:
        slots = ", ".join(sorted(known)) or "no slots"
        raise NoProgram(f'there is no slot "{strange[0]}"; this procedure has: {slots}')
    values: dict[str, str] = {}
    for name, parameter in known.items():
        read = with_values(best.values.get(name), task.values)
        given = task.values.get(name, parameter.default)
        value = read if read is not None and (name in placed or name not in task.values) else given
        if value is None:
            raise NoProgram(f'there is no value for "{name}"; name it in the instruction or set it')
        if not right_type(value, parameter.type) and value == read:
            raise NoProgram(f'{name} is a {parameter.type}, not "{value}"')
        if not parameter.used and normal(value) not in map(normal, parameter.examples):
            shown = ", ".join(parameter.examples)
            raise NoProgram(f'what "{value}" changes was never shown; shown were only: {shown}')
        values[name] = value
    return values
