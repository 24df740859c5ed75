"""Runs the bed: `python -m tests.goals [others] [WORDS OF A GOAL ...]`; says what became of each goal."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.goals.bed import Judged, goals, judged

BARS = ("offered", "done", "again", "unasked", "wrong")


def tell(one: Judged) -> str:
    """What became of a goal, and why where it was not done twice."""
    marks = {
        "wrong": one.wrong,
        "offered": one.offered,
        "done": one.done,
        "again": one.again,
        "unasked": one.unasked,
    }
    lines = [f"{one.goal.say}: {', '.join(name for name, holds in marks.items() if holds)}"]
    for run in () if one.unasked and not one.wrong else (one.first, one.second):
        lines.append(f"    {run.result.ending.kind}: {run.result.ending.reason} {run.log}")
        lines += [f"    ? {line}" for question in run.questions for line in question.splitlines()]
    return "\n".join([*lines, *one.learned])


def main(words: tuple[str, ...]) -> int:
    """Ask the goals with these words, or all, and print a line for each and the counts."""
    found: list[Judged] = []
    kind, words = ("others", words[1:]) if words[:1] == ("others",) else ("goals", words)
    for goal in goals(kind):
        if words and not any(word in goal.say for word in words):
            continue
        with tempfile.TemporaryDirectory(prefix="guiagent-goals-") as home:
            found.append(judged(goal, Path(home)))
        print(tell(found[-1]), flush=True)
    for name in BARS:
        print(f"{name:8}{sum(getattr(one, name) for one in found):4} of {len(found)}")
    return 0


sys.exit(main(tuple(sys.argv[1:])))
