"""A run of a procedure held against every post-condition that its demonstrations showed."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gui_agent.core.conditions import (
    Condition,
    StateIs,
    TextGone,
    TextShown,
    TitleIs,
    UrlIs,
    ValueIs,
    holds,
    text_on,
)
from gui_agent.core.observation import Element, Observation
from gui_agent.core.planner_state import bookmark
from gui_agent.core.targets import Mark, Target
from gui_agent.core.trajectory import Outcome, Step, Trajectory, Turn
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.steps import DoStep, Expected, Program, program_named
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.machine import Bookmark, flat, scope_at


def hard(step: DoStep, scope: Scope, element: int) -> tuple[Condition[Target], ...]:
    """The post-conditions about the element acted on: what its field must hold, its state."""
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


def soft(step: DoStep, scope: Scope) -> tuple[Condition[Target], ...]:
    """The post-conditions about the rest of the screen."""
    found: list[Condition[Target]] = []
    for expected in step.expect:
        condition = _soft(expected, scope)
        if condition is not None:
            found.append(condition)
    return tuple(found)


def _soft(expected: Expected, scope: Scope) -> Condition[Target] | None:
    text = value_of(expected.text, scope)
    match expected.what:
        case "shown" if text:
            return TextShown(text)
        case "gone" if text:
            return TextGone(text)
        case "url" if text:
            return UrlIs(text)
        case "title" if text:
            return TitleIs(text)
    return None


def holding(conditions: Sequence[Condition[Target]], screen: Observation) -> list[bool]:
    """Which of some soft conditions hold on a screen."""
    return [_holds(condition, screen) for condition in conditions]


def _holds(condition: Condition[Target], screen: Observation) -> bool:
    match condition:
        case TextShown(text):
            return text_on(screen, text)
        case TextGone(text):
            return not text_on(screen, text)
        case UrlIs(pattern):
            return fnmatch.fnmatchcase(screen.place.url, pattern)
        case TitleIs(pattern):
            return fnmatch.fnmatchcase(screen.place.title, pattern)
    return True


def contradictions(conditions: Sequence[Condition[Target]], screen: Observation) -> list[str]:
    """Those conditions about elements, in words, that do not hold on a screen."""

    def find(target: Target, now: Observation) -> Element | None:
        return now.by_id(target.mark) if isinstance(target, Mark) else None

    about_elements = [c for c in conditions if isinstance(c, ValueIs | StateIs)]
    return [str(c) for c in about_elements if holds(c, screen, find) is False]


def enough(step: DoStep, scope: Scope, screen: Observation) -> tuple[bool, str]:
    """Whether enough of what the demonstrations showed after this step is there now.

    What several demonstrations agree upon is the effect of the step, so most of it must be there; after a
    single one it may also be data of that day, so one sign is enough.

    Returns:
        Whether it is enough, and in words what is missing when not.
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
    """One post-condition and whether it was seen to hold; None when the screen cannot tell."""

    text: str
    held: bool | None


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """One step of the run with everything that was expected of it."""

    sentence: str
    outcome: Outcome
    expectations: tuple[Expectation, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether it was carried out and nothing expected failed to come."""
        return self.outcome.good and all(one.held is not False for one in self.expectations)


def verify(programs: Sequence[Program], trajectory: Trajectory) -> list[CheckedStep]:
    """Each step of a run of these programs, with every post-condition decided on the screens after it.

    What comes late counts too: a condition holds when it does right after the step or when the next one
    begins.

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
                continue  # It was tried again, and that went well.
            if do is None or scope is None:
                if not step.outcome.good:
                    checked.append(CheckedStep(step.planned.why or step.planned.action.kind, step.outcome))
                continue
            place = step.found.get("at")
            element = place.element.id if place is not None and place.element is not None else 0
            wanted = (*hard(do, scope, element), *soft(do, scope))
            screens = (step.after, following.get(step.number, step.after))
            seen = tuple(Expectation(_in_words(one, step), _holds_at_last(one, screens)) for one in wanted)
            checked.append(CheckedStep(step_in_words(do, scope), step.outcome, seen))
    return checked


def _match_steps(
    turn: Turn, programs: Sequence[Program], instruction: str
) -> Iterator[tuple[Step, DoStep | None, Scope | None]]:
    """The steps of a decision, each with the part of the program that it carried out; None for recoveries."""
    mark = bookmark(Bookmark, turn)
    for position, step in enumerate(turn.steps):
        if mark is None or position >= len(mark.cursors):
            yield step, None, None
            continue
        code = flat(program_named(programs, mark.program).steps)
        cursor = mark.cursors[position]
        do = code[cursor.at].step if cursor.at < len(code) else None
        if not isinstance(do, DoStep) or step.planned.why != step_in_words(do):
            yield step, None, None
            continue
        scope = scope_at(cursor, code, Scope(View(step.before), mark.values, instruction))
        yield step, do, scope


def _holds_at_last(condition: Condition[Target], screens: Sequence[Observation]) -> bool | None:
    verdicts = [holds(condition, screen, _find) for screen in screens]
    return True if True in verdicts else False if False in verdicts else None


def _find(target: Target, screen: Observation) -> Element | None:
    return screen.by_id(target.mark) if isinstance(target, Mark) else None


def _in_words(condition: Condition[Target], step: Step) -> str:
    """The condition in words, with the element's name in place of its number."""
    text = str(condition)
    place = step.found.get("at")
    if place is not None and place.element is not None:
        text = text.replace(str(Mark(place.element.id)), str(place.element))
    return text
