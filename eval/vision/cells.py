"""What the detector's cells say: what is to be learned from a screen, and what is read from the output.

A cell is a square of four by four pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pages import ROLES, STATES

STRIDE = 4
"""Pixels of a cell's side."""
MULTIPLE = 64
"""Both sides of what the network is given are a multiple of this many pixels."""
CORE = 0.55
"""Height of a box's bell from which on its cells learn its edges and states."""
TOP = 0.75
"""The same from which on a cell says that a box is there."""
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Goal:
    """What a picture's cells should say."""

    heat: Floats
    """roles x rows x columns; 1 around the middle of a box, falling off to its edges."""
    middle: Floats
    """roles x rows x columns; what each cell around a middle counts, 0 elsewhere. Of a wide box many do, as
    no eye can tell its middle to a pixel.
    """
    edges: Floats
    """4 x rows x columns, in pixels; 0 where no edges are learned."""
    states: Floats
    """states x rows x columns."""
    weight: Floats
    """rows x columns; 0 where what is cut off by the picture's edge stands."""


def goal_of(things: Sequence[tuple[int, Sequence[float], Sequence[int]]], height: int, width: int) -> Goal:
    """The goal for a picture.

    Args:
        things: role, box (left, top, width, height in pixels) and states of each; role -1 is not judged.
        height, width: of the picture, in pixels.
    """
    rows, columns = height // STRIDE, width // STRIDE
    heat, middle = (np.zeros((len(ROLES), rows, columns), np.float32) for _ in range(2))
    edges, states = (
        np.zeros((4, rows, columns), np.float32),
        np.zeros((len(STATES), rows, columns), np.float32),
    )
    weight = np.ones((rows, columns), np.float32)
    ys, xs = (STRIDE * (np.arange(count, dtype=np.float32) + 0.5) for count in (rows, columns))
    for role, (left, top, wide, high), state in sorted(things, key=lambda one: -one[1][2] * one[1][3]):
        first_row, last_row = int(top // STRIDE), int(-(-(top + high) // STRIDE))
        first, last = int(left // STRIDE), int(-(-(left + wide) // STRIDE))
        place = np.s_[max(0, first_row) : last_row, max(0, first) : last]
        if role < 0:
            weight[place] = 0
            continue
        x, y = (STRIDE * (one // STRIDE + 0.5) for one in (left + wide / 2, top + high / 2))
        across = np.exp(-((xs - x) ** 2) / (2 * max(STRIDE * 0.6, wide / 7) ** 2))
        along = np.exp(-((ys - y) ** 2) / (2 * max(STRIDE * 0.6, high / 7) ** 2))
        bell = (along[:, None] * across[None, :])[place]
        top_cells = bell >= TOP
        heat[role][place] = np.maximum(heat[role][place], np.minimum(1, bell / TOP))
        middle[role][place][top_cells] = top_cells.sum() ** -0.5
        core = bell >= CORE
        x, y = np.meshgrid(xs[place[1]], ys[place[0]])
        for number, distance in enumerate((x - left, y - top, left + wide - x, top + high - y)):
            edges[number][place][core] = np.maximum(0.5, distance)[core]
        for number in range(len(STATES)):
            states[number][place][core] = number in state
        weight[place] = 1
    return Goal(heat, middle, edges, states, weight)


def padded(pixels: NDArray[np.uint8]) -> Floats:
    """A picture (rows x columns x 3, in RGB) as the network takes it: 1 x 3 x height x width, from 0 to 1."""
    high, wide = (-side % MULTIPLE for side in pixels.shape[:2])
    shown = np.pad(pixels.astype(np.float32) / 255, ((0, high), (0, wide), (0, 0)), mode="edge")
    return shown.transpose(2, 0, 1)[None]


def boxes_of(cells: Floats, least: float = 0.3) -> list[tuple[int, float, tuple[float, ...]]]:
    """Role, chance and box (edges in pixels) of what the network sees, the surest first, without overlaps."""
    chances = 1 / (1 + np.exp(-cells[: len(ROLES)]))
    role, best = chances.argmax(axis=0), chances.max(axis=0)
    around = np.pad(best, 1)
    peak = best >= np.max(
        [around[y : y + best.shape[0], x : x + best.shape[1]] for y in range(3) for x in range(3)], axis=0
    )
    found = []
    for row, column in np.argwhere(peak & (best >= least)):
        left, top, right, bottom = np.exp(np.clip(cells[len(ROLES) : len(ROLES) + 4, row, column], -1, 8))
        x, y = STRIDE * (column + 0.5), STRIDE * (row + 0.5)
        found.append(
            (int(role[row, column]), float(best[row, column]), (x - left, y - top, x + right, y + bottom))
        )
    kept: list[tuple[int, float, tuple[float, ...]]] = []
    for one in sorted(found, key=lambda one: -one[1]):
        if all(overlap(one[2], other[2]) < 0.5 for other in kept):
            kept.append(one)
    return kept


def overlap(one: Sequence[float], other: Sequence[float]) -> float:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return wide * high / (sum(areas) - wide * high)
