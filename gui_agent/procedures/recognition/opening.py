"""Decides between candidate procedures by which of them can begin on the current screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gui_agent.core.aiming import places
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Fingerprint
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.program import Aim, ForEach, Item, Program, nodes, slots_used
from gui_agent.procedures.language.view import View
from gui_agent.procedures.runtime.locate import as_shown, of_another_kind, offers
from gui_agent.procedures.runtime.machine import Cursor, advance, flat, scope_at, step_at
from gui_agent.procedures.runtime.verification import option_of


@dataclass(frozen=True, slots=True)
class FirstTarget:
    """The first target of a procedure on the current screen."""

    there: bool
    asked: frozenset[str] = frozenset()
    as_shown: bool = True
    """Whether it has the role that was demonstrated."""


def opening(program: Program, values: Mapping[str, str], view: View, instruction: str) -> FirstTarget | None:
    """The first target of a procedure, in the first of its ways that can begin.

    None if its first action has no target, which decides nothing.
    """
    found = [_opening(way, values, view, instruction) for way in program.ways]
    return next((one for one in found if one is None or one.there), found[0])


def _opening(program: Program, values: Mapping[str, str], view: View, instruction: str) -> FirstTarget | None:
    code, scope = flat(program.steps), Scope(view, values, instruction)
    try:
        cursor, step = advance(Cursor(), code, scope)
    except NotFound:
        return FirstTarget(False)
    if step is None or step.at is None:
        return None
    here = scope_at(cursor, code, scope)
    like = places(step.action).get("at")
    option = option_of(step, here)
    found, shown = _find(step.at, like if isinstance(like, Fingerprint) else None, here, option)
    if found is None:
        return FirstTarget(False)
    parts: list[object] = [step.at.choices[0]]
    if option and "options" in found.attributes:
        if not offers(found, option):
            return FirstTarget(False)
        parts.append(step.text)
    loop = step_at(code, code[cursor.at].loop)
    if isinstance(loop, ForEach) and any(isinstance(node, Item) for node in nodes(*parts)):
        parts.append(loop.items)
    return FirstTarget(True, slots_used(*parts), shown)


def _find(aim: Aim, like: Fingerprint | None, scope: Scope, option: str) -> tuple[Element | None, bool]:
    try:
        return as_shown(aim, like, scope), True
    except NotFound:
        return of_another_kind(aim.choices[0], scope, option), False
    except Ambiguous:
        return None, False


def first_that_opens(openings: Sequence[FirstTarget | None]) -> int | None:
    """The index of the procedure that the screen favours; None if the screen does not decide.

    Either only its first target is on the screen, or its first target matched everything that the others'
    first targets matched and more of the instruction, because the named element is already there. A target
    with another role than demonstrated ranks behind.
    """
    if any(one is None for one in openings):
        return None
    possible = [(number, one) for number, one in enumerate(openings) if one is not None and one.there]
    possible = [(number, one) for number, one in possible if one.as_shown] or possible
    for number, one in possible:
        if all(one.asked > other.asked for place, other in possible if place != number):
            return number
    return None
