"""After an action: observe until its outcome is known."""

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
"""Seconds that a desktop program gets to show the effect of an action, such as closing a submitted dialog."""
LATER = 1.5
"""Factor on the patience: how long a page may take to show the first sign of an effect."""
FROZEN = 10.0
"""Seconds that an unresponsive program gets to answer before it counts as frozen."""


@dataclass(eq=False, repr=False)
class Aftermath:
    """Finds out the outcome of actions on one computer."""

    computer: Computer
    observe: Callable[[], Observation]
    """Observes the screen, with a picture if the run takes them."""
    reflector: Reflector
    limits: Limits
    control: RunControl

    def last_screen(self, screen: Observation, trajectory: Trajectory) -> Observation:
        """The screen once the program in front responds and the outcome of the last step is proven by more
        than words.

        If that does not happen in time, the screen as it then is: a page may still show that it is loading.
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
        """Observe and judge; a late expected change gets some patience."""
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
        while (
            (outcome.kind == "unexpected" or late) and not self.control.is_stopped and not deadline.is_over()
        ):
            # A busy program responds late, and shows no effect until then.
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
            # Look at unequal intervals: something that moves by itself may be back in place at one of them.
            for seconds in (LOOK_AGAIN, LOOK_AGAIN / 2):
                self.control.sleep(seconds)
                again = self.observe()
                if not difference(before, after, touched, again=again).any:
                    return after, Outcome(
                        "no_change", "nothing visible changed, except things that change by themselves"
                    )
        return after, outcome

    def _wait(self, wait: Wait, planned: Planned, before: Observation) -> Observation:
        enough = time.monotonic() + wait.seconds
        if not (wait.until or planned.expect):
            self.control.sleep(wait.seconds)
            if deadline.is_over() and time.monotonic() < enough and not self.control.is_stopped:
                raise ActionFailed(
                    f"the time of the run was over before the wait of {wait.seconds:g} s had ended"
                )
            return self.observe()
        missing = (
            f'"{wait.until}" did not appear'
            if wait.until
            else f"the screen did not show that {planned.expect[0]}"
        )
        now = self.computer.observe(picture=False)
        while not (
            text_on(now, wait.until)
            and (not planned.expect or self.reflector.judge(planned, {}, before, now).kind == "confirmed")
        ):
            if deadline.is_over() and time.monotonic() < enough:
                raise NotFound(f"{missing} before the time of the run was over")
            if time.monotonic() >= enough or self.control.is_stopped:
                raise NotFound(f"{missing} within {wait.seconds:g} s")
            self.control.sleep(LOOK_AGAIN)
            now = self.computer.observe(picture=False)
        self.computer.settle()
        return self.observe()
