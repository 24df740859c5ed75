"""Thousands of generated cases in which a wrong act, or a false "done", would be seen.

`python -m tests.trust` tries 5,000 in all and goes on where it was stopped: what came of each seed is kept in
`results.json` beside this file, one letter a seed (r: right; f: refused; n: refused, and rightly so;
w: wrong). `--part NAME` tries one part alone, `--share 0.1` a tenth of the cases; `--again` begins anew.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

RESULTS = Path(__file__).with_name("results.json")
SAVED_EVERY = 20
Case = Callable[[int], tuple[str, str]]
LETTERS = {"right": "r", "refused": "f", "not to be done": "n", "wrong": "w"}


def records(stack: ExitStack) -> Case:
    """A page with some 45 commands about its records; right where all that can be done is understood."""
    from guiagent_eval.page_computer import PageComputer
    from records import judge_page

    computer = stack.enter_context(PageComputer(size=(1200, 1500)))
    computer.start("about:blank")

    def run(seed: int) -> tuple[str, str]:
        refused = ""
        for command, verdict, meant in judge_page(computer, seed):
            if verdict == "wrong":
                return verdict, f"{command.text} => {meant}"
            if verdict == "refused" and command.record is not None:
                refused = f"{command.text} => {meant}"
        return ("refused", refused) if refused else ("right", "")

    return run


def learned(_: ExitStack) -> Case:
    from learned_bed import run_case

    return run_case


def values(_: ExitStack) -> Case:
    from test_values import run_case

    return run_case


def ends(stack: ExitStack) -> Case:
    from ends import bed, run_case

    on = stack.enter_context(bed())

    def run(seed: int) -> tuple[str, str]:
        verdict, why = run_case(seed, on)
        return ("not to be done" if why.endswith("it was not kept") else verdict), why

    return run


PARTS: Mapping[str, tuple[Callable[[ExitStack], Case], int]] = {
    "learned": (learned, 2000),
    "records": (records, 2000),
    "ends": (ends, 700),
    "values": (values, 300),
}
"""By name: how a part makes its cases, and how many seeds of it are tried."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, help="this part alone")
    parser.add_argument("--share", type=float, default=1.0, help="share of the cases of each part")
    parser.add_argument("--again", action="store_true", help="forget what was tried before")
    asked = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent))
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() and not asked.again else {}
    told: dict[str, str] = {part: known.get(part, "") for part in PARTS}
    for part, (make, cases) in PARTS.items():
        if asked.part not in (None, part):
            continue
        with ExitStack() as stack:
            case = make(stack)
            for seed in range(len(told[part]), round(cases * asked.share)):
                verdict, why = case(seed)
                told[part] += LETTERS[verdict]
                if verdict == "wrong":
                    print(f"{part} {seed}: {why}", file=sys.stderr, flush=True)
                if seed % SAVED_EVERY == SAVED_EVERY - 1:
                    RESULTS.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
        RESULTS.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
        counts = Counter(told[part])
        words = ", ".join(f"{counts[letter]} {verdict}" for verdict, letter in LETTERS.items())
        print(f"{part}: {len(told[part])} cases, {words}", flush=True)
    return 1 if "w" in "".join(told.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
