"""What the detector is trained on: pages from a seed, with the truth of what a person sees on them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

VISION = Path(__file__).parents[4] / "eval" / "vision"
"""The scripts of training; they are no part of any package."""
ICON = '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor"><path d="M5 12h14M12 5v14"/></svg>'


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(VISION))


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder like npm's, with one icon set."""
    folder = tmp_path / "node_modules"
    icons = folder / "lucide-static" / "icons"
    icons.mkdir(parents=True)
    for name in ("plus", "trash-2", "search", "check", "unheard-of"):
        (icons / f"{name}.svg").write_text(ICON, "utf-8")
    return folder


def render(out: Path, packages: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(VISION / "render.py"), "--out", str(out), "--packages", str(packages),
         "--workers", "1", *words],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def truth(folder: Path) -> dict[str, list[dict[str, object]]]:
    lines = [line for path in folder.glob("truth-*.jsonl") for line in path.read_text("utf-8").splitlines()]
    return {one["picture"]: one["things"] for one in map(json.loads, lines)}


def test_screens_have_pictures_and_truth_and_are_made_once(tmp_path: Path, packages: Path) -> None:
    from PIL import Image

    out = tmp_path / "screens"
    assert render(out, packages, "--screens", "3").returncode == 0
    first = truth(out)
    assert len(first) == 3 and sum(map(len, first.values())) > 20
    for name, things in first.items():
        width, height = Image.open(out / name).size
        for thing in things:
            left, top, wide, high = thing["box"]  # type: ignore[misc]
            assert left >= 0 and top >= 0 and left + wide <= width + 1 and top + high <= height + 1
    assert "0 screens" not in render(out, packages, "--screens", "4").stdout
    again = truth(out)
    assert len(again) == 4 and first.items() <= again.items()


def test_without_icons_it_says_what_to_install(tmp_path: Path) -> None:
    said = render(tmp_path / "out", tmp_path)
    assert said.returncode == 1 and "icons.toml" in said.stderr and "npm" in said.stderr


@pytest.mark.usefixtures("scripts")
def test_a_seed_makes_one_page() -> None:
    from pages import PageMaker  # type: ignore[import-not-found]

    icons = {"add": [ICON], "check": [ICON], "down": [ICON]}
    assert PageMaker(7, icons).page() == PageMaker(7, icons).page() != PageMaker(8, icons).page()


@pytest.mark.usefixtures("scripts")
def test_what_is_learned_is_what_is_read_back() -> None:
    from cells import ROLES, STATES, goal_of  # type: ignore[import-not-found]

    from gui_agent.computers.vision.network import read_cells

    things = [
        (ROLES.index("textbox"), (40.0, 40.0, 400.0, 32.0), [4]),
        (ROLES.index("icon"), (412.0, 46.0, 20.0, 20.0), []),
        (ROLES.index("checkbox"), (40.0, 100.0, 13.0, 13.0), [0]),
        (-1, (500.0, 0.0, 60.0, 60.0), []),
    ]
    goal = goal_of(things, 192, 640)
    chances = np.clip(goal.heat, 1e-4, 1 - 1e-4)
    said = np.concatenate([np.log(chances / (1 - chances)), np.log(np.maximum(goal.edges, 1.0)), goal.states])
    found = {(one.role, one.box.edges) for one in read_cells(said, ROLES, STATES, [0.999] * len(ROLES))}
    assert found == {
        ("textbox", (40, 40, 440, 72)),
        ("icon", (412, 46, 432, 66)),
        ("checkbox", (40, 100, 53, 113)),
    }
    assert not goal.weight[2, 65] and goal.weight[10, 10]
