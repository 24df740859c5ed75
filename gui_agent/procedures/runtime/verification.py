"""Plans a step's action on the screen, and verifies its post-conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from gui_agent.agent.run_effects import aimed_at
from gui_agent.core.actions import Choose, Press, Proposal, Wait
from gui_agent.core.aiming import aim, places, sole
from gui_agent.core.conditions import Condition, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs, holds
from gui_agent.core.errors import NotFound
from gui_agent.core.observation import Element, Fingerprint, Mark, Observation, Target
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Outcome, Planned, Step, Trajectory, Turn, bookmark
from gui_agent.elements.roles import BUTTONS, GRAPHIC
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, select, value_of
from gui_agent.procedures.language.forms import list_items
from gui_agent.procedures.language.program import (
    Aim,
    Attribute,
    Captioned,
    Const,
    DoStep,
    Holding,
    Mentioned,
    NamedAsOneOf,
    Program,
    Selector,
    Untried,
    program_named,
    slots_used,
    with_data,
)
from gui_agent.procedures.language.view import View, label_or_text
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.locate import (
    RENAMED,
    as_shown,
    is_fixed,
    locate,
    offers,
    rematch,
    same_words,
)
from gui_agent.procedures.runtime.machine import Bookmark, Code, Cursor, Instruction, flat, scope_at, step_at

_PRESSED = BUTTONS - GRAPHIC

_GROUPING = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))|[^\w.,]")


def named_in_wording(selector: Selector, code: tuple[Instruction, ...], scope: Scope) -> Element | None:
    """The one button that the instruction names if a step's own button is missing.

    For example `Enter ... and press Login` where the demonstrations had a button OK. A value of the
    instruction never names the button, and neither does the target of another step.
    """
    if selector.role not in _PRESSED or not _called_by_a_constant(selector):
        return None
    wording = scope.instruction
    for value in scope.slots.values():
        wording = wording.replace(value, " ")
    aims = [one.step.at for one in code if isinstance(one.step, DoStep) and one.step.at is not None]
    taken = set(chain.from_iterable(select(aim.choices[0], scope) for aim in aims))
    named = (one for one in scope.view.elements if one.role == selector.role and one not in taken)
    found = [one for one in named if is_mentioned(one.name, wording)]
    return sole(found)


def _called_by_a_constant(selector: Selector) -> bool:
    return any(isinstance(test, Captioned) and isinstance(test.text, Const) for test in selector.tests)


_ACTING = frozenset({"button", "menuitem"})
NOTHING_REPAIRED: Mapping[int, Fingerprint] = {}


def planned_at(
    step: DoStep,
    cursor: Cursor,
    code: Code,
    scope: Scope,
    repaired: Mapping[int, Fingerprint] = NOTHING_REPAIRED,
) -> tuple[Planned, int]:
    """The action of the step at a cursor, and the id of its target, 0 for none."""
    here = scope_at(cursor, code, scope)
    marks: dict[str, Target] = {}
    element = 0
    for name, aimed in (("at", step.at), ("to", step.to)):
        like = places(step.action).get(name)
        if aimed is not None:
            instead = repaired.get(cursor.at) if name == "at" else None
            recorded = like if isinstance(like, Fingerprint) else None
            try:
                found = _find_target(aimed, recorded, step, cursor, here)
            except NotFound:
                again = _found_instead(aimed.choices[0], instead, cursor, code, here)
                if again is None:
                    raise
                found = again
            if isinstance(like, Fingerprint) and step.evidence == 1:
                _demand_same_name(found, aimed.choices[0], like, instead, here)
            marks[name] = Mark(found.id)
            element = element or found.id
        elif isinstance(like, Fingerprint):
            marks[name] = _bare_point(like, scope)
    action = _fill_in(step, here)
    _demand_one_option(action, element, here)
    proposal: Proposal = aim(action, marks) if marks else action  # type: ignore[arg-type,assignment]
    expect = hard(step, here, element)
    # After a single demonstration, texts elsewhere on the screen may be that day's data; a task value is not.
    alike = step.evidence > 1 or isinstance(step.action, Wait)
    expect += soft(step, here, with_values_only=not alike)
    signs = () if expect else tuple(one for one in soft(step, here) if isinstance(one, TextShown))
    return Planned(proposal, expect, step_in_words(step), signs=signs), element


def option_of(step: DoStep, here: Scope) -> str:
    """The option that a step chooses from a list; empty for other steps."""
    if not isinstance(step.action, Choose) or step.text is None:
        return ""
    return value_of(step.text, here) or ""


def _nothing_under_way(cursor: Cursor) -> bool:
    """Whether nothing is about to appear: no step was done, or the wait for its effect is over."""
    return cursor.awaiting < 0 or cursor.hunt is not None


def _find_target(aimed: Aim, like: Fingerprint | None, step: DoStep, cursor: Cursor, here: Scope) -> Element:
    if _nothing_under_way(cursor):
        return locate(aimed, like, here, option_of(step, here))
    return as_shown(aimed, like, here)


def _found_instead(
    selector: Selector, repaired: Fingerprint | None, cursor: Cursor, code: Code, here: Scope
) -> Element | None:
    if repaired is not None and is_fixed(selector):
        return rematch(repaired, here.view)
    return named_in_wording(selector, code, here) if cursor.hunt is not None else None


def _demand_same_name(
    found: Element, selector: Selector, like: Fingerprint, instead: Fingerprint | None, here: Scope
) -> None:
    """After a single demonstration, require that a button in the right place also has the recorded name."""
    if like.role not in _ACTING or not like.name or instead is not None or _tells_name(selector):
        return
    wanted = label_or_text(like.name)
    if max((same_words(one, wanted) for one in here.view.captions(found)), default=0.0) < RENAMED:
        raise NotFound(f"{like} is not on the screen; {found} is in its place", [found])


def _tells_name(selector: Selector) -> bool:
    if selector.pick is not None and not is_fixed(Selector((), selector.pick)):
        return True
    return any(
        isinstance(test, Captioned | NamedAsOneOf | Holding | Mentioned | Attribute | Untried)
        for test in selector.tests
    )


def _bare_point(like: Fingerprint, scope: Scope) -> Target:
    size = scope.view.observation.size
    if like.box is None or like.screen != size:
        raise NotFound("the recorded point has no element, and the screen has another size")
    return like.box.center


def _demand_one_option(action: object, element: int, here: Scope) -> None:
    found = here.view.by_id(element)
    if not isinstance(action, Choose) or found is None or offers(found, action.option):
        return
    items = list_items(action.option)
    if len(items) > 1 and all(offers(found, item) for item in items):
        raise NotFound(f'there is no option "{action.option}", only options for parts of it', [found])


def _fill_in(step: DoStep, here: Scope) -> object:
    action: object = step.action
    if step.text is not None:
        text = value_of(step.text, here)
        if text is None:
            missing = ", ".join(sorted(slots_used(step.text))) or "the text"
            raise NotFound(f"cannot work out {missing} for \u201c{step_in_words(step)}\u201d")
        action = with_data(action, text)
    if step.times is not None and isinstance(action, Press):
        number = value_of(step.times, here) or ""
        if not number.isdecimal():
            raise NotFound(f"cannot compute how often to press {'+'.join(action.keys)}")
        action = replace(action, times=int(number))
    return action


def hard(step: DoStep, scope: Scope, element: int) -> tuple[Condition[Target], ...]:
    """The post-conditions about the target: the field's value, its state."""
    found: list[Condition[Target]] = []
    for expected in step.expect:
        text = value_of(expected.text, scope)
        if text is None or not element:
            continue
        if expected.what == "value":
            found.append(ValueIs(Mark(element), text))
        elif expected.what in ("state", "no state"):
            found.append(StateIs(Mark(element), text, on=expected.what == "state"))
    return tuple(found)


