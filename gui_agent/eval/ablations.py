"""Parts of the agent that a benchmark run can leave out, to measure what they are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Decision, Found, Outcome, Planned

ABLATIONS: Mapping[str, str] = {
    "memory": "no demonstration is recalled by the wording of the instruction: each task has only its own",
    "abstraction": "nothing is generalised over several demonstrations: each is a procedure of its own",
    "reflection": "outcomes are not judged: every delivered action counts as done",
    "batches": "one action per decision, and a new look at the screen after each",
}
"""What can be left out, and what that means."""
LEARNING = ("auto", "cascade", "demonstration")
"""Planners that learn from demonstrations."""
BASELINES = ("random", "blind")


def check(names: Sequence[str], planner: str, *, pooled: bool) -> None:
    """See that leaving these parts out leaves something out.

    Args:
        pooled: whether the planner has to choose among the demonstrations of several tasks.

    Raises:
        ConfigError: there is no such part, or this planner does not have it.
    """
    for name in names:
        if name not in ABLATIONS:
            raise ConfigError(f"--without {name}: there is no such part{suggestion(name, ABLATIONS)}")
        if planner in BASELINES:
            raise ConfigError(f"--without {name}: --planner {planner} is a baseline and has no parts")
        if name in ("memory", "abstraction") and planner not in LEARNING:
            raise ConfigError(
                f"--without {name}: --planner {planner} learns nothing; use it with --planner demonstration"
            )
        if name == "memory" and not pooled:
            raise ConfigError(
                "--without memory: each task has only its own demonstrations already; "
                "use it with --demos-of all or the name of a suite"
            )


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
