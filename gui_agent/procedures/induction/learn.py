"""The entry point of induction: learns programs from demonstrations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration
from gui_agent.elements.words import FILLERS, words
from gui_agent.procedures.induction._alignment import Column, Group, align, different, reliable_groups
from gui_agent.procedures.induction._instructions import (
    ORDINAL_WORD,
    Reading,
    chance_slots,
    read_instructions,
    slug,
    type_of,
    unique,
)
from gui_agent.procedures.induction._named_places import named_places, read_off, shows
from gui_agent.procedures.induction._search import (
    ProgramSearch,
    fields_as_slots,
    too_noisy,
    with_one_by_one,
)
from gui_agent.procedures.induction.copying import with_copies
from gui_agent.procedures.induction.effects import Effect, effects, ends_unseen, without_passing
from gui_agent.procedures.induction.priors import (
    CERTAIN,
    FAVOURS,
    FINE,
    FOUNDED,
    IDLE_SLOT,
    JOINS,
    LOST,
    UNFOUNDED,
    VARIANT,
)
from gui_agent.procedures.induction.steps import ObservedEffect, Unexplained, with_pages
from gui_agent.procedures.induction.values import texts
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import (
    Aim,
    Captioned,
    Const,
    Count,
    DoStep,
    ForEach,
    Program,
    ReadText,
    Remember,
    SlotParameter,
    Step,
    Table,
    Until,
    Value,
    When,
    nodes,
    slots_used,
)
from gui_agent.procedures.language.template import (
    QUOTE,
    WordToken,
    commands,
    find_span,
    plain_quotes,
    says_anything,
    slots_in,
    span_text,
    tokens,
)
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recordings.from_run import complete


def with_parameters(
    program: Program, values: Sequence[Mapping[str, str]], slots: Sequence[Mapping[str, str]]
) -> Program:
    """Declare the slots; constants of a single demonstration become slots named after their fields."""
    templates = _without_idle_slots(program, values)
    program = replace(program, templates=templates)
    in_text = set().union(*map(slots_in, templates))
    in_steps = slots_used(*program.steps, program.answer)
    # A slot used only by optional steps does not determine what the procedure does.
    used = slots_used(*(s for s in program.steps if not isinstance(s, When)), program.answer)
    lists = slots_used(*(step.items for step in program.steps if isinstance(step, ForEach)))
    sure = _explained_throughout(program)
    declared: list[SlotParameter] = []
    for name in sorted(in_text | in_steps):
        examples = tuple(dict.fromkeys(own[name] for own in slots if own.get(name)))
        kind = "list" if name in lists else type_of(examples) if examples else "text"
        default = None if name in in_text or not examples else examples[0]
        settled = name in used or (sure and _has_no_influence(examples))
        declared.append(SlotParameter(name, kind, default, examples[:5], used=settled))
    steps, more = fields_as_slots(program.steps, {p.name for p in declared})
    return replace(program, steps=steps, parameters=(*declared, *more))


def _has_no_influence(examples: Sequence[str]) -> bool:
    """Whether a slot's values differ in many demonstrations that all acted the same way.

    Values with a verb say what was to be done, and another verb there may ask for the opposite.
    """
    return len(examples) > 3 and not any(commands(word.text) for word in tokens(" ".join(examples)))


def _explained_throughout(program: Program) -> bool:
    if any(isinstance(node, Table) for node in nodes(program.steps)):
        return False  # a table repeats the demonstrations and explains nothing
    return program.cost < FINE * len(program.steps) and is_agreed(program)


def is_agreed(program: Program) -> bool:
    """Whether all demonstrations show each step; with four or more, all but one."""
    steps = [node for node in nodes(program.steps) if isinstance(node, DoStep)]
    least = program.demonstrations - (program.demonstrations >= 4)
    return all(one.evidence >= least for one in steps)


def _without_idle_slots(program: Program, values: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    used = slots_used(*program.steps, program.answer)
    templates = program.templates
    for name in set().union(*values) - used:
        seen = {own.get(name, "") for own in values}
        if len({normal(text) for text in seen}) == 1:
            text = seen.pop()
            templates = tuple(
                t.replace(f"{{{name}}}", text.replace("{", "(").replace("}", ")")) for t in templates
            )
    return tuple(dict.fromkeys(templates))


Steps = tuple[Step, ...]
_PARTS = ("text", "at", "to", "times")


def with_idle_used(best: Costed[Steps], again: Costed[Steps], idle: frozenset[str]) -> Costed[Steps]:
    """The simplest program, with as few parts as possible replaced from the one that favours idle slots."""
    if len(best.it) != len(again.it):
        return again if slots_used(again.it) & idle else best
    options = [(idle & slots_used(steps), steps) for steps in _variants(best.it, again.it)]
    useful = [(len(used), steps) for used, steps in options if used]
    if not useful:
        return best
    most = max(count for count, _ in useful)
    steps = min(
        (steps for count, steps in useful if count == most), key=lambda steps: sum(1 for _ in nodes(steps))
    )
    found = Costed(best.cost + 1.0, steps)
    left = idle - slots_used(steps)
    return with_idle_used(found, again, left) if left and left != idle else found


def _variants(best: Steps, again: Steps) -> Iterator[Steps]:
    for index, (one, other) in enumerate(zip(best, again, strict=True)):
        if _acts_on_looked_for(again, index) and best[index - 1] != again[index - 1]:
            continue  # the loop that searches for it includes it
        if isinstance(one, DoStep) and isinstance(other, DoStep):
            changed = [
                replace(one, **{part: getattr(other, part)})
                for part in _PARTS
                if getattr(one, part) != getattr(other, part) and not _well_named(getattr(one, part))
            ]
        else:
            changed = [other] if one != other else []  # type: ignore[list-item]
        for step in changed:
            yield (*best[:index], step, *_following(step, best[index + 1 :], again[index + 1 :]))


def _following(step: Step, rest: Steps, again: Steps) -> Steps:
    """The steps after a changed one: a loop's search also distinguishes equal targets of the next step."""
    if isinstance(step, Until) and rest and _acts_on_looked_for((step, *again), 1):
        acting = rest[0]
        if isinstance(acting, DoStep) and acting.at is not None:
            return (replace(acting, at=Aim((*acting.at.choices, step.shown))), *rest[1:])
    return rest


