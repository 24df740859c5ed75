"""Measures what best-of and look-ahead bring and cost, with scripted policies that are right by chance.

    python eval/bench/bench_chances.py --episodes 15

On the forms of MiniWoB++ a policy gives the right action with probability p, and else does the same to
another element of the page, which may be the button that ends the episode. A judge names the best of what it
is to compare with probability q, and else any other. Both read nothing but the request that a model would
get, and the reward is in none. They answer at once, so seconds are those of the screens and of the harness.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any, ClassVar

from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe
from guiagent_eval.cli.solver import setup
from guiagent_eval.model_path.screen import ListedItem, items_on_screen
from guiagent_eval.records import Record
from guiagent_eval.schedule import Assignment, RunLimits
from guiagent_eval.statistics import wilson
from guiagent_eval.worker import Bench

from gui_agent.core.dialogue import Asked, Reply, Request, Traits
from gui_agent.settings import Settings, override

TASKS = ("login-user", "enter-password", "click-checkboxes", "click-checkboxes-large")
JUDGE = "bench_chances:Judge"
WAYS: Mapping[str, Mapping[str, Any]] = {
    "single run": {},
    "best of 3, no judge": {"best_of": 3},
    "best of 3, judge": {"best_of": 3, "judge": JUDGE},
    "look-ahead 3, judge": {"look_ahead": 3, "judge": JUDGE},
}
FIRST = 10_000
"""The first seed of each task."""
STEPS, SLOWNESS = 30, 60.0
"""Maximum actions of an episode, and the factor on the pages' own time limits of 10 seconds and more."""
_STEP = re.compile(
    r'^\d+\. (Type|Click|Tick|Untick) (?:"(.*?)" into )?(textbox|checkbox|button) "(.*?)"', re.M
)
_FAILED = "FAILED"


@dataclass(frozen=True)
class Goal:
    """What an instruction wants: texts by field, names of boxes to tick, and then the button."""

    texts: Mapping[str, str]
    boxes: frozenset[str]

    def score(self, texts: Mapping[str, str], boxes: set[str], *, sent: bool) -> int:
        """How much of it is done, less what is wrong; sending it early is worse than anything."""
        typed = sum(texts.get(name) == text for name, text in self.texts.items())
        right, wrong = typed + len(boxes & self.boxes), len(texts) - typed + len(boxes - self.boxes)
        whole = right == len(self.texts) + len(self.boxes) and not wrong
        return (100 if whole else -100) if sent else right - wrong


def goal_of(instruction: str) -> Goal:
    """The goal of an instruction of these tasks."""
    if found := re.match(r'Enter the username "(.*?)" and the password "(.*?)"', instruction):
        return Goal({"Username": found[1], "Password": found[2]}, frozenset())
    if found := re.match(r'Enter the password "(.*?)"', instruction):
        return Goal({"Password": found[1], "Verify password": found[1]}, frozenset())
    named = instruction.removeprefix("Select ").partition(" and click Submit")[0]
    return Goal({}, frozenset(named.split(", ")) - {"nothing"})


def said_in(request: Request) -> list[str]:
    """The texts of a request."""
    asked = [turn for turn in request.turns if isinstance(turn, Asked)]
    return [part for turn in asked for part in turn.parts if isinstance(part, str)]


class Policy:
    """A model that gives the right next action with the probability `chance`."""

    name = "policy"
    traits = Traits(tools=False)
    chance = 1.0
    dice = random.Random(0)

    def complete(self, request: Request) -> Reply:
        """The next action on the last screen of the request."""
        said = said_in(request)
        goal = goal_of(re.findall(r"^Task: (.*)$", "\n".join(said), re.M)[0])
        shown = [one for one in items_on_screen(said) if one.role in ("textbox", "checkbox", "button")]
        right, text = next_move(goal, shown, done_in("\n".join(said)))
        others = [one for one in shown if one.mark != right.mark]
        target = right if self.dice.random() < self.chance else self.dice.choice(others)
        at = {"mark": target.mark}
        typed = {"kind": "type", "text": text, "replace": True, "at": at}
        act = typed if text and target.role == "textbox" else {"kind": "click", "at": at}
        return Reply(json.dumps({"actions": [act]}))


def next_move(
    goal: Goal, shown: Sequence[ListedItem], done: tuple[Mapping[str, str], set[str], bool]
) -> tuple[ListedItem, str]:
    """The element to act on, and the text to type into it; the button once all else is right."""
    texts, boxes, _ = done
    for one in shown:
        if one.role == "textbox" and texts.get(one.name, "") != goal.texts.get(one.name, ""):
            return one, goal.texts[one.name]
        if one.role == "checkbox" and (one.name in boxes) != (one.name in goal.boxes):
            return one, ""
    return next(one for one in shown if one.role == "button"), ""


