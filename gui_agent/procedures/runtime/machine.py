"""Moves a cursor through a program, with its loops, conditions and notes, up to the next action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gui_agent.core.actions import Scroll
from gui_agent.core.errors import NotFound
from gui_agent.core.observation import Element, Fingerprint, Strict
from gui_agent.procedures.language.constructs import constructs
from gui_agent.procedures.language.evaluate import PASSED, Scope, select, value_of, written_otherwise
from gui_agent.procedures.language.forms import distance_to, list_items, number_in, ordinal
from gui_agent.procedures.language.program import (
    Captioned,
    Const,
    DoStep,
    Every,
    ForEach,
    Guided,
    Program,
    Rank,
    Remember,
    Selector,
    Steer,
    Step,
    Survey,
    Until,
    When,
)
from gui_agent.procedures.language.view import text_of
from gui_agent.procedures.language.wording import step_in_words, value_in_words
from gui_agent.procedures.runtime.recovery import Hunt


@dataclass(frozen=True, slots=True)
class Instruction:
    """One flat instruction: a step, the head of a loop, or (without a step) the end of a loop's body.

    `jump` is the index after a loop that has ended, or, at the end of a body, the index of the head.
    """

    step: Step | None = None
    jump: int = 0
    loop: int = -1
    """Index of the innermost loop head around it; -1 outside of loops."""


def flat(steps: tuple[Step, ...]) -> tuple[Instruction, ...]:
    code: list[Instruction] = []
    _append(steps, code, -1)
    return tuple(code)


def step_at(code: Sequence[Instruction], place: int) -> Step | None:
    """The step of the instruction at an index; None at the end of a body and outside of the code."""
    return code[place].step if 0 <= place < len(code) else None


def _append(steps: tuple[Step, ...], code: list[Instruction], loop: int) -> None:
    for step in steps:
        head = len(code)
        code.append(Instruction(step, loop=loop))
        if isinstance(step, DoStep | Remember | Steer):
            continue
        _append(step.body, code, loop if isinstance(step, When) else head)
        if not isinstance(step, When | Survey):
            code.append(Instruction(None, head, loop))
        code[head] = Instruction(step, len(code), loop)


@dataclass(frozen=True, slots=True)
class Cursor(Strict):
    """The progress of a program's run."""

    at: int = 0
    counts: Mapping[int, int] = field(default_factory=dict, hash=False)
    """Finished rounds by loop head."""
    tried: Mapping[int, tuple[int, ...]] = field(default_factory=dict, hash=False)
    """Elements acted on in finished rounds, by loop head."""
    acted: tuple[int, ...] = ()
    """Elements acted on in the current round."""
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    attempts: int = 0
    """Number of waits for an effect, or retries of an action, at this instruction."""
    hunt: Hunt | None = None
    """The search for the target of this instruction; None if there is none."""
    awaiting: int = -1
    """Index of the instruction whose post-conditions are still unverified; -1 if there is none."""


@dataclass(frozen=True, slots=True)
class Bookmark(Strict):
    """The planner's record: the program, its values, and the cursor after each action."""

    program: str
    """Its reference, see `program.address`; empty before one was chosen."""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    cursors: tuple[Cursor, ...] = ()
    """`cursors[k]` is valid after k of the decision's actions."""
    rivals: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    """Programs that match equally well and have done the same so far, with their values."""
    repaired: Mapping[int, Fingerprint] = field(default_factory=dict, hash=False)
    """The element that another planner used in place of a missing target, by instruction."""
    answered: str = ""
    """The reference of the program that the user chose; empty if there was no question."""


def rest_in_words(program: Program, cursor: Cursor, scope: Scope) -> tuple[str, ...]:
    """The remaining steps from a cursor, with known values filled in."""
    rest = flat(program.steps)[cursor.at :]
    return tuple(step_in_words(one.step, scope) for one in rest if one.step is not None)


MOST_SCROLLS = 80
"""Maximum scrolls of a survey; a longer list needs another way of searching."""


def survey(cursor: Cursor, code: tuple[Instruction, ...], scope: Scope) -> Cursor:
    """The cursor with the candidates of this part of the screen; unchanged unless a survey is in progress."""
    survey = step_at(code, cursor.at)
    if not isinstance(survey, Survey) or cursor.hunt is not None:
        return cursor
    texts = map(text_of, select(survey.of, scope))
    found = [(number, text) for text in texts if (number := number_in(text)) is not None]
    known = cursor.notes.get(_note(cursor.at))
    if known is not None:
        before, _, text = known.partition(" ")
        found.insert(0, (float(before), text))
    if not found:
        return cursor
    sign = -1.0 if survey.most else 1.0
    best = min(found, key=lambda one: sign * one[0])
    return replace(cursor, notes={**cursor.notes, _note(cursor.at): f"{best[0]!r} {best[1]}"})


def goes_on(cursor: Cursor, scope: Scope) -> bool:
    """Whether there is more to see below; a finished survey does not scroll on."""
    more = bool(scope.view.observation.more.get("below"))
    return more and cursor.hunt is None and cursor.counts.get(cursor.at, 0) < MOST_SCROLLS