def _acts_on_looked_for(steps: Steps, index: int) -> bool:
    step, loop = steps[index], steps[index - 1] if index else None
    return (
        isinstance(step, DoStep)
        and step.at is not None
        and isinstance(loop, Until)
        and loop.shown == step.at.choices[0]
    )


def _well_named(part: object) -> bool:
    """Whether the target always has the same name, so that nothing else needs an explanation."""
    if not isinstance(part, Aim):
        return False
    tests = part.choices[0].tests
    return any(isinstance(test, Captioned) and isinstance(test.text, Const) for test in tests)


Span = tuple[int, int]


def read_by_acts(instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]) -> Reading | None:
    """Templates for the instructions, whose slots are the parts that the acts used.

    Returns:
        None if the acts differ in kind, no part of the instructions was used, or a part that looks like a
        value, such as a number, was not used.
    """
    demonstrated = _common_effects(instructions, demonstrated)
    if len(set(map(_shapes, demonstrated))) != 1:
        return None
    lines = list(map(_Mentions, instructions, demonstrated))
    columns: dict[str, list[Span]] = {}
    for number, act in enumerate(demonstrated[0]):
        found = _spans_used(number, lines)
        if found and found not in columns.values():
            field = next(iter(act.captions), "") if act.data else ""
            columns[unique(slug(field) or "name", columns)] = found
    used = [dict(zip(columns, spans, strict=True)) for spans in zip(*columns.values(), strict=True)]
    if not used or any(line.has_unused(spans.values()) for line, spans in zip(lines, used, strict=True)):
        return None
    templates = dict.fromkeys(map(_Mentions.with_slots, lines, used))
    return Reading(tuple(templates), tuple(map(_Mentions.texts_of, lines, used)))


def _shapes(acts: Sequence[Effect]) -> tuple[tuple[object, ...], ...]:
    return tuple(act.shape for act in acts)


def _spans_used(number: int, lines: Sequence[_Mentions]) -> list[Span]:
    """The span that an act used in each instruction; empty if one has none, or all are equal."""
    found = [span for line in lines if (span := line.span_of(number)) is not None]
    if len(found) < len(lines):
        return []
    said = set(map(_Mentions.text_of, lines, found))
    varies = len(lines) == 1 or len(said) > 1 or lines[0].steps[number].data is not None
    return found if varies else []


