"""The widget matrix as data, one JSON file per cell set, and as the table in docs/widgets.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
RESULTS = Path.home() / ".cache/guiagent/widgets/results"
DOCUMENT = ROOT / "docs/widgets.md"
MARKS = {"right": "✓", "refused": "–", "wrong": "✗"}


@dataclass(frozen=True)
class Cell:
    """One widget of one library or toolkit."""

    library: str
    kind: str
    verdict: Literal["right", "refused", "wrong"]
    """Set as asked; not done, and the run said so; or "Done" while it was not so."""
    commands: str
    reason: str = ""
    seconds: float = 0.0


def keep(part: str, library: str, cells: Iterable[Cell], when: date | None = None) -> Path:
    """Keep the cells of a library; those of kinds that were not tried this time stay as they were.

    Args:
        part: "web" or "desktop".
    """
    path = RESULTS / part / f"{library.casefold().replace(' ', '-')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(path.read_text())["cells"] if path.exists() else []
    found = {cell["kind"]: cell for cell in before} | {cell.kind: asdict(cell) for cell in cells}
    day = (when or date.today()).isoformat()
    path.write_text(json.dumps({"library": library, "date": day, "cells": list(found.values())}, indent=1))
    return path


def table(part: str) -> list[str]:
    """The lines of one part's table: libraries down, kinds across, and what came of each cell."""
    sets = [json.loads(path.read_text()) for path in sorted((RESULTS / part).glob("*.json"))]
    kinds = list(dict.fromkeys(cell["kind"] for one in sets for cell in one["cells"]))
    libraries = [one["library"] for one in sets]
    lines = [f"| | {' | '.join(libraries)} |", "|---" * (len(sets) + 1) + "|"]
    found = {(one["library"], cell["kind"]): MARKS[cell["verdict"]] for one in sets for cell in one["cells"]}
    for kind in kinds:
        lines.append(f"| {kind} | {' | '.join(found.get((name, kind), ' ') for name in libraries)} |")
    shares = [_share(one["cells"]) for one in sets]
    lines.append(f"| **right** | {' | '.join(shares)} |")
    every = [cell for one in sets for cell in one["cells"]]
    latest = max((one["date"] for one in sets), default="")
    wrong = sum(cell["verdict"] == "wrong" for cell in every)
    lines += ["", f"{_share(every)} of the cells are right, {wrong} wrong in silence ({latest})."]
    return lines


def _share(cells: Sequence[dict[str, object]]) -> str:
    right = sum(cell["verdict"] == "right" for cell in cells)
    return f"{right} of {len(cells)}"


def report() -> None:
    """Write the tables of both parts into docs/widgets.md, between the marks of each part."""
    text = DOCUMENT.read_text(encoding="utf-8")
    for part in ("web", "desktop"):
        start, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
        if not (RESULTS / part).exists() or start not in text:
            continue
        head, _, rest = text.partition(start)
        _, _, tail = rest.partition(end)
        text = "\n".join([head + start, *table(part), end]) + tail
    DOCUMENT.write_text(text, encoding="utf-8")
