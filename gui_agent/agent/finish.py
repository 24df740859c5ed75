"""Checks the criteria of a task before a run counts as done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gui_agent.agent.outcome import CodeReflector
from gui_agent.core.conditions import Condition, holds
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Grounder, Verifier
from gui_agent.core.targets import Target
from gui_agent.core.trajectory import Trajectory

REFUSALS = 2
"""How often "done" may be refused before the run ends as not done."""


class Finishing:
    """Holds a planner's "done" against the task's criteria, the planner's own, and a verifier's look.

    The criteria of the task are decided by code alone. Those that a planner set itself when it began may be
    wrong guesses: where code does not see them, the verifier has the word, and without one the planner is
    believed after two refusals.
    """

    def __init__(self, grounder: Grounder, verifier: Verifier | None = None) -> None:
        self._reflector = CodeReflector(grounder)
        self._verifier = verifier
        self._refused = 0
        self.calls = 0
        """Model calls spent."""

    @property
    def patient(self) -> bool:
        """Whether the planner gets another chance after the last refusal."""
        return self._refused <= REFUSALS

    def missing(self, trajectory: Trajectory, answer: str, observe: Callable[[], Observation]) -> str:
        """What is missing in plain words; empty when the task is done as far as can be told.

        A criterion that the screen cannot decide counts as missing: done is only what was seen.

        Raises:
            Unavailable: the verifier's model is down.
        """
        task, decision = trajectory.task, trajectory.turns[-1].decision
        own = [c for turn in trajectory.turns for c in turn.decision.criteria]
        verifier = self._verifier if decision.calls else None
        if not task.criteria and not own and verifier is None:
            return ""
        screen = observe()
        missing = self._unseen(task.criteria, screen)
        if not missing and self._refused < REFUSALS:
            missing = self._unseen(own, screen)
            if verifier is not None and (missing or not (own or task.criteria)):
                verdict = verifier.verify(trajectory, answer, screen)
                self.calls += verdict.calls
                missing = verdict.missing if verdict.judged else missing
        self._refused += bool(missing)
        return missing

    def _unseen(self, criteria: Sequence[Condition[Target]], screen: Observation) -> str:
        find = self._reflector.finder(screen)
        open_points = [str(criterion) for criterion in criteria if not holds(criterion, screen, find)]
        if not open_points:
            return ""
        return f"it was not seen that {open_points[0]}" + (
            f" (nor {len(open_points) - 1} more)" if len(open_points) > 1 else ""
        )