def _common_effects(
    instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]
) -> list[list[Effect]]:
    """The acts common to all demonstrations; unchanged if some have too many extra effects."""
    columns = align(
        [_acts_with_scope(steps, {}, text) for text, steps in zip(instructions, demonstrated, strict=True)]
    )
    common = [column for column in columns if None not in column]
    others = chain.from_iterable(column for column in columns if None in column)
    lost = sum(one is not None and one.act.doubt >= CERTAIN for one in others)
    if 3 * lost > len(common) * len(instructions):
        return [list(steps) for steps in demonstrated]
    return [_acts_of(number, common) for number in range(len(instructions))]


def _acts_of(number: int, columns: Sequence[Column]) -> list[Effect]:
    return [one.act for column in columns if (one := column[number]) is not None]


def _acts_with_scope(
    steps: Sequence[Effect], slots: Mapping[str, str], task: str, **more: Any
) -> list[ObservedEffect]:
    """Acts with the scopes used to explain them; `more` is passed on to `Scope`."""
    nowhere = View.from_screen(None)
    chances = chance_slots(steps, slots)
    return [
        ObservedEffect(act, Scope(nowhere, slots, task, by_chance=chance, **more))
        for act, chance in zip(steps, chances, strict=True)
    ]


class _Mentions:
    """The parts of one instruction that name the targets or texts of its acts."""

    def __init__(self, text: str, steps: Sequence[Effect]) -> None:
        self.text, self.steps = text, steps
        self.tokens: tuple[WordToken, ...] = tokens(text)

    def text_of(self, span: Span) -> str:
        return span_text(self.text, self.tokens, *span)

    def texts_of(self, spans: Mapping[str, Span]) -> dict[str, str]:
        return {name: self.text_of(span) for name, span in spans.items()}

    def span_of(self, number: int) -> Span | None:
        """The span of the typed text, of the target's name, or of the only other name shown there.

        Of several other names, the one in quotes is meant: a word of the sentence may be shown as well.
        """
        act = self.steps[number]
        if act.data is not None:
            return next(iter(find_span(act.data, self.tokens)), None)
        own = self._span_of_name(act.element.name) if act.element is not None else None
        if own is not None:
            return own
        shown = {self._span_of_name(element.name) for element in act.view.elements if element.name}
        others = {span for span in shown if span is not None}
        others = set(filter(self._is_quoted, others)) or others
        return others.pop() if len(others) == 1 else None

    def _is_quoted(self, span: Span) -> bool:
        around = self.tokens[max(span[0] - 1, 0)], self.tokens[min(span[1], len(self.tokens) - 1)]
        return {one.text for one in around} == {QUOTE}

    def _span_of_name(self, name: str) -> Span | None:
        """The span of a name, spelled as on the screen; a verb is not a name."""
        if not says_anything(name):
            return None
        return next((s for s in find_span(name, self.tokens) if self.text_of(s) == name.strip()), None)

    def has_unused(self, spans: Iterable[Span]) -> bool:
        """Whether a value-like part of the instruction lies outside these spans."""
        taken = set().union(*(range(*span) for span in spans))
        quotes = [index for index, token in enumerate(self.tokens) if token.text == QUOTE]
        telling = {
            i
            for i, token in enumerate(self.tokens)
            if token.text[0].isdecimal() or ORDINAL_WORD.match(token.text)
        }
        for first, last in zip(quotes[::2], quotes[1::2], strict=False):
            telling |= set(range(first + 1, last))
        return not telling <= taken

    def with_slots(self, spans: Mapping[str, Span]) -> str:
        text = self.text
        for name, (start, end) in sorted(spans.items(), key=lambda pair: -pair[1][0]):
            first, last = self.tokens[start].start, self.tokens[end - 1].end
            text = f"{text[:first]}{{{name}}}{text[last:]}"
        return text


_SLOT = re.compile(r"\{\w+\}")
WORDINGS, VARIED = 4, 3
"""With this many different wordings, people word the task freely; with the fewer if no others are known."""
_LONGEST_NAME = 2
"""Maximum words of a value; a longer text in its place is part of the wording."""
Read = Callable[[Sequence[str], Sequence[Sequence[Effect]]], Reading | None]


