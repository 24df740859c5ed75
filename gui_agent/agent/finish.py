"""Checking that a task is done before it is called done."""

from __future__ import annotations

from collections.abc import Callable

from gui_agent.agent.outcome import CodeReflector
from gui_agent.core.conditions import holds
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Grounder
from gui_agent.core.trajectory import Task

REFUSALS = 2
"""How often "done" may be refused before the run ends as not done."""


class Finishing:
    """Holds a planner's "done" against the task's typed success criteria."""

    def __init__(self, grounder: Grounder) -> None:
        self._reflector = CodeReflector(grounder)
        self._refused = 0

    @property
    def patient(self) -> bool:
        """Whether the planner gets another chance after the last refusal."""
        return self._refused <= REFUSALS

    def missing(self, task: Task, observe: Callable[[], Observation]) -> str:
        """What is missing in plain words; empty when the task is done as far as its criteria tell.

        A criterion that the screen cannot decide counts as missing: done is only what was seen.
        """
        if not task.criteria:
            return ""
        screen = observe()
        find = self._reflector.finder(screen)
        open_points = [str(criterion) for criterion in task.criteria if not holds(criterion, screen, find)]
        if not open_points:
            return ""
        self._refused += 1
        return f"it was not seen that {open_points[0]}" + (
            f" (nor {len(open_points) - 1} more)" if len(open_points) > 1 else ""
        )
