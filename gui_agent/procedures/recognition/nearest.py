"""Finds the learned wordings nearest to an instruction that none fits, with its values filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gui_agent.core.trajectory import Task
from gui_agent.elements.text import is_question
from gui_agent.elements.words import stem
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import (
    FORBIDDING,
    commands,
    idle,
    slots_in,
    template_parts,
    tokens,
)
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recognition.choose import NoProgram, choose
from gui_agent.procedures.recognition.paraphrase import InstructionNames, Span, assign, wording_of


def nearest_wordings(text: str, programs: Sequence[Program], view: View) -> Iterator[tuple[str, Program]]:
    """The wordings of procedures with the values of an instruction, and the procedures.

    The instruction shares a word with the wording or means the same command; it has a value for each slot and
    none besides; it negates nothing, and it asks only where the wording does.
    """
    words = tokens(text)
    if FORBIDDING.intersection(word.text for word in words):
        return
    for program in programs:
        if is_question(text) != is_question(program.templates[0]):
            continue
        wording = wording_of(program)
        names = InstructionNames(text, words, view, wording.words)
        names.strange += list(_plain_values(names, wording.words))
        names.strange = _joined_values(names, program.templates[0])
        spans = assign(wording, slots_in(program.templates[0]), names)
        if spans is None:
            continue
        rest = [word for word in names.unused_words(spans.values()) if not idle(word)]
        if not any(map(wording.has, rest)) or any(commands(one) and not wording.has(one) for one in rest):
            continue
        values = {slot: names.text_of(span) for slot, span in spans.items()}
        if (said := _said_with(program, values)) is not None:
            yield said, program


def _plain_values(names: InstructionNames, vocabulary: frozenset[str]) -> Iterator[Span]:
    """The runs of words that are neither names, nor commands, nor words of the wording."""
    taken = {*range(0, 1)}.union(*(range(*one) for one in (*names.quoted, *names.certain, *names.opening)))
    run: list[int] = []
    for place in range(len(names.words) + 1):
        word = names.words[place] if place < len(names.words) else None
        if word is not None and place not in taken and word.is_word and _may_be_value(word.text, vocabulary):
            run.append(place)
        elif run:
            yield run[0], run[-1] + 1
            run = []


def _joined_values(names: InstructionNames, template: str) -> list[Span]:
    """The values, those as one between which only words stand that say nothing and are not the wording's."""
    own = {part.literal for part in template_parts(template)}
    joined: list[Span] = []
    for start, end in sorted(names.strange):
        between = names.words[joined[-1][1] : start] if joined else ()
        if between and all(idle(one.text) and one.text not in own for one in between):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _may_be_value(word: str, vocabulary: frozenset[str]) -> bool:
    return not idle(word) and not commands(word) and stem(word) not in vocabulary


def _said_with(program: Program, values: Mapping[str, str]) -> str | None:
    """The wording with these values, if it means just this program and these values."""
    said = program.instruction(values)
    try:
        found = choose(Task(said), [program])
    except NoProgram:
        return None
    return said if all(found.values.get(name) == value for name, value in values.items()) else None
