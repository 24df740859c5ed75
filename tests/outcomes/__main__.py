"""Runs the bed: `python -m tests.outcomes [APPLICATION ...]`; says of each pair what was told, and counts."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.outcomes.bed import Judged, judged, visits


def main(names: tuple[str, ...]) -> int:
    """Do the visits and print a line per pair that is not right, all pairs when applications are named."""
    found: list[Judged] = []
    for visit in visits(names):
        with tempfile.TemporaryDirectory(prefix="guiagent-outcomes-") as home:
            told = judged(visit, Path(home))
        found += told
        for one in told:
            mark = "right" if one.right else "NOTHING" if one.falsely_nothing else "WRONG"
            if names or not one.right:
                print(f"{mark:8}{one.pair} [{one.pair.label}]\n        {one.kind}: {one.said}", flush=True)
    sorts = Counter(one.pair.sort for one in found)
    right = Counter(one.pair.sort for one in found if one.right)
    for sort in sorted(sorts):
        print(f"{sort:10}{right[sort]:4} of {sorts[sort]}")
    wrong = sum(one.falsely_nothing for one in found)
    print(f"{'all':10}{sum(right.values()):4} of {len(found)}; falsely nothing: {wrong}")
    return 0


sys.exit(main(tuple(sys.argv[1:])))
