"""A person who uses the simulated phone with their fingers: the kernel tells of it, not of what adb does."""

from __future__ import annotations

import time
from collections.abc import Sequence

from guiagent_eval.phone import SimulatedPhone
from guiagent_eval.phone.commands import KEYS, MOST, TOUCH, key
from guiagent_eval.phone.views import every

from gui_agent.core.observation import Point


class PhonePerson:
    """Fingers on the glass of a phone; places are those of the screen as it is shown."""

    def __init__(self, phone: SimulatedPhone) -> None:
        self._phone = phone
        self.last = 0.0
        """When the kernel last told of them, of the monotonic clock."""

    def tap(self, at: Point, *, seconds: float = 0.05) -> None:
        """Touch a place; half a second or more is to hold it."""
        self._fingers([[at]], seconds)
        self._phone.tap(at, held=seconds >= 0.4)

    def tap_on(self, name: str) -> None:
        """Touch what has this name."""
        views = every([self._phone.window()])
        self.tap(next(one.box.center for one in views if name in (one.text, one.description)))

    def swipe(self, start: Point, end: Point) -> None:
        """Move a finger."""
        middle = Point((start.x + end.x) // 2, (start.y + end.y) // 2)
        self._fingers([[start, middle, end]], 0.2)
        self._phone.swipe(start, end)

    def spread(self, at: Point, near: int, far: int) -> None:
        """Move two fingers apart, or together when `far` is less than `near`."""
        ways = [[Point(at.x + side * near, at.y), Point(at.x + side * far, at.y)] for side in (-1, 1)]
        self._fingers(ways, 0.2)
        self._phone.pinch(far / near)

    def type(self, text: str) -> None:
        """Touch the keys of the keyboard on the screen."""
        box = self._phone.keyboard_box
        for number, letter in enumerate(text):
            self._fingers([[Point(box.left + 40 + number * 37 % 300, box.top + 60)]], 0.01)
            self._phone.type(letter)

    def enter(self) -> None:
        """The key at the corner of the keyboard."""
        box = self._phone.keyboard_box
        self._fingers([[Point(box.right - 20, box.bottom - 20)]], 0.02)
        key(self._phone, "66")

    def press_back(self) -> None:
        """A button of the phone below its screen."""
        self._tell(KEYS, ("EV_KEY", "KEY_BACK", "DOWN"), ("EV_KEY", "KEY_BACK", "UP"))
        self._phone.back()

    def _fingers(self, paths: Sequence[Sequence[Point]], seconds: float) -> None:
        for step in range(max(map(len, paths))):
            for slot, path in enumerate(paths):
                if step < len(path):
                    self._put(slot, path[step], down=step == 0)
            self._tell(TOUCH, ("EV_SYN", "SYN_REPORT", "00000000"))
            time.sleep(seconds / max(map(len, paths)))
        for slot in range(len(paths)):
            self._tell(TOUCH, ("EV_ABS", "ABS_MT_SLOT", f"{slot:08x}"))
            self._tell(TOUCH, ("EV_ABS", "ABS_MT_TRACKING_ID", "ffffffff"))
        self._tell(TOUCH, ("EV_KEY", "BTN_TOUCH", "UP"), ("EV_SYN", "SYN_REPORT", "00000000"))

    def _put(self, slot: int, at: Point, *, down: bool) -> None:
        size, area = self._phone.size, self._phone.area
        x, y = at.x, at.y
        for _ in range(self._phone.rotation % 4):  # back to how the phone is held naturally
            x, y = area.height - 1 - y, x
            area = type(area)(0, 0, area.height, area.width)
        raw = (x * (MOST[0] + 1) // size.width, y * (MOST[1] + 1) // size.height)
        self._tell(TOUCH, ("EV_ABS", "ABS_MT_SLOT", f"{slot:08x}"))
        if down:
            self._tell(TOUCH, ("EV_ABS", "ABS_MT_TRACKING_ID", f"{slot + 7:08x}"))
        self._tell(
            TOUCH, *(("EV_ABS", f"ABS_MT_POSITION_{axis}", f"{raw[n]:08x}") for n, axis in enumerate("XY"))
        )

    def _tell(self, path: str, *events: tuple[str, str, str]) -> None:
        self.last = time.monotonic()  # the kernel stamps what it tells together with one time
        for kind, code, value in events:
            line = f"[{self.last:15.6f}] {path}: {kind:12} {code:20} {value:20}\n"
            for listener in self._phone.watched:
                listener.put(line.encode())
