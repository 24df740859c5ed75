"""Turns the events of a person, with the screens that they saw, into steps of a demonstration."""

from __future__ import annotations

import queue
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, cast

from gui_agent.computers.recording.events import (
    Answered,
    Chose,
    Double,
    Down,
    Dropped,
    Filed,
    Heard,
    Marked,
    Moved,
    Pressed,
    Spot,
    Ticked,
    Touched,
    Typed,
    Typing,
    Up,
    distance,
    found_at,
    found_under,
    has_effect,
    meant_control,
)
from gui_agent.computers.recording.secrets import Secrecy, names_secret
from gui_agent.core.actions import Action, Check, Choose, Click, Drag, Press, Swipe, TypeText, Upload
from gui_agent.core.conditions import TextShown
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import Observation, Point
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import (
    PERSON,
    Decision,
    Ending,
    Found,
    Outcome,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
    found_element,
)
from gui_agent.elements.describe import describe
from gui_agent.elements.roles import OPERABLE, TICKABLE
from gui_agent.scene import Scene

Event = TypeVar("Event")
STILL = 8
"""Maximum pixels between press and release of a click; farther apart they are a drag."""
REPEAT = 1.5
"""Maximum seconds between repetitions of the same keys that count as one step."""
FIELDS = ("text", "set", "select", "list", "tick", "file")
"""Kinds of fields whose own events, not the click, describe the action."""


@dataclass(slots=True, eq=False)
class StepDraft:
    """A step that later events may still change."""

    action: Action
    before: Observation
    found: dict[str, Found]
    visit: str = ""
    idle: bool = False
    """Whether the step counts only if the screen shows an effect: a click into a field, Tab."""
    shows: str = ""
    """The option that a clicked list shows: opening and leaving it unchanged also chooses it."""
    open: bool = False
    """Whether the person is still doing it."""
    seconds: float = 0.0
    checks: tuple[str, ...] = ()
    """Texts that the person said have to be shown after it."""

    @property
    def element(self) -> int:
        place = self.found.get("at")
        return place.element.id if place is not None and place.element is not None else 0


