"""A script: a person's way of doing a task, as a generator that yields actions and gets the next screen."""

from __future__ import annotations

from collections.abc import Callable, Generator

from gui_agent.core.actions import Proposal
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Planned

Script = Generator[Proposal, Observation, None]
"""Yields one action at a time and gets the screen after it."""
Demonstrator = Callable[[str, Observation], Script]
"""Starts a script for an instruction on the first screen."""


class NotSeen(Exception):
    """The target of a script is not on the screen; the demonstration is given up."""


class Player:
    """A planner that follows one script, for one run."""

    name = "demonstrator"

    def __init__(self, demonstrator: Demonstrator) -> None:
        self._demonstrator = demonstrator
        self._script: Script | None = None

    def decide(self, situation: Situation) -> Decision:
        """The next action of the script; the end of the run if the script ended or an action was refused."""
        last = situation.last
        if last is not None and last.error:
            return self._last_decision(GiveUp(last.outcome.summary))
        try:
            if self._script is None:
                self._script = self._demonstrator(situation.task.text, situation.observation)
                action = next(self._script)
            else:
                action = self._script.send(situation.observation)
        except StopIteration:
            return self._last_decision(Finish())
        except NotSeen as error:
            return self._last_decision(GiveUp(str(error)))
        return Decision(planned=(Planned(action),), planner=self.name)

    def _last_decision(self, end: Finish | GiveUp) -> Decision:
        return Decision(end=end, planner=self.name)
