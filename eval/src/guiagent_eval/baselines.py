"""Baselines: solvers without knowledge, and the agent with a part switched off."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gui_agent.core.actions import Click
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element, Observation, Point, Target
from gui_agent.core.protocols import Planner, Situation
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Decision, Found, GiveUp, Outcome, Planned


class RandomClicks:
    """Clicks on random controls, or on a random point if there is none; seeded, so repeatable."""

    name = "random"

    def __init__(self, seed: int = 0, clicks: int = 10) -> None:
        """Args: clicks: number of clicks before it gives up."""
        self._seed = seed
        self._clicks = clicks

    def decide(self, situation: Situation) -> Decision:
        """Click on something, or give up after the last click."""
        done = len(situation.turns)
        if done >= self._clicks:
            return _gives_up(self.name, "all random clicks are used up")
        # Not hash(): it differs from process to process.
        dice = random.Random(self._seed * 1009 + done)
        return _click(self.name, _somewhere(situation.observation, dice))


class BlindSubmit:
    """Presses the button that sends the form, whatever the task."""

    name = "blind"

    def decide(self, situation: Situation) -> Decision:
        """Click on the last button that is called Submit, else on the last button, once."""
        if situation.turns:
            return _gives_up(self.name, "it has pressed the button")
        buttons = [one for one in situation.observation.elements if one.role == "button"]
        named = [one for one in buttons if one.name.strip().lower() in ("submit", "ok", "send")]
        if not buttons:
            return _gives_up(self.name, "there is no button")
        return _click(self.name, (named or buttons)[-1].box.center)


def _somewhere(screen: Observation, dice: random.Random) -> Point:
    controls: list[Element] = list(screen.controls)
    if controls:
        return dice.choice(controls).box.center
    return Point(dice.randrange(screen.size.width), dice.randrange(screen.size.height))


def _click(name: str, at: Target) -> Decision:
    return Decision(planned=(Planned(Click(at)),), planner=name)


def _gives_up(name: str, reason: str) -> Decision:
    return Decision(end=GiveUp(reason), planner=name)


ABLATIONS: Mapping[str, str] = {
    "memory": "no demonstration of another task is recalled or shown: each task has only its own",
    "abstraction": "nothing is generalised over several demonstrations: each is a procedure of its own",
    "reflection": "outcomes are not judged: every delivered action counts as done",
    "lessons": "no lesson of earlier runs is shown",
    "batches": "one action per decision, and a new look at the screen after each",
}
"""The parts that can be left out, each with the consequence."""
LEARNING = ("auto", "cascade", "demonstration")
"""Planners that learn from demonstrations."""
BASELINES = ("random", "blind")


def check(
    names: Sequence[str], planner: str, *, pooled: bool, exemplars: int = 0, lessons: bool = False
) -> None:
    """Check that leaving these parts out has an effect.

    Args:
        pooled: whether the planner has to choose among the demonstrations of several tasks.
        exemplars: how many demonstrations a model is shown.
        lessons: whether the model is shown lessons.

    Raises:
        ConfigError: there is no such part, or this planner does not have it.
    """
    for name in names:
        if name not in ABLATIONS:
            raise ConfigError(f"--without {name}: there is no such part{suggestion(name, ABLATIONS)}")
        if planner in BASELINES:
            raise ConfigError(f"--without {name}: --planner {planner} is a baseline and has no parts")
        if name == "memory" and planner not in LEARNING and not exemplars:
            raise ConfigError(
                f"--without {name}: --planner {planner} gets no demonstrations; use it with --exemplars "
                "or with --planner demonstration"
            )
        if name == "abstraction" and planner not in LEARNING:
            raise ConfigError(
                f"--without {name}: --planner {planner} learns nothing; use it with --planner demonstration"
            )
        if name == "lessons" and not lessons:
            raise ConfigError("--without lessons: none are shown; name them with --set memory.lessons=FILE")
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
        """The planner's decision without the actions after the first."""
        decision = self._planner.decide(situation)
        return replace(decision, planned=decision.planned[:1])


class NoReflection:
    """A reflector that looks at nothing."""

    def judge(
        self, planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
    ) -> Outcome:
        """Every outcome is unknown."""
        return Outcome("unverifiable", "not judged")
