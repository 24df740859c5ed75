"""Agents that know nothing: what they reach is what a benchmark gives away for free."""

from __future__ import annotations

import random

from gui_agent.core.actions import Click
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.targets import Target
from gui_agent.core.trajectory import Decision, GiveUp, Planned


class RandomClicks:
    """Clicks on controls at random, and on a random point where there is none; seeded, so repeatable."""

    name = "random"

    def __init__(self, seed: int = 0, clicks: int = 10) -> None:
        """Args: clicks: how many before it gives up."""
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
    """Presses the button that sends the form, whatever the task says."""

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
