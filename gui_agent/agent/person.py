"""Handover of a run to the person: hold it, let them act, and give control back.

The agent recognises obstacles for programs (captchas, logins, one-time codes) but never solves them: it
refuses actions on a captcha, and hands a run that cannot go on to the person.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from gui_agent.agent.differences import difference
from gui_agent.agent.limits import RunControl
from gui_agent.agent.secret_filter import SecretFilter
from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ConfigError, StepFailed
from gui_agent.core.observation import Element, Observation, Point
from gui_agent.core.protocols import Planner, Recorder
from gui_agent.core.trajectory import PERSON, Decision, Ending, Step, Task, Trajectory, Turn
from gui_agent.elements.describe import describe_step, printable
from gui_agent.elements.roles import EMBEDDED, FIELDS, GRAPHIC

LONGEST = 120
"""Longest label of a captcha, in characters; a longer text only mentions one."""
LARGEST = 0.5
"""Largest share of the screen that a captcha takes; a larger element contains other things too."""
TELLING = ("src", "title", "class", "id", "alt")
"""Attributes that describe a frame or picture."""
QUESTIONS = {
    "captcha": "the page checks for a human (captcha); only you can answer it",
    "code": "the page asks for a one-time code that only you can get",
    "login": "the page asks to log in",
}


def obstacle(screen: Observation) -> str:
    """What on the screen only a person can do, in words; empty if there is no such thing."""
    if any(is_captcha(element, screen) for element in screen.elements):
        return QUESTIONS["captcha"]
    fields = [element for element in screen.elements if element.role in FIELDS and not element.value]
    filled = (field.attributes.get("autocomplete", "") for field in fields)
    if any("one-time-code" in what for what in filled) or any(_says(field.name, "code") for field in fields):
        return QUESTIONS["code"]
    passwords = [field for field in fields if "password" in field.states]
    # Two password fields mean a new password: a registration, no login.
    if len(passwords) == 1 and "new-password" not in passwords[0].attributes.get("autocomplete", ""):
        return QUESTIONS["login"]
    return ""


def refuse_captcha(element: Element | None, point: Point, screen: Observation) -> None:
    """Raise ActionFailed if the target is a captcha."""
    there = [one for one in screen.elements if one.box.contains(point)]
    if any(is_captcha(one, screen) for one in ([element] if element else []) + there):
        raise ActionFailed(f"{QUESTIONS['captcha']}; ask the person")


def is_captcha(element: Element, screen: Observation) -> bool:
    """Whether an element is a captcha, or the part of one to click or read."""
    if element.box.area > LARGEST * screen.size.width * screen.size.height:
        return False
    if _says(element.name[: LONGEST + 1], "captcha") and len(element.name) <= LONGEST:
        return element.role != "link"
    told = " ".join(element.attributes.get(name, "") for name in TELLING)
    return element.role in EMBEDDED | GRAPHIC and _says(told, "captcha")


def _says(text: str, kind: str) -> bool:
    lower = text.casefold()
    return any(word in lower for word in _words()[kind])


@lru_cache(maxsize=1)
def _words() -> dict[str, tuple[str, ...]]:
    read = tomllib.loads(Path(__file__).with_name("obstacles.toml").read_text(encoding="utf-8"))
    return {kind: tuple(words) for kind, words in read.items()}


LOOKING = 0.05
"""Seconds between two checks whether the person goes on."""


class Follower(Protocol):
    """Records what the person does and says during a run."""

    def recorder(self, *, typed: bool = False) -> Recorder:
        """The recorder of their actions while they control the screen; with `typed`, of their texts too."""

    def keep(self, trajectory: Trajectory) -> None:
        """Store what they did, as a trajectory of its own."""

    def with_instructions(self, planner: Planner) -> Planner:
        """The planner that goes on after they did or said something."""


@runtime_checkable
class Listens(Protocol):
    """An observer that also wants messages besides steps: that the run is held, and what the person does."""

    def tell(self, what: str) -> None: ...


@runtime_checkable
class Steers(Protocol):
    """An observer through which the person holds a run, messages it, or takes it over."""

    attended: bool
    """Whether a person is present who may be waited for."""

    def steer(self, control: RunControl) -> None:
        """Get the control of a run; called when the run begins."""


@dataclass(frozen=True, slots=True)
class Attended:
    """The result of attending to the person."""

    screen: Observation
    turns: tuple[Turn, ...] = ()
    advice: tuple[str, ...] = ()


class Handover:
    """Holds a run for the person, and records what they do while they control the screen.

    Their typed text is not recorded. The run's clock stops meanwhile.
    """

    def __init__(
        self,
        control: RunControl,
        computer: SecretFilter,
        observers: Sequence[object],
        limit: float,
        follower: Follower | None,
    ) -> None:
        self._control, self._computer, self._observers = control, computer, observers
        self._limit, self._left = limit, limit
        self._follower = follower
        self._handed_over: set[str] = set()

    def attend(
        self, trajectory: Trajectory, before: Observation, look: Callable[[], Observation]
    ) -> Attended:
        """Do what the person wants now: wait while they hold the run, and read their messages."""
        control, screen = self._control, before
        turns: list[Turn] = []
        advice: tuple[str, ...] = ()
        control.size = before.size
        if control.held:
            subgoal = control.why or trajectory.task.text
            did = self._hold(Task(subgoal, before.place.url))
            if control.is_stopped:
                return Attended(before)
            screen = look()
            first = len(trajectory.steps) + 1
            done = enumerate(did.steps, first) if did is not None else ()
            steps = tuple(replace(step, number=number) for number, step in done)
            turns.append(replace(did or Turn(Decision(planner=PERSON), before), steps=steps))
            advice = (_handover_text(steps, before, screen),)
        while not control.messages.empty():
            turns.append(Turn(Decision(thought=control.messages.get(), planner=PERSON), screen))
        return Attended(screen, tuple(turns), advice)

    def hand_over(self, what: str) -> bool:
        """Hand the screen to a present person for something only they can do, once per obstacle. Returns
        whether it did.
        """
        there = any(isinstance(one, Steers) and one.attended for one in self._observers)
        if what in self._handed_over or not there:
            return False
        self._handed_over.add(what)
        self._control.take_over(what)
        return True

    def record_work(
        self, subgoal: Task, before: Observation, ask: Callable[[Callable[[], bool]], str | None]
    ) -> tuple[str | None, Turn | None]:
        """Give the screen to the person until they answer or hand it back; what they type is recorded too.

        Args:
            ask: returns their answer; calls its argument while it waits, until that returns True.

        Returns:
            Their answer, and what they did; None if nothing was recorded.
        """
        control, recorder = self._control, self._person_recorder(typed=True)
        control.take_over()
        control.size, control.granted, control.records = before.size, "yours", True

        def attend() -> bool:
            self._take_turn(recorder)
            control.poll()
            return control.held != "yours" or control.is_stopped

        try:
            answer = ask(attend)
        finally:
            control.resume()
            control.granted, control.records = "", False
            control.poll()
            did = self._turn_of_person(recorder, subgoal) if recorder else None
        return answer, did

    def _hold(self, subgoal: Task) -> Turn | None:
        began, said, recorder = time.monotonic(), "", None
        with deadline.stop_clock():
            while self._control.held and not self._control.is_stopped:
                if said != self._control.held:
                    said = self._control.granted = self._control.held
                    if said == "yours" and recorder is None:
                        recorder = self._person_recorder()
                    why = f"{self._control.why}; " if self._control.why else ""
                    yours = f"{why}the screen is yours; hand it back when done"
                    self._say("paused" if said == "paused" else yours)
                self._take_turn(recorder)
                self._control.poll()
                if time.monotonic() - began > self._left:
                    why = f"the person held the run for {self._limit:g} s; --set limits.held=... allows more"
                    self._control.stop(Ending("limit", why))
            self._control.granted = ""
            self._left -= time.monotonic() - began
            self._say("handed back" if recorder else "going on")
            return self._turn_of_person(recorder, subgoal) if recorder else None

    def _take_turn(self, recorder: Recorder | None) -> None:
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

    def _person_recorder(self, *, typed: bool = False) -> Recorder | None:
        try:
            return self._follower.recorder(typed=typed) if self._follower is not None else None
        except (ConfigError, StepFailed) as error:
            self._say(f"what you do is not recorded: {error}")
            return None

    def _turn_of_person(self, recorder: Recorder, subgoal: Task) -> Turn | None:
        for number, sentence in recorder.poll(LOOKING):
            self._say(f"you: {sentence}" if number else sentence)
        trajectory = recorder.stop(subgoal)
        self._computer.hide(recorder.hidden_texts)
        if not trajectory.steps:
            return None
        if self._follower is not None:
            self._follower.keep(trajectory)
        return trajectory.turns[0]

    def _say(self, what: str) -> None:
        for observer in self._observers:
            if isinstance(observer, Listens):
                observer.tell(printable(what))


def _handover_text(did: Sequence[Step], before: Observation, now: Observation) -> str:
    change = difference(before, now)
    acts = "; ".join(describe_step(step) for step in did)
    took = f", took over and did this: {acts}. It is done; do not repeat it." if did else "."
    now_is = f"changed meanwhile: {change.summary()}" if change.any else "has not changed."
    return f"The person held the run{took} The screen {now_is}"
