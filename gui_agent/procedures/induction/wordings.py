"""Reading instructions that are each worded in their own way: by what was done with their parts."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.procedures.induction.alignment import aligned
from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.induction.instructions import Reading, slug, unique
from gui_agent.procedures.induction.mentions import ORDINAL_WORD
from gui_agent.procedures.induction.priors import CERTAIN
from gui_agent.procedures.induction.steps import Told
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.synonyms import commands, idle
from gui_agent.procedures.language.tokens import QUOTE, WordToken, find_span, span_text, tokens
from gui_agent.procedures.language.view import View

Span = tuple[int, int]


def read_by_acts(instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]) -> Reading | None:
    """A template for each instruction, whose slots are the parts that the acts made use of.

    Returns:
        None when the acts are not the same in kind, no part of the instructions was made use of, or
        something that looks like a value, such as a number, was not.
    """
    demonstrated = _shared(instructions, demonstrated)
    if len({tuple(act.shape for act in steps) for steps in demonstrated}) != 1:
        return None
    lines = [_Mentions(text, steps) for text, steps in zip(instructions, demonstrated, strict=True)]
    columns: dict[str, list[Span]] = {}
    for number, act in enumerate(demonstrated[0]):
        spans = [line.of(number) for line in lines]
        found = [span for span in spans if span is not None]
        if len(found) < len(lines) or found in columns.values():
            continue
        if (
            act.data is None
            and len(lines) > 1
            and len({line.text_of(s) for line, s in zip(lines, found, strict=True)}) == 1
        ):
            continue
        field = next(iter(act.view.captions(act.element)), "") if act.data and act.element else ""
        columns[unique(slug(field) or "name", columns)] = found
    if not columns or any(
        line.unused([spans[number] for spans in columns.values()]) for number, line in enumerate(lines)
    ):
        return None
    values = tuple(
        {name: line.text_of(spans[number]) for name, spans in columns.items()}
        for number, line in enumerate(lines)
    )
    templates = [
        line.with_slots({name: s[number] for name, s in columns.items()}) for number, line in enumerate(lines)
    ]
    return Reading(tuple(dict.fromkeys(templates)), values)


def _shared(instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]) -> list[list[Effect]]:
    """What all did, without the slips of each."""
    nowhere = View.of(None)
    told = [
        [Told(act, Scope(nowhere, {}, text)) for act in steps]
        for text, steps in zip(instructions, demonstrated, strict=True)
    ]
    found = aligned(told)
    columns = [column for column in found if None not in column]
    lost = sum(one is not None and one.act.doubt >= CERTAIN for c in found if None in c for one in c)
    if 3 * lost > sum(one is not None for column in columns for one in column):
        return [list(steps) for steps in demonstrated]
    return [[one.act for column in columns if (one := column[i]) is not None] for i in range(len(told))]


class _Mentions:
    """The parts of one instruction that name what its acts were about."""

    def __init__(self, text: str, steps: Sequence[Effect]) -> None:
        self.text, self.steps = text, steps
        self.tokens: tuple[WordToken, ...] = tokens(text)

    def text_of(self, span: Span) -> str:
        return span_text(self.text, self.tokens, *span)

    def of(self, number: int) -> Span | None:
        """What was typed, or the name of the thing acted on, or the only other name shown there."""
        act = self.steps[number]
        if act.data is not None:
            return next(iter(find_span(act.data, self.tokens)), None)
        own = self._named(act.element.name) if act.element is not None else None
        if own is not None:
            return own
        others = {self._named(element.name) for element in act.view.elements if element.name} - {None}
        return others.pop() if len(others) == 1 else None

    def _named(self, name: str) -> Span | None:
        """Where a name stands, written as on the screen; a word for a command is no name."""
        if all(idle(word.text) or commands(word.text) or not word.is_word for word in tokens(name)):
            return None
        return next((s for s in find_span(name, self.tokens) if self.text_of(s) == name.strip()), None)

    def unused(self, spans: Sequence[Span]) -> bool:
        """Whether the instruction has a number, or something in quotes, that none of the spans covers."""
        taken = {index for start, end in spans for index in range(start, end)}
        quotes = [index for index, token in enumerate(self.tokens) if token.text == QUOTE]
        telling = {
            i
            for i, token in enumerate(self.tokens)
            if token.text[0].isdecimal() or ORDINAL_WORD.match(token.text)
        }
        for first, last in zip(quotes[::2], quotes[1::2], strict=False):
            telling |= set(range(first + 1, last))
        return not telling <= taken

    def with_slots(self, spans: dict[str, Span]) -> str:
        text = self.text
        for name, (start, end) in sorted(spans.items(), key=lambda pair: -pair[1][0]):
            first, last = self.tokens[start].start, self.tokens[end - 1].end
            text = f"{text[:first]}{{{name}}}{text[last:]}"
        return text
