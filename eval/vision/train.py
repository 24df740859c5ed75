"""Trains the detector on rendered screens, on the processor, and writes it for onnxruntime.

    python eval/vision/train.py --screens SCREENS [WINDOWS] --out MODEL [--hours 2] [--seed 1]

Needs the packages of the extras `train` (torch, onnx) and `vision`. It saves its state each two minutes and
goes on from there when it is started again, until `--hours` of training are spent. `MODEL/controls.onnx` is
the result, `MODEL/weights.pt` the same for `--start`, `MODEL/figures.json` what it cost and gave; every
twentieth screen is only measured on.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import ROLES, STATES, goal_of
from network import Detector, losses
from numpy.typing import NDArray
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from gui_agent.computers.vision.network import SAME, network_input, read_cells
from gui_agent.core.observation import Box

CROP = (320, 640)
"""Height and width of what one example shows."""
BATCH = 4
SAVING = 120.0
"""Seconds between two saved states."""
APART = 20
"""Every so many-th screen is only measured on."""
FAINT = 0.1
"""Least chance of a control that measuring looks at."""


def read_truth(folder: Path) -> list[dict[str, Any]]:
    """The screens of a folder that are whole, in the order of their seeds; `picture` becomes a path."""
    lines = [line for path in folder.glob("truth-*.jsonl") for line in path.read_text("utf-8").splitlines()]
    found = [json.loads(line) for line in lines if line.endswith("}")]
    placed = [{**one, "picture": folder / one["picture"]} for one in found]
    return sorted((one for one in placed if one["picture"].is_file()), key=lambda one: one["picture"].name)


class Crops(Dataset[tuple[Any, ...]]):
    """Parts of screens, changed a little in size and colour; the same number gives the same part.

    Args:
        kinds: screens of each kind; all kinds are equally frequent.
    """

    def __init__(self, kinds: Sequence[Sequence[dict[str, Any]]], count: int, seed: int) -> None:
        self._kinds, self._count, self._seed = kinds, count, seed

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> tuple[Any, ...]:
        random = np.random.default_rng((self._seed, number))
        screens = self._kinds[int(random.integers(len(self._kinds)))]
        screen = screens[int(random.integers(len(screens)))]
        picture = Image.open(screen["picture"]).convert("RGB")
        size = float(random.choice((1.0, 1.0, 1.0, random.uniform(0.75, 1.3))))
        if size != 1.0:
            sides = round(size * picture.width), round(size * picture.height)
            picture = picture.resize(sides, Image.Resampling.BILINEAR)
        high, wide = CROP
        top = int(random.integers(0, max(1, picture.height - high + 1)))
        left = int(random.integers(0, max(1, picture.width - wide + 1)))
        pixels = np.asarray(picture.crop((left, top, left + wide, top + high)), np.float32) / 255
        things = [_in_crop(one, size, left, top) for one in screen["things"]]
        goal = goal_of([one for one in things if one is not None], *CROP)
        return (
            _recolour(pixels, random).transpose(2, 0, 1).copy(),
            goal.heat,
            goal.middle,
            goal.edges,
            goal.states,
            goal.weight,
        )


def _in_crop(
    thing: dict[str, Any], size: float, left: int, top: int
) -> tuple[int, list[float], list[int]] | None:
    x, y, wide, high = (size * edge for edge in thing["box"])
    x, y = x - left, y - top
    shown = max(0.0, min(x + wide, CROP[1]) - max(x, 0)), max(0.0, min(y + high, CROP[0]) - max(y, 0))
    if min(shown) < 3:
        return None
    whole = shown[0] * shown[1] >= 0.98 * wide * high
    role = ROLES.index(thing["role"]) if whole else -1
    states = [STATES.index(one) for one in thing["states"].split() if one in STATES]
    return role, [max(x, 0.0), max(y, 0.0), *shown] if not whole else [x, y, wide, high], states


def _recolour(pixels: NDArray[np.float32], random: np.random.Generator) -> NDArray[np.float32]:
    if random.random() < 0.1:
        pixels = 1 - pixels
    if random.random() < 0.3:
        pixels = pixels[:, :, random.permutation(3)]
    if random.random() < 0.15:
        pixels = np.repeat(pixels.mean(axis=2, keepdims=True), 3, axis=2)
    if random.random() < 0.5:
        pixels = np.clip((pixels - 0.5) * random.uniform(0.6, 1.2) + 0.5 + random.uniform(-0.1, 0.1), 0, 1)
    if random.random() < 0.2:
        pixels = np.clip(pixels + random.normal(0, random.uniform(0, 0.03), pixels.shape), 0, 1)
    return pixels.astype(np.float32)


@torch.no_grad()
def measure(
    model: torch.nn.Module, screens: Sequence[dict[str, Any]]
) -> tuple[list[float], dict[str, float]]:
    """The chance of each role from which on a control is best said to be there, and what that finds.

    Best is the highest F1 of things found with their role and an intersection over union of at least 0.5.
    """
    model.eval()
    count = Counter(thing["role"] for screen in screens for thing in screen["things"])
    found: dict[str, list[tuple[float, bool]]] = {role: [] for role in ROLES}
    for screen in screens:
        picture = Image.open(screen["picture"]).convert("RGB")
        cells = model(torch.from_numpy(network_input(np.asarray(picture))))[0].numpy()
        left = [(thing["role"], Box(*map(round, thing["box"]))) for thing in screen["things"]]
        for one in read_cells(cells, ROLES, STATES, [FAINT] * len(ROLES)):
            same = next((t for t in left if t[0] == one.role and one.box.iou(t[1]) >= SAME), None)
            found[one.role].append((one.chance ** (math.log(FAINT) / math.log(0.5)), same is not None))
            left = [t for t in left if t is not same]
    model.train()
    least, figures = [], {}
    for role in ROLES:
        tried = np.arange(FAINT, 0.95, 0.01)
        kept = [[right for chance, right in found[role] if chance >= one] for one in tried]
        best = max(range(len(tried)), key=lambda n: 2 * sum(kept[n]) / max(1, len(kept[n]) + count[role]))
        least.append(round(float(tried[best]), 2))
        figures[f"{role} recall"] = sum(kept[best]) / max(1, count[role])
        figures[f"{role} precision"] = sum(kept[best]) / max(1, len(kept[best]))
    return least, figures


def train(
    folders: Sequence[Path],
    out: Path,
    *,
    start: Path | None,
    hours: float,
    seed: int,
    steps: int,
    rate: float,
    short: bool,
) -> None:
    torch.manual_seed(seed)
    screens = [read_truth(folder) for folder in folders]
    kept_apart = [one for kind in screens for one in kind[::APART]]
    learned = [[one for n, one in enumerate(kind) if n % APART] for kind in screens]
    model, mean = (load(start).to(memory_format=torch.channels_last) for _ in range(2))  # type: ignore[call-overload]
    mean.load_state_dict(model.state_dict())
    work = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-2)
    state, step, spent = out / "state.pt", 0, 0.0
    out.mkdir(parents=True, exist_ok=True)
    if state.is_file():
        kept = torch.load(state, weights_only=True)
        model.load_state_dict(kept["model"])
        mean.load_state_dict(kept["mean"])
        work.load_state_dict(kept["work"])
        step, spent = kept["step"], kept["spent"]
    print(
        f"{sum(map(len, learned))} screens to learn from, {len(kept_apart)} apart; step {step}, "
        f"{spent / 3600:.2f} h",
        flush=True,
    )
    rare = rarity([one for kind in learned for one in kind])
    crops = Crops(learned, BATCH * steps, seed)
    batches = DataLoader(
        torch.utils.data.Subset(crops, range(BATCH * step, BATCH * steps)), BATCH, num_workers=1
    )
    saved = last = time.monotonic()
    sums: Counter[str] = Counter()
    for pictures, *goals in batches:
        share = max(step / steps, spent / (3600 * hours))
        for group in work.param_groups:
            group["lr"] = (
                rate
                * min(1.0, (step + 1) / 100)
                * (0.02 + 0.98 * (1 + math.cos(math.pi * min(1.0, share))) / 2)
            )
        with torch.autocast("cpu", torch.bfloat16, enabled=short):
            cells = model(pictures.to(memory_format=torch.channels_last))
        parts = losses(cells.float(), rare, *goals)
        work.zero_grad()
        sum(parts.values()).backward()  # type: ignore[union-attr]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        work.step()
        with torch.no_grad():
            keep = min(0.998, (step + 1) / (step + 10))
            for slow, fast in zip(mean.state_dict().values(), model.state_dict().values(), strict=True):
                slow.copy_(slow * keep + fast * (1 - keep) if slow.is_floating_point() else fast)
        step += 1
        now = time.monotonic()
        spent, last = spent + now - last, now
        sums.update({"steps": 1, **{name: float(part.detach()) for name, part in parts.items()}})
        if now - saved > SAVING or step == steps or spent > 3600 * hours:
            kept = {
                "model": model.state_dict(),
                "mean": mean.state_dict(),
                "work": work.state_dict(),
                "step": step,
                "spent": spent,
            }
            torch.save(kept, out / "new.pt")
            (out / "new.pt").replace(state)
            means = {name: round(value / sums["steps"], 3) for name, value in sums.items() if name != "steps"}
            print(f"step {step}, {spent / 3600:.2f} h", means, flush=True)
            sums.clear()
            saved = now
        if spent > 3600 * hours:
            break
    least, found = measure(mean, kept_apart)
    print({name: round(value, 3) for name, value in found.items()}, flush=True)
    write(mean, out, least, {"steps": step, "seconds": round(spent), **found})


def rarity(screens: Sequence[dict[str, Any]]) -> torch.Tensor:
    """How much a control of each role counts (roles x 1 x 1): the more the rarer it is, within limits."""
    count = Counter(thing["role"] for screen in screens for thing in screen["things"])
    print(dict(count), flush=True)
    usual = sum(count[role] for role in ROLES) / len(ROLES)
    shares = [(usual / max(1, count[role])) ** 0.5 for role in ROLES]
    return torch.tensor(shares).clamp(0.5, 3.0)[:, None, None]


def load(start: Path | None) -> Detector:
    """The network with the weights of an earlier run, or with random ones."""
    model = Detector()
    if start is not None:
        model.load_state_dict(torch.load(start, weights_only=True))
    return model


def write(model: torch.nn.Module, out: Path, least: Sequence[float], figures: dict[str, float]) -> None:
    """Write the network for onnxruntime and for a later `--start`, and its figures."""
    (out / "figures.json").write_text(json.dumps(figures, indent=1), "utf-8")
    parts = model.state_dict().items()
    torch.save(
        {name: part.half() if part.is_floating_point() else part for name, part in parts}, out / "weights.pt"
    )
    export(model, out / "controls.onnx")
    describe(out / "controls.onnx", roles=ROLES, states=STATES, least=least)


def export(model: torch.nn.Module, path: Path) -> None:
    """Write the network for onnxruntime; the picture's size is free."""
    model.eval()
    free = {"picture": {2: "height", 3: "width"}, "cells": {2: "rows", 3: "columns"}}
    torch.onnx.export(
        model, (torch.zeros(1, 3, 320, 640),), str(path), input_names=["picture"], output_names=["cells"],
        dynamic_axes=free, dynamo=False,
    )  # fmt: skip


def describe(path: Path, **told: Sequence[object]) -> None:
    """Write into a file of weights what the product must know to read its output."""
    import onnx

    model = onnx.load(path)
    onnx.helper.set_model_props(model, {name: json.dumps(values) for name, values in told.items()})
    onnx.save(model, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--screens", type=Path, nargs="+", required=True, help="folders made by render.py and windows.py"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="weights to go on from, as `MODEL/weights.pt` of a run")
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning; less to go on from weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--bfloat16", action="store_true", help="faster if the processor has it, ten times slower if not"
    )
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    limits = {
        "hours": given.hours,
        "seed": given.seed,
        "steps": given.steps,
        "rate": given.rate,
        "short": given.bfloat16,
    }
    train(given.screens, given.out, start=given.start, **limits)


if __name__ == "__main__":
    main()