def learn(demonstrations: Sequence[Demonstration], *, name: str = "") -> tuple[Program, ...]:
    """The simplest programs that together do what the demonstrations show.

    One program if it is the shortest description of all demonstrations, including what it leaves
    unexplained. Otherwise groups with one program each; the wording and the screen select the variant.
    """
    if not demonstrations:
        return ()
    whole = _learn_together(demonstrations, name)
    if whole is not None and (
        len(demonstrations) == 1 or (_is_fully_explained(whole) and len(whole.templates) < VARIED)
    ):
        return (whole,)
    groups = _in_own_words(_groups(demonstrations, name), name)
    groups = reliable_groups(groups, demonstrations)
    programs = tuple(program for _, program in groups)
    if whole is not None and not any(one.own_words for one in programs):
        apart = _has_unexplained_slot(whole) and programs and not any(map(_has_unexplained_slot, programs))
        if not apart and _price([whole]) <= _price(programs):
            return (whole,)
    return different(sorted(programs, key=lambda program: -program.demonstrations))


def _learn_together(
    demonstrations: Sequence[Demonstration], name: str, read: Read = read_instructions
) -> Program | None:
    """One program for all demonstrations; None if there is none."""
    try:
        return learn_one(demonstrations, name=name, read=read)
    except Unexplained:
        return None


def _is_fully_explained(program: Program) -> bool:
    blocks = sum(not isinstance(step, DoStep) for step in program.steps)
    acts = blocks + sum(isinstance(node, DoStep) for node in nodes(program.steps))
    return not _has_unexplained_slot(program) and program.cost < FINE * max(1, acts)


def _price(programs: Sequence[Program]) -> float:
    return sum(program.cost + VARIANT + IDLE_SLOT * _count_idle(program) for program in programs)


def _count_idle(program: Program) -> int:
    return sum(not parameter.used for parameter in program.parameters)


def _has_unexplained_slot(program: Program) -> bool:
    return _count_idle(program) > 0


def _groups(
    demonstrations: Sequence[Demonstration], name: str, read: Read = read_instructions
) -> list[Group]:
    """Group the variants of a task: each demonstration joins the group whose cost it raises least."""
    groups: list[Group] = []
    for demonstration in demonstrations:
        alone = _learn_together([demonstration], name, read)
        best: tuple[float, int, Program] | None = None
        for index, (members, program) in enumerate(groups):
            together = _learn_together([*members, demonstration], name, read)
            if together is None or (read is not read_instructions and not is_agreed(together)):
                continue  # if the wording has no information, all acts must be the same
            more = together.cost - program.cost
            if not _has_unexplained_slot(together) and (best is None or more < best[0]):
                best = (more, index, together)
        if best is not None and (alone is None or best[0] < alone.cost * JOINS):
            groups[best[1]] = ([*groups[best[1]][0], demonstration], best[2])
        elif alone is not None:
            groups.append(([demonstration], alone))
    return groups


def _in_own_words(groups: list[Group], name: str) -> list[Group]:
    """Merge groups that are small only because of their wording if they perform the same acts."""
    free = list(filter(_may_be_small_by_wording, groups))
    few = len(_wordings(free)) < WORDINGS
    if few and len(groups) < VARIED:
        return groups
    free = groups if few else free
    joined = _together(_members(free), name)
    replaced = [group for group in free if all(map(_members(joined).__contains__, group[0]))]
    if not _explains_wordings(joined, replaced, VARIED if few and len(joined) == 1 else WORDINGS):
        return [_freely_worded(one) if len(one[1].templates) >= VARIED else one for one in groups]
    kept = [group for group in groups if group not in replaced]
    return [*kept, *map(_freely_worded, joined)]


def _may_be_small_by_wording(group: Group) -> bool:
    return len(group[0]) <= 2 or len(group[1].templates) > 1


def _freely_worded(group: Group) -> Group:
    return group[0], replace(group[1], own_words=True)


def _wordings(groups: Sequence[Group]) -> set[str]:
    return set().union(*(program.templates for _, program in groups))


def _members(groups: Sequence[Group]) -> list[Demonstration]:
    return list(chain.from_iterable(members for members, _ in groups))


