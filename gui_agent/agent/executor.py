"""Carries out one planned action: ground, guard, perform, settle, observe, judge."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from gui_agent.agent._aftermath import LOOK_AGAIN, Aftermath
from gui_agent.agent._staleness import target_now
from gui_agent.agent.guard._context import focused_element
from gui_agent.agent.guard.ledger import KeepsLedger
from gui_agent.agent.limits import Limits, LoopDetector, RunControl, Stopwatch
from gui_agent.agent.outcome import is_spent_on_popup, retarget_to_cover, unseen_outcome
from gui_agent.agent.person import refuse_captcha
from gui_agent.core import deadline
from gui_agent.core.actions import Action, AnyAction, Choose, Click, Move, Scroll, TypeText, Upload, Wait
from gui_agent.core.aiming import aim, limit_violation, places, sets_field_value
from gui_agent.core.errors import ActionFailed, BudgetSpent, NotFound, Stale, StepFailed, Unavailable
from gui_agent.core.keys import ACTING
from gui_agent.core.observation import Element, Observation, Point, Target
from gui_agent.core.os_errors import demand_files
from gui_agent.core.protocols import (
    Computer,
    Grounder,
    Guard,
    JudgesRequests,
    KeepsAnswers,
    RecordsRequests,
    Reflector,
)
from gui_agent.core.trajectory import Found, Outcome, Planned, Step, found_element
from gui_agent.elements.roles import EMBEDDED, OPERABLE, TICKABLE
from gui_agent.elements.scroll_search import way_to

_KEYS = (ACTING, re.compile(r"[\0-\t\v\f\x0e-\x1f\x7f]"))
"""Characters that act as keys when typed: in a field of one line, and in one of several."""
MOST_CANDIDATES = 10
"""How many possible targets are kept with a failed step."""


@dataclass(slots=True)
class _Attempt:
    action: Action | Wait | None = None
    found: Mapping[str, Found] = field(default_factory=dict)
    delivered: bool = False
    performed: bool = False
    means: str = ""


@dataclass(eq=False, repr=False)
class Executor:
    """Carries out planned actions on one computer, one at a time."""

    computer: Computer
    grounder: Grounder
    guard: Guard
    reflector: Reflector
    limits: Limits
    control: RunControl
    picture: bool = True
    share_screenshots: bool = False
    """Whether fields that one decision fills in share one screenshot."""
    values: Mapping[str, str] = field(default_factory=dict)
    """The task's values by name: data, so no character of them may act as a key."""
    loops: LoopDetector = field(default_factory=LoopDetector, init=False)
    broken: BaseException | None = field(default=None, init=False)
    """The error that hid the outcome of the last step; the run ends with it."""
    worked_on: list[Point] = field(default_factory=list, init=False)
    """The targets of the decision's earlier actions."""

    def __post_init__(self) -> None:
        self.aftermath = Aftermath(self.computer, self.observe, self.reflector, self.limits, self.control)

    def observe(self) -> Observation:
        return self.computer.observe(picture=self.picture)

    def carry_out(
        self,
        number: int,
        planned: Planned,
        decided: Observation,
        before: Observation,
        following: Planned | None = None,
        *,
        is_sought: bool = False,
    ) -> Step:
        """Carry out one planned action; if its target is known to be out of sight, scroll there instead.

        Args:
            following: the next action of the same decision.
            is_sought: the target was just scrolled into sight, so a missing target is an error.
            decided: the screen the planner saw.
            before: the screen now; the same object for the first action of a batch.
        """
        watch, attempt = Stopwatch(), _Attempt()
        try:
            before = self._prepare(attempt, planned, decided, before, watch)
            self._send(attempt, planned, before, watch)
            pictured = following is None or not self._are_pictured_together(planned, following)
            after, outcome = self._look(attempt, planned, before, watch, picture=pictured)
            if is_spent_on_popup(planned, attempt.found, before, after):
                # A popup takes the click that closes it; a person clicks once more.
                self.guard.check(cast(Action, attempt.action), attempt.found, after)
                self._send(attempt, planned, after, watch)
                after, outcome = self._look(attempt, planned, before, watch)
            while self._has_sent_more():  # late requests were released, and now show their effect
                after, outcome = self._look(attempt, planned, before, watch)
            error = ""
        except StepFailed as failure:
            hidden = next((one for one in failure.candidates if one in before.beyond), None)
            if isinstance(failure, NotFound) and hidden is not None and not (is_sought or attempt.delivered):
                way = Planned(way_to(hidden, before), why=f"{hidden} is out of sight")
                return self.carry_out(number, way, before, before, is_sought=True)
            near = failure.candidates[:MOST_CANDIDATES]
            outcome = Outcome("failed", str(failure), (), failure.calls, failure.advice, near)
            after, error = self._after_failure(attempt, before), type(failure).__name__
            watch.lap("observe")
        except (Unavailable, BudgetSpent, KeyboardInterrupt) as fault:
            if not attempt.delivered:
                raise
            # Without a record of this step, a resumed run would do it again.
            self.broken = fault
            after, outcome, error = before, unseen_outcome(fault, performed=attempt.performed), ""
        finally:
            if isinstance(self.guard, JudgesRequests):
                self.guard.end_step()
        found, action = attempt.found, attempt.action
        told = (outcome, action, found, error, watch.parts, *self._guards_records(), attempt.means)
        step = Step(number, planned, before, after, *told)
        self.loops.note(step)
        return step

    def _guards_records(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The requests that were sent, and the kept answers that let something pass."""
        sent = self.guard.take_sent_requests() if isinstance(self.guard, RecordsRequests) else ()
        return sent, self.guard.take_kept_answers() if isinstance(self.guard, KeepsAnswers) else ()

    def _are_pictured_together(self, planned: Planned, following: Planned) -> bool:
        return (
            self.share_screenshots and sets_field_value(planned.action) and sets_field_value(following.action)
        )

    def _after_failure(self, attempt: _Attempt, before: Observation) -> Observation:
        """The screen after a failed step; a wait, or a device that failed half way, may have changed it."""
        if not attempt.delivered and not isinstance(attempt.action, Wait):
            return before
        try:
            return self.observe()
        except (Unavailable, KeyboardInterrupt) as fault:
            self.broken = fault
            return before

    def _prepare(
        self, attempt: _Attempt, planned: Planned, decided: Observation, before: Observation, watch: Stopwatch
    ) -> Observation:
        action = planned.action
        if too_much := limit_violation(action):
            raise ActionFailed(too_much)
        if isinstance(action, Upload):
            demand_files(action.files)  # before a person is asked about what cannot be sent
        if isinstance(action, Wait):
            attempt.action = action
            return before
        before = self._locate(attempt, action, decided, before)
        if self.values and isinstance(action, TypeText):
            self._refuse_keys(action.text, attempt, before)
        watch.lap("ground")
        grounded: AnyAction[Point] = aim(action, {name: spot.point for name, spot in attempt.found.items()})
        self.loops.refuse_useless(grounded, before)
        self.guard.check(grounded, attempt.found, before)
        framed = any(element.role in EMBEDDED for element in before.elements)
        for spot in attempt.found.values():
            if framed or spot.element is None or spot.element.role not in OPERABLE - TICKABLE:
                refuse_captcha(spot.element, spot.point, before)
        attempt.action = grounded
        watch.lap("guard")
        return before

    def _refuse_keys(self, text: str, attempt: _Attempt, before: Observation) -> None:
        """Raise ActionFailed if a value would be typed in which a character acts as a key.

        An Enter in a person's own command is intended; a line break in a table cell's value is not.
        """
        field = found_element(attempt.found) if "at" in attempt.found else focused_element(before)
        lines = field is not None and (field.role == "textarea" or "multiline" in field.states)
        for name, value in self.values.items():
            if value in text and _KEYS[lines].search(value):
                place = field or "what has the focus"
                told = f"{name} contains line breaks or tabs, which {place} takes as keys"
                raise ActionFailed(f"{told}; remove them")

    def _locate(
        self, attempt: _Attempt, action: AnyAction[Target], decided: Observation, now: Observation
    ) -> Observation:
        """Find the targets, waiting briefly for disabled ones. Returns the screen they are on."""
        named: dict[str, Target] = places(action)
        enough = time.monotonic() + self.limits.patience
        while True:
            attempt.found = {key: self._ground(key, action, decided, now) for key in named}
            disabled = _disabled_element_of(action, attempt.found)
            if disabled is None:
                return now
            if time.monotonic() >= enough or self.control.is_stopped or deadline.is_over():
                raise ActionFailed(f"{disabled} is disabled; first do the step that enables it")
            self.control.sleep(LOOK_AGAIN)
            now = self.observe()

    def _ground(self, key: str, action: AnyAction[Target], decided: Observation, now: Observation) -> Found:
        # Scrolling or moving the pointer does no harm if something else is there now.
        locate, target = partial(self.grounder.locate, verb=action.kind), places(action)[key]
        harmless = isinstance(action, Scroll | Move) and isinstance(target, Point)
        if decided is not now and not harmless:
            target = target_now(target, decided, now, locate, self.worked_on, key == "to")
        return locate(target, now)

    def _send(self, attempt: _Attempt, planned: Planned, before: Observation, watch: Stopwatch) -> None:
        if isinstance(attempt.action, Wait) or attempt.action is None:
            return
        attempt.delivered = True
        try:
            self.computer.perform(attempt.action, found_element(attempt.found))
        except Stale as stale:
            attempt.found = retarget_to_cover(stale, planned, attempt.found, before)
            self.guard.check(attempt.action, attempt.found, before)
            self.computer.perform(attempt.action, attempt.found["at"].element)
        attempt.performed = True
        if isinstance(self.guard, KeepsLedger):
            self.guard.note_delivery(attempt.action, attempt.found, before)
        watch.lap("act")
        self.computer.settle()
        self._has_sent_more()
        watch.lap("settle")

    def _look(
        self, attempt: _Attempt, planned: Planned, before: Observation, watch: Stopwatch, picture: bool = True
    ) -> tuple[Observation, Outcome]:
        wanted = self.picture and picture
        attempt.means = getattr(self.computer, "means", "")
        self.worked_on += [spot.point for spot in attempt.found.values()]
        return self.aftermath.outcome(planned, attempt.found, before, watch, picture=wanted)

    def _has_sent_more(self) -> bool:
        sent = False
        while isinstance(self.guard, JudgesRequests) and self.guard.check_requests():
            self.computer.settle()
            sent = True
        return sent


def _disabled_element_of(action: AnyAction[Target], found: Mapping[str, Found]) -> Element | None:
    operates = isinstance(action, Click | TypeText | Choose | Upload) and not isinstance(action.at, Point)
    element = found_element(found)
    return element if operates and element is not None and "disabled" in element.states else None
