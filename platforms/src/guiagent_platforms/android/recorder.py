"""Records a person's work on a phone: touches, and actions carried out through a view."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from gui_agent.computers.recording.events import (
    Down,
    Heard,
    Moved,
    Pressed,
    Spot,
    Touched,
    Typed,
    Typing,
    Up,
    distance,
    focused_field,
    has_effect,
    kind_of_front,
    spot_at,
)
from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.computers.recording.steps import LookingRecorder
from gui_agent.core.actions import Action, Back, Click, LongPress, Pinch, Press, Swipe, TypeText
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.observation import Element, Observation, Point, Size
from gui_agent.core.trajectory import Task, Trajectory
from guiagent_platforms.android.client import AdbDevice, receive
from guiagent_platforms.android.computer import AndroidComputer
from guiagent_platforms.android.screen import KEYBOARD

BUTTONS = ("KEY_BACK", "KEY_HOME", "KEY_HOMEPAGE", "KEY_APPSELECT")
_LINE = re.compile(r"(?:\[ *([\d.]+)\] *)?(/dev/input/\S+): +(\S+) +(\S+) +(\S+)")
_DEVICE = re.compile(r"add device \d+: (\S+)")
_LIMIT = re.compile(r"ABS_MT_POSITION_([XY]) .*?max (\d+)")
GONE = "ffffffff"
STARTING = 3.0
"""Seconds for `getevent` to start listening; if it does not confirm that, it may still listen."""


@dataclass(slots=True)
class Touch:
    """A touch from the first finger down to the last finger up, in the phone's natural orientation."""

    began: float
    """When it happened, in our monotonic clock: from the phone's kernel time, independent of the delay."""
    ended: float = 0.0
    paths: dict[int, list[Point]] = field(default_factory=dict)
    button: str = ""


class TouchListener:
    """Listens to touches in its own thread until it is closed."""

    def __init__(self, device: AdbDevice, size: Size, told: Callable[[Touch], None]) -> None:
        self._size, self._told = size, told
        self._touch_screens = _touch_screens(device.look("getevent", "-lp").text)
        if not self._touch_screens:
            raise ConfigError(
                "this phone does not let adb see touches; do the task in the mirror instead:"
                " guiagent run ... --on android --view, and take over"
            )
        self._wire = device.open("shell:getevent -lt")  # this service has a terminal, so lines arrive at once
        self.is_lost = False
        self._listening = threading.Event()
        self._touch: Touch | None = None
        self._slot = 0
        self._time, self._ahead = 0.0, float("inf")
        """Time of the current event, and the offset of our clock to the phone's."""
        self._now: dict[int, dict[str, int]] = {}
        self._down: set[int] = set()
        threading.Thread(target=self._listen, daemon=True, name="touches").start()
        self._listening.wait(STARTING)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._wire.close()

    def _listen(self) -> None:
        left = b""
        with contextlib.suppress(OSError, ComputerLost):
            while piece := receive(self._wire, -2, time.monotonic() + 3600):
                *lines, left = (left + piece).split(b"\n")
                if lines:  # it lists the devices once it listens to them
                    self._listening.set()
                for line in lines:
                    found = _LINE.search(line.decode("ascii", "ignore"))
                    if found:
                        stamp, *event = found.groups()
                        self._note_time(stamp)
                        self._event(*event)
        self.is_lost = True

    def _note_time(self, stamp: str | None) -> None:
        self._time = time.monotonic()
        if stamp:  # the line with the least delay determines the clocks' offset
            self._ahead = min(self._ahead, self._time - float(stamp))
            self._time = float(stamp) + self._ahead

    def _event(self, path: str, kind: str, code: str, value: str) -> None:
        if kind == "EV_KEY" and code in BUTTONS and value == "DOWN":
            self._told(Touch(self._time, self._time, button=code))
        if path not in self._touch_screens:
            return
        if code == "ABS_MT_SLOT":
            self._slot = int(value, 16)
        elif code == "ABS_MT_TRACKING_ID":
            (self._down.discard if value == GONE else self._down.add)(self._slot)
        elif code == "BTN_TOUCH" and value == "UP":
            self._down.clear()
        elif code in ("ABS_MT_POSITION_X", "ABS_MT_POSITION_Y"):
            self._now.setdefault(self._slot, {})[code[-1]] = int(value, 16)
        elif code == "SYN_REPORT":
            self._report(self._touch_screens[path])

    def _report(self, most: tuple[int, int]) -> None:
        if self._touch is None and self._down:
            self._touch = Touch(self._time)
        if self._touch is None:
            return
        for slot in self._down:
            at = self._now.get(slot, {})
            if {"X", "Y"} <= at.keys():
                x, y = (at["X"] * self._size.width, at["Y"] * self._size.height)
                spot = Point(int(x / (most[0] + 1)), int(y / (most[1] + 1)))
                self._touch.paths.setdefault(slot, []).append(spot)
        if not self._down:
            self._touch.ended = self._time
            touch, self._touch = self._touch, None
            if touch.paths:
                self._told(touch)


