"""A run of a procedure held against every post-condition that its demonstrations showed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gui_agent.core.conditions import Condition, holds
from gui_agent.core.observation import Element, Observation
from gui_agent.core.planner_state import bookmark
from gui_agent.core.targets import Mark, Target
from gui_agent.core.trajectory import Outcome, Step, Trajectory, Turn
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import Program, addressed
from gui_agent.procedures.language.steps import DoStep
from gui_agent.procedures.language.view import View
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.checks import hard, soft
from gui_agent.procedures.runtime.code import Bookmark, flat
from gui_agent.procedures.runtime.machine import scope_at


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
        for step, do, scope in _recognised(turn, programs, trajectory.task.text):
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
            seen = tuple(Expectation(_said(one, step), _held(one, screens)) for one in wanted)
            checked.append(CheckedStep(step_in_words(do, scope), step.outcome, seen))
    return checked


def _recognised(
    turn: Turn, programs: Sequence[Program], instruction: str
) -> Iterator[tuple[Step, DoStep | None, Scope | None]]:
    """The steps of a decision, each with the part of the program that it carried out; None for recoveries."""
    mark = bookmark(Bookmark, turn)
    for position, step in enumerate(turn.steps):
        if mark is None or position >= len(mark.cursors):
            yield step, None, None
            continue
        code = flat(addressed(programs, mark.program).steps)
        cursor = mark.cursors[position]
        do = code[cursor.at].step if cursor.at < len(code) else None
        if not isinstance(do, DoStep) or step.planned.why != step_in_words(do):
            yield step, None, None
            continue
        scope = scope_at(cursor, code, Scope(View(step.before), mark.values, instruction))
        yield step, do, scope


def _held(condition: Condition[Target], screens: Sequence[Observation]) -> bool | None:
    verdicts = [holds(condition, screen, _find) for screen in screens]
    return True if True in verdicts else False if False in verdicts else None


def _find(target: Target, screen: Observation) -> Element | None:
    return screen.by_id(target.mark) if isinstance(target, Mark) else None


def _said(condition: Condition[Target], step: Step) -> str:
    """The condition in words, with the element's name in place of its number."""
    text = str(condition)
    place = step.found.get("at")
    if place is not None and place.element is not None:
        text = text.replace(str(Mark(place.element.id)), str(place.element))
    return text
