"""The network that finds controls in a picture, and what it is trained to give.

One stage and no anchors: each cell of eight by eight pixels says which roles have their middle there, how far
the edges of that box are, and its states (after CenterNet, arXiv 1904.07850, and FCOS, arXiv 1904.01355).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from cells import ROLES, STATES
from torch import Tensor, nn
from torch.nn import functional

CHANNELS = len(ROLES) + 4 + len(STATES)
"""Of the output: a logit for each role; the logarithms of the distances left, top, right, bottom in pixels;
a logit for each state."""


class Mix(nn.Module):
    """Mixes places, then channels, and adds the result to its input."""

    def __init__(self, width: int, reach: int = 3) -> None:
        super().__init__()
        self.places = nn.Conv2d(width, width, reach, padding=reach // 2, groups=width, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.widen, self.narrow = nn.Conv2d(width, 2 * width, 1), nn.Conv2d(2 * width, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Args: x: batch x width x rows x columns; the result has the same shape."""
        return x + self.narrow(functional.relu(self.widen(self.norm(self.places(x)))))


def _halve(narrow: int, wide: int) -> nn.Module:
    parts = nn.Conv2d(narrow, wide, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(wide), nn.ReLU()
    return nn.Sequential(*parts)


class Detector(nn.Module):
    """Pictures to cells: from the whole down to each place, and back up."""

    def __init__(self, widths: Sequence[int] = (32, 64, 96, 128, 160), head: int = 56) -> None:
        super().__init__()
        self.stem = nn.Sequential(_halve(3, 24), _halve(24, widths[0]), Mix(widths[0]))
        depths = (2, 3, 3, 2)
        pairs = zip(widths, widths[1:], depths, strict=False)
        self.down = nn.ModuleList(
            nn.Sequential(_halve(narrow, wide), *(Mix(wide, 5) for _ in range(depth)))
            for narrow, wide, depth in pairs
        )
        self.level = nn.ModuleList(nn.Conv2d(width, head, 1) for width in widths[1:])
        self.blend = nn.ModuleList(Mix(head) for _ in widths[2:])
        self.last = nn.Sequential(Mix(head), nn.BatchNorm2d(head), nn.ReLU(), nn.Conv2d(head, CHANNELS, 1))
        with torch.no_grad():
            bias = self.last[-1].bias
            bias.zero_()
            bias[: len(ROLES)] = -4.6  # a control begins in one cell of a hundred
            bias[len(ROLES) : len(ROLES) + 4] = 3.0

    def forward(self, pictures: Tensor) -> Tensor:
        """
        Args:
            pictures: batch x 3 x height x width, from 0 to 1, as `network_input` makes them.

        Returns:
            batch x `CHANNELS` x height / 8 x width / 8.
        """
        x, levels = self.stem(pictures - 0.5), []
        for part in self.down:
            levels.append(x := part(x))
        x = self.level[-1](levels[-1])
        for lateral, blend, level in zip(
            reversed(self.level[:-1]), reversed(self.blend), reversed(levels[:-1]), strict=True
        ):
            x = blend(functional.interpolate(x, scale_factor=2.0) + lateral(level))
        return self.last(x)


def losses(
    cells: Tensor, rare: Tensor, heat: Tensor, middle: Tensor, edges: Tensor, states: Tensor, weight: Tensor
) -> dict[str, Tensor]:
    """What training makes small: of the roles (focal), the edges (overlap and logarithm) and the states.

    Args:
        cells: the network's output.
        rare: roles x 1 x 1; how much a control of each role counts.
        heat, middle, edges, states, weight: stacked `Goal`s.
    """
    said, told, held = cells.split([len(ROLES), 4, len(STATES)], dim=1)
    chance = said.sigmoid().clamp(1e-4, 1 - 1e-4)
    hit = -chance.log() * (1 - chance) ** 2 * middle * rare
    miss = -(1 - chance).log() * chance**2 * (1 - heat) ** 4 * (middle == 0)
    count = middle.sum().clamp(min=1)
    found = {"roles": ((hit + miss) * weight[:, None]).sum() / count}
    core = edges[:, 0] > 0
    wanted = edges.permute(0, 2, 3, 1)[core]
    given = told.permute(0, 2, 3, 1)[core].clamp(-1, 8).exp()
    inner = torch.minimum(wanted, given)
    overlap = (inner[:, 0] + inner[:, 2]) * (inner[:, 1] + inner[:, 3])
    areas = [(one[:, 0] + one[:, 2]) * (one[:, 1] + one[:, 3]) for one in (wanted, given)]
    shared = overlap / (areas[0] + areas[1] - overlap)
    some = max(1, len(wanted))  # a batch may show nothing
    close = functional.smooth_l1_loss(given.log(), wanted.log(), beta=0.1, reduction="sum")
    found["edges"] = (2 * (1 - shared).sum() + close / 8) / some
    answers = held.permute(0, 2, 3, 1)[core], states.permute(0, 2, 3, 1)[core]
    missed = functional.binary_cross_entropy_with_logits(*answers, reduction="sum")
    found["states"] = missed / (some * len(STATES))
    return found
