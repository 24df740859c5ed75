"""The next action of a program on a screen, as a proposal to be carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gui_agent.core.actions import Press, Proposal, aim, places
from gui_agent.core.errors import NotFound
from gui_agent.core.observation import Element
from gui_agent.core.targets import Fingerprint, Mark, Target
from gui_agent.core.trajectory import Planned
from gui_agent.demos.checks import hard, soft
from gui_agent.demos.code import Cursor
from gui_agent.demos.data import with_data
from gui_agent.demos.evaluate import Scope, value_of
from gui_agent.demos.language import (
    Aim,
    Attribute,
    Called,
    Captioned,
    Do,
    Holding,
    Mentioned,
    Selector,
    Untried,
)
from gui_agent.demos.locate import fixed, locate
from gui_agent.demos.machine import Code, scope_at
from gui_agent.demos.match import RENAMED, rematch, same_words
from gui_agent.demos.view import label_or_text
from gui_agent.demos.walk import slots_used
from gui_agent.demos.wording import step_in_words

_ACTING = frozenset({"button", "menuitem"})
"""Roles of things that are called after what they do."""
NOTHING_REPAIRED: Mapping[int, Fingerprint] = {}


def planned_at(
    step: Do, cursor: Cursor, code: Code, scope: Scope, repaired: Mapping[int, Fingerprint] = NOTHING_REPAIRED
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
            found = _found(aimed, like if isinstance(like, Fingerprint) else None, instead, here)
            if isinstance(like, Fingerprint) and step.evidence == 1:
                _demand_same_name(found, aimed.choices[0], like, instead, here)
            marks[name] = Mark(found.id)
            element = element or found.id
        elif isinstance(like, Fingerprint):
            marks[name] = _bare_point(like, scope)
    action = _filled(step, here)
    proposal: Proposal = aim(action, marks) if marks else action  # type: ignore[arg-type,assignment]
    expect = hard(step, here, element)
    if step.evidence > 1:
        expect += soft(step, here)
    return Planned(proposal, expect, step_in_words(step)), element


def _found(aimed: Aim, like: Fingerprint | None, instead: Fingerprint | None, here: Scope) -> Element:
    try:
        return locate(aimed, like, here)
    except NotFound:
        if instead is None or not fixed(aimed.choices[0]):
            raise
        return rematch(instead, here.view)


def _demand_same_name(
    found: Element, selector: Selector, like: Fingerprint, instead: Fingerprint | None, here: Scope
) -> None:
    """Of a single demonstration, a button that stands where it should has to be called as it was, too.

    Raises:
        NotFound: it is called something else, though nothing that was asked for decides its name.
    """
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
        isinstance(test, Captioned | Called | Holding | Mentioned | Attribute | Untried)
        for test in selector.tests
    )


def _bare_point(like: Fingerprint, scope: Scope) -> Target:
    size = scope.view.observation.size
    if like.box is None or like.screen != size:
        raise NotFound("the recorded place has no element and the screen has another size")
    return like.box.center


def _filled(step: Do, here: Scope) -> object:
    action: object = step.action
    if step.text is not None:
        text = value_of(step.text, here)
        if text is None:
            missing = ", ".join(sorted(slots_used(step.text))) or "the text"
            raise NotFound(f"cannot work out {missing} for \u201c{step_in_words(step)}\u201d")
        action = with_data(action, text)
    if step.times is not None and isinstance(action, Press):
        number = value_of(step.times, here) or ""
        if not number.isdigit():
            raise NotFound(f"cannot work out how often to press {'+'.join(action.keys)}")
        action = replace(action, times=int(number))
    return action