class Drafts:
    """The steps of a recording under construction."""

    def __init__(self, secrecy: Secrecy) -> None:
        self._secrecy = secrecy
        self._down: Down | None = None
        self.all: list[StepDraft] = []
        self.refused: list[str] = []
        """Actions that cannot be recorded, with the reason; the caller that reports one removes it."""

    def _add(self, action: Action, before: Observation, found: dict[str, Found], **more: Any) -> StepDraft:
        draft = StepDraft(action, before, found, **more)
        self.all.append(draft)
        return draft

    @property
    def last(self) -> StepDraft | None:
        return self.all[-1] if self.all else None

    def hear(self, event: Heard) -> None:
        match event:
            case Down() | Up() | Dropped() | Double():
                self._mouse(event)
            case Chose(spot, option, field):
                self._field(spot, lambda at: Choose(at, option), Choose if field == "select" else None)
            case Ticked(spot, on):
                self._field(spot, lambda at: Check(at, on), Check)
            case Filed(spot, files):
                self._upload(spot, files)
            case Typing():
                self._type(event)
            case Typed(visit):
                for draft in self.all:
                    draft.open &= draft.visit != visit
            case Pressed():
                self._press(event)
            case Moved(action, before):
                self._add(self._with_secret(action), before, {})
            case Touched(spot, action):
                ends = {"to": Found(action.to, how="person")} if isinstance(action, Swipe) else {}
                self._add(action, spot.before, found_at(spot) | ends)
            case Answered():
                self._answer(event)

    def _with_secret(self, action: Action) -> Action:
        if isinstance(action, TypeText) and self._secrecy.all_typed:
            return _Secret(action.text, action.at, action.replace, field="TEXT")
        return action

    def _mouse(self, event: Down | Up | Dropped | Double) -> None:
        down = self._down
        self._down = event if isinstance(event, Down) else None
        match event:
            case Up() if down is not None:
                self._take_release(down, event)
            case Dropped() if down is not None:
                self._drag(down, event)
            case Double():
                self._double()

    def prune(self, last: Observation | None = None) -> None:
        """Drop steps without an effect: clicks into fields that stayed unchanged, and Tab.

        Args:
            last: the screen after the last step; without it, that step stays.
        """
        screens = [*(draft.before for draft in self.all[1:]), last]
        for draft, after in zip(self.all, screens, strict=False):
            if draft.idle and draft.shows and after is not None:
                draft.action, draft.idle = Choose(draft.found["at"].point, draft.shows), False
        self.all = [
            draft
            for draft, after in zip(self.all, screens, strict=False)
            if not draft.idle or after is None or has_effect(draft.before, after)
        ]

    def undo(self) -> StepDraft | None:
        """Remove and return the last step; None if there is none."""
        return self.all.pop() if self.all else None

    def _take_release(self, down: Down, up: Up) -> None:
        start = down.spot.at
        last = self.last
        if last is not None and last.visit and last.before is down.spot.before:
            return  # the mouse set the field's value, and another event reports that
        if start is not None and down.field not in FIELDS and distance(start, up.at) > STILL:
            self._drag(down, up)
            return
        found = found_at(down.spot)
        action = Click(found["at"].point, down.button, 1, down.keys)
        idle = down.field in ("text", "set", "select")
        self._add(action, down.spot.before, found, idle=idle, shows=down.shows, seconds=down.seconds)

    def _drag(self, down: Down, up: Up | Dropped) -> None:
        found = found_at(down.spot)
        origin = found["at"].element
        found["to"] = found_under(up.at, down.spot.before, origin, up.inside)
        if found["to"].element is None:
            what = origin.name if origin is not None and origin.name else "something"
            self.refused.append(f'dragging "{what}" is not recorded: the drop target has no name')
            return
        action = Drag(found["at"].point, found["to"].point, down.keys)
        self._add(action, down.spot.before, found, seconds=down.seconds)

    def _double(self) -> None:
        if len(self.all) < 2:
            return
        first, second = self.all[-2:]
        clicked = isinstance(first.action, Click) and isinstance(second.action, Click)
        if clicked and first.element == second.element:
            self.all.pop()
            first.action = replace(cast("Click[Point]", first.action), clicks=2)
            first.idle = False

    def _type(self, event: Typing) -> None:
        draft = next((one for one in reversed(self.all) if one.visit == event.visit), None)
        if draft is None:
            found = found_at(event.spot)
            draft = self._instead_of_click(event.spot, found)
            draft.visit, draft.open = event.visit, True
        element, point = draft.found["at"].element, draft.found["at"].point
        field = "" if element is None else element.name or Scene.from_screen(draft.before).label_of(element)
        was, text = event.was, event.text
        if event.secret or self._secrecy.is_secret(field):
            # The reference is made at the end, when the whole secret is known.
            draft.action = _Secret(text, point, bool(was), field=field, hides=event.secret)
        elif was and text.startswith(was) and event.field == "text":
            draft.action = TypeText(text[len(was) :], point)
        else:
            draft.action = TypeText(text, point, replace=bool(was))

    def _field(self, spot: Spot, make: Any, merging: type | None) -> None:
        """Record a change of a form field in place of the click that caused it."""
        found = found_at(spot)
        last = self.last
        if merging and last is not None and type(last.action) is merging and _same(last, spot):
            last.action = make(last.found["at"].point)
            return
        draft = self._instead_of_click(spot, found)
        draft.action = make(draft.found["at"].point)

    def _upload(self, spot: Spot, files: tuple[str, ...]) -> None:
        last = self.last
        if last is not None and type(last.action) is Click:
            last.action, last.idle = Upload(last.found["at"].point, files), False
        else:
            found = found_at(spot)
            self._add(Upload(found["at"].point, files), spot.before, found)

    def _instead_of_click(self, spot: Spot, found: dict[str, Found]) -> StepDraft:
        """The draft of the click on the same field, to rewrite; a new one if there was no click."""
        last = self.last
        if (
            last is not None
            and type(last.action) is Click
            and last.action.button == "left"
            and _same(last, spot)
        ):
            last.idle = False
            own = found["at"].element
            element = last.before.by_id(own.id) if own is not None else None
            if element is not None:
                last.found = {"at": Found(last.found["at"].point, element, element.box)}
            return last
        return self._add(Click(found["at"].point), spot.before, found)

    def _press(self, event: Pressed) -> None:
        if event.activates:
            found = found_at(event.spot)
            self._add(Click(found["at"].point), event.spot.before, found, seconds=event.seconds)
            return
        last = self.last
        soon = last is not None and event.seconds - last.seconds < REPEAT
        if last is not None and soon and isinstance(last.action, Press) and last.action.keys == event.keys:
            last.action = replace(last.action, times=last.action.times + 1)
            last.seconds = event.seconds
            return
        idle = event.keys in (("tab",), ("shift", "tab"))
        self._add(Press(event.keys), event.spot.before, {}, idle=idle, seconds=event.seconds)

    def _answer(self, event: Answered) -> None:
        elements = event.before.elements
        field = next((e for e in elements if e.role == "textbox"), None)
        if field is not None and event.accepted and event.text != field.value:
            found = {"at": Found(field.box.center, field, field.box)}
            self._add(TypeText(event.text, field.box.center, replace=bool(field.value)), event.before, found)
        buttons = [e for e in elements if e.role == "button"]
        if buttons:
            pressed = buttons[0] if event.accepted else buttons[-1]
            found = {"at": Found(pressed.box.center, pressed, pressed.box)}
            self._add(Click(pressed.box.center), event.before, found)


