"""The planner for tasks that nobody knows how to do: it says so."""

from __future__ import annotations

from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, GiveUp


class NothingKnown:
    """Gives up at once with the reason, so that the run is kept and ends as not done."""

    name = "nothing known"

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def decide(self, situation: Situation) -> Decision:
        """Give up."""
        return Decision(end=GiveUp(self._reason), planner=self.name)
