"""What to try, and in which order, when the next step's target is not on the screen."""

from __future__ import annotations

from gui_agent.core.actions import Scroll, Wait
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Planned

FIRST = (0.3,)
"""Seconds of looking again before the screen is searched."""
LATER = (0.7, 1.5)
"""Seconds of looking again after the search, for things that come late."""
SCREENFULS = 12


def next_try(attempts: int, screen: Observation, *, only_wait: bool = False) -> Planned | None:
    """The next attempt after so many: look again, scroll from the top to the end, look again, then None."""
    waits = (*FIRST, *LATER)
    if only_wait:
        return Planned(Wait(waits[attempts]), why="look again") if attempts < len(waits) else None
    if attempts < len(FIRST):
        return Planned(Wait(FIRST[attempts]), why="look again")
    searched = attempts - len(FIRST)
    scroll = _scroll(screen, first=searched == 0)
    if scroll is not None and searched < SCREENFULS:
        return scroll
    late = attempts - SCREENFULS - len(FIRST) if searched >= SCREENFULS else searched
    return Planned(Wait(LATER[late]), why="look again") if late < len(LATER) else None


def _scroll(screen: Observation, *, first: bool) -> Planned | None:
    middle = Point(screen.size.width // 2, screen.size.height // 2)
    if first and screen.more.get("above"):
        return Planned(Scroll(middle, down=-screen.more["above"]), why="scroll to the top")
    if screen.more.get("below"):
        return Planned(Scroll(middle, down=max(1, int(screen.size.height * 0.8))), why="scroll on")
    return None
