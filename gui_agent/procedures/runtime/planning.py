"""The next action of a program on a screen, as a proposal to be carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gui_agent.core.actions import Choose, Press, Proposal, aim, places
from gui_agent.core.errors import NotFound
from gui_agent.core.observation import Element
from gui_agent.core.targets import Fingerprint, Mark, Target
from gui_agent.core.trajectory import Planned
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, select, value_of
from gui_agent.procedures.language.expressions import (
    Attribute,
    Captioned,
    Const,
    HasRole,
    Holding,
    Mentioned,
    NamedAsOneOf,
    Selector,
    Untried,
)
from gui_agent.procedures.language.forms import list_items
from gui_agent.procedures.language.steps import Aim, DoStep, slots_used, with_data
from gui_agent.procedures.language.view import label_or_text
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.runtime.locate import RENAMED, as_shown, fixed, locate, offers, rematch, same_words
from gui_agent.procedures.runtime.machine import Code, Cursor, Instruction, scope_at
from gui_agent.procedures.runtime.verification import hard, soft

_PRESSED = frozenset({"button", "link", "menuitem"})


def named_in_wording(selector: Selector, code: tuple[Instruction, ...], scope: Scope) -> Element | None:
    """The one button that the instruction names where a step wants one that is not there.

    `Enter ... and press Login` where the demonstrations had a button OK. What the instruction gives as a
    value names no button, and what another step is about is not taken for this one.
    """
    roles = {test.role for test in selector.tests if isinstance(test, HasRole)} & _PRESSED
    if not roles or not _called_by_a_constant(selector):
        return None
    wording = scope.instruction
    for value in scope.slots.values():
        wording = wording.replace(value, " ")
    steps = [one.step for one in code if isinstance(one.step, DoStep) and one.step.at is not None]
    taken = {e.id for step in steps if step.at for e in select(step.at.choices[0], scope)}
    found = [
        element
        for element in scope.view.elements
        if element.role in roles and element.id not in taken and is_mentioned(element.name, wording)
    ]
    return found[0] if len(found) == 1 else None


def _called_by_a_constant(selector: Selector) -> bool:
    """Whether a selector says what a thing is called whatever is asked for."""
    return any(isinstance(test, Captioned) and isinstance(test.text, Const) for test in selector.tests)


_ACTING = frozenset({"button", "menuitem"})
"""Roles of things that are called after what they do."""
NOTHING_REPAIRED: Mapping[int, Fingerprint] = {}


def planned_at(
    step: DoStep,
    cursor: Cursor,
    code: Code,
    scope: Scope,
    repaired: Mapping[int, Fingerprint] = NOTHING_REPAIRED,
) -> tuple[Planned, int]:
    """The action of a step at which a cursor stands, and the id of the element it acts on, 0 for none.

    Args:
        repaired: what was acted on before in place of targets that were not found, by instruction.

    Raises:
        NotFound: its target, or what it types, is not on the screen.
        Ambiguous: its target cannot be told apart.
    """
    here = scope_at(cursor, code, scope)
    marks: dict[str, Target] = {}
    element = 0
    for name, aimed in (("at", step.at), ("to", step.to)):
        like = places(step.action).get(name)
        if aimed is not None:
            instead = repaired.get(cursor.at) if name == "at" else None
            recorded = like if isinstance(like, Fingerprint) else None
            try:
                found = _find(aimed, recorded, step, cursor, here)
            except NotFound:
                again = _instead(aimed.choices[0], instead, cursor, code, here)
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
    _demand_one(action, element, here)
    proposal: Proposal = aim(action, marks) if marks else action  # type: ignore[arg-type,assignment]
    expect = hard(step, here, element)
    if step.evidence > 1:
        expect += soft(step, here)
    return Planned(proposal, expect, step_in_words(step)), element


def option_of(step: DoStep, here: Scope) -> str:
    """What a step chooses from a list; empty when it does something else."""
    if not isinstance(step.action, Choose) or step.text is None:
        return ""
    return value_of(step.text, here) or ""


def _nothing_under_way(cursor: Cursor) -> bool:
    """Whether what is not on the screen is not just about to come: nothing was done, or it was waited for."""
    return cursor.awaiting < 0 or cursor.hunt is not None


def _find(aimed: Aim, like: Fingerprint | None, step: DoStep, cursor: Cursor, here: Scope) -> Element:
    if _nothing_under_way(cursor):
        return locate(aimed, like, here, option_of(step, here))
    return as_shown(aimed, like, here)


def _instead(
    selector: Selector, repaired: Fingerprint | None, cursor: Cursor, code: Code, here: Scope
) -> Element | None:
    """What is acted on in place of a target that is not there; None when nothing is known."""
    if repaired is not None and fixed(selector):
        return rematch(repaired, here.view)
    return named_in_wording(selector, code, here) if cursor.hunt is not None else None


def _demand_same_name(
    found: Element, selector: Selector, like: Fingerprint, instead: Fingerprint | None, here: Scope
) -> None:
    """Of a single demonstration, a button that stands where it should has to be called as it was, too."""
    if like.role not in _ACTING or not like.name or instead is not None or _tells_name(selector):
        return
    wanted = label_or_text(like.name)
    if max((same_words(one, wanted) for one in here.view.captions(found)), default=0.0) < RENAMED:
        raise NotFound(f"{like} is not on the screen; where it was shown stands {found}", [found])


def _tells_name(selector: Selector) -> bool:
    """Whether a selector itself says what the element is called, or which of many like it is meant."""
    if selector.pick is not None and not fixed(Selector((), selector.pick)):
        return True
    return any(
        isinstance(test, Captioned | NamedAsOneOf | Holding | Mentioned | Attribute | Untried)
        for test in selector.tests
    )


def _bare_point(like: Fingerprint, scope: Scope) -> Target:
    size = scope.view.observation.size
    if like.box is None or like.screen != size:
        raise NotFound("the recorded place has no element and the screen has another size")
    return like.box.center


def _demand_one(action: object, element: int, here: Scope) -> None:
    """Raise where several options of a list are asked for as if they were one."""
    found = here.view.by_id(element)
    if not isinstance(action, Choose) or found is None or offers(found, action.option):
        return
    items = list_items(action.option)
    if len(items) > 1 and all(offers(found, item) for item in items):
        raise NotFound(f'there is no option "{action.option}", only its parts', [found])


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
            raise NotFound(f"cannot work out how often to press {'+'.join(action.keys)}")
        action = replace(action, times=int(number))
    return action