@dataclass(frozen=True, slots=True)
class _Secret(TypeText[Point]):
    field: str = ""
    hides: bool = False


_CODE = re.compile(r"(?=\S*\d)\S{4,}|(?=\S*(?:[a-z][A-Z]|[!#$%^&*+=~]))[^\s@/]{6,}")
"""Matches texts that look like a code, a key or a password, whatever field they are typed into."""


def is_secret(action: Action) -> bool:
    """Whether the text that the action types must not be shown."""
    return isinstance(action, _Secret)


def without_secret(action: Action, secrecy: Secrecy) -> Action:
    if isinstance(action, _Secret):
        looks_so = _CODE.fullmatch(action.text) or names_secret(action.field)
        if action.hides or (secrecy.all_typed and looks_so):
            secrecy.hidden.add(action.text)
        return TypeText(secrecy.reference(action.text, action.field), action.at, action.replace)
    if isinstance(action, TypeText):
        return replace(action, text=secrecy.text(action.text))
    return action


def _same(draft: StepDraft, spot: Spot) -> bool:
    return draft.element in spot.ids or _hands_on(draft, spot)


def _hands_on(draft: StepDraft, spot: Spot) -> bool:
    """Whether a click on part of a field is passed on to the field: its label, its text, its option."""
    place = draft.found.get("at")
    element = meant_control(spot.before, spot.ids)
    if place is None or place.element is None or element is None:
        return False
    clicked = place.element
    if clicked.role in OPERABLE - {"option"}:
        return False
    return element.box.encloses(clicked.box) or (clicked.is_text and clicked.name == element.name)


STABLE = 0.7
"""Seconds after which a step is complete; a double click takes less."""