def _explains_wordings(joined: Sequence[Group], replaced: Sequence[Group], least: int) -> bool:
    """Whether the merged groups are fewer (or as many, if the old values were whole clauses) and cover
    at least `least` wordings."""
    parameters = chain.from_iterable(program.parameters for _, program in replaced)
    values = map(words, chain.from_iterable(one.examples for one in parameters))
    clauses = any(len(value) > _LONGEST_NAME and FILLERS & set(value) for value in values)
    return len(_wordings(joined)) >= least and len(joined) < len(replaced) + clauses


def _together(demonstrations: list[Demonstration], name: str) -> list[Group]:
    """Group demonstrations with free wording by what they do; one group if they all did the same."""
    whole = _learn_together(demonstrations, name, read_by_acts)
    if whole is not None and is_agreed(whole):
        return [(demonstrations, whole)]
    return _groups(demonstrations, name, read_by_acts)


def learn_one(
    demonstrations: Sequence[Demonstration], *, name: str = "", read: Read = read_instructions
) -> Program:
    """The simplest program that does what all the demonstrations show.

    Raises:
        Unexplained: no program explains them; the message gives the reason.
    """
    demonstrations = [complete(demonstration) for demonstration in demonstrations]
    demonstrated = [effects(demonstration) for demonstration in demonstrations]
    reading = read([one.task for one in demonstrations], demonstrated)
    if reading is None:
        raise Unexplained("no part of the instructions describes the acts")
    reading = _in_the_recorders_words(reading, demonstrations)
    _demand_one_wording(reading)
    _demand_likeness(reading.templates, len(demonstrations))
    slots = [
        {**_named_by_recorder(one), **values}
        for one, values in zip(demonstrations, reading.values, strict=True)
    ]
    answer = _answer(demonstrations, slots)
    idle = _differing_slots(reading.values) - slots_used(answer)
    best = _best_steps(demonstrations, demonstrated, slots, idle, answers=bool(slots_used(answer)))
    program = Program(
        name=name or slug(demonstrations[0].task) or "procedure",
        templates=reading.templates,
        steps=without_passing(best.it),
        start=demonstrations[0].start if len({one.start for one in demonstrations}) == 1 else "",
        answer=answer,
        platform=demonstrations[0].platform,
        demonstrations=len(demonstrations),
        cost=round(best.cost, 2),
        own_words=len(reading.templates) >= VARIED,
    )
    return with_one_by_one(with_parameters(program, reading.values, slots))


def _best_steps(
    demonstrations: Sequence[Demonstration],
    demonstrated: Sequence[Sequence[Effect]],
    slots: Sequence[Mapping[str, str]],
    idle: frozenset[str],
    *,
    answers: bool,
) -> Costed[Steps]:
    """The cheapest steps, with the slots that differ between instructions used if that costs little.

    Args:
        idle: slots that differ and that the answer does not use.
        answers: whether the answer uses a slot.
    """
    search = _search(demonstrations, demonstrated, slots)
    best = _whole(search)
    several = len(demonstrations) > 1
    if not several and best.cost >= LOST:
        raise Unexplained("no step explains one of the acts")
    # Two explanations that agree in three demonstrations rarely do so by chance.
    for favour in FAVOURS if len(demonstrations) > 2 else FAVOURS[:1]:
        idle -= slots_used(best.it)
        if idle:
            again = _search(demonstrations, demonstrated, slots, favoured=idle, favour=favour)
            best = with_idle_used(best, _whole(again), idle)
    varies = answers or bool(slots_used(best.it)) or any(not isinstance(one, DoStep) for one in best.it)
    dear = best.cost > UNFOUNDED * len(best.it)
    if several and (dear or too_noisy(search, varies=varies)):
        raise Unexplained("the demonstrations show different tasks")
    return best