def done_in(history: str) -> tuple[dict[str, str], set[str], bool]:
    """The last text of each field, the ticked boxes and whether the button was pressed, after these steps."""
    texts: dict[str, str] = {}
    boxes: set[str] = set()
    sent = False
    for line in history.splitlines():
        found = _STEP.match(line)
        if found is None or _FAILED in line:
            continue
        verb, text, role, name = found.groups()
        if role == "textbox" and verb == "Type":
            texts[name] = text
        elif role == "checkbox":
            boxes ^= {name}
        sent = sent or role == "button"
    return texts, boxes, sent


class Judge:
    """A model that names the best of the runs in the request with the probability `chance`."""

    name = "judge"
    traits = Traits()
    chance = 0.9
    dice = random.Random(0)
    asked: ClassVar[list[str]] = []
    """What it was asked."""

    def complete(self, request: Request) -> Reply:
        """The number of a run."""
        told = "\n".join(said_in(request))
        self.asked.append(told)
        goal = goal_of(re.findall(r"^Task: (.*)$", told, re.M)[0])
        scores = []
        for run in told.split(", what was done:")[1:]:
            texts, boxes, sent = done_in(run)
            scores.append(goal.score(texts, boxes, sent=sent))
        best = scores.index(max(scores))
        others = [place for place in range(len(scores)) if place != best]
        named = best if self.dice.random() < self.chance else self.dice.choice(others)
        return Reply(f"Difference: what is filled in.\nBEST: {named + 1}")


def measure(
    way: Mapping[str, Any], chance: float, judged: float, cases: Sequence[Case], benchmark: str = "miniwob"
) -> list[Record]:
    """The records of these cases.

    Args:
        chance: how often the policy is right, 0 to 1.
        judged: how often the judge is.
    """
    import bench_chances as here  # The models are made from this module, whatever it was started as.

    here.Policy.chance, here.Judge.chance = chance, judged
    here.Policy.dice.seed(1)
    here.Judge.dice.seed(2)
    limits = {"steps": STEPS, "seconds": 600.0}
    model = {"name": "bench_chances:Policy"}
    settings = override(Settings(), {"model": model, "guard": {"policy": "eval"}, "limits": limits})
    options = {"slowness": SLOWNESS, "pictures": True}
    with tempfile.TemporaryDirectory() as folder:
        recipe = Recipe(benchmark, folder, settings.model_dump(mode="json"), options, planner="model", **way)
        recipe.check()
        bench = Bench(setup(recipe, Knowledge(recipe)))
        bench.open()
        try:
            return [record_of(bench, case) for case in cases]
        finally:
            bench.close()


def record_of(bench: Bench, case: Case) -> Record:
    """The record of a case, which is done again if the machinery fails, as in any benchmark run."""
    for attempt in range(1, RunLimits().attempts + 1):
        told = bench.run(Assignment(case, attempt))
        if isinstance(told, Record) and told.is_counted:
            return told
        print(f"{case}, attempt {attempt}: {told.reason}", file=sys.stderr)
    raise SystemExit(f"{case} was not counted")


def row(chance: float, name: str, records: Sequence[Record]) -> dict[str, Any]:
    """The figures of a cell."""
    won = sum(one.success for one in records)
    return {
        "p": chance,
        "way": name,
        "episodes": len(records),
        "solved": asdict(wilson(won, len(records))),
        "calls": round(mean(one.model_calls for one in records), 1),
        "seconds": round(mean(one.seconds for one in records), 2),
        "forks": round(mean(one.details.get("forks", 0) for one in records), 1),
        "failed_forks": sum(one.details.get("failed_forks", 0) for one in records),
    }


def main() -> int:
    summary, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=15, help="per task and cell (default: 15)")
    parser.add_argument("--tasks", default=",".join(TASKS), metavar="A,B", help="of these: %(default)s")
    parser.add_argument("--chances", default="0.6,0.8,0.9", metavar="P,P", help="of the policy: %(default)s")
    parser.add_argument("--judged", type=float, default=0.9, metavar="Q", help="of the judge: %(default)s")
    parser.add_argument("--json", action="store_true", help="print one JSON object per cell")
    options = parser.parse_args()
    seeds = range(FIRST, FIRST + options.episodes)
    cases = [Case(task, seed) for task in options.tasks.split(",") for seed in seeds]
    if not options.json:
        print("| p | way | solved | 95 % | model calls | seconds | forks |\n|---|---|---|---|---|---|---|")
    began = time.perf_counter()
    for chance in map(float, options.chances.split(",")):
        for name, way in WAYS.items():
            told = row(chance, name, measure(way, chance, options.judged, cases))
            found = told["solved"]
            shown = f"{found['value']:.0%} | {found['low']:.0%} to {found['high']:.0%}"
            line = f"| {chance} | {name} | {shown} | {told['calls']} | {told['seconds']} | {told['forks']} |"
            print(json.dumps(told) if options.json else line, flush=True)
    took = time.perf_counter() - began
    print(f"{len(cases)} episodes per row, {took:.0f} s in all", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