def best_seen(cursor: Cursor, survey: int) -> str | None:
    """The text of the best element of a survey; None before the first."""
    known = cursor.notes.get(_note(survey))
    return None if known is None else known.partition(" ")[2]


def _note(survey: int) -> str:
    return f"best {survey}"


Code = tuple[Instruction, ...]
ONWARD = 0.45
"""Share of the visible height to scroll at a time."""


def scope_at(cursor: Cursor, code: Code, scope: Scope) -> Scope:
    """The scope with the cursor's knowledge: notes, the item of the innermost loop, elements tried."""
    item: str | None = None
    loop = code[cursor.at].loop if cursor.at < len(code) else -1
    tried = frozenset(cursor.tried.get(loop, ()))
    while loop >= 0:
        head = code[loop].step
        if isinstance(head, ForEach):
            items = list_items(value_of(head.items, scope) or "", commas=head.commas)
            index = cursor.counts.get(loop, 0)
            item = items[index] if index < len(items) else None
            break
        if isinstance(head, Survey):
            item = best_seen(cursor, loop)
            break
        if isinstance(head, Guided):
            guide, state = constructs().loops.get(head.construct), cursor.notes.get(_round_note(loop))
            item = guide.item(state) if guide is not None and state is not None else None
            break
        loop = code[loop].loop
    return replace(scope, item=item, notes=cursor.notes, tried=tried)


def advance(cursor: Cursor, code: Code, scope: Scope) -> tuple[Cursor, DoStep | None]:
    """Advance to the next action on this screen; None as the action at the end of the program."""
    for _ in range(10_000):
        if cursor.at >= len(code):
            return cursor, None
        instruction = code[cursor.at]
        here = scope_at(cursor, code, scope)
        match instruction.step:
            case DoStep() as action:
                return cursor, action
            case Remember(name, value):
                text = value_of(value, here)
                if text is None:
                    raise NotFound(f"cannot read {value_in_words(value)}")
                cursor = replace(_next(cursor), notes={**cursor.notes, name: text})
            case When(shown, _):
                cursor = _next(cursor) if select(shown, here) else _leave(cursor, instruction)
            case Steer() | Survey() as turning:
                cursor = survey(cursor, code, scope)
                step = _turn(turning, here, cursor)
                if step is not None:
                    return cursor, step
                cursor = _next(cursor)
            case None:
                cursor = _back_to_head(cursor, instruction)
            case Every() as every if _goes_on_below(every, cursor, scope):
                return cursor, _scroll_on(scope)
            case head:
                cursor = _enter(cursor, instruction, head, here)
    raise NotFound("a loop of the procedure runs without doing anything")


def pass_step(cursor: Cursor, code: Code, element: int) -> Cursor:
    """The cursor after its action was carried out on an element (0: none)."""
    acted = (*cursor.acted, element) if element and code[cursor.at].loop >= 0 else cursor.acted
    step = code[cursor.at].step
    if isinstance(step, Every | Steer | Survey):
        counts = cursor.counts if isinstance(step, Every) else _rounds_after(cursor, cursor.at)
        return replace(cursor, counts=counts, attempts=0, hunt=None, awaiting=-1)
    return replace(_next(cursor), acted=acted, awaiting=cursor.at)


def _rounds_after(cursor: Cursor, loop: int) -> dict[int, int]:
    """The finished rounds by loop head, with one more for this loop."""
    return {**cursor.counts, loop: cursor.counts.get(loop, 0) + 1}


def _next_survey_scroll(cursor: Cursor, scope: Scope) -> DoStep | None:
    if goes_on(cursor, scope):
        return _scroll_on(scope)
    if best_seen(cursor, cursor.at) is None:
        raise NotFound("there are no numbers to compare")
    return None


def _next(cursor: Cursor) -> Cursor:
    return replace(cursor, at=cursor.at + 1, attempts=0, hunt=None)


def _leave(cursor: Cursor, head: Instruction) -> Cursor:
    """Move past a loop or condition and reset its counters, as it may be entered again."""
    counts = {loop: count for loop, count in cursor.counts.items() if loop != cursor.at}
    tried = {loop: ids for loop, ids in cursor.tried.items() if loop != cursor.at}
    return replace(cursor, at=head.jump, counts=counts, tried=tried, acted=(), attempts=0, hunt=None)


def _back_to_head(cursor: Cursor, back: Instruction) -> Cursor:
    tried = {**cursor.tried, back.jump: (*cursor.tried.get(back.jump, ()), *cursor.acted)}
    counts = _rounds_after(cursor, back.jump)
    return replace(cursor, at=back.jump, counts=counts, tried=tried, acted=(), attempts=0, hunt=None)


def _goes_on_below(every: Every, cursor: Cursor, scope: Scope) -> bool:
    most = _limit(every, scope)
    if most is not None and cursor.counts.get(cursor.at, 0) >= most:
        return False
    own = replace(scope, tried=frozenset(cursor.tried.get(cursor.at, ())))
    return bool(scope.view.observation.more.get("below")) and not select(every.of, own)


