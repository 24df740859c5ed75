"""Whether a step did what the demonstrations showed."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

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
from gui_agent.core.targets import Mark, Target
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.steps import DoStep, Expected


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


def contradicted(conditions: Sequence[Condition[Target]], screen: Observation) -> list[str]:
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
