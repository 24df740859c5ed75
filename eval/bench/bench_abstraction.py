"""Measures the state abstraction on recorded screens: its reduction, and whether the target survives.

    python eval/bench/bench_abstraction.py eval/miniwob/demonstrations

The abstraction does not know the target. Prints one JSON object; every step of every demonstration in
the folders counts once.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from gui_agent.core.trajectory import Demonstration
from gui_agent.elements.abstraction import CAP, lines, relevant
from gui_agent.procedures.library.store import load_demonstration

LONG = 40
"""Minimum number of elements of a screen that is worth shortening."""


def steps(folders: list[Path], cap: int) -> Iterator[tuple[str, int, float, bool]]:
    """For each recorded step: its file, the elements of its screen, the factor, whether the target stayed."""
    for path in sorted(path for folder in folders for path in folder.rglob("*.json")):
        demonstration: Demonstration = load_demonstration(path)
        for step in demonstration.steps:
            if step.screen is None or not step.element:
                continue
            # The abstraction does not know the target, so this tests honestly whether the target stays.
            kept = relevant(step.screen, demonstration.task, cap=cap)
            factor = len(lines(step.screen.elements)) / max(1, len(lines(kept)))
            targets = {number for number in (step.element, step.to_element) if number}
            yield str(path), len(step.screen.elements), factor, targets <= {one.id for one in kept}


def told(rows: list[tuple[str, int, float, bool]]) -> dict[str, object]:
    """The figures of some steps, by name."""
    factors = [factor for _, _, factor, _ in rows]
    return {
        "steps": len(rows),
        "target_stays": round(sum(kept for *_, kept in rows) / max(1, len(rows)), 4),
        "median_factor": round(statistics.median(factors), 2) if factors else None,
        "mean_factor": round(statistics.fmean(factors), 2) if factors else None,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--cap", type=int, default=CAP)
    options = parser.parse_args()
    rows = list(steps(options.folders, options.cap))
    long = [row for row in rows if row[1] > LONG]
    lost = sorted({path for path, _, _, kept in rows if not kept})
    report = {"cap": options.cap, "all": told(rows), f"over_{LONG}_elements": told(long), "lost_in": lost}
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