def _search(
    demonstrations: Sequence[Demonstration],
    demonstrated: Sequence[Sequence[Effect]],
    slots: Sequence[Mapping[str, str]],
    **favoured: Any,
) -> ProgramSearch:
    """The search for programs, with reading acts inserted where texts were copied."""
    told = [
        with_pages(_acts_with_scope(steps, own, one.task, **favoured))
        for one, steps, own in zip(demonstrations, demonstrated, slots, strict=True)
    ]
    plain = ProgramSearch(align(told))
    copied = with_copies(told, demonstrations)
    if copied is None:
        return plain
    reading = ProgramSearch(align(copied))
    # A single demonstration explains any text as a constant, but a text that the person pointed at was read.
    if len(told) > 1:
        return reading if _whole(reading).cost < _whole(plain).cost else plain
    noted = {step.name for step in _whole(reading).it if isinstance(step, Remember)}
    for one in copied[0]:
        if one.act.copied is not None and one.act.copied[0] not in noted:
            raise Unexplained(f'nothing names the place that "{one.act.copied[1]}" was copied from')
    return reading


def _whole(search: ProgramSearch) -> Costed[tuple[Step, ...]]:
    option = search.best()
    if option is None or not option.whole.it:
        raise Unexplained("there is no act that can be explained")
    return option.whole


_NAMELESS = "on the last screen, only the answer's own text identifies its position"


def _answer(demonstrations: Sequence[Demonstration], slots: Sequence[Mapping[str, str]]) -> Value | None:
    answers = [demonstration.answer for demonstration in demonstrations]
    if not all(answers):
        return None
    if any(map(ends_unseen, demonstrations)):
        raise Unexplained("the answer came after a wait, and no lasting text marks the end of the wait")
    scopes = [
        Scope(View.from_screen(d.final), own, d.task) for d, own in zip(demonstrations, slots, strict=True)
    ]
    if len(answers) >= FOUNDED and len(set(answers)) > 1:
        for costed in texts(answers, scopes, reading=named_places):
            if any(isinstance(node, ReadText | Count) for node in nodes(costed.it)):
                return costed.it
    read = read_off(answers, scopes)
    if read is None:
        is_shown = all(shows(one.view, text) for text, one in zip(answers, scopes, strict=True))
        raise Unexplained(_NAMELESS if is_shown else "nothing on the last screen explains the answer")
    return read.it


def _differing_slots(values: Sequence[Mapping[str, str]]) -> frozenset[str]:
    names = frozenset().union(*values)
    return names if len(values) == 1 else frozenset(name for name in names if _differs(name, values))


def _differs(name: str, values: Sequence[Mapping[str, str]]) -> bool:
    return len({normal(own.get(name, "")) for own in values}) > 1


def _demand_one_wording(reading: Reading) -> None:
    """Raise Unexplained if a part found in only some wordings is a clause and not a value."""
    for name in set().union(*reading.values):
        values = [own[name] for own in reading.values if name in own]
        if len(values) < len(reading.values) and '"' in plain_quotes(" ".join(values)):
            raise Unexplained("the instructions ask for different tasks")


def _demand_likeness(templates: Sequence[str], count: int) -> None:
    """Raise Unexplained for instructions with hardly any common words: they are different tasks."""
    if count < 2:
        return
    for template in templates:
        literal = [token.text for token in tokens(_SLOT.sub(" ", template)) if token.text not in FILLERS]
        if not any(word[0].isalnum() for word in literal):
            raise Unexplained("the instructions have hardly any words in common")


def _in_the_recorders_words(reading: Reading, demonstrations: Sequence[Demonstration]) -> Reading:
    """Rename slots to the recordings' own names for the same values."""
    recorded = [_named_by_recorder(demonstration) for demonstration in demonstrations]
    called: dict[str, str] = {}
    for slot in set().union(*reading.values):
        pairs = [pair for pair in zip(reading.values, recorded, strict=True) if slot in pair[0]]
        fits = list(pairs[0][1])
        for own, told in pairs:
            fits = [name for name in fits if normal(told.get(name, "")) == normal(own[slot])]
        if fits and slot not in fits and fits[0] not in called.values():
            called[slot] = fits[0]
    templates = reading.templates
    for slot, name in called.items():
        templates = tuple(template.replace(f"{{{slot}}}", f"{{{name}}}") for template in templates)
    return Reading(templates, tuple(_rename_slots(own, called) for own in reading.values))


def _rename_slots(values: Mapping[str, str], called: Mapping[str, str]) -> dict[str, str]:
    return {called.get(slot, slot): value for slot, value in values.items()}


def _named_by_recorder(demonstration: Demonstration) -> dict[str, str]:
    return {slug(name) or name: value for name, value in demonstration.slots.items()}