def _touch_screens(text: str) -> dict[str, tuple[int, int]]:
    parts = _DEVICE.split(text)
    limits = {path: dict(_LIMIT.findall(part)) for path, part in zip(parts[1::2], parts[2::2], strict=True)}
    return {
        path: (int(found["X"]), int(found["Y"]))
        for path, found in limits.items()
        if {"X", "Y"} <= found.keys()
    }


HELD = 0.45
"""Seconds after which a stationary finger counts as a long press."""
STILL, EDGE, FAR = 0.04, 0.03, 0.1
"""Shares of the width: radius of a stationary finger, start zone of system gestures, their minimum length."""
KEYS: Mapping[str, Action] = {
    "KEY_BACK": Back(),
    "KEY_HOME": Press(("home",)),
    "KEY_HOMEPAGE": Press(("home",)),
    "KEY_APPSELECT": Press(("recentapps",)),
}


class PhoneRecorder(LookingRecorder[Touch | Action]):
    """Records a person's actions on a phone, from its creation on.

    The phone's kernel reports the fingers; their effect is seen by looking whenever the screen has come to
    rest. Typed text is read from the field, so the person has to pause before leaving it.
    """

    def __init__(self, computer: AndroidComputer, secrecy: Secrecy | None = None) -> None:
        super().__init__(computer, secrecy, computer.screen.pixels)
        self._computer = computer
        self._field: tuple[str, Element, Observation] | None = None
        """The stay in the focused field: its name, the field, and the screen at its start."""
        self._visits = 0
        self._told = ""
        """The last stay in a field whose typed text is known."""
        self._typed = self._entered = 0.0
        """When a key of the screen keyboard was last touched, and when the one at its corner."""
        seen = self._looks.latest
        assert seen is not None
        natural = seen.size if not self._rotation() % 2 else Size(seen.size.height, seen.size.width)
        self._listener = TouchListener(computer.device, natural, self._heard.put)
        computer.listeners.append(self._heard.put)
        self._natural = natural
        self._follow()

    def stop(self, task: Task) -> Trajectory:
        recorded = super().stop(task)
        if self._heard.put in self._computer.listeners:
            self._computer.listeners.remove(self._heard.put)
        return recorded

    def _hear(self, event: Touch | Action) -> None:
        self._take_touch(event) if isinstance(event, Touch) else self._carry_out(event)

    def _rotation(self) -> int:
        return self._computer.screen.state().rotation

    def _take_touch(self, touch: Touch) -> None:
        before = self._looks.last_before(touch.began)
        self._looks.note(touch.ended)
        if touch.button:
            self._leave()
            self._steps.hear(Moved(KEYS[touch.button], before))
            return
        turn = partial(_turned_as_held_now, turns=self._rotation(), natural=self._natural)
        paths = [list(map(turn, path)) for path in touch.paths.values()]
        start, end, size = paths[0][0], paths[0][-1], before.size
        keys = next((one.box for one in self._computer.screen.windows if one.app == KEYBOARD), None)
        if keys is not None and keys.contains(start):
            self._typed = touch.ended
            left, top, width, height = keys.measures
            if start.x > left + 0.8 * width and start.y > top + 0.7 * height:
                self._entered = touch.ended
            return
        self._leave()
        spot = spot_at(start, before)
        if len(paths) > 1:
            a, b = paths[:2]
            wider = round(distance(a[-1], b[-1]) / max(1.0, distance(a[0], b[0])), 2)
            middle = Point((start.x + b[0].x) // 2, (start.y + b[0].y) // 2)
            self._steps.hear(Touched(spot_at(middle, before), Pinch(middle, wider)))
        elif distance(start, end) <= STILL * size.width:
            if touch.ended - touch.began >= HELD:
                self._steps.hear(Touched(spot, LongPress(start)))
            else:
                self._take_tap(spot, touch.ended)
        elif (gesture := _of_the_phone(start, end, size)) is not None:
            self._steps.hear(Moved(gesture, before))
        elif abs(end.x - start.x) > abs(end.y - start.y) or not _scrolls(start, before):
            self._steps.hear(Touched(spot, Swipe(start, end)))

    def _take_tap(self, spot: Spot, seconds: float) -> None:
        assert spot.at is not None
        self._steps.hear(Down(spot, "left", (), kind_of_front(spot), seconds))
        self._steps.hear(Up(spot.at))

    def _carry_out(self, action: Action) -> None:
        """Carry out an action that the person performs through a view, and record it exactly."""
        before = self._looks.last_before(time.monotonic())
        self._looks.note(time.monotonic())
        at = getattr(action, "at", None)
        if isinstance(action, (TypeText, Press)) and self._field is not None:
            self._typed = time.monotonic()
            if isinstance(action, TypeText):
                return
            self._entered = time.monotonic() if "enter" in action.keys else self._entered
            if "enter" in action.keys or "backspace" in action.keys:
                return
        self._leave()
        if at is None:
            self._steps.hear(Moved(action, before))
            return
        spot = spot_at(at, before)
        if isinstance(action, Click):
            self._take_tap(spot, time.monotonic())
        elif not (isinstance(action, Swipe) and _scrolls(at, before) and action.at.x == action.to.x):
            event: Heard = Touched(spot, action)
            self._steps.hear(event)

    def _follow(self) -> None:
        seen = self._looks.latest
        focused = None if seen is None else focused_field(seen)
        if seen is None or focused is None:
            self._field = None
        elif self._field is None or self._field[1].id != focused.id:
            self._visits += 1
            self._field = (str(self._visits), focused, seen)

    def _use_look(self) -> None:
        """After a look: the field's current text was typed, and Enter may have left the screen."""
        seen = self._looks.latest
        if seen is None:
            return
        if self._field is not None and self._typed:
            visit, field, before = self._field
            now = seen.by_id(field.id)
            entered = self._entered >= self._typed
            if left := now is None or (entered and not now.value):
                if self._told != visit:
                    self._refuse(field)
            elif now is not None:
                if now.value != field.value:
                    self._tell(visit, field, before, now.value)
                left = entered and ("focused" not in now.states or _others(before, seen, field))
            if left and entered:
                before_enter = self._looks.last_before(self._entered)
                self._steps.hear(Typed(visit))
                self._steps.hear(Pressed(Spot(before_enter, (field.id,)), ("enter",), False, self._entered))
            if left:
                self._field = None
            self._typed = self._entered = 0.0
        self._follow()

    def _tell(self, visit: str, field: Element, before: Observation, text: str) -> None:
        spot = Spot(before, (field.id,), field.box.center)
        secret = "password" in field.states
        self._steps.hear(Typing(spot, visit, "" if secret else field.value, text, secret, "text"))
        self._told = visit

    def _refuse(self, field: Element) -> None:
        self._steps.refuse(
            f'what was typed into "{field.name}" disappeared before it could be read; undo it (u), and pause'
            " for a moment after typing"
        )

    def _leave(self) -> None:
        if self._field is None:
            return
        visit, field, _ = self._field
        if self._typed and not self._looks.since(self._typed):
            self._look_at_field(visit, field)
        self._steps.hear(Typed(visit))
        self._typed = self._entered = 0.0

    def _look_at_field(self, visit: str, field: Element) -> None:
        """The person was faster than the looks: the typed text may still be visible."""
        self._looks.take()
        seen = self._looks.latest
        now = seen.by_id(field.id) if seen is not None else None
        assert self._field is not None
        if now is not None and now.value != field.value:
            self._tell(visit, field, self._field[2], now.value)
        elif now is None:
            self._refuse(field)


def _scrolls(point: Point, screen: Observation) -> bool:
    return any("scrollable" in one.states and one.box.contains(point) for one in screen.elements)


def _others(before: Observation, after: Observation, field: Element) -> bool:
    return has_effect(_screen_without(before, field), _screen_without(after, field))


def _screen_without(screen: Observation, field: Element) -> Observation:
    return Observation(screen.size, tuple(e for e in screen.elements if e.id != field.id), screen.place)


def _of_the_phone(start: Point, end: Point, size: Size) -> Action | None:
    """A system gesture of the phone: from a side it is back, from below it is home."""
    edge, far = EDGE * size.width, FAR * size.width
    if (start.x < edge and end.x - start.x > far) or (start.x > size.width - edge and start.x - end.x > far):
        return Back()
    return Press(("home",)) if start.y > size.height - edge and start.y - end.y > far else None


def _turned_as_held_now(at: Point, turns: int, natural: Size) -> Point:
    right, bottom = natural.width - 1, natural.height - 1
    return {
        0: at,
        1: Point(at.y, right - at.x),
        2: Point(right - at.x, bottom - at.y),
        3: Point(bottom - at.y, at.x),
    }[turns % 4]
