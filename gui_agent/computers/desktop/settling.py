"""Waits until a screen has changed and come to rest, based on its pictures alone."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gui_agent.computers.desktop.parts import PixelDevice, Window
from gui_agent.core.protocols import Settled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui_agent.core.observation import Size

    Counts = NDArray[np.int64]
    """Changed pixels by tile: one row of numbers per row of tiles."""
    Tile = tuple[int, int]

SIDE = 32
FADES = 5.0
"""Seconds without a change after which a tile is watched again."""
OFTEN = 5
"""Changes of a tile after which it may be one that changes by itself."""
LONG = 1.0
"""Minimum seconds of such changes."""
TINY = 64
"""Maximum changed pixels that do not count as unrest: a caret is one or two pixels wide."""
SLACK = 1.5
"""Maximum ratio of a change to the tile's usual change that still counts as its own."""
SHARE = 0.2
"""Maximum share of the screen to ignore; if more changes, it is a real change."""


def differences(before: bytes | bytearray, now: bytes | bytearray, size: Size) -> Counts | None:
    """Changed pixels by tile; None if nothing changed. A pixel has four bytes."""
    if before == now:
        return None
    rows, columns = -(-size.height // SIDE), -(-size.width // SIDE)
    if len(before) != len(now) or len(now) != 4 * size.width * size.height:
        return np.full((rows, columns), SIDE * SIDE, dtype=np.int64)
    one, other = (np.frombuffer(data, np.uint32).reshape(size.height, size.width) for data in (before, now))
    changed = np.zeros((rows * SIDE, columns * SIDE), np.uint8)
    changed[: size.height, : size.width] = one != other
    # In two sums: one byte holds the sums over a tile's columns.
    by_column = changed.reshape(rows, SIDE, -1).sum(axis=1, dtype=np.uint8)
    counts: Counts = by_column.reshape(rows, columns, SIDE).sum(axis=2, dtype=np.int64)
    return counts


@dataclass(slots=True)
class _History:
    first: float
    pixels: int
    """The largest of its changes."""
    times: int = 1
    contents: list[int] = field(default_factory=list)
    """Hashes of its recent contents."""


@dataclass(slots=True)
class _Mask:
    """A tile that changes by itself, by up to about this many pixels at a time."""

    last: float
    pixels: int

    def explains(self, pixels: int) -> bool:
        return pixels <= self.pixels * SLACK


class Restless:
    """Places that change without any action: a caret, a clock, a progress bar.

    Only changes of the usual size are ignored there: text typed at a blinking caret is larger.
    """

    def __init__(self) -> None:
        self._histories: dict[Tile, _History] = {}
        self._masked: dict[Tile, _Mask] = {}

    def unexplained_changes(self, counts: Counts, now: float) -> Counts:
        """The changes outside of places that change by themselves."""
        self._masked = {tile: mask for tile, mask in self._masked.items() if now - mask.last < FADES}
        if not self._masked or len(self._masked) > SHARE * counts.size:
            return counts
        left = counts.copy()
        for tile, mask in self._masked.items():
            inside = tile[0] < left.shape[0] and tile[1] < left.shape[1]
            if inside and left[tile] and mask.explains(int(left[tile])):
                left[tile] = 0
                mask.last = now
        return left

    def note(self, counts: Counts, pixels: bytes | bytearray, size: Size, now: float) -> None:
        """Note changes while a screen comes to rest."""
        picture = np.frombuffer(pixels, np.uint32)
        if picture.size != size.width * size.height:
            return
        picture = picture.reshape(size.height, size.width)
        for row, column in np.argwhere(counts):
            part = picture[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
            self._note_change((int(row), int(column)), int(counts[row, column]), hash(part.tobytes()), now)

    def begin(self) -> None:
        """Note an action: later changes count as its effect until they go on for long."""
        self._histories.clear()

    def idle(self, counts: Counts, now: float) -> None:
        """Note changes since the screen was at rest, without any action.

        Only small changes count, such as those of a caret: larger ones may be late output of a busy program.
        """
        for row, column in np.argwhere((counts > 0) & (counts <= TINY)):
            self._masked[int(row), int(column)] = _Mask(now, int(counts[row, column]))

    def _note_change(self, tile: Tile, pixels: int, content: int, now: float) -> None:
        history = self._histories.get(tile)
        if history is None:
            self._histories[tile] = _History(now, pixels, contents=[content])
            return
        history.times += 1
        history.pixels = max(history.pixels, pixels)
        # A caret alternates between two pictures, so it is recognized sooner than a progress bar.
        blinks = len(history.contents) >= 2 and history.contents[-2] == content
        history.contents = [*history.contents[-3:], content]
        if blinks and history.times >= 3:
            self._masked[tile] = _Mask(now, pixels)
        elif history.times >= OFTEN and now - history.first >= LONG:
            self._masked[tile] = _Mask(now, history.pixels)


POLL = 0.02
"""Seconds between two looks; a look takes about half a millisecond."""
AGAIN = 0.2
"""Seconds for a previously unresponsive program to answer."""


class Settling:
    """Compares pictures of the screen until they stay the same."""

    def __init__(self, device: PixelDevice, patience: SettleTimes) -> None:
        self._device = device
        self._patience = patience
        self._restless = Restless()
        self.frozen = ""
        """The program that did not answer the last time."""
        self._rest: bytes | bytearray | None = None
        """The picture at the last rest of the screen."""
        self._base: bytes | bytearray | None = None
        """The picture before the last action."""

    def arm(self) -> None:
        """Remember the screen just before an action."""
        now = self._device.pixels()
        if self._rest is not None:
            counts = differences(self._rest, now, self._device.size)
            if counts is not None:
                self._restless.idle(counts, time.monotonic())
        self._base = now
        self._restless.begin()

    def still_frozen(self, window: Window) -> bool:
        """Whether the program of a window, which did not answer after the last action, still does not."""
        if self.frozen == window.app and self._device.caught_up(window, AGAIN) is not False:
            self.frozen = ""
        return self.frozen == window.app != ""

    def settle(self, window: Window | None) -> Settled:
        """Wait until the front program has processed the input, then for a change, then for quiet."""
        app = window.app if window is not None else ""
        waits = self._patience.waits(app)
        size = self._device.size
        began = time.monotonic()
        last_change, changed = began, False
        before = self._base if self._base is not None else self._device.pixels()
        if window is not None and self._base is not None:
            # A busy program shows nothing yet; silence means something only after its answer.
            answered = self._device.caught_up(window, waits.cap)
            self.frozen = app if answered is False else ""
            last_change = time.monotonic()
        while True:
            now = time.monotonic()
            frame = self._device.pixels()
            counts = differences(before, frame, size)
            if counts is not None:
                self._restless.note(counts, frame, size, now)
                left = int(self._restless.unexplained_changes(counts, now).sum())
                if left > TINY or (left and not changed):
                    last_change = now
                changed |= left > 0
                before = frame
            quiet_for = now - last_change
            if quiet_for >= (waits.quiet if changed else max(waits.grace, waits.quiet)):
                break
            if now - began >= waits.cap:
                self._rest = frame
                return Settled(now - began, quiet=False, changed=changed)
            time.sleep(POLL)
        self._rest, self._base = frame, None
        seconds = time.monotonic() - began
        if changed:
            self._patience.note(app, seconds - quiet_for)
        return Settled(seconds, quiet=True, changed=changed)


SAMPLES = 40
ENOUGH = 5
"""Number of observed times after which a program's usual time is known."""
SHORTEST = 1.0
"""Minimum cap in seconds."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds to wait for one program."""

    grace: float
    quiet: float
    """Without a change, after which the screen is at rest."""
    cap: float
    """In total, for a screen that never comes to rest."""


class SettleTimes:
    """Starts with a careful cap for every program and lowers it for those that come to rest quickly.

    The cap becomes twice the time within which nine of ten observations of the program came to rest, but
    never longer than the configured one.
    """

    def __init__(self, waits: Waits, known: Mapping[str, float] | None = None) -> None:
        self._waits = waits
        self._known = dict(known or {})
        self._seen: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=SAMPLES))

    def waits(self, app: str) -> Waits:
        """How long to wait for a program now."""
        usual = usually(self._seen[app]) if len(self._seen.get(app, ())) >= ENOUGH else self._known.get(app)
        if usual is None:
            return self._waits
        return replace(self._waits, cap=min(self._waits.cap, max(SHORTEST, 2 * usual)))

    def note(self, app: str, seconds: float) -> None:
        """Note how long a program took to come to rest."""
        self._seen[app].append(seconds)


def usually(seen: Collection[float]) -> float:
    """The time that nine of ten observations did not exceed."""
    ordered = sorted(seen)
    return ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
