"""Prints by kind how often a person is needlessly asked, and what left in spite of a no.

python -m tests.everyday_requests [--json FILE] [--unguarded] [--verbose] [KIND ...]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.everyday_requests.bed import Bed, figures, kinds, table


def main() -> int:
    """Run the scenarios of all kinds, or of some."""
    parser = argparse.ArgumentParser(prog="python -m tests.everyday_requests", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="only these kinds")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the figures and what was not right there"
    )
    parser.add_argument(
        "--unguarded", action="store_true", help="allow everything, to see what the controls send"
    )
    parser.add_argument("--verbose", action="store_true", help="name each scenario that is not right")
    given = parser.parse_args()
    chosen = [one for kind in kinds() if kind.name in (given.kinds or [kind.name]) for one in kind.scenarios]
    with Bed(given.unguarded) as bed:
        judged = [bed.judged(one) for one in chosen]
    if given.unguarded:
        missing = [one for one in judged if not one.has_arrived]
        for one in missing:
            print(f"{one.scenario.name}: {one.ending}; got {[got.line[:200] for got in one.received]}")
        print(f"{len(judged) - len(missing)} of {len(judged)} controls send what they should")
        return int(bool(missing))
    if given.verbose:
        for one in judged:
            if one.wrong:
                print(f"{one.wrong}: {one.scenario.name}: {'; '.join(one.questions) or one.ending}")
    found = figures(judged)
    print(table(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
