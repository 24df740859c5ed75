"""What follows an act: looks until it is known what came of it, and waits for what is to appear."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from gui_agent.agent.differences import difference
from gui_agent.agent.finish import needs_effect
from gui_agent.agent.limits import Limits, RunControl, Stopwatch
from gui_agent.agent.outcome import Targets, wait_outcome
from gui_agent.core import deadline
from gui_agent.core.actions import Wait
from gui_agent.core.conditions import text_on
from gui_agent.core.errors import ActionFailed, NotFound
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Computer, Reflector
from gui_agent.core.trajectory import Outcome, Planned, Trajectory

LOOK_AGAIN = 0.1
"""Seconds between two looks while waiting for something to appear."""
LATE = 3.0
"""Seconds that a program gets to show the effect of an action, such as closing a dialog that was sent."""
LATER = 1.5
"""Times the usual patience that a page gets to show the first sign of what it was told to do."""
FROZEN = 10.0
"""Seconds that a program which does not answer gets to do so, before it counts as frozen."""


@dataclass(eq=False, repr=False)
class Aftermath:
    """Finds out what came of an action on one computer."""

    computer: Computer
    observe: Callable[[], Observation]
    """Looks with a picture, where the run takes them."""
    reflector: Reflector
    limits: Limits
    control: RunControl

    def last_screen(self, screen: Observation, trajectory: Trajectory) -> Observation:
        """The screen once the program in front answers and more than words tells what came of the last step.

        As it is after some time, where neither comes: a page may still say that it is at work.
        """
        from gui_agent.agent.questions import last_step_verdict, objection

        began, busy = time.monotonic(), deadline.remaining(FROZEN)
        slow = min(busy, 2 * self.limits.patience)
        while not self.control.is_stopped:
            open_end = last_step_verdict(trajectory, screen)[0] and not objection(trajectory, screen)
            patience = busy if screen.is_stuck else slow if open_end else 0.0
            if time.monotonic() >= began + patience:
                break
            self.control.sleep(LOOK_AGAIN)
            screen = self.observe()
        return screen

    def outcome(
        self, planned: Planned, found: Targets, before: Observation, watch: Stopwatch, *, picture: bool
    ) -> tuple[Observation, Outcome]:
        """Observe and judge; an expected change that is late is given some patience."""
        if isinstance(planned.action, Wait):
            after = self._wait(planned.action, planned, before)
            watch.lap("settle")
            return after, wait_outcome(planned.action, planned, before, after)
        after = self.computer.observe(picture=picture)
        watch.lap("observe")
        after, outcome = self._judge(planned, found, before, after)
        watch.lap("check")
        began = time.monotonic()
        late = outcome.kind == "no_change" and needs_effect(planned.action)
        while (outcome.kind == "unexpected" or late) and not self.control.is_stopped and not deadline.over():
            # A program that is busy answers late, and shows nothing of what it was told until then.
            patience = FROZEN if after.is_stuck and not planned.expect else self.limits.patience
            patience = max(patience, LATE) if after.windows else LATER * patience if late else patience
            if time.monotonic() >= began + patience:
                break
            self.control.sleep(LOOK_AGAIN)
            after, outcome = self._judge(planned, found, before, self.observe())
            late = late and outcome.kind == "no_change"
            watch.lap("settle")
        return after, outcome

    def _judge(
        self, planned: Planned, found: Targets, before: Observation, after: Observation
    ) -> tuple[Observation, Outcome]:
        outcome = self.reflector.judge(planned, found, before, after)
        touched = found.values()
        if outcome.kind == "changed" and difference(before, after, touched).doubtful:
            # At unequal times: one later look may come just when what moves is back where it was.
            for seconds in (LOOK_AGAIN, LOOK_AGAIN / 2):
                self.control.sleep(seconds)
                again = self.observe()
                if not difference(before, after, touched, again=again).any:
                    return after, Outcome("no_change", "nothing visible changed but what changes by itself")
        return after, outcome

    def _wait(self, wait: Wait, planned: Planned, before: Observation) -> Observation:
        enough = time.monotonic() + wait.seconds
        if not (wait.until or planned.expect):
            self.control.sleep(wait.seconds)
            if deadline.over() and time.monotonic() < enough and not self.control.is_stopped:
                raise ActionFailed(f"the time of the run was over before {wait.seconds:g} s were waited")
            return self.observe()
        missing = (
            f'"{wait.until}" did not appear' if wait.until else f"it was not seen that {planned.expect[0]}"
        )
        now = self.computer.observe(picture=False)
        while not (
            text_on(now, wait.until)
            and (not planned.expect or self.reflector.judge(planned, {}, before, now).kind == "confirmed")
        ):
            if deadline.over() and time.monotonic() < enough:
                raise NotFound(f"{missing} before the time of the run was over")
            if time.monotonic() >= enough or self.control.is_stopped:
                raise NotFound(f"{missing} within {wait.seconds:g} s")
            self.control.sleep(LOOK_AGAIN)
            now = self.computer.observe(picture=False)
        self.computer.settle()
        return self.observe()
