"""What to try, and in which order, when the next step's target is not on the screen."""

from __future__ import annotations

from gui_agent.core.actions import Scroll, Wait
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Planned

WAITS = (0.3, 0.7, 1.5)
"""Seconds of looking again, for things that come late."""
SCREENFULS = 12


def next_try(attempts: int, screen: Observation, *, only_wait: bool = False) -> Planned | None:
    """The next attempt after so many: wait, then scroll down to the end, then None."""
    if attempts < len(WAITS):
        return Planned(Wait(WAITS[attempts]), why="look again")
    if only_wait or attempts >= len(WAITS) + SCREENFULS:
        return None
    first = attempts == len(WAITS)
    middle = Point(screen.size.width // 2, screen.size.height // 2)
    if first and screen.more.get("above"):
        return Planned(Scroll(middle, down=-screen.more["above"]), why="scroll to the top")
    if screen.more.get("below"):
        return Planned(Scroll(middle, down=max(1, int(screen.size.height * 0.8))), why="scroll on")
    return None
