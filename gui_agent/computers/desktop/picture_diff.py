"""Where two pictures of a screen differ, tile by tile, and which places change all by themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui_agent.core.geometry import Size

    Counts = NDArray[np.int64]
    """Changed pixels by tile: one row of numbers per row of tiles."""
    Tile = tuple[int, int]

SIDE = 32
"""Pixels of the side of a tile."""
FADES = 5.0
"""Seconds after which a place that stayed the same is watched again."""
OFTEN = 5
"""Changes of a place after which it may be one that changes by itself."""
LONG = 1.0
"""Seconds for which it must have been changing for that."""
TINY = 64
"""Changed pixels that are no sign of unrest: a caret is one or two pixels wide."""
SLACK = 1.5
"""How much larger than usual a change may be that a place makes by itself."""
SHARE = 0.2
"""Of the screen that may be left out of sight at most; if more changes, something really goes on."""


def differences(before: bytes | bytearray, now: bytes | bytearray, size: Size) -> Counts | None:
    """Changed pixels by tile, None when nothing changed.

    Args:
        before: four bytes per pixel, row by row, like `now`; of another length when the screen was resized.
    """
    if before == now:
        return None
    rows, columns = -(-size.height // SIDE), -(-size.width // SIDE)
    if len(before) != len(now) or len(now) != 4 * size.width * size.height:
        return np.full((rows, columns), SIDE * SIDE, dtype=np.int64)
    one, other = (np.frombuffer(data, np.uint32).reshape(size.height, size.width) for data in (before, now))
    counts = np.zeros((rows, columns), dtype=np.int64)
    lines = np.flatnonzero((one != other).any(axis=1))
    first, last = int(lines[0]) // SIDE, int(lines[-1]) // SIDE
    for row in range(first, last + 1):
        part = slice(row * SIDE, (row + 1) * SIDE)
        by_column = (one[part] != other[part]).sum(axis=0)
        counts[row] = np.add.reduceat(by_column, np.arange(0, size.width, SIDE))
    return counts


@dataclass(slots=True)
class _History:
    """What is known of a tile that changes."""

    first: float
    pixels: int
    """The largest of its changes."""
    times: int = 1
    contents: list[int] = field(default_factory=list)
    """Hashes of what it showed lately."""


@dataclass(slots=True)
class _Mask:
    """A tile that changes by itself, by up to about so many pixels at a time."""

    last: float
    pixels: int

    def explains(self, pixels: int) -> bool:
        """Whether a change is no larger than those that the tile makes by itself."""
        return pixels <= self.pixels * SLACK


class Restless:
    """Places that change without anybody doing anything: a caret, a clock, a progress bar.

    Only changes of the usual size are left out there: text that is typed at a blinking caret is larger.
    """

    def __init__(self) -> None:
        self._histories: dict[Tile, _History] = {}
        self._masked: dict[Tile, _Mask] = {}

    def without(self, counts: Counts, now: float) -> Counts:
        """The changes that are not explained by places that change by themselves."""
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
        """Take note of changes while a screen comes to rest."""
        picture = np.frombuffer(pixels, np.uint32)
        if picture.size != size.width * size.height:
            return
        picture = picture.reshape(size.height, size.width)
        for row, column in np.argwhere(counts):
            part = picture[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
            self._changed((int(row), int(column)), int(counts[row, column]), hash(part.tobytes()), now)

    def begin(self) -> None:
        """Somebody acts: what changes from now on is not by itself until it goes on for long."""
        self._histories.clear()

    def idle(self, counts: Counts, now: float) -> None:
        """Take note of changes since the screen was at rest, while nobody did anything.

        Only small ones count, such as those of a caret: larger ones may be what a busy program drew late.
        """
        for row, column in np.argwhere((counts > 0) & (counts <= TINY)):
            self._masked[int(row), int(column)] = _Mask(now, int(counts[row, column]))

    def _changed(self, tile: Tile, pixels: int, content: int, now: float) -> None:
        history = self._histories.get(tile)
        if history is None:
            self._histories[tile] = _History(now, pixels, contents=[content])
            return
        history.times += 1
        history.pixels = max(history.pixels, pixels)
        # A caret shows one of two pictures in turn; that is told sooner than a progress bar.
        blinks = len(history.contents) >= 2 and history.contents[-2] == content
        history.contents = [*history.contents[-3:], content]
        if blinks and history.times >= 3:
            self._masked[tile] = _Mask(now, pixels)
        elif history.times >= OFTEN and now - history.first >= LONG:
            self._masked[tile] = _Mask(now, history.pixels)
