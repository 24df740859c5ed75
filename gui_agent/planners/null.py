"""Null objects for a task that cannot be done: the planner that says why, and a computer without a screen."""

from __future__ import annotations

from gui_agent.core.actions import Action
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Size
from gui_agent.core.observation import Element, Observation
from gui_agent.core.opening import Opening
from gui_agent.core.protocols import Closing, PlannerCapabilities, Settled, Situation
from gui_agent.core.trajectory import Decision, GiveUp, Task


class NullPlanner(PlannerCapabilities):
    """Gives up at once with the reason, so that the run is kept and ends as not done."""

    name = "none"

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def decide(self, situation: Situation) -> Decision:
        """Give up."""
        return Decision(end=GiveUp(self._reason), planner=self.name)

    def cannot_do(self, task: Task) -> str:
        """The reason, for every task."""
        return self._reason


class NullComputer(Closing):
    """Stands where a computer would, for a run that ends before anything is looked at."""

    platform = "none"

    def observe(self, *, picture: bool = True) -> Observation:
        """Nothing is to be seen."""
        return Observation(Size(0, 0))

    def perform(self, action: Action, expected: Element | None = None) -> None:
        raise ActionFailed(f"{action.kind}: no screen was opened for this task")

    def settle(self) -> Settled:
        """Nothing moves."""
        return Settled(0.0, changed=False)

    def start(self, where: str) -> None:
        """Nothing is opened."""

    def opening(self, name: str) -> Opening:
        """Nothing is opened."""
        return Opening("nothing")

    def close(self) -> None:
        """Nothing is open."""
