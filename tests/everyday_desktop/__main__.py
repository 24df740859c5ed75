"""Prints by program how often a person is needlessly asked about everyday steps on a desktop.

python -m tests.everyday_desktop [--json FILE] [--verbose] [PROGRAM ...]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.everyday_desktop.bed import COUNTS, WRONGS, figures, judged, programs


def main() -> int:
    """Do the steps of all installed programs, or of some."""
    parser = argparse.ArgumentParser(prog="python -m tests.everyday_desktop", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="only these programs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--verbose", action="store_true", help="name each step and what became of it")
    given = parser.parse_args()
    found = []
    for program in programs():
        if program.name not in (given.programs or [program.name]):
            continue
        if not program.is_installed:
            print(f"{program.name} is not installed")
            continue
        for one in judged(program):
            found.append(one)
            if one.wrong or given.verbose:
                mark = one.wrong or ("" if one.was_judged else "not judged")
                told = "; ".join(one.questions) or one.ending
                print(f"{mark:14}{one.program}: {one.say}: {told}"[:240], flush=True)
    told = figures(found)
    for name, row in told.items():
        counted = (f"{column} {row[column]}" for column in COUNTS)
        print(f"{name:18}", *counted, *(f"{wrong} {len(row[wrong])}" for wrong in WRONGS))
    if given.json:
        given.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
