"""Parts of the agent that a benchmark run can leave out, to measure what they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.trajectory import Decision, Found, Outcome, Planned

ABLATIONS: Mapping[str, str] = {
    "memory": "no remembered runs are recalled or kept",
    "reflection": "outcomes are not judged: every delivered action counts as done",
    "abstraction": "prompts show whole screens instead of what matters on them",
    "batches": "one action per decision, and a new look at the screen after each",
}
"""What can be left out, and what that means."""


class OneAtATime:
    """A planner whose batches are cut down to their first action."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    @property
    def name(self) -> str:
        return self._planner.name

    def decide(self, situation: Situation) -> Decision:
        """What the planner says, without the actions after the first."""
        decision = self._planner.decide(situation)
        return replace(decision, planned=decision.planned[:1])


class NoReflection:
    """A reflector that looks at nothing."""

    def judge(
        self, planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
    ) -> Outcome:
        """Nothing is known of any action."""
        return Outcome("unverifiable", "not judged")