class Steps:
    """The events of a person, translated to steps."""

    def __init__(self, secrecy: Secrecy) -> None:
        self._secrecy = secrecy
        self._drafts = Drafts(secrecy)
        self._told = 0
        self._changed = time.monotonic()

    @property
    def secrets(self) -> tuple[str, ...]:
        return self._secrecy.names

    def __len__(self) -> int:
        return len(self._drafts.all)

    def refuse(self, why: str) -> None:
        """Note an action that cannot be recorded."""
        self._drafts.refused.append(why)

    @property
    def hidden_texts(self) -> frozenset[str]:
        return frozenset(self._secrecy.hidden)

    def hear(self, event: Heard) -> None:
        self._changed = time.monotonic()
        self._drafts.hear(event)

    def finished_steps(self) -> tuple[tuple[int, str], ...]:
        """Number and sentence of the steps completed since the last call; 0 for unrecorded actions."""
        self._tidy()
        drafts = self._drafts.all
        quiet = time.monotonic() - self._changed > STABLE
        until = len(drafts) if quiet else max(0, len(drafts) - 1)
        new = [(0, self._secrecy.text(what)) for what in self._drafts.refused]
        self._drafts.refused.clear()
        while self._told < until and not drafts[self._told].open and not drafts[self._told].idle:
            new.append((self._told + 1, self._sentence(drafts[self._told])))
            self._told += 1
        return tuple(new)

    def check(self, text: str) -> int:
        """Note that a text has to be shown after the last step. Returns its number; 0 if there is none."""
        self._tidy()
        if last := self._drafts.last:
            last.checks = (*last.checks, text)
        return len(self._drafts.all)

    def undo(self) -> str:
        """Remove the last step and return its sentence; empty if there is none."""
        self._tidy()
        draft = self._drafts.undo()
        self._told = min(self._told, len(self._drafts.all))
        return "" if draft is None else self._sentence(draft)

    def trajectory(self, task: Task, final: Observation | None) -> Trajectory:
        """All steps under the task, without secrets and pictures, ended as done."""
        self._tidy()
        self._drafts.prune(final)
        drafts = self._drafts.all
        if final is None or not drafts:
            return Trajectory(task, (), Ending("done"))
        for draft in drafts:
            draft.action = without_secret(draft.action, self._secrecy)
            draft.checks = tuple(map(self._secrecy.text, draft.checks))
        screens = [*(draft.before for draft in drafts), final]
        clean = [self._secrecy.screen(screen) for screen in screens]
        steps = tuple(
            _step(number, draft, clean[number - 1], clean[number])
            for number, draft in enumerate(drafts, start=1)
        )
        task = replace(task, text=self._secrecy.text(task.text), start=self._secrecy.text(task.start))
        decision = Decision(planned=tuple(step.planned for step in steps), planner=PERSON)
        return Trajectory(task, (Turn(decision, clean[0], steps),), Ending("done"))

    def _tidy(self) -> None:
        told = self._drafts.all[: self._told]
        self._drafts.prune()
        self._told = sum(draft in told for draft in self._drafts.all) if told else 0

    def _sentence(self, draft: StepDraft) -> str:
        secret = is_secret(draft.action)
        action = without_secret(draft.action, self._secrecy)
        sentence = describe(action, draft.found)
        return sentence if secret else self._secrecy.text(sentence)


def _step(number: int, draft: StepDraft, before: Observation, after: Observation) -> Step:
    found = {name: _clean(place, before) for name, place in draft.found.items()}
    action = draft.action
    element = found_element(found)
    if isinstance(action, Click) and element is not None and element.role in TICKABLE:
        now = after.by_id(element.id)
        if now is not None and ("checked" in now.states) != ("checked" in element.states):
            action = Check(action.at, "checked" in now.states)
    changed = has_effect(before, after)
    outcome = Outcome("changed" if changed else "no_change")
    planned = Planned(action, tuple(map(TextShown, draft.checks)))
    return Step(number, planned, before, after, outcome, action, found)


def _clean(place: Found, screen: Observation) -> Found:
    element = place.element
    return place if element is None else replace(place, element=screen.by_id(element.id) or element)


QUIET = 0.12
"""Seconds after the last input before a look."""
APART = 0.06
"""Seconds between two pictures that must be equal."""
LONGEST = 1.5
"""Maximum seconds to wait for a screen that never rests, for example because of a blinking caret."""
KEPT = 4
LISTENING = 0.03
"""Seconds between two checks of the event queue."""


class Looks:
    """Knows the screen that the person saw at each event."""

    def __init__(self, computer: Computer, pixels: Callable[[], bytes | bytearray]) -> None:
        self._computer, self._pixels = computer, pixels
        self._kept: deque[tuple[float, float, Observation]] = deque(maxlen=KEPT)
        """Start and end time of each look, and its observation."""
        self.last_input = 0.0
        self._before: bytes | bytearray = b""
        self._compared = 0.0
        self.due = True
        """Whether an event occurred since the last look."""

    @property
    def latest(self) -> Observation | None:
        """The last look; None before the first one."""
        return self._kept[-1][2] if self._kept else None

    def note(self, seconds: float) -> None:
        """Note that the person acted at that time."""
        self.last_input, self.due = seconds, True

    def since(self, seconds: float) -> bool:
        """Whether a look began after that time."""
        return bool(self._kept) and self._kept[-1][0] > seconds

    def last_before(self, seconds: float) -> Observation:
        """The last look that had ended by that time."""
        for _, ended, seen in reversed(self._kept):
            if ended <= seconds:
                return seen
        return self._kept[0][2]

    def take(self) -> None:
        began = time.monotonic()
        seen = self._computer.observe(picture=False)
        self._kept.append((began, time.monotonic(), seen))
        self.due = False

    def take_if_quiet(self, nothing_heard: Callable[[], bool]) -> bool:
        """Look if the person pauses and the picture is at rest. Returns whether it looked."""
        now = time.monotonic()
        if now - self.last_input < QUIET or now - self._compared < APART:
            return False
        picture = self._pixels()
        same, self._before, self._compared = picture == self._before, picture, now
        if not nothing_heard() or not (same or now - self.last_input > LONGEST):
            return False
        self.take()
        return True


