"""Mouse and keyboard input for any device; held buttons and keys are always released."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

from gui_agent.computers.desktop.parts import Device
from gui_agent.core import deadline
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Point
from gui_agent.core.keys import chord, modifiers

DRAG_STEPS = 16
DRAG_SECONDS = 0.16
"""Programs take up a drag only when the pointer moves for some time and distance."""
BETWEEN_CLICKS = 0.03
"""Seconds between the presses of a double click."""
BETWEEN_CHORDS = 0.01
AFTER_MOVE = 0.01
"""Seconds that a program gets to see the pointer before it is clicked with it."""


class Hands:
    """Gestures on a device."""

    def __init__(self, device: Device) -> None:
        self._device = device

    @contextlib.contextmanager
    def held(self, keys: Sequence[str]) -> Iterator[None]:
        """Keep keys down, given by canonical names; they are let go in any case."""
        down: list[str] = []
        try:
            for key in keys:
                down.append(key)
                self._device.press_key(key)
            yield
        finally:
            with contextlib.ExitStack() as stack:  # one that cannot be let go of keeps no other one down
                for key in down:
                    stack.callback(self._device.release_key, key)

    def press(self, keys: Sequence[str], times: int = 1) -> None:
        """Press keys together and release them."""
        names = chord(keys)
        for turn in range(times):
            if turn:
                in_time("press the keys so often")
                time.sleep(BETWEEN_CHORDS)
            with self.held(names):
                pass

    def hold(self, keys: Sequence[str], seconds: float) -> None:
        """Hold keys down for some time."""
        with self.held(chord(keys)):
            deadline.sleep(seconds)

    def move(self, point: Point) -> None:
        """Move the pointer there."""
        self._device.move(point)

    def click(self, point: Point, button: Button = "left", clicks: int = 1, keys: Sequence[str] = ()) -> None:
        """Move there and click, with modifier keys held."""
        with self.held(modifiers(keys)):
            self._device.move(point)
            time.sleep(AFTER_MOVE)
            for turn in range(clicks):
                if turn:
                    time.sleep(BETWEEN_CLICKS)
                with self._hold_button(button):
                    pass

    def long_press(self, point: Point, seconds: float) -> None:
        """Move there and hold the left button."""
        self._device.move(point)
        with self._hold_button("left"):
            deadline.sleep(seconds)

    def drag(self, start: Point, end: Point, keys: Sequence[str] = (), seconds: float = DRAG_SECONDS) -> None:
        """Press at one place, move on to another by small steps, and release there."""
        with self.held(modifiers(keys)):
            self._device.move(start)
            time.sleep(AFTER_MOVE)
            with self._hold_button("left"):
                for step in range(1, DRAG_STEPS + 1):
                    deadline.sleep(seconds / DRAG_STEPS)
                    share = step / DRAG_STEPS
                    x = start.x + round((end.x - start.x) * share)
                    y = start.y + round((end.y - start.y) * share)
                    self._device.move(Point(x, y))
                time.sleep(AFTER_MOVE)

    def scroll(self, point: Point, down: int, right: int) -> None:
        """Turn the wheel with the pointer there."""
        self._device.move(point)
        time.sleep(AFTER_MOVE)
        self._device.wheel(down, right)

    @contextlib.contextmanager
    def _hold_button(self, button: Button) -> Iterator[None]:
        try:
            self._device.press_button(button)
            yield
        finally:
            self._device.release_button(button)


def in_time(what: str) -> None:
    """Go on only while the run has time left."""
    if deadline.over():
        raise ActionFailed(f"the time of the run was over before all was done: {what}")
