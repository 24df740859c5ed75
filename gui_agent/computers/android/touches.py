"""What fingers do on the screen of a phone, as the kernel tells it: `getevent`."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from gui_agent.computers.android.client import AdbDevice, received
from gui_agent.core.errors import ComputerLost, ConfigError
from gui_agent.core.geometry import Point, Size

BUTTONS = ("KEY_BACK", "KEY_HOME", "KEY_HOMEPAGE", "KEY_APPSELECT")
_LINE = re.compile(r"(?:\[ *([\d.]+)\] *)?(/dev/input/\S+): +(\S+) +(\S+) +(\S+)")
_DEVICE = re.compile(r"add device \d+: (\S+)")
_LIMIT = re.compile(r"ABS_MT_POSITION_([XY]) .*?max (\d+)")
GONE = "ffffffff"
STARTING = 3.0
"""Seconds for `getevent` to listen; one that does not say so may do so all the same."""


@dataclass(slots=True)
class Touch:
    """Fingers from the first that came down to the last that went up, as the phone is held naturally."""

    began: float
    """When it happened, of our monotonic clock: as the kernel of the phone tells it, however late it came."""
    ended: float = 0.0
    paths: dict[int, list[Point]] = field(default_factory=dict)
    """Where each finger was, by its number."""
    button: str = ""
    """The button of the phone, when it was one."""


class TouchListener:
    """Hears touches in a thread of its own until it is closed."""

    def __init__(self, device: AdbDevice, size: Size, told: Callable[[Touch], None]) -> None:
        """
        Args:
            size: of the display as the phone is held naturally.

        Raises:
            ConfigError: the phone does not tell of touches.
            ComputerLost: the phone is gone.
        """
        self._size, self._told = size, told
        self._screens = _screens(device.look("getevent", "-lp").text)
        if not self._screens:
            raise ConfigError(
                "this phone does not let adb see touches; do the task in the mirror instead:"
                " guiagent run ... --on android --view, and take over"
            )
        self._wire = device.open("shell:getevent -lt")  # this service has a terminal, so lines come at once
        self.lost = False
        self._listening = threading.Event()
        self._touch: Touch | None = None
        self._slot = 0
        self._time, self._ahead = 0.0, float("inf")
        """When the event of now happened, and how far our clock is ahead of the phone's."""
        self._now: dict[int, dict[str, int]] = {}
        self._down: set[int] = set()
        threading.Thread(target=self._listen, daemon=True, name="touches").start()
        self._listening.wait(STARTING)

    def close(self) -> None:
        """Stop hearing."""
        with contextlib.suppress(OSError):
            self._wire.close()

    def _listen(self) -> None:
        left = b""
        with contextlib.suppress(OSError, ComputerLost):
            while piece := received(self._wire, -2, time.monotonic() + 3600):
                *lines, left = (left + piece).split(b"\n")
                if lines:  # it names the devices once it listens to them
                    self._listening.set()
                for line in lines:
                    found = _LINE.search(line.decode("ascii", "ignore"))
                    if found:
                        stamp, *event = found.groups()
                        self._happened(stamp)
                        self._event(*event)
        self.lost = True

    def _happened(self, stamp: str | None) -> None:
        self._time = time.monotonic()
        if stamp:  # of all lines the one that came quickest tells the clocks apart
            self._ahead = min(self._ahead, self._time - float(stamp))
            self._time = float(stamp) + self._ahead

    def _event(self, path: str, kind: str, code: str, value: str) -> None:
        if kind == "EV_KEY" and code in BUTTONS and value == "DOWN":
            self._told(Touch(self._time, self._time, button=code))
        if path not in self._screens:
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
            self._report(self._screens[path])

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


def _screens(text: str) -> dict[str, tuple[int, int]]:
    """The touch screens that `getevent -lp` lists, with the largest numbers that they tell."""
    parts = _DEVICE.split(text)
    limits = {path: dict(_LIMIT.findall(part)) for path, part in zip(parts[1::2], parts[2::2], strict=True)}
    return {
        path: (int(found["X"]), int(found["Y"]))
        for path, found in limits.items()
        if {"X", "Y"} <= found.keys()
    }
