"""From demonstrations to programs: the way in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration
from gui_agent.elements.words import FILLERS, words
from gui_agent.procedures.induction.alignment import Group, align, different, reliable_groups
from gui_agent.procedures.induction.copying import with_copies
from gui_agent.procedures.induction.effects import Effect, effects, ends_unseen, without_passing
from gui_agent.procedures.induction.instructions import (
    ORDINAL_WORD,
    Reading,
    chance_slots,
    read_instructions,
    slug,
    type_of,
    unique,
)
from gui_agent.procedures.induction.named_places import named_places, read_off, shows
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
from gui_agent.procedures.induction.search import (
    ProgramSearch,
    fields_as_slots,
    reason_lost,
    too_noisy,
    with_one_by_one,
)
from gui_agent.procedures.induction.steps import Told, Unexplained, with_pages
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
    idle,
    plain_quotes,
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
    in_text = {name for template in templates for name in slots_in(template)}
    in_steps = slots_used(*program.steps, program.answer)
    # What only something that may be left out depends upon does not say what the procedure does.
    used = slots_used(*(s for s in program.steps if not isinstance(s, When)), program.answer)
    lists = _list_slots(program.steps)
    sure = _explained_throughout(program)
    declared: list[SlotParameter] = []
    for name in sorted(in_text | in_steps):
        examples = tuple(dict.fromkeys(own[name] for own in slots if own.get(name)))
        kind = "list" if name in lists else type_of(examples) if examples else "text"
        default = None if name in in_text or not examples else examples[0]
        # Where many that differ in it were all done the same way, it makes no difference.
        idle = name not in used and not (sure and len(examples) > 3)
        declared.append(SlotParameter(name, kind, default, examples[:5], used=not idle))
    steps, more = fields_as_slots(program.steps, {p.name for p in declared})
    return replace(program, steps=steps, parameters=(*declared, *more))


def _explained_throughout(program: Program) -> bool:
    if any(isinstance(node, Table) for node in nodes(program.steps)):
        return False  # A table repeats what was shown and explains nothing.
    return program.cost < FINE * len(program.steps) and is_agreed(program)


def is_agreed(program: Program) -> bool:
    """Whether each step was shown by all demonstrations; of four and more, by all but one."""
    steps = [node for node in nodes(program.steps) if isinstance(node, DoStep)]
    least = program.demonstrations - (program.demonstrations >= 4)
    return all(one.evidence >= least for one in steps)


def _without_idle_slots(program: Program, values: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    used = slots_used(*program.steps, program.answer)
    templates = program.templates
    for name in {name for own in values for name in own} - used:
        seen = {own.get(name, "") for own in values}
        if len({normal(text) for text in seen}) == 1:
            text = seen.pop()
            templates = tuple(
                t.replace(f"{{{name}}}", text.replace("{", "(").replace("}", ")")) for t in templates
            )
    return tuple(dict.fromkeys(templates))


def _list_slots(steps: Sequence[Step]) -> set[str]:
    found: set[str] = set()
    for step in steps:
        if isinstance(step, ForEach):
            found |= slots_used(step.items)
    return found


Steps = tuple[Step, ...]
_PARTS = ("text", "at", "to", "times")


def with_idle_used(best: Costed[Steps], again: Costed[Steps], idle: frozenset[str]) -> Costed[Steps]:
    """The simplest program with as few parts as possible taken from the one that favours the idle slots."""
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
            continue  # It comes with the loop that looks for it.
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
    """The steps after a changed one: what a loop looked for tells like targets of the next one apart."""
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
    """Whether a target is what is always called the same: nothing to explain there."""
    if not isinstance(part, Aim):
        return False
    tests = part.choices[0].tests
    return any(isinstance(test, Captioned) and isinstance(test.text, Const) for test in tests)


Span = tuple[int, int]


def read_by_acts(instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]) -> Reading | None:
    """A template for each instruction, whose slots are the parts that the acts made use of.

    Returns:
        None when the acts are not the same in kind, no part of the instructions was made use of, or
        something that looks like a value, such as a number, was not.
    """
    demonstrated = _common_effects(instructions, demonstrated)
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
        line.has_unused([spans[number] for spans in columns.values()]) for number, line in enumerate(lines)
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


def _common_effects(
    instructions: Sequence[str], demonstrated: Sequence[Sequence[Effect]]
) -> list[list[Effect]]:
    nowhere = View.of(None)
    told = [
        [Told(act, Scope(nowhere, {}, text)) for act in steps]
        for text, steps in zip(instructions, demonstrated, strict=True)
    ]
    found = align(told)
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
        own = self._span_of_name(act.element.name) if act.element is not None else None
        if own is not None:
            return own
        others = {self._span_of_name(element.name) for element in act.view.elements if element.name} - {None}
        return others.pop() if len(others) == 1 else None

    def _span_of_name(self, name: str) -> Span | None:
        """Where a name stands, written as on the screen; a word for a command is no name."""
        if all(idle(word.text) or commands(word.text) or not word.is_word for word in tokens(name)):
            return None
        return next((s for s in find_span(name, self.tokens) if self.text_of(s) == name.strip()), None)

    def has_unused(self, spans: Sequence[Span]) -> bool:
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


_SLOT = re.compile(r"\{\w+\}")
WORDINGS, VARIED = 4, 3
"""So many demonstrations without a common wording show that people word the task as they like."""
_LONGEST_NAME = 2
"""What has more words than this, in place of a value, is a part of the wording."""
Read = Callable[[Sequence[str], Sequence[Sequence[Effect]]], Reading | None]


def learn(demonstrations: Sequence[Demonstration], *, name: str = "") -> tuple[Program, ...]:
    """The simplest programs that together do what the demonstrations show.

    One program where one is the shortest description of them all, with what it leaves unexplained; else they
    are grouped, each group by itself, so that the wording and the screen choose between the variants.
    """
    if not demonstrations:
        return ()
    try:
        whole: Program | None = learn_one(demonstrations, name=name)
    except Unexplained:
        whole = None
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


def _is_fully_explained(program: Program) -> bool:
    blocks = sum(not isinstance(step, DoStep) for step in program.steps)
    acts = blocks + sum(isinstance(node, DoStep) for node in nodes(program.steps))
    return not _has_unexplained_slot(program) and program.cost < FINE * max(1, acts)


def _price(programs: Sequence[Program]) -> float:
    idle = sum(not parameter.used for program in programs for parameter in program.parameters)
    return sum(program.cost + VARIANT for program in programs) + IDLE_SLOT * idle


def _has_unexplained_slot(program: Program) -> bool:
    return any(not parameter.used for parameter in program.parameters)


def _groups(
    demonstrations: Sequence[Demonstration], name: str, read: Read = read_instructions
) -> list[Group]:
    """Programs for variants of a task: each demonstration joins the group that it makes the least dearer."""
    groups: list[Group] = []
    for demonstration in demonstrations:
        try:
            alone: Program | None = learn_one([demonstration], name=name, read=read)
        except Unexplained:
            alone = None
        best: tuple[float, int, Program] | None = None
        for index, (members, program) in enumerate(groups):
            try:
                together = learn_one([*members, demonstration], name=name, read=read)
            except Unexplained:
                continue
            more = together.cost - program.cost
            if read is not read_instructions and not is_agreed(together):
                continue  # Where the wording says nothing, what was done must be the same throughout.
            if not _has_unexplained_slot(together) and (best is None or more < best[0]):
                best = (more, index, together)
        if best is not None and (alone is None or best[0] < alone.cost * JOINS):
            groups[best[1]] = ([*groups[best[1]][0], demonstration], best[2])
        elif alone is not None:
            groups.append(([demonstration], alone))
    return groups


def _in_own_words(groups: list[Group], name: str) -> list[Group]:
    """The groups, with those that are small only because of their wording joined by what they do."""
    free = [
        (members, program) for members, program in groups if len(members) <= 2 or len(program.templates) > 1
    ]
    few = sum(len(members) for members, _ in free) < WORDINGS
    if few and len(groups) >= VARIED:
        free = groups
    elif few:
        return groups
    joined = _together([one for members, _ in free for one in members], name)
    wordings = {template for _, program in joined for template in program.templates}
    taken = [one for members, _ in joined for one in members]
    replaced = [group for group in free if all(one in taken for one in group[0])]
    values = [value for _, program in replaced for p in program.parameters for value in p.examples]
    clauses = any(len(value.split()) > _LONGEST_NAME and FILLERS & set(words(value)) for value in values)
    if (
        len(wordings) < (VARIED if few and len(joined) == 1 else WORDINGS)
        or len(joined) > len(replaced)
        or (len(joined) == len(replaced) and not clauses)
    ):
        return [(m, replace(p, own_words=True) if len(p.templates) >= VARIED else p) for m, p in groups]
    return [
        *(group for group in groups if group not in replaced),
        *((members, replace(program, own_words=True)) for members, program in joined),
    ]


def _together(demonstrations: list[Demonstration], name: str) -> list[Group]:
    """Groups of demonstrations that are each worded in their own way, one of all where they did the same."""
    try:
        whole = learn_one(demonstrations, name=name, read=read_by_acts)
    except Unexplained:
        return _groups(demonstrations, name, read_by_acts)
    return [(demonstrations, whole)] if is_agreed(whole) else _groups(demonstrations, name, read_by_acts)


def learn_one(
    demonstrations: Sequence[Demonstration], *, name: str = "", read: Read = read_instructions
) -> Program:
    demonstrations = [complete(demonstration) for demonstration in demonstrations]
    demonstrated = [effects(demonstration) for demonstration in demonstrations]
    found = read([d.task for d in demonstrations], demonstrated)
    if found is None:
        raise Unexplained("no part of the instructions says what was done")
    reading = _in_the_recorders_words(found, demonstrations)
    _demand_one_wording(reading)
    _demand_likeness(reading.templates, len(demonstrations))
    slots = [
        {**_named_by_recorder(d), **values} for d, values in zip(demonstrations, reading.values, strict=True)
    ]
    built = _build(demonstrations, demonstrated, slots, frozenset())
    best = _whole(built)
    if len(demonstrations) == 1 and best.cost >= LOST:
        raise reason_lost(built)
    answer = _answer(demonstrations, slots)
    idle = _differing_slots(reading.values) - slots_used(best.it, answer)
    # What is the same in three demonstrations by two explanations is hardly so by chance.
    for favour in FAVOURS if len(demonstrations) > 2 else FAVOURS[:1]:
        if idle:
            again = _build(demonstrations, demonstrated, slots, frozenset(idle), favour)
            best = with_idle_used(best, _whole(again), frozenset(idle))
            idle = idle - slots_used(best.it, answer)
    varies = bool(slots_used(best.it, answer)) or any(not isinstance(node, DoStep) for node in best.it)
    dear = best.cost > UNFOUNDED * len(best.it)
    if len(demonstrations) > 1 and (dear or too_noisy(built, varies=varies)):
        raise Unexplained("the demonstrations do different things")
    program = Program(
        name=name or slug(demonstrations[0].task) or "procedure",
        templates=reading.templates,
        steps=without_passing(best.it),
        start=demonstrations[0].start if len({d.start for d in demonstrations}) == 1 else "",
        answer=answer,
        platform=demonstrations[0].platform,
        demonstrations=len(demonstrations),
        cost=round(best.cost, 2),
        own_words=len(reading.templates) >= VARIED,
    )
    return with_one_by_one(with_parameters(program, reading.values, slots))


def _build(
    demonstrations: Sequence[Demonstration],
    demonstrated: Sequence[Sequence[Effect]],
    slots: Sequence[Mapping[str, str]],
    favoured: frozenset[str],
    favour: float = 0.0,
) -> ProgramSearch:
    nowhere = View.of(None)
    told = [
        [
            Told(act, Scope(nowhere, own, d.task, favoured=favoured, favour=favour, by_chance=chance))
            for act, chance in zip(steps, chance_slots(steps, own), strict=True)
        ]
        for d, steps, own in zip(demonstrations, demonstrated, slots, strict=True)
    ]
    told = [with_pages(acts) for acts in told]
    plain = ProgramSearch(align(told))
    copied = with_copies(told, demonstrations)
    if copied is None:
        return plain
    reading = ProgramSearch(align(copied))
    # Of a single demonstration any text is explained as a constant, which one that was pointed at is not.
    if len(told) > 1:
        return reading if _whole(reading).cost < _whole(plain).cost else plain
    noted = {step.name for step in _whole(reading).it if isinstance(step, Remember)}
    for one in copied[0]:
        if one.act.copied is not None and one.act.copied[0] not in noted:
            raise Unexplained(f'nothing names the place where "{one.act.copied[1]}" was copied')
    return reading


def _whole(search: ProgramSearch) -> Costed[tuple[Step, ...]]:
    option = search.best()
    if option is None or not option.whole.it:
        raise Unexplained("nothing was done that could be explained")
    return option.whole


_NAMELESS = "nothing but the answer itself names the one place on the last screen where it stands"


def _answer(demonstrations: Sequence[Demonstration], slots: Sequence[Mapping[str, str]]) -> Value | None:
    answers = [demonstration.answer for demonstration in demonstrations]
    if not all(answers):
        return None
    if any(map(ends_unseen, demonstrations)):
        raise Unexplained("the answer came after a wait, and nothing lasting tells when it is over")
    scopes = [Scope(View.of(d.final), own, d.task) for d, own in zip(demonstrations, slots, strict=True)]
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
    names = {name for own in values for name in own}
    if len(values) == 1:
        return frozenset(names)
    return frozenset(n for n in names if len({normal(own.get(n, "")) for own in values}) > 1)


def _demand_one_wording(reading: Reading) -> None:
    """What only some wordings have must be a value, and no clause of its own."""
    for name in {name for own in reading.values for name in own}:
        values = [own[name] for own in reading.values if name in own]
        if len(values) < len(reading.values) and any('"' in plain_quotes(value) for value in values):
            raise Unexplained("the instructions ask for different things")


def _demand_likeness(templates: Sequence[str], count: int) -> None:
    """Instructions with hardly a word in common are different tasks."""
    if count < 2:
        return
    for template in templates:
        literal = [token.text for token in tokens(_SLOT.sub(" ", template)) if token.text not in FILLERS]
        if not any(word[0].isalnum() for word in literal):
            raise Unexplained("the instructions have no words in common")


def _in_the_recorders_words(reading: Reading, demonstrations: Sequence[Demonstration]) -> Reading:
    recorded = [_named_by_recorder(demonstration) for demonstration in demonstrations]
    called: dict[str, str] = {}
    for slot in {name for own in reading.values for name in own}:
        held = [
            (own[slot], names) for own, names in zip(reading.values, recorded, strict=True) if slot in own
        ]
        fits = [
            n for n in held[0][1] if all(normal(names.get(n, "")) == normal(value) for value, names in held)
        ]
        if fits and slot not in fits and fits[0] not in called.values():
            called[slot] = fits[0]
    if not called:
        return reading
    templates = reading.templates
    for slot, name in called.items():
        templates = tuple(template.replace(f"{{{slot}}}", f"{{{name}}}") for template in templates)
    values = tuple({called.get(slot, slot): value for slot, value in own.items()} for own in reading.values)
    return Reading(templates, values)


def _named_by_recorder(demonstration: Demonstration) -> dict[str, str]:
    return {slug(name) or name: value for name, value in demonstration.slots.items()}
