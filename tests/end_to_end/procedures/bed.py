"""The generalisation test bed: demonstrations on some seeds of a page family, runs on others.

It measures every family with `python -m tests.end_to_end.procedures.bed --runs 10`, and replaying a long form
with `--replays 100`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.guard import Policy, PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.trajectory import Demonstration, Task, Trajectory
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.language.constructs import use
from gui_agent.procedures.language.wording import describe
from tests.end_to_end.procedures.families import FAMILIES, register
from tests.end_to_end.procedures.hand import Hand

PAGE = Path(__file__).parents[2] / "pages" / "families" / "page.html"
DEMO_SEEDS = (1, 2, 3)
"""Below 100; runs are measured on seeds from 1000."""
CHOSEN_SEEDS = {
    # As a person would: one demonstration of each kind of task, of each direction, with and without.
    "mail": (1, 2, 7),
    "calendar": (1, 2, 4),
    "quantity": (1, 2, 4),
    "tabs": (1, 2, 10),
    "ticks": (1, 2, 4),
}
OF_THE_DOMAIN = ("colours", "drawn")
"""Families of drawn things, whose constructs are no part of the general language."""
OPEN_POLICY = Policy(default="allow", unknown="allow", repeat="allow")


@dataclass(frozen=True)
class Run:
    """What came of one run."""

    seed: int
    right: bool
    wrong: int
    trajectory: Trajectory
    seconds: float

    def __str__(self) -> str:
        ending = self.trajectory.ending
        kind = ending.kind if ending else "none"
        reason = ending.reason if ending else ""
        right = "right" if self.right else "not right"
        return f"seed {self.seed}: {right}, wrong {self.wrong}, {kind} {reason}"


def seeds_for(family: str) -> tuple[int, ...]:
    """The seeds that a family is demonstrated on."""
    return CHOSEN_SEEDS.get(family, DEMO_SEEDS)


def open_page(computer: PageComputer, family: str, seed: int) -> str:
    """Show a family's page for a seed; gives the instruction."""
    computer.start(f"{PAGE.as_uri()}?family={family}&seed={seed}")
    computer.settle()
    return str(computer.evaluate("window.__instruction"))


def demonstrate(computer: PageComputer, family: str, seed: int) -> Demonstration:
    """Do the task of a seed by hand and give the recording."""
    instruction = open_page(computer, family, seed)
    hand = Hand(computer)
    script = register if family == "register" else FAMILIES[family]
    script(hand, computer.evaluate("window.__goal"))
    verdict: Any = computer.evaluate("window.__result()")
    assert verdict["right"], f"the demonstrator failed at {family} {seed}: {verdict}"
    return hand.demonstration(instruction)


def agent(computer: PageComputer, planner: DemonstrationPlanner) -> Agent:
    """An agent that may do everything: the pages are ours."""
    limits = Limits(patience=0.5)
    return Agent(computer, planner, guard=PolicyGuard(OPEN_POLICY), limits=limits, picture=False)


def run(computer: PageComputer, planner: DemonstrationPlanner, family: str, seed: int) -> Run:
    """Let the planner do the task of a seed."""
    instruction = open_page(computer, family, seed)
    doer = agent(computer, planner)
    started = time.perf_counter()
    trajectory = doer.run(instruction)
    seconds = time.perf_counter() - started
    verdict: Any = computer.evaluate("window.__result()")
    done = trajectory.ending is not None and trajectory.ending.kind == "done"
    wrong = int(verdict["wrong"]) + int(done and not verdict["right"] and not verdict["wrong"])
    return Run(seed, bool(verdict["right"]) and done, wrong, trajectory, seconds)


def replay(computer: PageComputer, planner: DemonstrationPlanner, seed: int) -> float:
    """Fill the long form of a seed with its values, given by name; the seconds it took."""
    instruction = open_page(computer, "register", seed)
    values = {name: str(value) for name, value in computer.evaluate("window.__goal").items()}
    doer = agent(computer, planner)
    started = time.perf_counter()
    trajectory = doer.run(Task(instruction, values=values))
    seconds = time.perf_counter() - started
    verdict: Any = computer.evaluate("window.__result()")
    assert verdict["right"] and not verdict["wrong"], f"seed {seed}: {verdict}, {trajectory.ending}"
    assert all(turn.decision.calls == 0 for turn in trajectory.turns)
    return seconds


def measure(computer: PageComputer, family: str, demos: Sequence[int], seeds: Sequence[int]) -> list[Run]:
    """Learn from some seeds and run on others."""
    use(["miniwob"] if family in OF_THE_DOMAIN else [])
    planner = DemonstrationPlanner([demonstrate(computer, family, seed) for seed in demos])
    return [run(computer, planner, family, seed) for seed in seeds]


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--family", action="append")
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--demos", type=int, default=3)
    options.add_argument("--verbose", action="store_true")
    options.add_argument("--replays", type=int, default=0, help="measure replays of the long form instead")
    chosen = options.parse_args()
    with PageComputer() as computer:
        if chosen.replays:
            replays(computer, chosen.replays)
        else:
            families(computer, chosen.family or list(FAMILIES), chosen.demos, chosen.runs, chosen.verbose)
    return 0


def replays(computer: PageComputer, count: int) -> None:
    """Measure replays of one demonstration of the long form."""
    planner = DemonstrationPlanner([demonstrate(computer, "register", 1)])
    seconds = sorted(replay(computer, planner, seed) for seed in range(1000, 1000 + count))
    print(f"{count} replays, all right, median {seconds[count // 2]:.2f} s, most {seconds[-1]:.2f} s")


def families(computer: PageComputer, names: Sequence[str], demos: int, count: int, verbose: bool) -> None:
    """Measure what is learned from a few demonstrations of each family."""
    good = total = wrong = 0
    for family in names:
        recorded = [demonstrate(computer, family, seed) for seed in seeds_for(family)[:demos]]
        started = time.perf_counter()
        planner = DemonstrationPlanner(recorded)
        learned = time.perf_counter() - started
        if verbose:
            print("\n".join(describe(program) for program in planner.programs))
        runs = [run(computer, planner, family, seed) for seed in range(1000, 1000 + count)]
        right = sum(one.right for one in runs)
        good, total, wrong = good + right, total + count, wrong + sum(one.wrong for one in runs)
        median = sorted(one.seconds for one in runs)[count // 2]
        print(f"{family:10} {right}/{count} wrong {sum(one.wrong for one in runs)}", end="  ")
        print(f"median {median:.2f} s, learned in {learned:.2f} s, {len(planner.programs)} program(s)")
        for one in runs if verbose else ():
            if not one.right or one.wrong:
                print(f"   {one}")
    print(f"all        {good}/{total} wrong {wrong}")


if __name__ == "__main__":
    sys.exit(main())
