"""How long programs took to come to rest, as earlier runs have it in their traces."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RUNS = 20
"""The latest runs that are looked at."""
ENOUGH = 5
"""Steps of a program after which what it usually does is known."""


def usual_settles(folder: Path, runs: int = RUNS) -> dict[str, float]:
    """Seconds within which nine of ten steps of a program came to rest, by application.

    Programs with few steps are left out, and so is what cannot be read: a run goes on without it.
    """
    seen: dict[str, list[float]] = defaultdict(list)
    for run in sorted(folder.glob("*/steps.jsonl"), reverse=True)[:runs]:
        apps = {line["number"]: line["place"]["app"] for line in _lines(run.with_name("observations.jsonl"))}
        for line in _lines(run):
            settle = line.get("seconds", {}).get("settle") if line.get("kind") == "step" else None
            app = apps.get(line.get("after"), "")
            if settle and app:
                seen[app].append(float(settle))
    return {app: _usual(times) for app, times in seen.items() if len(times) >= ENOUGH}


def _usual(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.9 * len(times)))]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            if isinstance(told, dict):
                yield told
    except (OSError, ValueError, KeyError):
        return