def _scroll_on(scope: Scope) -> DoStep:
    """Scroll less than half of the height, so that every element is complete on one of the screens."""
    screen = scope.view.observation
    whole = screen.size.box
    lists = [element.box for element in screen.elements if "scrollable" in element.states]
    box = max(lists, key=lambda one: one.area, default=whole)
    place = Fingerprint("", "", box=box, screen=screen.size)
    return DoStep(Scroll(place, down=max(1, int(ONWARD * box.height))))


def _enter(cursor: Cursor, head: Instruction, step: ForEach | Every | Until | Guided, scope: Scope) -> Cursor:
    own = replace(scope, tried=frozenset(cursor.tried.get(cursor.at, ())))
    match step:
        case ForEach(items, _, commas):
            text = value_of(items, scope)
            if text is None:
                raise NotFound(f"no value for the list {value_in_words(items)}")
            has_left = cursor.counts.get(cursor.at, 0) < len(list_items(text, commas=commas))
            return _next(cursor) if has_left else _leave(cursor, head)
        case Every():
            return _next_of_every(cursor, head, step, own)
        case Until():
            return _search_on(cursor, head, step, own)
        case Guided():
            return _next_round(cursor, head, step, scope)


def _next_of_every(cursor: Cursor, head: Instruction, step: Every, scope: Scope) -> Cursor:
    rounds = cursor.counts.get(cursor.at, 0)
    most = _limit(step, scope)
    if rounds != most and select(step.of, scope):
        return _next(cursor)
    if most is not None and rounds < most:
        raise NotFound(f"only {rounds} of {most} are on the screen")
    return _leave(cursor, head)


def _limit(step: Every, scope: Scope) -> int | None:
    return None if step.limit is None else ordinal(value_of(step.limit, scope) or "")


def _search_on(cursor: Cursor, head: Instruction, step: Until, scope: Scope) -> Cursor:
    rounds = cursor.counts.get(cursor.at, 0)
    pick = step.shown.pick
    paged = isinstance(pick, Rank) and pick.paged
    if paged and not rounds:
        cursor = replace(cursor, notes={**cursor.notes, PASSED: "0"})
    here = replace(scope, notes=cursor.notes)
    found = select(step.shown, here)
    if found and not _written_otherwise(found, step.shown, here):
        return _leave(cursor, head)
    if rounds >= step.limit:
        raise NotFound(f"not shown after {rounds} rounds")
    if paged:  # the rank continues on the next page
        on_page = select(Selector(step.shown.tests), replace(here, tried=frozenset()))
        passed = int(cursor.notes[PASSED]) + len(on_page)
        cursor = replace(cursor, notes={**cursor.notes, PASSED: str(passed)})
    return _next(cursor)


def _written_otherwise(found: Sequence[Element], shown: Selector, scope: Scope) -> bool:
    """Whether the quoted text is present only with other capitals or punctuation: a different element."""
    return any(
        written_otherwise(found, value_of(test.text, scope) or "", scope.instruction)
        for test in shown.tests
        if isinstance(test, Captioned) and test.how == "is" and not isinstance(test.text, Const)
    )


def _round_note(loop: int) -> str:
    return f"round {loop}"


def _next_round(cursor: Cursor, head: Instruction, step: Guided, scope: Scope) -> Cursor:
    guide = constructs().loops.get(step.construct)
    if guide is None:
        raise NotFound(f'"{step.construct}" belongs to a domain that is not enabled')
    note = _round_note(cursor.at)
    others = {name: text for name, text in cursor.notes.items() if name != note}
    given = [value_of(value, scope) for value in step.given]

    def has_sign(number: int, item: str) -> bool | None:
        if number >= len(step.signs):
            return None
        return bool(select(step.signs[number], replace(scope, item=item)))

    state = guide.next(given, cursor.notes.get(note), has_sign)
    if state is None:
        return _leave(replace(cursor, notes=others), head)
    return replace(_next(cursor), notes={**others, note: state})


def _turn(step: Steer | Survey, scope: Scope, cursor: Cursor) -> DoStep | None:
    return _next_survey_scroll(cursor, scope) if isinstance(step, Survey) else _steer(step, scope, cursor)


def _steer(steer: Steer, scope: Scope, cursor: Cursor) -> DoStep | None:
    now, goal = value_of(steer.reading, scope), value_of(steer.goal, scope)
    if now is None or goal is None:
        raise NotFound(f"cannot read {value_in_words(steer.reading if now is None else steer.goal)}")
    difference = distance_to(now, goal)
    if difference is None:
        raise NotFound(f'cannot compare "{now}" with "{goal}"')
    if difference == 0:
        return None
    ways = steer.up if difference > 0 else steer.down
    if not ways or cursor.counts.get(cursor.at, 0) >= steer.limit:
        raise NotFound(f'cannot get from "{now}" to "{goal}"')
    return ways[0]