def soft(step: DoStep, scope: Scope, *, with_values_only: bool = False) -> tuple[Condition[Target], ...]:
    """The post-conditions about the rest of the screen; optionally only those with a value of the task."""
    wanted = (one for one in step.expect if slots_used(one.text) or not with_values_only)
    told = ((_SOFT.get(one.what), value_of(one.text, scope)) for one in wanted)
    return tuple(kind(text) for kind, text in told if kind is not None and text)


_SOFT: Mapping[str, Callable[[str], Condition[Target]]] = {
    "shown": TextShown,
    "gone": TextGone,
    "url": UrlIs,
    "title": TitleIs,
}


def holding(conditions: Sequence[Condition[Target]], screen: Observation) -> list[bool]:
    return [bool(holds(condition, screen, _find)) for condition in conditions]


def contradictions(conditions: Sequence[Condition[Target]], screen: Observation) -> list[str]:
    """The conditions about elements that do not hold on a screen, in words.

    A field that adds grouping marks has the expected value: `1,250`.
    """
    about_elements = (c for c in conditions if isinstance(c, ValueIs | StateIs))
    failed = (c for c in about_elements if holds(c, screen, _find) is False)
    return [str(c) for c in failed if not _differs_in_marks(c, screen)]


def _differs_in_marks(condition: ValueIs[Target] | StateIs[Target], screen: Observation) -> bool:
    """Whether a field has the same letters and digits, grouped by other marks; 12.50 is not 1250."""
    element = _find(condition.of, screen)
    if not isinstance(condition, ValueIs) or element is None:
        return False
    held, wanted = (_GROUPING.sub("", text.casefold()) for text in (element.value, condition.value))
    return held == wanted != ""


