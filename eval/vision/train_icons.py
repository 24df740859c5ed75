"""Trains the network that says what an icon shows, on the icons of rendered screens.

    python eval/vision/train_icons.py --screens SCREENS --held-out OTHERS --out MODEL [--rounds 12] [--seed 1]

SCREENS and OTHERS are what render.py made, OTHERS with `--held-out`: icon sets that nothing was learned
from. The classes are those of `icons.toml`. It writes `MODEL/icons.onnx` and prints the share of right
answers on both.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional
from train import describe, read_truth

from gui_agent.computers.vision.network import SIDE, icon_square

ICONS = sorted(tomllib.loads((Path(__file__).parent / "icons.toml").read_text("utf-8"))["classes"])
"""What icons show, in the order of the network's output."""


class IconReader(nn.Module):
    """Grey icons (batch x 1 x 32 x 32, from 0 to 1) to a logit for each class."""

    def __init__(self, widths: tuple[int, ...] = (32, 64, 96)) -> None:
        super().__init__()
        parts: list[nn.Module] = []
        for narrow, wide in zip((1, *widths), widths, strict=False):
            for count in (narrow, wide):
                parts += [nn.Conv2d(count, wide, 3, padding=1, bias=False), nn.BatchNorm2d(wide), nn.ReLU()]
            parts += [nn.MaxPool2d(2)]
        self.look = nn.Sequential(*parts, nn.Flatten(), nn.Dropout(0.3))
        self.name = nn.Linear(widths[-1] * (SIDE // 2 ** len(widths)) ** 2, len(ICONS))

    def forward(self, icons: Tensor) -> Tensor:
        return self.name(self.look(icons))


def read_icons(folder: Path) -> tuple[Tensor, Tensor]:
    """The icons of all screens of a folder (count x 1 x 32 x 32), and their classes."""
    icons, classes = [], []
    for screen in read_truth(folder):
        marked = [one for one in screen["things"] if one["role"] == "icon" and one["icon"]]
        picture = Image.open(folder / screen["picture"]).convert("L") if marked else None
        for one in marked:
            assert picture is not None
            icons.append(icon_square(picture, *one["box"]))
            classes.append(ICONS.index(one["icon"]))
    return torch.from_numpy(np.stack(icons))[:, None], torch.tensor(classes)


def train(icons: Tensor, classes: Tensor, rounds: int) -> IconReader:
    reader = IconReader()
    work = torch.optim.AdamW(reader.parameters(), lr=2e-3, weight_decay=5e-2)
    batches = -(-len(icons) // 128)
    pace = torch.optim.lr_scheduler.OneCycleLR(work, 4e-3, total_steps=rounds * batches)
    for number in range(rounds):
        lost = 0.0
        for chosen in torch.randperm(len(icons)).split(128):
            seen = _move(icons[chosen])
            loss = functional.cross_entropy(reader(seen), classes[chosen], label_smoothing=0.05)
            work.zero_grad()
            loss.backward()
            work.step()
            pace.step()
            lost += float(loss.detach()) / batches
        print(f"round {number + 1} of {rounds}: {lost:.3f}", flush=True)
    return reader.eval()


def _move(icons: Tensor) -> Tensor:
    """The icons, each a little larger or smaller, aside, turned and blurred."""
    count = len(icons)
    turn, size = (torch.rand(count) - 0.5) * 0.16, 1 + (torch.rand(count) - 0.5) * 0.35
    cos, sin = size * turn.cos(), size * turn.sin()
    aside = (torch.rand(2, count) - 0.5) * 0.2
    rows = torch.stack([torch.stack([cos, -sin, aside[0]], 1), torch.stack([sin, cos, aside[1]], 1)], 1)
    grid = functional.affine_grid(rows, list(icons.shape), align_corners=False)
    moved = functional.grid_sample(icons, grid, align_corners=False, padding_mode="border")
    blurred = functional.avg_pool2d(moved, 3, stride=1, padding=1)
    return torch.where((torch.rand(count, 1, 1, 1) < 0.3), blurred, moved)


def share_right(reader: IconReader, icons: Tensor, classes: Tensor) -> float:
    with torch.no_grad():
        said = torch.cat([reader(part).argmax(1) for part in icons.split(512)])
    return float((said == classes).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--screens", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    icons, classes = read_icons(given.screens)
    apart = torch.arange(len(icons)) >= 0.95 * len(icons)
    reader = train(icons[~apart], classes[~apart], given.rounds)
    others = read_icons(given.held_out)
    shares = share_right(reader, icons[apart], classes[apart]), share_right(reader, *others)
    print(f"{len(icons)} icons of {len(ICONS)} classes; right on screens apart: {shares[0]:.1%}, ", end="")
    print(f"on {len(others[0])} icons of other sets: {shares[1]:.1%}")
    given.out.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        reader, (torch.zeros(1, 1, SIDE, SIDE),), str(given.out / "icons.onnx"), input_names=["icons"],
        output_names=["classes"], dynamic_axes={"icons": {0: "count"}, "classes": {0: "count"}}, dynamo=False,
    )  # fmt: skip
    describe(given.out / "icons.onnx", classes=ICONS)


if __name__ == "__main__":
    main()
