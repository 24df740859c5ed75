"""How menus, sections and branches are unfolded: by pointing, a click, or the sign before the name."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.core.actions import Click, Move, Press, Proposal, Wait
from gui_agent.core.conditions import StateIs
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Mark, Target
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.layout import within
from gui_agent.elements.roles import BRANCHES
from gui_agent.planners.commands.compiler import Plan

UNFOLDING = 0.4
"""Seconds that a submenu may take to open when it is pointed at."""
TWISTY = 20
"""Pixels before the name of a branch that the sign takes which unfolds it."""
FOLDING = frozenset(("expanded", "collapsed"))
"""States of what can be unfolded and says whether it is."""


def unfold(
    target: Target, element: Element | None, screen: Observation, steps: Sequence[Step], why: str
) -> Plan:
    """What unfolds the target on this screen; nothing when it is unfolded already.

    Submenus open when they are pointed at, and a click may choose them; menu bars need the click.

    Args:
        steps: what was just carried out, which may have been the first part of this command.
    """
    branch = _branch(element, screen)
    if branch is not None and element is not None:
        if "expanded" in branch.states:
            return Plan(alone=False)
        return _unfold_branch(target, element, branch, steps, why)
    twisty = _twisty(element, screen)
    if twisty is not None:
        return Plan((Planned(Click(Mark(twisty.id)), why=why),))
    pointed = Move(target)
    if steps and steps[0].planned.action == pointed:
        known = {before.id for before in steps[0].before.elements}
        if any(now.id not in known for now in screen.elements):
            return Plan(alone=False)
    elif element is not None and "expanded" in element.states:
        return Plan(alone=False)
    elif element is not None and element.role == "menuitem" and "haspopup" in element.states:
        return Plan((Planned(pointed, why=why), Planned(Wait(UNFOLDING), why=why)), unfinished=True)
    return Plan((Planned(Click(target), why=why),))


def _branch(element: Element | None, screen: Observation) -> Element | None:
    """The branch of a tree or table that an element is, or whose row it stands in."""
    if element is None:
        return None
    rows = [one for one in screen.elements if one.role in BRANCHES and one.states & FOLDING]
    if element in rows:
        return element
    around = [one for one in rows if one.box.encloses(element.box) and within(element, one)]
    return min(around, key=lambda one: one.box.area, default=None)


def _twisty(element: Element | None, screen: Observation) -> Element | None:
    """The nameless button at the beginning of a tree's row that does not say whether it is unfolded."""
    if element is None or element.role not in BRANCHES:
        return None
    start = element.box.left + 3 * TWISTY
    inner = [one for one in screen.controls if one.role == "button" and within(one, element)]
    first = inner[0] if inner else None
    if first is None or first.name or first.box.right >= start or not element.box.encloses(first.box):
        return None
    return first


def _unfold_branch(item: Target, element: Element, branch: Element, steps: Sequence[Step], why: str) -> Plan:
    """What unfolds a branch stands before its name; a click on it may only select it."""
    ways: tuple[Proposal, ...] = (Click(item), Press(("right",)), Click(item, clicks=2))
    if element.id == branch.id:
        ways = (*ways, Click(Point(branch.box.left + TWISTY // 2, branch.box.center.y)))
    if element.box.left - branch.box.left >= TWISTY:
        ways = (Click(Point(element.box.left - TWISTY // 2, element.box.center.y)), *ways)
    last = steps[-1].planned.action if steps else None
    way = ways.index(last) + 1 if last in ways[:-1] else 0
    expect = (StateIs(Mark(branch.id), "expanded"),) if way == len(ways) - 1 else ()
    return Plan((Planned(ways[way], expect, why),), unfinished=not expect)