def enough(step: DoStep, scope: Scope, screen: Observation) -> tuple[bool, str]:
    """Whether enough of this step's demonstrated effects are on the screen now.

    Effects common to several demonstrations belong to the step, so most of them must be there. After a
    single demonstration they may also be that day's data, so one of them is enough.

    Returns:
        Whether it is enough, and otherwise what is missing, in words.
    """
    conditions = soft(step, scope)
    telling = tuple(c for c in conditions if not isinstance(c, TextGone)) or conditions
    if not telling:
        return True, ""
    held = holding(telling, screen)
    needed = (len(telling) + 1) // 2 if step.evidence > 1 else 1
    missing = next((str(c) for c, is_so in zip(telling, held, strict=True) if not is_so), "")
    return sum(held) >= needed, missing


@dataclass(frozen=True, slots=True)
class Expectation:
    """One post-condition and whether it held; None if the screen cannot show that."""

    text: str
    held: bool | None


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """One step of the run with all its post-conditions."""

    sentence: str
    outcome: Outcome
    expectations: tuple[Expectation, ...] = ()
    sent: tuple[str, ...] = ()
    """The requests that left and could change something."""

    @property
    def is_proven(self) -> bool:
        """Whether something confirmed its effect, or it sent nothing."""
        held = self.outcome.kind == "confirmed" or any(one.held for one in self.expectations)
        return held or not self.sent

    @property
    def has_passed(self) -> bool:
        """Whether it was carried out and no post-condition failed."""
        return self.outcome.good and all(one.held is not False for one in self.expectations)


def verify(programs: Sequence[Program], trajectory: Trajectory) -> list[CheckedStep]:
    """Each step of a run of these programs, with every post-condition decided by the screens after it.

    Late effects count too: a condition holds if it is true right after the step or when the next one begins.
    A text that was there before is no evidence. A text with a value of the task must not have been on any
    earlier screen of the run.

    Args:
        programs: in the order in which the planner knew them.
    """
    steps = trajectory.steps
    following = {one.number: two.before for one, two in pairwise(steps)}
    done = trajectory.ending is not None and trajectory.ending.kind == "done"
    checked: list[CheckedStep] = []
    for turn in trajectory.turns:
        for step, do, scope in _match_steps(turn, programs, trajectory.task.text):
            if done and step.outcome.kind == "failed":
                continue  # a later retry succeeded
            if do is None or scope is None:
                if not step.outcome.good:
                    checked.append(CheckedStep(step.planned.why or step.planned.action.kind, step.outcome))
                continue
            aimed = aimed_at(step)
            wanted = (*hard(do, scope, aimed.id if aimed is not None else 0), *soft(do, scope))
            screens = (step.after, following.get(step.number, step.after))
            before = steps[: steps.index(step) + 1]
            seen = tuple(
                Expectation(_in_words(one, step), _verdict(one, before, screens, scope)) for one in wanted
            )
            checked.append(CheckedStep(step_in_words(do, scope), step.outcome, seen, step.requests))
    return checked


def _match_steps(
    turn: Turn, programs: Sequence[Program], instruction: str
) -> Iterator[tuple[Step, DoStep | None, Scope | None]]:
    """The steps of a decision, each with the program's step that it carried out; None for recoveries."""
    mark = bookmark(Bookmark, turn)
    for position, step in enumerate(turn.steps):
        if mark is None or position >= len(mark.cursors):
            yield step, None, None
            continue
        code = flat(program_named(programs, mark.program).steps)
        cursor = mark.cursors[position]
        do = step_at(code, cursor.at)
        if not isinstance(do, DoStep) or step.planned.why != step_in_words(do):
            yield step, None, None
            continue
        scope = scope_at(cursor, code, Scope(View(step.before), mark.values, instruction))
        yield step, do, scope


def _verdict(
    condition: Condition[Target], steps: Sequence[Step], after: Sequence[Observation], scope: Scope
) -> bool | None:
    held = _holds_at_last(condition, after)
    if not held or not isinstance(condition, TextShown):
        return held
    own = any(is_mentioned(value, condition.text) for value in scope.slots.values())
    screens = [one.before for one in (steps if own else steps[-1:])]
    return None if any(_is_named(condition.text, screen) for screen in screens) else True


def _is_named(text: str, screen: Observation) -> bool:
    return any(normal(text) in normal(one.name) for one in screen.elements)


def _holds_at_last(condition: Condition[Target], screens: Sequence[Observation]) -> bool | None:
    verdicts = [holds(condition, screen, _find) for screen in screens]
    return True in verdicts if {True, False}.intersection(verdicts) else None


def _find(target: Target, screen: Observation) -> Element | None:
    return screen.by_id(target.mark) if isinstance(target, Mark) else None


def _in_words(condition: Condition[Target], step: Step) -> str:
    aimed = aimed_at(step)
    return str(condition).replace(str(Mark(aimed.id)), str(aimed)) if aimed is not None else str(condition)
