"""The person at the wheel: a run that is held, taken over, and handed back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gui_agent.agent.differences import difference
from gui_agent.agent.limits import Following, Listens, RunControl
from gui_agent.core import deadline
from gui_agent.core.errors import ConfigError, StepFailed
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Computer, Observer, Recorder
from gui_agent.core.trajectory import PERSON, Decision, Ending, Step, Task, Trajectory, Turn
from gui_agent.elements.describe import describe_step, printable

LOOKING = 0.05
"""Seconds between two questions whether the person goes on."""


@dataclass(frozen=True, slots=True)
class Attended:
    """What came of attending to the person."""

    screen: Observation
    turns: tuple[Turn, ...] = ()
    """What they did and said."""
    advice: tuple[str, ...] = ()


class Wheel:
    """Holds a run for the person, and follows what they do while it is theirs.

    What they do is recorded without what they type. The clock of the run stands still meanwhile.
    """

    def __init__(
        self,
        control: RunControl,
        computer: Computer,
        observers: Sequence[Observer],
        limit: float,
        following: Following,
    ) -> None:
        """Args: limit: seconds that the person may take altogether."""
        self._control, self._computer, self._observers = control, computer, observers
        self._limit, self._left = limit, limit
        self._following = following

    def attend(
        self, trajectory: Trajectory, before: Observation, look: Callable[[], Observation]
    ) -> Attended:
        """Do what the person wants now: wait while they hold the run, and hear what they say."""
        control, screen = self._control, before
        turns: list[Turn] = []
        advice: tuple[str, ...] = ()
        control.size = before.size
        if control.held:
            did = self._hold(Task(trajectory.task.text, before.place.url))
            if control.stopped:
                return Attended(before)
            screen = look()
            steps = _numbered(did, len(trajectory.steps)) if did is not None else ()
            turns += [replace(did, steps=steps)] if did is not None else []
            advice = (_handed_back(steps, before, screen),)
        while not control.messages.empty():
            turns.append(Turn(Decision(thought=control.messages.get(), planner=PERSON), screen))
        return Attended(screen, tuple(turns), advice)

    def _hold(self, subgoal: Task) -> Turn | None:
        """Wait until the person lets the run go on.

        Args:
            subgoal: what the run was about to do, in words.

        Returns:
            What the person did, when the run was theirs and they could be followed.
        """
        began, said, recorder = time.monotonic(), "", None
        with deadline.held():
            while self._control.held and not self._control.stopped:
                if said != self._control.held:
                    said = self._control.held
                    if said == "yours" and recorder is None:
                        recorder = self._followed()
                    self._say("paused" if said == "paused" else "the screen is yours; hand it back when done")
                self._turn(recorder)
                self._control.poll()
                if time.monotonic() - began > self._left:
                    why = f"the person held the run for {self._limit:g} s; --set limits.held=... allows more"
                    self._control.stop(Ending("limit", why))
            self._left -= time.monotonic() - began
            self._say("handed back" if recorder else "going on")
            return self._recorded(recorder, subgoal) if recorder else None

    def _turn(self, recorder: Recorder | None) -> None:
        """Do what the person does through a view, and hear what they do on the screen."""
        while not self._control.acts.empty():
            action = self._control.acts.get()
            try:
                self._computer.perform(action)
            except StepFailed as error:
                self._say(f"could not {action.kind}: {error}")
        if recorder is None:
            self._control.wait(LOOKING)
            return
        for number, sentence in recorder.poll(LOOKING):
            self._say(f"you: {sentence}" if number else sentence)

    def _followed(self) -> Recorder | None:
        try:
            return self._following.recorder() if self._following.recorder else None
        except (ConfigError, StepFailed) as error:
            self._say(f"what you do is not recorded: {error}")
            return None

    def _recorded(self, recorder: Recorder, subgoal: Task) -> Turn | None:
        for number, sentence in recorder.poll(LOOKING):
            self._say(f"you: {sentence}" if number else sentence)
        trajectory = recorder.stop(subgoal)
        if not trajectory.steps:
            return None
        if self._following.keep is not None:
            self._following.keep(trajectory)
        return trajectory.turns[0]

    def _say(self, what: str) -> None:
        for observer in self._observers:
            if isinstance(observer, Listens):
                observer.told(printable(what))


def _numbered(turn: Turn, last: int) -> tuple[Step, ...]:
    """The person's steps, numbered on from the last one of the run."""
    return tuple(replace(step, number=last + number) for number, step in enumerate(turn.steps, start=1))


def _handed_back(did: Sequence[Step], before: Observation, now: Observation) -> str:
    """What a planner has to know that gets the screen back."""
    change = difference(before, now)
    acts = "; ".join(describe_step(step) for step in did)
    return (
        "The person held the run"
        + (f", took over and did this: {acts}. It is done and not to be done again. " if did else ". ")
        + (f"The screen changed meanwhile: {change.summary()}" if change.any else "The screen is as it was.")
    )


def interrupted(last: Step, screen: Observation) -> str:
    """What a planner has to know that goes on with a run after a break."""
    change = difference(last.after, screen)
    state = f"it is no longer as it was left: {change.summary()}" if change.any else "it is as it was left"
    return (
        f"The run was interrupted after step {last.number} and goes on now. The screen was looked at again; "
        f"{state}. See what of the earlier steps still holds before you act; do nothing twice."
    )