class StepRecorder:
    """The shared part of all recorders: the steps from the events."""

    start = ""

    def __init__(self, computer: Computer, secrecy: Secrecy | None) -> None:
        self.platform = computer.platform
        self._secrecy = secrecy or Secrecy()
        self._steps = Steps(self._secrecy)
        self._slots: dict[str, str] = {}
        self._notes: dict[str, str] = {}
        self._remarks: list[tuple[int, str]] = []
        self._is_done = False

    @property
    def secrets(self) -> tuple[str, ...]:
        return self._steps.secrets

    @property
    def hidden_texts(self) -> frozenset[str]:
        return self._steps.hidden_texts

    @property
    def slots(self) -> Mapping[str, str]:
        """The values that the person said differ each time, by the names of their fields."""
        return {name: self._secrecy.text(text) for name, text in self._slots.items()}

    @property
    def notes(self) -> Mapping[str, str]:
        """The values that the person said are to be read, by name."""
        return {name: self._secrecy.text(text) for name, text in self._notes.items()}

    def poll(self, seconds: float = 0.0) -> tuple[tuple[int, str], ...]:
        self._take(seconds)
        finished = self._steps.finished_steps()
        remarks, self._remarks = tuple(self._remarks), []
        return finished + remarks

    def undo(self) -> str:
        self._take()
        self._leave()
        return self._steps.undo()

    def mark(self, marked: Marked) -> None:
        """Note what the person marked with the bar."""
        name = re.sub(r"\W+", "_", marked.name.casefold()).strip("_")[:40]
        match marked.act:
            case "done":
                self._is_done = True
            case "undo":
                taken = self._steps.undo()
                self._remarks.append((-1, taken) if taken else (0, "there is no step to undo"))
            case "check" if marked.text and (number := self._steps.check(marked.text)):
                self._remarks.append((number, f'check "{marked.text}" is shown'))
            case "read" if marked.text:
                self._notes[f"value_{len(self._notes) + 1}"] = marked.text
                self._remarks.append((len(self._steps), f"read {marked.words}"))
            case "vary" if marked.text and name:
                self._slots[name] = marked.text
                self._remarks.append((len(self._steps), f'"{marked.text}" changes each time: {name}'))
            case "check" | "read" | "vary":
                self._remarks.append((0, f"{marked.act}: do a step first, and click something with a text"))

    def _take(self, seconds: float = 0.0) -> None:
        raise NotImplementedError

    def _leave(self) -> None:
        """End the stay in a field, because the person does something else."""


class _Listener(Protocol):
    @property
    def is_lost(self) -> bool: ...
    def close(self) -> None: ...


class LookingRecorder(StepRecorder, Generic[Event]):
    """The shared part of recorders that look at the screen whenever it is at rest.

    So the screen that the person saw is known for every event.
    """

    _listener: _Listener

    def __init__(
        self, computer: Computer, secrecy: Secrecy | None, pixels: Callable[[], bytes | bytearray]
    ) -> None:
        super().__init__(computer, secrecy)
        self._looks = Looks(computer, pixels)
        self._heard: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._looks.take()
        self._lost = False

    @property
    def open(self) -> bool:
        return not self._lost and not self._listener.is_lost

    def stop(self, task: Task) -> Trajectory:
        self._take()
        try:
            if self.open:
                self._looks.take()
                self._use_look()
        except ComputerLost:
            self._lost = True  # the last look at rest is the end
        self._leave()
        self._listener.close()
        return self._steps.trajectory(task, self._looks.latest)

    def _take(self, seconds: float = 0.0) -> None:
        until = time.monotonic() + seconds
        while self._take_and_look() and time.monotonic() < until:
            time.sleep(LISTENING)

    def _take_and_look(self) -> bool:
        try:
            while not self._heard.empty():
                self._hear(self._heard.get())
            if self._looks.due and self._looks.take_if_quiet(self._heard.empty):
                self._use_look()
        except ComputerLost:
            self._lost = True
        return self.open

    def _hear(self, event: Event) -> None:
        raise NotImplementedError

    def _use_look(self) -> None:
        raise NotImplementedError
