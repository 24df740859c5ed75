"""What the detector's cells of eight by eight pixels are to say about a screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gui_agent.computers.vision.network import STRIDE, Floats

ROLES = (
    *("button", "icon", "textbox", "combobox", "checkbox", "radio", "switch", "slider", "spinbutton"),
    *("tab", "link", "item"),
)
"""What is detected; `icon` is a control or sign without a text, `item` an entry of a menu, list or tree."""
STATES = ("checked", "disabled", "expanded", "selected", "filled")
"""`filled` says that a field has a value, which its placeholder is not."""

CORE = 0.55
"""Height of a box's bell from which on its cells say that it is there, and learn its edges and states."""


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
        core = bell >= CORE
        heat[role][place] = np.maximum(heat[role][place], np.minimum(1, bell / CORE))
        middle[role][place][core] = core.sum() ** -0.5
        x, y = np.meshgrid(xs[place[1]], ys[place[0]])
        for number, distance in enumerate((x - left, y - top, left + wide - x, top + high - y)):
            edges[number][place][core] = np.maximum(0.5, distance)[core]
        for number in range(len(STATES)):
            states[number][place][core] = number in state
        weight[place] = 1
    return Goal(heat, middle, edges, states, weight)
