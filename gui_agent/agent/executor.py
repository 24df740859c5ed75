"""One planned action, carried out: ground, guard, perform, settle, observe, judge."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from gui_agent.agent.cycles import Trail
from gui_agent.agent.differences import difference
from gui_agent.agent.guard.ledger import KeepsLedger
from gui_agent.agent.limits import Control, Limits, Stopwatch
from gui_agent.core import deadline
from gui_agent.core.actions import Action, AnyAction, Wait, aim, excess, places
from gui_agent.core.conditions import text_on
from gui_agent.core.errors import ActionFailed, Ambiguous, NotFound, Stale, StepFailed
from gui_agent.core.fingerprints import fingerprint, same_element
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Computer, Grounder, Guard, Reflector
from gui_agent.core.targets import Mark, Point, Target
from gui_agent.core.trajectory import Found, Outcome, Planned, Step

LOOK_AGAIN = 0.1
"""Seconds between two looks while waiting for something to appear."""


@dataclass(slots=True)
class _Attempt:
    """What is known of a step while it is under way."""

    action: Action | Wait | None = None
    found: Mapping[str, Found] = field(default_factory=dict)
    delivered: bool = False


class Executor:
    """Carries out planned actions on one computer, one at a time."""

    def __init__(
        self,
        computer: Computer,
        grounder: Grounder,
        guard: Guard,
        reflector: Reflector,
        *,
        limits: Limits,
        control: Control,
        picture: bool = True,
    ) -> None:
        self._computer = computer
        self._grounder = grounder
        self._guard = guard
        self._reflector = reflector
        self._limits = limits
        self._control = control
        self._picture = picture
        self.trail = Trail()

    def observe(self) -> Observation:
        """Look at the screen as the run's settings want it."""
        return self._computer.observe(picture=self._picture)

    def carry_out(self, number: int, planned: Planned, decided: Observation, before: Observation) -> Step:
        """Do one planned action.

        Args:
            decided: the screen the planner saw.
            before: the screen now; the same object for the first action of a batch.
        """
        watch, attempt = Stopwatch(), _Attempt()
        try:
            self._prepare(attempt, planned, decided, before, watch)
            self._send(attempt, before, watch)
            after, outcome = self._look(attempt, planned, before, watch)
            error = ""
        except StepFailed as failure:
            # A device that failed half way may have changed the screen; one that was never asked has not.
            after = self.observe() if attempt.delivered else before
            outcome, error = Outcome("failed", str(failure), calls=failure.calls), type(failure).__name__
            watch.lap("observe")
        step = Step(
            number=number,
            planned=planned,
            before=before,
            after=after,
            outcome=outcome,
            action=attempt.action,
            found=attempt.found,
            error=error,
            seconds=watch.parts,
        )
        self.trail.note(step)
        return step

    def _prepare(
        self, attempt: _Attempt, planned: Planned, decided: Observation, before: Observation, watch: Stopwatch
    ) -> None:
        """Ground the targets and let the guard see the action."""
        action = planned.action
        if too_much := excess(action):
            raise ActionFailed(too_much)
        if isinstance(action, Wait):
            attempt.action = action
            return
        named: dict[str, Target] = places(action)
        attempt.found = {
            name: self._ground(target, action, decided, before) for name, target in named.items()
        }
        watch.lap("ground")
        grounded: AnyAction[Point] = aim(action, {name: spot.point for name, spot in attempt.found.items()})
        self.trail.refuse_useless(grounded, before)
        self._guard.check(grounded, attempt.found, before)
        attempt.action = grounded
        watch.lap("guard")

    def _ground(
        self, target: Target, action: AnyAction[Target], decided: Observation, now: Observation
    ) -> Found:
        if decided is not now:
            self._still_there(target, action, decided, now)
        return self._grounder.locate(target, now, verb=action.kind)

    def _still_there(
        self, target: Target, action: AnyAction[Target], decided: Observation, now: Observation
    ) -> None:
        """Refuse a target that is no longer what the planner meant when it decided on the batch.

        Raises:
            Stale: the element under the mark or point, or behind the words, is another one now.
        """
        if isinstance(target, Mark):
            then = decided.by_id(target.mark)
            same = now.by_id(target.mark)
            if then is None or same is None or not same_element(same, fingerprint(then, decided), now):
                raise Stale(
                    f"element {target.mark} is no longer what it was when this was planned; look again"
                )
        elif isinstance(target, Point):
            then, same = decided.smallest_at(target), now.smallest_at(target)
            unchanged = decided.place == now.place if then is None else same is not None
            if not unchanged or (then and same and not same_element(same, fingerprint(then, decided), now)):
                raise Stale(
                    f"what is at ({target.x}, {target.y}) has changed since this was planned; look again"
                )
        else:
            # Words that named nothing on the decided screen may name something that appeared since.
            try:
                then = self._grounder.locate(target, decided, verb=action.kind).element
            except (NotFound, Ambiguous):
                return
            same = self._grounder.locate(target, now, verb=action.kind).element
            if then and same and not same_element(same, fingerprint(then, decided), now):
                raise Stale(f"{target} is now {same}, not {then} as when this was planned; look again")

    def _send(self, attempt: _Attempt, before: Observation, watch: Stopwatch) -> None:
        """Perform the action and wait until the screen is at rest."""
        if isinstance(attempt.action, Wait) or attempt.action is None:
            return
        spot = attempt.found.get("at")
        attempt.delivered = True
        self._computer.perform(attempt.action, spot.element if spot else None)
        if isinstance(self._guard, KeepsLedger):
            self._guard.delivered(attempt.action, attempt.found, before)
        watch.lap("act")
        self._computer.settle()
        watch.lap("settle")

    def _look(
        self, attempt: _Attempt, planned: Planned, before: Observation, watch: Stopwatch
    ) -> tuple[Observation, Outcome]:
        """Observe and judge; an expected change that is late is given some patience."""
        if isinstance(attempt.action, Wait):
            after = self._wait(attempt.action, before)
            watch.lap("settle")
            return after, _waited(attempt.action, before, after)
        after = self.observe()
        watch.lap("observe")
        outcome = self._reflector.judge(planned, attempt.found, before, after)
        watch.lap("check")
        enough = time.monotonic() + deadline.left(self._limits.patience)
        while outcome.kind == "unexpected" and time.monotonic() < enough and not self._control.stopped:
            self._control.sleep(LOOK_AGAIN)
            after = self.observe()
            outcome = self._reflector.judge(planned, attempt.found, before, after)
            watch.lap("settle")
        return after, outcome

    def _wait(self, wait: Wait, before: Observation) -> Observation:
        enough = time.monotonic() + wait.seconds
        if not wait.until:
            self._control.sleep(wait.seconds)
            if deadline.over() and time.monotonic() < enough and not self._control.stopped:
                raise ActionFailed(f"the time of the run was over before {wait.seconds:g} s were waited")
            return self.observe()
        now = self._computer.observe(picture=False)
        while not text_on(now, wait.until):
            if deadline.over() and time.monotonic() < enough:
                raise NotFound(f'"{wait.until}" did not appear before the time of the run was over')
            if time.monotonic() >= enough or self._control.stopped:
                raise NotFound(f'"{wait.until}" did not appear within {wait.seconds:g} s')
            self._control.sleep(LOOK_AGAIN)
            now = self._computer.observe(picture=False)
        self._computer.settle()
        return self.observe()


def _waited(wait: Wait, before: Observation, after: Observation) -> Outcome:
    change = difference(before, after)
    if wait.until:
        return Outcome("confirmed", f'"{wait.until}" is shown', (change.summary(),))
    return Outcome("changed" if change.any else "no_change", change.summary())
