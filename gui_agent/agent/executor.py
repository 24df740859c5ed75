"""One planned action, carried out: ground, guard, perform, settle, observe, judge."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from gui_agent.agent.differences import difference, same_there
from gui_agent.agent.finish import needs_effect
from gui_agent.agent.guard.ledger import KeepsLedger
from gui_agent.agent.limits import Limits, RunControl, Stopwatch, Trail
from gui_agent.agent.outcome import is_spent_on_popup, on_top, unseen_outcome, wait_outcome
from gui_agent.agent.person import refuse_captcha
from gui_agent.core import deadline
from gui_agent.core.actions import (
    Action,
    AnyAction,
    Choose,
    Click,
    Move,
    Scroll,
    TypeText,
    Upload,
    Wait,
    aim,
    excess,
    fills,
    places,
)
from gui_agent.core.conditions import text_on
from gui_agent.core.errors import (
    ActionFailed,
    Ambiguous,
    BudgetSpent,
    NotFound,
    Stale,
    StepFailed,
    Unavailable,
)
from gui_agent.core.observation import EYES, Element, Mark, Observation, Point, Target
from gui_agent.core.protocols import Computer, Grounder, Guard, JudgesRequests, Reflector
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Found, Outcome, Planned, Step
from gui_agent.elements.fingerprints import fingerprint, rebuilt_element, renamed_element, same_element
from gui_agent.elements.roles import EMBEDDED, GRAPHIC, OPERABLE, TICKABLE
from gui_agent.elements.scroll_search import way_to

LOOK_AGAIN = 0.1
"""Seconds between two looks while waiting for something to appear."""
MOST_CANDIDATES = 10
"""Things that could have been meant; kept with a step that failed."""
LATE = 3.0
"""Seconds that a program gets to show the effect of an action, such as closing a dialog that was sent."""
DRAWN = GRAPHIC | {"canvas"}
FROZEN = 10.0
"""Seconds that a program which does not answer gets to do so, before it counts as frozen."""


@dataclass(slots=True)
class _Attempt:
    action: Action | Wait | None = None
    found: Mapping[str, Found] = field(default_factory=dict)
    delivered: bool = False
    performed: bool = False


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
    sparing: bool = False
    """Fields filled in one after the other are pictured together, not each by itself."""
    trail: Trail = field(default_factory=Trail, init=False)
    broken: BaseException | None = field(default=None, init=False)
    """What made it impossible to see the outcome of the last step; the run ends with it."""

    def observe(self) -> Observation:
        return self.computer.observe(picture=self.picture)

    def responsive_screen(self, screen: Observation) -> Observation:
        """The screen once the program in front answers, or as it is when it has not for too long."""
        enough = time.monotonic() + deadline.left(FROZEN)
        while screen.is_stuck and time.monotonic() < enough and not self.control.is_stopped:
            self.control.sleep(LOOK_AGAIN)
            screen = self.observe()
        return screen

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
        """Do one planned action; or, where it means what is known to be out of sight, bring that into sight.

        Args:
            following: what was planned together with it to be done next.
            is_sought: it was brought into sight, so that the action fails if it is not there.
            decided: the screen the planner saw.
            before: the screen now; the same object for the first action of a batch.
        """
        watch, attempt = Stopwatch(), _Attempt()
        try:
            before = self._prepare(attempt, planned, decided, before, watch)
            self._send(attempt, planned, before, watch)
            amid = self.sparing and fills(planned.action) and following and fills(following.action)
            after, outcome = self._look(attempt, planned, before, watch, picture=self.picture and not amid)
            if is_spent_on_popup(planned, attempt.found, before, after):
                # What pops up takes the click that closes it; a person clicks once more.
                self.guard.check(cast(Action, attempt.action), attempt.found, after)
                self._send(attempt, planned, after, watch)
                after, outcome = self._look(attempt, planned, before, watch, picture=self.picture)
            while self._has_sent_more():  # what was sent late, and was let go by now, shows its effect
                after, outcome = self._look(attempt, planned, before, watch, picture=self.picture)
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
            # What was sent is kept on record, or a resumed run would take it for not done.
            self.broken = fault
            after, outcome, error = before, unseen_outcome(fault, performed=attempt.performed), ""
        finally:
            if isinstance(self.guard, JudgesRequests):
                self.guard.rest()
        found, action = attempt.found, attempt.action
        step = Step(number, planned, before, after, outcome, action, found, error, watch.parts)
        self.trail.note(step)
        return step

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
        if too_much := excess(action):
            raise ActionFailed(too_much)
        if isinstance(action, Wait):
            attempt.action = action
            return before
        before = self._locate(attempt, action, decided, before)
        watch.lap("ground")
        grounded: AnyAction[Point] = aim(action, {name: spot.point for name, spot in attempt.found.items()})
        self.trail.refuse_useless(grounded, before)
        self.guard.check(grounded, attempt.found, before)
        framed = any(element.role in EMBEDDED for element in before.elements)
        for spot in attempt.found.values():
            if framed or spot.element is None or spot.element.role not in OPERABLE - TICKABLE:
                refuse_captcha(spot.element, spot.point, before)
        attempt.action = grounded
        watch.lap("guard")
        return before

    def _locate(
        self, attempt: _Attempt, action: AnyAction[Target], decided: Observation, now: Observation
    ) -> Observation:
        """Find the targets; one that is disabled is given some patience. Returns the screen they are on."""
        named: dict[str, Target] = places(action)
        enough = time.monotonic() + self.limits.patience
        while True:
            attempt.found = {key: self._ground(at, action, decided, now) for key, at in named.items()}
            disabled = _disabled_element_of(action, attempt.found)
            if disabled is None:
                return now
            if time.monotonic() >= enough or self.control.is_stopped or deadline.over():
                raise ActionFailed(f"{disabled} is disabled; do first what enables it")
            self.control.sleep(LOOK_AGAIN)
            now = self.observe()

    def _ground(
        self, target: Target, action: AnyAction[Target], decided: Observation, now: Observation
    ) -> Found:
        # The wheel and the pointer do no harm where something else lies by now.
        harmless = isinstance(action, Scroll | Move) and isinstance(target, Point)
        if decided is not now and not harmless:
            target = self._still_there(target, action, decided, now)
        return self.grounder.locate(target, now, verb=action.kind)

    def _still_there(
        self, target: Target, action: AnyAction[Target], decided: Observation, now: Observation
    ) -> Target:
        """The target, by its mark if the batch renamed it; refused when it is no longer what was meant."""
        then: Element | None
        if isinstance(target, Mark):
            then, same = decided.by_id(target.mark), now.by_id(target.mark)
            gone = then if then and not (same and normal(same.name) == normal(then.name)) else None
            if gone and (again := rebuilt_element(gone, decided, now) or renamed_element(gone, now)):
                return Mark(again.id)
        elif isinstance(target, Point):
            then, same = _thing_at(target, decided), _thing_at(target, now)
            told = then and same and then.source == same.source and then.role not in DRAWN
            alone = decided.windows == now.windows if now.windows else decided.place == now.place
            # What is drawn, or was read in another way by now, is told by how it looks.
            if (not (then or same) and alone) or (not told and same_there(decided, now, target)):
                return target
        else:
            # Words that named nothing on the decided screen may name something that appeared since.
            try:
                then = self.grounder.locate(target, decided, verb=action.kind).element
            except (NotFound, Ambiguous):
                return target
            if then is None:
                return target
            wanted = normal(target.text)
            if normal(then.name) != wanted and any(normal(one.name) == wanted for one in now.elements):
                return target  # called just so by now, it was only like that before
            if fuller := renamed_element(then, now):
                return Mark(fuller.id)
            same = self.grounder.locate(target, now, verb=action.kind).element or then
        if then and same and same_element(same, fingerprint(then, decided), now):
            return target
        hidden = [one for one in now.beyond if then and (one.role, one.name) == (then.role, then.name)]
        if hidden and same is None:
            raise NotFound(f"{then} is not in sight", hidden)
        was, is_now = then or "nothing that is listed", same or "covered or gone"
        raise Stale(f"{target} was {was} when this was planned and is {is_now} by now; look again")

    def _send(self, attempt: _Attempt, planned: Planned, before: Observation, watch: Stopwatch) -> None:
        if isinstance(attempt.action, Wait) or attempt.action is None:
            return
        spot = attempt.found.get("at")
        attempt.delivered = True
        try:
            self.computer.perform(attempt.action, spot.element if spot else None)
        except Stale as stale:
            attempt.found = on_top(stale, planned, attempt.found, before)
            self.guard.check(attempt.action, attempt.found, before)
            self.computer.perform(attempt.action, attempt.found["at"].element)
        attempt.performed = True
        if isinstance(self.guard, KeepsLedger):
            self.guard.note_delivery(attempt.action, attempt.found, before)
        watch.lap("act")
        self.computer.settle()
        self._has_sent_more()
        watch.lap("settle")

    def _has_sent_more(self) -> bool:
        sent = False
        while isinstance(self.guard, JudgesRequests) and self.guard.check_requests():
            self.computer.settle()
            sent = True
        return sent

    def _look(
        self, attempt: _Attempt, planned: Planned, before: Observation, watch: Stopwatch, *, picture: bool
    ) -> tuple[Observation, Outcome]:
        """Observe and judge; an expected change that is late is given some patience."""
        if isinstance(attempt.action, Wait):
            after = self._wait(attempt.action, planned, before)
            watch.lap("settle")
            return after, wait_outcome(attempt.action, planned, before, after)
        after = self.computer.observe(picture=picture)
        watch.lap("observe")
        after, outcome = self._judge(attempt, planned, before, after)
        watch.lap("check")
        began = time.monotonic()
        late = outcome.kind == "no_change" and needs_effect(planned.action)
        while (outcome.kind == "unexpected" or late) and not self.control.is_stopped and not deadline.over():
            # A program that is busy answers late, and shows nothing of what it was told until then.
            patience = FROZEN if after.is_stuck and not planned.expect else self.limits.patience
            patience = max(patience, LATE) if after.windows else patience
            if time.monotonic() >= began + patience:
                break
            self.control.sleep(LOOK_AGAIN)
            after, outcome = self._judge(attempt, planned, before, self.observe())
            late = late and outcome.kind == "no_change"
            watch.lap("settle")
        return after, outcome

    def _judge(
        self, attempt: _Attempt, planned: Planned, before: Observation, after: Observation
    ) -> tuple[Observation, Outcome]:
        outcome = self.reflector.judge(planned, attempt.found, before, after)
        found, again = attempt.found.values(), after
        if outcome.kind == "changed" and difference(before, after, found).doubtful:
            # At unequal times: one later look may come just when what moves is back where it was.
            for seconds in (LOOK_AGAIN, LOOK_AGAIN / 2):
                self.control.sleep(seconds)
                again = self.observe()
                if not difference(before, after, found, again=again).any:
                    return again, Outcome("no_change", "nothing visible changed but what changes by itself")
        return again, outcome

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


def _disabled_element_of(action: AnyAction[Target], found: Mapping[str, Found]) -> Element | None:
    operates = isinstance(action, Click | TypeText | Choose | Upload) and not isinstance(action.at, Point)
    element = found["at"].element if operates and "at" in found else None
    return element if element is not None and "disabled" in element.states else None


def _thing_at(point: Point, screen: Observation) -> Element | None:
    """What is at a point; a text that eyes alone read amid what a program tells is a part of a drawing."""
    there = screen.smallest_at(point)
    is_read = there and there.is_text and EYES.issuperset(there.source.split("+"))
    return None if is_read and any(EYES.isdisjoint(e.source.split("+")) for e in screen.elements) else there
